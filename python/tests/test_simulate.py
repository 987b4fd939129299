"""Runs, their results, and how they end."""

from __future__ import annotations

import os
import pathlib
import signal
import threading
import time

import numpy as np
import pytest
import sestina
from conftest import EXAMPLES


def test_pendulum_keeps_its_energy_and_moves(pendulum):
    result = sestina.simulate(pendulum, duration=10, integrator="dormand_prince_54", rtol=1e-9)
    assert result.report.status == "complete" and result.t[-1] == 10.0 and len(result) == 101
    assert np.ptp(result["hinge.q"]) > 1.9
    energy = result["energy.total"]
    # 1e-9 a step relative to coordinates of order 1, over some hundred steps.
    assert np.ptp(energy) < 1e-6 * result.report.kinetic_energy
    assert result.unit("hinge.u") == "rad/s"


def test_results_and_pictures_replace_none_of_their_inputs(pendulum, tmp_path, monkeypatch):
    pytest.importorskip("matplotlib")
    monkeypatch.chdir(tmp_path)
    pathlib.Path("gust.csv").write_text("t,F\n0,1\n1,2\n")
    pathlib.Path("model.yaml").write_text(
        "sestina: 1\nbodies: [{name: b, type: particle, mass: 1}]\n"
        "joints: [{name: x, type: prismatic, parent: ground.origin, child: b.origin, axis: [1, 0, 0]}]\n"
        "forces: [{name: wind, type: joint_force, joint: x, value: {table: gust.csv, columns: [F]}}]\n"
        "analysis: {duration: 0.1}\n"
    )
    result = sestina.simulate(sestina.load("model.yaml"))
    for name in ("gust.csv", "model.yaml"):
        before = pathlib.Path(name).read_bytes()
        with pytest.raises(sestina.InputError, match=name):
            result.save(name)
        assert pathlib.Path(name).read_bytes() == before
    result.save("r.csv")
    pathlib.Path("r.svg").symlink_to("r.csv")
    again = sestina.read_result("r.csv")
    with pytest.raises(sestina.InputError, match=r"r\.svg: is the result"):
        again.plot("x.q", path="r.svg")
    assert len(sestina.read_result("r.csv")) == len(result)


def test_columns_are_views_of_one_table(pendulum):
    result = sestina.simulate(pendulum, duration=1)
    column = result["hinge.q"]
    assert not column.flags.owndata and not column.flags.writeable
    assert np.shares_memory(column, result.table.values) and np.shares_memory(result.q, result.table.values)
    np.testing.assert_array_equal(result.u[:, 0], result["hinge.u"])
    del result
    assert column[0] == 1.0 and len(column) == 101
    with pytest.raises(ValueError):
        column[0] = 2.0


@pytest.mark.parametrize("q", [{"hinge.q": 1.0}, "one", [[1.0], [1.0, 2.0]], [1.0, 2.0]])
def test_an_initial_state_of_another_kind_is_refused(pendulum, q):
    with pytest.raises(sestina.InputError, match="^q(: expected an array of 1 numbers, not| has the shape)"):
        sestina.simulate(pendulum, q=q)


def test_what_is_given_overrides_the_description_and_changes_nothing(pendulum):
    before = pendulum.to_yaml()
    options = dict(duration=0.5, every=0.1, dt=1e-3, solver="kane", integrator="rk4", reactions=True)
    result = sestina.simulate(pendulum, **options)
    assert pendulum.to_yaml() == before
    assert len(result) == 6 and result.report.steps.steps == 500
    assert dict(result.table.provenance)["solver"] == "kane"
    assert "hinge.reaction.force.z" in result
    model = pendulum.freeze()
    same = sestina.simulate(model, **options)
    np.testing.assert_array_equal(result.table.values, same.table.values)
    heavy = sestina.simulate(model.with_parameters(l=2.0), duration=0.5)
    assert heavy.system.parameters["l"] == 2.0
    np.testing.assert_allclose(
        result["hinge.reaction.force.z"][0], model.reactions(result.q[0], result.u[0])[0, 5], rtol=1e-12
    )


