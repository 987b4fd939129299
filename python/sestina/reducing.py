"""Reduction of a finite-element mesh to a few modes: mesh, material and interfaces to a file for the engine.

The basis is that of Craig and Bampton (Coupling of substructures for dynamic analyses, AIAA J. 6 (1968) 1313-1319):
static modes, one for each of the six motions of each interface while the others rest, and the lowest modes of vibration
with all interfaces fixed. The modes that diagonalise the reduced body, without its six rigid motions, are those of a
floating frame with mean axes (src/sestina/flexible/reduced_body.h).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core
from .errors import InputError
from .matrix_files import read_matrix
from .node_choice import nodes_of_interface, stress_nodes_of
from .solid_elements import Mesh, assemble, nodal_stresses, surface_weights, to_mesh
from .solid_elements import geometric_stiffness as geometric_stiffness_of
from .sparse_cholesky import SparseCholesky

if TYPE_CHECKING:
    import numpy.typing as npt

    Array = npt.NDArray[np.float64]

#: Rigid motions have eigenvalues below this part of the smallest elastic one.
RIGID = 1e-4
#: Eigenvalues below this part of the largest one are rounding.
ROUNDING = 1e-12
RIGID_MOTIONS = 6
#: Vectors of a block in addition to the requested modes.
EXTRA_VECTORS = 4
#: Blocks of vectors; a block adds two or three digits.
MAX_BLOCKS = 40
#: Error of a mode, as a part of it; that of its frequency is the square.
MODE_ERROR = 1e-6


@dataclass(frozen=True)
class ReducedBody:
    """The modes of a flexible body, as `System.add_reduced_body` takes them from their file."""

    mass: float  #: kg
    center_of_mass: Array  #: (3) m, in the axes of the mesh
    inertia: Array  #: (3, 3) kg m^2, about the centre of mass
    frequencies: Array  #: (k) Hz, of the free body
    modes: Array = field(repr=False)  #: (k, n, 3) of the nodes, 1: modal masses are the body's mass
    interfaces: tuple[str, ...]
    nodes: Array = field(repr=False)  #: (n, 3) m
    _arrays: dict[str, Any] = field(repr=False)
    _mesh: Mesh | None = field(repr=False, default=None)
    _material: Mapping[str, float] | None = field(repr=False, default=None)

    def displacements(self, amplitudes: npt.ArrayLike) -> Array:
        """(..., n, 3) of the nodes in m, axes of the mesh, for amplitudes (..., k) in m: the columns BODY_mode_1.q,
        BODY_mode_2.q, ... of a result."""
        moved: Array = np.tensordot(self._of_modes(amplitudes), self.modes, axes=1)
        return moved

    def stresses(self, amplitudes: npt.ArrayLike) -> Array:
        """(..., n, 6) at the nodes in Pa, xx, yy, zz, xy, xz, yz, axes of the mesh, for amplitudes (..., k) in m.

        At a node it is the mean of the elements around it. Raises InputError for a body made from matrices.
        """
        if self._mesh is None or self._material is None:
            raise InputError("stresses: this body was made from matrices, which contain no material")
        given = self._of_modes(amplitudes)
        by_mode = np.array([nodal_stresses(self._mesh, self._material, mode) for mode in self.modes])
        found: Array = np.tensordot(given, by_mode, axes=1)
        return found

    def _of_modes(self, amplitudes: npt.ArrayLike) -> Array:
        given = np.asarray(amplitudes, dtype=float)
        if given.ndim == 0 or given.shape[-1] != len(self.modes):
            raise InputError(f"amplitudes has the shape {given.shape}; expected (..., {len(self.modes)})")
        return given

    def save(self, file: str | os.PathLike[str]) -> None:
        """Writes the file for a body of type `reduced`. Raises InputError if that is impossible."""
        flat = {key: value if key == "names" else np.ravel(value).tolist() for key, value in self._arrays.items()}
        _core._write_reduced_body(os.fspath(file), flat)


def reduce(
    mesh: Any,
    material: Mapping[str, float] | None = None,
    interfaces: Mapping[str, Any] | None = None,
    *,
    modes: int = 10,
    mesh_size: float | None = None,
    geometric_stiffness: bool = False,
    stresses: Any = False,
    file: str | os.PathLike[str] | None = None,
) -> ReducedBody:
    """Reduces a body of solid elements to static modes of its interfaces and some modes of vibration.

    mesh: a file that meshio reads (tetrahedra of four or ten nodes), or a STEP file with a solid; or a tuple of nodes
        (n, 3), m, and tetrahedra (e, 4) or (e, 10); or a dictionary of `nodes` (n, 3), `mass` and `stiffness` (3n, 3n), sparse, from another
        program, whose unknowns are x, y, z of the first node, then of the second. Both may be files of Matrix Market,
        Abaqus or CalculiX (sestina.matrix_files); `labels` (n) are the numbers of the nodes there, otherwise 1 to n.
    material: E (Pa), nu and density (kg/m^3); none with matrices.
    interfaces: for each name the numbers of its nodes, or a function of the nodes' positions (n, 3) that tells which
        belong to it; or a dictionary of these `nodes`, `type` ("rigid": the nodes move with the interface as a rigid
        body; "averaging": the interface moves with the mean of the nodes, which stay free) and `position` (3), m, and
        `axes` (3, 3), which are the middle of the nodes and the mesh's axes otherwise.
    modes: number of vibration modes in addition to six static ones for each interface.
    mesh_size: longest edge of the mesh of a STEP file, m; by its size and curvature if not given.
    geometric_stiffness: whether the body becomes stiffer or softer by the stresses of its rotation and of forces at
        its interfaces, such as a blade that rotates or a rod under compression. Not for matrices.
    stresses: True, or the nodes (numbers, or a function of positions (n, 3)) whose stresses by mode the file contains:
        results of models then have the largest stress of von Mises at these nodes, BODY.stress.mises, and its node,
        BODY.stress.node. Not for matrices.
    file: written if given (HDF5).

    Raises InputError for an impossible mesh, material or interface. Needs scipy, meshio for files, and
    netgen for STEP files.
    """
    if not interfaces:
        raise InputError("reduce: interfaces is empty: a reduced body is held and loaded at its interfaces")
    _scipy()
    if isinstance(mesh, Mapping):
        if mesh_size is not None:
            raise InputError("reduce: mesh_size is for STEP files (.step, .stp), not for matrices")
        nodes, M, K, weights = _from_matrices(mesh, material)
    else:
        solid = to_mesh(mesh, mesh_size)
        nodes = solid.nodes
        M, K = assemble(solid, material or {})
        weights = _weights_of(solid)
    count = _count_of(modes)
    _check_connected(K)
    parts = [_Interface.of(name, given, nodes, weights) for name, given in interfaces.items()]
    _check_interfaces(parts)
    if geometric_stiffness and isinstance(mesh, Mapping):
        raise InputError("reduce: geometric_stiffness needs a mesh and a material; matrices do not determine stresses")
    stress_nodes = stress_nodes_of(stresses, mesh, nodes)
    basis = _Basis(M, K, parts, nodes)
    vectors = basis.vectors(count)
    body = _diagonalize(M, K, vectors, parts, nodes)
    if not isinstance(mesh, Mapping):
        body = replace(body, _mesh=solid, _material=dict(material or {}))
        if geometric_stiffness:
            _stiffen(body, _stresses_of_loads(M, K, basis, vectors, body, parts))
    if stress_nodes.size:
        by_mode = np.array([nodal_stresses(solid, body._material or {}, mode)[stress_nodes] for mode in body.modes])
        body._arrays["stress_nodes"] = stress_nodes.astype(float)
        body._arrays["stresses"] = np.ascontiguousarray(by_mode.transpose(1, 0, 2))
    if file is not None:
        body.save(file)
    return body


def _scipy() -> None:
    try:
        import scipy.sparse.linalg  # noqa: F401
    except ImportError:
        raise ImportError("sestina.reduce needs scipy: pip install scipy meshio") from None


def _check_connected(K: Any) -> None:
    from scipy.sparse.csgraph import connected_components

    unknowns = connected_components(K, directed=False)[1]
    parts = len(np.unique(unknowns.reshape(-1, 3)[:, 0]))
    if parts > 1:
        raise InputError(f"reduce: the mesh consists of {parts} parts that are not connected")


def _count_of(modes: int) -> int:
    if isinstance(modes, bool) or not isinstance(modes, (int, np.integer)) or modes < 0:
        raise InputError(f"reduce: modes is {modes!r}; allowed: a whole number from 0 on")
    return int(modes)


def _weights_of(solid: Mesh) -> Any:
    return lambda chosen: surface_weights(solid, chosen)


def _from_matrices(given: Mapping[str, Any], material: Any) -> tuple[Array, Any, Any, Any]:
    import scipy.sparse as sparse

    if material is not None:
        raise InputError("reduce: a material belongs to a mesh; matrices have mass and stiffness already")
    unknown = set(given) - {"nodes", "mass", "stiffness", "labels"}
    missing = {"nodes", "mass", "stiffness"} - set(given)
    if unknown or missing:
        raise InputError(f"reduce: mesh has {sorted(given)}; expected nodes, mass and stiffness, and labels for files")
    nodes = np.ascontiguousarray(given["nodes"], dtype=float)
    if nodes.ndim != 2 or nodes.shape[1] != 3 or not np.isfinite(nodes).all():
        raise InputError(f"reduce: nodes has the shape {nodes.shape}; expected (n, 3), finite")
    labels = np.asarray(given.get("labels", np.arange(1, len(nodes) + 1)))
    if labels.shape != (len(nodes),) or labels.dtype.kind not in "iu" or len(np.unique(labels)) != len(nodes):
        raise InputError(f"reduce: labels are {labels.shape} of type {labels.dtype}; expected {len(nodes)} different whole numbers")
    matrices = []
    for key in ("mass", "stiffness"):
        is_file = isinstance(given[key], (str, os.PathLike))
        matrix = sparse.csc_matrix(read_matrix(given[key], labels) if is_file else given[key], dtype=float)
        if matrix.shape != (nodes.size, nodes.size):
            raise InputError(f"reduce: {key} has the shape {matrix.shape}; expected {(nodes.size, nodes.size)}")
        difference = abs(matrix - matrix.T)
        if difference.nnz and difference.max() > 1e-8 * abs(matrix).max():
            raise InputError(f"reduce: {key} is not symmetric")
        matrices.append((0.5 * (matrix + matrix.T)).tocsc())
    return nodes, matrices[0], matrices[1], lambda chosen: np.full(len(chosen), 1.0 / len(chosen))


@dataclass(frozen=True)
class _Interface:
    name: str
    nodes: npt.NDArray[np.intp]
    is_rigid: bool
    position: Array
    axes: Array
    weights: Array  # of the nodes, sum 1

    @staticmethod
    def of(name: str, given: Any, nodes: Array, weights_of: Any) -> _Interface:
        if not (isinstance(name, str) and name.isascii() and name.isidentifier()) or name == "origin":
            raise InputError(f"reduce: {name!r} is not the name of an interface: expected letters, digits and _")
        place = f"interfaces.{name}"
        spec = dict(given) if isinstance(given, Mapping) else {"nodes": given}
        unknown = set(spec) - {"nodes", "type", "position", "axes"}
        if unknown or "nodes" not in spec:
            raise InputError(f"reduce: {place} has {sorted(spec)}; expected nodes, and type, position and axes")
        chosen = nodes_of_interface(place, spec["nodes"], nodes)
        kind = spec.get("type", "rigid")
        if kind not in ("rigid", "averaging"):
            raise InputError(f"reduce: {place}.type is {kind!r}; allowed: rigid or averaging")
        weights = weights_of(chosen)
        middle = weights @ nodes[chosen]
        position = np.array(spec.get("position", middle), dtype=float)
        axes = np.array(spec.get("axes", np.eye(3)), dtype=float)
        if position.shape != (3,) or not np.isfinite(position).all():
            raise InputError(f"reduce: {place}.position is {spec['position']!r}; expected three finite numbers")
        if axes.shape != (3, 3) or not np.allclose(axes @ axes.T, np.eye(3), atol=1e-6) or np.linalg.det(axes) < 0:
            raise InputError(f"reduce: {place}.axes is not a rotation matrix (3, 3)")
        return _Interface(name, chosen, kind == "rigid", position, axes, weights)


def _check_interfaces(parts: list[_Interface]) -> None:
    owner: dict[int, str] = {}
    for part in parts:
        for node in part.nodes if part.is_rigid else ():
            other = owner.setdefault(int(node), part.name)
            if other != part.name:
                raise InputError(f"reduce: the rigid interfaces {other} and {part.name} share the node {node}")


def _check_independent(A: Any, names: list[str]) -> None:
    """Of A (6a, free nodes), the conditions of averaging interfaces: they may not determine each other."""
    scale = np.sqrt(np.maximum((A @ A.T).diagonal(), np.finfo(float).tiny))
    values, vectors = np.linalg.eigh((A @ A.T).toarray() / np.outer(scale, scale))
    if values.size and values[0] < ROUNDING:
        involved = np.flatnonzero((abs(vectors[:, 0]).reshape(-1, RIGID_MOTIONS) > 1e-6).any(axis=1))
        which = " and ".join(names[i] for i in involved)
        raise InputError(f"reduce: averaging interface {which}: too few nodes belong to no other interface")


def _cross_matrices(d: Array) -> Array:
    """(n, 3, 3): of the vectors d (n, 3), [d x]."""
    x = np.zeros((len(d), 3, 3))
    x[:, 0, 1], x[:, 0, 2], x[:, 1, 2] = -d[:, 2], d[:, 1], -d[:, 0]
    return x - x.transpose(0, 2, 1)


def _rigid_motions(places: Array, about: Array) -> Array:
    """(3n, 6): displacements of places for unit displacements of a body and unit rotations about a point."""
    motions = np.zeros((len(places), 3, 6))
    motions[:, :, :3] = np.eye(3)
    motions[:, :, 3:] = -_cross_matrices(places - about)
    return motions.reshape(-1, 6)


class _Basis:
    """The vectors of Craig and Bampton's basis, as displacements of all nodes.

    Unknowns are the displacements u of free nodes, and six motions q of each interface. Rigid interfaces give the
    motions of their nodes. Averaging ones are conditions A u = q with forces A^T l. Without a rigid interface, K is
    singular; springs of stiffness g between three nodes and the ground, K_s = K + g B^T B, are compensated by
    forces B^T p with B u - p/g = 0. So with C = [A; B], W = K_s^-1 C^T and x = K_s^-1 f,
        u = x + W l,   (C W - diag(0, 1/g)) l = [q; 0] - C x
    """

    def __init__(self, M: Any, K: Any, parts: list[_Interface], nodes: Array) -> None:
        import scipy.sparse as sparse

        n = nodes.size
        rigid = [part for part in parts if part.is_rigid]
        averaging = [part for part in parts if not part.is_rigid]
        held = np.zeros(n, dtype=bool)
        for part in rigid:
            held[_unknowns(part.nodes)] = True
        self._free = np.flatnonzero(~held)
        self._moved = np.zeros((n, RIGID_MOTIONS * len(rigid)))  # by motions of rigid interfaces
        for i, part in enumerate(rigid):
            block = slice(RIGID_MOTIONS * i, RIGID_MOTIONS * (i + 1))
            self._moved[_unknowns(part.nodes), block] = _rigid_motions(nodes[part.nodes], part.position)
        self._A = sparse.vstack([sparse.csr_matrix((0, n)), *(averages(part, nodes) for part in averaging)]).tocsr()
        _check_independent(self._A[:, self._free], [part.name for part in averaging])
        self._K, self._M, self._n = K, M, n
        springs = np.empty(0, dtype=np.intp) if rigid else _unknowns(_spread(nodes))
        stiffness = K.diagonal().mean()
        B = sparse.csr_matrix((np.ones(springs.size), (np.arange(springs.size), springs)), shape=(springs.size, n))
        K_s = K + stiffness * (B.T @ B)
        try:
            self._factor = SparseCholesky(K_s[self._free][:, self._free].tocsc(), *_points_of(self._free, nodes))
        except np.linalg.LinAlgError:
            raise InputError("reduce: the stiffness of the mesh is singular: a part of it is not connected") from None
        self._C = sparse.vstack([self._A, B]).tocsr()[:, self._free]
        self._W = self._factor.solve(self._C.T.toarray())
        given_back = np.concatenate([np.zeros(self._A.shape[0]), np.full(springs.size, 1.0 / stiffness)])
        self._CW = self._C @ self._W - np.diag(given_back)

    def _solve(self, f: Array, q: Array | None = None) -> Array:
        """Displacements (free, k) under forces f (free, k) and motions q (averages, k), 0 if not given."""
        x = self._factor.solve(f)
        if not self._C.shape[0]:
            return x
        target = -(self._C @ x)
        if q is not None:
            target[: len(q)] += q
        found: Array = x + self._W @ np.linalg.solve(self._CW, target)
        return found

    def vectors(self, count: int) -> Array:
        """(3n, 6 interfaces + count)"""
        of_rigid, of_averages = self._moved.shape[1], self._A.shape[0]
        static = np.zeros((self._n, of_rigid + of_averages))
        static[:, :of_rigid] = self._moved
        f = -(self._K @ static)[self._free]
        q = -(self._A @ static)
        q[:, of_rigid:] += np.eye(of_averages)
        static[self._free] = self._solve(f, q)
        if not count:
            return static
        unknowns = self._free.size - of_averages
        if count >= unknowns:
            raise InputError(f"reduce: modes is {count}, and the mesh has {self._free.size} unknowns between interfaces")
        fixed = np.zeros((self._n, count))
        fixed[self._free] = lowest_modes(self._solve, self._M[self._free][:, self._free], count, unknowns)
        return np.hstack([static, fixed])

    def responses(self, f: Array) -> Array:
        """(3n, k): displacements under forces f (3n, k) with all interfaces held."""
        found = np.zeros(f.shape)
        found[self._free] = self._solve(f[self._free])
        return found


def lowest_modes(solve: Callable[[Array], Array], M: Any, count: int, unknowns: int) -> Array:
    """(n, count): the lowest modes of a body whose displacements under forces (n, k) `solve` gives.

    Rayleigh and Ritz in the space of X, S X, S^2 X ... with S = K^-1 M and a random block X: block Lanczos with full
    orthogonalisation (R. G. Grimes, J. G. Lewis, H. D. Simon, SIAM J. Matrix Anal. Appl. 15 (1994) 228-272). `unknowns`
    is the number of displacements that are independent. Raises InputError where it does not converge.
    """
    X = solve(np.random.default_rng(0).standard_normal((M.shape[0], min(count + EXTRA_VECTORS, unknowns))))
    X, MX = _orthonormal(X, M @ X)
    V: list[Array] = []  # blocks, orthonormal with respect to M
    MV: list[Array] = []
    T = np.zeros((0, 0))  # V^T M S V
    for _ in range(MAX_BLOCKS):
        if not X.shape[1]:
            break
        V.append(X)
        MV.append(MX)
        rest = solve(MX)
        columns = np.vstack([block.T @ rest for block in MV])
        T = np.block([[T, columns[: len(T)]], [columns[: len(T)].T, columns[len(T) :]]])
        inverses, shapes = np.linalg.eigh(0.5 * (T + T.T))  # of squares of frequencies
        inverses, shapes = inverses[::-1][:count], shapes[:, ::-1][:, :count]
        for _ in range(2):  # one pass leaves round-off
            for block, product in zip(V, MV, strict=True):
                rest = rest - block @ (product.T @ rest)
        M_rest = M @ rest
        # S V y - y / w^2 of a mode V y is what `rest` is of it.
        last = shapes[-X.shape[1] :]
        error = np.sqrt(np.maximum(0, np.einsum("ij,ik,kj->j", last, rest.T @ M_rest, last)))
        room = unknowns - len(T)
        if room == 0 or (len(inverses) == count and (error <= MODE_ERROR * inverses).all()):
            parts = np.split(shapes, np.cumsum([block.shape[1] for block in V])[:-1])
            return np.asarray(sum(block @ part for block, part in zip(V, parts, strict=True)))
        X, MX = (found[:, :room] for found in _orthonormal(rest, M_rest))
    raise InputError(f"reduce: the {count} lowest modes do not converge: too many, or too many of one frequency")


def _orthonormal(X: Array, MX: Array) -> tuple[Array, Array]:
    """Combinations of X and of MX = M X that are orthonormal with respect to M; twice, since one pass leaves round-off."""
    for _ in range(2):
        if not X.any():
            return X[:, :0], MX[:, :0]
        size = np.sqrt(np.maximum(0, np.einsum("ij,ij->j", X, MX)))
        X, MX = X[:, size > 0] / size[size > 0], MX[:, size > 0] / size[size > 0]
        squares, turned = np.linalg.eigh(X.T @ MX)
        kept = squares > ROUNDING * squares[-1]
        turned = turned[:, kept] / np.sqrt(squares[kept])
        X, MX = X @ turned, MX @ turned
    return X, MX


def _spread(nodes: Array) -> npt.NDArray[np.intp]:
    """Three nodes that are far from a line."""
    first = np.argmax(np.linalg.norm(nodes - nodes.mean(axis=0), axis=1))
    d = nodes - nodes[first]
    second = np.argmax(np.linalg.norm(d, axis=1))
    along = d[second] / np.linalg.norm(d[second])
    third = np.argmax(np.linalg.norm(d - np.outer(d @ along, along), axis=1))
    return np.array([first, second, third])


def _points_of(unknowns: Any, nodes: Array) -> tuple[npt.NDArray[np.intp], Array]:
    """The point of each unknown, and the places of the points."""
    points, owner = np.unique(unknowns // 3, return_inverse=True)
    return owner, nodes[points]


def _unknowns(nodes: Any) -> Any:
    return (3 * nodes[:, None] + np.arange(3)).ravel()


def averages(part: _Interface, nodes: Array) -> Any:
    """(6, 3n) sparse: displacement of an interface's position, and rotation, from the displacements of its nodes."""
    import scipy.sparse as sparse

    w, places = part.weights, nodes[part.nodes]
    middle = w @ places
    d = places - middle
    J = np.einsum("a,ai,aj->ij", w, d, d)
    J = np.trace(J) * np.eye(3) - J
    turn = np.einsum("ij,a,ajk->iak", np.linalg.inv(J), w, _cross_matrices(d)).reshape(3, -1)
    shift = np.kron(w, np.eye(3)) - _cross_matrices((part.position - middle)[None])[0] @ turn
    values = np.vstack([shift, turn])
    columns = np.tile(_unknowns(part.nodes), RIGID_MOTIONS)
    rows = np.repeat(np.arange(RIGID_MOTIONS), values.shape[1])
    return sparse.csc_matrix((values.ravel(), (rows, columns)), shape=(RIGID_MOTIONS, nodes.size))


