"""The flyball governor of the IFToMM library: a shaft, a slider on it, two rods with balls, and two stiff springs with
dampers between slider and rods. In redundant coordinates in both engines; in Sestina also in those of the joints."""

# mypy: disable-error-code="no-untyped-call"
from __future__ import annotations

import math
from typing import Any

import numpy as np
from exudyn.utilities import RigidBodyInertia, RotationMatrixY, RotationMatrixZ

import sestina

from . import engines
from .engines import Array, Rule

STIFFNESS, DAMPING, FREE_LENGTH = 8e5, 4e4, 0.5  # N/m, N s/m, m
SPIN, FALL = 2 * math.pi, math.pi / 6  # rad/s, rad
DURATION, STEP = 10.0, 5e-4  # s
GRAVITY = (0.0, 0.0, -9.81)
COLUMNS = ["guide.q"]  # m, the height of the slider


def box(mass: float, x: float, y: float, z: float) -> Array:
    return mass / 12 * np.diag([y * y + z * z, x * x + z * z, x * x + y * y])


ROD_MASS = 5.3  # kg, of it 5 kg at the outer end
ROD_CENTER = (0.3 * 0.5 + 5.0) / ROD_MASS  # m
ROD_INERTIA = box(0.3, 1, 0.01, 0.01) + np.diag([0, 1, 1]) * (
    0.3 * (ROD_CENTER - 0.5) ** 2 + 5.0 * (1 - ROD_CENTER) ** 2
)
SHAFT_INERTIA, SLIDER_INERTIA = box(0.3, 0.01, 0.01, 1), box(3, 0.1, 0.1, 0.1)


def sestina_governor(coordinates: str = "relative", loops: bool = False) -> sestina.System:
    """With `loops` the slider and the rods float, and joints that close loops hold them."""
    system = sestina.System("governor", gravity=GRAVITY)
    system.analysis.coordinates = coordinates
    shaft = system.add_rigid_body("shaft", 0.3, center_of_mass=(0, 0, 0.5), inertia=engines.inertia_of(SHAFT_INERTIA))
    shaft.add_point("right", (0.05, 0, 1))
    shaft.add_point("left", (-0.05, 0, 1), axes={"rpy": [0, 0, math.pi]})
    slider = system.add_rigid_body("slider", 3, inertia=engines.inertia_of(SLIDER_INERTIA))
    slider.add_point("right", (0.05, 0, 0))
    slider.add_point("left", (-0.05, 0, 0))
    system.add_joint("axle", "revolute", "ground.origin", "shaft.origin", axis=(0, 0, 1), q=0, u=SPIN)
    guide = system.add_joint("guide", "prismatic", "shaft.origin", "slider.origin", axis=(0, 0, 1), q=0.5)
    if loops:
        cut(system, guide, "slider", [0, 0, 0.5, 1, 0, 0, 0], [0, 0, SPIN, 0, 0, 0])
    for name, side in (("right", 1), ("left", -1)):
        rod = system.add_rigid_body(f"rod_{name}", ROD_MASS, center_of_mass=(ROD_CENTER, 0, 0))
        rod.inertia = engines.inertia_of(ROD_INERTIA)
        rod.add_point("middle", (0.5, 0, 0))
        hinge = system.add_joint(f"hinge_{name}", "revolute", f"shaft.{name}", rod["origin"], axis=(0, 1, 0), q=FALL)
        if loops:
            c, s = math.cos(FALL / 2), math.sin(FALL / 2)
            turned = [c, 0, s, 0] if side > 0 else [0, -s, 0, c]
            cut(system, hinge, rod.name, [0.05 * side, 0, 1, *turned], [0, 0, SPIN, 0, 0.05 * side * SPIN, 0])
        system.add_spring_damper(
            f"spring_{name}", f"slider.{name}", rod["middle"], stiffness=STIFFNESS, damping=DAMPING, free_length=FREE_LENGTH
        )
    return system


def cut(system: sestina.System, joint: Any, body: str, q: list[float], u: list[float]) -> None:
    joint.cut = True
    system.add_joint(f"flight_of_{body}", "free", "ground.origin", f"{body}.origin", q=q, u=u)


def exudyn_run(rule: Rule) -> engines.Run:
    system = engines.exudyn_system()
    ground = system.CreateGround()
    turning = {"initialAngularVelocity": [0, 0, SPIN], "gravity": list(GRAVITY)}
    shaft = system.CreateRigidBody(
        inertia=RigidBodyInertia(0.3, SHAFT_INERTIA, [0, 0, 0.5], inertiaTensorAtCOM=True), **turning
    )
    slider = system.CreateRigidBody(
        referencePosition=[0, 0, 0.5], inertia=RigidBodyInertia(3, SLIDER_INERTIA), **turning
    )
    system.CreateRevoluteJoint(itemNumbers=[ground, shaft], position=[0, 0, 0], axis=[0, 0, 1])
    system.CreateGenericJoint(itemNumbers=[shaft, slider], position=[0, 0, 0.5], constrainedAxes=[1, 1, 0, 1, 1, 1])
    inertia = RigidBodyInertia(ROD_MASS, ROD_INERTIA, [ROD_CENTER, 0, 0], inertiaTensorAtCOM=True)
    for side in (1, -1):
        frame = RotationMatrixZ(0 if side > 0 else math.pi) @ RotationMatrixY(FALL)
        rod = system.CreateRigidBody(
            referencePosition=[0.05 * side, 0, 1], referenceRotationMatrix=frame, inertia=inertia,
            initialVelocity=[0, 0.05 * side * SPIN, 0], **turning,
        )
        system.CreateRevoluteJoint(itemNumbers=[shaft, rod], position=[0.05 * side, 0, 1], axis=[0, 1, 0])
        system.CreateSpringDamper(
            itemNumbers=[slider, rod], localPosition0=[0.05 * side, 0, 0], localPosition1=[0.5, 0, 0],
            referenceLength=FREE_LENGTH, stiffness=STIFFNESS, damping=DAMPING,
        )
    system.Assemble()
    return engines.exudyn_run(system, rule, DURATION, lambda: engines.body_output(system, slider, "Position")[2:])
