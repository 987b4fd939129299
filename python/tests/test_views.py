"""Lists and mappings of a description are live: what changes them changes the description, or raises."""

from __future__ import annotations

import copy
import gc
import operator
import pickle
import weakref

import numpy as np
import pytest
import sestina
from conftest import EXAMPLES
from sestina.fixed import FixedTuple
from sestina.views import ListView, MapView


@pytest.fixture
def machine(pendulum) -> sestina.System:
    """Every field that is a list or a mapping has something in it."""
    rod = pendulum.body("rod")
    rod.add_point("eye", (0, 1, 0), axes={"rpy": (0, 0, 1)})
    rod.shapes = [{"type": "box", "size": (1, 2, 3)}, {"type": "sphere", "radius": 0.1, "axes": {"matrix": np.eye(3)}}]
    pendulum.joint("hinge").limits = {"lower": -1, "upper": 2}
    pendulum.joint("hinge").u = 0.5
    pendulum.ground.add_point("hook", (1, 0, 0))
    pendulum.variables["count"] = 0
    pendulum.add_joint_spring("spring", "hinge", 2, reference=0.1)
    pendulum.add_joint_damper("damper", "hinge", 0.1)
    pendulum.add_point_force("wind", rod["tip"], (1, 0, "t"))
    gust = pendulum.add_force("gust", "joint_force", joint="hinge")
    gust.table = {"t": [0, 1, 2], "columns": {"force": [0, 1, 0]}}
    pendulum.add_rigid_body("head", 1)
    pendulum.add_joint("neck", "universal", "rod.tip", "head.origin", axis=(1, 0, 0), second_axis=(0, 1, 0))
    pendulum.add_event("wall", "hinge.q", set={"hinge.u": "-hinge.u"})
    pendulum.add_column("double", "2*hinge.q")
    return pendulum


def things(system):
    yield from (system, system.ground, system.analysis, system.analysis.step, system.analysis.integrator, system.output)
    for parts in (system.bodies, system.joints, system.forces, system.events):
        yield from parts


def fields(system):
    """(thing, name, value) of all public attributes that are no methods."""
    for thing in things(system):
        for name in dir(type(thing)):
            if not name.startswith("_") and not callable(getattr(type(thing), name)):
                yield thing, name, getattr(thing, name)


def test_every_field_that_is_a_list_or_a_mapping_is_a_view(machine):
    views = {(type(thing).__name__, name) for thing, name, value in fields(machine) if isinstance(value, (ListView, MapView))}
    assert {("System", "gravity"), ("System", "bodies"), ("Ground", "points"), ("Joint", "limits"), ("Force", "table")} <= views
    assert len(views) == 41
    for thing, name, value in fields(machine):
        assert not isinstance(value, (list, dict, tuple)), f"{thing}.{name} is a copy, into which writes are lost"


def leaves(view, path=()):
    for key in range(len(view)) if isinstance(view, ListView) else list(view):
        if isinstance(view[key], (ListView, MapView)):
            yield from leaves(view[key], (*path, key))
        else:
            yield (*path, key)


def at(view, path):
    for key in path:
        view = view[key]
    return view


def test_every_number_of_every_view_can_be_written(machine):
    count = 0
    for thing, name, view in fields(machine):
        if not isinstance(view, (ListView, MapView)) or name in {"bodies", "joints", "forces", "events"}:
            continue
        for path in leaves(view):
            if path[-1] in {"type", "interpolation"}:
                continue
            at(view, path[:-1])[path[-1]] = 7.5
            assert at(getattr(thing, name), path) == 7.5, f"{thing}.{name}{path}"
            count += 1
    assert count > 50


def test_writes_reach_the_model(pendulum):
    pendulum.gravity[2] = -1
    assert pendulum.gravity == [0, 0, -1]
    rod = pendulum.body("rod")
    rod.inertia["xx"] = rod.inertia["yy"] = 5
    rod.center_of_mass[2] = -2
    pendulum.joint("hinge").q[0] = 0.25
    model = pendulum.freeze()
    assert model.q0[0] == 0.25
    assert model.mass_matrix(model.q0)[0, 0] == pytest.approx(5 + 4, rel=1e-14)  # m = 1 at 2 m
    assert model.energy(model.q0, model.u0).potential == pytest.approx(-2 * np.cos(0.25), rel=1e-14)
    rod.points["tip"] = (0, 0, -3)
    assert pendulum.freeze().point_position("rod.tip", [0.0])[2] == -3
    rod.points["tip"][2] = -4
    assert pendulum.freeze().point_position("rod.tip", [0.0])[2] == -4
    push = pendulum.add_joint_force("push", "hinge", 0)
    push.value[0] = 9
    assert pendulum.freeze().forward_dynamics([0.0], [0.0])[0] == pytest.approx(1, rel=1e-14)


