"""Steps from outside: Simulator, and Model.step."""

from __future__ import annotations

import gc
import math
import pathlib
import weakref

import numpy as np
import pytest
import sestina

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"


def arm(joints: int = 3) -> sestina.System:
    system = sestina.System("arm", gravity=(0, 0, -9.81))
    last = system.ground["origin"]
    for i in range(joints):
        link = system.add_rigid_body(
            f"link{i}",
            2.0,
            center_of_mass=(0.01, 0.02, 0.15),
            inertia={"xx": 0.02, "yy": 0.02, "zz": 0.005},
            points={"tip": (0, 0, 0.3)},
        )
        axis = (0, 0, 1) if i % 2 == 0 else (0, 1, 0)
        system.add_joint(f"joint{i}", "revolute", last, link["origin"], axis=axis, q=0.3)
        last = link["tip"]
    return system


def rail(q: float = 1.0) -> sestina.System:
    system = sestina.System("rail")
    mass = system.add_particle("mass", 1.0)
    system.add_joint("slide", "prismatic", system.ground["origin"], mass["origin"], axis=(1, 0, 0), q=q)
    return system


@pytest.mark.parametrize("integrator", ["rk4", "dormand_prince_54", "velocity_verlet"])
def test_steps_are_those_of_simulate(integrator: str) -> None:
    system = arm()
    run = sestina.simulate(system, duration=0.1, dt=1e-3, integrator=integrator)
    simulator = sestina.Simulator(system, integrator=integrator)
    for _ in range(100):
        q, u = simulator.step(1e-3)
    t, q_run, u_run, _ = run.report.final_state
    assert simulator.t == t == 0.1
    np.testing.assert_allclose(q, q_run, rtol=0, atol=1e-13)
    np.testing.assert_allclose(u, u_run, rtol=0, atol=1e-12)
    assert np.abs(q - 0.3).max() > 1e-2
    whole = sestina.Simulator(system, integrator=integrator, substeps=100)
    np.testing.assert_allclose(whole.step(0.1)[0], q_run, rtol=0, atol=1e-13)


# The rule restarts in each step, which does not reduce its order.
def test_generalized_alpha_keeps_its_order() -> None:
    system = rail()
    system.add_joint_force("spring", "slide", "-slide.q")

    def error(h: float) -> float:
        simulator = sestina.Simulator(system, integrator={"name": "generalized_alpha", "spectral_radius": 0.5})
        for _ in range(round(10 / h)):
            simulator.step(h)
        return math.hypot(simulator.q[0] - math.cos(10), simulator.u[0] + math.sin(10))

    assert error(0.05) / error(0.025) == pytest.approx(4, rel=0.1)


def test_rules_have_options_wherever_they_are_named() -> None:
    system = rail()
    system.add_joint_force("spring", "slide", "-9*slide.q")
    soft = {"name": "generalized_alpha", "spectral_radius": 0.2}
    runs = [sestina.simulate(system, duration=1, dt=0.05, integrator=rule) for rule in (soft, "generalized_alpha")]
    assert runs[0]["energy.kinetic"][-1] != runs[1]["energy.kinetic"][-1]
    model = system.freeze()
    q, u = model.step([1.0], [0.0], None, 0.05, integrator=soft)
    simulator = sestina.Simulator(model, integrator=soft)
    assert simulator.step(0.05)[0] == q and q != model.step([1.0], [0.0], None, 0.05, integrator="generalized_alpha")[0]
    with pytest.raises(sestina.InputError, match="spectral_radius"):
        sestina.Simulator(model, integrator={"name": "generalized_alpha", "spectral_radius": 2})
    with pytest.raises(sestina.InputError, match="stages"):
        sestina.Simulator(model, integrator={"name": "rk4", "stages": 2})
    # Another rule does not inherit options.
    system.analysis.integrator = soft
    assert len(sestina.simulate(system, duration=0.1, integrator="rk4", dt=0.01)) > 0


def test_tolerances_choose_the_steps() -> None:
    system = arm()
    run = sestina.simulate(system, duration=0.5, rtol=1e-11, atol=1e-12)
    simulator = sestina.Simulator(system.freeze(), integrator="dormand_prince_54", rtol=1e-9, atol=1e-10)
    for _ in range(5):
        simulator.step(0.1)
    np.testing.assert_allclose(simulator.q, run.report.final_state[1], rtol=0, atol=1e-7)
    assert 5 < simulator.steps.steps < 500


