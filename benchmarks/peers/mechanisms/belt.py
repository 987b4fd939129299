"""A belt drive: a closed ANCF cable around two pulleys, by contact and friction; in Exudyn from its equilibrium.

The belt and its contact are those of Exudyn's example of a belt drive (`beltDriveReevingSystem.py`); per length, the numbers
of contact do not depend on the mesh. Half a second: the driver stands until 0.05 s and then accelerates.
"""

# mypy: disable-error-code="no-untyped-call"
from __future__ import annotations

from math import pi, sqrt
from typing import Any

import exudyn as exu
import numpy as np
from exudyn.beams import CreateReevingCurve, PointsAndSlopes2ANCFCable2D
from exudyn.itemInterface import (
    Cable2D,
    CoordinateConstraint,
    CoordinateSpringDamper,
    MarkerBodyCable2DShape,
    MarkerBodyRigid,
    MarkerNodeCoordinate,
    NodeGenericData,
    NodePointGround,
    NodeRigidBody2D,
    ObjectContactFrictionCircleCable2D,
    ObjectRigidBody2D,
)

import sestina

from . import engines
from .engines import Array, Outcome, Run

DURATION, STEP = 0.5, 1e-4  # s
RADIUS, DISTANCE = 0.1, 0.1 * pi  # m, of the belt's axis; between the centres
LENGTH = 2 * DISTANCE + 2 * pi * RADIUS
WIDTH, HEIGHT, E, DENSITY = 0.08, 0.01, 1e7, 1036.0
EA, EI = E * WIDTH * HEIGHT, 0.02 * E * WIDTH * HEIGHT**3 / 12
MASS = DENSITY * WIDTH * HEIGHT  # kg/m
STRAIN = 0.05
AXIAL_DAMPING = 1.0  # N s
STIFFNESS, DAMPING = 40e8 * WIDTH, 40 * 2000 * WIDTH  # N/m^2, N s/m^2
BRISTLE_STIFFNESS, BRISTLE_DAMPING = 50e8 * WIDTH, 10 * sqrt(1e8 * WIDTH * MASS)
FRICTION, SEGMENTS = 0.5, 2
PULLEY_MASS, PULLEY_INERTIA, BRAKE = 50.0, 0.25, 2.0  # kg, kg m^2, N m s
START, END, SPEED = 0.05, 0.6, 12.0  # s, s, rad/s: how the driver accelerates
COLUMNS = ["driven.u", "driven.q"]  # rad/s, rad


# ---- Sestina --------------------------------------------------------------------------------------------------------


def sestina_belt(elements: int, *, moving: bool = True, damping: float = AXIAL_DAMPING / EA) -> sestina.System:
    """Without motion there is no friction, and both pulleys are held."""
    system = sestina.System("belt drive", gravity=(0, -9.81, 0))
    a, r = DISTANCE, RADIUS
    ends = [a, a + pi * r, 2 * a + pi * r]  # arc lengths, from the top of the first pulley on, clockwise

    def piecewise(*values: str) -> str:
        text = values[3]
        for end, value in reversed(list(zip(ends, values))):
            text = f"if(s < {end!r}, {value}, {text})"
        return text

    x = piecewise("s", f"{a} + {r}*sin((s - {ends[0]!r})/{r})", f"{ends[2]!r} - s", f"-{r}*sin((s - {ends[2]!r})/{r})")
    y = piecewise(f"{r}", f"{r}*cos((s - {ends[0]!r})/{r})", f"-{r}", f"-{r}*cos((s - {ends[2]!r})/{r})")
    system.add_beam(
        "belt", {"curve": (x, y, 0), "length": LENGTH}, {"EA": EA, "EI": EI, "mass": MASS}, {"damping": damping},
        elements=elements, formulation="ancf_cable", pretension=EA * STRAIN, closed=True,
    )
    for name, joint, place in (("left", "driver", 0.0), ("right", "driven", a)):
        system.add_rigid_body(name, PULLEY_MASS, inertia={"xx": 1, "yy": 1, "zz": PULLEY_INERTIA})
        system.ground.add_point(f"axle_{name}", (place, 0, 0))
        kind = {"axis": (0, 0, 1)} if moving else {}
        system.add_joint(joint, "revolute" if moving else "weld", f"ground.axle_{name}", f"{name}.origin", **kind)
        friction = {
            "friction_coefficient": FRICTION, "bristle_stiffness": BRISTLE_STIFFNESS, "bristle_damping": BRISTLE_DAMPING
        }
        system.add_force(
            f"on_{name}", "belt_contact", cable="belt", at=f"{name}.origin", axis=(0, 0, 1), radius=r, stiffness=STIFFNESS,
            damping=DAMPING, segments=SEGMENTS, groove_radius=0.05, **(friction if moving else {}),
        )
    system.analysis.coordinates = "cartesian"
    if moving:
        rate = SPEED / (END - START)
        system.add_force("brake", "joint_damper", joint="driven", damping=BRAKE)
        system.add_constraint("drive", "motion", joint="driver", value=f"{rate / 2!r}*max(t - {START}, 0)^2")
    return system


