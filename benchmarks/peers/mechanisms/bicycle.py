"""The bicycle of Meijaard, Papadopoulos, Ruina and Schwab, pushed sideways at 4.6 m/s: two rolling discs, frame and fork.
Both engines begin where Sestina's assembly of examples/20_bicycle.yaml begins."""

# mypy: disable-error-code="no-untyped-call"
from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
from exudyn.utilities import RigidBodyInertia

import sestina

from . import engines
from .engines import Rule

DURATION = 5.0  # s
COLUMNS = ["frame.origin.x", "frame.origin.y", "frame.origin.z"]  # m
EXAMPLE = Path(__file__).resolve().parents[3] / "examples" / "20_bicycle.yaml"
HEAD = (0.82188470506, 0.0, 0.85595086466)  # m, of the steering axis
TILT = math.pi / 10  # rad, of the steering axis
# Mass, origin at the start, mass centre from there, inertia (xx, yy, zz, xz) about the mass centre.
BODIES = {
    "frame": (85.0, (0.0, 0.0, 0.0), (0.3, 0.0, 0.9), (9.2, 11.0, 2.8, -2.4)),
    "fork": (4.0, HEAD, (0.9 - HEAD[0], 0.0, 0.7 - HEAD[2]), (0.05892, 0.06, 0.00708, 0.00756)),
    "rear": (2.0, (0.0, 0.0, 0.3), (0.0, 0.0, 0.0), (0.0603, 0.12, 0.0603, 0.0)),
    "front": (3.0, (1.02, 0.0, 0.35), (0.0, 0.0, 0.0), (0.1405, 0.28, 0.1405, 0.0)),
}


def sestina_bicycle(coordinates: str = "relative") -> sestina.System:
    system = sestina.load(EXAMPLE)
    system.analysis.coordinates = coordinates
    return system


def exudyn_run(rule: Rule) -> engines.Run:
    start = sestina_bicycle().freeze()
    motion = start.kinematics(start.q0, start.u0)
    system = engines.exudyn_system()
    ground = system.CreateGround()
    bodies: dict[str, Any] = {}
    for name, (mass, place, center, (xx, yy, zz, xz)) in BODIES.items():
        inertia = np.array([[xx, 0, xz], [0, yy, 0], [xz, 0, zz]])
        k = start.bodies.index(name)
        bodies[name] = system.CreateRigidBody(
            referencePosition=list(place), gravity=[0, 0, -9.81],
            inertia=RigidBodyInertia(mass, inertia, list(center), inertiaTensorAtCOM=True),
            initialVelocity=list(motion.velocity[k]), initialAngularVelocity=list(motion.angular_velocity[k]),
        )
    steering = [-math.sin(TILT), 0, math.cos(TILT)]
    system.CreateRevoluteJoint(itemNumbers=[bodies["frame"], bodies["fork"]], position=list(HEAD), axis=steering)
    for carrier, wheel, radius in (("frame", "rear", 0.3), ("fork", "front", 0.35)):
        hub = list(BODIES[wheel][1])
        system.CreateRevoluteJoint(itemNumbers=[bodies[carrier], bodies[wheel]], position=hub, axis=[0, 1, 0])
        system.CreateRollingDisc(
            bodyNumbers=[ground, bodies[wheel]], axisPosition=[0, 0, 0], axisVector=[0, 1, 0], discRadius=radius
        )
    system.Assemble()
    return engines.exudyn_run(system, rule, DURATION, lambda: engines.body_output(system, bodies["frame"], "Position"))
