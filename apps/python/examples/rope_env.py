"""A rope to learn on, in the way of gymnasium: swing its free end to a target by pushing its lower half sideways.

Works with or without gymnasium installed. Every episode is exactly repeatable, and begins with a snapshot, so that nothing is built again.

    env = RopeEnv()
    observation, info = env.reset(seed=1)
    observation, reward, terminated, truncated, info = env.step(action)      # pushes in x and z, each within -1 and 1
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
    gymnasium = None  # type: ignore[assignment]
    Base = object

LENGTH = 0.5  # m
PUSH = 0.4  # m/s a frame
NEAR = 0.03  # m
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
        self.pivot = int(np.flatnonzero(self.sim.pinned)[0])
        self.tip = int(np.argmin(self.sim.positions[:, 1]))
        self.lower = np.flatnonzero(self.sim.positions[:, 1] < -LENGTH / 2)
        self.frames = round(seconds * self.sim.fps)
        self.frame = 0
        self.target = np.zeros(3)
        self.random = np.random.default_rng()
        if gymnasium:
            size = 6 * len(self.sim) + 3
            self.action_space = gymnasium.spaces.Box(-1.0, 1.0, (2,), np.float64)
            self.observation_space = gymnasium.spaces.Box(-100.0, 100.0, (size,), np.float64)

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
        pushed = self.sim.velocities[self.lower] + PUSH * np.array([push[0], 0, push[1]])
        self.sim.set_velocities(pushed, self.lower)
        self.sim.advance(1 / self.sim.fps)
        self.frame += 1
        distance = float(np.linalg.norm(self.sim.positions[self.tip] - self.target))
        return self._observe(), -distance, distance < NEAR, self.frame >= self.frames, {"distance": distance}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one short episode")
    args = parser.parse_args()
    env = RopeEnv(seconds=0.5 if args.quick else 4.0)
    if gymnasium:
        from gymnasium.utils.env_checker import check_env

        check_env(env, skip_render_check=True)
    begun, frames, best = time.perf_counter(), 0, []
    for episode in range(1 if args.quick else 5):
        _, info = env.reset(seed=episode)
        ended = False
        best.append(np.inf)
        while not ended:
            # a spring and a damper: good enough to see that it works
            pull = 8 * (info["target"] - env.sim.positions[env.tip]) - 0.5 * env.sim.velocities[env.tip]
            _, _, reached, late, told = env.step(pull[[0, 2]])
            best[-1], frames, ended = min(best[-1], told["distance"]), frames + 1, reached or late
    rate = frames / (time.perf_counter() - begun)
    nearest = ", ".join(f"{distance * 100:.1f}" for distance in best)
    print(f"{frames} frames, {rate:.0f} a second; cm from the end to the target, at best, in each episode: {nearest}")


if __name__ == "__main__":
    main()