def test_model_is_run_as_the_system_that_it_was_frozen_from(pendulum, tmp_path):
    """Without freezing again: the same rows, and a header with the text of the model that was run."""
    model = pendulum.freeze()
    edits = [
        {"duration": 0.5, "every": 0.1, "dt": 1e-3, "integrator": "rk4"},
        {"duration": 0.3, "rtol": 1e-6, "solver": "kane", "reactions": True},
        {"duration": 0.2, "q": [0.3]},
    ]
    for number, options in enumerate(edits):
        of_model, of_system = sestina.simulate(model, **options), sestina.simulate(pendulum, **options)
        np.testing.assert_array_equal(of_model.table.values, of_system.table.values)
        assert of_model.columns == of_system.columns
        assert of_model.table.model_text == of_system.table.model_text == of_model.system.to_yaml()
        assert of_model.table.provenance == of_system.table.provenance
        of_model.save(tmp_path / f"{number}.h5")
        assert sestina.read_result(tmp_path / f"{number}.h5").table.provenance == of_model.table.provenance
    changed = model.with_parameters(l=0.7)
    run = sestina.simulate(changed, duration=0.2)
    np.testing.assert_array_equal(run.table.values, sestina.simulate(changed.system, duration=0.2).table.values)
    assert "0.7" in run.table.model_text
    with pytest.raises(sestina.InputError, match="analysis.duration: -1"):
        sestina.simulate(model, duration=-1)
    with pytest.raises(sestina.InputError, match="output.every"):
        sestina.simulate(model, every=0)


def test_columns_of_ones_own(pendulum, tmp_path):
    pendulum.add_joint_force("drive", "hinge", "0.5*cos(t)")
    pendulum.add_column("power", "drive.value*hinge.u", unit="W")
    pendulum.add_column("work", "power", unit="J", integrate=True)
    columns = pendulum.output.columns
    columns["doubled"] = "2*work"
    assert columns == {
        "power": {"value": "drive.value*hinge.u", "unit": "W"},
        "work": {"value": "power", "unit": "J", "integrate": True},
        "doubled": "2*work",
    }
    columns["power"]["unit"] = "J/s"
    result = sestina.simulate(pendulum, duration=1, out=tmp_path / "run.h5")
    assert result.unit("power") == "J/s" and result.unit("doubled") == ""
    np.testing.assert_allclose(result["power"], 0.5 * np.cos(result.t) * result["hinge.u"], rtol=1e-13)
    change = result["energy.total"][-1] - result["energy.total"][0]
    np.testing.assert_allclose(result["work"][-1], change + result["energy.dissipated"][-1], atol=1e-6)
    assert abs(change) > 1e-2
    np.testing.assert_array_equal(sestina.read_result(tmp_path / "run.h5")["doubled"], 2 * result["work"])
    with pytest.raises(sestina.InputError, match="output.columns.x: there is no key 'integrat'"):
        columns["x"] = {"value": 1, "integrat": True}
    assert "x" not in columns
    columns["y"] = "wrok"
    with pytest.raises(sestina.InputError, match="did you mean 'work'"):
        pendulum.freeze()
    del columns["y"]
    ensemble = sestina.run_ensemble(pendulum, {"l": [0.5, 1.0]}, duration=1, every=0.01, record=["work"])
    assert ensemble["work"].shape == (2, 101) and ensemble.unit("work") == "J"
    np.testing.assert_array_equal(ensemble["work"][1], result["work"])
    again = sestina.loads(pendulum.to_yaml())
    assert again.output.columns == columns and pendulum.copy().output.columns == columns


def test_run_begins_where_it_is_told(pendulum):
    model = pendulum.freeze()
    first = sestina.simulate(model, duration=1, every=0.5)
    second = sestina.simulate(model, duration=0.5, q=first.q[1], u=first.u[1])
    np.testing.assert_allclose(second.q[-1], first.q[-1], rtol=1e-6)
    assert sestina.simulate(model, duration=0.1, u=[2.0])["hinge.q"][0] == 1.0
    with pytest.raises(sestina.InputError, match=r"q has the shape \(2,\); allowed is \(1,\)"):
        sestina.simulate(model, q=[1, 2])


