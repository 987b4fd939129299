"""Surfaces of boxes, spheres, cylinders, capsules and meshes as polygons, for pictures."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    Array = npt.NDArray[np.float64]


class Solid(NamedTuple):
    """A surface of m polygons of four corners each, counter-clockwise as seen from outside; a triangle repeats its last."""

    corners: Array  #: (m, 4, 3) m
    normals: Array  #: (m, 3) unit vectors outwards, of the smooth surface that the polygons stand for
    tones: Array  #: (m) from 0, the body's colour, to 1, a light one
    is_closed: bool  #: whether polygons that look away are hidden by others

    def moved(self, rotation: Array, position: Array) -> Solid:
        """rotation (3, 3) takes components in the solid's axes to those in the new ones; position (3) m of its origin."""
        return self._replace(corners=self.corners @ rotation.T + position, normals=self.normals @ rotation.T)


def join(solids: list[Solid]) -> Solid:
    """One surface made of several; closed if all are."""
    return Solid(
        np.concatenate([one.corners for one in solids]),
        np.concatenate([one.normals for one in solids]),
        np.concatenate([one.tones for one in solids]),
        all(one.is_closed for one in solids),
    )


def _solid(corners: Array, normals: Array) -> Solid:
    return Solid(corners, normals, np.zeros(len(corners)), True)


def _grid(points: Array, normals: Array) -> Solid:
    """Polygons between neighbours of a grid of points (a, b, 3); normals (a-1, b-1, 3)."""
    corners = np.stack([points[:-1, :-1], points[1:, :-1], points[1:, 1:], points[:-1, 1:]], axis=2)
    return _solid(corners.reshape(-1, 4, 3), normals.reshape(-1, 3))


def _pieces(length: float, largest: float) -> int:
    """The number of pieces for a length, m; short pieces, since polygons of neighbouring solids are sorted by depth."""
    return int(np.clip(np.ceil(length / largest), 1, 40)) if largest > 0 else 1


def box(size: Array, largest: float) -> Solid:
    """size (3) m, of the edges; largest (m) edge of a polygon."""
    faces = []
    for axis in range(3):
        a, b = (axis + 1) % 3, (axis + 2) % 3
        along = [np.linspace(-0.5, 0.5, _pieces(size[k], largest) + 1) * size[k] for k in (a, b)]
        points = np.zeros((len(along[0]), len(along[1]), 3))
        points[..., a], points[..., b] = along[0][:, None], along[1][None, :]
        for side in (-1.0, 1.0):
            points[..., axis] = side * size[axis] / 2
            normal = np.zeros(3)
            normal[axis] = side
            ordered = points if side > 0 else points[::-1]
            faces.append(_grid(ordered, np.broadcast_to(normal, (len(along[0]) - 1, len(along[1]) - 1, 3))))
    return join(faces)


def _sides(radius: float, largest: float) -> int:
    """Number of sides of a round solid: a multiple of four, so that quarters are alike."""
    return 4 * int(np.clip(np.ceil(2 * np.pi * radius / (1.6 * largest)), 4, 14)) if largest > 0 else 24


def _turned(profile: Array, slopes: Array, sides: int) -> Solid:
    """The surface of revolution about z of a curve in the plane of x (distance from the axis) and z.

    profile (n, 2) m with rising z; slopes (n-1, 2) outward normals of its pieces.
    """
    angle = np.linspace(0, 2 * np.pi, sides + 1)
    middle = (angle[1:] + angle[:-1]) / 2
    radius, height = profile.T
    points = np.stack(
        np.broadcast_arrays(radius * np.cos(angle)[:, None], radius * np.sin(angle)[:, None], height), axis=-1
    )
    normals = np.stack(
        np.broadcast_arrays(
            slopes[:, 0] * np.cos(middle)[:, None], slopes[:, 0] * np.sin(middle)[:, None], slopes[:, 1]
        ),
        axis=-1,
    )
    return _grid(points, normals)


def sphere(radius: float, largest: float) -> Solid:
    """radius: m"""
    return capsule(radius, 0.0, largest)


def ellipsoid(size: Array, largest: float) -> Solid:
    """size: lengths of the axes along x, y, z, m"""
    ball = sphere(1.0, largest / max(float(size.max()), 1e-300))
    normals = ball.normals / np.where(size > 0, size, 1.0)
    return ball._replace(corners=ball.corners * size / 2, normals=normals / np.linalg.norm(normals, axis=1)[:, None])


def cylinder(radius: float, length: float, largest: float) -> Solid:
    """Along z, its centre at the origin; m."""
    count = _pieces(length, largest)
    z = np.linspace(-length / 2, length / 2, count + 1)
    rings = _pieces(radius, largest)
    r = np.linspace(0, radius, rings + 1)
    profile = np.concatenate(
        [
            np.stack([r[:-1], np.full(rings, z[0])], axis=1),
            np.stack([np.full(count + 1, radius), z], axis=1),
            np.stack([r[-2::-1], np.full(rings, z[-1])], axis=1),
        ]
    )
    slopes = np.array([(0.0, -1.0)] * rings + [(1.0, 0.0)] * count + [(0.0, 1.0)] * rings)
    turned = _turned(profile, slopes, _sides(radius, largest))
    if radius <= length / 2:
        return turned
    # Two quarters of a disc are a little lighter, so that its rotation is visible.
    middle = turned.corners.mean(axis=1)
    is_lighter = (turned.normals[:, 2] != 0) & (middle[:, 0] * middle[:, 1] > 0)
    return turned._replace(tones=np.where(is_lighter, 0.2, 0.0))


