"""Many runs at once, and derivatives of runs."""

from __future__ import annotations

import os
import signal
import threading

import numpy as np
import pytest
import sestina


@pytest.fixture
def oscillator() -> sestina.System:
    """x = x0 cos(w t), w = sqrt(k/m)."""
    system = sestina.System(parameters={"m": 2.0, "k": 8.0, "x0": 0.3})
    mass = system.add_particle("mass", "m")
    system.add_joint("slide", "prismatic", "ground.origin", mass["origin"], axis=(1, 0, 0), q="x0")
    system.add_joint_spring("spring", "slide", "k")
    return system


def test_members_have_the_leading_axes_of_what_varies(oscillator):
    m, k = np.array([1.0, 2.0, 4.0])[:, None], np.array([8.0, 2.0])
    ensemble = sestina.run_ensemble(oscillator, {"m": m, "k": k}, duration=1.0, every=0.1, record=["slide.*"], rtol=1e-10)
    assert ensemble.shape == (3, 2) and ensemble["slide.q"].shape == (3, 2, 11) and ensemble.unit("slide.q") == "m"
    t = ensemble["t"]
    np.testing.assert_allclose(ensemble["slide.q"], 0.3 * np.cos(np.sqrt(k / m)[..., None] * t), atol=1e-8)
    assert ensemble.q.shape == (3, 2, 1) and (ensemble.q[..., 0] == ensemble["slide.q"][..., -1]).all()
    assert (ensemble.status == "complete").all() and (ensemble.lanes > 0).all() and (ensemble.t == 1.0).all()


def test_initial_states_and_durations_vary(oscillator):
    q = np.linspace(-1, 1, 5)[:, None]
    ensemble = sestina.run_ensemble(oscillator, q=q, u=[0.0], duration=np.linspace(0.2, 1, 5), record=["slide.q"], every=0.1, rtol=1e-10)
    np.testing.assert_allclose(ensemble.q[:, 0], q[:, 0] * np.cos(2 * ensemble.t), atol=1e-8)
    assert np.isnan(ensemble["slide.q"][0, 3:]).all() and not np.isnan(ensemble["slide.q"][4]).any()
    assert sestina.run_ensemble(oscillator, duration=0.1).shape == ()


def test_rule_and_step_are_those_that_are_asked_for(oscillator):
    fixed = sestina.run_ensemble(oscillator, {"m": [1.0, 2.0]}, duration=0.5, integrator="rk4", dt=0.01)
    assert (fixed.steps == 50).all()
    oscillator.parameters["m"] = 2.0
    alone = sestina.simulate(oscillator, duration=0.5, integrator="rk4", dt=0.01)
    np.testing.assert_allclose(fixed.q[1], alone.q[-1], rtol=1e-13)
    coarse, fine = (sestina.run_ensemble(oscillator, duration=0.5, integrator="rkf45", rtol=rtol, atol=1e-14) for rtol in (1e-4, 1e-11))
    assert coarse.steps < fine.steps


def test_lanes_and_threads_do_not_change_the_result(oscillator):
    m = np.linspace(1, 3, 20)
    one, two = (sestina.run_ensemble(oscillator, {"m": m}, duration=0.5, threads=n) for n in (1, 2))
    assert (one.q == two.q).all()
    alone = sestina.run_ensemble(oscillator, {"m": m}, duration=0.5, lanes=False)
    assert (alone.lanes == 0).all()
    np.testing.assert_allclose(alone.q, one.q, rtol=1e-12)
    oscillator.parameters["m"] = m[7]
    assert sestina.simulate(oscillator, duration=0.5).q[-1] == alone.q[7]


def test_faults_are_told(oscillator):
    for wrong in [
        lambda: sestina.run_ensemble(oscillator, {"m": [1.0, 2.0], "k": [1.0, 2.0, 3.0]}),
        lambda: sestina.run_ensemble(oscillator, q=[0.0]),
        lambda: sestina.run_ensemble(oscillator, q=np.zeros((3, 2)), u=np.zeros(1)),
        lambda: sestina.run_ensemble(oscillator, record=["nothing"], duration=0.1),
        lambda: sestina.sensitivities(oscillator, ["mass"], record=["slide.q"]),
    ]:
        with pytest.raises(sestina.Error):
            wrong()
    with pytest.raises(sestina.ComputationError, match=r"run \[1\].*\(1 of 2 runs failed; error.result") as raised:
        sestina.run_ensemble(oscillator, {"m": [1.0, -1.0]}, duration=0.1)
    assert list(raised.value.result.status) == ["complete", "failed"]
    told = sestina.run_ensemble(oscillator, {"m": [1.0, -1.0]}, duration=0.1, check=False)
    assert list(told.status) == ["complete", "failed"] and "negative" in told.reasons[1]
    with pytest.raises(sestina.InputError, match="^there is no parameter 'mm'"):
        sestina.run_ensemble(oscillator, {"mm": [1.0]}, duration=0.1)
    with pytest.raises(sestina.InputError, match="^unknown column 'nothing'"):
        sestina.run_ensemble(oscillator, {"m": [1.0]}, duration=0.1, record=["nothing"])


