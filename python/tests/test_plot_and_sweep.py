"""Plots, animations, sweeps and the demonstration."""

from __future__ import annotations

import numpy as np
import pytest
import sestina


def test_plot_has_a_panel_for_each_unit(pendulum, tmp_path):
    pytest.importorskip("matplotlib")
    result = sestina.simulate(pendulum, duration=1)
    figure = result.plot("hinge.q", "hinge.u", "energy.*", path=tmp_path / "plot.svg")
    assert len(figure.axes) == 3
    np.testing.assert_array_equal(figure.axes[0].lines[0].get_ydata(), result["hinge.q"])
    assert len(figure.axes[2].lines) == 5 and (tmp_path / "plot.svg").stat().st_size > 1000
    assert len(result.plot().axes) >= 2
    result.table.draw(tmp_path / "drawn.png", ["hinge.*"])
    assert (tmp_path / "drawn.png").read_bytes()[:4] == b"\x89PNG"
    with pytest.raises(sestina.InputError, match="hinge.qq"):
        result.plot("hinge.qq")


def test_plot_draws_expressions_of_columns(pendulum, tmp_path):
    pytest.importorskip("matplotlib")
    pendulum.add_rigid_body("tail", 0.2, inertia={"xx": 0.1, "yy": 0.1, "zz": 0.1})
    pendulum.add_joint("knee", "revolute", "rod.tip", "tail.origin", axis=(0, 1, 0), q=0.3)
    result = sestina.simulate(pendulum, duration=1)
    figure = result.plot("hinge.q + knee.q", "hinge.q", "2*hinge.u - knee.u", "hinge.u*knee.u")
    together, rates, product = figure.axes
    np.testing.assert_array_equal(together.lines[0].get_ydata(), result["hinge.q"] + result["knee.q"])
    np.testing.assert_array_equal(together.lines[1].get_ydata(), result["hinge.q"])
    assert together.get_ylabel() == "rad" and rates.get_ylabel() == "2*hinge.u - knee.u / rad/s"
    assert product.get_ylabel() == "hinge.u*knee.u"  # of which the unit is not known
    over_sum = result.plot("hinge.u", x="hinge.q + knee.q").axes[0]
    np.testing.assert_array_equal(over_sum.lines[0].get_xdata(), result["hinge.q"] + result["knee.q"])
    result.table.draw(tmp_path / "drawn.svg", ["hinge.q + knee.q"], x="2*t")
    assert "hinge.q + knee.q" in (tmp_path / "drawn.svg").read_text()
    for wrong, told in {"hinge.q + kne.q": "there is no column 'kne.q'", "2*hinge.w": "as an expression: there is no column 'hinge.w'"}.items():
        with pytest.raises(sestina.InputError, match=told.replace("*", ".")):
            result.plot(wrong)


def test_animation_is_saved_and_follows_the_tip(pendulum, tmp_path):
    pytest.importorskip("matplotlib")
    result = sestina.simulate(pendulum, duration=1)
    animation = result.animate(tmp_path / "rod.gif", fps=10)
    assert (tmp_path / "rod.gif").read_bytes()[:3] == b"GIF"
    tip = result.model.point_position("rod.tip", result.q[-1])
    flat = result.animate(view="xz", fps=10)  # the picture's plane is that of x and z, m
    corners = np.concatenate([path.vertices for path in flat._func(10)[0].get_paths()])
    assert np.linalg.norm(corners - tip[[0, 2]], axis=1).min() < 0.02
    assert (np.linalg.norm(corners, axis=1) < 1.05).all()
    assert [text.get_text() for text in animation._func(10) if hasattr(text, "get_text")] == ["t = 1.00 s"]
    with pytest.raises(ValueError, match="as .gif or .mp4"):
        result.animate(tmp_path / "rod.avi")
    with pytest.raises(ValueError, match="view"):
        result.animate(view="xx")


def test_a_notebook_shows_each_figure_once(pendulum, monkeypatch):
    """As IPython does: what a cell ends with is displayed, then all that is still pyplot's."""
    matplotlib = pytest.importorskip("matplotlib")
    pyplot = pytest.importorskip("matplotlib.pyplot")
    pyplot.close("all")
    monkeypatch.setattr(matplotlib, "get_backend", lambda: "module://matplotlib_inline.backend_inline")
    result = sestina.simulate(pendulum, duration=0.1)
    shown = []

    def display(thing):
        if isinstance(thing, matplotlib.animation.Animation):
            assert "<script" in thing._repr_html_()
        else:
            with pytest.raises(NotImplementedError):  # IPython then tries the picture
                thing._ipython_display_()
        shown.append(thing)

    def end_cell():
        for number in pyplot.get_fignums():
            display(pyplot.figure(number))
        pyplot.close("all")

    named = result.plot("hinge.q")
    last = result.plot("hinge.u")
    display(last)
    end_cell()
    assert shown == [last, named]
    end_cell()
    animation = result.animate(fps=20)
    display(animation)
    end_cell()
    assert shown == [last, named, animation]
    bodies = result.draw(view="xz")
    other = sestina.draw(pendulum)
    display(other)
    end_cell()
    assert shown[3:] == [other, bodies]
    named_animation = result.animate(fps=20)
    end_cell()  # which has not been requested
    assert len(shown) == 5
    display(named_animation)
    end_cell()
    assert shown[5:] == [named_animation]


