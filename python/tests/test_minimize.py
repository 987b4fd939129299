"""The least cost over keys of a model: known optima, runs that fail, interrupted searches that continue, bad input."""

from __future__ import annotations

import json
import signal

import numpy as np
import pytest
import sestina
from sestina.cost_expressions import CostExpression

METHODS = {"cma": "cma", "differential_evolution": "scipy", "nelder_mead": "scipy", "powell": "scipy", "l_bfgs_b": "scipy"}


@pytest.fixture
def swing(pendulum):
    """The pendulum with a damper of c (N m s/rad), 3 s."""
    pendulum.parameters["c"] = 0.05
    pendulum.add_joint_damper("friction", "hinge", damping="c")
    pendulum.analysis.duration = 3
    return pendulum


def measured(system, **values):
    known = system.copy()
    known.parameters["c"] = values["c"]
    known.joint("hinge").q = values["q"]
    return sestina.simulate(known, rtol=1e-10)["hinge.q"]


@pytest.mark.parametrize("method", METHODS)
def test_a_damping_and_an_angle_are_found_from_the_motion(swing, method):
    pytest.importorskip(METHODS[method])
    angle = measured(swing, c=0.08, q=1.3)
    found = sestina.minimize(
        swing,
        {"parameters.c": (0, 0.3), "joints.hinge.q": (0.5, 2.0)},
        lambda run: float(np.mean((run["hinge.q"] - angle) ** 2)),
        method=method,
        max_runs=4000,
    )
    assert found.status == "converged", found.reason
    assert found.values["parameters.c"] == pytest.approx(0.08, abs=2e-5)
    assert found.values["joints.hinge.q"] == pytest.approx(1.3, abs=2e-5)
    assert found.cost < 1e-9 and found.failed == 0 and found.runs == len(found.costs) == len(found.members) <= 4000
    assert (np.diff(found.best_costs) <= 0).all() and len(found.best_costs) == found.generations
    again = sestina.simulate(found.system)
    assert np.abs(again["hinge.q"] - angle).max() < 1e-4
    assert swing.parameters["c"] == 0.05 and swing.joint("hinge").q == [1.0]  # the model is not changed


def test_the_damping_of_least_square_deviation_is_half_of_the_critical_one():
    """x'' + 2 z w x' + w^2 x = 0 from x = 1: the integral of x^2 is (1 + 4 z^2)/(4 z w), least for z = 1/2: c = sqrt(k m)."""
    pytest.importorskip("scipy")
    system = sestina.System(parameters={"c": 1.0})
    system.add_rigid_body("mass", 2.0)
    system.add_joint("rail", "prismatic", "ground.origin", "mass.origin", axis=(1, 0, 0), q=1.0)
    system.add_joint_spring("spring", "rail", stiffness=8.0)
    system.add_joint_damper("damper", "rail", damping="c")
    cost = "integral(rail.q^2)"
    found = sestina.minimize(system, {"parameters.c": (0.5, 10)}, cost, method="nelder_mead", duration=15, every=0.01)
    assert found.values["parameters.c"] == pytest.approx(4.0, abs=2e-3) and found.cost == pytest.approx(0.5, abs=1e-4)


def test_an_optimum_on_a_bound_is_reached(swing):
    pytest.importorskip("cma")
    found = sestina.minimize(swing, {"parameters.c": (0.01, 0.2)}, "last(energy.total) - first(energy.total)", seed=2)
    assert found.values["parameters.c"] == pytest.approx(0.2, abs=1e-4)


def test_the_same_seed_gives_the_same_answer_and_leaves_numpy_alone(swing):
    pytest.importorskip("cma")
    arguments = {"variables": {"parameters.c": (0, 0.3), "parameters.l": (0.5, 2)}, "cost": "rms(hinge.q)", "max_runs": 60}
    np.random.seed(5)
    before = np.random.get_state()[1].copy()
    one = sestina.minimize(swing, **arguments, threads=1)
    np.random.seed(99)
    two = sestina.minimize(swing, **arguments, threads=2)
    np.random.seed(5)
    np.testing.assert_array_equal(np.random.get_state()[1], before)
    np.testing.assert_array_equal(one.members, two.members)
    np.testing.assert_array_equal(one.costs, two.costs)
    assert one.status == "stopped" and "max_runs" in one.reason
    other = sestina.minimize(swing, **arguments, seed=1)
    assert not np.array_equal(other.members, one.members)


