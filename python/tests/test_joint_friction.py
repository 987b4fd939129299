"""Dry friction of joints that sticks, against closed forms."""

from __future__ import annotations

import typing

import numpy as np
import pytest
import sestina
from contact_models import on_floor

G = 9.81


def slider(friction: float, q: float) -> sestina.System:
    """A block of 2 kg on a spring and a rail with dry friction."""
    system = sestina.System("slider", gravity=(0, 0, 0))
    block = system.add_rigid_body("block", 2, inertia=1 * np.eye(3))
    system.add_joint("rail", "prismatic", system.ground["origin"], block["origin"], axis=[1, 0, 0], q=[q])
    system.add_force("spring", "joint_spring", joint="rail", stiffness=100)
    system.add_force("brake", "coordinate_friction", joint="rail", friction=friction)
    return system


def oscillation(t: float, q: float, friction: float, stiffness: float, mass: float) -> float:
    """Each half of a swing takes place about +-F/k; the block stays where the spring is weaker than F."""
    offset, half = friction / stiffness, np.pi * np.sqrt(mass / stiffness)
    while abs(q) > offset:
        centre = np.sign(q) * offset
        if t < half:
            return centre + (q - centre) * np.cos(np.pi * t / half)
        t, q = t - half, 2 * centre - q
    return q


@pytest.mark.parametrize("friction", [3.0, 9.0, 45.0, 101.0])
def test_block_swings_until_it_sticks(friction: float) -> None:
    system = slider(friction, q=1.0)
    result = sestina.simulate(system, duration=6, rtol=1e-8, atol=1e-10, every=0.05)
    exact = [oscillation(t, 1.0, friction, 100.0, 2.0) for t in result["t"]]
    assert np.abs(result["rail.q"] - exact).max() < 1e-7
    kinetic = result["rail.u"][-1] ** 2  # 2 kg
    assert result["energy.dissipated"][-1] == pytest.approx(50 * (1 - result["rail.q"][-1] ** 2) - kinetic, abs=1e-6)
    assert result["rail.u"][-1] == 0 or friction == 3.0


def test_column_of_the_force() -> None:
    """While it slides friction opposes the speed; while it sticks it balances the spring."""
    result = sestina.simulate(slider(9.0, q=1.0), duration=6, rtol=1e-8, atol=1e-10, every=0.05)
    assert result.unit("brake.force") == "N"
    force, q, u = result["brake.force"], result["rail.q"], result["rail.u"]
    slides, sticks = np.abs(u) > 1e-6, u == 0
    assert slides.sum() > 50 and sticks.sum() > 5
    assert np.abs(force[slides] + 9 * np.sign(u[slides])).max() < 1e-9
    assert np.abs(force[sticks][1:] - 100 * q[sticks][1:]).max() < 1e-9


def test_column_of_the_force_of_a_limit() -> None:
    system = slider(0.5, q=0.2)
    system.gravity = (-9.81, 0, 0)
    system.joint("rail").limits = {"lower": 0.1, "enforced": True}
    result = sestina.simulate(system, duration=3, rtol=1e-8, atol=1e-10, every=0.05)
    assert result["rail.q"][-1] == pytest.approx(0.1, abs=1e-12)
    # the weight presses the block onto the stop, the spring too; friction takes a part that is not determined
    total = result["rail.limit_force"][-1] + result["brake.force"][-1]
    assert total == pytest.approx(2 * 9.81 + 100 * 0.1, rel=1e-9)
    assert result["rail.limit_force"][0] == 0


def test_time_stepping_takes_the_same_friction() -> None:
    ends = []
    for dt in (0.002, 0.001):
        result = sestina.simulate(
            slider(9.0, q=1.0), duration=4, integrator="time_stepping", dt=dt, every=0.05
        )
        exact = [oscillation(t, 1.0, 9.0, 100.0, 2.0) for t in result["t"]]
        ends.append(np.abs(result["rail.q"] - exact).max())
        assert abs(result["rail.u"][-1]) < 1e-20
    assert ends[0] < 0.01 and ends[1] < 0.6 * ends[0]


