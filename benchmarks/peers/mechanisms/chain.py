"""Masses of 1 kg on a line, each held to the one before by a spring of 800 N/m and a damper of 2 N s/m, the first to the
ground; 1 N pulls at the last. One coordinate each: the place on the line."""

# mypy: disable-error-code="no-untyped-call"
from __future__ import annotations

from typing import Any

import exudyn as exu
import exudyn.itemInterface as items

import sestina

from . import engines

STIFFNESS, DAMPING, FORCE = 800.0, 2.0, 1.0  # N/m, N s/m, N
STEP = 1e-3  # s


def sestina_chain(masses: int) -> sestina.System:
    """Each mass on a rail of the ground; springs act between points, which stay on the line."""
    system = sestina.System("chain", gravity=(0, 0, 0))
    before = "ground.origin"
    for k in range(masses):
        body = system.add_particle(f"mass_{k}", mass=1.0)
        system.add_joint(f"rail_{k}", "prismatic", "ground.origin", body["origin"], axis=(1, 0, 0), q=float(k + 1))
        system.add_spring_damper(
            f"spring_{k}", before, body["origin"], stiffness=STIFFNESS, damping=DAMPING, free_length=1.0
        )
        before = f"mass_{k}.origin"
    system.add_joint_force("pull", f"rail_{masses - 1}", str(FORCE))
    return system


def sestina_relative_chain(masses: int) -> sestina.System:
    """Each mass on a rail of the mass before: the coordinates are the elongations of the springs."""
    system = sestina.System("chain", gravity=(0, 0, 0))
    before: Any = system.ground["origin"]
    for k in range(masses):
        body = system.add_particle(f"mass_{k}", mass=1.0)
        system.add_joint(f"rail_{k}", "prismatic", before, body["origin"], axis=(1, 0, 0), q=0.0)
        system.add_joint_spring(f"spring_{k}", f"rail_{k}", stiffness=STIFFNESS)
        system.add_joint_damper(f"damper_{k}", f"rail_{k}", damping=DAMPING)
        before = body["origin"]
    system.add_point_force("pull", before, (FORCE, 0, 0))
    return system


def sestina_run(masses: int, duration: float, relative: bool = False) -> engines.Run:
    system = sestina_relative_chain(masses) if relative else sestina_chain(masses)
    run = engines.sestina_run(system, duration, [f"mass_{masses - 1}.origin.x"], engines.alpha(0.9), dt=STEP)
    start = 0.0 if relative else float(masses)

    def moved() -> engines.Outcome:
        outcome = run()
        return outcome._replace(values=outcome.values - start)

    return moved


def exudyn_run(masses: int, duration: float, threads: int = 1) -> engines.Run:
    system = engines.exudyn_system()
    ground = system.AddNode(items.NodePointGround())
    before = system.AddMarker(items.MarkerNodeCoordinate(nodeNumber=ground, coordinate=0))
    for _ in range(masses):
        node = system.AddNode(items.Node1D(referenceCoordinates=[0]))
        system.AddObject(items.Mass1D(mass=1.0, nodeNumber=node))
        marker = system.AddMarker(items.MarkerNodeCoordinate(nodeNumber=node, coordinate=0))
        system.AddObject(
            items.ObjectConnectorCoordinateSpringDamper(
                markerNumbers=[before, marker], stiffness=STIFFNESS, damping=DAMPING
            )
        )
        before = marker
    system.AddLoad(items.LoadCoordinate(markerNumber=before, load=FORCE))
    system.Assemble()

    def read() -> Any:
        return [system.GetNodeOutput(node, exu.OutputVariableType.Coordinates)]

    return engines.exudyn_run(system, engines.Rule(STEP, sparse=masses >= 20, threads=threads), duration, read)
