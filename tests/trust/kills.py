"""Runs that are killed at random moments and resumed leave the bytes of an undisturbed run, in every file."""

import random
import time

from common import LONG, SCENES, Folder, calm, command, must, run, same_files, start, suite, summary

KEYS = ["state_hash", "steps", "rejected", "solves", "frames", "energy", "ledger"]


def killed(scene, kills, folder):
    """Kills a run so many times, then lets it end; returns how many kills hit it, and how many of them found a checkpoint."""
    expected, contents, whole = calm(scene, folder / "calm")
    out = folder / "killed"
    arguments = command(scene, out, *SCENES[scene], "--checkpoint-every", "0.02", "--resume")
    hits = resumed = 0
    for _ in range(kills):
        child = start(arguments)
        time.sleep(random.random() * whole * 0.5)
        child.kill()
        child.communicate()
        if child.returncode == 0:
            # it had ended before: the next kill begins with a new run
            same_files(contents, out, f"{scene} after {hits} kills")
            for old in sorted(out.rglob("*"), reverse=True):
                old.rmdir() if old.is_dir() else old.unlink()
            out.rmdir()
            continue
        hits += 1
        resumed += (out / "checkpoint.bin").exists()
    result = summary(run(arguments))
    different = [key for key in KEYS if result[key] != expected[key]]
    must(not different, f"{scene}: {different} differ after {hits} kills")
    return hits, resumed, same_files(contents, out, f"{scene} after {hits} kills")


def body():
    scenes = list(SCENES) if LONG else ["spring-net", "cloth-on-sphere"]
    totals = [0, 0, 0]
    for scene in scenes:
        with Folder() as folder:
            totals = [total + more for total, more in zip(totals, killed(scene, 260 if LONG else 10, folder))]
    hits, resumed, compared = totals
    must(hits > 0 and resumed > 0, f"{hits} kills hit a run, {resumed} of them after a checkpoint")
    return f"{hits} kills of {len(scenes)} scenes, {resumed} after a checkpoint, {compared} files byte-equal"


suite("kills", body)
