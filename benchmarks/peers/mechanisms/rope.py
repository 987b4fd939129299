"""A rope that swings down from a horizontal line: ANCF cables of both engines, in space and in the plane."""

# mypy: disable-error-code="no-untyped-call"
from __future__ import annotations

import exudyn as exu
from exudyn.itemInterface import (
    Cable2D,
    CoordinateConstraint,
    Gravity,
    MarkerBodyMass,
    MarkerNodeCoordinate,
    NodePoint2DSlope1,
    NodePointGround,
)

import sestina

from . import engines
from .engines import Rule

DURATION = 1.0  # s
LENGTH, EA, EI, MASS = 1.0, 1000.0, 0.01, 0.1  # m, N, N m^2, kg/m
COLUMNS = ["rope.end.x", "rope.end.y"]  # m


def sestina_rope(elements: int) -> sestina.System:
    system = sestina.System("rope", gravity=(0, -9.81, 0))
    rope = system.add_beam("rope", {"from": (0, 0, 0), "to": (LENGTH, 0, 0)}, {"EA": EA, "EI": EI, "mass": MASS},
                           elements=elements, formulation="ancf_cable")
    system.add_joint("hook", "spherical", "ground.origin", rope["start"])
    return system


def exudyn_run(elements: int, rule: Rule) -> engines.Run:
    """With Exudyn's reduced integration of the axial strain, which does not lock."""
    system = engines.exudyn_system()
    h = LENGTH / elements
    nodes = [system.AddNode(NodePoint2DSlope1(referenceCoordinates=[i * h, 0, 1, 0])) for i in range(elements + 1)]
    for start, end in zip(nodes, nodes[1:]):
        cable = system.AddObject(
            Cable2D(physicsLength=h, physicsMassPerLength=MASS, physicsBendingStiffness=EI, physicsAxialStiffness=EA,
                    nodeNumbers=[start, end], useReducedOrderIntegration=2)
        )
        marker = system.AddMarker(MarkerBodyMass(bodyNumber=cable))
        system.AddLoad(Gravity(markerNumber=marker, loadVector=[0, -9.81, 0]))
    ground = system.AddNode(NodePointGround())
    fixed = system.AddMarker(MarkerNodeCoordinate(nodeNumber=ground, coordinate=0))
    for coordinate in (0, 1):
        held = system.AddMarker(MarkerNodeCoordinate(nodeNumber=nodes[0], coordinate=coordinate))
        system.AddObject(CoordinateConstraint(markerNumbers=[fixed, held]))
    system.Assemble()
    return engines.exudyn_run(
        system, rule, DURATION, lambda: system.GetNodeOutput(nodes[-1], exu.OutputVariableType.Position)[:2]
    )
