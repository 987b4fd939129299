"""A one-legged hopper in a vertical plane for reinforcement learning: many of them at once, and one as a gymnasium.Env.

The foot touches the floor by a force element (law hunt_crossley, ../../docs/contact.md), so that steps of rk4 take it.
Model.step() takes the states of all hoppers, and distributes them over threads. A program that learns needs nothing
else:

    hoppers = Hoppers(256, seed=1)
    observations = hoppers.reset()
    observations, rewards, terminated, truncated = hoppers.step(actions)      # those that end begin anew

`python examples/python/hopper.py 256 200` prints how many steps per second random actions take. With gymnasium
(`pip install gymnasium`) make_env() returns a gymnasium.Env of a single hopper.
"""

from __future__ import annotations

import sys
import time
from typing import Any

import numpy as np
import sestina

MODEL = """
sestina: 1
name: hopper
gravity: [0, -9.81, 0]
ground:
  shapes: [{name: floor, type: plane, axes: {rpy: [-pi/2, 0, 0]}}]                   # solid where y < 0
bodies:
  - {name: torso, mass: 8, inertia: {xx: 0.3, yy: 0.3, zz: 0.3}, shape: {name: trunk, type: sphere, radius: 0.15}}
  - {name: leg, mass: 1, center_of_mass: [0, -0.2, 0], inertia: {xx: 0.02, yy: 0.002, zz: 0.02}}
  - {name: foot, mass: 0.5, inertia: {xx: 5.0e-4, yy: 5.0e-4, zz: 5.0e-4}, shape: {name: toe, type: sphere, radius: 0.05}}
joints:
  - {name: base, type: planar, parent: ground.origin, child: torso.origin, q: [0, 0.7, 0]}
  - {name: hip, type: revolute, parent: torso.origin, child: leg.origin, axis: [0, 0, 1]}
  - {name: knee, type: prismatic, parent: leg.origin, child: foot.origin, axis: [0, 1, 0], q: -0.5}
forces:
  - {name: spring, type: joint_spring, joint: knee, stiffness: 3000, reference: -0.5}
  - {name: damper, type: joint_damper, joint: knee, damping: 20}
  - {name: friction_of_hip, type: joint_damper, joint: hip, damping: 0.5}
contacts:
  - {name: landing, between: [floor, toe], law: hunt_crossley, stiffness: 2.0e5, dissipation: 0.5, friction: 0.9,
     creep_speed: 0.2}
analysis: {duration: 1}
"""


class Hoppers:
    """`count` hoppers, each in an episode of its own that ends when its torso falls, or after `episode` steps.

    An action has 2 numbers from -1 to 1: torque of the hip (up to 40 N m), thrust of the leg (up to 300 N).
    An observation has 9: height (m), angles of torso and hip (rad), length of the leg (m), then the speeds
    of these and the horizontal one first (m/s, rad/s). The reward is the horizontal speed (m/s) less a
    thousandth of the squares of the actions.
    """

    action_size, observation_size = 2, 9

    def __init__(self, count: int, *, seed: int = 0, dt: float = 0.02, substeps: int = 20, episode: int = 500) -> None:
        self.model = sestina.loads(MODEL).freeze()
        self.count, self.dt, self.substeps, self.episode = count, dt, substeps, episode
        self._random = np.random.default_rng(seed)
        self.q, self.u = np.empty((count, self.model.nq)), np.empty((count, self.model.nu))
        self._age = np.zeros(count, dtype=np.int64)
        self._tau = np.zeros((count, self.model.nu))

    def reset(self, seed: int | None = None) -> np.ndarray:
        """Begins all episodes; returns the observations (count, 9)."""
        if seed is not None:
            self._random = np.random.default_rng(seed)
        self._begin(np.ones(self.count, dtype=bool))
        return self.observations()

    def step(self, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Steps by dt with actions (count, 2).

        Returns observations (count, 9), rewards, and whether an episode was terminated or truncated (count each): the
        observations of these belong to the next episode.
        """
        actions = np.clip(actions, -1.0, 1.0)
        self._tau[:, 3], self._tau[:, 4] = 40.0 * actions[:, 0], -300.0 * actions[:, 1]
        self.q, self.u = self.model.step(
            self.q, self.u, self._tau, self.dt, integrator="rk4", substeps=self.substeps, check=False
        )
        self._age += 1
        fine = np.isfinite(self.q).all(axis=1) & np.isfinite(self.u).all(axis=1)
        with np.errstate(invalid="ignore"):
            terminated = ~(fine & (self.q[:, 1] > 0.3) & (np.abs(self.q[:, 2]) < 1.0))
        truncated = ~terminated & (self._age >= self.episode)
        rewards = np.where(fine, self.u[:, 0], 0.0) - 1e-3 * (actions**2).sum(axis=1)
        ended = terminated | truncated
        if ended.any():
            self._begin(ended)
        return self.observations(), rewards, terminated, truncated

    def observations(self) -> np.ndarray:
        """Of the present states (count, 9)."""
        return np.concatenate([self.q[:, 1:], self.u], axis=1)

    def _begin(self, which: np.ndarray) -> None:
        number = int(which.sum())
        scatter = self._random.uniform(-0.02, 0.02, (number, self.model.nq))
        self.q[which], self.u[which] = self.model.q0 + scatter, self.model.u0
        self._age[which] = 0


def make_env(**options: Any) -> Any:
    """Returns a gymnasium.Env of one hopper; options as of Hoppers."""
    import gymnasium

    class HopperEnv(gymnasium.Env):
        """One hopper. After the end of an episode its observation is that of the next one: call reset()."""

        def __init__(self) -> None:
            self._hoppers = Hoppers(1, **options)
            self.action_space = gymnasium.spaces.Box(-1.0, 1.0, (Hoppers.action_size,), np.float64)
            self.observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (Hoppers.observation_size,), np.float64)

        def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
            super().reset(seed=seed)
            return self._hoppers.reset(seed)[0], {}

        def step(self, action: np.ndarray) -> Any:
            observations, rewards, terminated, truncated = self._hoppers.step(np.asarray(action)[None])
            return observations[0], float(rewards[0]), bool(terminated[0]), bool(truncated[0]), {}

    return HopperEnv()


def measure(count: int, steps: int) -> float:
    """Steps per second of all hoppers together, with random actions."""
    hoppers = Hoppers(count)
    hoppers.reset()
    actions = np.random.default_rng(1).uniform(-1, 1, (steps, count, Hoppers.action_size))
    hoppers.step(actions[0])  # makes what the steps need
    begin = time.perf_counter()
    for action in actions:
        hoppers.step(action)
    return count * steps / (time.perf_counter() - begin)


if __name__ == "__main__":
    given = [int(number) for number in sys.argv[1:3]]
    count, steps = given if len(given) == 2 else (256, 200)
    print(f"{measure(count, steps):.0f} steps/s of {count} hoppers on {sestina.threads()} threads")
