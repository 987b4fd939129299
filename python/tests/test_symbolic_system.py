"""Runs of derived equations, steady motions, eigenvalues: against closed forms, published tables and the solvers of models."""

from __future__ import annotations

import gc
import math
import os
import signal
import threading
import time
import weakref

import numpy as np
import pytest
import sestina
from bicycle import bicycle
from sestina import symbolic as sm

G = 9.81


@pytest.fixture(autouse=True)
def derivation():
    with sm.Mechanics() as mechanics:
        yield mechanics


def pendulum():
    """A particle of m on a massless rod of l, by its angle from hanging."""
    q, u = sm.dynamicsymbols("q u")
    m, l, g = sm.symbols("m l g")
    N = sm.ReferenceFrame("N")
    A = N.orientnew("A", "Axis", [q, N.z])
    A.set_ang_vel(N, u * N.z)
    O = sm.Point("O")
    O.set_vel(N, 0)
    P = O.locatenew("P", l * A.x)
    P.v2pt_theory(O, N, A)
    ball = sm.Particle("ball", P, m)
    ball.potential_energy = -m * g * l * sm.cos(q)
    kane = sm.KanesMethod(N, q_ind=[q], u_ind=[u], kd_eqs=[q.diff() - u])
    kane.kanes_equations([ball], [(P, m * g * N.x)])
    return kane, q, u, (m, l, g), N, ball


def runnable_pendulum(angle=1.0):
    kane, q, u, (m, l, g), N, ball = pendulum()
    system = sm.SymbolicSystem(kane, {m: 1.5, l: 0.7, g: G}, {q: angle})
    system.add_energies(N, ball)
    return system, q, u


def swing(angle, length, duration, **options):
    system = sestina.System(gravity=(0, 0, -G))
    ball = system.add_rigid_body("ball", 1.0, center_of_mass=(0, 0, -length))
    system.add_joint("hinge", "revolute", system.ground["origin"], ball["origin"], axis=(0, 1, 0), q=angle)
    return sestina.simulate(system, duration=duration, **options)


def test_a_derived_pendulum_swings_like_the_model():
    system, q, u = runnable_pendulum()
    result = system.simulate(3, every=0.03, rtol=1e-11, atol=1e-13)
    model = swing(1.0, 0.7, 3, every=0.03, rtol=1e-11, atol=1e-13)
    np.testing.assert_allclose(result.t, model.t, atol=1e-15)
    np.testing.assert_allclose(result[q], model["hinge.q"], atol=1e-9)
    np.testing.assert_allclose(result[u], model["hinge.u"], atol=1e-9)
    assert np.ptp(result["energy.total"]) < 1e-9 < 1 < np.ptp(result["energy.kinetic"])
    assert result.columns == ["t", "q", "u", "energy.kinetic", "energy.potential", "energy.total"]
    assert result.unit("energy.total") == "J" and u in result and "v" not in result
    np.testing.assert_array_equal(result.q[:, 0], result[q])
    np.testing.assert_array_equal(result.u[:, 0], result["u"])
    assert result.q.base is not None and not result[q].flags.writeable
    report = result.report
    assert (report.status, report.rows, report.t, report.failure) == ("complete", 101, 3.0, "")
    assert report.steps.steps > 10 and "complete" in repr(report) and "101 rows" in repr(result)


def test_weights_among_the_loads_count_in_the_energies():
    kane, q, u, (m, l, g), N, ball = pendulum()
    ball.potential_energy = 0
    kane.kanes_equations([ball], kane.loads)
    totals = []
    for given in ([ball], ball, (ball,)):
        system = sm.SymbolicSystem(kane, {m: 1.5, l: 0.7, g: G}, {q: 1.0})
        system.add_energies(N, given)
        result = system.simulate(1, every=0.1, rtol=1e-11, atol=1e-13)
        assert np.ptp(result["energy.potential"]) > 1 > 1e-9 > np.ptp(result["energy.total"])
        totals.append(result["energy.total"][0])
    assert totals == pytest.approx([-1.5 * G * 0.7 * math.cos(1.0)] * 3, rel=1e-14)
    kane.kanes_equations([ball], [(ball.point, (m * g * N.x).express(N.orientnew("A2", "Axis", [q, N.z])))])
    system = sm.SymbolicSystem(kane, {m: 1.5, l: 0.7, g: G}, {q: 1.0})
    system.add_energies(N, ball)
    assert np.ptp(system.simulate(1, every=0.1, rtol=1e-11, atol=1e-13)["energy.total"]) < 1e-9
    ball.potential_energy = 3 * q**2
    kane.kanes_equations([ball], [(ball.point, 14.7 * N.x)])
    with pytest.raises(sestina.InputError, match="at point P.*may or may not hold that of the weight"):
        sm.SymbolicSystem(kane).add_energies(N, [ball])