def test_population_runs_in_lanes_whatever_the_key(swing, monkeypatch):
    pytest.importorskip("cma")
    import sestina.population as population

    lanes = []
    original = population.run_ensemble

    def watched(*arguments, **keys):
        told = original(*arguments, **keys)
        lanes.append(told.lanes)
        return told

    monkeypatch.setattr(population, "run_ensemble", watched)
    keys = {"bodies.rod.mass": (0.5, 2), "forces.friction.damping": (0, 0.2), "gravity[2]": (-10, -9), "parameters.l": (0.5, 2)}
    sestina.minimize(swing, keys, "last(hinge.q)", population=16, generations=2)
    sizes = [one for one in lanes if one.shape == (16,)]
    assert len(sizes) == 2 and all((one > 1).all() for one in sizes)


def test_keys_that_take_no_expression_are_set_for_each_run(swing):
    pytest.importorskip("scipy")
    found = sestina.minimize(swing, {"analysis.step.rtol": (1e-9, 1e-3)}, lambda run: float(len(run)), method="nelder_mead", generations=2)
    assert found.cost == 101 and found.system.analysis.step.rtol == found.values["analysis.step.rtol"]


@pytest.mark.parametrize("method", ["cma", "differential_evolution", "nelder_mead"])
def test_a_broken_search_goes_on_to_the_same_answer(swing, method, tmp_path):
    pytest.importorskip(METHODS[method])
    arguments = {
        "variables": {"parameters.c": (0, 0.3), "joints.hinge.q": (0.5, 2.0), "parameters.l": (0.5, 2)},
        "cost": "mean((hinge.q - 0.2)^2)",
        "method": method,
        "seed": 4,
        "max_runs": 150,
    }
    whole = sestina.minimize(swing, **arguments, state=tmp_path / "whole")
    sestina.minimize(swing, **{**arguments, "max_runs": 60}, state=tmp_path / "state")
    # As a kill leaves it: the last line is cut short.
    data = (tmp_path / "state").read_bytes()
    (tmp_path / "state").write_bytes(data[:-7])
    ran = []
    on = sestina.minimize(
        swing, **arguments, state=tmp_path / "state", resume=True, progress=lambda *told: ran.append(told)
    )
    np.testing.assert_array_equal(on.members, whole.members)
    np.testing.assert_array_equal(on.costs, whole.costs)
    assert on.values == whole.values and on.cost == whole.cost
    assert (tmp_path / "state").read_bytes() == (tmp_path / "whole").read_bytes()
    assert 0 < len(ran) < whole.generations and ran[-1][0] == whole.generations and ran[-1][1] == whole.runs  # the rest alone ran


def test_a_state_of_something_else_is_refused(swing, tmp_path):
    pytest.importorskip("cma")
    state = tmp_path / "state"
    variables = {"parameters.c": (0, 0.3)}
    keys = {"cost": "last(hinge.q)", "generations": 2, "state": state}
    sestina.minimize(swing, variables, **keys)
    with pytest.raises(sestina.InputError, match="state: .* exists; resume=True"):
        sestina.minimize(swing, variables, **keys)
    with pytest.raises(sestina.InputError, match=r"of another optimisation: variables was \{.*0.3.*\} and is \{.*0.4"):
        sestina.minimize(swing, {"parameters.c": (0, 0.4)}, **keys, resume=True)
    swing.gravity[2] = -1
    with pytest.raises(sestina.InputError, match="of another optimisation: model"):
        sestina.minimize(swing, variables, **keys, resume=True)
    swing.gravity[2] = -9.81
    lines = state.read_text().splitlines()
    told = json.loads(lines[1])
    told["x"][0][0] += 1e-3
    state.write_text("\n".join([lines[0], json.dumps(told), *lines[2:]]) + "\n")
    with pytest.raises(sestina.InputError, match="generation 1: the optimiser proposes other members than before"):
        sestina.minimize(swing, variables, **keys, resume=True)
    for text in ("t,q\n1,2\n", "a user's own note, without an end of its line"):
        state.write_text(text)
        with pytest.raises(sestina.InputError, match="is not a file of an optimisation"):
            sestina.minimize(swing, variables, **keys, resume=True)
        assert state.read_text() == text
    with pytest.raises(sestina.InputError, match="there is no `state`"):
        sestina.minimize(swing, variables, "last(hinge.q)", resume=True)