def test_views_are_used_as_lists_are(pendulum):
    gravity = pendulum.gravity
    assert gravity == [0, 0, -9.81] == gravity and gravity == (0, 0, -9.81) and gravity != [0, 0] and not gravity == "text"
    assert repr(gravity) == "[0.0, 0.0, -9.81]" and list(gravity) == gravity and gravity[-1] == -9.81 and gravity[1:] == [0, -9.81]
    assert -9.81 in gravity and gravity.index(-9.81) == 2 and gravity + [1] == [0, 0, -9.81, 1] and [1] + gravity == [1, 0, 0, -9.81]
    gravity[:2] = "1", 2
    assert pendulum.gravity == ["1", 2, -9.81]
    gravity.reverse()
    assert pendulum.gravity == [-9.81, 2, "1"]
    q = pendulum.joint("hinge").q
    q += [2]
    q.extend((3, 4))
    assert pendulum.joint("hinge").q == [1, 2, 3, 4] and q.pop() == 4 and len(pendulum.joint("hinge").q) == 3
    q.sort(reverse=True)
    del q[0]
    assert pendulum.joint("hinge").q == [2, 1]
    pendulum.joint("hinge").u = q
    q.clear()
    assert pendulum.joint("hinge").q == [] and pendulum.joint("hinge").u == [2, 1]
    with pytest.raises(IndexError):
        gravity[3]
    with pytest.raises(TypeError):
        hash(gravity)


def test_views_are_used_as_dictionaries_are(pendulum):
    parameters = pendulum.parameters
    assert parameters == {"m1": 1.0, "l": 1.0} == dict(parameters) and list(parameters.items()) == [("m1", 1.0), ("l", 1.0)]
    assert list(parameters.values()) == [1, 1] and parameters.get("k", 3) == 3 and "k" not in parameters and 3 not in parameters
    parameters.update(k="l/2", l=2)
    assert pendulum.parameters == {"m1": 1, "l": 2, "k": "l/2"} and parameters.pop("k") == "l/2" and parameters | {"z": 1}
    pendulum.parameters |= {"z": 4}
    assert pendulum.parameters.setdefault("z", 5) == 4 and repr(parameters) == "{'m1': 1.0, 'l': 2.0, 'z': 4.0}"
    pendulum.parameters = {"m1": 1, "l": 1}
    assert len(parameters) == 2
    with pytest.raises(KeyError, match="parameters: there is no 'm2' .did you mean 'm1'"):
        del parameters["m2"]
    limits = pendulum.joint("hinge")
    assert limits.limits is None
    limits.limits = {"lower": -1}
    limits.limits["upper"] = 1
    assert limits.limits == {"lower": -1, "upper": 1}
    del limits.limits["lower"]
    assert limits.limits == {"upper": 1}


def test_copies_of_views_belong_to_nobody(machine):
    rod = machine.body("rod")
    for view in (machine.gravity, rod.points, rod.shapes, rod.inertia, machine.parameters):
        for own in (view.copy(), copy.copy(view), copy.deepcopy(view), pickle.loads(pickle.dumps(view))):
            assert type(own) in (list, dict) and own == view
    own = copy.deepcopy(rod.shapes)
    own[0]["size"][0] = 100
    assert rod.shapes[0]["size"] == [1, 2, 3]


def test_numpy_reads_views_as_it_reads_lists(pendulum):
    gravity = pendulum.gravity
    array = np.asarray(gravity)
    assert array.dtype == np.float64 and array.shape == (3,)
    array[2] = 0
    assert gravity[2] == -9.81
    assert (np.array([0, 0, -9.81]) == gravity).all() and (gravity == np.array([0, 0, -9.81])).all()
    assert np.linalg.norm(gravity) == 9.81 and (np.array(gravity, dtype=np.float32).dtype == np.float32)
    gravity[:] = np.array([1.0, 2.0, 3.0])
    pendulum.joint("hinge").q[0] = np.float64(0.5)
    assert pendulum.gravity == [1, 2, 3] and pendulum.joint("hinge").q == [0.5]
    pendulum.body("rod").points["tip"] = np.array([0.0, 0.0, -2.0])
    assert pendulum.body("rod").points["tip"] == [0, 0, -2]
    with pytest.raises(ValueError, match="gravity: cannot be an array without a copy"):
        gravity.__array__(copy=False)


