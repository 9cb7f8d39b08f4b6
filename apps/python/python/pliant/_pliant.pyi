"""The native half of the package. The docstrings here are those that `help` shows; a test holds them together."""

import os
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Union, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

_Path = Union[str, os.PathLike[str]]
_Scene = Union[_Path, Mapping[str, Any]]
_Changes = Union[Mapping[str, Any], Iterable[str]]
_Seconds = Union[float, str]
_Particles = Union[str, slice, ArrayLike, None]

__all__ = [
    "Body",
    "Simulation",
    "Snapshot",
    "Step",
    "_Sweep",
    "__version__",
    "_run_text",
    "catalog",
    "check",
    "run",
    "scenes",
    "schema",
    "set_threads",
]

__version__: str

@final
class Simulation:
    """A scene in motion.

    ``scene``: the path of a scene file, the name of a built-in scene, or a dict of the same structure.
    ``set``: changes to it, as a dict (``{"time.control.tolerance": "0.1 mm"}``) or as texts (``["time.until=2"]``).
    ``folder``: for a dict, the folder that names of mesh files are relative to; the current one if not given.

    Raises ``SceneError`` with everything that is wrong in the scene.

    The GIL is released while steps are taken. Any thread may use a simulation; a call while another thread steps waits for the end of
    that step, and of a few more if they are short.
    """

    def __new__(cls, scene: _Scene, *, set: _Changes | None = None, folder: _Path | None = None) -> Simulation: ...
    def step(self) -> Step:
        """Take one step, as long as the scene's control allows. Steps end on frames and at the scene's end; they may go on after it.

        Raises ``StepError`` if the run cannot go on; the last good state is kept, and another call says the same.
        """

    def advance(self, dt: _Seconds) -> int:
        """Step until ``dt`` seconds from now (or "20 ms"), exactly; returns how many steps it took."""

    def run(
        self, until: _Seconds | None = None, callback: Callable[[Simulation], object] | None = None
    ) -> int:
        """Step until the time ``until``, s (or "1.5 s"; the scene's end if not given), exactly; returns how many steps it took.

        ``callback(sim)`` is called at every frame on the way and at the end; if it returns False, the run stops there. Ctrl-C stops it
        after the current step. The simulation can go on after either.
        """

    def reset(self) -> None:
        """Back to the start of the scene as it was given; edits are dropped."""

    @property
    def positions(self) -> NDArray[np.float64]:
        """Positions now, m: a read-only view, (particles, 3).

        Nothing is copied to take it. A view is a snapshot: it shows the moment at which it was taken, whatever is done to the simulation
        afterwards, also by other threads, and stays valid when the simulation is gone. After a step, take another one. (A view that is
        still alive when the next step begins costs one copy of the array then.)
        """

    @property
    def velocities(self) -> NDArray[np.float64]:
        """Velocities now, m/s: a read-only view, (particles, 3), like ``positions``."""

    @property
    def fields(self) -> dict[str, NDArray[np.float64]]:
        """What else is known of particles now, one number each, read-only; computed when asked for.

        ``density`` (kg/m^3) and ``pressure`` (Pa) of fluids, ``damage`` (part of the bonds that is broken) and ``fragment`` (number, from 1)
        of what can break, ``activity`` (0 moving, 1 in transition, 2 standing still) under restraint.
        """

    @property
    def masses(self) -> NDArray[np.float64]:
        """Masses of particles, kg."""

    @property
    def pinned(self) -> NDArray[np.bool_]:
        """Which particles are held by pins."""

    @property
    def bodies(self) -> list[Body]:
        """The bodies of the scene: names, particles, what is drawn of them."""

    @property
    def edges(self) -> NDArray[np.uint32]:
        """Lines of all bodies that have them, as pairs of particles, (count, 2)."""

    @property
    def triangles(self) -> NDArray[np.uint32]:
        """Surfaces of all bodies that have them, as particles, (count, 3)."""

    @property
    def tetrahedra(self) -> NDArray[np.uint32]:
        """Insides of all soft solids, as particles, (count, 4)."""

    def surface(self) -> tuple[NDArray[np.float64], NDArray[np.uint32]]:
        """What is seen: places, m, (count, 3), and triangles between them, (count, 3).

        The first places are those of the particles (of pendulums: where their bobs are), the others those of finer surfaces that ropes and
        some solids have; where a body has one, its triangles are in the place of its own.
        """

    def set_positions(self, positions: ArrayLike, particles: _Particles = None) -> None:
        """Put particles elsewhere, m: an array (count, 3), or one vector for all.

        ``particles``: all if not given; the name of a body, or anything that indexes an array of all particles. Pinned particles stay with
        their pins. The integrator's history is dropped, sums and the energy budget go on. Raises ``InputError``, and changes nothing, for wrong
        shapes, for numbers that are not finite, and where the forces or the energy would not be.
        """

    def set_velocities(self, velocities: ArrayLike, particles: _Particles = None) -> None:
        """Give particles other velocities, m/s, like ``set_positions``."""

    def set_state(
        self, positions: ArrayLike | None = None, velocities: ArrayLike | None = None, particles: _Particles = None
    ) -> None:
        """Positions, m, and velocities, m/s, at once, like ``set_positions``."""

    def edit(self, changes: _Changes) -> None:
        """Change parameters while the scene runs: ``sim.edit({"world.gravity": [0, -1.62, 0]})``; ``parameters`` lists what may be.

        The scene goes on from its present state with them. Edits are logged in ``edits`` and are part of checkpoints. If one of the changes
        is wrong, none is made.
        """

    @property
    def edits(self) -> list[tuple[float, str]]:
        """What was edited: when, s, and what, as ``--set`` takes it."""

    @property
    def parameters(self) -> list[dict[str, Any]]:
        """What ``edit`` can change: ``path``, ``label``, ``unit``, ``value`` and the usual range of each."""

    def save(self, path: _Path) -> None:
        """Write a checkpoint: everything that is needed to go on from here with the same bits, edits included.

        The file is complete or, if anything fails, as it was before. Raises ``CheckpointError``.
        """

    def load(self, path: _Path) -> None:
        """Go on from a checkpoint of the same scene. Raises ``CheckpointError``, and changes nothing, if it is damaged or of another one."""

    def snapshot(self) -> Snapshot:
        """A checkpoint in memory, to ``restore`` later, as often as wanted: for learning and planning."""

    def restore(self, snapshot: Snapshot) -> None:
        """Go on from a snapshot of the same scene, with the same bits."""

    @property
    def time(self) -> float:
        """Simulated time, s."""

    @property
    def until(self) -> float:
        """The scene's end, s."""

    @property
    def done(self) -> bool:
        """Whether the scene's end has been reached."""

    @property
    def fps(self) -> float:
        """Frames per second of simulated time; steps end on frames."""

    @property
    def dt(self) -> float:
        """Length of the last step, s; 0 before the first."""

    @property
    def error(self) -> float:
        """Error of the last step as its controller judged it, m; NaN before the first and where none is judged."""

    @property
    def energy(self) -> dict[str, float]:
        """Energies now, J: ``kinetic``, ``elastic``, ``gravity`` and their sum ``total``."""

    @property
    def stats(self) -> dict[str, Any]:
        """The run in figures, as in ``stats.json``: steps, rejected, solves, dt (s), energy and ledger (J), momentum (kg m/s), state_hash ..."""

    @property
    def state_hash(self) -> str:
        """Fingerprint of the exact bits of time, positions and velocities; that of ``pliant run`` at the same moment."""

    @property
    def scene(self) -> str:
        """The scene as it runs, as TOML."""

    @property
    def name(self) -> str:
        """Name of the scene."""

    @property
    def warnings(self) -> list[str]:
        """What is legal in the scene but probably not wanted."""

    def __len__(self) -> int: ...