def test_a_notebook_plays_all_frames_however_large(pendulum):
    matplotlib = pytest.importorskip("matplotlib")
    with matplotlib.rc_context({"animation.embed_limit": 0.05}):
        html = sestina.simulate(pendulum, duration=1).animate(fps=20)._repr_html_()
    assert html.count("data:image/png;base64") == 21 and len(html) > 0.1e6


def test_sweep_gives_the_runs_of_simulate(pendulum, tmp_path):
    pendulum.analysis.duration = 1
    masses, angles = np.array([1.0, 2.0]), [0.1, 1.0, 2.0]
    vary = {"parameters.l": masses, "joints.hinge.q": angles}
    result = sestina.sweep(pendulum, vary, threads=2, lanes=False)
    assert result.shape == (2, 3) and (result.status == "complete").all() and result.report["failed"] == 0
    np.testing.assert_array_equal(result.axes["parameters.l"], masses)
    for i, length in enumerate(masses):
        for j, angle in enumerate(angles):
            pendulum.parameters["l"] = length
            pendulum.joint("hinge").q = angle
            single = sestina.simulate(pendulum)
            assert result["hinge.q"][i, j] == single["hinge.q"][-1]
            assert result.steps[i, j] == single.report.steps.steps
    assert result.unit("hinge.q") == "rad"
    pendulum.joint("hinge").q = 1.0
    in_lanes = sestina.sweep(pendulum, vary)
    assert in_lanes.report["in_lanes"] == 6
    np.testing.assert_allclose(in_lanes["hinge.q"], result["hinge.q"], rtol=1e-6)
    shorter = sestina.sweep(pendulum, {"joints.hinge.q": [0.1]}, duration=0.5, lanes=False)
    pendulum.joint("hinge").q = 0.1
    assert shorter["t"][0] == 0.5 and pendulum.analysis.duration == 1
    assert shorter["hinge.q"][0] == sestina.simulate(pendulum, duration=0.5)["hinge.q"][-1]
    with pytest.raises(KeyError, match="no column 'x'"):
        result["x"]
    kept = sestina.sweep(pendulum, {"joints.hinge.q": "0.1:2:3"}, out=tmp_path / "sweep.h5", record=["hinge.q"])
    again = sestina.read_sweep(tmp_path / "sweep.h5")
    np.testing.assert_array_equal(again["hinge.u"], kept["hinge.u"])
    pytest.importorskip("h5py")
    seldom = sestina.sweep(pendulum, {"joints.hinge.q": "0.1:2:3"}, out=tmp_path / "seldom.h5", every=0.5)
    assert seldom.series("t").shape == (3, 3)
    series = kept.series("hinge.q")
    assert series.shape == (3, 101)
    np.testing.assert_array_equal(series[:, -1], kept["hinge.q"])


def test_a_value_of_a_sweep_may_have_commas_and_quotes(pendulum):
    pendulum.add_joint_force("drive", "hinge", 0)
    pendulum.analysis.duration = 1
    values = ["max(0, 1 - t)", "2", 0.5, "-sin(t)"]
    result = sestina.sweep(pendulum, {"forces.drive.value": values}, lanes=False)
    assert result.shape == (4,) and (result.status == "complete").all()
    assert result.axes["forces.drive.value"] == ["max(0, 1 - t)", "2", "0.5", "-sin(t)"]
    for value, last in zip(values, result["hinge.q"], strict=True):
        pendulum.force("drive").value = value
        assert last == sestina.simulate(pendulum)["hinge.q"][-1]
    names = ["a, b", 'say "x"', "back\\slash", "äöü: [1]", "-", "line\nline"]
    named = sestina.sweep(pendulum, {"name": names})
    assert named.axes["name"] == names and (named.status == "complete").all()
    steps = sestina.sweep(pendulum, {"analysis.step": ["{driver: fixed, dt: 0.1}", {"driver": "fixed", "dt": 0.05}]})
    assert list(steps.steps) == [10, 20]


def test_runs_of_a_sweep_that_fail_are_told(pendulum):
    pendulum.parameters["a"] = 1.0
    pendulum.add_joint_force("drive", "hinge", "0.001*sqrt(a - t)")
    pendulum.analysis.duration = 1
    result = sestina.sweep(pendulum, {"parameters.a": [0.5, 2]})
    assert list(result.status) == ["failed", "complete"] and "drive" in result.reasons[0]
    with pytest.raises(sestina.ComputationError, match="parameters.a=0.5: .*drive"):
        sestina.sweep(pendulum, {"parameters.a": [0.5, 2]}, check=True)
    with pytest.raises(sestina.InputError, match="parameters.b"):
        sestina.sweep(pendulum, {"parameters.b": [1, 2]})


def test_exception_of_the_progress_callback_ends_the_sweep(pendulum):
    class Enough(Exception):
        pass

    def progress(*_):
        raise Enough

    pendulum.analysis.duration = 2000
    with pytest.raises(Enough):
        sestina.sweep(pendulum, {"parameters.l": "1:2:20"}, progress=progress)


def test_demo_shows_a_plot(tmp_path, capsys):
    pytest.importorskip("matplotlib")
    result = sestina.demo(tmp_path / "demo.png", show=False)
    assert np.ptp(result["hip.q"]) > 1 and "energy drift" in capsys.readouterr().out
    assert (tmp_path / "demo.png").read_bytes()[:4] == b"\x89PNG"
