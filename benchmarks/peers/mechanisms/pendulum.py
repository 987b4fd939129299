"""A bar of 12 kg on a hinge in the plane, a million steps of 2 ms: what a step costs in addition to the mechanics."""

from __future__ import annotations

import sestina

from . import engines, plane
from .engines import Rule

MASS, HALF, INERTIA, SPIN = 12.0, 0.5, 1.0, 2.0  # kg, m, kg m^2, rad/s
STEP, RADIUS = 2e-3, 0.7  # s, spectral radius


def sestina_pendulum(coordinates: str) -> sestina.System:
    """The bar is level at the start, its centre to the right of the hinge."""
    system = sestina.System("pendulum", gravity=(0, -9.81, 0))
    system.analysis.coordinates = coordinates
    bar = system.add_rigid_body("bar", MASS, center_of_mass=(HALF, 0, 0), inertia={"xx": 1e-3, "yy": INERTIA, "zz": INERTIA})
    system.add_joint("hinge", "revolute", "ground.origin", bar["origin"], axis=(0, 0, 1), q=0, u=SPIN)
    return system


def sestina_run(steps: int, coordinates: str) -> engines.Run:
    system = sestina_pendulum(coordinates)
    return engines.sestina_run(system, steps * STEP, ["hinge.q"], engines.alpha(RADIUS), dt=STEP)


def exudyn_run(steps: int) -> engines.Run:
    model = plane.Plane(gravity=9.81)
    bar = model.add_body(MASS, INERTIA, (HALF, 0), 0.0, velocity=(0, SPIN * HALF), spin=SPIN)
    model.add_hinge(model.ground, (0, 0), bar, (-HALF, 0))
    model.system.Assemble()
    rule = Rule(STEP, RADIUS, relative_tolerance=1e-6)
    return engines.exudyn_run(model.system, rule, steps * STEP, lambda: [model.angle(bar)])
