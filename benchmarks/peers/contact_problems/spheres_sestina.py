"""The spheres of `spheres.py` in Sestina: rigid contact."""

from __future__ import annotations

import sestina

from .spheres import FRICTION, GRAVITY, INERTIA, MASS, RADIUS, quaternion, starts, walls


def system(side: int) -> sestina.System:
    result = sestina.System(f"{side**3} spheres", gravity=(0, 0, -GRAVITY))
    result.ground.shapes = [
        {"name": name, "type": "plane", "position": point.tolist(), "axes": {"euler_parameters": quaternion(normal)}}
        for name, point, normal in walls(side)
    ]
    centres = starts(side)
    for i, centre in enumerate(centres):
        result.add_rigid_body(
            f"b{i}",
            MASS,
            inertia={"xx": INERTIA, "yy": INERTIA, "zz": INERTIA},
            shapes=[{"name": f"s{i}", "type": "sphere", "radius": RADIUS}],
        )
        result.add_joint(f"j{i}", "free", "ground.origin", f"b{i}.origin", q=[*centre.tolist(), 1, 0, 0, 0])
    result.add_contact("touch", ["ground", *(f"s{i}" for i in range(len(centres)))], friction=FRICTION)
    return result