@pytest.mark.parametrize("method", ["cma", "differential_evolution", "nelder_mead"])
def test_members_that_fail_count_as_infinite_and_are_named(swing, method):
    """Below a = 3 the run of 3 s fails at t = a; a mass below zero is refused before it begins."""
    pytest.importorskip(METHODS[method])
    swing.parameters["a"] = 5.0
    swing.add_joint_force("drive", "hinge", "0.001*sqrt(a - t)")
    found = sestina.minimize(
        swing, {"parameters.a": (2.0, 6.0)}, lambda run: run.values["parameters.a"], method=method, population=8, max_runs=160
    )
    assert found.cost == found.values["parameters.a"] == pytest.approx(3, abs=2e-3) and found.cost >= 3
    assert 0 < found.failed == np.isinf(found.costs).sum() == len(found.failures)
    values, reason = found.failures[0]
    assert values["parameters.a"] < 3 and "drive" in reason
    refused = sestina.minimize(swing, {"bodies.rod.mass": (-0.5, 2.0)}, "rms(hinge.u)", method=method, population=8, max_runs=64)
    assert refused.values["bodies.rod.mass"] > 0
    values, reason = refused.failures[0]
    assert values["bodies.rod.mass"] < 0 and reason == f"bodies[0].mass: {values['bodies.rod.mass']!r} is negative"


def test_where_no_run_succeeds_the_reason_is_told(swing):
    pytest.importorskip("cma")
    swing.parameters["a"] = 1.0
    swing.add_joint_force("drive", "hinge", "0.001*sqrt(a - t)")
    with pytest.raises(sestina.ComputationError, match="none of 6 runs has a cost .*drive"):
        sestina.minimize(swing, {"parameters.a": (1.0, 2.0)}, "last(hinge.q)", population=6, generations=2)


def test_ctrl_c_keeps_the_best_so_far(swing, tmp_path):
    pytest.importorskip("cma")

    def cost(run):
        if run.values["parameters.c"] > 0 and len(seen) >= 3:
            signal.raise_signal(signal.SIGINT)
        return float(run["hinge.q"][-1] ** 2)

    seen = []
    variables = {"parameters.c": (0, 0.3), "parameters.l": (0.5, 2)}
    found = sestina.minimize(swing, variables, cost, population=6, state=tmp_path / "state", progress=lambda *told: seen.append(told))
    assert found.status == "interrupted" and found.generations == 3 and found.runs == 18
    assert found.cost == found.costs.min() == seen[-1][2] and found.values == seen[-1][3]
    assert len((tmp_path / "state").read_text().splitlines()) == 4
    on = sestina.minimize(swing, variables, lambda run: float(run["hinge.q"][-1] ** 2), population=6, generations=5,
                          state=tmp_path / "state", resume=True)  # fmt: skip
    assert on.generations == 5 and on.cost <= found.cost


def test_what_a_cost_raises_is_raised(swing):
    pytest.importorskip("cma")
    with pytest.raises(KeyError, match="there is no column 'hinge.v'; there are t, hinge.q"):
        sestina.minimize(swing, {"parameters.c": (0, 1)}, lambda run: run["hinge.v"][-1])


