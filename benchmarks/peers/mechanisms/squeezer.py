"""Andrews' squeezing mechanism, seven plane bodies in three loops, against the published angles at 0.03 s."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import sestina

from . import engines, plane
from .engines import Rule

DURATION = 0.03  # s
COLUMNS = ["beta.q", "theta.q", "gamma.q", "phi.q", "delta.q", "omega.q", "epsilon.q"]
# Hairer and Wanner, Solving Ordinary Differential Equations II, section VII.7; rad.
PUBLISHED = np.array([
    15.8107711962990, -15.7563710598430, 0.0408222401307310, -0.534730116322695, 0.524409965880530, 0.534730116322695,
    1.04808074104226,
])
EXAMPLE = Path(__file__).resolve().parents[3] / "examples" / "18_squeezer.yaml"


def sestina_squeezer(coordinates: str = "relative") -> sestina.System:
    system = sestina.load(EXAMPLE)
    system.analysis.coordinates = coordinates
    return system


def exudyn_run(rule: Rule) -> engines.Run:
    """Made from the same file: bodies, points and joints of the example, where its assembly puts them."""
    spec = sestina_squeezer()
    angles = {joint.name: number(joint.q) for joint in spec.joints if not joint.name.startswith("E")}
    model = plane.Plane()
    bodies: dict[str, Any] = {"ground": model.ground}
    origins: dict[str, plane.Place] = {"ground": (0.0, 0.0)}
    turns = {"ground": 0.0}
    for joint in spec.joints:
        parent, child = joint.parent.split("."), joint.child.split(".")
        if child[0] not in bodies:
            body = spec.body(child[0])
            turns[child[0]] = turns[parent[0]] + angles[joint.name]
            origins[child[0]] = plane.moved(origins[parent[0]], point(spec, parent), turns[parent[0]])
            center = (float(body.center_of_mass[0]), float(body.center_of_mass[1]))
            bodies[child[0]] = model.add_body(
                number(body.mass), float(body.inertia["zz"]), origins[child[0]], turns[child[0]], center
            )
        model.add_hinge(bodies[parent[0]], point(spec, parent), bodies[child[0]], point(spec, child))
    model.add_torque(bodies["K1"], 0.033)
    model.add_spring(model.ground, point(spec, ["ground", "C"]), bodies["K3"], point(spec, ["K3", "D"]), 4530, 0.07785)
    model.system.Assemble()

    def read() -> list[float]:
        now = {name: turns[name] + model.angle(body) for name, body in bodies.items() if name != "ground"}
        return [
            now["K1"], now["K2"] - now["K1"], now["K3"], now["K4"] - now["K5"], now["K5"], now["K6"] - now["K7"], now["K7"],
        ]

    return engines.exudyn_run(model.system, rule, DURATION, read)


def number(value: Any) -> float:
    return float(value[0] if isinstance(value, list) or hasattr(value, "__len__") else value)


def point(spec: sestina.System, name: list[str]) -> plane.Place:
    if name[1] == "origin":
        return (0.0, 0.0)
    points = spec.ground.points if name[0] == "ground" else spec.body(name[0]).points
    return (float(points[name[1]][0]), float(points[name[1]][1]))
