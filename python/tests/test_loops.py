"""Closed loops and constraints from Python."""

from __future__ import annotations

import copy
import math

import numpy as np
import pytest

import sestina


def four_bar() -> sestina.System:
    a, b, c, d = 0.5, 2.0, 1.5, 2.0
    system = sestina.System("four-bar", gravity=(0, -9.81, 0))
    system.ground.add_point("right", (d, 0, 0))
    for name, length in (("crank", a), ("coupler", b), ("rocker", c)):
        system.add_rigid_body(
            name, length, center_of_mass=(length / 2, 0, 0),
            inertia={"yy": length**3 / 12, "zz": length**3 / 12}, points={"tip": (length, 0, 0)},
        )
    z = (0, 0, 1)
    system.add_joint("hip", "revolute", "ground.origin", "crank.origin", axis=z, q=1.0, u=12.0)
    system.add_joint("elbow", "revolute", "crank.tip", "coupler.origin", axis=z)
    system.add_joint("heel", "revolute", "ground.right", "rocker.origin", axis=z)
    system.add_joint("pin", "revolute", "rocker.tip", "coupler.tip", axis=z)
    return system


def test_reactions_of_joints_that_close_loops_come_last() -> None:
    model = four_bar().freeze()
    result = sestina.simulate(model, duration=0.5, every=0.1, reactions=True)
    reactions = model.reactions(result.q, result.u)
    names = [*model.joints, *model.cut_joints]
    assert reactions.shape == (len(result), len(names), 6) and len(model.cut_joints) == 1
    for k, name in enumerate(names):
        for i, column in enumerate(f"{name}.reaction.{part}.{axis}" for part in ("torque", "force") for axis in "xyz"):
            np.testing.assert_allclose(reactions[:, k, i], result[column], rtol=1e-9, atol=1e-9)


def test_four_bar_stays_closed_and_keeps_its_energy() -> None:
    result = sestina.simulate(four_bar(), duration=2, every=0.02)
    assert result["constraints.position_error"].max() < 1e-12
    kinetic = result["energy.kinetic"].max()
    assert np.ptp(result["energy.total"]) < 1e-6 * kinetic
    rocker = result["rocker.origin.x"] + 1.5 * np.cos(result["heel.q"])
    coupler = 0.5 * np.cos(result["hip.q"]) + 2.0 * np.cos(result["hip.q"] + result["elbow.q"])
    np.testing.assert_allclose(rocker, coupler, atol=1e-12)


def test_model_names_what_closes_loops_and_starts_assembled() -> None:
    model = four_bar().freeze()
    assert model.cut_joints == ["pin"]
    assert model.constraints == []
    q, u = model.q0, model.u0
    assert q[0] == 1.0 and u[0] == 12.0
    assert 0.5 * math.sin(q[0]) + 2.0 * math.sin(q[0] + q[1]) == pytest.approx(1.5 * math.sin(q[2]), abs=1e-12)


def test_accelerations_of_one_state_and_of_many_are_the_same() -> None:
    model = four_bar().freeze()
    q, u = model.q0, model.u0
    udot = model.forward_dynamics(q, u)
    for solver in ("kane", "divide_and_conquer", "hybrid"):
        np.testing.assert_allclose(model.forward_dynamics(q, u, solver=solver), udot, rtol=1e-10)
    many = model.forward_dynamics(np.tile(q, (5, 1)), np.tile(u, (5, 1)))
    np.testing.assert_array_equal(many, np.tile(udot, (5, 1)))
    with pytest.raises(sestina.InputError, match="inverse dynamics does not support closed loops.*pin"):
        model.inverse_dynamics(q, u, udot)


def test_driving_forces_undo_forward_dynamics() -> None:
    model = four_bar().freeze()
    q, u = np.tile(model.q0, (5, 1)), np.tile(model.u0, (5, 1))
    torque = np.linspace(-20, 20, 5)
    udot = model.forward_dynamics(q, u, np.column_stack([torque, 0 * torque, 0 * torque]))
    found = model.driving_forces(q, u, udot, ["hip"])
    np.testing.assert_allclose(found.forces[:, 0], torque, atol=1e-10)
    np.testing.assert_array_equal(found.tau[:, 0], found.forces[:, 0])
    assert found.multipliers.shape == (5, len(model.condition_names)) == (5, 5)
    assert set(model.condition_names) == {"pin"}
    # The pin drives the same motion with the same power.
    at_pin = model.driving_forces(q, u, udot, ["pin"])
    np.testing.assert_allclose(model.forward_dynamics(q, u, at_pin.tau), udot, rtol=1e-10)
    np.testing.assert_allclose((at_pin.tau * u).sum(axis=1), torque * u[:, 0], atol=1e-9)
    bent = q.copy()
    bent[3, 1] += 0.1
    with pytest.raises(sestina.ComputationError, match=r"state \[3\]: the motion does not satisfy pin"):
        model.driving_forces(bent, u, udot, ["hip"])
    rows = model.driving_forces(bent, u, udot, ["hip"], check=False).forces[:, 0]
    assert np.isnan(rows).tolist() == [False, False, False, True, False]
    with pytest.raises(sestina.InputError, match="no joint and no speed is named 'hop'.*hip"):
        model.driving_forces(q, u, udot, ["hop"])


