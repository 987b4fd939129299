"""Draws a scene with matplotlib: in perspective, shaded, above a grid on the ground."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from matplotlib import patheffects
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.colors import to_rgb
from matplotlib.patches import PathPatch
from matplotlib.path import Path

from .errors import InputError

if TYPE_CHECKING:
    import numpy.typing as npt
    from matplotlib.figure import Figure

    from .scene import Scene

    Array = npt.NDArray[np.float64]

AXIS_COLOURS = ("#c75450", "#4ea36b", "#3f7fbf")
NAME_SIZE = 9.0  # points
ROOM = 0.86  # fraction of a figure's height, without the texts above and below

#: What `view` may be: the ground axes across and up ("xz"), or azimuth and elevation of the eye, degrees.
View = str | tuple[float, float] | None


class Camera(NamedTuple):
    """The position of the eye. Pictures have x to the right and y up, in metres at the middle of the scene."""

    middle: Array  #: (3) m
    axes: Array  #: (3, 3) rows: to the right, up, towards the eye
    distance: float  #: m, of the eye from the middle; inf without perspective

    def project(self, points: Array) -> Array:
        """(..., 3) m in ground axes -> (..., 3): right, up, and towards the eye."""
        seen: Array = (points - self.middle) @ self.axes.T
        if np.isfinite(self.distance):
            seen[..., :2] *= (self.distance / np.maximum(self.distance - seen[..., 2:], 1e-2 * self.distance))
        return seen

    def eye_from(self, points: Array) -> Array:
        """(..., 3) directions from points towards the eye, of any length."""
        if np.isfinite(self.distance):
            towards: Array = self.middle + self.distance * self.axes[2] - points
            return towards
        return np.broadcast_to(self.axes[2], points.shape)


def _turned(axis: Array, angle: float, vector: Array) -> Array:
    """A vector rotated about a unit axis by an angle, rad."""
    turned: Array = (
        np.cos(angle) * vector + np.sin(angle) * np.cross(axis, vector) + (1 - np.cos(angle)) * (axis @ vector) * axis
    )
    return turned


def _looking(towards: Array, up: Array) -> Array:
    """(3, 3) rows right, up, towards the eye."""
    towards = towards / np.linalg.norm(towards)
    right = np.cross(up, towards)
    if np.linalg.norm(right) < 1e-9:  # from straight above
        right = np.eye(3)[int(np.argmin(np.abs(towards) + np.abs(up)))]
    right = right / np.linalg.norm(right)
    return np.stack([right, np.cross(towards, right), towards])


def choose_camera(everything: Array, up: Array, view: View) -> Camera:
    """everything (n, 3) m: the points to show. The default view is oblique, onto the plane of largest extent."""
    low, high = everything.min(axis=0), everything.max(axis=0)
    middle, distance = (low + high) / 2, 3.2 * float(np.linalg.norm(high - low)) or 1.0
    if isinstance(view, str):
        if len(view) != 2 or not set(view) <= set("xyz") or view[0] == view[1]:
            raise InputError(f"view: {view!r} is not two of the axes x, y, z")
        right, above = (np.eye(3)["xyz".index(letter)] for letter in view)
        return Camera(np.zeros(3), np.stack([right, above, np.cross(right, above)]), np.inf)
    place = int(np.argmax(np.abs(up)))
    if view is not None:
        try:
            azimuth, elevation = (np.deg2rad(float(angle)) for angle in view)
        except (TypeError, ValueError):
            raise InputError(f"view: {view!r} is neither two axes such as 'xz' nor azimuth and elevation") from None
        right = _turned(up, azimuth, np.eye(3)[(place + 1) % 3])
        towards = np.cos(elevation) * right + np.sin(elevation) * up
        return Camera(middle, _looking(towards, up), distance)
    level = [(place + 1) % 3, (place + 2) % 3]
    spread = (high - low)[level]
    right = np.eye(3)[level[1] if spread[1] > 1.05 * spread[0] else level[0]]
    # From the side towards which the first level axis points right, a little from the left and above.
    towards = _turned(up, np.deg2rad(-28), np.cross(right, up))
    return Camera(middle, _looking(np.cos(0.35) * towards + np.sin(0.35) * up, up), distance)


def shade(colours: Array, normals: Array, towards: Array, camera: Camera) -> Array:
    """Colours (m, 3) of matt surfaces with a little gloss, in light from above on the left of the eye."""
    towards = towards / np.linalg.norm(towards, axis=-1, keepdims=True)
    facing = np.where((normals * towards).sum(axis=-1) < 0, -1.0, 1.0)  # both sides of open surfaces
    normals = normals * facing[:, None]
    light = camera.axes.T @ np.array([-0.45, 0.72, 0.53])
    fill = camera.axes.T @ np.array([0.7, 0.1, 0.7])
    bright = 0.62 + 0.45 * np.maximum(normals @ light, 0.0) + 0.18 * np.maximum(normals @ fill, 0.0)
    half = towards + light
    half = half / np.linalg.norm(half, axis=-1, keepdims=True)
    gloss = 0.20 * np.maximum((normals * half).sum(axis=-1), 0.0) ** 24
    shaded: Array = np.clip(colours * bright[:, None] + gloss[:, None], 0.0, 1.0)
    return shaded


def _outline(polygons: Array) -> Path:
    """One path of many polygons (m, 4, 2), so that overlapping ones are filled once."""
    x, y = np.moveaxis(polygons, -1, 0)
    area = (x * np.roll(y, -1, axis=1) - y * np.roll(x, -1, axis=1)).sum(axis=1)
    polygons = np.where((area < 0)[:, None, None], polygons[:, ::-1], polygons)[area != 0]
    closed = np.concatenate([polygons, polygons[:, :1]], axis=1)
    codes = np.tile(np.array([Path.MOVETO, *[Path.LINETO] * 3, Path.CLOSEPOLY], dtype=Path.code_type), len(closed))
    return Path(closed.reshape(-1, 2), codes) if len(closed) else Path(np.zeros((1, 2)))


class _Polygons(NamedTuple):
    corners: Array  # (m, 4, 3) m, ground axes
    normals: Array  # (m, 3)
    colours: Array  # (m, 3)
    is_closed: npt.NDArray[np.bool_]  # (m)


class Stage:
    """A scene on matplotlib's axes. show() draws frames of it; the mouse turns it where there is a window."""

    def __init__(
        self, figure: Figure, scene: Scene, view: View, labels: bool, ways: Sequence[Array] = (), title: str = ""
    ) -> None:
        """ways: additional lines (n, 3) m to draw, such as the path of a point."""
        self._figure, self._scene, self._title = figure, scene, title
        self._frames = len(scene.parts[0].position) if scene.parts else 1
        self._ways = [np.asarray(way) for way in ways]
        self._colours = [
            (1 - 0.75 * part.solid.tones[:, None]) * np.array(to_rgb(part.colour)) + 0.75 * part.solid.tones[:, None]
            for part in scene.parts
        ]
        self._bounds = self._calc_bounds()
        self._camera = choose_camera(np.concatenate([self._bounds, *self._ways]), scene.up, view)
        self._is_flat = not np.isfinite(self._camera.distance)
        self._shown: Sequence[int] = (0,)
        # In perspective the picture fills the figure; with axes it leaves room for their labels.
        if not self._is_flat:
            figure.set_layout_engine("none")
        self._panel: Any = figure.subplots() if self._is_flat else figure.add_axes((0, 0, 1, 1))
        self._make_artists(labels)
        self._place_camera(self._camera)
        if not self._is_flat:
            self._follow_mouse()

    def _calc_bounds(self) -> Array:
        """(n, 3) m, corners of the bounding boxes of the parts, in about sixty of the frames."""
        chosen = np.unique(np.linspace(0, self._frames - 1, min(self._frames, 60)).round().astype(int))
        found = [np.zeros((0, 3))]
        for part in self._scene.parts:
            corners = part.solid.corners.reshape(-1, 3)
            ends = np.stack([corners.min(axis=0), corners.max(axis=0)])
            box = np.stack(np.meshgrid(*ends.T), axis=-1).reshape(-1, 3)
            for frame in chosen:
                one = part._replace(solid=part.solid._replace(corners=box[:, None, :]))
                found.append(one.corners(frame)[:, 0])
        everything = np.concatenate(found)
        if not len(everything):
            return np.array([[-0.5, -0.5, -0.5], [0.5, 0.5, 0.5]])
        if not np.isfinite(everything).all():
            everything = everything[np.isfinite(everything).all(axis=1)]
        return everything

    # ---- what does not move ----------------------------------------------------------------------

    def _make_artists(self, labels: bool) -> None:
        panel, up = self._panel, self._scene.up
        everything = np.concatenate([self._bounds, *self._ways])
        heights = everything @ up
        extent = float(np.ptp(everything, axis=0).max()) or 1.0
        # A robot stands on the ground; below a pendulum the ground is placed clear of it.
        stands = -0.02 * extent <= heights.min() <= 0.5 * extent
        self._floor = 0.0 if stands else float(heights.min()) - 0.04 * extent
        self._polygons = panel.add_collection(PolyCollection([], linewidths=0.7, zorder=3))
        self._lines = panel.add_collection(LineCollection([], colors="#c75450", linewidths=1.4, alpha=0.8, zorder=2.5))
        self._clock = panel.text(0.02, 0.98, "", transform=panel.transAxes, va="top", fontsize=10, zorder=5)
        self._names = {}
        halo = [patheffects.withStroke(linewidth=2.5, foreground="white")]
        if labels:
            self._names = {
                name: panel.text(0, 0, name, fontsize=NAME_SIZE, ha="center", va="center", path_effects=halo, zorder=4)
                for name in self._scene.labels
            }
        panel.set_aspect("equal")
        if self._is_flat:
            panel.set_title(self._title)
            axes = ["xyz"[int(np.argmax(np.abs(row)))] for row in self._camera.axes]
            panel.set_xlabel(f"{axes[0]} / m")
            panel.set_ylabel(f"{axes[1]} / m")
            panel.grid(alpha=0.3)
            panel.set_axisbelow(True)
            panel.spines[["top", "right"]].set_visible(False)
            return
        panel.set_axis_off()
        panel.text(0.5, 0.98, self._title, transform=panel.transAxes, ha="center", va="top", fontsize=12, zorder=5)
        self._shadow = panel.add_patch(PathPatch(Path(np.zeros((1, 2))), facecolor="#d9dde1", edgecolor="none", zorder=1))
        self._grid, self._cell = self._make_grid(everything, extent)
        self._grid_lines = panel.add_collection(LineCollection([], colors="#b9bfc6", linewidths=0.6, zorder=1.5))
        self._arrows = [panel.plot([], [], lw=1.6, color=c, solid_capstyle="round", zorder=5, transform=panel.transAxes)[0] for c in AXIS_COLOURS]
        self._letters = [
            panel.text(0, 0, letter, color=c, fontsize=9, ha="center", va="center", zorder=5, transform=panel.transAxes, path_effects=halo)
            for letter, c in zip("xyz", AXIS_COLOURS, strict=True)
        ]
        panel.text(0.98, 0.02, f"grid {self._cell:g} m", transform=panel.transAxes, ha="right", fontsize=8, color="#6b7480", zorder=5)

    def _make_grid(self, everything: Array, extent: float) -> tuple[Array, float]:
        """Lines (n, 2, 3) m on the floor below everything, and their distance."""
        place = int(np.argmax(np.abs(self._scene.up)))
        level = [(place + 1) % 3, (place + 2) % 3]
        rough = extent / 7
        power = 10.0 ** np.floor(np.log10(rough))
        cell = float(power * min((1, 2, 5, 10), key=lambda factor: abs(np.log(factor * power / rough))))
        low = np.floor((everything.min(axis=0)[level] - 0.12 * extent) / cell)
        high = np.ceil((everything.max(axis=0)[level] + 0.12 * extent) / cell)
        lines = []
        for across in (0, 1):
            for k in np.arange(low[across], high[across] + 0.5):
                line = np.zeros((2, 3))
                line[:, place] = self._floor * self._scene.up[place]
                line[:, level[across]] = k * cell
                line[:, level[1 - across]] = low[1 - across] * cell, high[1 - across] * cell
                lines.append(line)
        return np.array(lines), cell

    def _place_camera(self, camera: Camera) -> None:
        """Fit the picture to all frames, and draw the static parts."""
        self._camera = camera
        seen = [camera.project(np.concatenate([self._bounds, *self._ways]))[:, :2]]
        if not self._is_flat:
            grid = camera.project(self._grid)[..., :2]
            self._grid_lines.set_segments(list(grid))
            seen.append(grid.reshape(-1, 2))
            self._draw_axes(camera)
        points = np.concatenate(seen)
        low, high = points.min(axis=0), points.max(axis=0)
        # Equal scales: the shorter side gets more room, so that the panel keeps its size.
        middle, half = (low + high) / 2, 0.54 * (high - low)
        if self._is_flat:
            half = np.maximum(half, 0.05 * half.max() or 0.5)
        else:
            box = self._panel.get_window_extent()
            scale = max(half[0] / box.width, half[1] / (ROOM * box.height)) or 1.0  # m of half a pixel
            half = scale * np.array([box.width, box.height])
        self._panel.set_xlim(middle[0] - half[0], middle[0] + half[0])
        self._panel.set_ylim(middle[1] - half[1], middle[1] + half[1])
        self._lines.set_segments([camera.project(way)[:, :2] for way in self._ways])

    def _draw_axes(self, camera: Camera) -> None:
        """Draw the directions of x, y and z in the lower left corner of the panel."""
        box = self._panel.get_window_extent()
        size = 0.075 * min(box.width, box.height)
        scale = np.array([size / box.width, size / box.height])
        lowest = np.minimum(camera.axes[:2].min(axis=1), 0.0)  # of the axes that point down or to the left
        corner = np.array([0.03, 0.03]) + (0.3 - 1.3 * lowest) * scale
        for axis in range(3):
            tip = camera.axes[:2, axis] * scale
            self._arrows[axis].set_data(*np.stack([corner, corner + tip], axis=1))
            length = float(np.linalg.norm(camera.axes[:2, axis]))
            self._letters[axis].set_position(corner + tip * (1 + 0.3 / max(length, 0.3)))
            self._letters[axis].set_visible(length > 0.15)

    # ---- what moves ------------------------------------------------------------------------------

    def _polygons_of(self, frame: int, last: int) -> _Polygons | None:
        """The polygons of a frame, without parts that are in the same place in the last frame: these are drawn there."""
        drawn = list(zip(self._scene.parts, self._colours, strict=True))
        if frame != last:
            drawn = [(part, colours) for part, colours in drawn if not part.is_still(frame, last)]
        if not drawn:
            return None
        return _Polygons(
            np.concatenate([part.corners(frame) for part, _ in drawn]),
            np.concatenate([part.normals(frame) for part, _ in drawn]),
            np.concatenate([colours for _, colours in drawn]),
            np.concatenate([np.full(len(part.solid.corners), part.solid.is_closed) for part, _ in drawn]),
        )

    def show(self, frames: Sequence[int], clock: str = "") -> list[Any]:
        """Draw these frames in one picture, earlier ones fainter. Returns the artists that changed."""
        self._shown = frames
        self._clock.set_text(clock)
        if not self._scene.parts:
            return [self._clock]
        corners, depths, colours, shadows = [], [], [], []
        for k, frame in enumerate(frames):
            polygons = self._polygons_of(frame, frames[-1])
            if polygons is None:
                continue
            seen, towards, kept = self._visible(polygons)
            own = shade(polygons.colours[kept], polygons.normals[kept], towards[kept], self._camera)
            faint = 0.25 + 0.5 * (1 - (k + 1) / len(frames)) if k + 1 < len(frames) else 0.0
            corners.append(seen[kept][..., :2])
            depths.append(np.sort(seen[kept][..., 2], axis=1).mean(axis=1))
            colours.append(own + faint * (1.0 - own))
            if not self._is_flat:
                lit = polygons.normals @ self._scene.up > 0
                shadows.append(self._shadow_of(polygons.corners[lit | ~polygons.is_closed]))
        order = np.argsort(np.concatenate(depths))
        shown = np.concatenate(colours)[order]
        self._polygons.set_verts(np.concatenate(corners)[order])
        self._polygons.set_facecolor(shown)
        self._polygons.set_edgecolor(shown)
        if not self._is_flat:
            self._shadow.set_path(_outline(np.concatenate(shadows)))
        self._place_names(frames[-1])
        changed = [self._polygons, self._clock, *self._names.values()]
        return changed if self._is_flat else [self._shadow, self._grid_lines, self._lines, *changed]

    def _visible(self, polygons: _Polygons) -> tuple[Array, Array, npt.NDArray[np.bool_]]:
        """The projected corners, the directions to the eye, and which polygons face it."""
        towards = self._camera.eye_from(polygons.corners.mean(axis=1))
        away = (polygons.normals * towards).sum(axis=1) <= 0
        return self._camera.project(polygons.corners), towards, ~(away & polygons.is_closed)

    def _place_names(self, frame: int) -> None:
        """Place names at their bodies, and stack those that would overlap."""
        if not self._names:
            return
        figure = self._figure
        places = {name: self._camera.project(self._scene.labels[name][frame])[:2] for name in self._names}
        shown = {name: self._panel.transData.transform(place) for name, place in places.items()}  # pixels
        height = 1.25 * NAME_SIZE * figure.dpi / 72
        placed: list[tuple[float, float, float]] = []  # x, y and half of the width of a name, pixels
        for name in sorted(shown, key=lambda one: shown[one][1]):
            x, y = shown[name]
            half = 0.3 * NAME_SIZE * len(name) * figure.dpi / 72
            for other_x, other_y, other_half in sorted(placed, key=lambda one: one[1]):
                if abs(x - other_x) < half + other_half and abs(y - other_y) < height:
                    y = other_y + height
            placed.append((x, y, half))
            self._names[name].set_position(self._panel.transData.inverted().transform((x, y)))

    def _shadow_of(self, corners: Array) -> Array:
        up = self._scene.up
        fallen = corners - ((corners @ up) - self._floor)[..., None] * up
        return self._camera.project(fallen)[..., :2]

    # ---- the mouse -------------------------------------------------------------------------------

    def _follow_mouse(self) -> None:
        canvas: Any = self._figure.canvas
        begin: list[Any] = []

        def press(event: Any) -> None:
            if event.inaxes is self._panel and event.button == 1:
                begin[:] = [event.x, event.y, self._camera]

        def move(event: Any) -> None:
            if not begin or event.x is None:
                return
            x, y, camera = begin
            up = self._scene.up
            towards = _turned(up, -0.01 * (event.x - x), camera.axes[2])
            right = _turned(up, -0.01 * (event.x - x), camera.axes[0])
            height = np.arcsin(np.clip(towards @ up, -1, 1))
            lift = np.clip(height - 0.01 * (event.y - y), -1.5, 1.5) - height
            self._place_camera(camera._replace(axes=_looking(_turned(right, -lift, towards), up)))
            self.show(self._shown, self._clock.get_text())
            canvas.draw_idle()

        def release(_: Any) -> None:
            begin.clear()

        def resize(_: Any) -> None:
            self._place_camera(self._camera)

        for name, function in (("resize_event", resize), ("button_press_event", press), ("motion_notify_event", move), ("button_release_event", release)):
            canvas.mpl_connect(name, function)
        self._handlers = (press, move, release, resize)  # the canvas keeps weak references


