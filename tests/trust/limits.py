"""No threads and little memory: the run works on one thread, or fails with a message; never a panic, never a wrong result."""

import os
import resource
import shutil
import signal

from common import BINARY, LONG, Folder, command, must, run, suite, summary

SCENE = ["hanging-cloth", "--until", "0.03", "--format", "vtu", "--threads", "4"]
UNPRIVILEGED = 65534


def arguments(out, *more):
    return command(SCENE[0], out, *SCENE[1:], *more)


def one_process(folder):
    """No further process or thread, as a user to whom the limit applies."""
    def limit():
        if os.geteuid() == 0:
            os.setgroups([])
            os.setgid(UNPRIVILEGED)
            os.setuid(UNPRIVILEGED)
        resource.setrlimit(resource.RLIMIT_NPROC, (0, 0))
    folder.chmod(0o777)
    return {"preexec_fn": limit}


def without_threads(folder, expected):
    """Threads whose stacks fit into no address space, and users without a further process."""
    stacks = {"env": {**os.environ, "RUST_MIN_STACK": str(1 << 50)}}
    # a copy, because that user may not enter the folder of the checkout
    binary = shutil.copy(BINARY, folder / "pliant")
    for number, limited in enumerate([stacks, one_process(folder)]):
        done = run([str(binary), *arguments(folder / f"threads-{number}")[1:]], **limited)
        result = summary(done)
        must("no thread can be started" in done.said, f"not told: {done.said}")
        must(result["state_hash"] == expected, "another state on one thread")
        must(result["threads"] == 1, f"{result['threads']} threads")
    return 2


def with_memory(folder, expected, megabytes):
    """Whether the run ends within an address space of this size; where it fails, it goes on without the limit."""
    out = folder / f"memory-{megabytes}"
    most = megabytes << 20
    done = run(arguments(out, "--resume"), preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (most, most)))
    allowed = (0, 1, 2, 127, -signal.SIGABRT)
    must(done.returncode in allowed, f"{megabytes} MB: exit status {done.returncode}: {done.said}")
    must(done.returncode == 0 or done.said, f"{megabytes} MB: exit status {done.returncode} without a message")
    must(summary(run(arguments(out, "--resume")))["state_hash"] == expected, f"{megabytes} MB: another state")
    return done.returncode == 0


def body():
    with Folder() as folder:
        expected = summary(run(arguments(folder / "calm")))["state_hash"]
        alone = without_threads(folder, expected)
        # below, the system cannot load the program
        least = 2 + (BINARY.stat().st_size >> 20)
        sizes = list(range(least, least + 200, 2)) + [1024] if LONG else [least, least + 6, least + 12, least + 24, least + 60, 1024]
        ended = [with_memory(folder, expected, size) for size in sizes]
    must(any(ended), "no run ended within any limit of memory")
    return f"{alone} runs without threads, {len(ended)} limits of memory ({sum(ended)} runs ended within), all equal hashes"


suite("limits", body)
