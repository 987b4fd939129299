"""Scenes of the runs of a SymbolicSystem: its bodies, by their points and frames. Part of sestina.symbolic."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from . import solids
from ._core import CompiledFunction, Expression, Matrix, Particle, Point, ReferenceFrame, RigidBody, Vector
from .errors import InputError
from .scene import COLOURS, Part, Scene, link, solid_of_shape
from .symbolic import dynamicsymbols

if TYPE_CHECKING:
    import numpy.typing as npt

    from .symbolic_methods import Body

    Array = npt.NDArray[np.float64]

#: As in a description; numbers may be expressions of parameters.
Shape = Mapping[str, Any]


class Cast:
    """The arguments of SymbolicSystem.set_scene()."""

    def __init__(
        self,
        method: Any,
        q: Sequence[Expression],
        u: Sequence[Expression],
        origin: Point,
        frame: ReferenceFrame | None,
        bodies: Iterable[Body] | None,
        lines: Iterable[Sequence[Point]],
        shapes: Mapping[Body, Shape | Sequence[Shape]] | None,
        up: Vector | None,
    ) -> None:
        found = frame if frame is not None else method._frame
        if found is None:
            raise InputError("frame: neither this argument nor the method gives the inertial frame")
        self.frame: ReferenceFrame = found
        self.origin, self.q, self.u = origin, list(q), list(u)
        self.bodies: list[Body] = list(bodies) if bodies is not None else list(method._bodies or [])
        self.lines = [list(line) for line in lines]
        if not self.bodies and not self.lines:
            raise InputError("bodies: there are neither bodies nor lines, which would be drawn")
        self.shapes: dict[str, list[Shape]] = {}
        for body, given in (shapes or {}).items():
            if body not in self.bodies:
                raise InputError(f"shapes: {body!r} is not one of the bodies")
            self.shapes[body.name] = [given] if isinstance(given, Mapping) else list(given)
        self.up = self._axis_of(up)
        self.points = list(dict.fromkeys([*map(_centre, self.bodies), *(point for line in self.lines for point in line)]))
        self.frames = [one.frame for one in self.bodies if isinstance(one, RigidBody)]
        for point in self.points:
            self.position(point)  # which must be known

    def _axis_of(self, up: Vector | None) -> Array:
        if up is None:
            return np.array([0.0, 0.0, 1.0])
        try:
            data = np.array([float(one) for one in up.to_matrix(self.frame)])
        except (TypeError, ValueError, InputError):
            data = np.zeros(3)
        if np.count_nonzero(data) != 1:
            raise InputError(f"up: {up} is not along an axis of {self.frame.name}")
        sign: Array = np.sign(data)
        return sign

    def position(self, point: Point) -> list[Expression]:
        """x, y, z (m) from the origin."""
        try:
            return list(point.pos_from(self.origin).to_matrix(self.frame))
        except InputError as error:
            raise InputError(f"the point {point.name}: {error}") from None

    def take(self, values: Mapping[Expression, float], inputs: Mapping[Expression, Any]) -> Picture:
        """The cast with the numbers of a run."""
        return Picture(self, dict(values), dict(inputs))


def _centre(body: Body) -> Point:
    return body.point if isinstance(body, Particle) else body.masscenter


class Picture:
    """A cast with the numbers of a run."""

    def __init__(self, cast: Cast, values: dict[Expression, float], inputs: dict[Expression, Any]) -> None:
        self._cast, self._values, self._inputs = cast, values, inputs

    def _evaluate(self, expressions: list[Expression], t: Array, q: Array, u: Array) -> Array:
        """(rows, expressions)"""
        cast = self._cast
        names, columns = [dynamicsymbols._t, *cast.q, *cast.u], [t[:, None], q, u]
        by_expression = {name: value for name, value in self._inputs.items() if isinstance(value, (Expression, float, int))}
        expressions = [one.subs(by_expression) for one in expressions] if by_expression else expressions
        for name, value in self._inputs.items():
            if name not in by_expression:
                names.append(name)
                columns.append(_values_of(value, t, q, u)[:, None])
        # Lagrange's method has rates of coordinates as speeds, which positions do not hold.
        kept = [k for k, name in enumerate(names) if k <= len(cast.q) or k > len(cast.q) + len(cast.u) or name not in cast.q]
        table = np.concatenate(columns, axis=1)[:, kept]
        function = CompiledFunction(Matrix(expressions), [names[k] for k in kept], list(self._values))
        data = function(np.ascontiguousarray(table), np.array(list(self._values.values())))
        return np.asarray(data, dtype=np.float64).reshape(len(t), len(expressions))

    def way_of(self, point: Point | str, t: Array, q: Array, u: Array) -> Array:
        """(rows, 3) m, the positions of a point; a name stands for one of the points drawn."""
        if isinstance(point, str):
            named = {one.name: one for one in self._cast.points}
            if point not in named:
                raise InputError(f"trace: there is no point {point!r}; there are {', '.join(named)}")
            point = named[point]
        return self._evaluate(self._cast.position(point), t, q, u)

    def make_scene(self, t: Array, q: Array, u: Array) -> Scene:
        """At rows of a result: t (rows) s, q (rows, nq), u (rows, nu)."""
        cast = self._cast
        wanted = [one for point in cast.points for one in cast.position(point)]
        wanted += [one for frame in cast.frames for one in cast.frame.dcm(frame)]
        data = self._evaluate(wanted, t, q, u)
        count = 3 * len(cast.points)
        at = dict(zip(cast.points, np.moveaxis(data[:, :count].reshape(len(t), -1, 3), 1, 0), strict=True))
        turned = dict(zip(cast.frames, np.moveaxis(data[:, count:].reshape(len(t), -1, 3, 3), 1, 0), strict=True))
        everything = np.stack([*at.values(), np.zeros((len(t), 3))])
        extent = float(np.ptp(everything[:, 0], axis=0).max()) or float(np.ptp(everything.reshape(-1, 3), axis=0).max())
        return self._build(at, turned, extent or 1.0)

    def _build(self, at: Mapping[Point, Array], turned: Mapping[ReferenceFrame, Array], extent: float) -> Scene:
        cast = self._cast
        parts = []
        for k, body in enumerate(cast.bodies):
            colour = COLOURS[1 + k % (len(COLOURS) - 1)]
            place = at[_centre(body)]
            axes = np.broadcast_to(np.eye(3), (len(place), 3, 3)) if isinstance(body, Particle) else turned[body.frame]
            given = cast.shapes.get(body.name)
            own = [solids.mass_centre(0.03 * extent)] if given is None else [self._solid(one, extent) for one in given]
            parts += [Part(body.name, colour, solid, place, axes) for solid in own]
        unit = solids.cylinder(0.007 * extent, 1.0, 1 / 12).moved(np.eye(3), np.array([0.0, 0.0, 0.5]))
        for line in cast.lines:
            parts += [link("line", COLOURS[0], unit, at[a], at[b]) for a, b in zip(line, line[1:])]
        return Scene(parts, {body.name: at[_centre(body)] for body in cast.bodies}, cast.up)

    def _solid(self, shape: Shape, extent: float) -> solids.Solid:
        def numbers(given: Any) -> Any:
            if isinstance(given, Expression):
                return float(given.subs(self._values))
            if isinstance(given, Mapping):
                return {key: numbers(one) for key, one in given.items()}
            return [numbers(one) for one in given] if isinstance(given, (list, tuple)) else given

        return solid_of_shape(numbers(shape), {}, "", extent / 12)


def _values_of(value: Any, t: Array, q: Array, u: Array) -> Array:
    """(rows) An input that is a function or a table."""
    if isinstance(value, tuple):
        return np.interp(t, np.asarray(value[0], dtype=np.float64), np.asarray(value[1], dtype=np.float64))
    from .symbolic_system import _takes_state

    takes_state = _takes_state(value, dynamicsymbols._t)
    return np.array([value(s, q[i], u[i]) if takes_state else value(s) for i, s in enumerate(t)], dtype=np.float64)