def test_tau_is_held_until_another_is_given() -> None:
    simulator = sestina.Simulator(rail(0.0))
    simulator.step(0.1, [2.0])
    simulator.step(0.1)
    q, u = simulator.step(0.1, np.array([-1.0]))
    assert u[0] == pytest.approx(0.3, abs=1e-15)
    assert q[0] == pytest.approx(0.04 + 0.04 - 0.005, abs=1e-15)
    assert simulator.supplied == pytest.approx(0.5 * 0.3**2, abs=1e-15)
    np.testing.assert_array_equal(simulator.tau, [-1.0])


def test_a_push_changes_the_speeds_by_an_impulse() -> None:
    simulator = sestina.Simulator(rail(0.0))
    simulator.step(0.1, [2.0])
    mass = 2.0 / (simulator.u[0] / 0.1)
    work = simulator.push([0.6])
    assert simulator.u[0] == pytest.approx((0.2 + 0.6) / mass, abs=1e-15)
    assert work == pytest.approx(0.6 * (0.2 + 0.8) / 2 / mass, abs=1e-15)
    assert simulator.supplied == pytest.approx(0.5 * mass * simulator.u[0] ** 2, abs=1e-15)
    with pytest.raises(sestina.InputError, match="impulse"):
        simulator.push([1.0, 2.0])


def test_out_takes_the_state() -> None:
    simulator = sestina.Simulator(arm())
    out = np.empty(3), np.zeros((3, 2))[:, 0]
    q, u = simulator.step(1e-2, out=out)
    assert q is out[0]
    assert u is out[1]
    np.testing.assert_array_equal(q, simulator.q)
    np.testing.assert_array_equal(u, simulator.u)


@pytest.mark.parametrize("delay", [0, 1, 3])
def test_sampled_pd_is_the_discrete_loop(delay: int) -> None:
    """By numpy: a mass of 1 kg under a force that is held for T has the exact map of half a T^2 and T."""
    T, kp, kd = 0.01, 40.0, 4.0
    simulator = sestina.Simulator(rail())
    simulator.set_controller(lambda t, q, u: -kp * q - kd * u, T, delay_samples=delay)
    x, forces = np.array([1.0, 0.0]), []
    A, b = np.array([[1, T], [0, 1]]), np.array([0.5 * T * T, T])
    for _ in range(100):
        forces.append(-kp * x[0] - kd * x[1])
        x = A @ x + b * (forces[-1 - delay] if len(forces) > delay else 0.0)
    for _ in range(250):
        simulator.step(0.004)
    np.testing.assert_allclose([simulator.q[0], simulator.u[0]], x, rtol=0, atol=1e-12)
    assert abs(x[0] - 1) > 0.1


def test_samples_hold_between_steps_of_any_length() -> None:
    """An arm under a controller with memory, against numpy's own Runge-Kutta on forward_dynamics."""
    model = arm().freeze()
    T, h = 0.01, 0.0025

    def law(t: float, q: np.ndarray, u: np.ndarray, memory: np.ndarray) -> np.ndarray:
        memory += T * (0.5 - q)
        return 3 * (0.5 - q) - 0.2 * u + memory

    simulator = sestina.Simulator(model, substeps=4)
    simulator.set_controller(law, T, memory=np.zeros(3))
    q, u, memory = model.q0, model.u0, np.zeros(3)
    for _ in range(50):
        tau = law(0.0, q, u, memory)

        def f(q: np.ndarray, u: np.ndarray, tau: np.ndarray = tau) -> tuple[np.ndarray, np.ndarray]:
            return u, model.forward_dynamics(q, u, tau)

        for _ in range(4):
            a = f(q, u)
            b = f(q + h / 2 * a[0], u + h / 2 * a[1])
            c = f(q + h / 2 * b[0], u + h / 2 * b[1])
            d = f(q + h * c[0], u + h * c[1])
            q = q + h / 6 * (a[0] + 2 * b[0] + 2 * c[0] + d[0])
            u = u + h / 6 * (a[1] + 2 * b[1] + 2 * c[1] + d[1])
        simulator.step(T)
    np.testing.assert_allclose(simulator.q, q, rtol=0, atol=1e-11)
    np.testing.assert_allclose(simulator.u, u, rtol=0, atol=1e-10)
    np.testing.assert_allclose(simulator.memory, memory, rtol=0, atol=1e-12)