@pytest.mark.parametrize("options", [{"integrator": "rk4", "dt": 1e-3}, {"rtol": 1e-10}])
def test_sensitivities_are_the_derivatives_of_the_closed_form(oscillator, options):
    told = sestina.sensitivities(oscillator, ["m", "k", "x0"], record=["slide.q"], duration=2.0, every=0.5, **options)
    m, k, x0, w, t = 2.0, 8.0, 0.3, 2.0, told.t
    assert told["slide.q"].shape == (3, 5)
    by_w = -x0 * t * np.sin(w * t)
    for row, exact in zip(told["slide.q"], (-by_w * w / (2 * m), by_w * w / (2 * k), np.cos(w * t)), strict=True):
        np.testing.assert_allclose(row, exact, atol=2e-6)
        assert np.abs(exact).max() > 0.03


@pytest.mark.parametrize("options", [{"integrator": "rk4", "dt": 1e-3}, {"rtol": 1e-12}])
def test_sensitivities_by_tangents_are_exact(oscillator, options):
    options |= {"method": "tangents", "duration": 2.0, "every": 0.5}
    told = sestina.sensitivities(oscillator, ["m", "k", "x0", "slide.q", "slide.u"], record=["slide.*"], **options)
    m, k, x0, w, t = 2.0, 8.0, 0.3, 2.0, told.t
    by_w = -x0 * t * np.sin(w * t)
    cos = np.cos(w * t)
    exact = (-by_w * w / (2 * m), by_w * w / (2 * k), cos, cos, np.sin(w * t) / w)
    np.testing.assert_allclose(told["slide.q"], exact, atol=1e-10)
    np.testing.assert_allclose(told["slide.u"][3], -w * np.sin(w * t), atol=1e-10)
    assert told.parameters[3] == "slide.q" and told.columns[0] == "t" and told.values.shape == told.by.shape[1:]
    for wrong, message in [
        ({"parameters": ["mm"]}, "there is no parameter 'mm'"),
        ({"record": ["nothing"]}, "nothing"),
        ({"method": "adjoint"}, "method: 'adjoint'; allowed are 'differences' and 'tangents'"),
    ]:
        with pytest.raises(sestina.InputError, match=message):
            sestina.sensitivities(oscillator, **{"parameters": ["m"], "record": ["slide.q"]} | options | wrong)


def test_a_gradient_is_that_of_the_closed_form(oscillator):
    m, k, x0, w, t = 2.0, 8.0, 0.3, 2.0, 2.0
    by_w, cos = -x0 * t * np.sin(w * t), np.cos(w * t)
    told = sestina.gradient(oscillator, ["m", "k", "x0", "slide.u"], "slide.q", duration=t, rtol=1e-12)
    exact = (-by_w * w / (2 * m), by_w * w / (2 * k), cos, np.sin(w * t) / w)
    np.testing.assert_allclose(told.by, exact, atol=1e-10)
    assert abs(told.cost - x0 * cos) < 1e-10 and told["k"] == told.by[1] and told.columns == ["slide.q"]

    # The sum of squares of a column, beside the derivatives of all rows.
    def cost(t, values):
        assert t.shape == (5,) and values.shape == (5, 2)
        return float((values[:, 0] ** 2).sum()), np.stack([2 * values[:, 0], np.zeros(5)], axis=1)

    options = {"record": ["slide.q", "slide.u"], "duration": 2.0, "every": 0.5, "integrator": "rk4", "dt": 1e-2}
    told = sestina.gradient(oscillator, ["m", "k", "x0"], cost, **options)
    rows = sestina.sensitivities(oscillator, ["m", "k", "x0"], method="tangents", **options)
    np.testing.assert_allclose(told.by, (2 * rows.values[:, 1] * rows["slide.q"]).sum(axis=1), rtol=1e-10)


