"""``pliant.sweep``: a scene with every combination of some values, on the cores of this machine or on a Ray cluster."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import tempfile
import threading
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple, Optional, Protocol, Union

from . import _pliant
from .errors import InputError

_Path = Union[str, "os.PathLike[str]"]

ATTEMPTS = 3
"""Largest number of attempts of a run with a process that dies."""


class Failure(NamedTuple):
    """A run that failed."""

    run: int
    """Its number, from 1."""
    reason: str
    """Why."""
    row: dict[str, Any]
    """Its row of the table: what was varied."""


class Sweep:
    """What came out of a sweep."""

    rows: list[dict[str, Any]]
    """One for each run, in the order of the grid: number, repeat, varied keys, status, and the figures of the run (SI units)."""
    failures: list[Failure]
    """The runs that failed."""
    unequal_repeats: list[tuple[int, int]]
    """Runs of one combination that ended in different states, which must not happen: the same scene gives the same bits."""

    def __init__(self, columns: list[str], rows: list[list[Any]], unequal: list[list[int]]) -> None:
        self.rows = [dict(zip(columns, row)) for row in rows]
        self.failures = [Failure(row["run"], row["reason"], row) for row in self.rows if row["status"] == "failed"]
        self.unequal_repeats = [(a, b) for a, b in unequal]

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.rows)

    def __repr__(self) -> str:
        return f"<pliant.Sweep: {len(self)} runs, {len(self.failures)} failed>"


def sweep(
    scene: Union[_Path, Mapping[str, Any]],
    vary: Optional[Mapping[str, Iterable[Any]]] = None,
    *,
    repeat: int = 1,
    jobs: Optional[int] = None,
    threads: int = 1,
    output: Optional[_Path] = None,
    address: Optional[str] = None,
    set: Union[Mapping[str, Any], Iterable[str], None] = None,
    until: Union[float, str, None] = None,
    folder: Optional[_Path] = None,
    force: bool = False,
) -> Sweep:
    """Run a scene with every combination of the values in ``vary``: ``{"time.control.tolerance": ["1 mm", "0.1 mm"]}``.

    The grid, its order, its checks and its table are those of ``pliant sweep``: the last key changes fastest, and each combination is run
    ``repeat`` times. Raises ``InputError`` or ``SceneError`` before anything runs if a key or a value is wrong. A run that fails later, or
    whose process dies three times, is in ``failures``; the others go on.

    ``jobs``: runs at a time; all cores if not given. ``threads``: of each run. ``set``, ``until``, ``folder``: as elsewhere.
    ``output``: a folder that keeps results as they come and gets ``sweep.csv``; the same sweep with the same folder runs only what is not
    done yet. Another sweep's folder is refused; ``force`` throws away what it holds. Frames are not recorded.
    ``address``: of a Ray cluster ("auto", "ray://head:10001"), or "local" to start one here; Pliant must be installed on its machines.
    """
    if threads < 1:
        raise InputError("threads: must be at least 1")
    if jobs is not None and jobs < 1:
        raise InputError("jobs: must be at least 1")
    if repeat < 1:
        raise InputError("repeat: must be at least 1")
    plan = _pliant._Sweep(scene, {} if vary is None else vary, repeat, set=set, until=until, folder=folder)
    with _executor(address, jobs, threads) as executor:
        done = frozenset(plan.open(output, force) if output is not None else ())
        waiting = deque(number for number in range(1, len(plan) + 1) if number not in done)
        results = []
        for result in executor.run(plan, waiting):
            plan.keep(result)
            results.append(result)
    return Sweep(*plan.finish(results))


def _executor(address: Optional[str], jobs: Optional[int], threads: int) -> _Executor:
    if address is None:
        return _Local(jobs or max(1, (os.cpu_count() or 1) // threads), threads)
    from . import _ray

    return _ray.connected(address, jobs, threads)


class _Executor(Protocol):
    """Executes the runs of a sweep."""

    def __enter__(self) -> _Executor: ...
    def __exit__(self, *_: object) -> None: ...
    def run(self, plan: _pliant._Sweep, waiting: deque[int]) -> Iterator[str]:
        """Results as they come, in any order."""
        ...


class _Local:
    """Processes on this machine. Each is used for many runs, and replaced when it dies."""

    def __init__(self, jobs: int, threads: int) -> None:
        self.jobs, self.threads = jobs, threads
        self.stopped = threading.Event()
        self.results: queue.Queue[Union[str, BaseException]] = queue.Queue()
        self.lock = threading.Lock()
        self.processes: list[_Process] = []
        self.slots: list[threading.Thread] = []

    def __enter__(self) -> _Local:
        return self

    def __exit__(self, *_: object) -> None:
        # Also after Ctrl-C: runs in progress are lost, finished ones are kept.
        self.stopped.set()
        with self.lock:
            for process in self.processes:
                process.kill()
        for slot in self.slots:
            slot.join()

    def run(self, plan: _pliant._Sweep, waiting: deque[int]) -> Iterator[str]:
        count = len(waiting)
        for _ in range(min(self.jobs, count)):
            slot = threading.Thread(target=self._slot, args=(plan, waiting), daemon=True)
            self.slots.append(slot)
            slot.start()
        for _ in range(count):
            result = self.results.get()
            if isinstance(result, BaseException):
                raise result
            yield result

    def _slot(self, plan: _pliant._Sweep, waiting: deque[int]) -> None:
        process: Optional[_Process] = None
        try:
            while not self.stopped.is_set():
                try:
                    number = waiting.popleft()
                except IndexError:
                    break
                question = json.dumps({"number": number, "text": plan.text(number), "threads": self.threads})
                words = ""
                for _ in range(ATTEMPTS):
                    process = process or self._start()
                    answer = process.ask(question)
                    if answer or self.stopped.is_set():
                        break
                    words = process.last_words()
                    self._drop(process)
                    process = None
                else:
                    answer = _failed(number, f"the process died {ATTEMPTS} times: {words}")
                if answer:
                    self.results.put(answer)
        except BaseException as error:
            self.results.put(error)
        finally:
            if process is not None:
                self._drop(process)

    def _start(self) -> _Process:
        process = _Process()
        with self.lock:
            self.processes.append(process)
            if self.stopped.is_set():
                process.kill()
        return process

    def _drop(self, process: _Process) -> None:
        with self.lock:
            self.processes.remove(process)
        process.close()


class _Process:
    """A worker process."""

    def __init__(self) -> None:
        # found even where this package is not installed, but on the path of the program alone
        package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
        code = f"import sys; sys.path.append({package!r}); from pliant._worker import main; main()"
        self.words = tempfile.TemporaryFile()
        self.child = subprocess.Popen(
            [sys.executable, "-c", code],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.words,
            encoding="utf-8",
        )

    def ask(self, question: str) -> str:
        """The answer; empty if the process died."""
        assert self.child.stdin and self.child.stdout
        try:
            self.child.stdin.write(question + "\n")
            self.child.stdin.flush()
        except OSError:
            return ""
        answer = self.child.stdout.readline()
        return answer if answer.endswith("\n") else ""

    def last_words(self) -> str:
        """Its last output, and its exit status."""
        code = self.child.wait()
        self.words.seek(0)
        said = self.words.read().decode("utf-8", "replace").strip().splitlines()[-12:]
        ended = f"killed by signal {-code}" if code < 0 else f"ended with status {code}"
        return "\n".join([ended, *said])

    def kill(self) -> None:
        self.child.kill()

    def close(self) -> None:
        assert self.child.stdin and self.child.stdout
        try:
            self.child.stdin.close()
        except OSError:
            pass
        self.child.wait()
        self.child.stdout.close()
        self.words.close()


def _failed(number: int, reason: str) -> str:
    return json.dumps({"number": number, "status": "failed", "reason": reason, "summary": None})