@pytest.mark.parametrize("options", [{}, {"integrator": "time_stepping", "dt": 0.001}])
@pytest.mark.parametrize("part", [0.999999, 1.000001, 1.0001])
def test_pendulum_holds_up_to_its_friction(options: dict[str, typing.Any], part: float) -> None:
    """At 30 degrees the weight has `part` of the moment of friction; if it is more, the pendulum moves by 2 e/w^2.

    e is the angular acceleration by which the moment exceeds friction, w the frequency of small motions there.
    """
    system = sestina.System("pendulum", gravity=(0, -G, 0))
    rod = system.add_rigid_body("rod", 2, inertia=0.1 * np.eye(3))
    pivot = rod.add_point("pivot", [0, 0.5, 0])
    system.add_joint("hinge", "revolute", system.ground["origin"], pivot, axis=[0, 0, 1], q=[np.pi / 6])
    system.add_force("brake", "coordinate_friction", joint="hinge", friction=G * 0.5 / part)
    result = sestina.simulate(system, duration=2, **options)
    moved = np.abs(result["hinge.q"] - np.pi / 6).max()
    if part < 1:
        assert moved < 1e-13
    else:
        assert moved == pytest.approx(2 * 0.5 * (1 - 1 / part) / np.cos(np.pi / 6), rel=1e-3)


def test_each_coordinate_of_a_joint_has_its_own_friction() -> None:
    system = sestina.System("drill", gravity=(0, 0, 0))
    bit = system.add_rigid_body("bit", 2, inertia=0.5 * np.eye(3))
    system.add_joint("shaft", "cylindrical", system.ground["origin"], bit["origin"], axis=[0, 0, 1], u=[3, 2])
    system.add_force("brake", "coordinate_friction", joint="shaft", friction=1)
    result = sestina.simulate(system, duration=5, every=0.1)
    t = result["t"]
    # Turns with 3 rad/s until 1.5 s, slides with 2 m/s until 4 s.
    turn = np.where(t < 1.5, 3 * t - t**2, 2.25)
    slide = np.where(t < 4, 2 * t - t**2 / 4, 4)
    assert np.abs(result["shaft.q[0]"] - turn).max() < 1e-9
    assert np.abs(result["shaft.q[1]"] - slide).max() < 1e-9
    assert result["energy.dissipated"][-1] == pytest.approx(2.25 + 4, abs=1e-9)


def test_friction_in_a_loop_holds_what_its_torque_can() -> None:
    """A parallelogram of massless-like cranks: the torque at one hinge holds the weight of the bar."""
    for factor, holds in ((1.0001, True), (0.9999, False)):
        system = sestina.System("parallelogram", gravity=(0, -G, 0))
        right = system.ground.add_point("right", [1, 0, 0])
        cranks = [system.add_rigid_body(name, 1e-3, inertia=1e-4 * np.eye(3)) for name in ("left", "other")]
        feet = [crank.add_point("foot", [-0.25, 0, 0]) for crank in cranks]
        heads = [crank.add_point("head", [0.25, 0, 0]) for crank in cranks]
        bar = system.add_rigid_body("bar", 4, inertia=1 * np.eye(3))
        ends = [bar.add_point("a", [-0.5, 0, 0]), bar.add_point("b", [0.5, 0, 0])]
        for name, parent, child, q in (
            ("a", system.ground["origin"], feet[0], 0.3),
            ("b", heads[0], ends[0], -0.3),
            ("c", ends[1], heads[1], 0.3),
        ):
            system.add_joint(name, "revolute", parent, child, axis=[0, 0, 1], q=[q])
        system.add_joint("d", "revolute", right, feet[1], axis=[0, 0, 1], cut=True)
        moment = G * np.cos(0.3) * (4 * 0.5 + 2 * 1e-3 * 0.25)
        system.add_force("brake", "coordinate_friction", joint="a", friction=factor * moment)
        result = sestina.simulate(system, duration=0.5, integrator="moreau")
        moved = np.abs(result["a.q"] - 0.3).max()
        assert moved < 1e-12 if holds else moved > 1e-6


