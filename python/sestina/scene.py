"""The scene of a model: a solid for each shape; for bodies without shapes their links, mass centres and joints."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from . import _core, mesh_files, solids
from .beam_scene import nodes_of
from .errors import InputError
from .solids import Solid

if TYPE_CHECKING:
    import numpy.typing as npt

    from ._core import Model

    Array = npt.NDArray[np.float64]

GROUND_COLOUR = "#cdd2d9"  #: of shapes of the ground
#: Colours of bodies in turn, as matplotlib takes them; that of the ground comes first.
COLOURS = ["#5b6470", "#3f7fbf", "#e08a2e", "#4ea36b", "#c75450", "#8a6bb8", "#3aa6a6", "#c0699f", "#9a8f3c", "#7d95ab", "#a9745b"]


class Part(NamedTuple):
    """A solid that moves, over all frames of a picture."""

    name: str  #: of the body
    colour: str
    solid: Solid  #: in its own axes
    position: Array  #: (frames, 3) m, of its origin
    rotation: Array  #: (frames, 3, 3) takes components in its axes to those in ground axes
    stretch: Array | None = None  #: (frames) its factor of length along its z; of springs and links

    def corners(self, frame: int) -> Array:
        """(m, 4, 3) m, in ground axes."""
        own = self.solid.corners
        if self.stretch is not None:
            own = own * np.array([1.0, 1.0, self.stretch[frame]])
        moved: Array = own @ self.rotation[frame].T + self.position[frame]
        return moved

    def is_still(self, frame: int, other: int) -> bool:
        """Whether it does not move visibly between the two frames."""
        size = max(float(np.ptp(self.solid.corners.reshape(-1, 3), axis=0).max()), 1e-300)
        return bool(np.abs(self.corners(frame) - self.corners(other)).max() <= 1e-3 * size)

    def normals(self, frame: int) -> Array:
        """(m, 3)"""
        moved: Array = self.solid.normals @ self.rotation[frame].T
        return moved


class Scene(NamedTuple):
    """All parts to draw, over all frames."""

    parts: list[Part]
    labels: dict[str, Array]  #: names of bodies with (frames, 3) m, where they are written
    up: Array  #: (3) unit vector along an axis of the ground


def rotation_of(given: Any, numbers: Mapping[str, float]) -> Array:
    """(3, 3) from `axes` as in a description: a column is an axis of the point or shape, in the body's axes."""
    if not given:
        return np.eye(3)
    ((kind, data),) = given.items() if len(given) == 1 else [("axis", given)]
    if kind == "matrix":
        return np.array([[_number(x, numbers) for x in row] for row in data])
    if kind == "rpy":
        (cr, cp, cy), (sr, sp, sy) = (f([_number(x, numbers) for x in data]) for f in (np.cos, np.sin))
        about_x = np.array([[1, 0, 0], [0, cr, -sr], [0, sr, cr]])
        about_y = np.array([[cp, 0, sp], [0, 1, 0], [-sp, 0, cp]])
        about_z = np.array([[cy, -sy, 0], [sy, cy, 0], [0, 0, 1]])
        turned: Array = about_z @ about_y @ about_x
        return turned
    if kind == "euler_parameters":
        return _from_euler_parameters(np.array([_number(x, numbers) for x in data]))
    axis = np.array([_number(x, numbers) for x in data["axis"]])
    half = _number(data["angle"], numbers) / 2
    return _from_euler_parameters(np.concatenate([[np.cos(half)], np.sin(half) * axis / np.linalg.norm(axis)]))


def _from_euler_parameters(e: Array) -> Array:
    e0, x, y, z = e / np.linalg.norm(e)
    skew = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    rotation: Array = np.eye(3) + 2 * e0 * skew + 2 * skew @ skew
    return rotation


def _number(given: float | str, numbers: Mapping[str, float]) -> float:
    return numbers[given] if isinstance(given, str) else float(given)


