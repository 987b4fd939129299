"""States with a rate."""

from __future__ import annotations

import copy

import numpy as np
import pytest
import sestina


def controlled() -> sestina.System:
    """A mass that a PI controller holds at 1 m: the integral of the error is a state."""
    system = sestina.System("PI")
    system.parameters["p"] = 40.0
    cart = system.add_particle("cart", 1.0)
    system.add_joint("rail", "prismatic", "ground.origin", cart["origin"], axis=(1, 0, 0))
    system.add_state("error", "1 - rail.q", unit="m s")
    system.add_joint_force("control", "rail", "p*(1 - rail.q) + 30*error - 10*rail.u")
    return system


@pytest.mark.parametrize("integrator", ["dormand_prince_54", "radau_iia", "cvode_bdf"])
def test_a_controller_has_memory(integrator):
    if integrator not in sestina.integrator_names():
        pytest.skip("no such rule")
    result = sestina.simulate(controlled(), duration=12.0, every=0.5, integrator=integrator, rtol=1e-8, atol=1e-10)
    assert result["rail.q"][-1] == pytest.approx(1.0, abs=2e-4) and result.unit("error") == "m s"
    # x''' + 10 x'' + 40 x' + 30 x = 30, linear: by the eigenvalues of its matrix.
    A = np.array([[0.0, 1, 0], [-40, -10, 30], [-1, 0, 0]])
    b = np.array([0.0, 40, 1])
    values, vectors = np.linalg.eig(A)
    rest = np.linalg.solve(A, -b)
    for t, q, error in zip(result["t"], result["rail.q"], result["error"], strict=True):
        now = rest + (vectors @ (np.exp(values * t) * np.linalg.solve(vectors, -rest))).real
        assert (q, error) == (pytest.approx(now[0], abs=1e-6), pytest.approx(now[2], abs=1e-6))


def test_its_description_is_a_part_like_others():
    system = controlled()
    state = system.state("error")
    assert isinstance(state, sestina.StateVariable) and state.rate == "1 - rail.q" and state.unit == "m s"
    state.start = "-2*p"
    with pytest.raises(AttributeError, match="start"):
        state.begin = 3
    other = copy.copy(state)
    other.name = "second"
    system.states.append(other)
    assert [one.name for one in system.states] == ["error", "second"]
    model = system.freeze()
    assert model.states == ("error", "second") and model.nx == 2
    assert sestina.simulate(system, duration=0.0)["second"][0] == -80.0
    system.states.append(sestina.StateVariable("third", "second", start=1, unit="m s^2"))
    assert sestina.loads(system.to_yaml()).state("third").unit == "m s^2"
    with pytest.raises(sestina.InputError, match=r"states\[0\]\.rate"):
        state.rate = "nothing"
        system.freeze()


def test_what_takes_no_states_names_one():
    system = controlled()
    for refused in (
        lambda: sestina.simulate(system, solver="compiled"),
        lambda: sestina.derive(system),
    ):
        with pytest.raises(sestina.InputError, match="error"):
            refused()


def test_linearisation_has_them():
    model = controlled().freeze()
    motion = model.linearize([0.2], [0.3], x=[0.4], inputs=["p"], outputs=["rail.q", "error"])
    assert motion.A == pytest.approx(np.array([[0.0, 1, 0], [-40, -10, 30], [-1, 0, 0]]))
    assert motion.B[:, 0] == pytest.approx([0, 0.8, 0]) and motion.C == pytest.approx(np.array([[1.0, 0, 0], [0, 0, 1]]))
    f = np.array([0.5, 2.0])
    response = model.frequency_response("p", f, [0.2], [0.0])[:, 0]
    by_hand = [np.linalg.solve(2j * np.pi * one * np.eye(3) - motion.A, motion.B[:, 0])[0] for one in f]
    assert response == pytest.approx(np.array(by_hand), rel=1e-12)
    values = model.modes().eigenvalues
    expected = np.roots([1, 10, 40, 30])
    assert sorted(values.real) == pytest.approx(sorted(expected[expected.imag >= 0].real))


def test_rest_is_where_their_rates_are_zero():
    system = controlled()
    system.parameters["load"] = 20.0
    system.add_joint_force("weight", "rail", "-load")
    rest = system.freeze().find_equilibrium()
    assert rest.q == pytest.approx([1.0], abs=1e-12) and rest.x == pytest.approx([20 / 30]) and rest.is_stable
    system.parameters["p"] = 2.0  # the roots of s^3 + 10 s^2 + 2 s + 30 grow
    assert not system.freeze().find_equilibrium(x=[3.0]).is_stable
    system.parameters["p"] = 40.0
    system.analysis.type = "frequency_response"
    system.analysis.input = "load"
    system.analysis.frequencies = {"from_": 0.7, "to": 0.7, "points": 1}
    result = sestina.simulate(system)
    by_hand = system.freeze().frequency_response("load", [0.7], rest.q, x=rest.x)[0, 0]
    assert result["rail.q.magnitude"][0] == pytest.approx(abs(by_hand), rel=1e-8)


def test_modes_show_them():
    system = sestina.System("lag")
    cart = system.add_particle("cart", 1.0)
    system.add_joint("rail", "prismatic", "ground.origin", cart["origin"], axis=(1, 0, 0))
    system.add_joint_force("spring", "rail", "-9*rail.q")
    system.add_state("lag", "(rail.q - lag)*2", unit="m")
    system.add_state("p", "-p/4", unit="Pa")
    modes = system.freeze().modes()
    assert modes.eigenvalues == pytest.approx([-0.25, -2, 3j]) and modes.shapes[:, 0] == pytest.approx([0, 0, 1])
    assert modes.states == pytest.approx(np.array([[0, 1], [1, 0], [2 / (2 + 3j), 0]]))
    system.analysis.type = "modes"
    result = sestina.simulate(system)
    assert result["p.shape.real"] == pytest.approx([1, 0, 0]) and result.unit("p.shape.imag") == "Pa"
    assert result["lag.shape.imag"] == pytest.approx([0, 0, (2 / (2 + 3j)).imag])


