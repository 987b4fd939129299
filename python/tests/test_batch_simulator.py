"""Many simulations stepped together: those of single Simulators, and what is refused."""

from __future__ import annotations

import math

import numpy as np
import pytest
import sestina
from test_simulator import arm, rail

COUNT = 7


def states(seed: int = 3) -> tuple[np.ndarray, np.ndarray]:
    return tuple(np.random.default_rng(seed).uniform(-1, 1, (2, COUNT, 3)))


def singles(model: sestina.Model, q: np.ndarray, u: np.ndarray, **options) -> list[sestina.Simulator]:
    made = [sestina.Simulator(model, **options) for _ in range(COUNT)]
    for one, q_one, u_one in zip(made, q, u, strict=True):
        one.reset(q_one, u_one, 0.5)
    return made


def assert_same(batch: sestina.BatchSimulator, made: list[sestina.Simulator]) -> None:
    """The arithmetic is that of a Simulator; sums are taken in another order."""
    for k, one in enumerate(made):
        assert batch.t == one.t
        np.testing.assert_allclose(batch.q[k], one.q, rtol=0, atol=1e-12)
        np.testing.assert_allclose(batch.u[k], one.u, rtol=0, atol=1e-12)
        np.testing.assert_allclose(batch.tau[k], one.tau, rtol=0, atol=1e-12)


@pytest.mark.parametrize("integrator", ["forward_euler", "rk4", "rkf45", "dormand_prince_54"])
def test_members_are_single_simulators(integrator: str) -> None:
    system = arm()
    system.add_joint_force("wind", "joint1", "0.3*sin(9*t)")
    model = system.freeze()
    q, u = states()
    batch = sestina.BatchSimulator(model, COUNT, integrator=integrator, substeps=2)
    batch.reset(q, u, 0.5)
    made = singles(model, q, u, integrator=integrator, substeps=2)
    tau = np.random.default_rng(4).standard_normal((COUNT, 3))
    for k in range(40):
        given = tau if k % 10 == 0 else None  # held in between
        told = batch.step(2e-3, given)
        for one, own in zip(made, tau, strict=True):
            one.step(2e-3, None if given is None else own)
    assert_same(batch, made)
    np.testing.assert_array_equal(told[0], batch.q)
    assert np.abs(batch.q - q).max() > 1e-2


@pytest.mark.parametrize("delay", [0, 1, 3])
@pytest.mark.parametrize("dt", [0.004, 0.01, 1 / 60])
def test_sampled_controllers_with_memory_and_delay_are_those_of_single_simulators(delay: int, dt: float) -> None:
    model = arm().freeze()
    q, u = states()
    period = 0.01
    calls = []

    def law(t: float, q: np.ndarray, u: np.ndarray, memory: dict) -> np.ndarray:
        calls.append(t)
        memory["sum"] = memory["sum"] + period * (0.2 - q)
        return 3 * (0.2 - q) - 0.2 * u + memory["sum"]

    def own_law(t: float, q: np.ndarray, u: np.ndarray, memory: np.ndarray) -> np.ndarray:
        memory += period * (0.2 - q)
        return 3 * (0.2 - q) - 0.2 * u + memory

    batch = sestina.BatchSimulator(model, COUNT, substeps=3)
    batch.reset(q, u, 0.5)
    first = {"sum": np.zeros((COUNT, 3))}
    batch.set_controller(law, period, delay_samples=delay, memory=first)
    made = singles(model, q, u, substeps=3)
    for one in made:
        one.set_controller(own_law, period, delay_samples=delay, memory=np.zeros(3))
    for k in range(30):
        batch.step(dt, [0.1 * k, 0, 0])
        for one in made:
            one.step(dt, [0.1 * k, 0, 0])
    assert_same(batch, made)
    np.testing.assert_allclose(batch.memory["sum"], [one.memory for one in made], rtol=0, atol=1e-12)
    assert len(calls) == math.ceil(30 * dt / period - 1e-6)  # once for all members
    assert not first["sum"].any()  # the object that was given is copied