@pytest.mark.parametrize("integrator", ["rk4", "verlet", "cvode_bdf", "dormand_prince_54"])
def test_integrators_and_steps(integrator):
    if integrator not in sestina.integrator_names():
        pytest.skip("no such rule")
    system, q, _ = runnable_pendulum()
    exact = system.simulate(1, rtol=1e-12, atol=1e-14)[q][-1]
    options = {"rtol": 1e-9, "atol": 1e-11} if integrator.startswith("cvode") else {"dt": 1e-3}
    found = system.simulate(1, integrator=integrator, **options)
    assert abs(found[q][-1] - exact) < 1e-6
    assert len(system.simulate(1, every=0)) == 2
    late = system.simulate(1, start=5)
    assert late.t[0] == 5 and late.t[-1] == 6 and late[q][-1] == pytest.approx(exact, abs=1e-6)


def test_files_plots_and_dataframes(tmp_path):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    system, q, u = runnable_pendulum()
    result = system.simulate(1, out=tmp_path / "run.csv")
    again = sestina.read_result(tmp_path / "run.csv")
    np.testing.assert_array_equal(again["q"], result[q])
    figure = result.plot("q", "energy.*", path=tmp_path / "run.png")
    assert [panel.get_ylabel() for panel in figure.axes] == ["q", "J"]
    pyplot.close(figure)
    by_symbols = result.plot(q, "energy.*", x=u)
    np.testing.assert_array_equal(by_symbols.axes[0].lines[0].get_xydata(), np.stack([result[u], result[q]], axis=1))
    pyplot.close(by_symbols)
    assert result.unit(q) == result.unit("q") == ""
    with pytest.raises(TypeError, match="columns: 3 is not the name of a column"):
        result.plot(3)
    with pytest.raises(sestina.InputError, match="nothing is known to draw"):
        result.animate()
    with pytest.raises(sestina.InputError, match="which has no model"):
        _ = result.system


def test_expressions_of_columns_and_parameters_are_drawn():
    pytest.importorskip("matplotlib")
    kane, q, u, (m, l, g), N, ball = pendulum()
    system = sm.SymbolicSystem(kane, {m: 1.5, l: 0.7, g: G}, {q: 1.0})
    result = system.simulate(duration=1)
    height = -l * sm.cos(q)
    np.testing.assert_allclose(result[height], -0.7 * np.cos(result[q]), rtol=1e-15)
    np.testing.assert_array_equal(result[q + u], result[q] + result[u])
    figure = result.plot(q, q + u, height, "2*q", x=sm.sin(q))
    drawn = {line.get_label(): line for axes in figure.axes for line in axes.lines}
    assert len(drawn) == 4
    np.testing.assert_array_equal(drawn[str(q + u)].get_ydata(), result[q] + result[u])
    np.testing.assert_array_equal(drawn["2*q"].get_ydata(), 2 * result[q])
    np.testing.assert_array_equal(drawn[str(height)].get_xdata(), np.sin(result[q]))
    other = sm.symbols("other")
    with pytest.raises(sestina.InputError, match="there is no column 'other'"):
        result.plot(q * other)


