"""Results with flipped, missing and cut bytes are read, resumed, drawn and converted without a panic."""

import random
import shutil

from common import BINARY, LONG, SCENES, Folder, command, must, run, start, suite, wait_for

SCENE = "spring-net"


def interrupted(out):
    """An unfinished run with a checkpoint."""
    child = start(command(SCENE, out, *SCENES[SCENE], "--checkpoint-every", "0.01"))
    wait_for(lambda: (out / "checkpoint.bin").exists() or child.poll() is not None)
    child.kill()
    child.communicate()
    must((out / "checkpoint.bin").exists(), "no checkpoint was written")


def damage(path):
    """Changes a file in one of four ways; returns which."""
    contents = bytearray(path.read_bytes())
    way = random.choice(["flip", "cut", "double", "delete"])
    if way == "flip" and contents:
        for _ in range(random.choice([1, 1, 8])):
            contents[random.randrange(len(contents))] ^= 1 << random.randrange(8)
    elif way == "cut":
        del contents[random.randrange(len(contents) + 1):]
    elif way == "double":
        contents += contents[random.randrange(len(contents) + 1):]
    if way == "delete":
        path.unlink()
    else:
        path.write_bytes(contents)
    return way


def used(out, picture):
    """Everything that reads a result. Exit statuses are those of errors, not of crashes."""
    frames = sorted(out.rglob("*.vtu")) + sorted(out.rglob("*.ply"))
    commands = [
        [BINARY, "render", out, "-o", picture, "--size", "160x90"],
        command(SCENE, out, *SCENES[SCENE], "--resume"),
    ]
    if frames:
        commands.append([BINARY, "convert", random.choice(frames), out.parent / "converted.ply"])
    for arguments in commands:
        done = run(arguments)
        must(done.returncode in (0, 1, 2), f"exit status {done.returncode}: {done.said}")
        must(done.returncode == 0 or done.said, "an error without a message")
    return len(commands)


def body():
    rounds, commands, ways = (150 if LONG else 8), 0, {}
    with Folder() as folder:
        original = folder / "original"
        interrupted(original)
        for number in range(rounds):
            out = folder / "damaged"
            shutil.copytree(original, out)
            files = sorted(path for path in out.rglob("*") if path.is_file())
            # the checkpoint, lists and tables more often than one of many frames
            few = [path for path in files if path.parent == out]
            way = damage(random.choice(few if number % 2 else files))
            ways[way] = ways.get(way, 0) + 1
            commands += used(out, folder / "picture.png")
            shutil.rmtree(out)
    told = ", ".join(f"{count} x {way}" for way, count in sorted(ways.items()))
    return f"{rounds} damaged results ({told}), {commands} commands without a crash"


suite("abuse", body)
