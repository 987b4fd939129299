"""Contacts and stops of a System."""

import itertools
import pathlib

import numpy as np
import pytest

import sestina


def block(friction: float) -> sestina.System:
    system = sestina.System("block", gravity=(9.81 * np.sin(0.5), 0, -9.81 * np.cos(0.5)))
    system.ground.shapes = [{"name": "slope", "type": "plane"}]
    inertia = {"xx": 0.02, "yy": 0.03, "zz": 0.04}
    body = system.add_rigid_body("body", 3, inertia=inertia, shapes=[{"type": "box", "size": (0.2, 0.15, 0.1)}])
    system.add_joint("fly", "free", system.ground["origin"], body["origin"], q=[0, 0, 0.05, 1, 0, 0, 0])
    contact = system.add_contact("feet", ["body", "slope"], friction=friction)
    assert contact.friction == friction and list(contact.between) == ["body", "slope"]
    system.analysis.duration = 1
    return system


def test_block_sticks_or_slides() -> None:
    stuck = sestina.simulate(block(0.6))
    assert stuck.report.status == "complete"
    assert abs(stuck["fly.q[0]"]).max() < 1e-11
    assert stuck["feet.normal_force"][-1] == pytest.approx(3 * 9.81 * np.cos(0.5), rel=1e-5)
    sliding = sestina.simulate(block(0.3))
    acceleration = 9.81 * (np.sin(0.5) - 0.3 * np.cos(0.5))
    assert sliding["fly.q[0]"][-1] == pytest.approx(acceleration / 2, rel=1e-5)


def test_pairs_are_listed_with_their_gaps() -> None:
    system = block(0.6)
    system.joint("fly").q = [0, 0, 0.04, 1, 0, 0, 0]
    (pair,) = system.freeze().contact_pairs()
    assert pair.pop("gap") == pytest.approx(-0.01, abs=1e-15)
    assert pair == {
        "contact": "feet",
        "law": "stronge",
        "shapes": ("body.shapes[0]", "slope"),
        "types": ("box", "plane"),
        "friction": 0.6,
        "restitution": 0,
        "stiffness": 0,
        "damping": 0,
    }


def test_description_goes_to_a_file_and_back(tmp_path) -> None:  # type: ignore[no-untyped-def]
    system = block(0.4)
    system.contact("feet").law = "poisson"
    path = tmp_path / "block.yaml"
    system.save(path)
    again = sestina.load(path)
    assert again.contact("feet").law == "poisson" and again.contact("feet").friction == 0.4
    assert again.ground.shapes[0]["name"] == "slope"


def test_what_cannot_be_is_told() -> None:
    system = block(0.4)
    system.contact("feet").between[1] = "slop"
    with pytest.raises(sestina.InputError, match="did you mean 'slope'"):
        system.freeze()
    with pytest.raises(AttributeError, match="friction"):
        system.contact("feet").fricton = 1


def test_limits_are_stops() -> None:
    system = sestina.System("stop", gravity=(0, 0, -9.81))
    mass = system.add_rigid_body("mass", 1)
    rail = system.add_joint("rail", "prismatic", system.ground["origin"], mass["origin"], axis=(0, 0, 1), q=0.2)
    rail.limits = {"lower": 0, "enforced": True}
    result = sestina.simulate(system, duration=1)
    assert result["rail.q"].min() > -1e-9 and result["rail.q"][-1] == pytest.approx(0, abs=1e-9)


def test_steps_from_outside_meet_them() -> None:
    system = sestina.System("drop", gravity=(0, 0, -9.81))
    mass = system.add_rigid_body("mass", 1)
    rail = system.add_joint("rail", "prismatic", system.ground["origin"], mass["origin"], axis=(0, 0, 1), q=0.2)
    rail.limits = {"lower": 0, "enforced": True}
    for model in (system.freeze(), block(0.4).freeze()):
        run = sestina.simulate(model, duration=0.5, integrator="moreau", dt=0.01)
        simulator = sestina.Simulator(model)
        q, u = model.q0, model.u0
        for _ in range(50):
            simulator.step(0.01)
            q, u = model.step(q, u, None, 0.01)
        assert simulator.q == pytest.approx(run.q[-1], abs=1e-3) and q == pytest.approx(simulator.q, abs=1e-12)
        for refused in (
            lambda model=model: sestina.Simulator(model, integrator="rk4"),
            lambda model=model: model.step(model.q0, model.u0, None, 0.01, integrator="dormand_prince_54"),
            lambda model=model: sestina.BatchSimulator(model, 3),
        ):
            with pytest.raises(sestina.InputError, match="contacts"):
                refused()


