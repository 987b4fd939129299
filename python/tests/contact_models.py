"""What the tests of contact share: builders of models."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import sestina

G = 9.81  # m/s^2
# A frame whose x and y are the ground's x and z: a planar joint between two of them moves in the x-z plane, and its
# angle is positive from x to z.
UPRIGHT = {"position": (0, 0, 0), "axes": {"matrix": [[1, 0, 0], [0, 0, -1], [0, 1, 0]]}}


def on_floor(name: str) -> sestina.System:
    """A system with gravity along -z and the plane `floor` at z = 0."""
    system = sestina.System(name, gravity=(0, 0, -G))
    system.ground.shapes = [{"name": "floor", "type": "plane"}]
    return system


def box_inertia(mass: float, a: float, b: float, c: float) -> dict[str, float]:
    """Of a box with the edges a, b, c (m) along x, y, z."""
    xx, yy, zz = (mass * (p * p + q * q) / 12 for p, q in ((b, c), (a, c), (a, b)))
    return {"xx": xx, "yy": yy, "zz": zz}


def disc_inertia(mass: float, radius: float, length: float) -> dict[str, float]:
    """Of a cylinder about z."""
    across = mass * (radius**2 / 4 + length**2 / 12)
    return {"xx": across, "yy": across, "zz": mass * radius**2 / 2}


def add_upright(
    system: sestina.System, name: str, body: sestina.Body, q: Sequence[float], u: Sequence[float] = (0, 0, 0)
) -> sestina.Joint:
    """A planar joint by which the body moves in the x-z plane: q is x, z of its origin and its angle from x to z."""
    system.ground.points[f"upright_{name}"] = body.points["upright"] = UPRIGHT
    return system.add_joint(
        name, "planar", system.ground[f"upright_{name}"], body["upright"], q=[*map(float, q)], u=[*map(float, u)]
    )


def coordinates(result: sestina.Result, joint: str, count: int) -> np.ndarray:
    """(rows, count) coordinates of a joint."""
    return np.column_stack([result[f"{joint}.q[{i}]"] for i in range(count)])


def speeds(result: sestina.Result, joint: str, count: int) -> np.ndarray:
    """(rows, count) speeds of a joint."""
    return np.column_stack([result[f"{joint}.u[{i}]"] for i in range(count)])
