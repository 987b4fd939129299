"""Plots and animations of results, by matplotlib where it is installed."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ._core import Point
from .errors import InputError

if TYPE_CHECKING:
    from matplotlib.animation import FuncAnimation
    from matplotlib.figure import Figure

    from ._core import Model
    from .pictures import View
    from .result import Result, Trace
    from .scene import Scene


def _pyplot() -> Any:
    try:
        import matplotlib.pyplot
    except ImportError:
        raise ImportError("plots need matplotlib: pip install matplotlib") from None
    return matplotlib.pyplot


def _figure(width: float, height: float) -> Figure:
    """Width and height in inches."""
    pyplot = _pyplot()
    from .figures import NotebookFigure

    return pyplot.figure(figsize=(width, height), layout="constrained", FigureClass=NotebookFigure)  # type: ignore[no-any-return]


def show_figure() -> None:
    """Open a window, or say why there is none."""
    import matplotlib

    pyplot = _pyplot()
    if matplotlib.get_backend().lower() in {"agg", "cairo", "pdf", "pgf", "ps", "svg", "template"}:
        print("no window: matplotlib has no display here; sestina.demo('demo.png') saves the picture")
        return
    pyplot.show()


class Drawn:
    """The columns of a result to draw, and expressions of columns."""

    def __init__(self, result: Result, names: Sequence[str]) -> None:
        self.values: dict[str, npt.NDArray[np.float64]] = {}
        self.units: dict[str, str] = {}
        for name in names:
            if name in result.table:
                self.values[name], self.units[name] = result.table[name], result.table.unit(name)
            else:
                self.units[name], self.values[name] = result._calculate(name)

    def __getitem__(self, name: str) -> npt.NDArray[np.float64]:
        return self.values[name]

    def unit(self, name: str) -> str:
        return self.units[name]


def is_magnitude(name: str) -> bool:
    """Whether this is a column of a frequency response that is drawn on a logarithmic axis."""
    return name.split("[")[0].endswith(".magnitude")


def panel_keys(result: Result | Drawn, names: Sequence[str]) -> list[tuple[str, bool]]:
    """The key that columns of one panel share: the unit, and whether the axis is logarithmic."""
    return list(dict.fromkeys((result.unit(name), is_magnitude(name)) for name in names))


def draw_panels(result: Result | Drawn, names: Sequence[str], x: str, panels: Sequence[Any]) -> None:
    """Draw columns over another one on matplotlib's axes, one panel for each unit."""
    for panel, key in zip(panels, panel_keys(result, names), strict=True):
        unit = key[0]
        own = [name for name in names if (result.unit(name), is_magnitude(name)) == key]
        if is_magnitude(own[0]):
            panel.set_yscale("log")
        if x == "frequency" and any(map(is_magnitude, names)):
            panel.set_xscale("log")
        for name in own:
            panel.plot(result[x], result[name], lw=1.3, label=name)
        panel.set_ylabel(unit if len(own) > 1 else f"{own[0]} / {unit}" if unit else own[0])
        if len(own) > 1:
            panel.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize="small", frameon=False)
        panel.grid(alpha=0.3)
        panel.margins(x=0)
        panel.spines[["top", "right"]].set_visible(False)
    panels[-1].set_xlabel(f"{x} / {result.unit(x)}")


def plot(result: Result, columns: Sequence[str], x: str = "t") -> Figure:
    """Draw columns over another one, with a panel for each unit. See Result.plot."""
    names = result._select(columns)
    drawn = Drawn(result, [*names, x])
    count = len(panel_keys(drawn, names))
    figure = _figure(7, 1.2 + 2.2 * count)
    panels: Any = figure.subplots(count, 1, sharex=True, squeeze=False)
    draw_panels(drawn, names, x, panels[:, 0])
    figure.align_ylabels()
    if result.table.model_name:
        panels[0, 0].set_title(result.table.model_name)
    return figure


def track(result: Result, point: str, columns: Sequence[str]) -> Figure:
    """Draw the path of a point in its plane, with the bodies at the end, next to columns over time."""
    figure = _figure(10.5, 4.4)
    from matplotlib.collections import LineCollection

    names = result.table.select(list(columns))
    count = len({result.unit(name) for name in names})
    parts: Any = figure.subfigures(1, 2, width_ratios=(1, 1.5))
    left, right = parts
    panels = right.subplots(count, 1, sharex=True, squeeze=False)[:, 0]
    draw_panels(result, names, "t", panels)
    right.align_ylabels(panels)

    plane = left.subplots()
    lines = _lines(result.model, result.q)
    across, up = _view(lines, result.model.system.gravity)
    way = result.model.point_position(point, result.q)
    pieces = np.stack([way[:-1, [across, up]], way[1:, [across, up]]], axis=1)
    shown = plane.add_collection(LineCollection(list(pieces), array=result.t[1:], cmap="viridis", lw=1.3))
    for line in lines:
        plane.plot(line[-1, :, across], line[-1, :, up], "-o", color="0.25", lw=3, ms=5, solid_capstyle="round")
    plane.set_aspect("equal")
    plane.set_xlabel(f"{'xyz'[across]} / m")
    plane.set_ylabel(f"{'xyz'[up]} / m")
    plane.grid(alpha=0.3)
    plane.spines[["top", "right"]].set_visible(False)
    left.colorbar(shown, ax=plane, location="bottom", shrink=0.7, aspect=40, label="t / s")
    return figure


