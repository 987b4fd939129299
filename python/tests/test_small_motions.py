"""States of rest, linearisation and modes, and runs of other analyses than dynamics."""

import numpy as np
import pytest

import sestina


def parallelogram() -> sestina.System:
    """Two hanging cranks of 0.6 m and a bar between them; its loop has redundant conditions."""
    system = sestina.System(gravity=(0, -9.81, 0))
    right = system.ground.add_point("right", (1.1, 0, 0))
    inertia = {"xx": 0.024, "zz": 0.024}
    for name in ("left", "other"):
        crank = system.add_rigid_body(name, 0.8, center_of_mass=(0, -0.3, 0), inertia=inertia)
        crank.add_point("tip", (0, -0.6, 0))
    bar = system.add_rigid_body("bar", 2.0, center_of_mass=(0.55, 0, 0), inertia={"yy": 0.2, "zz": 0.2})
    bar.add_point("end", (1.1, 0, 0))
    left, other = system.body("left"), system.body("other")
    axis = (0, 0, 1)
    system.add_joint("j1", "revolute", system.ground["origin"], left["origin"], axis=axis, q=0.3)
    system.add_joint("j2", "revolute", left["tip"], bar["origin"], axis=axis, q=-0.3)
    system.add_joint("j3", "revolute", right, other["origin"], axis=axis, q=0.3)
    system.add_joint("pin", "revolute", other["tip"], bar["end"], axis=axis)
    return system


OMEGA = np.sqrt(9.81 * 2.8 / (0.6 * (2 * 0.8 / 3 + 2.0)))


def test_rest_and_modes_of_a_loop() -> None:
    model = parallelogram().freeze()
    rest = model.find_equilibrium()
    assert np.allclose(rest.q, 0, atol=1e-13) and rest.is_stable
    modes = model.modes(rest.q)
    assert modes.eigenvalues.shape == (1,) and modes.shapes.shape == (1, 3)
    assert modes.eigenvalues[0] == pytest.approx(1j * OMEGA, rel=1e-12)
    assert modes.frequencies == pytest.approx([OMEGA / (2 * np.pi)])
    assert modes.damping_ratios == pytest.approx([0.0])
    linear = model.linearize(rest.q)
    assert linear.basis.shape == (6, 2)
    assert np.allclose(np.sort(linear.eigenvalues.imag), [-OMEGA, OMEGA])


def test_linear_equations_of_a_tree_are_its_derivatives() -> None:
    system = sestina.System(gravity=(0, -9.81, 0))
    body = system.add_rigid_body("top", 2.0, center_of_mass=(0.1, 0, 0.3), inertia={"xx": 0.2, "yy": 0.2, "zz": 0.1})
    system.add_joint("ball", "spherical", system.ground["origin"], body["origin"])
    model = system.freeze()
    q, u = np.array([0.8, 0.6, 0, 0]), np.array([0.3, -0.2, 4.0])
    linear, by = model.linearize(q, u), model.forward_dynamics_derivatives(q, u)
    assert np.allclose(linear.A[3:, :3], by.by_q) and np.allclose(linear.A[3:, 3:], by.by_u)
    assert np.allclose(linear.B[3:], by.by_tau)


def test_analyses_are_runs_with_columns() -> None:
    system = parallelogram()
    system.analysis.type = "statics"
    system.analysis.load_steps = 4
    result = sestina.simulate(system)
    assert np.allclose(result["load"], [0.25, 0.5, 0.75, 1.0]) and np.allclose(result.q, 0, atol=1e-12)
    assert result.report.remarks == []
    system.analysis.type = "modes"
    modes = sestina.simulate(system)
    assert modes["eigenvalue.imag"] == pytest.approx([OMEGA])
    with pytest.raises(sestina.InputError, match="modes have no coordinates"):
        _ = modes.q


def test_figures_are_drawn_over_the_load(tmp_path) -> None:
    pytest.importorskip("matplotlib")
    system = parallelogram()
    system.analysis.type = "statics"
    system.analysis.load_steps = 4
    figure = sestina.simulate(system).plot("j1.q", path=tmp_path / "load.png")
    assert figure.axes[0].get_xlabel().startswith("load")


