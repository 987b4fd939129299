"""Forces that Python functions compute."""

from __future__ import annotations

import gc
import os
import signal
import threading
import time
import traceback
import weakref

import numpy as np
import pytest
import sestina


def driven(pendulum: sestina.System, function) -> sestina.System:
    system = pendulum.copy()
    system.add_force("drive", sestina.PythonForce(function))
    return system


def with_expression(pendulum: sestina.System) -> sestina.System:
    system = pendulum.copy()
    system.add_joint_force("drive", "hinge", "2*sin(3*t) - 0.5*hinge.u - hinge.q")
    return system


def drive(t, q, u):
    return 2 * np.sin(3 * t) - 0.5 * u - q


@pytest.mark.parametrize("integrator", ["forward_euler", "rk4", "rkf45", "dormand_prince_54", "adams_bashforth_moulton"])
@pytest.mark.parametrize("solver", ["recursive", "kane"])
def test_runs_are_those_of_the_same_expression(pendulum, integrator, solver):
    if integrator not in sestina.integrator_names():
        pytest.skip("no such rule")
    options = {"duration": 0.5, "every": 0.1, "integrator": integrator, "dt": 1e-2, "solver": solver}
    computed = sestina.simulate(driven(pendulum, drive), **options)
    expected = sestina.simulate(with_expression(pendulum), **options)
    np.testing.assert_allclose(computed["hinge.q"], expected["hinge.q"], rtol=1e-13)
    assert np.ptp(computed["hinge.q"]) > 0.1
    # The power of the callback counts as supplied.
    assert computed.report.energy_drift == pytest.approx(expected.report.energy_drift, rel=1e-6, abs=1e-9)


def test_variable_steps_keep_the_balance_of_energy(pendulum):
    result = sestina.simulate(driven(pendulum, drive), duration=2, rtol=1e-10, atol=1e-12)
    assert result.report.energy_drift < 1e-7 < result.report.kinetic_energy


@pytest.mark.parametrize(
    "returned",
    [lambda tau: tau, lambda tau: [tau], lambda tau: np.array([tau]), lambda tau: {"hinge": tau}, lambda tau: {"hinge": [tau]}, lambda tau: {"rod": (0, tau, 0, 0, 0, 0)}],
)
def test_all_that_a_callback_may_return_is_the_same_force(pendulum, returned):
    model = driven(pendulum, lambda t, q, u: returned(0.25 * (1 + t))).freeze()
    udot = model.forward_dynamics([0.3], [0.0], t=1.0)
    np.testing.assert_allclose(udot, pendulum.freeze().forward_dynamics([0.3], [0.0], [0.5]), rtol=1e-14)
    many = model.forward_dynamics(np.full((7, 1), 0.3), np.zeros(1), t=np.linspace(0, 1, 7))
    assert many[-1] == udot and many.shape == (7, 1) and len(np.unique(many)) == 7


def test_a_controller_holds_the_arm():
    system = sestina.load(os.path.join(os.path.dirname(__file__), "../../examples/10_robot_arm.yaml"))
    for name in [force.name for force in system.forces]:
        assert name
    model = system.freeze()
    target = np.full(model.nq, 0.4)

    def control(t, q, u):
        # Gravity compensated; 100 N m/rad and 20 N m s/rad.
        return model.inverse_dynamics(q, 0 * u, 0 * u) + 100 * (target - q) - 20 * u

    system.add_force("control", sestina.PythonForce(control))
    result = sestina.simulate(system, duration=8, every=1, rtol=1e-6, q=np.zeros(model.nq), u=np.zeros(model.nu))
    np.testing.assert_allclose(result.q[-1], target, atol=1e-2)
    assert np.abs(result.q[0]).max() == 0


def fails_at(time_of_failure):
    def function(t, q, u):
        if t > time_of_failure:
            return 1 / 0
        return [0.0]

    return function


