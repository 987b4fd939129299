"""examples/python/hopper.py: a batch of hoppers with contact, and its gymnasium environment."""

from __future__ import annotations

import importlib.util
import pathlib
import types

import numpy as np
import pytest
import sestina


@pytest.fixture(scope="module")
def hopper() -> types.ModuleType:
    path = pathlib.Path(__file__).parents[2] / "examples/python/hopper.py"
    spec = importlib.util.spec_from_file_location("hopper_example", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_members_of_a_batch_are_single_simulators(hopper: types.ModuleType) -> None:
    hoppers = hopper.Hoppers(5, seed=3)
    hoppers.reset()
    singles = [sestina.Simulator(hoppers.model, integrator="rk4", substeps=20) for _ in range(5)]
    for single, q, u in zip(singles, hoppers.q, hoppers.u, strict=True):
        single.reset(q, u)
    lowest = np.inf
    for _ in range(40):  # 0.8 s: each lands
        _, _, terminated, truncated = hoppers.step(np.zeros((5, 2)))
        assert not terminated.any() and not truncated.any()
        for single in singles:
            single.step(0.02)
        lowest = min(lowest, hoppers.q[:, 1].min())
    assert lowest < 0.54  # the leg has been compressed
    for single, q, u in zip(singles, hoppers.q, hoppers.u, strict=True):
        np.testing.assert_allclose(q, single.q, rtol=0, atol=1e-12)
        np.testing.assert_allclose(u, single.u, rtol=0, atol=1e-12)


def test_results_do_not_depend_on_threads(hopper: types.ModuleType) -> None:
    def final(threads: int) -> np.ndarray:
        before = sestina.threads()
        sestina.set_threads(threads)
        try:
            hoppers = hopper.Hoppers(16, seed=1)
            hoppers.reset()
            actions = np.random.default_rng(2).uniform(-1, 1, (30, 16, 2))
            for action in actions:
                observations = hoppers.step(action)[0]
        finally:
            sestina.set_threads(before)
        return observations

    np.testing.assert_array_equal(final(1), final(3))


def test_episodes_end_and_begin_anew(hopper: types.ModuleType) -> None:
    hoppers = hopper.Hoppers(3, episode=10)
    hoppers.reset()
    hoppers.q[1, 2] = 0.99
    hoppers.u[1, 2] = 5.0
    _, _, terminated, truncated = hoppers.step(np.zeros((3, 2)))
    assert list(terminated) == [False, True, False] and not truncated.any()
    assert abs(hoppers.q[1, 2]) < 0.02
    for _ in range(9):
        _, _, terminated, truncated = hoppers.step(np.zeros((3, 2)))
    assert list(truncated) == [True, False, True]


def test_environment_of_gymnasium(hopper: types.ModuleType) -> None:
    checker = pytest.importorskip("gymnasium.utils.env_checker")
    env = hopper.make_env(episode=50)
    checker.check_env(env, skip_render_check=True)
    first, _ = env.reset(seed=4)
    again, _ = env.reset(seed=4)
    np.testing.assert_array_equal(first, again)
    total = 0
    for _ in range(50):
        _, _, terminated, truncated, _ = env.step(np.zeros(2))
        total += 1
        if terminated or truncated:
            break
    assert truncated and total == 50