def test_what_is_refused() -> None:
    system = sestina.System(gravity=(0, -9.81, 0))
    body = system.add_rigid_body("ball", 1.0)
    system.add_joint("fall", "prismatic", system.ground["origin"], body["origin"], axis=(0, 1, 0))
    with pytest.raises(sestina.ComputationError, match="fall is left with 9.81 N"):
        system.freeze().find_equilibrium()
    with pytest.raises(sestina.InputError, match="q"):
        system.freeze().modes([1.0, 2.0])
    system.analysis.type = "modal"
    with pytest.raises(sestina.InputError, match="analysis.type"):
        sestina.simulate(system)


def oscillator() -> sestina.System:
    """A mass of 2 kg on a spring of 50 N/m and a damper of 0.8 N s/m, which a force F pulls."""
    system = sestina.System("oscillator")
    system.parameters["F"] = 0
    body = system.add_rigid_body("body", 2.0)
    system.add_joint("rail", "prismatic", system.ground["origin"], body["origin"], axis=(1, 0, 0))
    system.add_joint_spring("spring", "rail", 50)
    system.add_joint_damper("damper", "rail", 0.8)
    system.add_joint_force("push", "rail", "F")
    return system


def test_frequency_response_of_an_oscillator() -> None:
    system = oscillator()
    frequencies = np.array([0.1, 0.8, 3.0])
    w = 2 * np.pi * frequencies
    exact = 1 / (50 - 2 * w**2 + 0.8j * w)
    assert np.allclose(system.freeze().frequency_response("F", frequencies)[:, 0], exact, rtol=1e-12)
    system.analysis.type = "frequency_response"
    system.analysis.input = "F"
    system.analysis.frequencies = {"from_": 0.1, "to": 3, "points": 2}
    result = sestina.simulate(system)
    assert np.allclose(result["rail.q.magnitude"], abs(exact[[0, 2]]), rtol=1e-8)
    assert np.allclose(result["rail.q.phase"], np.angle(exact[[0, 2]]), rtol=1e-8)
    with pytest.raises(sestina.InputError, match="no free parameter 'G'"):
        system.freeze().frequency_response("G", frequencies)


def test_linear_system_has_inputs_and_outputs_by_name() -> None:
    linear = oscillator().freeze().linearize(inputs=["F"], outputs=["rail.q", "rail.u", "momentum.x"])
    assert np.allclose(linear.A, [[0, 1], [-25, -0.4]]) and np.allclose(linear.B, [[0], [0.5]])
    assert linear.C is not None and linear.D is not None
    assert np.allclose(linear.C, [[1, 0], [0, 1], [0, 2]], atol=1e-8) and np.allclose(linear.D, 0)
    with pytest.raises(sestina.InputError, match=r"no column 'rail.v' \(did you mean"):
        oscillator().freeze().linearize(outputs=["rail.v"])


def test_contacts_and_stops_are_refused_by_name() -> None:
    """Without the stop, or the floor, the rest would be at 0."""
    stop = parallelogram()
    stop.joint("j1").limits = {"lower": 0.1, "enforced": True}
    floor = parallelogram()
    floor.ground.shapes = [{"name": "floor", "type": "plane"}]
    floor.body("bar").shapes = [{"type": "sphere", "radius": 0.1}]
    floor.add_contact("lands", ["floor", "bar"])
    for system, name in ((stop, "j1"), (floor, "lands")):
        system.parameters["torque"] = 0.0
        model = system.freeze()
        for who, call in {
            "statics": model.find_equilibrium,
            "modes": model.modes,
            "linearize": model.linearize,
            "frequency_response": lambda model=model: model.frequency_response("torque", [1.0]),
            "derive": lambda system=system: sestina.derive(system),
        }.items():
            with pytest.raises(sestina.InputError, match=f"{who} does not handle contacts.*the model has {name}"):
                call()


def test_modes_of_a_body_that_turns_without_symmetry_hold_for_an_instant() -> None:
    system = sestina.System()
    system.add_rigid_body("b", 1.0, inertia={"xx": 1.0, "yy": 2.0, "zz": 2.5})
    system.add_joint("f", "spherical", "ground.origin", "b.origin", u=[0, 5, 0])
    system.analysis.type, system.analysis.about = "modes", "initial"
    report = sestina.simulate(system).report
    assert "coefficients of small motions change" in report.remarks[0]
    assert repr(report).endswith(f"; {report.remarks[0]}>")
    system.bodies[0].inertia = {"xx": 2.0, "yy": 1.0, "zz": 2.0}
    assert sestina.simulate(system).report.remarks == []