def test_what_a_callback_raises_surfaces_with_its_own_traceback(pendulum):
    system = driven(pendulum, fails_at(0.5))
    with pytest.raises(ZeroDivisionError) as caught:
        sestina.simulate(system, duration=1, every=0.1, dt=0.01, integrator="rk4")
    assert any("return 1 / 0" in (frame.line or "") for frame in traceback.extract_tb(caught.value.__traceback__))
    kept = caught.value.result
    assert kept.report.status == "failed" and 0.4 < kept.t[-1] <= 0.52 and len(kept) >= 5
    unchecked = sestina.simulate(system, duration=1, every=0.1, dt=0.01, integrator="rk4", check=False)
    assert unchecked.report.status == "failed" and "ZeroDivisionError: division by zero" in unchecked.report.failure
    with pytest.raises(ZeroDivisionError):
        system.freeze().forward_dynamics([0.0], [0.0], t=0.7)
    with pytest.raises(ZeroDivisionError):
        system.freeze().forward_dynamics(np.zeros((3, 1)), [0.0], t=[0.1, 0.7, 0.2])
    # And what comes after is not touched.
    assert sestina.simulate(system, duration=0.3).report.status == "complete"
    assert np.isfinite(system.freeze().forward_dynamics([0.0], [0.0])).all()


@pytest.mark.parametrize(
    "returned",
    [None, "text", [1, 2], np.zeros((2, 1)), {"hing": 1.0}, {"rod": 1.0}, {"hinge": None}, {3: 1.0}, object(), {"hinge": "x"}, [1j], [[1.0]]],
)
def test_what_a_callback_may_not_return_is_refused(pendulum, returned):
    system = driven(pendulum, lambda t, q, u: returned)
    with pytest.raises((sestina.InputError, TypeError, ValueError)):
        sestina.simulate(system, duration=0.1)
    with pytest.raises((sestina.InputError, TypeError, ValueError)):
        system.freeze().forward_dynamics([0.0], [0.0])


def test_a_force_that_is_not_finite_fails_as_others_do(pendulum):
    with pytest.raises(sestina.ComputationError, match="drive"):
        sestina.simulate(driven(pendulum, lambda t, q, u: [float("nan")]), duration=0.1)


def test_what_cannot_be_done_is_refused_with_the_reason(pendulum, tmp_path):
    system = driven(pendulum, drive)
    for wrong in [
        lambda: sestina.PythonForce(3),
        lambda: system.to_yaml(),
        lambda: system.save(tmp_path / "model.yaml"),
        lambda: sestina.derive(system),
        lambda: sestina.sweep(system, {"parameters.l": [1.0, 2.0]}),
        lambda: system.freeze().forward_dynamics_derivatives([0.0], [0.0]),
        lambda: system.freeze().forward_dynamics_by_parameters([0.0], [0.0]),
    ]:
        with pytest.raises(sestina.InputError):
            wrong()
    assert "computes" in sestina.PythonForce.__doc__


def test_a_callback_cannot_change_the_state(pendulum):
    def push(t, q, u):
        u[0] = 0.0
        return 0.0

    with pytest.raises(ValueError, match="read-only"):
        sestina.simulate(driven(pendulum, push), duration=0.1)


def test_arrays_that_a_callback_keeps_stay_valid(pendulum):
    kept = []

    def function(t, q, u):
        kept.append((t, q, u))
        return [0.0]

    result = sestina.simulate(driven(pendulum, function), duration=0.1, integrator="rk4", dt=0.01)
    assert result["hinge.q"][-1] < 2 and len(kept) > 40 and all(u.shape == (1,) for _, _, u in kept)


def test_a_system_that_changes_leaves_its_models_alone(pendulum):
    system = driven(pendulum, lambda t, q, u: {"hinge": 1.0})
    model = system.freeze()
    before = model.forward_dynamics([0.0], [0.0])
    other = system.add_rigid_body("other", 1.0, inertia={"xx": 1, "yy": 1, "zz": 1})
    system.add_joint("first", "revolute", "ground.origin", other["origin"], axis=(1, 0, 0))
    assert system.freeze().nu == 2
    assert (model.forward_dynamics([0.0], [0.0]) == before).all()