def test_faults_of_a_gradient_are_told(oscillator):
    def one(t, values):
        return 1.0, values

    for wrong, message in [
        ({"parameters": []}, "there is no name"),
        ({"parameters": ["mm"]}, "there is no parameter 'mm'"),
        ({"cost": "nothing"}, "nothing"),
        ({"cost": "slide.*"}, "a function must give the cost"),
        ({"cost": one}, "record: the columns .* are missing"),
        ({"record": ["slide.q"]}, "record: the cost is the last value"),
        ({"cost": lambda t, values: (1.0, [0.0]), "record": ["slide.q"]}, r"have the shape \(1,\); allowed is \(101, 1\)"),
        ({"cost": lambda t, values: (np.nan, values), "record": ["slide.q"]}, "the cost is nan"),
        ({"integrator": "verlet", "dt": 1e-2}, "verlet has no gradient of runs"),
    ]:
        with pytest.raises(sestina.InputError, match=message):
            sestina.gradient(oscillator, **{"parameters": ["m"], "cost": "slide.q", "duration": 1.0} | wrong)
    with pytest.raises(ZeroDivisionError):
        sestina.gradient(oscillator, ["m"], lambda t, values: 1 / 0, record=["slide.q"], duration=1.0)
    with pytest.raises(KeyError, match="'k' is not among the parameters m"):
        sestina.gradient(oscillator, ["m"], "slide.q", duration=0.1)["k"]


def test_control_c_ends_a_gradient(oscillator):
    timer = threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        sestina.gradient(oscillator, ["m"], "slide.q", duration=1e6, rtol=1e-12)


def test_rows_of_events_that_move_have_no_derivatives(tmp_path):
    path = tmp_path / "ball.yaml"
    path.write_text("""
sestina: 1
parameters: {h: 5, e: 0.8}
gravity: [0, 0, -10]
bodies: [{name: ball, type: particle, mass: 1}]
joints: [{name: drop, type: prismatic, axis: [0, 0, 1], parent: ground.origin, child: ball.origin, q: h}]
events: [{name: impact, when: drop.q, direction: falling, set: {drop.u: -e*drop.u}}]
analysis: {duration: 2}
""")
    told = sestina.sensitivities(sestina.load(path), ["h"], record=["drop.q"], every=0.4)
    moved = np.isnan(told["drop.q"][0])
    assert np.all(np.abs(told.t[moved] - 1.0) < 1e-6) and moved.sum() >= 2
    before, after = told.t < 0.9, told.t > 1.1
    np.testing.assert_allclose(told["drop.q"][0][before], 1.0, atol=1e-6)
    # q = u+ (t - T) - 5 (t - T)^2 with T = (h/5)^0.5 and u+ = 10 e T; T = 1 and dT/dh = 1/10 at h = 5.
    later = told.t[after] - 1.0
    np.testing.assert_allclose(told["drop.q"][0][after], 0.1 * (8 * later - 8 + 10 * later), atol=1e-5)
    for wrong in ({"relative_step": 0.0}, {"relative_step": np.nan}):
        with pytest.raises(sestina.InputError, match="relative_step"):
            sestina.sensitivities(sestina.load(path), ["h"], record=["drop.q"], every=0.4, **wrong)
    with pytest.raises(sestina.InputError, match="parameters: there is no name"):
        sestina.sensitivities(sestina.load(path), [], record=["drop.q"], every=0.4)


def test_control_c_ends_an_ensemble(oscillator):
    timer = threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    ensemble = sestina.run_ensemble(oscillator, {"m": np.linspace(1, 3, 2000)}, duration=1e5, rtol=1e-12)
    timer.join()
    assert (ensemble.status == "interrupted").any()


def test_tolerances_steps_and_rules_are_those_of_simulate(oscillator):
    for options in ({"rtol": 1e-4, "atol": 1e-6}, {"rtol": 1e-11}, {"dt": 0.01}, {"dt": 0.01, "integrator": "rk4"}):
        ensemble = sestina.run_ensemble(oscillator, duration=1.0, lanes=False, **options)
        single = sestina.simulate(oscillator, duration=1.0, **options)
        assert ensemble.steps == single.report.steps.steps and ensemble.q[0] == single.q[-1, 0], options


