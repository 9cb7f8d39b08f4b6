"""What can go wrong."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, Optional


class PliantError(Exception):
    """Whatever Pliant raises is one of these."""


class InputError(PliantError, ValueError):
    """Something that was given is not right: an array, a time, a key. Nothing was changed."""


class Problem(NamedTuple):
    """One thing that is wrong in a scene."""

    file: str
    """The file; ``scene`` for a dict; where a change is to blame, the argument it came with, such as ``set``."""
    line: Optional[int]
    """The line, from 1, where one is known."""
    path: str
    """The key, such as ``cloth[0].density``; empty for the whole scene."""
    message: str
    """What is wrong and what would be right."""


class SceneError(InputError):
    """A scene that cannot be used, with everything that is wrong in it."""

    problems: tuple[Problem, ...]
    """Each thing with its place; empty where the file could not be read at all."""

    def __init__(self, message: str, problems: Iterable[tuple[str, Optional[int], str, str]] = ()) -> None:
        super().__init__(message)
        self.problems = tuple(Problem(*problem) for problem in problems)


class StepError(PliantError, RuntimeError):
    """The run cannot go on. The simulation keeps its last good state; ``edit``, ``set_*``, ``load`` and ``reset`` give it another chance."""

    time: float
    """Time of the last good state, s."""
    steps: int
    """Steps taken until then."""
    why: str
    """What happened."""

    def __init__(self, message: str, time: float = float("nan"), steps: int = 0, why: str = "") -> None:
        super().__init__(message)
        self.time, self.steps, self.why = time, steps, why or message


class CheckpointError(PliantError):
    """A checkpoint that cannot be written or read, or is not one of this scene. The simulation is as it was."""
