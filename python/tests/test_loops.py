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
    np.testing.assert_allclose(model.forward_dynamics(q, u, solver="kane"), udot, rtol=1e-10)
    many = model.forward_dynamics(np.tile(q, (5, 1)), np.tile(u, (5, 1)))
    np.testing.assert_array_equal(many, np.tile(udot, (5, 1)))
    with pytest.raises(sestina.InputError, match="inverse dynamics takes no closed loops.*pin"):
        model.inverse_dynamics(q, u, udot)


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
