"""Spheres that fall into a box, in Sestina, MuJoCo and Drake: geometry, start, and one model for each engine.

side^3 spheres of radius 0.05 m and mass 0.5 kg (about that of water) stand on a cubic lattice of 0.11 m, each displaced at
random by up to 4 mm, the lowest 0.05 m above the floor. Floor and four walls are planes 0.01 m beside the lattice. Friction is
0.5 everywhere, without restitution.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]

RADIUS, SPACING, MASS = 0.05, 0.11, 0.5  # m, m, kg
INERTIA = 0.4 * MASS * RADIUS**2
FRICTION, GRAVITY = 0.5, 9.81  # 1, m/s^2
DISPLACEMENT, DROP, MARGIN = 0.004, 0.05, 0.01  # m


def starts(side: int) -> Array:
    """(side^3, 3) centres, m."""
    rng = np.random.default_rng(1)
    sites = np.stack(np.meshgrid(*[np.arange(side)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
    centres = (sites - [(side - 1) / 2, (side - 1) / 2, 0]) * SPACING + [0, 0, RADIUS + DROP]
    result: Array = centres + rng.uniform(-DISPLACEMENT, DISPLACEMENT, centres.shape)
    return result


def half_width(side: int) -> float:
    """m, from the middle of the box to a wall."""
    return (side - 1) / 2 * SPACING + RADIUS + MARGIN


def walls(side: int) -> list[tuple[str, Array, Array]]:
    """Name, a point and the normal into the box of floor and walls."""
    far = half_width(side)
    normals = {"floor": (0, 0, 1), "west": (1, 0, 0), "east": (-1, 0, 0), "south": (0, 1, 0), "north": (0, -1, 0)}
    return [(name, -far * np.array(n, float) * (name != "floor"), np.array(n, float)) for name, n in normals.items()]


def quaternion(normal: Array) -> list[float]:
    """Euler parameters of a rotation that takes z to the normal."""
    if normal[2] > 0.5:
        return [1, 0, 0, 0]
    half = np.sqrt(0.5)
    return [half, *(half * np.cross([0, 0, 1], normal))]
