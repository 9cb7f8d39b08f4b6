"""What the suites share: how the program is run, and how results are compared."""

import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BINARY = Path(os.environ.get("PLIANT", ROOT / "target/debug/pliant")).resolve()
LONG = len(sys.argv) > 1 and sys.argv[1] == "long"
# a net of springs, cloth with contact, a rope, water: short runs with every way of writing files
SCENES = {
    "spring-net": ["--until", "0.5", "--format", "vtu,ply,npy,usd,obj"],
    "cloth-on-sphere": ["--until", "0.06", "--format", "vtu,npy",
                        "--set", "cloth[0].grid.columns=14", "--set", "cloth[0].grid.rows=14"],
    "rope-hanging": ["--until", "0.15", "--format", "vtu,usd"],
    "still-water": ["--until", "0.01", "--format", "vtu,ply", "--fps", "500"],
}
# wall-clock times are in them; names of locks and lists of files
OF_ITS_OWN = ("stats.json", "checkpoint.bin", "manifest", ".lock", "lock")
PANIC = 101


class Fault(Exception):
    """Something that must not happen."""


def must(holds, text):
    if not holds:
        raise Fault(text)


class Folder:
    """A folder of its own that goes away."""

    def __init__(self, place=None):
        self.path = Path(tempfile.mkdtemp(prefix="pliant-trust-", dir=place))

    def __enter__(self):
        return self.path

    def __exit__(self, *_):
        shutil.rmtree(self.path, ignore_errors=True)


def command(scene, out, *more):
    return [str(BINARY), "run", scene, "--output", str(out), "--json", "--quiet", *map(str, more)]


def run(arguments, **options):
    """Runs to the end. A panic is a fault, whatever was asked for."""
    done = subprocess.run(list(map(str, arguments)), stdin=subprocess.DEVNULL, capture_output=True, timeout=600, **options)
    said = done.stderr.decode(errors="replace")
    must(done.returncode != PANIC and "panicked" not in said, f"{' '.join(map(str, arguments))}: {said}")
    done.said = said
    return done


def start(arguments, **options):
    return subprocess.Popen(list(map(str, arguments)), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, **options)


def summary(done):
    must(done.returncode == 0, f"exit status {done.returncode}: {done.said}")
    return json.loads(done.stdout.decode().strip().splitlines()[-1])


def files(folder):
    """Names and contents of all files whose bytes a run determines."""
    found = {}
    for path in sorted(Path(folder).rglob("*")):
        name = str(path.relative_to(folder))
        if path.is_file() and not any(part.startswith(OF_ITS_OWN) for part in Path(name).parts):
            found[name] = path.read_bytes()
    return found


def same_files(expected, folder, what):
    """Compares a folder with contents, and returns how many files were compared."""
    got = files(folder)
    must(sorted(got) == sorted(expected), f"{what}: other files: {sorted(set(got) ^ set(expected))}")
    different = [name for name in expected if got[name] != expected[name]]
    must(not different, f"{what}: other bytes in {different[:5]}")
    return len(got)


def calm(scene, folder, *more):
    """An undisturbed run: its summary, its files, and the seconds it took."""
    begun = time.monotonic()
    result = summary(run(command(scene, folder, *SCENES[scene], *more)))
    return result, files(folder), time.monotonic() - begun


def wait_for(condition, seconds=20):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.002)
    return False


def suite(name, body):
    """Runs a suite; prints its line of counts, or the fault."""
    random.seed(int(os.environ.get("PLIANT_TRUST_SEED", "1")))
    begun = time.monotonic()
    try:
        counts = body()
    except Fault as fault:
        print(f"{name}: FAULT: {fault}", flush=True)
        sys.exit(1)
    print(f"{name}: {counts}; {time.monotonic() - begun:.1f} s", flush=True)