@final
class Step:
    """One accepted step."""

    @property
    def number(self) -> int:
        """Its number, from 1."""

    @property
    def time(self) -> float:
        """Time at its end, s."""

    @property
    def dt(self) -> float:
        """Its length, s."""

    @property
    def error(self) -> float:
        """The error that was judged, m; NaN where the controller judges none."""

    @property
    def rejected(self) -> int:
        """Attempts that were thrown away before it."""

    @property
    def fitted(self) -> bool:
        """Whether it was shortened to end on a frame."""

    @property
    def binding(self) -> str:
        """What set its length: "force-error", "truncation", "doubling", "limit" or "given"."""

@final
class Body:
    """A named group of particles and what is drawn of it. Corners are particles of the whole simulation."""

    @property
    def name(self) -> str:
        """Its name in the scene."""

    @property
    def particles(self) -> slice:
        """Its particles, to index arrays with: ``sim.positions[body.particles]``."""

    @property
    def edges(self) -> NDArray[np.uint32]:
        """Lines, (count, 2)."""

    @property
    def triangles(self) -> NDArray[np.uint32]:
        """Its surface, (count, 3)."""

    @property
    def tetrahedra(self) -> NDArray[np.uint32]:
        """Its inside, (count, 4); empty where it is not made of them."""

    @property
    def shape(self) -> str:
        """What the coordinates are: "points", "grains" (particles that fill it), or "pendulum" (x is the angle, rad)."""

    def __len__(self) -> int: ...