def test_gripper_with_contact_and_friction_at_once() -> None:
    """A heavy arm rests on a block: friction of its joint carries what is left when the floor is lowered."""
    system = on_floor("arm")
    pivot = system.ground.add_point("pivot", [0, 0, 0.5])
    arm = system.add_rigid_body("arm", 3, inertia=0.1 * np.eye(3), shapes=[{"name": "tip", "type": "sphere", "radius": 0.1}])
    end = arm.add_point("end", [-0.5, 0, 0])
    system.add_joint("pivot", "revolute", pivot, end, axis=[0, 1, 0], q=[0.2])
    system.add_force("brake", "coordinate_friction", joint="pivot", friction=6)
    system.add_contact("touch", ["floor", "tip"])
    result = sestina.simulate(system, duration=2)
    # It falls until the sphere is on the floor, 0.4 m below the pivot; friction takes 6 N m of its weight.
    angle = np.arcsin(0.4 / 0.5)
    assert result["pivot.q"][-1] == pytest.approx(angle, abs=1e-9)
    lost = 3 * G * 0.5 * (np.sin(angle) - np.sin(0.2))
    assert result["energy.dissipated"][-1] == pytest.approx(lost, abs=1e-6)


def test_what_cannot_stick_is_refused_by_name() -> None:
    for key, value, message in (
        ("integrator", "rk4", "rk4 does not handle friction that sticks: the model has brake"),
        ("type", "statics", "statics does not handle friction that sticks: the model has brake"),
        ("coordinates", "cartesian", "friction cannot stick in cartesian coordinates"),
    ):
        system = slider(3.0, q=1.0)
        setattr(system.analysis, key, value)
        with pytest.raises(sestina.InputError, match=message):
            sestina.simulate(system, duration=1)


@pytest.mark.parametrize("options", [{}, {"integrator": "time_stepping", "dt": 0.001}])
def test_a_prescribed_motion_works_against_friction(options: dict[str, typing.Any]) -> None:
    system = sestina.System("drive", gravity=(0, 0, 0))
    block = system.add_rigid_body("block", 1, inertia=np.eye(3))
    system.add_joint("rail", "prismatic", system.ground["origin"], block["origin"], axis=[1, 0, 0])
    system.add_force("brake", "coordinate_friction", joint="rail", friction=2)
    system.add_constraint("drive", "motion", joint="rail", value="t^2")
    result = sestina.simulate(system, duration=2, every=0.1, **options)
    np.testing.assert_allclose(result["drive.force"][1:], 4, atol=1e-6)
    assert result["energy.dissipated"][-1] == pytest.approx(8, abs=1e-6)


@pytest.mark.parametrize("longest", [0.1, 1.0])
def test_the_instant_at_which_a_joint_breaks_away_is_found(longest: float) -> None:
    """A force that grows with 0.15 N/s exceeds friction at 40/3 s; from there on x = (t - 40/3)^3/40."""
    system = sestina.System("ramp", gravity=(0, 0, 0))
    block = system.add_rigid_body("block", 1, inertia=np.eye(3))
    system.add_joint("rail", "prismatic", system.ground["origin"], block["origin"], axis=[1, 0, 0])
    system.add_force("brake", "coordinate_friction", joint="rail", friction=2)
    system.add_joint_force("pull", "rail", "0.15*t")
    system.analysis.step.max_step = longest
    result = sestina.simulate(system, duration=16, every=0.1)
    exact = np.maximum(result["t"] - 40 / 3, 0) ** 3 / 40
    assert np.abs(result["rail.q"] - exact).max() < 1e-12


def test_a_motion_into_a_stop_is_refused_by_name() -> None:
    for options in ({}, {"integrator": "time_stepping", "dt": 0.001}):
        system = sestina.System("press", gravity=(0, 0, 0))
        block = system.add_rigid_body("block", 1, inertia=np.eye(3))
        limits = {"upper": 0.5, "enforced": True}
        system.add_joint("rail", "prismatic", system.ground["origin"], block["origin"], axis=[1, 0, 0], limits=limits)
        system.add_constraint("drive", "motion", joint="rail", value="t")
        with pytest.raises(sestina.ComputationError, match="the contact or stop rail is closed, and prescribed motions"):
            sestina.simulate(system, duration=1, **options)
