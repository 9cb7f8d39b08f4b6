"""What several tests need."""

from __future__ import annotations

import os
import pathlib
import signal
from typing import Any

import pytest

# What shells start in the background ignores Ctrl-C, and so would its children; some tests press it.
signal.signal(signal.SIGINT, signal.default_int_handler)

HERE = pathlib.Path(__file__).parent


@pytest.fixture
def net() -> dict[str, Any]:
    """A small net of springs as a dict; a step takes microseconds."""
    return {
        "version": 1,
        "time": {"until": 0.5, "fps": 60, "integrator": "newmark", "control": {"tolerance": "1 mm"}},
        "springs": [
            {
                "name": "net",
                "grid": {"columns": 6, "rows": 5, "width": "1 m", "height": "1 m", "plane": "horizontal"},
                "total_mass": "0.2 kg",
                "stiffness": "200 N/m",
                "damping": "0.01 N s/m",
                "pins": [{"corners": ["top-left", "top-right"]}],
            }
        ],
    }


@pytest.fixture(scope="session")
def binary() -> str:
    """The command line that results are compared with."""
    path = os.environ.get("PLIANT_BINARY", "")
    assert path and os.access(path, os.X_OK), "PLIANT_BINARY must be the path of the built pliant; run.sh sets it"
    return path