def test_refused_writes_name_the_place_and_change_nothing(machine):
    before = machine.copy()
    rod, hinge = machine.body("rod"), machine.joint("hinge")
    with pytest.raises(sestina.InputError, match=r"^gravity: \[0\.0, 0\.0\] is not three numbers or expressions"):
        del machine.gravity[2]
    with pytest.raises(sestina.InputError, match=r"^bodies\.rod\.center_of_mass: .* is not three numbers"):
        rod.center_of_mass[0] = [1]
    with pytest.raises(sestina.InputError, match=r"^bodies\.rod\.inertia: there is no key 'yz2' .did you mean 'yz'"):
        rod.inertia["yz2"] = 1
    with pytest.raises(sestina.InputError, match=r"^bodies\.rod\.points\.eye\.axes: "):
        rod.points["eye"]["axes"]["angle"] = 1
    with pytest.raises(sestina.InputError, match=r"^bodies\.rod\.shapes\[1\]: there is no key 'radus'"):
        rod.shapes[1]["radus"] = 1
    with pytest.raises(sestina.InputError, match=r"^joints\.hinge\.limits\.lower: "):
        hinge.limits["lower"] = None
    with pytest.raises(sestina.InputError, match=r"^joints\.hinge\.axis: .* or None"):
        hinge.axis.append(1)
    with pytest.raises(sestina.InputError, match=r"^parameters\.l: True is not a number"):
        machine.parameters["l"] = True
    with pytest.raises(sestina.InputError, match=r"^joints\[0\]: 'h' is not of type Joint"):
        machine.joints = "hinge"
    for (thing, name, value), (_, _, other) in zip(fields(machine), fields(before), strict=True):
        if isinstance(value, (ListView, MapView, str, float)) and name not in {"bodies", "joints", "forces", "events"}:
            assert value == other, f"{thing}.{name}"


def test_a_mapping_is_no_list_of_its_keys(machine):
    rod = machine.body("rod")
    machine.variables = {"a": 1, "b": 2, "c": 3}
    for wrong in (machine.variables, {"a": 1, "b": 2, "c": 3}):
        with pytest.raises(sestina.InputError, match="is not three numbers"):
            rod.center_of_mass = wrong
        with pytest.raises(sestina.InputError, match="is not a number, an expression or a list"):
            machine.joint("hinge").q = wrong
    rod.inertia = rod.inertia
    machine.body("head").points = rod.points
    machine.body("head").shapes = rod.shapes
    assert machine.body("head").points == rod.points and machine.body("head").shapes == rod.shapes


def test_bodies_are_added_removed_and_ordered_as_in_a_list(pendulum):
    head, rod = pendulum.add_rigid_body("head", 2), pendulum.body("rod")
    assert pendulum.bodies == [rod, head] and pendulum.bodies[0] is rod and pendulum.bodies.index(head) == 1
    pendulum.bodies.reverse()
    assert [body.name for body in pendulum.bodies] == ["head", "rod"] and pendulum.body("rod") is rod
    rod.mass = 5  # they have changed places in memory
    assert pendulum.body("rod").mass == 5 and pendulum.body("head").mass == 2
    assert pendulum.bodies.pop(0) is head and len(pendulum.bodies) == 1
    head.mass = 3
    head.points["ear"] = (0, 0, 1)
    assert pendulum.body("rod").mass == 5 and head.points == {"ear": (0, 0, 1)}
    pendulum.bodies.append(head)
    head.mass = 4
    assert pendulum.body("head").mass == 4 and pendulum.body("head") is head
    pendulum.bodies.append(sestina.Body("tail", 1, center_of_mass=(1, 0, 0)))
    assert pendulum.body("tail").center_of_mass == [1, 0, 0]
    pendulum.bodies = [head, rod]
    assert [body.name for body in pendulum.bodies] == ["head", "rod"]
    del pendulum.bodies[:]
    assert len(pendulum.bodies) == 0 and rod.mass == 5 and head.mass == 4