def test_a_constraint_with_multipliers():
    """Lagrange's method in Cartesian coordinates: the pendulum again, its tension by the multiplier."""
    x, y = sm.dynamicsymbols("x y")
    m, l, g = sm.symbols("m l g")
    L = m / 2 * (x.diff() ** 2 + y.diff() ** 2) - m * g * y
    lagrange = sm.LagrangesMethod(L, [x, y], hol_coneqs=[x**2 + y**2 - l**2])
    system = sm.SymbolicSystem(lagrange, {m: 1.5, l: 0.7, g: G})
    assert system.q == [x, y] and system.u == [x.diff(), y.diff()] and len(system.multipliers) == 1
    system.set_initial({x: l * sm.sin(sm.Expression(2)), x.diff(): 0})
    system.set_guess({y: 0.1})
    # Minus the multiplier times the gradient (2 x, 2 y), of length 2 l, points inward where it is a tension.
    system.add_output("tension", 2 * l * system.multipliers[0], "N")
    system.add_output("energy", m / 2 * (x.diff() ** 2 + y.diff() ** 2) + m * g * y, "J")
    start = system.initial_state()
    assert start[x] == 0.7 * math.sin(2) and start[y] == pytest.approx(-0.7 * math.cos(2), rel=1e-12) and start[x.diff()] == 0
    result = system.simulate(5, every=0.05, rtol=1e-11, atol=1e-13)
    model = swing(2.0, 0.7, 5, every=0.05, rtol=1e-11, atol=1e-13)
    angle, rate = model["hinge.q"], model["hinge.u"]
    np.testing.assert_allclose(result[x], 0.7 * np.sin(angle), atol=1e-8)
    np.testing.assert_allclose(result[y], -0.7 * np.cos(angle), atol=1e-8)
    np.testing.assert_allclose(result["tension"], 1.5 * (0.7 * rate**2 + G * np.cos(angle)), atol=1e-6)
    assert np.ptp(result["tension"]) > 10
    report = result.report
    assert report.configuration_residual < 1e-14 and report.velocity_residual < 1e-13 and 0 < report.drift < 1e-6
    assert report.redundant == []


def test_events_of_a_ball_that_bounces():
    y, v = sm.dynamicsymbols("y v")
    m, g = sm.symbols("m g")
    N, O = sm.ReferenceFrame("N"), sm.Point("O")
    O.set_vel(N, 0)
    P = O.locatenew("P", y * N.y)
    P.set_vel(N, v * N.y)
    kane = sm.KanesMethod(N, [y], [v], [y.diff() - v])
    kane.kanes_equations([sm.Particle("ball", P, m)], [(P, -m * g * N.y)])
    system = sm.SymbolicSystem(kane, {m: 1, g: G}, {y: 1.0})
    system.add_event("floor", y, "falling", set={v: -0.5 * v})
    result = system.simulate(1.2, every=0.1)
    first = math.sqrt(2 / G)
    assert result.report.event_counts == [3]
    times = result.t[result["event"] == 1]
    np.testing.assert_allclose(times, [first, 2 * first, 2.5 * first], rtol=1e-9)
    system.add_event("slow", v - 0.1, "falling", terminal=True)
    result = system.simulate(10)
    assert result.report.ended_by == "slow" and result.report.status == "complete"
    assert result.t[-1] == pytest.approx(1.5 * first - 0.1 / G, rel=1e-9) and result[v][-1] == pytest.approx(0.1)