def test_euler_parameters_stay_normalised() -> None:
    system = sestina.System(gravity=(0, 0, -9.81))
    system.add_rigid_body("top", 1.0, center_of_mass=(0, 0, 0.1), inertia={"xx": 0.01, "yy": 0.02, "zz": 0.03})
    system.add_joint("ball", "spherical", system.ground["origin"], system.body("top")["origin"])
    model = system.freeze()
    batch = sestina.BatchSimulator(model, 3)
    batch.reset(q=[2, 1, 0, 0], u=[[1, 2, 3], [0, 0, 1], [3, 0, 0]])
    one = sestina.Simulator(model)
    one.reset([2, 1, 0, 0], [1, 2, 3])
    for _ in range(50):
        batch.step(0.01)
        one.step(0.01)
    np.testing.assert_allclose(batch.q[0], one.q, rtol=0, atol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(batch.q, axis=1), 1, rtol=0, atol=1e-15)


def test_a_snapshot_goes_on_bit_for_bit() -> None:
    def law(t: float, q: np.ndarray, u: np.ndarray, memory: list) -> np.ndarray:
        memory.append(u.sum())
        return -u - 0.1 * memory[-1]

    def make() -> sestina.BatchSimulator:
        made = sestina.BatchSimulator(arm(), COUNT)
        made.set_controller(law, 0.003, delay_samples=2, memory=[])
        return made

    one, other = make(), make()
    one.reset(*states())
    for _ in range(30):
        one.step(1e-3, [0.1, 0.2, 0.3])
    saved = one.save()
    ends = []
    for simulator in (one, other, one):
        simulator.restore(saved)
        assert simulator.t == saved.t
        for _ in range(40):
            simulator.step(1e-3)
        ends.append([simulator.q, simulator.u, simulator.tau])
        assert len(simulator.memory) == 24
    np.testing.assert_array_equal(ends[0], ends[1])
    np.testing.assert_array_equal(ends[0], ends[2])
    assert np.abs(ends[0][0] - saved.q).max() > 1e-3


def test_reset_begins_anew_and_set_state_moves_some_members() -> None:
    simulator = sestina.BatchSimulator(arm(), COUNT)
    simulator.set_controller(lambda t, q, u, memory: memory.append(t) or -u, 0.01, memory=[])
    first = simulator.step(1e-2, [1, 2, 3])
    simulator.reset()
    assert simulator.t == 0 and simulator.memory == []
    np.testing.assert_array_equal(simulator.step(1e-2, [1, 2, 3]), first)
    q = simulator.q
    q[2] = 0
    simulator.set_state(q=q)
    np.testing.assert_array_equal(simulator.q, q)
    np.testing.assert_array_equal(simulator.u, first[1])
    assert simulator.t == 0.01
    out = np.empty((COUNT, 3)), np.empty((COUNT, 3))
    assert simulator.step(1e-2, out=out)[0] is out[0]
    np.testing.assert_array_equal(out[1], simulator.u)


def test_a_member_that_fails_is_named_and_the_others_go_on() -> None:
    system = rail(1.0)
    system.add_joint_force("drive", "slide", "sqrt(slide.q)")
    q = np.array([[4.0], [0.01], [9.0]])
    u = np.array([[0.0], [-1.0], [0.0]])
    strict = sestina.BatchSimulator(system, 3)
    strict.reset(q, u)
    with pytest.raises(sestina.ComputationError, match=r"\[1\].*drive"):
        for _ in range(10):
            strict.step(0.01)
    last = strict.t
    assert 0 <= last < 0.02 and not strict.failed.any()
    simulator = sestina.BatchSimulator(system, 3, check=False)
    simulator.reset(q, u)
    for _ in range(10):
        simulator.step(0.01)
    np.testing.assert_array_equal(simulator.failed, [False, True, False])
    np.testing.assert_array_equal(simulator.q[1], strict.q[1])
    one = sestina.Simulator(system)
    one.reset(q[2], u[2])
    for _ in range(10):
        one.step(0.01)
    np.testing.assert_allclose(simulator.q[2], one.q, rtol=0, atol=1e-12)
    simulator.set_state(q=q, u=0 * u)
    simulator.step(0.01)
    assert not simulator.failed.any()