def test_two_threads_simulate_at_once(pendulum):
    results, errors = {}, {}

    def work(i):
        try:
            results[i] = sestina.simulate(driven(pendulum, drive if i else fails_at(0.5)), duration=1, rtol=1e-8)
        except ZeroDivisionError as error:
            errors[i] = error

    threads = [threading.Thread(target=work, args=(i,)) for i in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert list(errors) == [0] and (results[1]["hinge.q"] == results[2]["hinge.q"]).all()


def test_control_c_in_a_callback_keeps_what_there_is(pendulum):
    def slow(t, q, u):
        if t > 0.3:
            time.sleep(0.05)
        return [0.0]

    timer = threading.Timer(1.0, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    result = sestina.simulate(driven(pendulum, slow), duration=1000, every=0.1, integrator="rk4", dt=0.01)
    timer.join()
    assert result.report.status == "interrupted" and 0.2 < result.t[-1] < 999


def test_ensembles_run_by_themselves(pendulum):
    system = driven(pendulum, drive)
    ensemble = sestina.run_ensemble(system, {"l": [0.5, 1.0]}, duration=0.3, record=["hinge.q"])
    assert (ensemble.status == "complete").all() and (ensemble.lanes == 0).all()
    np.testing.assert_allclose(ensemble["hinge.q"][1], sestina.simulate(system, duration=0.3)["hinge.q"], rtol=1e-12)
    failing = sestina.run_ensemble(driven(pendulum, fails_at(0.1)), {"l": [0.5, 1.0]}, duration=[0.05, 0.3], check=False)
    assert list(failing.status) == ["complete", "failed"] and "ZeroDivisionError" in failing.reasons[1]


class Controller:
    """Refers to what it is a part of."""

    def __init__(self):
        self.own = []

    def __call__(self, t, q, u):
        return 0 * u


@pytest.mark.parametrize(
    "ring",
    [
        lambda system: [system],
        lambda system: [system.freeze()],
        lambda system: [system, system.freeze(), system.copy(), system.freeze().system],
        lambda system: [system.freeze().with_parameters(l=2.0), system.freeze()],
        lambda system: [sestina.simulate(system, duration=0.01)],
        lambda system: [system.freeze().forward_dynamics, system.copy().freeze],
    ],
)
def test_a_callback_that_refers_to_its_own_system_is_collected(pendulum, ring):
    controller = Controller()
    system = driven(pendulum, controller)
    controller.own = ring(system)
    alive = weakref.ref(controller)
    del system
    gc.collect()
    assert alive() is controller and len(controller.own) > 0
    # The controller is in use and stays alive.
    for one in controller.own:
        if isinstance(one, sestina.Model):
            assert np.isfinite(one.forward_dynamics([1.0], [0.0])).all()
    del controller, one
    gc.collect()
    assert alive() is None


def test_a_callback_lives_as_long_as_anything_that_needs_it(pendulum):
    def of(keep):
        controller = Controller()
        system = driven(pendulum, controller)
        controller.own = [system, system.freeze()]
        return keep(system), weakref.ref(controller)

    for keep in (lambda s: s, lambda s: s.copy(), lambda s: s.freeze(), lambda s: s.freeze().with_parameters(l=2.0), lambda s: s.force("drive")):
        kept, alive = of(keep)
        gc.collect()
        assert alive() is not None
        if isinstance(kept, sestina.System):
            kept = kept.freeze()
        if isinstance(kept, sestina.Model):
            assert np.isfinite(kept.forward_dynamics([1.0], [0.0])).all()


def test_a_force_of_two_systems_outlives_one(pendulum):
    controller = Controller()
    force = sestina.PythonForce(controller)
    systems = [pendulum.copy(), pendulum.copy()]
    for system in systems:
        system.add_force("drive", force)
    controller.own = [systems[0]]
    alive = weakref.ref(controller)
    del force, controller, system
    del systems[0]
    gc.collect()
    assert alive() is not None and np.isfinite(systems[0].freeze().forward_dynamics([1.0], [0.0])).all()
    del systems
    gc.collect()
    assert alive() is None


def test_what_one_call_raised_is_not_left_for_the_next(pendulum):
    def fails(t, q, u):
        raise ValueError("only here")

    bad, good = driven(pendulum, fails).freeze(), driven(pendulum, drive).freeze()
    expected = good.forward_dynamics([0.1], [0.2])
    for call in (
        lambda: bad.compare(states=2),
        lambda: bad.forward_dynamics([0.1], [0.2], check=False),
        lambda: bad.forward_dynamics(np.zeros((100, 1)), [0.2], check=False),
        lambda: bad.reactions([0.1], [0.2], check=False),
    ):
        with pytest.raises(ValueError, match="only here"):
            call()
        np.testing.assert_array_equal(good.forward_dynamics([0.1], [0.2], check=False), expected)
        compared = good.compare(states=2)
        assert compared["agrees"] and compared["skipped"] == 0
    # Where nothing could be compared, nothing agrees.
    nowhere = pendulum.copy()
    nowhere.add_joint_force("drive", "hinge", "sqrt(-1 - hinge.q^2)")
    compared = nowhere.freeze().compare(states=2)
    assert compared["states"] == 0 and not compared["agrees"]
    for spread in (np.nan, np.inf, -1.0):
        with pytest.raises(sestina.InputError, match="spread"):
            good.compare(spread=spread)
