"""Arms of six hinges in redundant coordinates: six free bodies each, with Euler parameters and generic joints in Exudyn,
with `coordinates: cartesian` in Sestina; and as trees, by the classical Runge-Kutta rule. Springs and dampers drive the
hinges; each arm stands 2 m beside the one before.
"""

# mypy: disable-error-code="no-untyped-call"
from __future__ import annotations

import math
from typing import Any, NamedTuple

import exudyn as exu
import numpy as np
from exudyn.robotics import Robot, RobotLink
from exudyn.utilities import HT0, HomogeneousTransformation, HTtranslate, RigidBodyInertia

import sestina

from . import engines
from .engines import Array

GRAVITY = (0.0, 0.0, 9.81)  # m/s^2, as in Exudyn's robots
STEP, RADIUS = 1e-3, 0.5  # s, spectral radius
# s; then the motors come to rest.
DURATION = 1.0
AMPLITUDES = (1.2, -0.8, 0.6, 0.7, -0.5, 0.9)  # rad


class Link(NamedTuple):
    d: float  # m, Denavit and Hartenberg's parameters; theta is 0
    a: float  # m
    alpha: float  # rad
    mass: float  # kg
    center: tuple[float, float, float]  # m, in the link's end frame
    inertia: tuple[float, float, float]  # kg m^2, about the mass centre
    stiffness: float  # N m/rad
    damping: float  # N m s/rad


QUARTER = math.pi / 2
# Exudyn's table has 1e-8 kg m^2 for the first link about the axes that it cannot turn about. That does not change the motion,
# but with it Sestina's implicit rules do not converge in some steps in cartesian coordinates.
LINKS = (
    Link(0, 0, QUARTER, 20, (0, 0, 0), (0.35, 0.35, 0.35), 40000, 400),
    Link(0, 0.4318, 0, 17.4, (-0.3638, 0.006, 0.2275), (0.13, 0.524, 0.539), 40000, 400),
    Link(0.15, 0.0203, -QUARTER, 4.8, (-0.0203, -0.0141, 0.07), (0.066, 0.086, 0.0125), 40000, 100),
    Link(0.4318, 0, QUARTER, 0.82, (0, 0.019, 0), (0.0018, 0.0013, 0.0018), 100, 1),
    Link(0, 0, -QUARTER, 0.34, (0, 0, 0), (0.0003, 0.0004, 0.0003), 100, 1),
    Link(0, 0, 0, 0.09, (0, 0, 0.032), (0.00015, 0.00015, 4e-5), 10, 0.1),
)


def amplitude(robot: int, joint: int) -> float:
    """How far the motor of a joint goes in 1 s, each robot otherwise."""
    return AMPLITUDES[joint] * (0.5 + 0.005 * ((37 * robot + 11 * joint) % 100))


def turn_x(angle: float) -> Array:
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[1, 0, 0], [0, c, -s], [0, s, c]])


def sestina_robots(robots: int, moving: bool, coordinates: str = "cartesian") -> sestina.System:
    system = sestina.System("robots", gravity=GRAVITY)
    system.analysis.coordinates = coordinates
    for r in range(robots):
        parent: Any = system.ground.add_point(f"base_{r}", (2.0 * r, 0, 0))
        for j, link in enumerate(LINKS):
            # The hinge's frame; the link's end frame is turned by alpha against it, in which mass and inertia are given.
            turn = turn_x(link.alpha)
            center = np.array([link.a, 0, link.d]) + turn @ np.array(link.center)
            moment = turn @ np.diag(link.inertia) @ turn.T
            name = f"link_{r}_{j}"
            body = system.add_rigid_body(name, link.mass, center_of_mass=tuple(center))
            body.inertia_check = False  # the third link has moments that no body has
            body.inertia = engines.inertia_of(moment)
            joint = f"joint_{r}_{j}"
            system.add_joint(joint, "revolute", parent, body["origin"], axis=(0, 0, 1), q=0.0)
            add_drive(system, joint, link, amplitude(r, j) if moving else 0.0)
            parent = body.add_point("end", (link.a, 0, link.d), axes={"rpy": [link.alpha, 0, 0]})
    return system


def add_drive(system: sestina.System, joint: str, link: Link, far: float) -> None:
    if far == 0:
        system.add_joint_spring(f"spring_{joint}", joint, stiffness=link.stiffness)
        system.add_joint_damper(f"damper_{joint}", joint, damping=link.damping)
        return
    place, rate = f"{far / 2}*(1 - cos(pi*t))", f"{far / 2}*pi*sin(pi*t)"
    system.add_joint_force(
        f"drive_{joint}", joint, f"{link.stiffness}*({place} - {joint}.q) + {link.damping}*({rate} - {joint}.u)"
    )