def test_a_simulator_steps_them():
    simulator = sestina.Simulator(controlled().freeze())
    reference = sestina.simulate(controlled(), duration=0.1, every=0.1, rtol=1e-10, atol=1e-12)
    for _ in range(100):
        simulator.step(1e-3)
    assert simulator.q[0] == pytest.approx(reference["rail.q"][-1], rel=1e-7)
    assert simulator.x[0] == pytest.approx(reference["error"][-1], rel=1e-7)
    saved, there = simulator.save(), simulator.x[0]
    simulator.reset(x=[0.7])
    assert simulator.x[0] == 0.7 and simulator.q[0] == 0
    simulator.restore(saved)
    assert simulator.x[0] == there
    with pytest.raises(sestina.InputError, match="error"):
        controlled().freeze().step([0.0], [0.0], None, 1e-3)
    with pytest.raises(sestina.InputError, match="error"):
        sestina.BatchSimulator(controlled().freeze(), 4)


def test_compare_says_what_takes_none():
    comparison = controlled().freeze().compare()
    assert comparison["agrees"]
    told = {one["name"]: one for one in comparison["formulations"]}
    assert "error" in told["compiled"]["refusal"] and np.isnan(told["compiled"]["residual"])
    assert told["kane"]["refusal"] == "" and told["kane"]["residual"] < 1e-12


def test_kernels_use_the_states_at_the_start():
    system = controlled()
    system.state("error").start = 0.5
    model = system.freeze()
    assert model.forward_dynamics([0.0], [0.0])[0] == pytest.approx(40 + 15)
    many = model.forward_dynamics(np.zeros((20, 1)), np.zeros((20, 1)))
    assert many == pytest.approx(np.full((20, 1), 55.0))


def test_ensembles_run_them_one_by_one():
    result = sestina.run_ensemble(controlled(), parameters={"p": [30.0, 40.0]}, duration=0.2)
    one = sestina.simulate(controlled(), duration=0.2)
    assert result.q[1, 0] == pytest.approx(one["rail.q"][-1], rel=1e-9)


def test_functions_of_a_state_take_them():
    system = controlled()
    system.state("error").start = "p/100"
    model = system.freeze()
    q, u, x = np.array([[0.2], [0.5]]), np.array([[0.3], [-1.0]]), np.array([[0.4], [2.0]])
    force = 40 * (1 - q) + 30 * x - 10 * u
    assert model.forward_dynamics(q, u, x=x) == pytest.approx(force)
    assert model.forward_dynamics(q, u, x=x, solver="kane") == pytest.approx(force)
    assert model.forward_dynamics(q[0], u[0], x=x[0]) == pytest.approx(force[0])
    assert model.inverse_dynamics(q, u, [[0.0]], x=x) == pytest.approx(-force)
    assert model.x_dot(q, u, x) == pytest.approx(1 - q)
    assert model.forward_dynamics_by_parameters(q, u, x=x)[:, 0] == pytest.approx(1 - q)
    # The initial ones unless given, whatever was computed before, with the parameters of this model.
    other = model.with_parameters(p=50.0)
    assert model.x0 == pytest.approx([0.4]) and other.x0 == pytest.approx([0.5])
    assert model.forward_dynamics([1.0], [0.0]) == pytest.approx([12.0])
    assert other.forward_dynamics([1.0], [0.0]) == pytest.approx([15.0])
    with pytest.raises(sestina.InputError, match=r"x has the shape \(3,\)"):
        model.forward_dynamics([1.0], [0.0], x=[1, 2, 3])


def test_runs_begin_at_them():
    model = controlled().freeze()
    half = sestina.simulate(model, duration=1.0, rtol=1e-10, atol=1e-12)
    rest = sestina.simulate(model, duration=1.0, rtol=1e-10, atol=1e-12, q=half.q[-1], u=half.u[-1], x=half.x[-1])
    whole = sestina.simulate(model, duration=2.0, rtol=1e-10, atol=1e-12)
    assert rest.x.shape == (101, 1) and rest.x[0] == pytest.approx(half["error"][-1:])
    assert rest.x[-1] == pytest.approx(whole.x[-1], abs=1e-9) and rest.q[-1] == pytest.approx(whole.q[-1], abs=1e-9)
    simulator = sestina.Simulator(model)
    simulator.set_state(x=[3.0])
    assert simulator.x == pytest.approx([3.0]) and simulator.q == pytest.approx([0.0])
    with pytest.raises(sestina.InputError, match=r"x has the shape \(2,\)"):
        sestina.simulate(model, duration=1.0, x=[1.0, 2.0])


def test_a_hydraulic_chamber_that_is_empty_ends_the_run() -> None:
    system = sestina.loads("""sestina: 1
bodies: [{name: p, type: particle, mass: 10}]
joints: [{name: x, type: prismatic, parent: ground.origin, child: p.origin, axis: [1, 0, 0], q: 0.3}]
forces:
  - {name: h, type: hydraulic_actuator, from: ground.origin, to: p.origin, value: 0, head_area: 1e-3, rod_area: 5e-4,
     retracted_length: 0.5, stroke: 0.3, head_volume: 2e-5, rod_volume: 2e-5, bulk_modulus: 1e6}
analysis: {duration: 0.2, integrator: radau_iia}
""")
    with pytest.raises(sestina.ComputationError, match="h.p1"):
        sestina.simulate(system)
