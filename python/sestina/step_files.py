"""Meshes of solids in STEP files, by netgen (PyPI: netgen-mesher with netgen-occt; LGPL, not needed otherwise)."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import numpy as np

from .errors import InputError

if TYPE_CHECKING:
    import numpy.typing as npt

    Array = npt.NDArray[np.float64]
    Numbers = npt.NDArray[np.intp]

#: Netgen's nodes of a tetrahedron, whose edges are 01 02 03 12 13 23, in the order of solid_elements.EDGES.
ORDER = [0, 1, 2, 3, 4, 7, 5, 6, 8, 9]
#: The geometry kernel converts the unit of the file to millimetres.
MILLIMETRE = 1e-3


def is_step(path: str | os.PathLike[str]) -> bool:
    return os.fspath(path).lower().endswith((".step", ".stp"))


def read_step(path: str | os.PathLike[str], mesh_size: float | None = None) -> tuple[Array, Numbers]:
    """Nodes (n, 3), m, and tetrahedra of ten nodes (e, 10) of the solids in a file, whose edges on curved faces are
    curved. mesh_size: the longest edge, m; otherwise by netgen from the size and curvature of the solid.

    Raises InputError for a file that has no solids or cannot be meshed.
    """
    if mesh_size is not None and not (np.isfinite(mesh_size) and mesh_size > 0):
        raise InputError(f"reduce: mesh_size is {mesh_size!r} m; expected a positive number")
    try:
        from netgen.occ import OCCGeometry
    except ImportError:
        raise ImportError("reading a STEP file needs netgen: pip install 'sestina[step]'") from None
    path = os.fspath(path)
    if not os.path.isfile(path):
        raise InputError(f"reduce: {path} is not a file")
    try:
        geometry = OCCGeometry(path)
        mesh = geometry.GenerateMesh(**({} if mesh_size is None else {"maxh": mesh_size / MILLIMETRE}))
        mesh.SecondOrder()
    except Exception as error:  # netgen raises its own exceptions
        raise InputError(f"reduce: {path} cannot be meshed: {error}") from None
    elements = mesh.Elements3D().NumPy()["nodes"]
    if not len(elements):
        raise InputError(f"reduce: {path} has no solids")
    nodes = np.ascontiguousarray(mesh.Coordinates(), dtype=float) * MILLIMETRE
    corners: Numbers = elements[:, ORDER].astype(np.intp) - 1
    used, numbers = np.unique(corners, return_inverse=True)
    return nodes[used], numbers.reshape(corners.shape)