def test_elements_in_time_give_the_same_motion(pendulum):
    reference = sestina.simulate(pendulum, duration=1, rtol=1e-10)
    pendulum.analysis.coordinates = "state_time"
    pendulum.analysis.time_elements = sestina.TimeElements()
    pendulum.analysis.time_elements.elements = 20
    pendulum.analysis.time_elements.pair = "P4P5"
    at_once = sestina.simulate(pendulum, duration=1)
    np.testing.assert_allclose(at_once["hinge.q"], reference["hinge.q"], atol=1e-7)
    for name, value in {"integrator": "dormand_prince_54", "rtol": 1e-6, "atol": 1e-6, "dt": 0.1}.items():
        with pytest.raises(sestina.InputError, match=f"^{name}: {value!r} is of runs by steps; .*time_elements"):
            sestina.simulate(pendulum, duration=1, **{name: value})


def test_unknown_names_are_told_with_the_nearest(pendulum):
    with pytest.raises(sestina.InputError, match="did you mean 'recursive'"):
        sestina.simulate(pendulum, solver="recursiv")
    with pytest.raises(sestina.InputError, match="did you mean 'rk4'"):
        sestina.simulate(pendulum, integrator="rk5")
    result = sestina.simulate(pendulum, duration=0.1)
    with pytest.raises(sestina.InputError, match="did you mean 'hinge.q'"):
        result["hing.q"]
    with pytest.raises(TypeError, match="not str"):
        sestina.simulate("model.yaml")


def test_run_that_fails_keeps_what_it_computed(pendulum):
    pendulum.add_joint_force("drive", "hinge", "1/(t - 0.5)*0 + sqrt(0.5 - t)")
    with pytest.raises(sestina.ComputationError) as caught:
        sestina.simulate(pendulum, duration=1, dt=0.01, integrator="rk4")
    partial = caught.value.result
    assert "drive" in str(caught.value)
    assert partial.report.status == "failed" and 0.4 < partial.t[-1] <= 0.5
    assert caught.value.time == pytest.approx(0.5, abs=0.02)
    kept = sestina.simulate(pendulum, duration=1, dt=0.01, integrator="rk4", check=False)
    np.testing.assert_array_equal(kept.table.values, partial.table.values)


def test_results_are_saved_and_read(pendulum, tmp_path):
    result = sestina.simulate(pendulum, duration=1, out=tmp_path / "direct.csv")
    for name in ("saved.csv", "saved.h5"):
        result.save(tmp_path / name)
        again = sestina.read_result(tmp_path / name)
        np.testing.assert_array_equal(again.table.values, result.table.values)
        assert again.columns == result.columns and again.report is None
    assert again.model.nu == 1 and again.system.to_yaml() == result.system.to_yaml()
    with pytest.raises(sestina.InputError, match="does not contain its model"):
        sestina.read_result(tmp_path / "saved.csv").system
    np.testing.assert_array_equal(sestina.read_result(tmp_path / "direct.csv").table.values, result.table.values)
    with pytest.raises(sestina.InputError):
        result.save(tmp_path / "saved.txt")


def test_dataframe_has_time_as_index(pendulum):
    pytest.importorskip("pandas")
    result = sestina.simulate(pendulum, duration=1)
    frame = result.to_dataframe()
    assert frame.index.name == "t" and frame["hinge.q"].iloc[0] == 1.0 and frame.attrs["units"]["hinge.q"] == "rad"


def long_run() -> sestina.System:
    system = sestina.load(EXAMPLES / "01_double_pendulum.yaml")
    system.analysis.duration = 1e6
    system.output.every = 1.0
    return system


def test_ctrl_c_returns_what_there_is():
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    begin = time.monotonic()
    result = sestina.simulate(long_run())
    assert time.monotonic() - begin < 10
    assert result.report.status == "interrupted" and 1 < len(result) and 0 < result.t[-1] < 1e6


