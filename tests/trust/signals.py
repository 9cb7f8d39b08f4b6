"""SIGINT, SIGTERM and SIGHUP write a checkpoint and end with 130; the resumed run leaves the bytes of an undisturbed one."""

import random
import signal
import time

from common import LONG, SCENES, Folder, calm, command, must, run, same_files, start, suite, summary, wait_for

SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]


def body():
    scene = "spring-net"
    stopped = finished = compared = 0
    with Folder() as folder:
        expected, contents, whole = calm(scene, folder / "calm")
        for number in range(30 if LONG else 6):
            out = folder / f"out-{number}"
            arguments = command(scene, out, *SCENES[scene], "--resume")
            which = SIGNALS[number % len(SIGNALS)]
            child = start(arguments)
            wait_for(lambda: (out / "probes.csv").exists() or child.poll() is not None)
            time.sleep(0.5 * whole * random.random())
            child.send_signal(which)
            child.communicate()
            must(child.returncode in (0, 130), f"{which.name}: exit status {child.returncode}")
            if child.returncode == 130:
                must((out / "checkpoint.bin").exists(), f"{which.name}: no checkpoint")
                stopped += 1
            else:
                finished += 1
            result = summary(run(arguments))
            must(result["state_hash"] == expected["state_hash"], f"{which.name}: another state")
            compared += same_files(contents, out, which.name)
    must(stopped > 0, "every run had ended before its signal")
    return f"{stopped} runs stopped by {len(SIGNALS)} signals ({finished} had ended before), {compared} files byte-equal"


suite("signals", body)
