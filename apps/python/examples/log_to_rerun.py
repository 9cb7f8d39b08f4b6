"""Logs a scene for the rerun viewer: its surface, energies and steps on one timeline. Needs `pip install rerun-sdk`.

    python log_to_rerun.py [SCENE]        # writes SCENE.rrd; `rerun SCENE.rrd` shows it
"""

from __future__ import annotations

import argparse
import sys

import pliant

try:
    import rerun as rr
except ImportError:
    print("rerun is not installed, so nothing is logged: pip install rerun-sdk")
    sys.exit(0)


def log(sim: pliant.Simulation) -> None:
    """One frame."""
    rr.set_time("simulated", duration=sim.time)
    places, triangles = sim.surface()
    if len(triangles):
        rr.log("surface", rr.Mesh3D(vertex_positions=places, triangle_indices=triangles))
    else:
        rr.log("particles", rr.Points3D(sim.positions))
    if len(sim.edges):
        rr.log("edges", rr.LineStrips3D(sim.positions[sim.edges]))
    for name, joules in sim.energy.items():
        rr.log(f"energy/{name}", rr.Scalars(joules))
    rr.log("step/dt", rr.Scalars(sim.dt))
    rr.log("step/error", rr.Scalars(sim.error))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("scene", nargs="?", default="hanging-cloth")
    parser.add_argument("--quick", action="store_true", help="only the first tenth of a second")
    args = parser.parse_args()

    sim = pliant.Simulation(args.scene)
    rr.init("pliant", recording_id=sim.name)
    rr.save(f"{sim.name}.rrd")
    rr.log("/", rr.ViewCoordinates.RIGHT_HAND_Y_UP, static=True)
    log(sim)
    sim.run(0.1 if args.quick else None, callback=log)
    print(f"{sim.name}.rrd: {sim.stats['frames']} frames")


if __name__ == "__main__":
    main()