def _texts(given: Any) -> set[str]:
    """All expressions in a description of shapes or points."""
    if isinstance(given, Mapping):
        return set().union(*(_texts(one) for key, one in given.items() if key not in {"type", "name", "file"}))
    if isinstance(given, str):
        return {given}
    return set().union(*(_texts(one) for one in given)) if isinstance(given, Sequence) else set()


def _evaluate(texts: set[str], system: _core.System) -> dict[str, float]:
    """Values of expressions of the parameters, evaluated as coordinates of points of the ground of another system."""
    order = sorted(texts)
    if not order:
        return {}
    probe = _core.System(parameters=system.parameters.copy())
    probe.ground.points = {f"sestina_point_{i}": (text, 0, 0) for i, text in enumerate(order)}
    probe.add_rigid_body("sestina_body", 1.0, inertia={"xx": 1, "yy": 1, "zz": 1})
    model = probe.freeze()
    return {text: float(model.point_position(f"ground.sestina_point_{i}", model.q0)[0]) for i, text in enumerate(order)}


_KINDS = "box, cylinder, sphere, capsule, ellipsoid, plane, mesh, height_field"


def solid_of_shape(
    shape: Mapping[str, Any], numbers: Mapping[str, float], folder: str, largest: float, most: int = 1200
) -> Solid:
    """The solid of a described shape, in the body's axes; no edge of its polygons is longer than `largest`, m.

    Meshes are looked for in the folder, and simplified to about `most` triangles. InputError for a bad mesh.
    """
    kind = shape["type"]
    radius, length = (_number(shape.get(key, 0.0), numbers) for key in ("radius", "length"))
    if kind == "box":
        made = solids.box(np.array([_number(x, numbers) for x in shape["size"]]), largest)
    elif kind == "sphere":
        made = solids.sphere(radius, largest)
    elif kind == "cylinder":
        made = solids.cylinder(radius, length, largest)
    elif kind == "capsule":
        made = solids.capsule(radius, length, largest)
    elif kind == "ellipsoid":
        made = solids.ellipsoid(np.array([_number(x, numbers) for x in shape["size"]]), largest)
    elif kind == "plane":
        made = solids.box(np.array([8 * largest, 8 * largest, 0.02 * largest]), largest)
    elif kind in {"mesh", "height_field"}:
        scale = np.array([_number(x, numbers) for x in shape.get("scale", (1, 1, 1))])
        read = mesh_files.read_mesh if kind == "mesh" else mesh_files.read_heights
        made = solids.mesh(read(mesh_files.find_mesh(shape["file"], folder)) * scale, most)
    else:
        raise InputError(f"type: {kind!r} is not a shape; allowed are {_KINDS}")
    position = np.array([_number(x, numbers) for x in shape.get("position", (0, 0, 0))])
    return made.moved(rotation_of(shape.get("axes"), numbers), position)


def up_against(gravity: Sequence[float]) -> Array:
    """The axis of the ground that points up: the one most nearly opposite to gravity, or z without gravity."""
    up = np.zeros(3)
    place = int(np.argmax(np.abs(gravity))) if any(gravity) else 2
    up[place] = -np.sign(gravity[place]) if any(gravity) else 1.0
    return up