def _free_modes(M: Any, K: Any, basis: Array) -> tuple[Array, Array]:
    """Squares of the frequencies (k), rad^2/s^2, and modes (3n, k), orthonormal with respect to M, of the free body in
    the space of a basis, the six rigid motions first."""
    import scipy.linalg

    size = np.sqrt(np.einsum("ij,ij->j", basis, M @ basis))
    basis = basis / size
    mass = basis.T @ (M @ basis)
    # Static modes may be nearly linearly dependent: directions without mass are left out.
    values, turned = scipy.linalg.eigh(0.5 * (mass + mass.T))
    kept = values > 1e-10 * values[-1]
    basis = basis @ (turned[:, kept] / np.sqrt(values[kept]))
    stiffness = basis.T @ (K @ basis)
    squares, shapes = scipy.linalg.eigh(0.5 * (stiffness + stiffness.T))
    return squares, basis @ shapes


def _diagonalize(M: Any, K: Any, basis: Array, parts: list[_Interface], nodes: Array) -> ReducedBody:
    squares, vectors = _free_modes(M, K, basis)
    if squares.size <= RIGID_MOTIONS:
        raise InputError(
            "reduce: one interface and no modes leave nothing that deforms: expected another interface or modes"
        )
    smallest = squares[RIGID_MOTIONS]
    if squares[RIGID_MOTIONS - 1] > RIGID * smallest or smallest < ROUNDING * squares[-1]:
        raise InputError("reduce: the stiffness resists rigid motions, or does not resist another one")
    vectors = vectors[:, RIGID_MOTIONS:]
    total, center, inertia = _rigid_body(M, nodes)
    r0 = nodes - center
    rigid = _rigid_motions(nodes, center)
    gram = rigid.T @ (M @ rigid)
    vectors -= rigid @ np.linalg.solve(gram, rigid.T @ (M @ vectors))
    vectors *= np.sqrt(total) / np.sqrt(np.einsum("ij,ij->j", vectors, M @ vectors))
    angular = np.sqrt(squares[RIGID_MOTIONS:])
    arrays: dict[str, Any] = _invariants(M, r0, vectors)
    arrays |= {"mass": total, "center_of_mass": center, "inertia": _six(inertia), "frequencies": angular}
    arrays |= _at_interfaces(parts, nodes, vectors)
    modes = np.ascontiguousarray(vectors.T.reshape(-1, len(nodes), 3))
    names = tuple(part.name for part in parts)
    return ReducedBody(total, center, inertia, angular / (2 * np.pi), modes, names, nodes, arrays)