def _lines(model: Model, q: npt.NDArray[np.float64]) -> list[npt.NDArray[np.float64]]:
    """For each body but the ground the polyline (frames, points, 3) m that represents it: from the joint to its
    parent through its origin to its points."""
    motion = model.kinematics(q)
    points = {name: model.point_position(name, q) for name in model.points}
    lines = []
    for b, body in enumerate(model.bodies):
        if b == 0:
            continue
        own = [position for name, position in points.items() if name.startswith(f"{body}.") and name != f"{body}.origin"]
        origin = motion.position[:, b]
        parts: list[npt.NDArray[np.float64]] = [origin]
        for position in own:
            parts += [position, origin]
        lines.append(np.stack(parts, axis=1))
    return lines


def _instants(result: Result, fps: float, speed: float) -> npt.NDArray[np.intp]:
    """The rows nearest to frames that are speed/fps simulated seconds apart."""
    count = max(2, round((result.t[-1] - result.t[0]) / speed * fps) + 1)
    return _nearest_rows(result, np.linspace(result.t[0], result.t[-1], min(count, 20_000)))


def _nearest_rows(result: Result, wanted: npt.NDArray[np.float64]) -> npt.NDArray[np.intp]:
    """Those nearest to times, s."""
    if len(result) < 2:
        return np.zeros(len(wanted), dtype=np.intp)
    after = np.clip(np.searchsorted(result.t, wanted), 1, len(result) - 1)
    is_before_nearer = wanted - result.t[after - 1] < result.t[after] - wanted
    return np.asarray(after - is_before_nearer, dtype=np.intp)


def _view(lines: list[npt.NDArray[np.float64]], gravity: Sequence[float | str]) -> tuple[int, int]:
    """The ground axes across and up: up is against gravity; across is the other axis with the larger motion."""
    weights = [0.0 if isinstance(g, str) else abs(g) for g in gravity]
    up = int(np.argmax(weights)) if max(weights) > 0 else 2
    everything = np.concatenate([line.reshape(-1, 3) for line in lines])
    extent = np.ptp(everything, axis=0)
    extent[up] = -1.0
    return int(np.argmax(extent)), up


def draw_scene(
    scene: Scene,
    frames: Sequence[int],
    view: View,
    labels: bool,
    ways: Sequence[npt.NDArray[np.float64]] = (),
    title: str = "",
    clock: str = "",
) -> Figure:
    """Draw frames of a scene, the last one in full colours; see Result.draw()."""
    figure = _figure(6.4, 5.2)
    from .pictures import Stage

    Stage(figure, scene, view, labels, ways, title).show(frames, clock)
    return figure


def draw(
    result: Result, t: float | Sequence[float] | None, view: View, labels: bool, trace: Trace
) -> Figure:
    """See Result.draw()."""
    times = [float(result.t[-1])] if t is None else [float(one) for one in np.atleast_1d(np.asarray(t, dtype=np.float64))]
    outside = [one for one in times if not result.t[0] <= one <= result.t[-1]]
    if outside or not times:
        reason = f"{outside[0]:g} s is not" if outside else "there is none"
        raise InputError(f"t: {reason}; allowed are times from {result.t[0]:g} to {result.t[-1]:g} s")
    rows = _nearest_rows(result, np.array(times))
    clock = f"t = {result.t[rows[-1]]:.2f} s" if len(rows) == 1 else f"t = {result.t[rows[0]]:.2f} to {result.t[rows[-1]]:.2f} s"
    shown = list(range(len(rows)))
    return draw_scene(result._scene(rows), shown, view, labels, _traces(result, trace), result.table.model_name, clock)


def _traces(result: Result, trace: Trace) -> list[npt.NDArray[np.float64]]:
    """(rows, 3) m, the paths of points."""
    return [result._way(point) for point in ([trace] if isinstance(trace, (str, Point)) else trace)]


def animate(
    result: Result,
    path: str | os.PathLike[str] | None,
    fps: float,
    speed: float,
    view: View,
    labels: bool,
    trace: Trace,
) -> FuncAnimation:
    """See Result.animate()."""
    if len(result) < 2:
        raise InputError("a motion of one row cannot be animated")
    for name, value in (("fps", fps), ("speed", speed)):
        if not value > 0:
            raise InputError(f"{name}: {value!r} is not above 0")
    suffix = "" if path is None else os.path.splitext(os.fspath(path))[1].lower()
    if path is not None and suffix not in {".gif", ".mp4"}:
        raise InputError(f"{os.fspath(path)}: an animation is saved as .gif or .mp4")
    rows = _instants(result, fps, speed)
    figure = _figure(5.6, 4.8)
    from .figures import GifWriter, NotebookAnimation
    from .pictures import Stage

    stage = Stage(figure, result._scene(rows), view, labels, _traces(result, trace), result.table.model_name)
    figure.canvas.draw()  # lays the axes out
    figure.set_layout_engine("none")  # which is done once, as nothing moves but what is drawn

    def show(frame: int) -> list[Any]:
        return stage.show([frame], f"t = {result.t[rows[frame]]:.2f} s")

    animation = NotebookAnimation(figure, show, len(rows), 1000 / fps)
    if path is not None:
        if suffix == ".gif":
            animation.save(os.fspath(path), writer=GifWriter(fps=round(fps)))
        else:
            animation.save(os.fspath(path), writer="ffmpeg", fps=round(fps))
    return animation