def test_joints_forces_and_events_are_removed_and_added(machine):
    hinge, damper, wall = machine.joint("hinge"), machine.force("damper"), machine.event("wall")
    machine.joints.remove(hinge)
    machine.forces.remove(damper)
    machine.events.clear()
    assert [joint.name for joint in machine.joints] == ["neck"] and "damper" not in [force.name for force in machine.forces]
    hinge.q[0], damper.damping[0], wall.set["hinge.u"] = 2, 3, 0
    machine.joints.insert(0, hinge)
    machine.forces.append(damper)
    machine.events.append(wall)
    machine.forces.append(sestina.Force("extra", "joint_force", joint="hinge", value=1))
    machine.joints.append(sestina.Joint("odd", "weld", "rod.tip", "head.origin"))
    machine.events.append(sestina.Event("stop", "t - 1", terminal=True))
    machine.joints.pop()
    model = machine.freeze()
    assert model.q0[0] == 2 and model.forces[-1] == "extra" and model.events == ["wall", "stop"]


def test_a_part_is_in_one_place_only(pendulum):
    rod, other = pendulum.body("rod"), pendulum.copy()
    with pytest.raises(sestina.InputError, match=r"bodies\[1\]: 'rod' is in the model already, at bodies\[0\]; copy.copy"):
        pendulum.bodies.append(rod)
    with pytest.raises(sestina.InputError, match=r"bodies\[1\]: 'rod' belongs to another system; copy.copy"):
        other.bodies.append(rod)
    twin = copy.deepcopy(rod)
    twin.name = "twin"
    other.bodies.append(twin)
    twin.mass = 9
    assert other.body("twin").mass == 9 and rod.mass == "m1" and [body.name for body in pendulum.bodies] == ["rod"]
    with pytest.raises(sestina.InputError, match=r"bodies\[1\]: 3 is not of type Body"):
        pendulum.bodies.append(3)
    with pytest.raises(sestina.InputError, match=r"bodies\[1\]: .*Joint.* is not of type Body"):
        pendulum.bodies.append(pendulum.joint("hinge"))


def test_views_that_outlive_their_thing_do_no_harm():
    def make():
        system = sestina.System()
        bodies = [system.add_rigid_body(f"b{i}", i + 1, points={"tip": (0, 0, i)}) for i in range(50)]
        return system, [(body, body.center_of_mass, body.inertia, body.points["tip"]) for body in bodies]

    system, held = make()
    del system.bodies[10:40]
    for i, (body, centre, inertia, tip) in enumerate(held):
        centre[0], inertia["xx"], tip[1] = i, i, i
        assert body.name == f"b{i}" and body.mass == i + 1 and body.center_of_mass == [i, 0, 0] and body.points == {"tip": (0, i, i)}
    assert [body.center_of_mass[0] for body in system.bodies] == [*range(10), *range(40, 50)]
    del system
    gc.collect()
    for i, (body, centre, _, _) in enumerate(held):
        assert centre == [i, 0, 0] and body.name == f"b{i}"


def test_elements_that_are_gone_are_told(machine):
    rod = machine.body("rod")
    eye, sphere, table = rod.points["eye"], rod.shapes[1], machine.force("gust").table
    del rod.points["eye"]
    with pytest.raises(KeyError, match=r"bodies\.rod\.points\.eye: no longer exists"):
        eye["position"]
    with pytest.raises(KeyError, match=r"bodies\.rod\.points\.eye: no longer exists"):
        eye["position"] = (1, 2, 3)
    assert "eye" not in rod.points
    del rod.shapes[0]
    with pytest.raises(IndexError, match="get it again"):
        sphere["radius"] = 2  # it would be that of another shape
    rod.points["tip"] = {"position": (0, 0, 1), "axes": {"rpy": (1, 2, 3)}}
    machine.force("gust").table = None
    with pytest.raises(TypeError, match="forces.gust.table: has become None"):
        table["interpolation"] = "cubic"


def test_time_elements_and_what_was_before_them_are_safe(pendulum):
    analysis = pendulum.analysis
    analysis.time_elements = {"elements": 20}
    first = analysis.time_elements
    first.elements = 21
    assert pendulum.analysis.time_elements.elements == 21 and analysis.time_elements is first
    second = sestina.TimeElements()
    analysis.time_elements = second
    second.pair, first.pair = "P3P4", "LQ"
    assert pendulum.analysis.time_elements.pair == "P3P4" and first.elements == 21
    other = pendulum.copy()
    other.analysis.time_elements = second
    other.analysis.time_elements.pair = "QC"
    assert second.pair == "P3P4"
    analysis.time_elements = None
    second.elements = 5
    assert analysis.time_elements is None and second.elements == 5


