"""Mass and stiffness matrices that other finite-element programs write, for `sestina.reduce`.

Three formats, distinguished by the contents of the file:

- Matrix Market (`%%MatrixMarket`): rows and columns in the order of the unknowns.
- Abaqus, `*MATRIX GENERATE` with `FORMAT=MATRIX INPUT`: lines `node, direction, node, direction, value`.
- CalculiX, `*FREQUENCY, SOLVER=MATRIXSTORAGE`: lines `row column value` in NAME.sti and NAME.mas, and the unknowns of
  the rows, lines `node.direction`, in NAME.dof next to them.

One triangle of a symmetric matrix is enough.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .errors import InputError

if TYPE_CHECKING:
    import numpy.typing as npt

    Array = npt.NDArray[np.float64]
    Integers = npt.NDArray[np.int64]

DIRECTIONS = 3


def read_matrix(file: str | os.PathLike[str], labels: npt.ArrayLike) -> Any:
    """(3n, 3n) sparse: x, y, z of each node in the order of `labels`, the numbers (n) that the file gives to nodes.

    Raises InputError that names the file and the line for another format, or for other nodes and directions.
    """
    path, numbers = Path(file), np.asarray(labels, dtype=np.int64)
    try:
        with open(path, encoding="utf-8", errors="replace") as stream:
            first = next((line for line in stream if line.strip() and not line.startswith("**")), "")
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    if first.startswith("%%MatrixMarket"):
        matrix = _read_matrix_market(path)
    elif first.count(",") == 4:
        rows = _numbers(path, 5, ",")
        matrix = _assemble(path, _unknowns(path, rows[:, 0], rows[:, 1], numbers),
                           _unknowns(path, rows[:, 2], rows[:, 3], numbers), rows[:, 4], len(numbers))
    elif len(first.split()) == 3:
        rows, order = _numbers(path, 3, None), _read_dof(path.with_suffix(".dof"), numbers)
        places = rows[:, :2].astype(np.int64) - 1
        if (places < 0).any() or (places >= len(order)).any():
            raise InputError(f"{path}: has a row or column beyond the {len(order)} unknowns of {path.with_suffix('.dof').name}")
        matrix = _assemble(path, order[places[:, 0]], order[places[:, 1]], rows[:, 2], len(numbers))
    else:
        raise InputError(f"{path}: is not a matrix of Matrix Market, Abaqus (matrix input) or CalculiX (matrixstorage)")
    return matrix


def _read_matrix_market(path: Path) -> Any:
    import scipy.io

    try:
        return scipy.io.mmread(path)
    except (ValueError, OverflowError, TypeError) as error:
        raise InputError(f"{path}: cannot be read as Matrix Market: {error}") from None


def _numbers(path: Path, columns: int, separator: str | None) -> Array:
    rows = []
    with open(path, encoding="utf-8", errors="replace") as stream:
        for number, line in enumerate(stream, 1):
            if not line.strip() or line.startswith("**"):
                continue
            try:
                row = [float(part) for part in line.split(separator)]
            except ValueError:
                row = []
            if len(row) != columns or not np.isfinite(row).all():
                raise InputError(f"{path}:{number}: expected {columns} numbers, found {line.strip()!r}")
            rows.append(row)
    return np.array(rows)


def _unknowns(path: Path, nodes: Array, directions: Array, labels: Integers) -> Integers:
    """The places of unknowns: 3 i + k of direction k of the node labels[i]."""
    order = np.argsort(labels)
    place = np.clip(np.searchsorted(labels, nodes, sorter=order), 0, len(labels) - 1)
    found = order[place]
    strange = (labels[found] != nodes) | (directions < 1) | (directions > DIRECTIONS) | (directions != np.round(directions))
    if strange.any():
        i = int(np.argmax(strange))
        raise InputError(
            f"{path}: direction {directions[i]:g} of node {nodes[i]:g}: expected 1, 2 or 3 of the nodes {labels.min()} to {labels.max()}"
        )
    return np.asarray(DIRECTIONS * found + directions.astype(np.int64) - 1)


def _read_dof(path: Path, labels: Integers) -> Integers:
    if not path.exists():
        raise InputError(f"{path}: is missing: CalculiX writes it next to the matrices")
    nodes, directions = [], []
    for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
        node, _, direction = line.strip().partition(".")
        if not (node.isdecimal() and direction.isdecimal()):
            raise InputError(f"{path}:{number}: expected NODE.DIRECTION, found {line.strip()!r}")
        nodes.append(int(node))
        directions.append(int(direction))
    order = _unknowns(path, np.array(nodes, dtype=float), np.array(directions, dtype=float), labels)
    missing = np.setdiff1d(np.arange(DIRECTIONS * len(labels)), order)
    if len(missing):
        node, direction = labels[missing[0] // DIRECTIONS], missing[0] % DIRECTIONS + 1
        raise InputError(f"{path}: has no unknown {node}.{direction}: write the matrices of the body without supports")
    return order


def _assemble(path: Path, rows: Integers, columns: Integers, values: Array, nodes: int) -> Any:
    import scipy.sparse as sparse

    size = DIRECTIONS * nodes
    matrix = sparse.coo_matrix((values, (rows, columns)), shape=(size, size)).tocsc()
    lower, upper = sparse.tril(matrix, -1), sparse.triu(matrix, 1)
    if not lower.astype(bool).multiply(upper.T.astype(bool)).nnz:  # each pair stands once, on either side
        return matrix + lower.T + upper.T
    if abs(lower - upper.T).max() > 1e-8 * abs(matrix).max():
        raise InputError(f"{path}: the matrix is not symmetric")
    return matrix
