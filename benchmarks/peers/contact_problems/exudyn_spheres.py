"""A block of spheres in Exudyn, by its GeneralContact and explicit Euler."""

from __future__ import annotations

import sys
import time

import exudyn as exu
import numpy as np
from exudyn.itemInterface import Force, MarkerNodePosition, MassPoint, NodePoint, NodePointGround

from .grains import Array, Grains

WALL_RADIUS = 30.0  # m


def simulate(grains: Grains, duration: float, watched: int, wall_radius: float = WALL_RADIUS) -> tuple[Array, float]:
    """The displacement (3) of a sphere, m, and the seconds of the processor for the steps alone; one thread."""
    container = exu.SystemContainer()
    system = container.AddSystem()
    markers, radii, nodes = [], [], []
    far = wall_radius + 8
    for place in ((0, -wall_radius - 4, 0), (-far, -3, 0), (far, -3, 0), (0, -3, far), (0, -3, -far)):
        node = system.AddNode(NodePointGround(referenceCoordinates=place))
        markers.append(system.AddMarker(MarkerNodePosition(nodeNumber=node)))
        radii.append(wall_radius)
    weight = [grains.mass * g for g in grains.gravity]
    for place, radius in zip(grains.places.tolist(), grains.radii.tolist()):
        node = system.AddNode(NodePoint(referenceCoordinates=place, initialVelocities=grains.velocity))
        system.AddObject(MassPoint(mass=grains.mass, nodeNumber=node))
        marker = system.AddMarker(MarkerNodePosition(nodeNumber=node))
        system.AddLoad(Force(markerNumber=marker, loadVector=weight))
        markers.append(marker)
        radii.append(radius)
        nodes.append(node)
    contact = system.AddGeneralContact()
    contact.verboseMode = 0
    for marker, radius in zip(markers, radii):
        contact.AddSphereWithMarker(
            marker, radius=radius, contactStiffness=grains.stiffness, contactDamping=grains.damping, frictionMaterialIndex=0
        )
    contact.SetFrictionPairings(0.0 * np.eye(1))
    is_large = len(nodes) > 1000
    contact.SetSearchTreeCellSize(numberOfCells=[20, 80 if is_large else 20, 20])
    top = float(grains.places[:, 1].max())
    contact.SetSearchTreeBox(pMin=np.array([-9.6, -8, -9.6]), pMax=np.array([9.6, top, 9.6]))
    system.Assemble()
    return _run(system, grains.step, duration, nodes[watched])


def _run(system: exu.MainSystem, step: float, duration: float, node: int) -> tuple[Array, float]:
    settings = exu.SimulationSettings()
    settings.solution.file.write = False
    settings.timeIntegration.verboseMode = 0
    settings.parallel.numberOfThreads = 1
    settings.timeIntegration.numberOfSteps = round(duration / step)
    settings.timeIntegration.endTime = duration
    settings.linearSolver.solverType = exu.LinearSolverType.EigenSparse
    settings.timeIntegration.explicitIntegration.computeEndOfStepAccelerations = False
    start = time.process_time()
    exu.SolveDynamic(system, settings, solverType=exu.DynamicSolverType.ExplicitEuler)
    used = time.process_time() - start
    return np.array(system.GetNodeOutput(node, exu.OutputVariableType.Displacement)), used