def _stresses_of_loads(
    M: Any, K: Any, basis: _Basis, vectors: Array, body: ReducedBody, parts: list[_Interface]
) -> tuple[Array, Array]:
    """Displacements (6, n, 3) of the free body by centrifugal loads, those of wx wx, wy wy, wz wz, wx wy, wx wz, wy wz
    = 1 s^-2, and (p, 3, n, 3) by unit forces at interfaces, each with the inertial forces that balance it.

    Loads and inertial forces are sums of M e_j and M r_i e_j. With the displacements that these cause while interfaces
    are held, the basis contains the displacements of the free body exactly.
    """
    n = len(body.nodes)
    r0 = body.nodes - body.center_of_mass
    fields = np.zeros((n, 3, 12))
    for j in range(3):
        fields[:, j, j] = 1.0
        for i in range(3):
            fields[:, j, 3 + 3 * i + j] = r0[:, i]  # r_i e_j
    f = M @ fields.reshape(3 * n, 12)
    squares, free = _free_modes(M, K, np.hstack([vectors, basis.responses(f)]))
    squares, free = squares[RIGID_MOTIONS:], free[:, RIGID_MOTIONS:]

    def product(i: int, j: int) -> Array:
        load: Array = f[:, 3 + 3 * i + j]
        return load

    # w.w r - w (w.r)
    centrifugal = [product((a + 1) % 3, (a + 1) % 3) + product((a + 2) % 3, (a + 2) % 3) for a in range(3)]
    centrifugal += [-product(a, b) - product(b, a) for a, b in ((0, 1), (0, 2), (1, 2))]
    at_interfaces = [averages(part, body.nodes)[:3].toarray().T for part in parts]
    loads = np.hstack([np.stack(centrifugal, axis=1), *at_interfaces])
    displacements = (free @ ((free.T @ loads) / squares[:, None])).T.reshape(-1, n, 3)
    return displacements[:6], displacements[6:].reshape(-1, 3, n, 3)