def capsule(radius: float, length: float, largest: float) -> Solid:
    """length (m) between the centres of its caps, along z."""
    quarter = np.linspace(0, np.pi / 2, _sides(radius, largest) // 4 + 1)
    middle = (quarter[1:] + quarter[:-1]) / 2
    profile, slopes = [], []
    profile.append(np.stack([radius * np.sin(quarter), -length / 2 - radius * np.cos(quarter)], axis=1))
    slopes.append(np.stack([np.sin(middle), -np.cos(middle)], axis=1))
    if length > 0:
        count = _pieces(length, largest)
        z = np.linspace(-length / 2, length / 2, count + 1)[1:]
        profile.append(np.stack([np.full(count, radius), z], axis=1))
        slopes.append(np.tile([1.0, 0.0], (count, 1)))
    profile.append(np.stack([radius * np.cos(quarter), length / 2 + radius * np.sin(quarter)], axis=1)[1:])
    slopes.append(np.stack([np.cos(middle), np.sin(middle)], axis=1))
    return _turned(np.concatenate(profile), np.concatenate(slopes), _sides(radius, largest))


def mass_centre(radius: float) -> Solid:
    """A sphere whose eighths alternate between two colours, the usual mark of a mass centre."""
    ball = sphere(radius, 1.3 * radius)
    signs = np.sign(ball.normals.round(9)).prod(axis=1)
    return ball._replace(tones=np.where(signs > 0, 1.0, 0.0))


def rod(start: Array, end: Array, radius: float, largest: float) -> Solid | None:
    """A capsule between two points, (3) m; None if they coincide."""
    along = end - start
    length = float(np.linalg.norm(along))
    if length == 0:
        return None
    return capsule(radius, length, largest).moved(rotation_to(along / length), (start + end) / 2)


def rotation_to(axis: Array) -> Array:
    """(3, 3) A rotation that takes z to a unit vector."""
    other = np.eye(3)[int(np.argmin(np.abs(axis)))]
    x = np.cross(other, axis)
    x /= np.linalg.norm(x)
    return np.stack([x, np.cross(axis, x), axis], axis=1)


def mesh(triangles: Array, most: int) -> Solid:
    """triangles (n, 3, 3) m; if there are more than `most`, corners are merged until about that many are left."""
    triangles = _simplified(triangles, most)
    normals = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    lengths = np.linalg.norm(normals, axis=1)
    has_area = lengths > 0
    normals = normals[has_area] / lengths[has_area, None]
    corners = triangles[has_area][:, [0, 1, 2, 2]]
    return Solid(corners, normals, np.zeros(len(corners)), False)


def _simplified(triangles: Array, most: int) -> Array:
    """By cells of a grid: corners in one cell become their mean, and triangles that shrink to lines are left out."""
    if len(triangles) <= most:
        return triangles
    points = triangles.reshape(-1, 3)
    low, extent = points.min(axis=0), float(np.ptp(points, axis=0).max())
    # A surface meets some 4 n^2 of the n^3 cells, and each of these leaves about two triangles.
    cells = max(4.0, (most / 8) ** 0.5)
    while True:
        keys = np.minimum(((points - low) / extent * cells).astype(np.int64), int(cells))
        _, place = np.unique(keys, axis=0, return_inverse=True)
        place = place.reshape(-1)
        counts = np.bincount(place)
        means = np.stack([np.bincount(place, weights=points[:, k]) / counts for k in range(3)], axis=1)
        faces = place.reshape(-1, 3)
        is_kept = (faces[:, 0] != faces[:, 1]) & (faces[:, 1] != faces[:, 2]) & (faces[:, 2] != faces[:, 0])
        faces = faces[is_kept]
        _, first = np.unique(np.sort(faces, axis=1), axis=0, return_index=True)
        if len(first) <= most or cells <= 4:
            simplified: Array = means[faces[np.sort(first)]]
            return simplified
        cells *= 0.8


def coil(radius: float, wire: float, length: float, turns: int = 7) -> Solid:
    """A spring along z from 0 to 1, to be stretched to its length later; radius of the coil and of the wire, m.

    length: m, the approximate length when drawn, at which the wire is round.
    """
    angle = np.linspace(0, 2 * np.pi * turns, 10 * turns + 1)
    outwards = np.stack([np.cos(angle), np.sin(angle), np.zeros_like(angle)], axis=1)
    axis = radius * outwards
    axis[:, 2] = np.linspace(0.12, 0.88, len(angle))
    up = np.array([0.0, 0.0, 1.0 / length])
    x, y = np.eye(3)[:2]
    lower, upper = (np.array([(0, 0, a), (0, 0, b)]) for a, b in ((0.0, 0.12), (0.88, 1.0)))
    ends = [_tube(one, np.tile(x, (2, 1)), y, 0.8 * wire) for one in (lower, upper)]
    arms = [_tube(np.array([(0, 0, z), (radius, 0, z)]), np.tile(y, (2, 1)), up, 0.8 * wire) for z in (0.12, 0.88)]
    return join([_tube(axis, outwards, up, wire), *ends, *arms])


def _tube(axis: Array, across: Array, other: Array, wire: float) -> Solid:
    """A tube of four sides along a polyline (n, 3) m, with the directions `across` (n, 3) and `other` (3) of its section."""
    turn = np.linspace(0, 2 * np.pi, 5)
    points = axis[:, None] + wire * (across[:, None] * np.cos(turn)[:, None] + other * np.sin(turn)[:, None])
    middle = (turn[1:] + turn[:-1]) / 2
    unit = other / np.linalg.norm(other)
    normals = across[:-1, None] * np.cos(middle)[:, None] + unit * np.sin(middle)[:, None]
    return _grid(points, normals)._replace(is_closed=False)