@final
class Snapshot:
    """A simulation at one moment, in memory; see ``Simulation.snapshot``."""

    @property
    def time(self) -> float:
        """Simulated time, s."""

def run(
    scene: _Scene,
    output: _Path,
    *,
    set: _Changes | None = None,
    folder: _Path | None = None,
    resume: bool = False,
    force: bool = False,
    error: Union[float, str, None] = None,
) -> dict[str, Any]:
    """Run a scene to its end and record it into the folder ``output``, as ``pliant run -o`` does; returns the summary.

    ``resume``: go on with an interrupted run. ``force``: replace an earlier result. ``error``: a verified error, m (or "1 mm"): the scene is
    run with smaller tolerances until two runs agree within it and three show how fast errors fall; ``verified`` of the summary has the error (``estimate``) and
    the ``order`` that it stands on, the smaller one of ``declared_order`` and ``observed_order``. Ctrl-C leaves a checkpoint to resume from.
    Pictures ("png", "gif") are drawn when the run is over.
    What is legal but probably not wanted, such as an error as large as the scene, is a ``UserWarning``.
    """

@final
class _Sweep:
    """A sweep that has been checked: its runs and their stored results."""

    def __new__(
        cls,
        scene: _Scene,
        vary: Mapping[str, Iterable[Any]],
        repeat: int,
        *,
        set: _Changes | None = None,
        until: _Seconds | None = None,
        folder: _Path | None = None,
    ) -> _Sweep: ...
    def text(self, number: int) -> str:
        """The scene of a run (from 1) as TOML, with the whole paths of its meshes: enough to run it elsewhere."""

    def open(self, folder: _Path, force: bool) -> list[int]:
        """Keep results in a folder. Returns the numbers of the runs that are done there already."""

    def keep(self, result: str) -> None:
        """Keep a result, if there is a folder."""

    def finish(self, results: list[str]) -> tuple[list[str], list[list[Any]], list[list[int]]]:
        """The table of some results: columns, rows, and pairs of repeats that ended in different states. Written too, if there is a folder."""

    def __len__(self) -> int: ...

def _run_text(text: str) -> str:
    """Run a scene, given as TOML, to its end without recording anything; returns the summary as JSON."""

def catalog() -> dict[str, list[dict[str, Any]]]:
    """Everything that a scene can name, by kind: lists of dicts with ``name`` and ``summary``.

    Integrators also tell their order, their cost, and the largest angular frequency times step (rad) at which they are stable.
    """

def scenes() -> dict[str, str]:
    """The built-in scenes: their names, each with one line on what happens in it."""

def schema() -> dict[str, Any]:
    """The JSON Schema of scenes."""

def check(scene: _Scene, *, set: _Changes | None = None, folder: _Path | None = None) -> str:
    """Check a scene and say what would run, in the words of ``pliant check``. Raises ``SceneError`` with everything that is wrong in it."""

def set_threads(count: int) -> None:
    """Threads of this process; results do not depend on it. To be called before the first simulation is made; all cores if not."""