def test_exception_of_the_progress_callback_ends_the_run_and_surfaces():
    class Enough(Exception):
        pass

    calls = []

    def progress(t, duration, wall_seconds, steps):
        calls.append((t, duration, wall_seconds, steps))
        if len(calls) == 2:
            raise Enough

    with pytest.raises(Enough):
        sestina.simulate(long_run(), progress=progress)
    assert calls[1][0] > calls[0][0] > 0 and calls[0][1] == 1e6


def test_lock_of_the_interpreter_is_given_up_while_it_runs():
    counted = []
    stop = threading.Event()

    def count():
        while not stop.is_set():
            counted.append(1)
            time.sleep(0.005)

    thread = threading.Thread(target=count)
    thread.start()
    calls = []

    def progress(*_):
        calls.append(len(counted))
        if len(calls) == 3:
            raise KeyboardInterrupt

    result = sestina.simulate(long_run(), progress=progress)
    stop.set()
    thread.join()
    assert result.report.status == "interrupted"
    assert calls[2] > calls[0] + 3  # 0.2 s apart


def test_two_threads_simulate_at_once(pendulum):
    alone = sestina.simulate(pendulum, duration=5).table.values.copy()
    results = [None, None]

    def work(i):
        results[i] = sestina.simulate(pendulum, duration=5)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for result in results:
        np.testing.assert_array_equal(result.table.values, alone)


def test_interrupted_run_is_resumed_bit_for_bit(tmp_path):
    system = sestina.load(EXAMPLES / "01_double_pendulum.yaml")
    whole = sestina.simulate(system, duration=20, every=0.1)

    def stop(*_):
        raise KeyboardInterrupt

    # At the pace of the wall clock, so that it is not over before it is stopped.
    part = sestina.simulate(
        system,
        duration=20,
        every=0.1,
        real_time=40,
        out=tmp_path / "run.csv",
        checkpoint=tmp_path / "run.check",
        progress=stop,
    )
    assert part.report.status == "interrupted" and 0 < part.report.t < 20
    rest = sestina.resume(tmp_path / "run.check")
    assert rest.report.status == "complete" and rest.report.resumed_at > 0
    np.testing.assert_array_equal(rest.table.values, whole.table.values)


def test_progress_bar_is_drawn(pendulum, capsys):
    sestina.simulate(pendulum, duration=1.0, real_time=2.5, progress=True)
    assert " of 1 s  " in capsys.readouterr().err


def test_trace_tells_where_the_time_went(pendulum):
    result = sestina.simulate(pendulum, duration=1, trace=True)
    assert sum(seconds for _, seconds, _ in result.report.trace) > 0
    t, q, u, d = result.report.final_state
    assert t == 1.0 and q[0] == result["hinge.q"][-1] and u.shape == (1,) and d.shape == (0,)


def test_a_byte_that_is_not_utf8_is_told_escaped(pendulum, tmp_path):
    whole, path = tmp_path / "whole.csv", tmp_path / "flipped.csv"
    sestina.simulate(pendulum, duration=0.02, every=0.01, out=whole)
    told = 0
    for place, byte in enumerate(whole.read_bytes()):
        flipped = bytearray(whole.read_bytes())
        flipped[place] = byte ^ 0x80
        path.write_bytes(flipped)
        try:
            repr(sestina.read_result(path)), sestina.read_result(path).columns
        except sestina.InputError as error:
            told += f"\\x{byte ^ 0x80:02x}" in str(error)
    assert told > 100
    path.write_bytes(b"t,x\xff\n0,1\n")  # without a checksum
    with pytest.raises(sestina.InputError, match=r"the byte \\xff is not UTF-8"):
        sestina.read_result(path)
    path.write_bytes(b"\xff sestina checkpoint\n")
    with pytest.raises(sestina.InputError):
        sestina.resume(path)


def test_control_characters_of_a_name_are_escaped(pendulum):
    pendulum.name = "\x1b[2Jred"
    result = sestina.simulate(pendulum, duration=0.01)
    for thing in (pendulum, result, pendulum.freeze(), sestina.Simulator(pendulum)):
        assert "\\x1b[2Jred" in repr(thing) and "\x1b" not in repr(thing)