def test_constraints_are_parts_of_a_system() -> None:
    system = four_bar()
    motor = system.add_constraint("motor", "motion", joint="hip", value="1 + 12*t")
    assert repr(motor) == "<sestina.Constraint motor: motion>"
    assert system.constraint("motor").value == ["1 + 12*t"]
    with pytest.raises(sestina.InputError, match="no constraint named 'moter'.*motor"):
        system.constraint("moter")
    again = sestina.loads(system.to_yaml())
    assert again.constraints[0].joint == "hip"
    motor.value = "1 + 6*t"
    system.joint("hip").u = 6.0
    result = sestina.simulate(system, duration=1, every=0.1)
    np.testing.assert_allclose(result["hip.q"], 1 + 6 * result["t"], atol=1e-10)
    other = copy.copy(motor)
    other.name = "second"
    system.constraints.append(other)
    assert [one.name for one in system.constraints] == ["motor", "second"]
    system.constraints.remove(motor)
    assert [one.name for one in system.constraints] == ["second"]


def test_coupling_is_a_mapping() -> None:
    system = sestina.System()
    for name in ("a", "b"):
        system.add_rigid_body(name, 1, inertia={"xx": 1, "yy": 1, "zz": 1})
        system.add_joint(f"j{name}", "revolute", "ground.origin", f"{name}.origin", axis=(0, 0, 1))
    gears = system.add_constraint("gears", "coupling", coefficients={"ja.q": 2})
    gears.coefficients["jb.q"] = -1
    system.joint("ja").u = 1.0
    result = sestina.simulate(system, duration=1)
    assert result["jb.q"][-1] == pytest.approx(2.0, abs=1e-9)
    with pytest.raises(sestina.InputError, match="coefficients.jb.q"):
        gears.coefficients["jb.q"] = [1, 2]


def test_what_cannot_be_closed_is_told() -> None:
    system = four_bar()
    system.ground.add_point("right", (9, 0, 0))
    with pytest.raises(sestina.InputError, match="pin cannot be closed: .* m are left"):
        sestina.simulate(system, duration=1)


def test_ensemble_of_mechanisms_runs_one_by_one() -> None:
    system = four_bar()
    system.parameters["rate"] = 12.0
    system.joint("hip").u = "rate"
    result = sestina.run_ensemble(system, parameters={"rate": [6.0, 12.0]}, duration=0.5, record=["hip.q"])
    assert result["hip.q"].shape[0] == 2
    assert result["hip.q"][0, -1] < result["hip.q"][1, -1]


def test_equations_with_multipliers_or_of_independent_speeds() -> None:
    equations = sestina.derive(four_bar())
    assert "C^T lambda" in equations.to_text()
    embedded = equations.to_text(embedded=True)
    assert "dependent speeds" in embedded
    assert "lambda" not in embedded


def bead(function, count: int = 2) -> sestina.System:
    system = sestina.System("bead on a parabola", gravity=(0, -9.81, 0))
    system.add_particle("bead", mass=1)
    system.add_joint("place", "xyz", "ground.origin", "bead.origin", q=[1, 1, 0])
    system.add_constraint("wire", sestina.PythonConstraint(function, count))
    return system


def parabola(t, q, u):
    return {"error": [q[1] - q[0] ** 2, q[2]], "jacobian": [[-2 * q[0], 1, 0], [0, 0, 1]], "bias": [-2 * u[0] ** 2, 0]}