def stuck_at(f: np.ndarray) -> tuple[sestina.System, dict[str, np.ndarray]]:
    """Where f is not zero a run comes to rest and takes ever shorter steps."""
    system = sestina.System(parameters={"f": 0.0})
    mass = system.add_particle("mass", 1.0)
    system.add_joint("slide", "prismatic", "ground.origin", mass["origin"], axis=(1, 0, 0), u=0.1)
    system.add_joint_force("friction", "slide", "if(slide.u > 0, -f, f)")
    return system, {"f": f}


def test_progress_is_a_bar(capsys):
    system = sestina.System("free")
    system.parameters["m"] = 1
    body = system.add_particle("body", "m")
    system.add_joint("rail", "prismatic", "ground.origin", body["origin"], axis=(1, 0, 0))
    sestina.run_ensemble(system, {"m": [1.0, 2.0]}, duration=0.1, progress=True)
    sestina.sweep(system, {"parameters.m": [1.0, 2.0]}, duration=0.1, progress=True)
    told = []
    sestina.simulate(system, duration=0.1, progress=lambda *now: told.append(now))
    assert told[-1][:2] == (0.1, 0.1)


def test_progress_counts_the_members_that_have_ended():
    system, values = stuck_at(np.array([0.0] * 20 + [10.0]))
    seen: list[tuple[int, int, float]] = []
    sestina.run_ensemble(system, values, duration=1e4, max_wall=0.4, check=False, progress=lambda *now: seen.append(now))
    ended, totals, seconds = zip(*seen)
    assert set(totals) == {21} and list(ended) == sorted(ended) and list(seconds) == sorted(seconds)
    assert 20 in ended and ended[-1] == 21

    def stop(ended, total, seconds):
        raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        sestina.run_ensemble(system, values, duration=1e4, progress=stop)


def test_members_that_do_not_come_to_an_end_are_told():
    system, values = stuck_at(np.array([0.0] * 20 + [10.0]))
    with pytest.warns(RuntimeWarning, match="20 of 21 runs have ended.*max_steps, max_wall"):
        sestina.run_ensemble(system, values, duration=1e4, max_wall=11.0, check=False)


def test_a_run_that_takes_ever_shorter_steps_meets_its_limit_and_the_others_go_on():
    system = sestina.System(parameters={"f": 0.0})
    mass = system.add_particle("mass", 1.0)
    system.add_joint("slide", "prismatic", "ground.origin", mass["origin"], axis=(1, 0, 0), u=0.1)
    system.add_joint_force("friction", "slide", "if(slide.u > 0, -f, f)")
    f = np.array([0.0, 10.0, 0.0])
    for lanes in (True, False):
        ensemble = sestina.run_ensemble(system, {"f": f}, duration=1e4, max_steps=500, lanes=lanes, check=False)
        assert ensemble.status.tolist() == ["complete", "failed", "complete"]
        assert "its limit of 500 steps" in ensemble.reasons[1] and "max_steps" in ensemble.reasons[1]
        assert ensemble.t[1] == pytest.approx(0.01, abs=1e-3) and ensemble.t[2] == 1e4
        slow = sestina.run_ensemble(system, {"f": f}, duration=1e4, max_wall=1.0, lanes=lanes, check=False)
        assert slow.status.tolist() == ["complete", "failed", "complete"] and "1 s of wall time" in slow.reasons[1]
    swept = sestina.sweep(system, {"parameters.f": [0.0, 10.0], "analysis.duration": [1e4]}, max_steps=500)
    assert swept.status.ravel().tolist() == ["complete", "failed"] and "500 steps" in swept.reasons[1, 0]
    system.parameters["f"] = 10.0
    with pytest.raises(sestina.ComputationError, match="its limit of 500 steps") as raised:
        sestina.simulate(system, duration=1e4, every=0.002, max_steps=500)
    assert raised.value.result.report.steps.steps == 500 and raised.value.result["t"][-1] == raised.value.result.report.t
    system.analysis.limits = {"steps": 400}
    assert sestina.simulate(system, duration=1e4, check=False).report.steps.steps == 400
    system.analysis.limits.steps = None
    assert system.analysis.limits.wall_time is None
    for wrong in ({"max_steps": 0}, {"max_wall": 0.0}, {"max_wall": float("nan")}):
        with pytest.raises(sestina.InputError, match="max_"):
            sestina.simulate(system, **wrong)
