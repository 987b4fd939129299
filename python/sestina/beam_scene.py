"""Beams as they are drawn: each node carries half of the element on either side of it; cables are lines between nodes."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt


class Node(NamedTuple):
    """A node of a beam, with the attributes of a body that drawing needs."""

    name: str
    beam: str
    shapes: list[dict[str, Any]]
    points: dict[str, Any] = {}
    center_of_mass: tuple[float, ...] = (0.0, 0.0, 0.0)
    mass: float = 0.0
    is_cable: bool = False


def _at(number: float | str, s: float) -> float | str:
    """A number of a section at the arc length s."""
    return re.sub(r"(?<![\w.])s(?![\w.])", f"({float(s)!r})", number) if isinstance(number, str) else number


def _section(section: Mapping[str, Any], length: float, s: float) -> dict[str, Any]:
    """The shape along x. A section of stiffnesses is drawn as the rectangle that bends as it does: EI/EA = h^2/12."""
    if "rectangle" in section:
        return {"type": "box", "size": [length, *(_at(side, s) for side in section["rectangle"])]}
    if "circle" in section or "tube" in section:
        radius = section["circle"][0] if "circle" in section else section["tube"][1]
        return {"type": "cylinder", "radius": _at(radius, s), "length": length, "axes": {"axis": [0, 1, 0], "angle": math.pi / 2}}
    if "stiffness" in section:
        EIy, EIz, EA = (section["stiffness"][i][i] for i in (1, 2, 3))
    else:
        EIy, EIz, EA = (section[key] for key in ("EIy", "EIz", "EA"))
    edges = [f"sqrt(12*({_at(EI, s)})/({_at(EA, s)}))" for EI in (EIz, EIy)]
    return {"type": "box", "size": [length, *edges]}


def nodes_of(beam: Any, bodies: list[str], place: npt.NDArray[np.float64]) -> list[Node]:
    """bodies: the names of a model's bodies; place: (bodies, 3) m, their positions."""
    own = [body for body in bodies if body.startswith(f"{beam.name}_") and body[len(beam.name) + 1:].isdecimal()]
    if beam.formulation == "ancf_cable":
        return [Node(name, beam.name, [], is_cable=True) for name in own]
    at = np.array([place[bodies.index(name)] for name in own])
    halves = np.linalg.norm(np.diff(at, axis=0), axis=1) / 2
    section = beam.section.copy()
    nodes = []
    s = 0.0
    for name, before, after in zip(own, [0.0, *halves], [*halves, 0.0], strict=True):
        s += before
        shape = _section(section, before + after, s + (after - before) / 2) | {"position": [(after - before) / 2, 0.0, 0.0]}
        s += after
        nodes.append(Node(name, beam.name, [shape]))
    return nodes
