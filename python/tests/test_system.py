"""A System is built, read, changed and frozen; faults are exceptions with their places."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
import sestina
from conftest import EXAMPLES


def test_built_system_equals_the_one_that_its_yaml_reads_back_to(pendulum):
    text = pendulum.to_yaml()
    again = sestina.loads(text)
    assert again.to_yaml() == text
    assert again.body("rod").mass == "m1"
    assert again.joint("hinge").axis == [0, 1, 0]
    assert again.joint("hinge").q == [1.0]


def test_changed_system_freezes_to_another_model(pendulum):
    before = pendulum.freeze()
    pendulum.parameters["m1"] = 3.0
    pendulum.joint("hinge").q = 0.5
    pendulum.body("rod").center_of_mass = (0, 0, "-l/4")
    after = pendulum.freeze()
    assert before.q0[0] == 1.0 and after.q0[0] == 0.5
    assert before.parameters == {"m1": 1.0, "l": 1.0}
    assert after.parameters["m1"] == 3.0
    assert after.energy(after.q0, after.u0).potential == pytest.approx(-3 * 9.81 * np.cos(0.5) / 4, rel=1e-14)


def test_points_are_names_and_unknown_ones_are_told_with_the_nearest(pendulum):
    rod = pendulum.body("rod")
    assert rod["tip"] == "rod.tip" and rod["origin"] == "rod.origin"
    assert rod.points == {"tip": (0.0, 0.0, "-l")}
    assert rod.add_point("middle", (0, 0, "-l/2"), axes={"rpy": (0, 0, 1)}) == "rod.middle"
    assert rod.points["middle"]["axes"] == {"rpy": (0.0, 0.0, 1.0)}
    assert pendulum.ground.add_point("hook", (1, 0, 0)) == "ground.hook" == pendulum.ground["hook"]
    with pytest.raises(sestina.InputError, match="rod: there is no point 'tup' .did you mean 'tip'"):
        rod["tup"]


def test_all_faults_are_reported_at_once_with_their_places():
    system = sestina.System()
    system.add_rigid_body("a", -1)
    system.add_joint("h", "revolut", "ground.origin", "a.origin", axis=(0, 0, 0))
    with pytest.raises(sestina.InputError) as caught:
        system.freeze()
    places = [place for place, _ in caught.value.faults]
    assert "bodies[0].mass" in places and "joints[0].type" in places
    assert "did you mean 'revolute'" in str(caught.value)
    assert isinstance(caught.value, ValueError) and isinstance(caught.value, sestina.Error)


def test_faults_of_a_file_have_line_and_column(tmp_path):
    path = tmp_path / "model.yaml"
    path.write_text("sestina: 1\nbodies:\n  - {name: a, mass: -1}\n")
    with pytest.raises(sestina.InputError, match=r"model\.yaml:3:\d+: bodies\[0\]\.mass: -1 is negative"):
        sestina.load(path).freeze()
    with pytest.raises(sestina.InputError, match="nowhere.yaml"):
        sestina.load(tmp_path / "nowhere.yaml")


def test_refused_keys_leave_the_system_as_it_was(pendulum):
    before = pendulum.to_yaml()
    with pytest.raises(sestina.InputError, match="there is no key 'axs' .did you mean 'axis'"):
        pendulum.add_joint("h2", "revolute", "ground.origin", "rod.tip", axs=(0, 0, 1))
    with pytest.raises(sestina.InputError, match=r"bodies\.b\.inertia: there is no key 'xxx'"):
        pendulum.add_rigid_body("b", 1, inertia={"xxx": 1})
    with pytest.raises(sestina.InputError, match=r"bodies\.b\.inertia: .* is not symmetric"):
        pendulum.add_rigid_body("b", 1, inertia=[[1, 2, 0], [0, 1, 0], [0, 0, 1]])
    with pytest.raises(TypeError):
        pendulum.add_rigid_body("b", [1])
    with pytest.raises(TypeError):
        pendulum.add_rigid_body("b", True)
    with pytest.raises(sestina.InputError):
        pendulum.add_force("f", "joint_force", joint="hinge", valu=1)
    assert pendulum.to_yaml() == before


def test_every_force_element_can_be_added(pendulum):
    tip = pendulum.body("rod")["tip"]
    pendulum.add_joint_spring("spring", "hinge", 2, reference=0.1)
    pendulum.add_joint_damper("damper", "hinge", "0.1*m1")
    pendulum.add_joint_force("drive", "hinge", "sin(3*t) - 0.2*hinge.u")
    pendulum.add_spring_damper("rubber", pendulum.ground["origin"], tip, stiffness=3, damping=0.1, free_length=0.5)
    pendulum.add_point_force("wind", tip, (1, 0, "t"), axes="body")
    pendulum.add_point_torque("twist", tip, (0, 1, 0))
    pendulum.add_force("push", "joint_force", joint="hinge", value=1.5)
    gust = pendulum.add_force("gust", "joint_force", joint="hinge")
    gust.table = {"t": [0, 1, 2], "columns": {"force": [0, 1, 0]}, "interpolation": "cubic"}
    model = pendulum.freeze()
    assert model.forces == ["spring", "damper", "drive", "rubber", "wind", "twist", "push", "gust"]
    still = model.forward_dynamics([0.2], [0.0], t=0.0)
    assert model.forward_dynamics([0.2], [0.0], t=1.0) != still


def test_events_and_variables(pendulum):
    pendulum.variables["bounces"] = 0
    event = pendulum.add_event("wall", "hinge.q", "falling", set={"hinge.u": "-hinge.u", "bounces": "bounces + 1"})
    assert event.set == {"hinge.u": "-hinge.u", "bounces": "bounces + 1"}
    model = pendulum.freeze()
    assert model.nd == 1 and list(model.d0) == [0.0] and model.events == ["wall"]
    result = sestina.simulate(pendulum, duration=3)
    assert result["hinge.q"].min() > -1e-6
    assert result["bounces"][-1] == result.report.event_counts[0] >= 2


def test_parameters_behave_as_a_dictionary(pendulum):
    parameters = pendulum.parameters
    assert dict(parameters) == {"m1": 1.0, "l": 1.0} and len(parameters) == 2 and "l" in parameters
    parameters["half"] = "l/2"
    assert parameters["half"] == "l/2"
    del parameters["half"]
    assert list(parameters) == ["m1", "l"]
    with pytest.raises(KeyError, match="did you mean 'm1'"):
        parameters["m2"]


def test_copies_are_independent(pendulum):
    for other in (pendulum.copy(), copy.copy(pendulum), copy.deepcopy(pendulum), pickle.loads(pickle.dumps(pendulum))):
        assert other.to_yaml() == pendulum.to_yaml()
        other.body("rod").mass = 7
        assert pendulum.body("rod").mass == "m1"


def test_parts_outlive_the_name_of_their_system(pendulum):
    def make():
        system = sestina.System()
        return system.add_rigid_body("a", 1), system.ground, system.parameters, system.analysis.step

    body, ground, parameters, step = make()
    for i in range(1000):
        sestina.System().add_rigid_body(f"b{i}", i)
    assert body.name == "a" and body.mass == 1 and ground["origin"] == "ground.origin"
    assert len(parameters) == 0 and step.rtol == 1e-8


def test_files_and_robots(tmp_path):
    arm = sestina.load(EXAMPLES / "10_robot_arm.urdf")
    notes: list[str] = []
    floating = sestina.load_urdf(EXAMPLES / "10_robot_arm.urdf", floating_base=True, notes=notes)
    assert floating.freeze().nu == arm.freeze().nu + 6
    assert all(isinstance(note, str) for note in notes)
    told: list[str] = []
    text = (EXAMPLES / "10_robot_arm.urdf").read_text()
    assert sestina.loads_urdf(text, floating_base=True, notes=told).to_yaml() == floating.to_yaml() and len(told) == len(notes)
    with pytest.raises(sestina.InputError, match="arm.urdf:1"):
        sestina.loads_urdf("<robot", "arm.urdf")
    arm.save(tmp_path / "arm.yaml")
    assert sestina.load(tmp_path / "arm.yaml").freeze().nu == arm.freeze().nu
    light = sestina.load(EXAMPLES / "01_double_pendulum.yaml", set={"bodies.upper.mass": 0.25, "parameters.l1": "0.5"})
    assert light.body("upper").mass == 0.25 and light.parameters["l1"] == 0.5
    assert "analysis" in sestina.schema()


def test_joints_that_mimic_others():
    path = EXAMPLES.parent / "tests" / "io" / "urdf" / "gripper.urdf"
    for read in (sestina.load, sestina.load_urdf, lambda path: sestina.loads_urdf(path.read_text())):
        with pytest.warns(UserWarning, match="mimic others move by themselves.*: slide_right, bend and bend_tip"):
            assert read(path).freeze().nu == 4
    notes: list[str] = []
    assert sestina.load_urdf(path, mimic="weld", notes=notes).freeze().nu == 1
    assert any("welded at their offsets" in note for note in notes)
    soft = sestina.load_urdf(path, mimic="force", mimic_frequency=100)
    assert soft.parameters["slide_right_mimic_stiffness"] == pytest.approx(1e4 * 0.03, rel=1e-14)
    with pytest.raises(sestina.InputError, match="mimic: 'spring' is unknown"):
        sestina.load_urdf(path, mimic="spring")


def test_coupled_joints_move_their_leader_as_the_free_ones_would():
    # Oracle: the free robot's equations M udot + h = tau, restricted by hand to u = G s and multiplied by G^T.
    path = EXAMPLES.parent / "tests" / "io" / "urdf" / "gripper.urdf"
    coupled = sestina.load_urdf(path, mimic="couple", floating_base=True)
    free = sestina.load_urdf(path, mimic="free", floating_base=True).freeze()
    model = coupled.freeze()
    assert model.u_names == free.u_names
    at = {name: free.u_names.index(f"{name}.u") for name in ("slide_left", "slide_right", "bend", "bend_tip")}
    G = np.delete(np.eye(free.nu), [at["slide_right"], at["bend"], at["bend_tip"]], axis=1)
    led = {"slide_right": 1.0, "bend": -5.0, "bend_tip": -2.5}  # of u of slide_left
    for name, factor in led.items():
        G[at[name]] = factor * G[at["slide_left"]]
    s = np.random.default_rng(2).standard_normal(G.shape[1])
    q = free.q0.copy()
    leader = 0.02
    for name, place in {"slide_left": 0, "slide_right": 0, "bend": 0.25, "bend_tip": 0.225}.items():
        q[free.q_names.index(f"{name}.q")] = place + led.get(name, 1.0) * leader
    u = G @ s
    tau = np.random.default_rng(3).standard_normal(free.nu)
    M, h = free.mass_matrix(q), free.inverse_dynamics(q, u, np.zeros(free.nu))
    expected = G @ np.linalg.solve(G.T @ M @ G, G.T @ (tau - h))
    for solver in ("recursive", "kane"):
        coupled.analysis.solver = solver
        got = coupled.freeze().forward_dynamics(q, u, tau)
        np.testing.assert_allclose(got, expected, rtol=0, atol=1e-11 * abs(expected).max())  # cond(G^T M G) ~ 1e4
    coupled.joint("slide_left").u = 0.1
    run = sestina.simulate(coupled, duration=0.1)
    assert run["slide_left.q"][-1] > 5e-3
    np.testing.assert_allclose(run["bend.q"], 0.25 - 5 * run["slide_left.q"], rtol=0, atol=1e-12)


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.yaml")), ids=lambda path: path.stem)
def test_every_example_reads_and_freezes(path):
    model = sestina.load(path).freeze()
    assert model.nu == len(model.u_names) > 0
    assert np.all(np.isfinite(model.forward_dynamics(model.q0, model.u0)))