def test_groups_of_keys_are_assigned_as_in_a_model_file(pendulum):
    analysis = pendulum.analysis
    analysis.integrator = "rk4"
    analysis.step = {"driver": "fixed", "dt": 1e-3}
    assert analysis.integrator.name == "rk4" and analysis.step.driver == "fixed" and analysis.step.dt == 1e-3
    assert sestina.simulate(pendulum, duration=0.1).report.steps.steps == 100
    analysis.integrator = {"name": "lobatto_iiia_iiib", "stages": 3}
    other = pendulum.copy()
    other.analysis.integrator = analysis.integrator
    analysis.integrator = "rk4"
    assert other.analysis.integrator.stages == 3 and analysis.integrator.stages is None
    with pytest.raises(sestina.InputError, match="there is no key 'nam' .did you mean 'name'"):
        analysis.integrator = {"nam": "rk4"}
    with pytest.raises(sestina.InputError, match="analysis.integrator: 3 is not the name of a rule"):
        analysis.integrator = 3
    assert analysis.integrator.name == "rk4"


def test_misspelt_attributes_are_told_with_the_nearest(machine):
    thing_list = [*things(machine), machine.freeze(), sestina.TimeElements()]
    for thing in thing_list:
        name = next(name for name in dir(type(thing)) if not name.startswith("_") and len(name) > 3)
        kind = type(thing).__name__
        with pytest.raises(AttributeError, match=f"^{kind} has no attribute '{name}z' .did you mean '{name}'"):
            getattr(thing, f"{name}z")
        with pytest.raises(AttributeError, match=f"^{kind} has no attribute '{name}z' .did you mean '{name}'"):
            setattr(thing, f"{name}z", 1)
    with pytest.raises(AttributeError):
        machine.gravity.z = 1
    with pytest.raises(AttributeError, match="no setter|can't set"):
        machine.ground = 1


def derived_things():
    """Objects of sestina.symbolic, by Kane's method and by Lagrange's."""
    from sestina import symbolic as s

    with s.Mechanics():
        q, u = s.dynamicsymbols("q u")
        N, O = s.ReferenceFrame("N"), s.Point("O")
        O.set_vel(N, 0)
        P = O.locatenew("P", q * N.x)
        P.set_vel(N, u * N.x)
        particle = s.Particle("particle", P, 1)
        body = s.RigidBody("body", P, N, 1, (s.inertia(N, 1, 1, 1), P))
        kane = s.KanesMethod(N, [q], [u], kd_eqs=[u - q.diff()])
        kane.kanes_equations([particle], [])
        lagrange = s.LagrangesMethod(q.diff() ** 2, [q])
        system = s.SymbolicSystem(kane)
        result = system.simulate(duration=0.1)
        things = [N, O, particle, body, N.x, N.x | N.x, q, kane.mass_matrix, kane, lagrange, system, result, result.report]
        return [*things, result.table]


def test_misspelt_attributes_of_results_and_symbols_are_told_with_the_nearest(pendulum):
    simulator = sestina.Simulator(pendulum)
    result = sestina.simulate(pendulum, duration=0.1)
    ensemble = sestina.run_ensemble(pendulum, {"l": [1.0, 2.0]}, duration=0.1)
    runs = [simulator, simulator.save(), result, result.report, result.report.steps, result.table, ensemble]
    for thing in [*runs, *derived_things()]:
        kind = type(thing)
        name = max((name for name in dir(kind) if not name.startswith("_")), key=len)
        for wrong in (lambda: getattr(thing, f"{name}z"), lambda: setattr(thing, f"{name}z", 1)):  # noqa: B023
            with pytest.raises(AttributeError, match=f"{kind.__name__} has no attribute '{name}z' .did you mean '{name}'"):
                wrong()
    with pytest.raises(AttributeError, match="did you mean 'report'"):
        result.reprot = None
    with pytest.raises(AttributeError, match="did you mean 'energy_drift'"):
        ensemble.energy_drit  # noqa: B018