def _stiffen(body: ReducedBody, loaded: tuple[Array, Array]) -> None:
    """Adds the geometric stiffness due to rotation and to forces at interfaces (reduced_body.h, (8))."""
    assert body._mesh is not None and body._material is not None
    by_rotation, by_forces = loaded
    k, p = len(body.modes), len(by_forces)
    displacements = np.concatenate([by_rotation, by_forces.reshape(-1, *by_rotation.shape[1:])])
    stiffness = geometric_stiffness_of(body._mesh, body._material, displacements, body.modes)
    shares = np.array([1.0, 1.0, 1.0, 0.5, 0.5, 0.5])  # of an element of the inertia matrix and of its twin
    body._arrays["inertia_by_modes"] = body._arrays["inertia_by_modes"] - np.moveaxis(stiffness[:6], 0, -1) * shares
    body._arrays["second_shifts"] = -np.ascontiguousarray(
        stiffness[6:].reshape(p, 3, k, k).transpose(0, 2, 3, 1)
    )


def _rigid_body(M: Any, nodes: Array) -> tuple[float, Array, Array]:
    about_origin = _rigid_motions(nodes, np.zeros(3))
    gram = about_origin.T @ (M @ about_origin)
    total = float(np.trace(gram[:3, :3]) / 3)
    if not total > 0:
        raise InputError(f"reduce: the mass of the mesh is {total:g} kg; expected a positive one")
    weighted = gram[:3, 3:] / total  # -[c x]
    center = np.array(
        [weighted[1, 2] - weighted[2, 1], weighted[2, 0] - weighted[0, 2], weighted[0, 1] - weighted[1, 0]]
    )
    about_center = _rigid_motions(nodes, 0.5 * center)
    inertia = about_center[:, 3:].T @ (M @ about_center[:, 3:])
    return total, 0.5 * center, inertia


