"""Two runs into one folder: the second is refused with status 2 while the first works, and changes nothing."""

from common import BINARY, LONG, SCENES, Folder, calm, command, must, run, same_files, start, suite, wait_for

SCENE = "spring-net"


def body():
    refused = compared = 0
    with Folder() as folder:
        _, contents, _ = calm(SCENE, folder / "calm")
        for number in range(10 if LONG else 2):
            out = folder / f"out-{number}"
            first = start(command(SCENE, out, *SCENES[SCENE]))
            wait_for(lambda: (out / "probes.csv").exists() or first.poll() is not None)
            for more in ([], ["--resume"], ["--force"]):
                second = run(command(SCENE, out, *SCENES[SCENE], *more))
                if first.poll() is not None:
                    break
                must(second.returncode == 2, f"{more}: exit status {second.returncode} into a folder in use")
                must(str(out) in second.said, f"the message does not name the folder: {second.said}")
                refused += 1
            first.communicate()
            must(first.returncode == 0, f"exit status {first.returncode} of the first run")
            compared += same_files(contents, out, "the first of two runs")
            must(run([BINARY, "verify", out]).returncode == 0, "the result of the first run is not accepted")
        # a lock of a killed run does not stay
        out = folder / "killed"
        child = start(command(SCENE, out, *SCENES[SCENE]))
        wait_for(lambda: (out / "probes.csv").exists())
        child.kill()
        child.communicate()
        must(run(command(SCENE, out, *SCENES[SCENE], "--resume")).returncode == 0, "the lock of a killed run stays")
    must(refused > 0, "every first run had ended before the second began")
    return f"{refused} second runs refused, {compared} files byte-equal"


suite("locks", body)
