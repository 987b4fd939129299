"""Triangles of COLLADA files (.dae), for pictures: positions alone, placed by the nodes of the scene, in m.

The file's up axis is ignored, as robot programs do: the mesh is placed in the axes of its link.
"""

from __future__ import annotations

import xml.etree.ElementTree as tree
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    Array = npt.NDArray[np.float64]


def read_collada(data: bytes) -> Array:
    """(n, 3, 3) m, the corners of all triangles; polygons are cut into triangles. ValueError for any other file."""
    try:
        root = tree.fromstring(data)
    except tree.ParseError as error:
        raise ValueError(f"no COLLADA: {error}") from None
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]  # without the name of the scheme
    if root.tag != "COLLADA":
        raise ValueError(f"no COLLADA: its first element is {root.tag!r}")
    unit = root.find("asset/unit")
    scale = 1.0 if unit is None else float(unit.get("meter", "1"))
    return scale * _Document(root).triangles()


class _Document:
    def __init__(self, root: tree.Element) -> None:
        self._by_id = {element.get("id", ""): element for element in root.iter() if element.get("id")}
        self._scene = root.find("scene/instance_visual_scene")
        self._root = root

    def triangles(self) -> Array:
        found = [np.zeros((0, 3, 3))]
        if self._scene is None:
            for geometry in self._root.iter("geometry"):
                found += self._of_geometry(geometry)
        else:
            for node in self._referred(self._scene).findall("node"):
                found += self._of_node(node, np.eye(4), 0)
        return np.concatenate(found)

    def _referred(self, element: tree.Element) -> tree.Element:
        name = (element.get("url") or element.get("source") or "").removeprefix("#")
        if name not in self._by_id:
            raise ValueError(f"{element.tag} refers to {name!r}, which is not there")
        return self._by_id[name]

    def _of_node(self, node: tree.Element, outer: Array, depth: int) -> Iterator[Array]:
        if depth > 100:
            raise ValueError("its nodes are in each other")
        placed = outer @ _transform(node)
        for instance in node.findall("instance_geometry"):
            for triangles in self._of_geometry(self._referred(instance)):
                yield triangles @ placed[:3, :3].T + placed[:3, 3]
        inner = [*node.findall("node"), *map(self._referred, node.findall("instance_node"))]
        for one in inner:
            yield from self._of_node(one, placed, depth + 1)

    def _of_geometry(self, geometry: tree.Element) -> Iterator[Array]:
        for kind in ("triangles", "polylist", "polygons"):
            for primitive in geometry.findall(f"mesh/{kind}"):
                yield self._of_primitive(primitive)

    def _of_primitive(self, primitive: tree.Element) -> Array:
        inputs = primitive.findall("input")
        stride = max(int(one.get("offset", "0")) for one in inputs) + 1
        (vertex,) = (one for one in inputs if one.get("semantic") == "VERTEX")
        positions = self._positions(self._referred(vertex))
        offset = int(vertex.get("offset", "0"))
        places = [_integers(p.text).reshape(-1, stride)[:, offset] for p in primitive.findall("p")]
        if primitive.tag == "triangles":
            faces = np.concatenate([np.zeros(0, dtype=np.int64), *places]).reshape(-1, 3)
        elif primitive.tag == "polylist":
            counts = primitive.find("vcount")
            ends = np.cumsum(_integers(None if counts is None else counts.text))
            faces = _cut(np.split(np.concatenate(places), ends[:-1]) if len(ends) else [])
        else:
            faces = _cut(places)
        if len(faces) and not 0 <= faces.min() <= faces.max() < len(positions):
            raise ValueError(f"a face has a corner that is none of {len(positions)} points")
        corners: Array = positions[faces]
        return corners

    def _positions(self, vertices: tree.Element) -> Array:
        (of_positions,) = (one for one in vertices.findall("input") if one.get("semantic") == "POSITION")
        source = self._referred(of_positions)
        numbers, accessor = source.find("float_array"), source.find("technique_common/accessor")
        stride = 3 if accessor is None else int(accessor.get("stride", "3"))
        return np.array(((numbers.text if numbers is not None else "") or "").split(), dtype=np.float64).reshape(-1, stride)[:, :3]


def _integers(text: str | None) -> npt.NDArray[np.int64]:
    return np.array((text or "").split(), dtype=np.int64)


def _cut(polygons: list[npt.NDArray[np.int64]]) -> npt.NDArray[np.int64]:
    """(n, 3) Triangles about the first corner of each polygon."""
    cut = [(one[0], one[i], one[i + 1]) for one in polygons for i in range(1, len(one) - 1)]
    return np.array(cut, dtype=np.int64).reshape(-1, 3)


def _transform(node: tree.Element) -> Array:
    """(4, 4) of a node: the product of its listed transforms, in that order."""
    placed = np.eye(4)
    for element in node:
        if element.tag not in {"matrix", "translate", "rotate", "scale"}:
            continue
        numbers, one = np.array((element.text or "").split(), dtype=np.float64), np.eye(4)
        if element.tag == "matrix":
            one = numbers.reshape(4, 4)
        elif element.tag == "translate":
            one[:3, 3] = numbers
        elif element.tag == "scale":
            one[:3, :3] = np.diag(numbers)
        else:
            axis, angle = numbers[:3] / np.linalg.norm(numbers[:3]), np.deg2rad(numbers[3])
            skew = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
            one[:3, :3] += np.sin(angle) * skew + (1 - np.cos(angle)) * skew @ skew
        placed = placed @ one
    return placed