def test_meshes_and_height_fields_touch(tmp_path: pathlib.Path) -> None:
    """A ball rolls down a slope of 1 in 4 with 5/7 g sin a; the file of the slope is looked for from the current folder."""
    slope, a, r = tmp_path / "slope.txt", np.arctan(0.25), 0.1
    slope.write_text("\n".join(" ".join(str(-0.125 * column) for column in range(21)) for _ in range(3)))
    system = sestina.System("hill", gravity=(0, 0, -9.81))
    system.ground.shapes = [{"name": "hill", "type": "height_field", "file": str(slope), "scale": [0.5, 0.5, 1]}]
    inertia = dict.fromkeys(("xx", "yy", "zz"), 0.4 * r**2)
    ball = system.add_rigid_body("ball", 1, inertia=inertia, shapes=[{"name": "skin", "type": "sphere", "radius": r}])
    start = [0.7 + r * np.sin(a), 0.6, -0.25 * 0.7 + r * np.cos(a), 1, 0, 0, 0]
    system.add_joint("fly", "free", system.ground["origin"], ball["origin"], q=start)
    system.add_contact("track", ["hill", "skin"], friction=0.5)
    rolling = sestina.simulate(system, duration=1.5)
    expected = start[0] + 0.5 * 5 / 7 * 9.81 * np.sin(a) * np.cos(a) * rolling.t**2
    assert rolling["fly.q[0]"] == pytest.approx(expected, abs=1e-7)
    slope.write_text("0 1\n")
    with pytest.raises(sestina.InputError, match="1 rows of 2 heights: expected at least two of two"):
        system.freeze()


ROBOT = """<robot name="crate"><link name="crate">
  <inertial><mass value="2"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>
  <visual><geometry><sphere radius="9"/></geometry></visual>
  <collision name="skin"><geometry><box size="0.4 0.4 0.2"/></geometry></collision>
</link></robot>"""


def test_collision_geometry_of_robots_touches() -> None:
    notes: list[str] = []
    robot = sestina.loads_urdf(ROBOT, "crate.urdf", True, notes, shapes="collision")
    assert [(shape["type"], shape["name"]) for shape in robot.body("crate").shapes] == [("box", "skin")]
    assert not any("collision" in note for note in notes)
    robot.ground.shapes = [{"name": "floor", "type": "plane", "position": [0, 0, -0.5]}]
    robot.add_contact("feet", ["skin", "floor"], friction=0.5)
    fallen = sestina.simulate(robot, duration=1)
    assert fallen["crate.q[2]"][-1] == pytest.approx(-0.4, abs=1e-9)
    sestina.loads_urdf(ROBOT, "crate.urdf", True, notes)
    assert any("collision geometry of 1 links is ignored" in note for note in notes)
    with pytest.raises(sestina.InputError, match="shapes: 'colision' is unknown \\(did you mean 'collision'"):
        sestina.loads_urdf(ROBOT, shapes="colision")


def balls_in_a_corner(between: list[list[str]]) -> sestina.System:
    system = sestina.System("balls", gravity=(1, 0.5, -9.81))
    turned = {"axis": [0, 1, 0], "angle": -np.pi / 2}
    system.ground.shapes = [
        {"name": "floor", "type": "plane"},
        {"name": "wall", "type": "plane", "position": [0.4, 0, 0], "axes": turned},
    ]
    for k, q in enumerate([[0, 0, 0.3], [0.05, 0, 0.55], [-0.15, 0.1, 0.4]]):
        skin = {"name": f"skin_{k}", "type": "sphere", "radius": 0.1}
        ball = system.add_rigid_body(f"ball_{k}", 1, inertia=0.004 * np.eye(3), shapes=[skin])
        system.add_joint(f"fly_{k}", "free", system.ground["origin"], ball["origin"], q=[*q, 1, 0, 0, 0])
    for i, names in enumerate(between):
        system.add_contact(f"touch_{i}", names, friction=0.3)
    return system


def test_a_contact_among_many_shapes_is_that_of_all_pairs() -> None:
    """The pairs of planes, and of shapes of one body, are left out."""
    balls = ["ball_0", "ball_1", "skin_2"]
    pairs = [[a, b] for i, a in enumerate(balls) for b in [*balls[i + 1 :], "floor", "wall"]]
    options = {"duration": 1.0, "integrator": "time_stepping", "dt": 0.002}
    many = sestina.simulate(balls_in_a_corner([[*balls, "ground", "ball_1"]]), **options)
    each = sestina.simulate(balls_in_a_corner(pairs), **options)
    for k, i in itertools.product(range(3), range(7)):
        np.testing.assert_allclose(many[f"fly_{k}.q[{i}]"], each[f"fly_{k}.q[{i}]"], atol=1e-9)
    force = sum(each[f"touch_{i}.normal_force"] for i in range(len(pairs)))
    np.testing.assert_allclose(many["touch_0.normal_force"], force, atol=1e-6)
    gaps = [each[f"touch_{i}.gap"] for i in range(len(pairs))]
    np.testing.assert_allclose(many["touch_0.gap"], np.min(gaps, axis=0), atol=1e-12)
    with pytest.raises(sestina.InputError, match="no two of these shapes can touch each other"):
        balls_in_a_corner([["floor", "wall", "ground"]]).freeze()
    with pytest.raises(sestina.InputError, match="has 1 names: expected two or more shapes or bodies"):
        balls_in_a_corner([["floor"]]).freeze()
