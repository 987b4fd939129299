"""The spheres of `spheres.py` in MuJoCo, with its soft contact."""

from __future__ import annotations

import mujoco

from .spheres import FRICTION, GRAVITY, INERTIA, MASS, RADIUS, quaternion, starts, walls


def model(side: int, step: float, solver: str = "Newton", cone: str = "elliptic") -> mujoco.MjModel:
    """Friction pyramids or cones; the rest are MuJoCo's defaults."""
    spec = mujoco.MjSpec()
    spec.option.timestep = step
    spec.option.gravity = [0, 0, -GRAVITY]
    spec.option.cone = getattr(mujoco.mjtCone, f"mjCONE_{cone.upper()}")
    spec.option.solver = getattr(mujoco.mjtSolver, f"mjSOL_{solver.upper()}")
    spec.memory = 2 << 30  # bytes
    friction = [FRICTION, 0, 0]
    for name, point, normal in walls(side):
        spec.worldbody.add_geom(
            name=name, type=mujoco.mjtGeom.mjGEOM_PLANE, pos=point, quat=quaternion(normal), size=[0, 0, 0.1], friction=friction
        )
    for centre in starts(side):
        body = spec.worldbody.add_body(pos=centre)
        body.mass, body.inertia, body.explicitinertial = MASS, [INERTIA] * 3, True
        body.add_freejoint()
        body.add_geom(type=mujoco.mjtGeom.mjGEOM_SPHERE, size=[RADIUS, 0, 0], friction=friction)
    return spec.compile()