def sestina_run(robots: int, moving: bool, coordinates: str = "cartesian") -> engines.Run:
    columns = [f"joint_{robots - 1}_{j}.q" for j in range(6)]
    system = sestina_robots(robots, moving, coordinates)
    return engines.sestina_run(system, DURATION, columns, engines.alpha(RADIUS), dt=STEP)


def sestina_tree_run(robots: int, moving: bool, solver: str = "recursive", threads: int = 1) -> engines.Run:
    columns = [f"joint_{robots - 1}_{j}.q" for j in range(6)]
    system = sestina_robots(robots, moving, "relative")
    return engines.sestina_run(system, DURATION, columns, "rk4", dt=STEP, solver=solver, threads=threads)


def exudyn_run(robots: int, moving: bool, threads: int = 1) -> engines.Run:
    system = engines.exudyn_system()
    springs: list[tuple[int, float]] = []
    ground = system.CreateGround()
    for r in range(robots):
        before, frame, origin = ground, np.eye(3), np.array([2.0 * r, 0, 0])
        for j, link in enumerate(LINKS):
            axes = frame
            end = origin + axes @ np.array([link.a, 0, link.d])
            frame = axes @ turn_x(link.alpha)
            inertia = RigidBodyInertia(link.mass, np.diag(link.inertia), list(link.center), inertiaTensorAtCOM=True)
            body = system.CreateRigidBody(
                referencePosition=list(end), referenceRotationMatrix=frame, inertia=inertia, gravity=list(GRAVITY)
            )
            system.CreateGenericJoint(
                itemNumbers=[before, body], position=list(origin), rotationMatrixAxes=axes, constrainedAxes=[1, 1, 1, 1, 1, 0]
            )
            spring = system.CreateTorsionalSpringDamper(
                itemNumbers=[before, body], position=list(origin), axis=list(axes[:, 2]),
                stiffness=link.stiffness, damping=link.damping, unlimitedRotations=False,
            )
            springs.append((spring, amplitude(r, j)))
            before, origin = body, end
    system.Assemble()
    if moving:
        system.SetPreStepUserFunction(prescribe(springs))

    def read() -> Any:
        rotation = exu.OutputVariableType.Rotation
        return [system.GetObjectOutput(spring, rotation) for spring, _ in springs[-6:]]

    return engines.exudyn_run(system, engines.Rule(STEP, RADIUS, sparse=True, threads=threads), DURATION, read)


def prescribe(springs: list[tuple[int, float]]) -> Any:
    """Once a step, as Exudyn's own robots do it: the angles and rates that the springs and dampers draw to."""

    def before_step(system: Any, t: float) -> bool:
        place, rate = (1 - math.cos(math.pi * t)) / 2, math.pi * math.sin(math.pi * t) / 2
        for spring, far in springs:
            system.SetObjectParameter(spring, "offset", far * place)
            system.SetObjectParameter(spring, "velocityOffset", far * rate)
        return True

    return before_step


def exudyn_tree_run(robots: int, moving: bool, threads: int = 1) -> engines.Run:
    """One object of six joint coordinates for each arm."""
    system = engines.exudyn_system()
    trees: list[dict[str, Any]] = []
    for r in range(robots):
        robot = Robot(gravity=list(GRAVITY), referenceConfiguration=[0.0] * 6)
        before = HTtranslate([2.0 * r, 0, 0])
        for j, link in enumerate(LINKS):
            robot.AddLink(
                RobotLink(
                    mass=link.mass, COM=list(link.center), inertia=np.diag(link.inertia), parent=j - 1, preHT=before,
                    localHT=HomogeneousTransformation(turn_x(link.alpha), [link.a, 0, link.d]), jointType="Rz",
                    PDcontrol=(link.stiffness, link.damping),
                )
            )
            before = HT0()
        trees.append(robot.CreateKinematicTree(system))
    system.Assemble()
    if moving:
        far = [np.array([amplitude(r, j) for j in range(6)]) for r in range(robots)]
        system.SetPreStepUserFunction(prescribe_trees([tree["objectKinematicTree"] for tree in trees], far))

    def read() -> Any:
        return system.GetNodeOutput(trees[-1]["nodeGeneric"], exu.OutputVariableType.Coordinates)

    return engines.exudyn_run(system, engines.Rule(STEP, explicit=True, threads=threads), DURATION, read)


def prescribe_trees(trees: list[Any], far: list[Array]) -> Any:
    """As `prescribe`; an array of each tree."""

    def before_step(system: Any, t: float) -> bool:
        place, rate = (1 - math.cos(math.pi * t)) / 2, math.pi * math.sin(math.pi * t) / 2
        for tree, angles in zip(trees, far):
            system.SetObjectParameter(tree, "jointPositionOffsetVector", angles * place)
            system.SetObjectParameter(tree, "jointVelocityOffsetVector", angles * rate)
        return True

    return before_step
