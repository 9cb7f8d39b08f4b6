"""What Python costs: stepping a 50x50 cloth against the command line, and a view of a million positions.

    cargo build --release && python apps/python/benches/overhead.py [BINARY] [--pairs 7] [--until 0.25]

Both times are the engine's own clock from the first step to the last, of the same steps; runs alternate, and the figure is the median of the
ratios of neighbours, because other programs share the machine.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import statistics
import subprocess
import tempfile
import time

import pliant

CLOTH = """version = 1
[time]
until = {until}
[time.control]
tolerance = "1 mm"
[[cloth]]
name = "sheet"
grid = {{ columns = 50, rows = 50, width = "1 m", height = "1 m", plane = "horizontal" }}
preset = "cotton"
pins = [{{ corners = ["top-left", "top-right"] }}]
"""


def by_command_line(binary: str, scene: pathlib.Path, folder: pathlib.Path) -> tuple[float, str]:
    command = [binary, "run", str(scene), "-o", str(folder), "--force", "--format", "none", "--json", "--quiet"]
    summary = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return summary["wall_seconds"], summary["state_hash"]


def by_python(scene: pathlib.Path) -> tuple[float, str]:
    sim = pliant.Simulation(scene)
    begun = time.perf_counter()
    while not sim.done:
        sim.step()
        sim.positions
    return time.perf_counter() - begun, sim.state_hash


def stepping(binary: str, pairs: int, until: float) -> None:
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        scene = folder / "cloth.toml"
        scene.write_text(CLOTH.format(until=until))
        ratios, times = [], []
        by_python(scene)
        for k in range(pairs):
            runs = [lambda: by_command_line(binary, scene, folder / "out"), lambda: by_python(scene)]
            first, second = [run() for run in (runs if k % 2 == 0 else runs[::-1])]
            (theirs, their_hash), (ours, our_hash) = (first, second) if k % 2 == 0 else (second, first)
            assert their_hash == our_hash, "not the same run"
            ratios.append(ours / theirs)
            times.append((theirs, ours))
    middle = statistics.median(ratios)
    print(f"50x50 cloth, {until} s simulated, {pairs} pairs of runs, the same bits in all of them")
    print("  seconds (command line, Python):", ", ".join(f"{a:.3f} {b:.3f}" for a, b in times))
    print(f"  Python / command line: median {middle:.4f}, from {min(ratios):.4f} to {max(ratios):.4f}")


def viewing() -> None:
    scene = {
        "version": 1,
        "time": {"until": 1, "integrator": "symplectic-euler", "control": {"kind": "fixed", "dt": 1e-4}},
        "springs": [
            {"name": "net", "grid": {"columns": 1000, "rows": 1000, "width": 1, "height": 1}, "total_mass": 1, "stiffness": 1}
        ],
    }
    sim = pliant.Simulation(scene)
    costs = []
    for _ in range(2000):
        begun = time.perf_counter()
        view = sim.positions
        costs.append(time.perf_counter() - begun)
    assert view.shape == (1_000_000, 3)
    costs.sort()
    print(f"sim.positions of {len(sim)} particles: median {costs[1000] * 1e6:.2f} us, 99 % below {costs[1980] * 1e6:.2f} us")
    del view
    for kept in (False, True, False, True):
        view = sim.positions if kept else None
        begun = time.perf_counter()
        sim.step()
        print(f"  a step with {'a view kept' if kept else 'no view kept'}: {(time.perf_counter() - begun) * 1e3:.1f} ms")
        del view


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    built = pathlib.Path(__file__).resolve().parents[3] / "target" / "release" / "pliant"
    parser.add_argument("binary", nargs="?", default=str(built))
    parser.add_argument("--pairs", type=int, default=7)
    parser.add_argument("--until", type=float, default=0.25)
    args = parser.parse_args()
    stepping(args.binary, args.pairs, args.until)
    viewing()


if __name__ == "__main__":
    main()