def test_python_constraint_is_the_expression_of_the_same_condition() -> None:
    expected = bead(parabola)
    expected.constraints = []
    expected.add_constraint("wire", "expression", zero="place.q[1] - place.q[0]^2")
    expected.add_constraint("pane", "expression", zero="place.q[2]")
    options = {"duration": 2, "every": 0.1, "rtol": 1e-10, "atol": 1e-12}
    reference = sestina.simulate(expected, **options)
    for function in (parabola, lambda t, q, u: {key: x for key, x in parabola(t, q, u).items() if key != "bias"}):
        result = sestina.simulate(bead(function), **options)
        # Without a bias it is found by differences, to about 1e-9.
        np.testing.assert_allclose(result["bead.origin.x"], reference["bead.origin.x"], atol=1e-7)
        assert result["constraints.position_error"].max() < 1e-12
    assert np.ptp(reference["bead.origin.x"]) > 1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"jacobian": [[-2, 1, 0], [0, 0, 2]]}, r"jacobian\[1\]\[2\], by place.u\[2\], is 2, but differences give 1"),
        ({"bias": [0, 0]}, r"bias\[0\] is 0, but differences give"),
        ({"time_rate": [0, 1]}, r"time_rate\[1\] is 1, but differences give 0"),
    ],
)
def test_wrong_derivatives_are_told(change, message) -> None:
    with pytest.raises(sestina.InputError, match=message):
        sestina.simulate(bead(lambda t, q, u: parabola(t, q, u) | change), duration=0.1)


def test_what_a_python_constraint_raises_ends_the_run() -> None:
    def fails(t, q, u):
        if t > 0.05:
            raise ValueError("enough")
        return parabola(t, q, u)

    with pytest.raises(ValueError, match="enough"):
        sestina.simulate(bead(fails), duration=1)


def test_a_curve_by_a_table_is_the_curve_by_expressions() -> None:
    s = np.linspace(0, 2 * np.pi, 65)
    results = []
    for keys in (
        {"position": ["cos(s)", "sin(s)", 0], "start": 0.3},
        {"table": {"s": s, "columns": {"x": np.cos(s), "y": np.append(np.sin(s)[:-1], 0), "z": 0 * s}}, "periodic": True, "start": 0.3},
    ):
        system = sestina.System("bead on a ring", gravity=(0, -9.81, 0))
        system.add_particle("bead", mass=1)
        system.add_joint("place", "xyz", "ground.origin", "bead.origin", q=[math.cos(0.3), math.sin(0.3), 0])
        system.add_constraint("ring", "point_on_curve", point="bead.origin", curve="ground.origin", **keys)
        results.append(sestina.simulate(system, duration=1, every=0.1))
    # Splines of step 0.1 are wrong by 0.1^4/384.
    np.testing.assert_allclose(results[0]["ring.s"], results[1]["ring.s"], atol=1e-5)
    assert np.ptp(results[0]["ring.s"]) > 1


def test_conditions_of_python_have_the_shapes_asked_for() -> None:
    def callback(t: float, q: np.ndarray, u: np.ndarray) -> dict[str, object]:
        return {"error": [q[0]], "jacobian": [[1.0, 0.0, 0.0]]}

    for count in (0, -1):
        with pytest.raises(sestina.InputError, match=f"count: {count} is not a number of conditions"):
            sestina.PythonConstraint(callback, count)
    system = sestina.System()
    body = system.add_particle("bob", 1)
    system.add_joint("slide", "prismatic", system.ground["origin"], body["origin"], axis=(1, 0, 0))
    system.add_constraint("wire", sestina.PythonConstraint(callback))
    with pytest.raises(sestina.InputError, match=r"jacobian has the shape \(1, 3\); allowed is \(1, 1\)"):
        sestina.simulate(system)


@pytest.mark.parametrize("step", [{"dt": 0.01}, {}])
def test_turns_of_cut_joints_are_counted_by_adams(step: dict[str, float]) -> None:
    system = sestina.loads("""sestina: 1
bodies: [{name: a, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}, {name: b, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}]
joints:
  - {name: ra, type: revolute, parent: ground.origin, child: a.origin, axis: [0, 0, 1], u: 10}
  - {name: rb, type: revolute, parent: ground.origin, child: b.origin, axis: [0, 0, 1]}
forces:
  - {name: s, type: joint_spring, joint: rb, stiffness: 1, reference: 0}
  - {name: d, type: joint_force, joint: rb, value: ra.q}
analysis: {coordinates: cartesian, integrator: adams_bashforth_moulton, duration: 3}
""")
    result = sestina.simulate(system, **step)
    assert result["rb.q"][-1] == pytest.approx(10 * (3 - math.sin(3)), abs=1e-4)
