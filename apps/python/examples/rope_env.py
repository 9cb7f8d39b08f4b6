"""A rope to learn on, in the way of gymnasium: swing its free end to a target by pushing the end sideways.

Works with or without gymnasium installed. Every episode is exactly repeatable, and starts from a snapshot in microseconds.

    env = RopeEnv()
    observation, info = env.reset(seed=1)
    observation, reward, terminated, truncated, info = env.step(action)      # a push, m/s, in x and z, each within -1 and 1
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np

import pliant

try:
    import gymnasium

    Base: Any = gymnasium.Env
except ImportError:
    gymnasium = None
    Base = object

LENGTH = 0.5  # m
SCENE = {
    "version": 1,
    "title": "A rope to swing",
    "time": {"until": 10, "fps": 30, "control": {"tolerance": "2 mm"}},
    "rope": [
        {
            "name": "rope",
            "points": [[0, 0, 0], [0, -LENGTH, 0]],
            "segments": 10,
            "radius": "5 mm",
            "preset": "nylon-rope",
            "damping": "10 ms",
            "pins": [{"end": "first"}],
        }
    ],
}


class RopeEnv(Base):  # type: ignore[misc]
    """Actions push the free end; the reward is how near it is to the target."""

    metadata: dict[str, Any] = {"render_modes": []}

    def __init__(self, seconds: float = 4.0) -> None:
        self.sim = pliant.Simulation(SCENE)
        self.start = self.sim.snapshot()
        self.pivot, self.tip = self._ends()
        self.frames = round(seconds * self.sim.fps)
        self.frame = 0
        self.target = np.zeros(3)
        self.random = np.random.default_rng()
        if gymnasium:
            size = 6 * len(self.sim) + 3
            self.action_space = gymnasium.spaces.Box(-1.0, 1.0, (2,), np.float64)
            self.observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (size,), np.float64)

    def _ends(self) -> tuple[int, int]:
        x = self.sim.positions
        pivot = int(np.flatnonzero(self.sim.pinned)[0])
        return pivot, int(np.argmax(np.linalg.norm(x - x[pivot], axis=1)))

    def _observe(self) -> np.ndarray[Any, np.dtype[np.float64]]:
        return np.concatenate([self.sim.positions.ravel(), self.sim.velocities.ravel(), self.target])

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Back to the hanging rope, with a new target on the sphere that its end can reach."""
        if gymnasium:
            super().reset(seed=seed)
        if seed is not None:
            self.random = np.random.default_rng(seed)
        self.sim.restore(self.start)
        self.frame = 0
        around, up = self.random.uniform(0, 2 * np.pi), self.random.uniform(0.3, 0.8)
        reach = np.array([np.sin(up) * np.cos(around), -np.cos(up), np.sin(up) * np.sin(around)])
        self.target = self.sim.positions[self.pivot] + LENGTH * reach
        return self._observe(), {"target": self.target.copy()}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """One push and one frame."""
        push = np.clip(np.asarray(action, dtype=float), -1, 1)
        v = self.sim.velocities[self.tip] + [push[0], 0, push[1]]
        self.sim.set_velocities(v, [self.tip])
        self.sim.advance(1 / self.sim.fps)
        self.frame += 1
        distance = float(np.linalg.norm(self.sim.positions[self.tip] - self.target))
        return self._observe(), -distance, distance < 0.02, self.frame >= self.frames, {"distance": distance}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one short episode")
    args = parser.parse_args()
    env = RopeEnv(seconds=0.5 if args.quick else 4.0)
    if gymnasium:
        from gymnasium.utils.env_checker import check_env

        check_env(env, skip_render_check=True)
    begun, frames, best = time.perf_counter(), 0, np.inf
    for episode in range(1 if args.quick else 5):
        _, info = env.reset(seed=episode)
        ended = False
        while not ended:
            # pushes towards the target while it is far: good enough to see that it works
            towards = info["target"] - env.sim.positions[env.tip]
            _, _, reached, late, told = env.step(0.5 * towards[[0, 2]])
            best, frames, ended = min(best, told["distance"]), frames + 1, reached or late
    rate = frames / (time.perf_counter() - begun)
    print(f"{frames} frames, {rate:.0f} a second; the end came within {best * 100:.1f} cm of the target")


if __name__ == "__main__":
    main()
