"""Full disks and files that may not grow: the run fails with a message, keeps what it has, and goes on once there is room."""

import os
import resource
import shutil
import subprocess

from common import LONG, SCENES, Folder, calm, command, must, run, same_files, suite, summary


def fails(arguments, words, **options):
    done = run(arguments, **options)
    must(done.returncode not in (0, 2), f"exit status {done.returncode} on a full disk: {done.said}")
    must(any(word in done.said for word in words), f"the message does not say why: {done.said}")


def mounted(place, megabytes):
    """A small file system in memory; only root may have one."""
    if os.geteuid() != 0 or not shutil.which("mount"):
        return False
    place.mkdir()
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", place], capture_output=True)
    return made.returncode == 0


def full_disks(folder, contents):
    """Runs on disks of some sizes, then with room; returns the counts of failed runs and of compared files."""
    scene, failed, compared = "spring-net", 0, 0
    need = sum(map(len, contents.values())) / 2**20
    for number, part in enumerate([0.1, 0.3, 0.5, 0.7, 0.9] if LONG else [0.2, 0.6]):
        disk = folder / f"disk-{number}"
        if not mounted(disk, max(1, int(part * need))):
            return 0, 0
        try:
            arguments = command(scene, disk / "out", *SCENES[scene], "--checkpoint-every", "0.02", "--resume")
            fails(arguments, ["No space left", "space"])
            subprocess.run(["mount", "-o", f"remount,size={int(8 * need) + 16}m", disk], check=True)
            result = summary(run(arguments))
            must(result["frames"] > 0, "no frames")
            compared += same_files(contents, disk / "out", f"a disk of {part} of the size")
            failed += 1
        finally:
            subprocess.run(["umount", disk], check=True)
    return failed, compared


def short_files(folder, contents):
    """The same with files that may not grow beyond some sizes."""
    scene, failed, compared = "spring-net", 0, 0
    longest = max(map(len, contents.values()))
    for number, part in enumerate([0.05, 0.2, 0.4, 0.6, 0.8] if LONG else [0.3, 0.7]):
        out = folder / f"short-{number}"
        arguments = command(scene, out, *SCENES[scene], "--checkpoint-every", "0.02", "--resume")
        size = int(part * longest)
        # Python ignores SIGXFSZ, and so does what it starts: the system reports an error instead
        limited = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size)), "restore_signals": False}
        fails(arguments, ["too large", "large"], **limited)
        summary(run(arguments))
        compared += same_files(contents, out, f"files of {size} bytes at most")
        failed += 1
    return failed, compared


def body():
    with Folder() as folder:
        _, contents, _ = calm("spring-net", folder / "calm")
        disks, on_disks = full_disks(folder, contents)
        files, in_files = short_files(folder, contents)
    told = f"{disks} full disks" if disks else "full disks need root to be made"
    return f"{told}, {files} limits of files; all resumed, {on_disks + in_files} files byte-equal"


suite("faults", body)
