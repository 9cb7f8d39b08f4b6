"""Output that is lost: deleted, changed or not written. Exit statuses tell; `pliant verify` finds what is missing."""

import random
import subprocess

from common import BINARY, LONG, SCENES, Folder, command, must, run, start, suite, wait_for

SCENE = "spring-net"


def deleted_meanwhile(folder):
    """Frames that are deleted during the run."""
    out = folder / "meanwhile"
    child = start(command(SCENE, out, *SCENES[SCENE]))
    wait_for(lambda: (out / "frames/frame_00002.vtu").exists() or child.poll() is not None)
    victims = sorted(out.rglob("frame_*.vtu"))[:1]
    must(victims, "no frame was written")
    victims[0].unlink()
    child.communicate()
    verified = run([BINARY, "verify", out])
    must(child.returncode != 0 or verified.returncode != 0, "a deleted frame goes unnoticed")
    return 1


def found_by_verify(folder, rounds):
    """Files of a finished result that are deleted, cut or changed."""
    found = 0
    for number in range(rounds):
        out = folder / f"result-{number}"
        must(run(command(SCENE, out, *SCENES[SCENE])).returncode == 0, "the run fails")
        must(run([BINARY, "verify", out]).returncode == 0, "a whole result is not accepted")
        files = [path for path in sorted(out.rglob("*.*")) if path.suffix in (".vtu", ".ply", ".csv", ".npy", ".usda")]
        victim = random.choice(files)
        contents = bytearray(victim.read_bytes())
        if number % 3 == 0:
            victim.unlink()
        elif number % 3 == 1:
            victim.write_bytes(contents[:-1])
        else:
            contents[random.randrange(len(contents))] ^= 1
            victim.write_bytes(contents)
        done = run([BINARY, "verify", out])
        must(done.returncode not in (0, 2), f"{victim.name}: exit status {done.returncode}")
        must(victim.name in done.said + done.stdout.decode(), f"{victim.name} is not named: {done.said}")
        found += 1
    return found


def not_written(folder):
    """What goes to a full standard output is lost: the status says so."""
    count = 0
    for arguments in (command(SCENE, folder / "full", *SCENES[SCENE]), [BINARY, "check", SCENE], [BINARY, "schema"]):
        with open("/dev/full", "wb") as full:
            done = subprocess.run(list(map(str, arguments)), stdout=full, stderr=subprocess.PIPE, timeout=600)
        must(done.returncode != 0, f"{arguments[1]}: status 0 with a full standard output")
        must(b"panicked" not in done.stderr, done.stderr.decode())
        count += 1
    return count


def body():
    with Folder() as folder:
        meanwhile = deleted_meanwhile(folder)
        found = found_by_verify(folder, 30 if LONG else 3)
        lost = not_written(folder)
    return f"{meanwhile} file deleted during a run, {found} damaged results found by verify, {lost} outputs to a full device"


suite("lost", body)