def _six(matrix: Array) -> Array:
    """The elements xx, yy, zz, xy, xz, yz of symmetric matrices (..., 3, 3)."""
    i, j = [0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]
    return np.ascontiguousarray(matrix[..., i, j])


def _invariants(M: Any, r0: Array, vectors: Array) -> dict[str, Any]:
    """(4) of reduced_body.h, by sums over nodes of displacements and their products with the mass matrix."""
    k, n = vectors.shape[1], len(r0)
    phi = vectors.T.reshape(k, n, 3)
    mass_phi = (M @ vectors).T.reshape(k, n, 3)

    def along(second: Array) -> Array:  # second moments: a.b 1 - (a b^T + b a^T)/2
        symmetric = 0.5 * (second + np.swapaxes(second, -1, -2))
        along_all: Array = np.trace(symmetric, axis1=-2, axis2=-1)[..., None, None] * np.eye(3) - symmetric
        return along_all

    by_mode = along(2 * np.einsum("na,inb->iab", r0, mass_phi))
    second = np.tensordot(phi, mass_phi, axes=(1, 1)).transpose(0, 2, 1, 3)  # (i, j, a, b)
    second = 0.5 * (second + second.transpose(1, 0, 3, 2))
    g = np.stack(
        [
            second[..., 1, 2] - second[..., 2, 1],
            second[..., 2, 0] - second[..., 0, 2],
            second[..., 0, 1] - second[..., 1, 0],
        ],
        axis=-1,
    )
    both = along(second)
    return {
        "inertia_by_mode": _six(by_mode),
        "inertia_by_modes": _six(0.5 * (both + both.transpose(1, 0, 2, 3))),
        "angular_momentum_by_modes": np.ascontiguousarray(0.5 * (g - g.transpose(1, 0, 2))),
    }


def _at_interfaces(parts: list[_Interface], nodes: Array, vectors: Array) -> dict[str, Any]:
    motions = np.array([averages(part, nodes) @ vectors for part in parts])  # (p, 6, k)
    return {
        "names": [part.name for part in parts],
        "positions": np.array([part.position for part in parts]),
        "axes": np.array([part.axes for part in parts]),
        "shifts": np.ascontiguousarray(motions[:, :3].transpose(0, 2, 1)),
        "turns": np.ascontiguousarray(motions[:, 3:].transpose(0, 2, 1)),
    }
