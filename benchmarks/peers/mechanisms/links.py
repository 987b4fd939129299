"""A chain of 400 boxes on hinges, in redundant coordinates: each link is turned against the one before by 0.01 pi about x
and 0.02 pi about z, its hinge turns about its own z-axis. It falls along +z for 1 s from rest."""

# mypy: disable-error-code="no-untyped-call"
from __future__ import annotations

import math
from typing import Any

import numpy as np
from exudyn.utilities import InertiaCuboid, RotationMatrixX, RotationMatrixZ

import sestina

from . import engines

LINKS = 400
LENGTH, THICKNESS, DENSITY = 0.4, 0.1, 1000.0  # m, m, kg/m^3
TURN_X, TURN_Z = 0.01 * math.pi, 0.02 * math.pi  # rad
GRAVITY = (0.0, 0.0, 9.81)
STEP, RADIUS, DURATION = 1e-3, 0.8, 1.0  # s, spectral radius, s
COLUMNS = ["last_x", "last_y", "last_z"]  # m


def sestina_links(links: int, coordinates: str) -> sestina.System:
    """Each hinge begins at 0 in a frame of the link before that is turned already."""
    system = sestina.System("links", gravity=GRAVITY)
    system.analysis.coordinates = coordinates
    mass = DENSITY * LENGTH * THICKNESS**2
    along, across = mass * 2 * THICKNESS**2 / 12, mass * (LENGTH**2 + THICKNESS**2) / 12
    parent: Any = system.ground["origin"]
    for k in range(links):
        body = system.add_rigid_body(f"link_{k}", mass, center_of_mass=(LENGTH / 2, 0, 0))
        body.inertia = {"xx": along, "yy": across, "zz": across}
        body.add_point("center", (LENGTH / 2, 0, 0))
        system.add_joint(f"hinge_{k}", "revolute", parent, body["origin"], axis=(0, 0, 1), q=0.0)
        turn = RotationMatrixX(TURN_X) @ RotationMatrixZ(TURN_Z)
        parent = body.add_point("end", (LENGTH, 0, 0), axes=turn.tolist())
    for axis in "xyz":
        system.add_column(f"last_{axis}", f"link_{links - 1}.center.{axis}", unit="m")
    return system


def sestina_run(links: int = LINKS, coordinates: str = "cartesian") -> engines.Run:
    return engines.sestina_run(sestina_links(links, coordinates), DURATION, COLUMNS, engines.alpha(RADIUS), dt=STEP)


def exudyn_run(links: int = LINKS) -> engines.Run:
    system = engines.exudyn_system()
    inertia = InertiaCuboid(density=DENSITY, sideLengths=[LENGTH, THICKNESS, THICKNESS])
    before, frame, hinge = system.CreateGround(), np.eye(3), np.zeros(3)
    for _ in range(links):
        center = hinge + frame @ np.array([LENGTH / 2, 0, 0])
        body = system.CreateRigidBody(
            referencePosition=list(center), referenceRotationMatrix=frame, inertia=inertia, gravity=list(GRAVITY)
        )
        system.CreateRevoluteJoint(itemNumbers=[before, body], position=list(hinge), axis=list(frame[:, 2]))
        hinge = hinge + frame @ np.array([LENGTH, 0, 0])
        frame = frame @ RotationMatrixX(TURN_X) @ RotationMatrixZ(TURN_Z)
        before = body
    system.Assemble()
    rule = engines.Rule(STEP, RADIUS, sparse=True)
    return engines.exudyn_run(system, rule, DURATION, lambda: engines.body_output(system, body, "Position"))