def sestina_run(elements: int, integrator: Any, duration: float = DURATION, **limits: float) -> Run:
    """The belt begins on its circles; friction and damping bring it to rest before the driver starts."""
    return engines.sestina_run(sestina_belt(elements), duration, COLUMNS, integrator, **limits)


def support_force(elements: int) -> float:
    """The horizontal force (N) on the left pulley, without friction, when strongly damped motion has come to its end."""
    held = sestina_belt(elements, moving=False, damping=0.01).freeze()
    result = sestina.simulate(held, duration=2.0, every=2.0, integrator="radau_iia", rtol=1e-4, atol=1e-7, reactions=True)
    return float(result["driver.reaction.force.x"][-1])


# ---- Exudyn ---------------------------------------------------------------------------------------------------------


class Drive:
    """Exudyn's system, at rest after `find_rest`."""

    def __init__(self, elements: int) -> None:
        self.system = engines.exudyn_system()
        self.segment = LENGTH / elements / SEGMENTS  # m
        system = self.system
        ground = system.AddMarker(MarkerNodeCoordinate(nodeNumber=system.AddNode(NodePointGround()), coordinate=0))
        circles = [[[0, 0], RADIUS, "L"], [[DISTANCE, 0], RADIUS, "L"]]
        curve = CreateReevingCurve(circles, closedCurve=True, numberOfANCFnodes=elements)
        template = Cable2D(
            physicsMassPerLength=MASS, physicsBendingStiffness=EI, physicsAxialStiffness=EA, physicsAxialDamping=AXIAL_DAMPING,
            physicsReferenceAxialStrain=-STRAIN, useReducedOrderIntegration=2,
        )
        nodes, self.cables = PointsAndSlopes2ANCFCable2D(
            system, curve["ancfPointsSlopes"], curve["elementLengths"], template, massProportionalLoad=[0, -9.81, 0],
            firstNodeIsLastNode=True,
        )[:2]

        def held(node: int, coordinate: int, **keys: Any) -> int:
            marker = system.AddMarker(MarkerNodeCoordinate(nodeNumber=node, coordinate=coordinate))
            return int(system.AddObject(CoordinateConstraint(markerNumbers=[ground, marker], **keys)))

        self.locks = [held(nodes[0], 0)]
        self.contacts: list[int] = []
        self.pulleys = []
        for center in (0.0, DISTANCE):
            node = system.AddNode(NodeRigidBody2D(referenceCoordinates=[center, 0, 0]))
            body = system.AddObject(ObjectRigidBody2D(physicsMass=PULLEY_MASS, physicsInertia=PULLEY_INERTIA, nodeNumber=node))
            supports = [held(node, 0), held(node, 1)]
            if center == 0.0:
                self.support = supports[0]
                self.driver = held(node, 2, velocityLevel=True, offsetUserFunction_t=speed, activeConnector=False)
            else:
                turn = system.AddMarker(MarkerNodeCoordinate(nodeNumber=node, coordinate=2))
                system.AddObject(CoordinateSpringDamper(markerNumbers=[ground, turn], damping=BRAKE))
            self.locks.append(held(node, 2))
            self.pulleys.append(node)
            self.add_contacts(system.AddMarker(MarkerBodyRigid(bodyNumber=body)), self.segment)
        system.Assemble()

    def add_contacts(self, pulley: int, segment: float) -> None:
        for cable in self.cables:
            shape = self.system.AddMarker(MarkerBodyCable2DShape(bodyNumber=cable, numberOfSegments=SEGMENTS))
            start = [0.1] * SEGMENTS + [-2.0] * SEGMENTS + [0.0] * SEGMENTS
            data = self.system.AddNode(NodeGenericData(initialCoordinates=start, numberOfDataCoordinates=3 * SEGMENTS))
            contact = ObjectContactFrictionCircleCable2D(
                markerNumbers=[pulley, shape], nodeNumber=data, numberOfContactSegments=SEGMENTS,
                contactStiffness=STIFFNESS * segment, contactDamping=DAMPING * segment, circleRadius=RADIUS,
                frictionStiffness=1e-8, frictionVelocityPenalty=BRISTLE_DAMPING * segment,
                frictionCoefficient=0.0,
            )
            self.contacts.append(int(self.system.AddObject(contact)))

    def find_rest(self) -> float:
        """The equilibrium without friction becomes the initial state; returns the horizontal support force of the driver (N)."""
        settings = exu.SimulationSettings()
        settings.staticSolver.newton.absoluteTolerance = settings.staticSolver.newton.relativeTolerance = 1e-6
        settings.staticSolver.stabilizerODE2term = 1e5
        settings.staticSolver.adaptiveStep = False
        settings.staticSolver.loadStepGeometric = True
        settings.staticSolver.loadStepGeometricRange = 1e4
        settings.staticSolver.numberOfLoadSteps = 10
        settings.staticSolver.verboseMode = 0
        settings.solution.file.write = False
        settings.linearSolver.solverType = exu.LinearSolverType.EigenSparse
        self.system.SolveStatic(settings, updateInitialValues=True)
        force = self.system.GetObjectOutput(self.support, exu.OutputVariableType.Force)
        for contact in self.contacts:
            self.system.SetObjectParameter(contact, "frictionCoefficient", FRICTION)
            self.system.SetObjectParameter(contact, "frictionStiffness", BRISTLE_STIFFNESS * self.segment)
        for lock in self.locks:
            self.system.SetObjectParameter(lock, "activeConnector", False)
        self.system.SetObjectParameter(self.driver, "activeConnector", True)
        return float(np.ravel(force)[0])


def speed(_system: Any, t: float, _item: int, _offset: float) -> float:
    return SPEED * min(max(t - START, 0.0), END - START) / (END - START)


def exudyn_run(elements: int, step: float = STEP, duration: float = DURATION) -> Run:
    drive = Drive(elements)
    with engines.silence():
        drive.find_rest()
    rule = engines.Rule(step, trapezoidal=True, sparse=True)

    def read() -> Array:
        values = [drive.system.GetNodeOutput(drive.pulleys[1], kind) for kind in
                  (exu.OutputVariableType.AngularVelocity, exu.OutputVariableType.Rotation)]
        return np.array([np.ravel(value)[-1] for value in values])

    settings = engines.exudyn_settings(rule, duration)
    settings.timeIntegration.discontinuous.maxIterations = 3
    settings.timeIntegration.discontinuous.iterationTolerance = 1e-3

    def run() -> Outcome:
        return engines.exudyn_solve(drive.system, settings, exu.DynamicSolverType.TrapezoidalIndex2, read)

    return run
