"""Plane mechanisms in Exudyn: bodies of three coordinates, hinges of two conditions."""

# mypy: disable-error-code="no-untyped-call"
from __future__ import annotations

import math
from typing import Any

import exudyn.itemInterface as items

from . import engines

Place = tuple[float, float]


class Plane:
    """A plane system under construction. Bodies are named; their origins may be anywhere in them."""

    def __init__(self, gravity: float = 0.0) -> None:
        self.system = engines.exudyn_system()
        self.ground = self.system.AddObject(items.ObjectGround())
        self.gravity = gravity  # m/s^2, along -y

    def add_body(
        self, mass: float, inertia: float, place: Place, angle: float,
        center: Place = (0.0, 0.0), velocity: Place = (0.0, 0.0), spin: float = 0.0,
    ) -> Any:
        """`center` in the body's own axes; `inertia` is about it."""
        node = self.system.AddNode(
            items.NodeRigidBody2D(referenceCoordinates=[*place, angle], initialVelocities=[*velocity, spin])
        )
        about_origin = inertia + mass * (center[0] ** 2 + center[1] ** 2)
        body = self.system.AddObject(
            items.RigidBody2D(physicsMass=mass, physicsInertia=about_origin, physicsCenterOfMass=list(center), nodeNumber=node)
        )
        if self.gravity:
            marker = self.system.AddMarker(items.MarkerBodyMass(bodyNumber=body))
            self.system.AddLoad(items.LoadMassProportional(markerNumber=marker, loadVector=[0, -self.gravity, 0]))
        return body

    def marker(self, body: Any, place: Place) -> Any:
        return self.system.AddMarker(items.MarkerBodyPosition(bodyNumber=body, localPosition=[*place, 0]))

    def add_hinge(self, a: Any, place_a: Place, b: Any, place_b: Place) -> None:
        self.system.AddObject(
            items.ObjectJointRevolute2D(markerNumbers=[self.marker(a, place_a), self.marker(b, place_b)])
        )

    def add_spring(self, a: Any, place_a: Place, b: Any, place_b: Place, stiffness: float, free_length: float) -> None:
        self.system.AddObject(
            items.ObjectConnectorSpringDamper(
                markerNumbers=[self.marker(a, place_a), self.marker(b, place_b)],
                stiffness=stiffness, referenceLength=free_length,
            )
        )

    def add_torque(self, body: Any, torque: float) -> None:
        marker = self.system.AddMarker(items.MarkerBodyRigid(bodyNumber=body))
        self.system.AddLoad(items.LoadTorqueVector(markerNumber=marker, loadVector=[0, 0, torque]))

    def angle(self, body: Any) -> float:
        return float(engines.body_output(self.system, body, "Rotation").flat[-1])


def turned(place: Place, angle: float) -> Place:
    c, s = math.cos(angle), math.sin(angle)
    return (c * place[0] - s * place[1], s * place[0] + c * place[1])


def moved(origin: Place, place: Place, angle: float) -> Place:
    x, y = turned(place, angle)
    return (origin[0] + x, origin[1] + y)