def with_event() -> sestina.System:
    system = rail()
    system.add_event("there", "slide.q - 1.5", "rising", terminal=True)
    return system


def with_python_force() -> sestina.System:
    system = rail()
    system.add_force("spring", sestina.PythonForce(lambda t, q, u: -q))
    return system


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda s: sestina.BatchSimulator(with_event(), 2), "the model has events; take a Simulator for each"),
        (lambda s: sestina.BatchSimulator(with_python_force(), 2), "the model has user forces"),
        (lambda s: sestina.BatchSimulator(arm(), 2, integrator="verlet"), "the rule verlet is not an explicit Runge-Kutta rule"),
        (lambda s: sestina.BatchSimulator(arm(), 0), "count: 0 is not a whole number from 1"),
        (lambda s: sestina.BatchSimulator(arm(), 2, substeps=0), "substeps: 0 is not"),
        (lambda s: sestina.BatchSimulator(3, 2), "model is of type int; allowed is a Model or a System"),
        (lambda s: s.step(1e-3, [1, 2]), r"tau has the shape \(2,\); allowed is \(7, 3\) or \(3,\)"),
        (lambda s: s.step(1e-3, [1, math.nan, 3]), r"tau\[1\] is nan; allowed is a finite number"),
        (lambda s: s.step(0.0), "dt is 0 s; allowed is a positive number"),
        (lambda s: s.step(math.inf), "dt is inf s"),
        (lambda s: s.reset(q=[1, 2]), r"q has the shape \(2,\)"),
        (lambda s: s.reset(t=math.nan), "t is nan s"),
        (lambda s: s.set_state(u=["a", 2, 3]), "u: no array of floating-point numbers"),
        (lambda s: s.set_controller(3, 0.1), "controller: 3 cannot be called"),
        (lambda s: s.set_controller(min, 0), "period: 0 s is not a period"),
        (lambda s: s.set_controller(min, 1, delay_samples=0.5), "delay_samples: 0.5 is not a whole number"),
        (lambda s: s.restore(sestina.BatchSimulator(arm(), 2).save()), "another model or to another number of members"),
    ],
)
def test_refuses_by_name(call, message: str) -> None:
    simulator = sestina.BatchSimulator(arm(), COUNT)
    with pytest.raises(sestina.InputError, match=message):
        call(simulator)
    assert simulator.t == 0
    simulator.step(1e-3)


@pytest.mark.parametrize(
    ("law", "error", "message"),
    [
        (lambda t, q, u: None, sestina.InputError, r"returned None; allowed are generalised forces \(7, 3\)"),
        (lambda t, q, u: q[0], sestina.InputError, r"the controller's tau has the shape \(3,\); allowed is \(7, 3\)"),
        (lambda t, q, u: q * math.nan, sestina.InputError, r"the controller's tau\[0, 0\] is nan"),
        (lambda t, q, u: 1 / 0, ZeroDivisionError, "division"),
    ],
)
def test_faults_of_a_controller_reach_the_caller(law, error, message: str) -> None:
    simulator = sestina.BatchSimulator(arm(), COUNT)
    simulator.set_controller(law, 0.01)
    with pytest.raises(error, match=message):
        simulator.step(0.1)
    simulator.set_controller(lambda t, q, u: simulator.step(1e-3)[0], 0.01)
    with pytest.raises(sestina.InputError, match="in the middle of a step"):
        simulator.step(0.1)
    simulator.remove_controller()
    simulator.step(0.1)