def test_a_snapshot_goes_on_bit_for_bit() -> None:
    def law(t: float, q: np.ndarray, u: np.ndarray, memory: np.ndarray) -> np.ndarray:
        memory += u
        return -u - 0.1 * memory

    def make() -> sestina.Simulator:
        simulator = sestina.Simulator(arm())
        simulator.set_controller(law, 0.003, delay=0.0045, memory=[0.1, 0.2, 0.3])
        return simulator

    one, other = make(), make()
    for _ in range(30):
        one.step(1e-3, [0.1, 0.2, 0.3])
    saved = one.save()
    ends = []
    for simulator in (one, other, one):
        simulator.restore(saved)
        assert simulator.t == saved.t
        np.testing.assert_array_equal(simulator.q, saved.q)
        for _ in range(40):
            simulator.step(1e-3)
        ends.append(np.concatenate([simulator.q, simulator.u, simulator.memory, simulator.tau]))
    np.testing.assert_array_equal(ends[0], ends[1])
    np.testing.assert_array_equal(ends[0], ends[2])
    assert np.abs(ends[0][:3] - saved.q).max() > 1e-3


def test_reset_begins_anew() -> None:
    simulator = sestina.Simulator(arm())
    first = simulator.step(1e-2, [1, 2, 3])
    simulator.reset()
    assert simulator.t == 0
    np.testing.assert_array_equal(simulator.tau, np.zeros(3))
    np.testing.assert_array_equal(simulator.step(1e-2, [1, 2, 3]), first)
    simulator.reset(q=[0.1, 0.2, 0.3], t=5)
    np.testing.assert_array_equal(simulator.q, [0.1, 0.2, 0.3])
    simulator.set_state(u=[1, 0, 0])
    assert simulator.t == 5
    np.testing.assert_array_equal(simulator.q, [0.1, 0.2, 0.3])
    np.testing.assert_array_equal(simulator.u, [1, 0, 0])


def test_events_take_place_in_steps() -> None:
    system = sestina.load(EXAMPLES / "12_bouncing_pendulum.yaml")
    run = sestina.simulate(system, duration=2.0, dt=1e-3, integrator="rk4")
    simulator = sestina.Simulator(system)
    for _ in range(2000):
        simulator.step(1e-3)
    assert simulator.event_counts == run.report.event_counts
    assert sum(simulator.event_counts) > 0
    np.testing.assert_allclose(simulator.q, run.report.final_state[1], rtol=0, atol=1e-9)
    model = system.freeze()
    with pytest.raises(sestina.InputError, match="the model has events .*take a Simulator"):
        model.step(model.q0, model.u0, None, 1e-3)


def test_a_terminal_event_ends_the_motion() -> None:
    system = rail(0.0)
    system.add_event("there", "slide.q - 1.5", "rising", terminal=True)
    simulator = sestina.Simulator(system)
    simulator.step(1.0, [2.0])
    assert simulator.t == pytest.approx(1.0)
    simulator.step(0.5)
    assert simulator.ended_by == "there"
    with pytest.raises(sestina.InputError, match="event there has ended the motion at 1.2"):
        simulator.step(0.1)
    simulator.reset()
    simulator.step(0.1)