@pytest.mark.parametrize(
    ("variables", "keys", "message"),
    [
        ({"parameters.cc": (0, 1)}, {}, r"variables parameters.cc=0.5: parameters has no 'cc' \(did you mean 'c'\?\)"),
        ({"bodies.rod.mas": (0, 1)}, {}, r"variables bodies.rod.mas=0.5: bodies\[0\]: unknown key 'mas' \(did you mean 'mass'\?\)"),
        ({"parameters.c": (1, 0)}, {}, r"variables\['parameters.c'\]: the lower bound 1 is not below the upper one, 0"),
        ({"parameters.c": (1, 1)}, {}, "is not below"),
        ({"parameters.c": 1}, {}, r"variables\['parameters.c'\]: 1 is not two numbers"),
        ({"parameters.c": (0, "x")}, {}, r"variables\['parameters.c'\]: \(0, 'x'\) is not two numbers"),
        ({"parameters.c": (0, float("inf"))}, {}, r"variables\['parameters.c'\]: \(0, inf\) is not finite"),
        ({}, {}, r"variables: \{\} has no keys with bounds"),
        (None, {"method": "cmaes"}, r"method: 'cmaes' is not known \(did you mean 'cma'\?\); allowed are cma, "),
        (None, {"start": {"parameters.d": 0}}, r"start: there is no variable 'parameters.d' \(did you mean 'parameters.c'\?\)"),
        (None, {"start": {"parameters.c": 2}}, r"start\['parameters.c'\]: 2 is not from 0 to 1"),
        (None, {"population": 2}, "population: 2 is not a whole number from 4"),
        (None, {"max_runs": 0.5}, "max_runs: 0.5 is not a whole number"),
        (None, {"sigma": 0}, "sigma: 0 is not above 0"),
        (None, {"cost": 3}, "cost: 3 is neither a function of a run nor an expression of columns"),
        (None, {"cost": lambda run: "low"}, r"cost: 'low' \(str\) is not a number, at parameters.c=0\.\d+"),
        (None, {"cost": lambda run: float("nan")}, r"cost: nan is not a number, at parameters.c=0\.\d+"),
        (None, {"cost": lambda run: run["hinge.q"]}, r"cost: an array of the shape \(101,\) \(ndarray\) is not a number, at"),
        (None, {"cost": "last(sqrt(0*hinge.q - 1))"}, "cost: nan is not a number, at"),
        (None, {"cost": "last(hinge.qq)"}, r"cost: there is no column 'hinge.qq' \(did you mean 'hinge.q'\?\)"),
        (None, {"cost": "zz"}, r"cost: there is no column 'zz'; there are t, hinge.q"),
        (None, {"cost": "last(hinge.q) + cc"}, r"cost: there is no column 'cc' \(did you mean 'c'\?\)"),
        (None, {"cost": "last(friction.value)"}, r"cost: there is no column 'friction.value'"),
        (None, {"cost": "max(c)"}, "'max\\(c\\)' is of a number"),
        (None, {"cost": "hinge.q"}, "cost: 'hinge.q' has a value for each row; allowed around columns are first, last"),
        (None, {"cost": "larst(hinge.q)"}, r"unknown function 'larst' \(did you mean 'last'\?\)"),
        (None, {"cost": "last(hinge.q"}, r"cost: 'last\(hinge.q'"),
        (None, {"cost": "last(hinge.q) if 1 else 2"}, "is neither a column, a parameter, a number nor an operation"),
        (None, {"cost": "max(hinge.q, 2)"}, "takes one argument"),
        (None, {"cost": "max(2)"}, "is of a number"),
    ],
)
def test_bad_input_is_told_by_place_and_value(swing, variables, keys, message):
    pytest.importorskip("cma")
    arguments = {"cost": "last(hinge.q)", **keys}
    with pytest.raises(sestina.InputError, match=message):
        sestina.minimize(swing, {"parameters.c": (0, 1)} if variables is None else variables, **arguments)


def test_a_library_that_is_missing_is_told(swing, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "cma", None)
    with pytest.raises(ImportError, match=r"the method cma needs cma: pip install scipy cma$"):
        sestina.minimize(swing, {"parameters.c": (0, 1)}, "last(hinge.q)")


def test_cost_expressions_are_those_of_numpy():
    t = np.array([0.0, 0.5, 2.0])
    run = {"t": t, "a.q": np.array([1.0, -3.0, 2.0]), "b.q[3]": np.array([2.0, 2.0, 4.0])}
    for text, value in {
        "first(a.q)": 1.0,
        "2*last(a.q)^2 - 1": 7.0,
        "min(a.q) + max(abs(a.q))": 0.0,
        "mean(b.q[3])": (2 * 0.5 + 3 * 1.5) / 2,
        "integral(b.q[3])": 5.5,
        "rms(a.q - a.q + 2)": 2.0,
        "-max(a.q*b.q[3]) / 4": -2.0,
        "sqrt(last(b.q[3]))": 2.0,
    }.items():
        assert CostExpression(text)(run) == pytest.approx(value, abs=1e-15), text
    assert CostExpression("last(a.q) + max(b.q[3])").columns == ["a.q", "b.q[3]"]


def test_costs_take_parameters_forces_and_points(swing):
    """As output.columns do; the system that is found has no columns of the search."""
    pytest.importorskip("cma")
    swing.parameters["twice"] = "2*c"
    swing.add_joint_force("drive", "hinge", "-c*sin(t)")
    cost = "max(abs(drive.value)) + 10*(twice - 0.2)^2 + 0*last(rod.tip.z) + 0*last(c*hinge.q)"
    found = sestina.minimize(swing, {"parameters.c": (0.01, 1)}, cost, max_runs=300)
    c = found.values["parameters.c"]
    # c + 10 (2 c - 0.2)^2 with max |sin| = 1 on the rows, to (0.05 s)^2/8, is least for 1 + 40 (2 c - 0.2) = 0
    assert c == pytest.approx(0.0875, abs=1e-4) and found.cost == pytest.approx(c + 10 * (2 * c - 0.2) ** 2, abs=1e-4)
    assert not list(found.system.output.columns) and not list(swing.output.columns)
    at_end = sestina.simulate(found.system)
    assert found.cost == pytest.approx(abs(c * np.sin(at_end["t"])).max() + 10 * (2 * c - 0.2) ** 2, rel=1e-9)


