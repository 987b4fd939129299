"""The spatial slider-crank of the IFToMM library, with the axes of Exudyn's model: the crank turns about x, the slider moves
along x, the rod between them has a ball joint at the crank and a universal joint at the slider."""

# mypy: disable-error-code="no-untyped-call"
from __future__ import annotations

from typing import Any

import numpy as np
from exudyn.utilities import RigidBodyInertia

import sestina

from . import engines
from .engines import Array, Rule

DURATION = 5.0  # s
GRAVITY = (0.0, 0.0, -9.81)
ALONG = np.array([2.0, -1.0, -2.0]) / 3  # the rod's direction at the start
LENGTH = 0.3  # m, of the rod
ROD_INERTIA = 4e-3 * np.eye(3) - 3.6e-3 * np.outer(ALONG, ALONG)
CRANK_INERTIA = np.diag([1e-4, 1e-4, 1e-5])
COLUMNS = ["slider.origin.x", "middle_x", "middle_y", "middle_z"]  # m


def sestina_crank(coordinates: str = "relative") -> sestina.System:
    """The axes of all bodies are those of the ground at the start. The velocities of the rod that the library gives
    contradict the universal joint; the assembly corrects them."""
    system = sestina.System("slider-crank", gravity=GRAVITY)
    system.analysis.coordinates = coordinates
    system.ground.add_point("bearing", (0, 0.1, 0.12))
    crank = system.add_rigid_body("crank", 0.12, center_of_mass=(0, 0, 0.04))
    crank.inertia = {"xx": 1e-4, "yy": 1e-4, "zz": 1e-5}
    crank.add_point("pin", (0, 0, 0.08))
    middle, end = LENGTH / 2 * ALONG, LENGTH * ALONG
    rod = system.add_rigid_body("rod", 0.5, center_of_mass=tuple(middle))
    rod.inertia = engines.inertia_of(ROD_INERTIA)
    rod.add_point("end", tuple(end))
    rod.add_point("middle", tuple(middle))
    system.add_rigid_body("slider", 2, inertia={"xx": 1e-4, "yy": 1e-4, "zz": 1e-4})
    system.add_joint("drive", "revolute", "ground.bearing", "crank.origin", axis=(1, 0, 0), u=6)
    system.add_joint("ball", "spherical", "crank.pin", "rod.origin", u=[1.92 - 6, -0.96, 0.48])
    system.add_joint("rail", "prismatic", "ground.origin", "slider.origin", axis=(1, 0, 0), q=0.2, u=0.24)
    system.add_joint(
        "fork", "universal", "slider.origin", "rod.end", axis=(0, 1, 0), second_axis=(1, 0, 0)
    )
    for axis in "xyz":
        system.add_column(f"middle_{axis}", f"rod.middle.{axis}", unit="m")
    return system


def exudyn_run(rule: Rule) -> engines.Run:
    """Begins with the velocities that Sestina's assembly has found, so that both solve the same problem."""
    start = sestina_crank().freeze()
    motion = start.kinematics(start.q0, start.u0)
    speeds = dict(zip(start.bodies, zip(motion.velocity, motion.angular_velocity)))
    system = engines.exudyn_system()
    ground = system.CreateGround()
    crank = add_body(system, [0, 0.1, 0.12], np.eye(3), 0.12, CRANK_INERTIA, [0, 0, 0.04], speeds["crank"])
    middle = LENGTH / 2 * ALONG
    rod = add_body(system, [0, 0.1, 0.2], np.eye(3), 0.5, ROD_INERTIA, list(middle), speeds["rod"])
    slider = add_body(system, [0.2, 0, 0], np.eye(3), 2, 1e-4 * np.eye(3), [0, 0, 0], speeds["slider"])
    system.CreateRevoluteJoint(itemNumbers=[ground, crank], position=[0, 0.1, 0.12], axis=[1, 0, 0])
    system.CreateSphericalJoint(itemNumbers=[crank, rod], position=[0, 0.1, 0.2])
    system.CreatePrismaticJoint(itemNumbers=[ground, slider], position=[0.2, 0, 0], axis=[1, 0, 0])
    # Its last condition holds y of the slider and x of the rod at right angles.
    system.CreateGenericJoint(itemNumbers=[rod, slider], position=[0.2, 0, 0], constrainedAxes=[1, 1, 1, 0, 0, 1])
    system.Assemble()

    def read() -> Any:
        place = engines.body_output(system, rod, "Position", tuple(middle))
        return [engines.body_output(system, slider, "Position")[0], *place]

    return engines.exudyn_run(system, rule, DURATION, read)


def add_body(
    system: Any, place: list[float], axes: Array, mass: float, inertia: Array, center: list[float], speed: tuple[Array, Array]
) -> Any:
    return system.CreateRigidBody(
        referencePosition=place, referenceRotationMatrix=axes,
        inertia=RigidBodyInertia(mass, inertia, center, inertiaTensorAtCOM=True),
        initialVelocity=list(speed[0]), initialAngularVelocity=list(speed[1]), gravity=list(GRAVITY),
    )