def test_inputs_and_numbers_at_the_start():
    x, v, F = sm.dynamicsymbols("x v F")
    m, w = sm.symbols("m w")
    t = sm.symbols("t")
    N, O = sm.ReferenceFrame("N"), sm.Point("O")
    O.set_vel(N, 0)
    P = O.locatenew("P", x * N.x)
    P.set_vel(N, v * N.x)
    kane = sm.KanesMethod(N, [x], [v], [x.diff() - v])
    kane.kanes_equations([sm.Particle("cart", P, m)], [(P, F * N.x)])
    system = sm.SymbolicSystem(kane, {m: 2.0, w: 3.0})
    with pytest.raises(sestina.InputError, match="F is not a coordinate, speed or given function of time"):
        system.simulate(1)
    system.set_input(F, sm.cos(w * t))
    system.add_output("power", F * v, "W")
    result = system.simulate(2, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(result[x], (1 - np.cos(3 * result.t)) / 18, atol=1e-9)
    np.testing.assert_allclose(result["power"], np.cos(3 * result.t) * result[v], atol=1e-12)
    np.testing.assert_allclose(system.evaluate_at_start([v.diff(), F, 7]), [0.5, 1.0, 7.0], rtol=1e-15)
    assert system.evaluate_at_start([]).shape == (0,)


def driven_cart(**options):
    """m x'' = F, m = 2 kg"""
    x, v, F = sm.dynamicsymbols("x v F")
    N, O = sm.ReferenceFrame("N"), sm.Point("O")
    O.set_vel(N, 0)
    P = O.locatenew("P", x * N.x)
    P.set_vel(N, v * N.x)
    kane = sm.KanesMethod(N, [x], [v], [x.diff() - v])
    kane.kanes_equations([sm.Particle("cart", P, 2)], [(P, F * N.x)])
    symbols = {"x": x, "v": v, "F": F}
    given = {name: {symbols[key]: one for key, one in values.items()} for name, values in options.items()}
    return sm.SymbolicSystem(kane, **given), x, v, F


def test_inputs_are_functions_of_python(own_derivation):
    system, x, v, F = driven_cart(initial={"x": 1.0})
    system.add_output("drive", F, "N")
    for function in (
        math.cos,
        np.cos,
        lambda t: np.float64(math.cos(t)),
        lambda t, gain=1: gain * math.cos(t),
        lambda t, q, u: math.cos(t),
        lambda *state: math.cos(state[0]),
    ):
        system.set_input(F, function)
        result = system.simulate(2, rtol=1e-10, atol=1e-12)
        np.testing.assert_allclose(result[x], 1 + (1 - np.cos(result.t)) / 2, atol=1e-9)
        np.testing.assert_allclose(result["drive"], np.cos(result.t), atol=1e-15)
    system.set_input(F, lambda t, q, u: -8 * q[0] - 4 * u[0])  # x'' + 2 x' + 4 x = 0
    result = system.simulate(3, rtol=1e-10, atol=1e-12)
    root = math.sqrt(3)
    exact = np.exp(-result.t) * (np.cos(root * result.t) + np.sin(root * result.t) / root)
    np.testing.assert_allclose(result[x], exact, atol=1e-9)
    assert system.evaluate_at_start([F, v.diff()]).tolist() == [-8, -4]


def test_inputs_are_tables_whose_pulses_are_not_stepped_over(own_derivation):
    times, values = np.array([50.1, 50.2, 50.6, 50.7]), [0, 1, 1, 0]
    system, x, v, F = driven_cart(inputs={"F": (times, values)})
    assert system.simulate(100)[v][-1] == pytest.approx(0.25, rel=1e-12)
    system.set_input(F, lambda t: 1.0 if 60 <= t < 60.5 else 0.0, knots=[60, 60.5])
    assert system.simulate(100)[v][-1] == pytest.approx(0.25, rel=1e-6)
    for wrong, words in (
        (lambda: system.set_input(F, (times, values[:3])), "4 times and 3 values"),
        (lambda: system.set_input(F, (times[::-1], values)), "allowed are times that rise"),
        (lambda: system.set_input(F, np.c_[times, values]), r"array of the shape \(4, 2\); allowed is a pair \(times, values\)"),
        (lambda: system.set_input(F, (times,)), "the input F: 1 arrays; allowed are times and values"),
        (lambda: system.set_input(F, ([times], [values])), r"shapes \(1, 4\) and \(1, 4\)"),
        (lambda: system.set_input(F, 3, knots=[1]), "knots: allowed with a function alone"),
        (lambda: system.set_input(F, lambda t, q: 0), "allowed are functions of t, or of t, q and u"),
        (lambda: system.set_input(F, math.cos, knots=[2, 1]), "the knots of the input F do not rise"),
        (lambda: system.set_input(x, math.cos), "x is not a function of time other than"),
    ):
        with pytest.raises(sestina.InputError, match=words):
            wrong()
    assert system.simulate(100)[v][-1] == pytest.approx(0.25, rel=1e-6)


def test_what_an_input_raises_is_raised_with_the_rows_until_then(own_derivation):
    system, x, _, F = driven_cart()

    def broken(t):
        if t > 0.5:
            raise ZeroDivisionError("at last")
        return 1.0

    system.set_input(F, broken)
    with pytest.raises(ZeroDivisionError, match="at last") as caught:
        system.simulate(1, dt=0.01, every=0.1)
    assert caught.value.result.t[-1] == 0.5 and caught.value.result.report.status == "failed"
    result = system.simulate(1, dt=0.01, every=0.1, check=False)
    assert "the function of the input F raised ZeroDivisionError: at last" in result.report.reason
    system.set_input(F, lambda t: "much")
    with pytest.raises(sestina.InputError, match="'much', which is not a number"):
        system.simulate(1)
    with pytest.raises(sestina.InputError, match="'much', which is not a number"):
        system.evaluate_at_start([F])
    system.set_input(F, lambda t: math.nan)
    with pytest.raises(sestina.ComputationError, match="the input F becomes nan"):
        system.simulate(1)
    system.set_input(F, lambda t: system.set_input(F, 1) or 1)
    with pytest.raises(sestina.InputError, match="cannot be changed while it is being simulated"):
        system.simulate(1)
    system.set_input(F, 0)
    assert system.simulate(1)[x][-1] == 0


def test_functions_that_refer_to_their_system_are_collected():
    def make():
        with sm.Mechanics():
            system, x, _, F = driven_cart()
            system.set_input(F, lambda t: float(len(system.q)))
            system.simulate(0.1)
            return weakref.ref(system)

    alive = make()
    gc.collect()
    assert alive() is None


def test_rows_stand_where_t_eval_has_them():
    system, q, _ = runnable_pendulum()
    times = np.array([0.0, 0.3, 0.31, 0.9, 2.0])
    result = system.simulate(t_eval=times, rtol=1e-10)
    np.testing.assert_array_equal(result.t, times)
    dense = system.simulate(2, every=0.01, rtol=1e-10)
    np.testing.assert_allclose(result[q], dense[q][[0, 30, 31, 90, 200]], atol=1e-12)
    assert list(system.simulate(2, t_eval=[0.5]).t) == [0.5] and system.simulate(2, t_eval=[0.5]).report.t == 2
    assert list(system.simulate(t_eval=[0.3, 0.9], start=0.2).t) == [0.3, 0.9]
    for wrong, words in (
        (lambda: system.simulate(), "neither a duration nor t_eval"),
        (lambda: system.simulate(t_eval=[]), r"t_eval has the shape \(0,\)"),
        (lambda: system.simulate(t_eval=[[1.0]]), r"t_eval has the shape \(1, 1\)"),
        (lambda: system.simulate(t_eval=[1, 1]), r"t_eval\[1\] is 1 s, after 1 s; allowed are times that rise"),
        (lambda: system.simulate(t_eval=[0, 2, 1]), r"t_eval\[2\] is 1 s, after 2 s; allowed are times that rise"),
        (lambda: system.simulate(t_eval=[-1, 1]), "row 0 at -1 s; allowed are times that rise from 0 s to 1 s"),
        (lambda: system.simulate(1, t_eval=[0, 2]), "row 1 at 2 s"),
        (lambda: system.simulate(t_eval=[0, 2], every=0.1), "every: 0.1 is given together with t_eval"),
    ):
        with pytest.raises(sestina.InputError, match=words):
            wrong()


def test_the_bicycle_rights_itself_with_both_wheels_on_the_ground():
    bike = bicycle()
    lean, steer = bike.q[1], bike.q[3]
    numbers = {**bike.parameters, bike.v: 5.0}
    start = {one: value for one, value in bike.riding.items() if one in [*bike.q, *bike.u]}
    system = sm.SymbolicSystem(bike.kane, numbers, {**start, bike.u[1]: 0.3})
    system.add_output("energy", bike.energy, "J")
    result = system.simulate(10, rtol=1e-9)
    assert np.abs(result[lean]).max() > 0.01 and abs(result[lean][-1]) < 0.1 * np.abs(result[lean]).max()
    assert np.abs(result[steer]).max() > 0.01
    assert np.ptp(result["energy"]) < 1e-5
    assert result.report.velocity_residual < 1e-12 and result.report.configuration_residual < 1e-14


def test_the_bicycle_has_the_published_eigenvalues_and_speeds():
    bike = bicycle()
    full, _, _ = bike.kane.linearize(A_and_B=True, op_point={**bike.riding, **bike.parameters})
    places = [1, 2, 3, 5]
    A = sm.Matrix([[full[i, j] for j in places] for i in places])
    # Table 2 of Meijaard et al.
    published = {
        1: [3.52696170990070 + 0.807740275199300j, -3.13423125066578, -7.11008014637442],
        5: [-0.775341882195850 + 4.46486771378823j, -0.322866429004090, -14.0783896927982],
        10: [-3.72016840437287 + 10.9068113947629j, 0.161053386531720, -24.6245963501740],
    }
    for speed, expected in published.items():
        found = sm.calc_eigenvalues(A, {bike.v: speed})
        assert found.shape == (4,) and list(found.real) == sorted(found.real, reverse=True)
        upper = sorted((x for x in found if x.imag >= 0), key=lambda x: (-x.imag, -x.real))
        np.testing.assert_allclose(upper, expected, rtol=1e-12)
    told = sm.calc_eigenvalue_branches(A, bike.v, np.linspace(0, 10, 101))
    assert told.branches.shape == (4, 101) and told.values.shape == (101,)
    weave, capsize = told.changes
    assert weave.value == pytest.approx(4.292, abs=5e-4) and weave.is_stabilised and weave.eigenvalue.imag > 3
    assert capsize.value == pytest.approx(6.024, abs=5e-4) and not capsize.is_stabilised and capsize.eigenvalue.imag == 0
    # No branch jumps.
    assert np.abs(np.diff(told.branches[:, 1:], axis=1)).max() < 1.0
    with pytest.raises(sestina.InputError, match=r"values has the shape \(2, 2\)"):
        sm.calc_eigenvalue_branches(A, bike.v, np.ones((2, 2)))
    with pytest.raises(sestina.InputError, match="no value is given for v"):
        sm.calc_eigenvalues(A)
    with pytest.raises(sestina.InputError, match="v is varied, and has a value among the parameters"):
        sm.calc_eigenvalue_branches(A, bike.v, [1.0, 2.0], {bike.v: 5.0})


def rolling_disc():
    yaw, lean, spin, u1, u2, u3 = sm.dynamicsymbols("yaw lean spin u1 u2 u3")
    r, m, g = sm.symbols("r m g")
    N = sm.ReferenceFrame("N")
    Y = N.orientnew("Y", "Axis", [yaw, N.z])
    L = Y.orientnew("L", "Axis", [lean, Y.x])
    R = L.orientnew("R", "Axis", [spin, L.y])
    kinematic = [R.ang_vel_in(N).dot(axis) - u for axis, u in zip((L.x, L.y, L.z), (u1, u2, u3))]
    R.set_ang_vel(N, u1 * L.x + u2 * L.y + u3 * L.z)
    contact = sm.Point("C")
    contact.set_vel(N, 0)
    center = contact.locatenew("D", r * L.z)
    center.v2pt_theory(contact, N, R)
    disc = sm.RigidBody("disc", center, R, m, (sm.inertia(L, m * r**2 / 4, m * r**2 / 2, m * r**2 / 4), center))
    kane = sm.KanesMethod(N, [yaw, lean, spin], [u1, u2, u3], kinematic)
    kane.kanes_equations([disc], [(center, -m * g * N.z)])
    return kane, (lean, u1, u2, u3), {r: 0.3, m: 2.0, g: G}


def test_a_disc_turns_steadily_and_keeps_doing_so():
    """Kane and Levinson 1985, section 8.1: 5 r u1' = 4 g sin q2 + 6 r u2 u3 - r u3^2 tan q2."""
    kane, (lean, _, u2, u3), numbers = rolling_disc()
    spin = (1.1**2 * 0.3 * math.tan(0.3) - 4 * G * math.sin(0.3)) / (6 * 1.1 * 0.3)
    found = sm.find_steady_motion(kane, numbers, values={lean: 0.3, u3: 1.1}, unknowns=[u2])
    assert found.values[u2] == pytest.approx(spin, abs=1e-12) and found.is_isolated and found.residual < 1e-12
    family = sm.find_steady_motion(kane, numbers, values={lean: 0.2, u2: spin, u3: 1.1}, unknowns=[lean, u2])
    assert not family.is_isolated
    system = sm.SymbolicSystem(kane, numbers, {one: found.values[one] for one in (lean, u2, u3)})
    result = system.simulate(0.5, rtol=1e-11, atol=1e-13)
    assert np.abs(result[lean] - 0.3).max() < 1e-7
    assert np.ptp(result["yaw"]) > 0.5
    with pytest.raises(sestina.InputError, match="occurs twice"):
        sm.find_steady_motion(kane, numbers, unknowns=[u2, u2])


def test_rest():
    kane, q, u, (m, l, g), _, _ = pendulum()
    rest = sm.find_equilibrium(kane, {m: 1.5, l: 0.7, g: G}, {q: 0.4})
    assert rest.values == {q: pytest.approx(0, abs=1e-9), u: 0} and rest.is_isolated and rest.multipliers == []
    upright = sm.find_equilibrium(kane, {m: 1.5, l: 0.7, g: G}, {q: 3.0})
    assert upright.values[q] == pytest.approx(math.pi, abs=1e-9)
    with pytest.raises(sestina.InputError, match="no value is given for g"):
        sm.find_equilibrium(kane, {m: 1.5, l: 0.7})
    with pytest.raises(TypeError, match="expected a KanesMethod or LagrangesMethod, not Matrix"):
        sm.find_equilibrium(kane.mass_matrix)


def test_sums_and_products_written_another_way():
    a, b, c, d, x, y = sm.symbols("a b c d x y")
    product = (a + b) * (c + d) * (x - y) ** 2
    expanded = sm.expand(product)
    assert str(sm.expand(a * (x + y) ** 2)) == str(sm.parse("a*x^2 + 2*a*x*y + a*y^2"))
    assert expanded.equals(product) and expanded != product and product.expand() == expanded
    assert sm.collect(a * x + b * x + c * x**2 + d, x) == d + (a + b) * x + c * x**2
    assert (a * x * y + b * x * y + x * c + d * y).collect([x, y]) == d * y + (c + (a + b) * y) * x
    assert sm.factor(a * x + a * y + b * x + b * y) == (a + b) * (x + y)
    assert sm.coefficients_of((x + a) * (x + b), x) == [(0, a * b), (1, a + b), (2, sm.Expression(1))]
    matrix = sm.Matrix([[a * (x + y), (x + 1) ** 2], [0, a * x + b * x]])
    assert sm.expand(matrix) == sm.Matrix([[a * x + a * y, x**2 + 2 * x + 1], [0, a * x + b * x]])
    assert sm.factor(matrix)[1, 1] == (a + b) * x and sm.collect(matrix, x)[1, 1] == (a + b) * x
    assert sm.expand(sm.Expression(3)) == 3
    sympy = pytest.importorskip("sympy")
    assert sympy.simplify(expanded.to_sympy() - sympy.expand(product.to_sympy())) == 0
    with pytest.raises(sestina.InputError, match="terms"):
        sm.expand((a + b + c + d + x + y) ** 40)
    with pytest.raises(sestina.InputError, match="of: allowed are"):
        sm.collect(x, "x")


def test_a_run_that_fails_tells_when_and_leaves_what_there_was():
    x, v = sm.dynamicsymbols("x v")
    m = sm.symbols("m")
    N, O = sm.ReferenceFrame("N"), sm.Point("O")
    O.set_vel(N, 0)
    P = O.locatenew("P", x * N.x)
    P.set_vel(N, v * N.x)
    kane = sm.KanesMethod(N, [x], [v], [x.diff() - v])
    # v' = v^2 is at infinity after 1 s.
    kane.kanes_equations([sm.Particle("P", P, m)], [(P, m * v**2 * N.x)])
    system = sm.SymbolicSystem(kane, {m: 1}, {v: 1})
    with pytest.raises(sestina.ComputationError) as failed:
        system.simulate(2, every=0.01)
    assert 0.99 < failed.value.time < 1.01
    left = failed.value.result
    assert left.report.status == "failed" and len(left) > 90
    np.testing.assert_allclose(left[v][:90], 1 / (1 - left.t[:90]), rtol=1e-5)
    assert system.simulate(2, check=False).report.status == "failed"


def test_while_it_runs_others_work_and_nothing_can_be_changed():
    system, q, u = runnable_pendulum()
    m = sm.symbols("m")
    seen, refusals = [], []

    def progress(t, duration, wall, steps):
        seen.append((t, duration, steps))
        for change in (
            lambda: system.set({m: 2}),
            lambda: system.set_initial({q: 2}),
            lambda: system.add_output("x", q),
            lambda: system.add_event("e", q),
            lambda: system.add_invariant(q),
        ):
            with pytest.raises(sestina.InputError, match="while it is being simulated") as refused:
                change()
            refusals.append(refused)

    result = system.simulate(200, dt=2e-5, integrator="rk4", every=1, progress=progress)
    assert seen and len(refusals) == 5 * len(seen) and result.report.status == "complete"
    assert [t for t, _, _ in seen] == sorted(t for t, _, _ in seen) and all(duration == 200 for _, duration, _ in seen)
    system.set({m: 2})

    def fails(*_):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        system.simulate(1e6, dt=1e-4, integrator="rk4", every=0, progress=fails)
    # Another thread derives while this one integrates.
    made = []

    def derive():
        with sm.Mechanics():
            for k in range(200):
                made.append(sm.expand((sm.symbols("a") + sm.symbols(f"b{k}")) ** 5))

    def integrate():
        results.append(system.simulate(20, dt=1e-4, integrator="rk4"))

    results: list[sm.SymbolicResult] = []
    threads = [threading.Thread(target=one) for one in (derive, integrate, integrate)]
    for one in threads:
        one.start()
    grown = q
    for _ in range(3000):
        grown = sm.sin(grown) + u  # in the graph of the system that runs
    for one in threads:
        one.join()
    assert len(made) == 200
    np.testing.assert_array_equal(results[0].q, results[1].q)


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_ctrl_c_returns_what_there_is():
    system, q, _ = runnable_pendulum()
    threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    begin = time.monotonic()
    result = system.simulate(1e7, dt=1e-4, integrator="rk4", every=0)
    assert time.monotonic() - begin < 20
    assert result.report.status == "interrupted" and 0 < result.report.t < 1e7
    assert len(result) == 2 and result.t[-1] == result.report.t


def test_what_is_of_another_derivation_or_no_number_is_refused():
    system, q, u = runnable_pendulum()
    with sm.Mechanics():
        other = sm.dynamicsymbols("q")
        constant = sm.symbols("m")
    for wrong in (
        lambda: system.set({constant: 1}),
        lambda: system.set_initial({other: 1}),
        lambda: system.set_guess({other: 1}),
        lambda: system.set_input(other, 1),
        lambda: system.add_invariant(other),
        lambda: system.add_output("x", other),
        lambda: system.add_event("e", other),
        lambda: system.add_event("e", q, set={u: other}),
        lambda: system.evaluate_at_start([q, other]),
    ):
        with pytest.raises(sestina.InputError, match="different derivations"):
            wrong()
    for wrong, words in (
        (lambda: system.set({q: 1}), "q is not a constant"),
        (lambda: system.set({sm.symbols("m"): q}), "allowed are numbers for symbols"),
        (lambda: system.set({sm.symbols("m"): math.nan}), "is not finite"),
        (lambda: system.set(3), "3 is neither a dictionary of expressions nor a list of pairs"),
        (lambda: system.set_initial({sm.symbols("m"): 1}), "m is not a coordinate or speed"),
        (lambda: system.set_input(q, 1), "q is not a function of time other than"),
        (lambda: system.add_output("t", q), "cannot name an output"),
        (lambda: system.add_event("e", q, "up"), "direction: 'up'; allowed are rising, falling and both"),
        (lambda: system.add_event("e", q, tolerance=-1), "the tolerance -1 s"),
        (lambda: system.add_event("e", q, set={sm.symbols("m"): 1}), "m is not a coordinate or speed"),
        (lambda: system.simulate(-1), "is not possible"),
        (lambda: system.simulate(math.nan), "is not possible"),
        (lambda: system.simulate(1, integrator="euler"), "euler"),
        (lambda: system.simulate(1, dt=0), "dt"),
        (lambda: system.simulate(1, out="/nowhere/run.csv"), "/nowhere/run.csv"),
        (lambda: system.initial_state(math.inf), "is not finite"),
    ):
        with pytest.raises(sestina.InputError, match=words):
            wrong()
    with pytest.raises(TypeError):
        sm.SymbolicSystem(q)
    assert system.simulate(1)[q][0] == 1.0


def test_a_system_keeps_its_derivation_alive():
    with sm.Mechanics() as mechanics:
        system, q, _ = runnable_pendulum()
        alive = weakref.ref(system)
        size = mechanics.size
    del mechanics
    gc.collect()
    assert size > 10 and system.simulate(1)[q][0] == 1.0
    del system, q
    gc.collect()
    assert alive() is None