class _ModelScene:
    """Makes the scene of a model at states q (frames, nq)."""

    def __init__(self, model: Model, q: Array) -> None:
        self.model, self.q, self.system = model, q, model.system
        motion = model.kinematics(q)
        self.position, self.rotation = motion.position, motion.rotation  # (frames, bodies, 3), (frames, bodies, 3, 3)
        self.place = {name: b for b, name in enumerate(model.bodies)}
        self.points = {name: model.point_position(name, q) for name in model.points}
        self.bodies: dict[str, Any] = {body.name: body for body in self.system.bodies if body.type != "beam"}
        self.beams = {beam.name: nodes_of(beam, list(model.bodies), self.position[0]) for beam in self.system.bodies if beam.type == "beam"}
        for nodes in self.beams.values():
            self.bodies |= {node.name: node for node in nodes}
        texts = {text for body in self.bodies.values() for text in self._texts_of(body)} | _texts(self.system.gravity.copy())
        for joint in self.system.joints:
            texts |= _texts(joint.axis.copy()) if joint.axis is not None else set()
        ground = self.system.ground
        texts |= {text for point in ground.points.copy().values() for text in _texts(point)} | _texts(list(ground.shapes))
        self.numbers = _evaluate(texts, self.system)
        self.shapes = {name: list(body.shapes) for name, body in self.bodies.items()}
        self.ground_shapes = list(ground.shapes)
        self.extent = self._calc_extent()
        self.mark = 0.016 * min(self.extent, 6.0 * self._calc_link())  # m, about the radius of what marks joints
        self.parts: list[Part] = []

    @staticmethod
    def _texts_of(body: Any) -> set[str]:
        data = [list(body.shapes), list(body.points.values()), list(body.center_of_mass), body.mass]
        return set().union(*(_texts(one) for one in data))

    def _calc_extent(self) -> float:
        """m, the size of the scene at the first frame, or over all frames if it is a single point there."""
        sizes = [0.0]
        for shapes in (*self.shapes.values(), self.ground_shapes):
            for shape in shapes:
                data = [*shape.get("size", ()), shape.get("radius", 0), shape.get("length", 0)]
                sizes.append(max(_number(x, self.numbers) for x in data))
        everything = np.stack([*self.points.values(), *(self._mass_centre(name) for name in self.bodies)])
        across = float(np.ptp(everything[:, 0], axis=0).max())
        return max(across, *sizes) or float(np.ptp(everything.reshape(-1, 3), axis=0).max()) or 1.0

    def _calc_link(self) -> float:
        """m, the median length, from joint to joint, of bodies without shapes; the extent if there are none."""
        lengths = []
        for name in self.bodies:
            ends = self._anchors(name)
            lengths += [float(np.linalg.norm(ends[-1] - ends[0]))] if len(ends) > 1 and not self.shapes[name] else []
        return float(np.median(lengths)) or self.extent if lengths else self.extent

    def _local_centre(self, name: str) -> Array:
        return np.array([_number(x, self.numbers) for x in self.bodies[name].center_of_mass])

    def _mass_centre(self, name: str) -> Array:
        """(frames, 3) m"""
        b = self.place[name]
        centre: Array = self.position[:, b] + self.rotation[:, b] @ self._local_centre(name)
        return centre

    def _body(self, point: str) -> str:
        """The body of a point; for a point of a beam, its node."""
        body = point.partition(".")[0]
        if body not in self.beams:
            return body
        away = [np.linalg.norm(self.position[0, self.place[node.name]] - self.points[point][0]) for node in self.beams[body]]
        return self.beams[body][int(np.argmin(away))].name

    def _local(self, point: str) -> Array:
        """(3) m, a point in the axes of its body."""
        b = self.place[self._body(point)]
        place: Array = self.rotation[0, b].T @ (self.points[point][0] - self.position[0, b])
        return place

    def _axes(self, point: str) -> Array:
        """(3, 3) the axes of a point, in its body's axes."""
        body, _, name = point.partition(".")
        if body in self.beams:
            return np.eye(3)
        points = self.system.ground.points if body == "ground" else self.bodies[body].points
        data = points.copy().get(name)
        return rotation_of(data["axes"], self.numbers) if isinstance(data, Mapping) and "axes" in data else np.eye(3)

    def _colour(self, body: str) -> str:
        beam = getattr(self.bodies.get(body), "beam", None)
        b = self.place[body if beam is None else self.beams[beam][0].name]
        return COLOURS[0] if b == 0 else COLOURS[1 + (b - 1) % (len(COLOURS) - 1)]

    def _add(self, body: str, solid: Solid | None, colour: str | None = None) -> None:
        if solid is not None:
            b = self.place[body]
            self.parts.append(Part(body, colour or self._colour(body), solid, self.position[:, b], self.rotation[:, b]))

    def _anchors(self, name: str) -> list[Array]:
        """The joints of a body, the one that carries it first, and its points: (3) m in its axes."""
        own = [joint.child for joint in self.system.joints if self._body(joint.child) == name]
        own += [joint.parent for joint in self.system.joints if self._body(joint.parent) == name]
        own += [point for point in self.points if self._body(point) == name and not point.endswith(".origin")]
        return [self._local(point) for point in dict.fromkeys(own)]

    def _add_shapes(self, name: str, shapes: list[Any]) -> list[Solid]:
        folders = dict(_core._mesh_folders(self.system)) if any("file" in one for one in shapes) else {}
        most = 5000 if len(self.q) < 10 else 1200  # a single picture may take longer than a frame of an animation
        solids_of = []
        for shape in shapes:
            try:
                solid = solid_of_shape(shape, self.numbers, folders.get(name, ""), self.extent / 18, most)
            except InputError as error:
                warnings.warn(f"{name if name == 'ground' else f'bodies.{name}'}.shape: {error}; it is not drawn", stacklevel=3)
                continue
            if name == "ground" and shape["type"] == "plane":
                solid = self._sheet(shape)
            self._add(name, solid, GROUND_COLOUR if name == "ground" else None)
            solids_of.append(solid)
        return solids_of

    def _sheet(self, plane: Mapping[str, Any]) -> Solid:
        """The part of a plane of the ground that is below all bodies."""
        axes = rotation_of(plane.get("axes"), self.numbers)
        origin = np.array([_number(x, self.numbers) for x in plane.get("position", (0, 0, 0))])
        everything = np.concatenate([self._mass_centre(name) for name in self.bodies] or [np.zeros((1, 3))])
        local = (everything - origin) @ axes
        low, high = local.min(axis=0), local.max(axis=0)
        margin = max(self.extent, 0.3 * float((high - low).max()))
        size = np.array([*(high - low + margin)[:2], 0.004 * margin])
        middle = np.array([*((low + high) / 2)[:2], -size[2] / 2])
        return solids.box(size, self.extent / 18).moved(axes, origin + axes @ middle)

    def _add_body(self, name: str) -> None:
        held = self._add_shapes(name, self.shapes[name])
        if held:
            self._add_holders(name, solids.join(held).corners.reshape(-1, 3))
        else:
            self._add_bare_body(name)

    def _add_holders(self, name: str, corners: Array) -> None:
        """Add rods to joints that are away from the shapes of a body."""
        low, high = corners.min(axis=0), corners.max(axis=0)
        for joint in self.system.joints:
            for point in (joint.child, joint.parent):
                if self._body(point) != name or joint.type in {"free", "xyz", "planar"}:
                    continue
                place = self._local(point)
                if np.linalg.norm(np.clip(place, low, high) - place) > 0.05 * self.extent:
                    self._add(name, solids.rod(place, (low + high) / 2, 0.008 * self.extent, self.extent / 18))

    def _add_bare_body(self, name: str) -> None:
        """Add rods from the body's first joint to its other points and its mass centre, which is marked."""
        anchors, centre = self._anchors(name), self._local_centre(name)
        first = anchors[0] if anchors else np.zeros(3)
        ends = [one for one in [*anchors[1:], centre] if np.linalg.norm(one - first) > 1e-9 * self.extent]
        longest = max((float(np.linalg.norm(one - first)) for one in ends), default=0.0)
        radius = float(np.clip(0.05 * longest, 0.25 * self.mark, 0.75 * self.mark))
        for end in ends:
            self._add(name, solids.rod(first, end, radius, self.extent / 18))
        if _number(self.bodies[name].mass or 0.0, self.numbers) > 0 or not ends:
            is_alone = not ends
            ball = solids.mass_centre(2.1 * self.mark if is_alone else max(2.0 * radius, self.mark))
            self._add(name, ball.moved(np.eye(3), centre))

    def _add_joint(self, joint: Any) -> None:
        """Add a pin along an axis of rotation or a rail along an axis of sliding, on the parent, unless shapes hide it."""
        parent, child = self._body(joint.parent), self._body(joint.child)
        if all(self.shapes.get(one) for one in (parent, child)):
            return
        at, axes = self._local(joint.parent), self._axes(joint.parent)
        radius = self.mark
        grey = COLOURS[0]
        axis = np.zeros(3)
        if joint.axis is not None:
            axis = axes @ np.array([_number(x, self.numbers) for x in joint.axis])
            axis /= np.linalg.norm(axis)
        if joint.type in {"revolute", "screw", "cylindrical"}:
            pin = solids.cylinder(radius, 3.4 * radius, self.extent)
            self._add(parent, pin.moved(solids.rotation_to(axis), at), grey)
        elif joint.type in {"spherical", "universal"}:
            self._add(parent, solids.sphere(1.2 * radius, self.extent).moved(np.eye(3), at), grey)
        elif joint.type == "prismatic":
            b = self.place[parent]
            way = np.einsum("fij,fi->fj", self.rotation[:, b], self.points[joint.child] - self.points[joint.parent]) @ axis
            ends = np.array([min(way.min(), 0.0), max(way.max(), 0.0)]) + np.array([-0.08, 0.08]) * self.extent
            self._add(parent, solids.rod(at + ends[0] * axis, at + ends[1] * axis, 0.3 * radius, self.extent / 24), grey)

    def _add_spring(self, force: Any) -> None:
        start, end = self.points[force.from_], self.points[force.to]
        length = float(np.linalg.norm(end[0] - start[0])) or self.extent
        spring = solids.coil(0.02 * self.extent, 0.004 * self.extent, length)
        self.parts.append(link(force.name, COLOURS[0], spring, start, end))

    def _add_cable(self, nodes: list[str]) -> None:
        strand = solids.cylinder(0.3 * self.mark, 1.0, self.extent).moved(np.eye(3), np.array([0.0, 0.0, 0.5]))
        for start, end in itertools.pairwise(nodes):
            ends = (self.position[:, self.place[name]] for name in (start, end))
            self.parts.append(link(start, self._colour(nodes[0]), strand, *ends))

    def make(self) -> Scene:
        self._add_shapes("ground", self.ground_shapes)
        for name, body in self.bodies.items():
            if not getattr(body, "is_cable", False):
                self._add_body(name)
        for nodes in self.beams.values():
            if nodes[0].is_cable:
                self._add_cable([node.name for node in nodes])
        for joint in self.system.joints:
            self._add_joint(joint)
        for force in self.system.forces:
            if force.type == "spring_damper":
                self._add_spring(force)
        labels = {name: self._mass_centre(name) for name in self.bodies}
        return Scene(self.parts, labels, up_against([_number(g, self.numbers) for g in self.system.gravity]))


def link(name: str, colour: str, solid: Solid, start: Array, end: Array) -> Part:
    """A part stretched between two moving points, start and end (frames, 3) m, from a solid between z = 0 and 1."""
    along = end - start
    length = np.linalg.norm(along, axis=1)
    axis = np.where(length[:, None] > 0, along / np.where(length > 0, length, 1.0)[:, None], np.array([0.0, 0.0, 1.0]))
    rotation = np.stack([solids.rotation_to(one) for one in axis])
    return Part(name, colour, solid, start, rotation, length)


def scene_of(model: Model, q: Array) -> Scene:
    """The scene of a model at states q (frames, nq)."""
    return _ModelScene(model, np.ascontiguousarray(q)).make()