def test_symbols_of_a_system_that_was_derived_are_found(own_derivation):
    from sestina.symbolic import KanesMethod, Particle, Point, ReferenceFrame, SymbolicSystem, dynamicsymbols, symbols

    pytest.importorskip("scipy")
    q, u = dynamicsymbols("q u")
    m, k, c = symbols("m k c")
    t = dynamicsymbols._t
    N = ReferenceFrame("N")
    O = Point("O")
    O.set_vel(N, 0)
    P = O.locatenew("P", q * N.x)
    P.set_vel(N, u * N.x)
    kane = KanesMethod(N, [q], [u], [q.diff(t) - u])
    kane.kanes_equations([Particle("ball", P, m)], [(P, (-k * q - c * u) * N.x)])
    system = SymbolicSystem(kane, {m: 1, k: 4, c: 0.4}, {q: 1.2})
    wanted = system.simulate(4)[q].copy()
    found = sestina.minimize(
        system, {c: (0, 1), q: (0.5, 2)}, lambda run: np.mean((run[q] - wanted) ** 2), method="nelder_mead", duration=4
    )
    assert found.values == {"c": pytest.approx(0.4, abs=1e-4), "q": pytest.approx(1.2, abs=1e-4)}
    np.testing.assert_allclose(found.system.simulate(4)[q], wanted, atol=1e-3)
    with pytest.raises(sestina.InputError, match="variables.*'c' is not a symbol"):
        sestina.minimize(system, {"c": (0, 1)}, "last(q)", method="nelder_mead", duration=4)
    with pytest.raises(sestina.InputError, match=r"variables\[x\]: it is neither .* there are q, u, m, k, c"):
        sestina.minimize(system, {symbols("x"): (0, 1)}, "last(q)", method="nelder_mead", duration=4)
    with pytest.raises(sestina.InputError, match="cost: there is no column 'p'"):
        sestina.minimize(system, {c: (0, 1)}, "last(p)", method="nelder_mead", duration=4)
    with pytest.raises(sestina.InputError, match="duration"):
        sestina.minimize(system, {c: (0, 1)}, "last(q)", method="nelder_mead")
    # A stiff spring takes more steps than are allowed.
    failed = sestina.minimize(system, {k: (1, 1e6)}, "last(q)^2", method="nelder_mead", duration=4, max_steps=100, start={k: 2})
    assert failed.failed > 0 and "100 steps" in failed.failures[0][1] and failed.values["k"] < 1e3


def test_progress_of_the_terminal_names_the_best(swing, capsys):
    pytest.importorskip("cma")
    sestina.minimize(swing, {"parameters.c": (0, 0.3)}, "last(hinge.q)^2", generations=2, progress=True)
    told = capsys.readouterr().err
    assert "generation 2" in told and "least" in told and "c=" in told and told.endswith("\n")


def braked() -> sestina.System:
    """A unit mass that F pushes; behind w the brake B acts."""
    system = sestina.System("brake", parameters={"F": 2.0, "w": 0.5, "B": 1.0})
    system.add_particle("p", mass=1)
    system.add_joint("x", "prismatic", "ground.origin", "p.origin", axis=(1, 0, 0))
    system.add_joint_force("f", "x", "F - if(x.q > w, B, 0)")
    return system


def test_derivatives_over_a_jump_of_a_force_are_refused() -> None:
    system = braked()
    message = "at 0.7.* s a force jumps where .* passes zero"
    with pytest.raises(sestina.InputError, match=message):
        sestina.sensitivities(system, ["F"], record=["x.q"], method="tangents", duration=1.0)
    with pytest.raises(sestina.InputError, match=message):
        sestina.gradient(system, ["F"], "x.q", duration=1.0)
    # Before the wall, and with a spring behind it, there is none.
    assert sestina.gradient(system, ["F"], "x.q", duration=0.5).by[0] == pytest.approx(0.125)
    system.forces[0].value = "F - if(x.q > w, B*(x.q - w), 0)"
    # x = w + F (1 - cos r) + v sin r, v = sqrt(2 F w), r = 1 - sqrt(2 w/F); a kink costs accuracy.
    by = sestina.gradient(system, ["F", "w"], "x.q", duration=1.0, rtol=1e-11).by
    assert by == pytest.approx([0.4860989, 0.0425875], abs=1e-4)