def test_a_table_keeps_its_file_while_its_values_do(tmp_path):
    (tmp_path / "gust.csv").write_text("t,force\n0,0\n1,2\n")
    (tmp_path / "model.yaml").write_text(
        "sestina: 1\nbodies: [{name: a, mass: 1}]\n"
        "joints: [{name: j, type: prismatic, parent: ground.origin, child: a.origin, axis: [1, 0, 0]}]\n"
        "forces: [{name: gust, type: joint_force, joint: j, value: {table: gust.csv, columns: [force]}}]\n")
    system = sestina.load(tmp_path / "model.yaml")
    system.force("gust").table["interpolation"] = "cubic"
    assert "interpolation: cubic" in system.to_yaml() and "gust.csv" in system.to_yaml()
    system.force("gust").table["columns"]["force"][1] = 3
    with pytest.raises(sestina.InputError, match="a table that has no file"):
        system.to_yaml()


def test_views_in_controllers_are_collected(pendulum):
    def make():
        system = pendulum.copy()
        gains, hinge, ground = system.parameters, system.joint("hinge").q, system.ground

        def control(t, q, u):
            return [-gains["m1"] * (q[0] - hinge[0]) + len(ground.points)]

        system.add_force("controller", sestina.PythonForce(control))
        return system, weakref.ref(control)

    system, control = make()
    sestina.simulate(system, duration=0.01)
    del system
    gc.collect()
    assert control() is None


def test_a_model_does_not_take_writes(pendulum):
    model = pendulum.freeze()
    with pytest.raises(TypeError):
        model.parameters["m1"] = 2
    assert model.parameters == {"m1": 1.0, "l": 1.0}


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.yaml")), ids=lambda path: path.stem)
def test_writing_what_is_there_changes_no_example(path):
    system = sestina.load(path)
    text = system.to_yaml()
    for thing, name, value in fields(system):
        if isinstance(value, (ListView, MapView)):
            setattr(thing, name, value)
            setattr(thing, name, value.copy())
    assert system.to_yaml() == text


def copies(machine):
    """Pairs of an object that hands out copies and a text that its hint contains."""
    simulator = sestina.Simulator(machine.copy())
    result = sestina.simulate(machine.copy(), duration=0.01)
    yield simulator, "reset"
    yield simulator.save(), "set_state"
    yield machine.freeze(), "with_parameters"
    yield from ((one, "stays as it is") for one in (result, result.table, result.report))


def test_a_write_into_a_copy_raises_and_says_what_changes_the_object(pendulum):
    seen = 0
    for thing, hint in copies(pendulum):
        for name in (name for name in dir(type(thing)) if not name.startswith("_")):
            value = getattr(thing, name)
            assert not isinstance(value, list | dict), f"{thing}.{name}"
            if isinstance(value, FixedTuple):
                for write in (lambda v: v.append(1), lambda v: operator.setitem(v, 0, 1), lambda v: v.sort()):
                    with pytest.raises(TypeError, match=f"a copy, which cannot be changed: .*{hint}"):
                        write(value)
                seen += 1
            elif isinstance(value, np.ndarray) and value.base is not None and type(value) is not np.ndarray:
                for write in (lambda v: operator.setitem(v, slice(None), 1), lambda v: operator.iadd(v, 1)):
                    with pytest.raises(ValueError, match=f"a copy, which cannot be changed: .*{hint}"):
                        write(value)
                seen += 1
            elif isinstance(value, np.ndarray):
                assert not value.flags.writeable, f"{thing}.{name}"
    assert seen > 25


def test_what_is_made_of_a_copy_may_be_written(pendulum):
    q = sestina.Simulator(pendulum).q
    for made in (q.copy(), q + 0, 2 * q, np.array(q), copy.copy(q), copy.deepcopy(q), np.where(q > 0, q, q)):
        assert type(made) is np.ndarray
        made[0] = 7
    assert type(pickle.loads(pickle.dumps(q))) is np.ndarray and repr(q) == repr(np.array(q))
    assert isinstance(q[0], float) and isinstance(q.sum(), float)
    names = pendulum.freeze().q_names
    assert names == ["hinge.q"] and names == ("hinge.q",) and names != ["other"] and hash(names) == hash(("hinge.q",))
    assert names + ["t"] == ["hinge.q", "t"] and ["t"] + names == ["t", "hinge.q"]
    assert pickle.loads(pickle.dumps(names)) == copy.copy(names) == names.copy()
