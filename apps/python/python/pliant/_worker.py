"""One run of a sweep, in a process of its own: a line of JSON in, a line of JSON out."""

from __future__ import annotations

import json
import os
import signal
import sys
from typing import Any, Optional

from . import _pliant
from .errors import PliantError

_threads: Optional[int] = None


def run_text(number: int, text: str, threads: int) -> str:
    """Run a scene given as TOML; the result as it is kept, as JSON. A run that fails is a result too."""
    global _threads
    if _threads is None:
        _pliant.set_threads(threads)
        _threads = threads
    result: dict[str, Any] = {"number": number, "status": "done", "reason": "", "summary": None}
    try:
        result["summary"] = json.loads(_pliant._run_text(text))
    except PliantError as error:
        result.update(status="failed", reason=str(error))
    return json.dumps(result)


def main() -> None:
    """Answer until there are no more questions."""
    # Ctrl-C is handled by the process that started the sweep, which then ends this one.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Whatever a library prints must not come between the answers.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    for line in sys.stdin:
        answers.write(run_text(**json.loads(line)) + "\n")
        answers.flush()
