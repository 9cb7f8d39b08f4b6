"""Pliant: cloth, ropes, soft solids, fracture and fluids that choose their own time step from an error stated in metres.

    import pliant
    sim = pliant.Simulation("hanging-cloth")
    sim.advance(0.5)
    print(sim.positions.min(axis=0), sim.dt, sim.error)

SI units everywhere: metres, kilograms, seconds, newtons, joules; y is up. Scenes, built-in ones too, are those of the command line.
"""

from ._pliant import (
    Body,
    Simulation,
    Snapshot,
    Step,
    __version__,
    catalog,
    check,
    run,
    scenes,
    schema,
    set_threads,
)
from ._sweep import Failure, Sweep, sweep
from .errors import CheckpointError, InputError, PliantError, Problem, SceneError, StepError

version = __version__

__all__ = [
    "Body",
    "CheckpointError",
    "Failure",
    "InputError",
    "PliantError",
    "Problem",
    "SceneError",
    "Simulation",
    "Snapshot",
    "Step",
    "StepError",
    "Sweep",
    "__version__",
    "catalog",
    "check",
    "run",
    "scenes",
    "schema",
    "set_threads",
    "sweep",
    "version",
]
