"""Uses every part of the package with types; `mypy --strict` reads this and nobody runs it."""

from __future__ import annotations

import pathlib

import numpy as np
from numpy.typing import NDArray

import pliant


def use(path: pathlib.Path) -> dict[str, float]:
    sim = pliant.Simulation(path, set={"time.until": 2, "world.gravity": [0, 0, 0]})
    sim = pliant.Simulation({"version": 1}, set=["time.until=2"], folder=path)
    step: pliant.Step = sim.step()
    numbers: list[float] = [step.time, step.dt, step.error, sim.time, sim.dt, sim.error, sim.until, sim.fps]
    counts: int = sim.advance(1 / 60) + sim.advance("2 ms") + sim.run() + sim.run(1.0) + len(sim) + step.number
    positions: NDArray[np.float64] = sim.positions
    triangles: NDArray[np.uint32] = sim.triangles

    def callback(s: pliant.Simulation) -> bool:
        return s.time < 0.5

    sim.run("1 s", callback)
    sim.run(callback=lambda s: None)
    sim.set_positions(positions, "sheet")
    sim.set_velocities([0, 0, 1], slice(3))
    sim.set_state(positions, velocities=sim.velocities, particles=np.arange(3))
    sim.edit({"world.drag": 1})
    sim.save(path)
    sim.load("there")
    sim.restore(sim.snapshot())
    places, corners = sim.surface()
    for body in sim.bodies:
        numbers.append(float(places[body.particles].sum()) + float(body.triangles.sum() + triangles.sum() + corners.sum()))
    try:
        pliant.check("nothing")
    except pliant.SceneError as error:
        line: int | None = error.problems[0].line
        counts += line or 0
    except pliant.StepError as error:
        numbers.append(error.time)
    pliant.run(sim.name, path, error="1 mm", resume=True)
    swept: pliant.Sweep = pliant.sweep(path, {"time.fps": [30, 60]}, repeat=2, jobs=2, output=path, until="1 s")
    swept = pliant.sweep({"version": 1}, {"cloth[0].density": np.linspace(0.1, 0.2, 3)}, address="auto", set={"time.until": 1})
    numbers += [row["wall_seconds"] for row in swept] + [failure.run for failure in swept.failures] + [len(swept.rows)]
    names: list[str] = [*pliant.scenes(), *pliant.catalog(), *pliant.schema(), pliant.version, sim.scene, *sim.warnings]
    assert names and counts and sim.fields["density"].dtype == np.float64 and not sim.done
    return sim.energy
