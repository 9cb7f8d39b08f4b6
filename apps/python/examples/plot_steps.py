"""How long steps are and how large their errors, as the engine chooses them: draws steps.png.

    python plot_steps.py [SCENE] [--quick]
"""

from __future__ import annotations

import argparse

try:
    import matplotlib.pyplot as plt
except ImportError as error:
    raise SystemExit(f"this example draws with Matplotlib, which is not installed: pip install matplotlib ({error})") from None

import pliant


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("scene", nargs="?", default="hanging-cloth")
    parser.add_argument("--until", type=float, help="s")
    parser.add_argument("--tolerance", default="1 mm", help="error of one step")
    parser.add_argument("--output", default="steps.png")
    parser.add_argument("--quick", action="store_true", help="only the first tenth of a second")
    args = parser.parse_args()

    sim = pliant.Simulation(args.scene, set={"time.control.tolerance": args.tolerance})
    until = 0.1 if args.quick else args.until or sim.until
    steps = []
    while sim.time < until:
        steps.append(sim.step())

    times = [step.time for step in steps]
    figure, (above, below) = plt.subplots(2, 1, sharex=True, figsize=(8, 6), constrained_layout=True)
    above.step(times, [step.dt for step in steps], where="pre")
    above.set(ylabel="step (s)", yscale="log", title=f"{sim.name}: {len(steps)} steps")
    rejected = [step for step in steps if step.rejected]
    above.plot([step.time for step in rejected], [step.dt for step in rejected], "x", label="after a rejected attempt")
    if rejected:
        above.legend()
    below.plot(times, [step.error for step in steps], ".", label="error of the step")
    below.set(xlabel="time (s)", ylabel="error (m)", yscale="log")
    below.legend()
    figure.savefig(args.output)
    print(f"{args.output}: {len(steps)} steps, {min(s.dt for s in steps):.2e} to {max(s.dt for s in steps):.2e} s")


if __name__ == "__main__":
    main()
