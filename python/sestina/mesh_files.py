"""Triangles of STL, OBJ and COLLADA files and of tables of heights, for pictures."""

from __future__ import annotations

import os
import pathlib
from typing import TYPE_CHECKING

import numpy as np

from .collada import read_collada
from .errors import InputError

if TYPE_CHECKING:
    import numpy.typing as npt

    Array = npt.NDArray[np.float64]


def find_mesh(file: str, folder: str) -> pathlib.Path:
    """The path of a shape's mesh: beside the model file or, for `package://NAME/PATH`, in a folder above it.

    Raises InputError, with the places searched, if there is none.
    """
    name = file.removeprefix("file://")
    if "://" not in name:
        tried = [pathlib.Path(folder, name)]
    else:
        package, _, inner = name.partition("://")[2].partition("/")
        above = [pathlib.Path(folder).absolute(), *pathlib.Path(folder).absolute().parents]
        roots = [pathlib.Path(one) for one in os.environ.get("ROS_PACKAGE_PATH", "").split(os.pathsep) if one]
        tried = [root / package / inner for root in [*above, *roots]]
        tried += [root / inner for root in [*above, *roots] if root.name == package]
    for path in tried:
        if path.is_file():
            return path
    places = ", ".join(map(str, tried[:4])) + (" ..." if len(tried) > 4 else "")
    raise InputError(f"the mesh {file!r} is not found; looked for: {places}")


def read_mesh(path: pathlib.Path) -> Array:
    """(n, 3, 3) m, the corners of all triangles of an STL (text or binary), OBJ or COLLADA file. Otherwise InputError."""
    readers = {".stl": _read_stl, ".obj": _read_obj, ".dae": read_collada}
    reader = readers.get(path.suffix.lower())
    if reader is None:
        raise InputError(f"{path}: a mesh is read from {', '.join(readers)}")
    try:
        triangles = reader(path.read_bytes())
    except (ValueError, IndexError) as error:
        raise InputError(f"{path}: {error}") from None
    if len(triangles) == 0:
        raise InputError(f"{path}: there are no triangles")
    if not np.isfinite(triangles).all():
        raise InputError(f"{path}: a corner is not finite")
    return triangles


def read_heights(path: pathlib.Path) -> Array:
    """(n, 3, 3) m, the triangles of a height field: column, row, height. Otherwise InputError."""
    rows = [line.replace(",", " ").split() for line in path.read_text(errors="replace").splitlines()]
    try:
        z = np.array([[float(word) for word in row] for row in rows if row], dtype=np.float64)
    except ValueError as error:
        raise InputError(f"{path}: {error}") from None
    if z.ndim != 2 or min(z.shape) < 2 or not np.isfinite(z).all():
        raise InputError(f"{path}: expected at least two rows and columns of finite heights")
    y, x = np.indices(z.shape, dtype=np.float64)
    corners = np.stack([x, y, z], axis=-1)
    low, right, up, high = corners[:-1, :-1], corners[:-1, 1:], corners[1:, :-1], corners[1:, 1:]
    cells = np.stack([np.stack([low, right, high], axis=2), np.stack([low, high, up], axis=2)], axis=2)
    return cells.reshape(-1, 3, 3)


def _read_stl(data: bytes) -> Array:
    count = int.from_bytes(data[80:84], "little")
    if len(data) >= 84 and len(data) == 84 + 50 * count:  # some binary files begin with `solid`, too
        record = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
        return np.frombuffer(data, record, count, 84)["corners"].astype(np.float64)
    if not data.lstrip().startswith(b"solid"):
        raise ValueError(f"no STL: {len(data)} bytes do not hold the {count} triangles that its header states")
    rows = [line.split()[1:4] for line in data.decode(errors="replace").splitlines() if line.lstrip().startswith("vertex")]
    if len(rows) % 3:
        raise ValueError(f"{len(rows)} corners are not three for each triangle")
    return np.array([[float(x) for x in row] for row in rows], dtype=np.float64).reshape(-1, 3, 3)


def _read_obj(data: bytes) -> Array:
    points: list[list[float]] = []
    faces: list[tuple[int, int, int]] = []
    for number, line in enumerate(data.decode(errors="replace").splitlines(), 1):
        words = line.split()
        if not words or words[0] not in {"v", "f"}:
            continue
        if words[0] == "v":
            points.append([float(word) for word in words[1:4]])
            continue
        numbers = [int(word.partition("/")[0]) for word in words[1:]]
        places = [k - 1 if k > 0 else len(points) + k for k in numbers]
        if len(places) < 3 or min(places) < 0 or max(places) >= len(points):
            raise ValueError(f"line {number}: {line.strip()!r} is not a face of the {len(points)} points before it")
        faces += [(places[0], places[i], places[i + 1]) for i in range(1, len(places) - 1)]
    return np.array(points, dtype=np.float64).reshape(-1, 3)[np.array(faces, dtype=np.intp).reshape(-1, 3)]