def test_model_step_is_that_of_a_simulator() -> None:
    model = arm().freeze()
    rng = np.random.default_rng(1)
    q, u, tau = rng.standard_normal((3, 5, 2, 3))
    q_next, u_next = model.step(q, u, tau, 1e-2, substeps=2)
    assert q_next.shape == (5, 2, 3)
    simulator = sestina.Simulator(model, substeps=2)
    for k in np.ndindex(5, 2):
        simulator.reset(q[k], u[k])
        one = simulator.step(1e-2, tau[k])
        np.testing.assert_allclose(q_next[k], one[0], rtol=0, atol=1e-13)
        np.testing.assert_allclose(u_next[k], one[1], rtol=0, atol=1e-11)
    out = np.empty((5, 2, 3)), np.empty((5, 2, 3))
    assert model.step(q, u, tau, 1e-2, substeps=2, out=out)[0] is out[0]
    np.testing.assert_array_equal(out[0], q_next)
    single = model.step(q[0, 0], u[0, 0], None, 1e-2)
    assert single[0].shape == (3,)
    pushed = model.step(q, u[0, 0], tau[0, 0], 1e-2)[1]
    assert pushed.shape == (5, 2, 3)


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_model_step_does_not_depend_on_threads(threads: int) -> None:
    model = arm(7).freeze()
    q, u, tau = np.random.default_rng(2).standard_normal((3, 500, 7))
    before = sestina.threads()
    try:
        sestina.set_threads(1)
        expected = model.step(q, u, tau, 1e-3)
        sestina.set_threads(threads)
        np.testing.assert_array_equal(model.step(q, u, tau, 1e-3), expected)
    finally:
        sestina.set_threads(before)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda s, m: s.step(1e-3, [1, 2]), r"tau has the shape \(2,\); allowed is \(3,\)"),
        (lambda s, m: s.step(1e-3, [[1, 2, 3]]), r"tau has the shape \(1, 3\); allowed is \(3,\)"),
        (lambda s, m: s.step(1e-3, [1, math.nan, 3]), r"tau\[1\] is nan; allowed is a finite number"),
        (lambda s, m: s.step(0.0), "dt is 0 s; allowed is a positive number"),
        (lambda s, m: s.step(math.inf), "dt is inf s; allowed is a positive number"),
        (lambda s, m: s.step(1e-3, out=np.empty(3)), "out: allowed is a tuple of 2 arrays"),
        (lambda s, m: s.step(1e-3, out=(np.empty(3), np.empty(2))), r"out\[1\] has the shape \(2,\)"),
        (lambda s, m: s.reset(q=[1, 2]), r"q has the shape \(2,\); allowed is \(3,\)"),
        (lambda s, m: s.reset(u=[1, 2, math.inf]), r"u\[2\] is inf; allowed is a finite number"),
        (lambda s, m: s.set_state(q=["a", 2, 3]), "q: no array of floating-point numbers"),
        (lambda s, m: s.set_controller(3, 0.1), "controller: 3 cannot be called"),
        (lambda s, m: s.set_controller(min, -1), "period: -1 s is not a period: allowed is a positive number"),
        (lambda s, m: s.set_controller(min, 1, delay_samples=-2), "delay_samples: -2 is negative"),
        (lambda s, m: sestina.Simulator(m, integrator="rk5"), "unknown integration rule 'rk5'"),
        (lambda s, m: sestina.Simulator(m, solver="kan"), r"there is no 'kan' \(did you mean 'kane'\?\)"),
        (lambda s, m: sestina.Simulator(m, substeps=0), "substeps: 0 is not a number of steps"),
        (lambda s, m: sestina.Simulator(m, integrator="rk4", rtol=1e-6), "the rule rk4 does not estimate its error"),
        (lambda s, m: sestina.Simulator(3), "model is of type int; allowed is a Model or a System"),
        (lambda s, m: m.step(m.q0, m.u0, [1, 2], 0.1), r"tau has the shape \(2,\)"),
        (lambda s, m: m.step(m.q0, m.u0, None, -1), "dt is -1 s"),
        (
            lambda s, m: m.step([m.q0, [math.nan, 0, 0]], m.u0, None, 0.1),
            r"state \[1\]: q\[0\] is nan; allowed is a finite number",
        ),
    ],
)
def test_refuses_by_name(call, message: str) -> None:
    simulator = sestina.Simulator(arm())
    with pytest.raises(sestina.InputError, match=message):
        call(simulator, simulator.model)
    assert simulator.t == 0  # nothing has moved
    simulator.step(1e-3)


def test_what_a_controller_raises_reaches_the_caller() -> None:
    class Broken(Exception):
        pass

    def law(t: float, q: np.ndarray, u: np.ndarray) -> list[float]:
        if t > 0.015:
            raise Broken("here")
        return [0.0, 0.0, 0.0]

    simulator = sestina.Simulator(arm())
    simulator.set_controller(law, 0.01)
    with pytest.raises(Broken, match="here"):
        simulator.step(0.1)
    assert simulator.t == pytest.approx(0.02)
    simulator.set_controller(lambda t, q, u: None, 0.01)
    with pytest.raises(sestina.InputError, match="None; allowed are generalised forces"):
        simulator.step(0.1)
    simulator.set_controller(lambda t, q, u: [math.nan] * 3, 0.01)
    with pytest.raises(sestina.ComputationError, match=r"tau\[0\] of the controller is nan"):
        simulator.step(0.1)
    simulator.set_controller(lambda t, q, u: [simulator.step(1e-3)], 0.01)
    with pytest.raises(sestina.InputError, match="in the middle of a step"):
        simulator.step(0.1)
    simulator.remove_controller()
    simulator.step(0.1)


def test_forces_of_python_are_asked() -> None:
    system = rail(0.0)
    system.add_force("spring", sestina.PythonForce(lambda t, q, u: -q))
    simulator = sestina.Simulator(system, substeps=10)
    simulator.reset(q=[1.0])
    for _ in range(10):
        simulator.step(0.1)
    assert simulator.q[0] == pytest.approx(math.cos(1.0), abs=1e-8)


def test_a_controller_that_knows_its_simulator_is_collected() -> None:
    simulator = sestina.Simulator(arm())

    class Law:
        def __init__(self, simulator: sestina.Simulator) -> None:
            self.simulator = simulator

        def __call__(self, t: float, q: np.ndarray, u: np.ndarray) -> np.ndarray:
            return -self.simulator.u

    law = Law(simulator)
    simulator.set_controller(law, 0.01)
    simulator.step(0.02)
    gone = weakref.ref(law)
    del simulator, law
    gc.collect()
    assert gone() is None
