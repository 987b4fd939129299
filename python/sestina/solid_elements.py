"""Tetrahedra of four and ten nodes: mass and stiffness of linear elasticity, with three unknowns for each node."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .errors import InputError
from .step_files import is_step, read_step

if TYPE_CHECKING:
    import numpy.typing as npt

    Array = npt.NDArray[np.float64]
    Numbers = npt.NDArray[np.intp]

#: Ends of the edges on which nodes 4 to 9 stand, in the order of meshio, Gmsh and Abaqus.
EDGES = ((0, 1), (1, 2), (0, 2), (0, 3), (1, 3), (2, 3))
#: Corners of the faces, and the edges of each.
FACES = ((0, 1, 2), (0, 1, 3), (1, 2, 3), (0, 2, 3))
#: Elements whose matrices are formed at once.
CHUNK = 20_000
#: Order of the rules for the matrices of elements of four and ten nodes.
MASS_ORDER, STIFFNESS_ORDER = {4: 2, 10: 3}, {4: 1, 10: 2}


@dataclass(frozen=True)
class Mesh:
    """A mesh of one kind of tetrahedron, with the nodes that it uses."""

    nodes: Array  #: (n, 3) m
    elements: Numbers  #: (e, 4) or (e, 10)


def to_mesh(given: Any, mesh_size: float | None = None) -> Mesh:
    """A mesh from a file or from arrays; mesh_size: for a STEP file, m. Raises InputError if it is none.
    """
    is_file = isinstance(given, (str, os.PathLike))
    if is_file and is_step(given):
        nodes, elements = read_step(given, mesh_size)
    elif mesh_size is not None:
        raise InputError("reduce: mesh_size is for STEP files (.step, .stp); this mesh has its own")
    else:
        nodes, elements = _read(given) if is_file else _from_arrays(given)
    if not np.isfinite(nodes).all():
        raise InputError("reduce: the nodes of the mesh are not finite")
    if elements.size == 0:
        raise InputError("reduce: the mesh has no tetrahedra of four or ten nodes")
    if elements.min() < 0 or elements.max() >= len(nodes):
        raise InputError(f"reduce: an element has the node {elements.max()}; the nodes are 0 to {len(nodes) - 1}")
    if len(np.unique(elements)) != len(nodes):
        raise InputError(f"reduce: {len(nodes) - len(np.unique(elements))} nodes belong to no element")
    volume = _volumes(nodes, elements)
    flat = np.flatnonzero(np.abs(volume) <= 1e-12 * np.abs(volume).max())
    if flat.size:
        raise InputError(f"reduce: element {flat[0]} is flat")
    turned = volume < 0
    if turned.any():  # exchanges the first two corners, and the edges from them to the others
        order = [1, 0, 2, 3] + ([4, 6, 5, 8, 7, 9] if elements.shape[1] == 10 else [])
        elements = elements.copy()
        elements[turned] = elements[turned][:, order]
    _check_unfolded(nodes, elements)
    return Mesh(nodes, elements)


def _check_unfolded(nodes: Array, elements: Numbers) -> None:
    """Nodes on edges in another order, or far from the middle, fold an element: its volume is negative at a point."""
    if elements.shape[1] == 4:
        return
    _, derivatives, _ = _shapes_at(MASS_ORDER[10], 10)
    for first in range(0, len(elements), CHUNK):
        places = nodes[elements[first : first + CHUNK]]
        folded = [np.linalg.det(_by_barycentric(places, dN)) <= 0 for dN in derivatives]
        found = np.flatnonzero(np.any(folded, axis=0))
        if found.size:
            edges = ", ".join(f"{a}-{b}" for a, b in EDGES)
            raise InputError(
                f"reduce: element {first + found[0]} is folded: its nodes 4 to 9 have to be near the middle of its "
                f"edges {edges}, in this order"
            )


def _from_arrays(given: Any) -> tuple[Array, Numbers]:
    try:
        nodes, elements = given
        nodes, elements = np.ascontiguousarray(nodes, dtype=float), np.asarray(elements)
    except (TypeError, ValueError):
        raise InputError("reduce: mesh is neither a file nor nodes (n, 3) and tetrahedra (e, 4) or (e, 10)") from None
    shapes = f"{nodes.shape} and {elements.shape}"
    if nodes.ndim != 2 or nodes.shape[1] != 3 or elements.ndim != 2 or elements.shape[1] not in (4, 10):
        raise InputError(f"reduce: nodes and elements have the shapes {shapes}; expected (n, 3) and (e, 4) or (e, 10)")
    if not np.issubdtype(elements.dtype, np.integer):
        raise InputError("reduce: the nodes of elements are not whole numbers")
    return nodes, elements.astype(np.intp)


def _read(path: str | os.PathLike[str]) -> tuple[Array, Numbers]:
    try:
        import meshio
    except ImportError:
        raise ImportError("reading a mesh needs meshio: pip install meshio") from None
    if not os.path.isfile(path):
        raise InputError(f"reduce: {os.fspath(path)} is not a file")
    try:
        mesh = meshio.read(path)
    except (Exception, SystemExit) as error:  # meshio raises exceptions of any kind, and for some files ends the program
        raise InputError(f"reduce: {os.fspath(path)} cannot be read as a mesh: {error}") from None
    kinds = [kind for kind in ("tetra10", "tetra") if kind in mesh.cells_dict]
    if len(kinds) != 1:
        raise InputError(
            f"reduce: {os.fspath(path)} has {sorted(mesh.cells_dict)}; expected tetra or tetra10, one of both"
        )
    elements = mesh.cells_dict[kinds[0]].astype(np.intp)
    used, elements = np.unique(elements, return_inverse=True)
    shape = mesh.cells_dict[kinds[0]].shape
    return np.ascontiguousarray(mesh.points[used, :3], dtype=float), elements.reshape(shape)


def _volumes(nodes: Array, elements: Numbers) -> Array:
    edges = nodes[elements[:, 1:4]] - nodes[elements[:, :1]]
    return np.asarray(np.linalg.det(edges) / 6)


def _quadrature(order: int) -> tuple[Array, Array]:
    """Points (p, 4) in barycentric coordinates and weights (p), sum 1: Gauss-Jacobi rules along three axes that
    integrate polynomials of degree 2 order - 1 exactly."""
    from scipy.special import roots_jacobi

    axes = []
    for power in (2, 1, 0):
        x, w = roots_jacobi(order, power, 0)
        axes.append((0.5 * (x + 1), w / w.sum()))
    (a, wa), (b, wb), (c, wc) = axes
    A, B, C = np.meshgrid(a, b, c, indexing="ij")
    points = np.stack([A, (1 - A) * B, (1 - A) * (1 - B) * C], axis=-1).reshape(-1, 3)
    weights = np.einsum("i,j,k->ijk", wa, wb, wc).ravel()
    return np.hstack([1 - points.sum(axis=1, keepdims=True), points]), weights


def _shapes(barycentric: Array, corners: int) -> tuple[Array, Array]:
    """Shape functions (p, m) and their derivatives (p, m, 4) with respect to the barycentric coordinates."""
    p = len(barycentric)
    if corners == 4:
        return barycentric, np.broadcast_to(np.eye(4), (p, 4, 4)).copy()
    L = barycentric
    N, dN = np.zeros((p, 10)), np.zeros((p, 10, 4))
    for i in range(4):
        N[:, i] = L[:, i] * (2 * L[:, i] - 1)
        dN[:, i, i] = 4 * L[:, i] - 1
    for k, (i, j) in enumerate(EDGES, start=4):
        N[:, k] = 4 * L[:, i] * L[:, j]
        dN[:, k, i], dN[:, k, j] = 4 * L[:, j], 4 * L[:, i]
    return N, dN


def _material(given: Mapping[str, float]) -> tuple[float, float, float]:
    if set(given) != {"E", "nu", "density"}:
        raise InputError(f"reduce: material has {sorted(given)}; expected E (Pa), nu and density (kg/m^3)")
    E, nu, density = (float(given[key]) for key in ("E", "nu", "density"))
    if not (np.isfinite(E) and E > 0):
        raise InputError(f"reduce: material.E is {E:g} Pa; expected a positive number")
    if not -1 < nu < 0.5:
        raise InputError(f"reduce: material.nu is {nu:g}; allowed: above -1 and below 0.5")
    if not (np.isfinite(density) and density > 0):
        raise InputError(f"reduce: material.density is {density:g} kg/m^3; expected a positive number")
    return E, nu, density


def assemble(mesh: Mesh, material: Mapping[str, float]) -> tuple[Any, Any]:
    """Mass and stiffness (3n, 3n), sparse."""
    import scipy.sparse as sparse

    E, nu, density = _material(material)
    lame, shear = E * nu / ((1 + nu) * (1 - 2 * nu)), E / (2 * (1 + nu))
    m, n = mesh.elements.shape[1], len(mesh.nodes)
    mass_rule = _shapes_at(MASS_ORDER[m], m)
    stiffness_rule = _shapes_at(STIFFNESS_ORDER[m], m)
    M = sparse.csc_matrix((n, n))
    K = sparse.csc_matrix((3 * n, 3 * n))
    for first in range(0, len(mesh.elements), CHUNK):
        elements = mesh.elements[first : first + CHUNK]
        places = mesh.nodes[elements]
        own_mass, own_stiffness = _element_matrices(places, mass_rule, stiffness_rule, density, lame, shear)
        M = M + _scatter(own_mass, elements, n)
        K = K + _scatter(own_stiffness, _three(elements), 3 * n)
    return sparse.kron(M, np.eye(3), format="csc"), K


def _shapes_at(order: int, m: int) -> tuple[Array, Array, Array]:
    points, weights = _quadrature(order)
    return (*_shapes(points, m), weights)


def _by_barycentric(places: Array, dN: Array) -> Array:
    """(e, 3, 3): derivatives of x, y, z with respect to the last three barycentric coordinates, at a point."""
    derivatives = np.einsum("eai,ab->eib", places, dN)  # (e, 3, 4)
    return np.asarray(derivatives[:, :, 1:] - derivatives[:, :, :1])


def _jacobians(places: Array, dN: Array) -> tuple[Array, Array]:
    """The derivatives of shape functions with respect to x, y, z (e, m, 3), and the volume's factor (e), at a point."""
    J = _by_barycentric(places, dN)
    by_own = dN[:, 1:] - dN[:, :1]
    return np.einsum("ab,ebi->eai", by_own, np.linalg.inv(J)), np.linalg.det(J) / 6


def _element_matrices(
    places: Array, mass_rule: Any, stiffness_rule: Any, density: float, lame: float, shear: float
) -> tuple[Array, Array]:
    e, m = places.shape[:2]
    mass = np.zeros((e, m, m))
    for N, dN, weight in zip(*mass_rule, strict=True):
        volume = _jacobians(places, dN)[1]
        mass += (density * weight * volume)[:, None, None] * np.outer(N, N)
    points = [(*_jacobians(places, dN), weight) for _, dN, weight in zip(*stiffness_rule, strict=True)]
    gradients = np.stack([gradient.reshape(e, 3 * m) for gradient, _, _ in points], axis=1)
    weighted = gradients * np.stack([weight * volume for _, volume, weight in points], axis=1)[:, :, None]
    products = (gradients.transpose(0, 2, 1) @ weighted).reshape(e, m, 3, m, 3)  # int N_a,i N_b,j dV
    stiffness = lame * products + shear * products.transpose(0, 1, 4, 3, 2)
    dots = products[:, :, 0, :, 0] + products[:, :, 1, :, 1] + products[:, :, 2, :, 2]
    for i in range(3):
        stiffness[:, :, i, :, i] += shear * dots
    return mass, stiffness.reshape(e, 3 * m, 3 * m)


def _three(elements: Numbers) -> Numbers:
    return (3 * elements[:, :, None] + np.arange(3)).reshape(len(elements), -1)


def _scatter(blocks: Array, unknowns: Numbers, size: int) -> Any:
    import scipy.sparse as sparse

    m = unknowns.shape[1]
    rows, columns = np.repeat(unknowns, m, axis=1).ravel(), np.tile(unknowns, (1, m)).ravel()
    return sparse.csc_matrix((blocks.ravel(), (rows, columns)), shape=(size, size))


def surface_weights(mesh: Mesh, chosen: Numbers) -> Array:
    """Weights (sum 1) of nodes: the fraction of the surface that belongs to each, or equal weights if the nodes form no
    surface. A face of six nodes belongs to the three on its edges."""
    is_chosen = np.zeros(len(mesh.nodes), dtype=bool)
    is_chosen[chosen] = True
    weights = np.zeros(len(mesh.nodes))
    middles = {frozenset(edge): k for k, edge in enumerate(EDGES, start=4)}
    for face in FACES:
        corners = mesh.elements[:, face]
        own = is_chosen[corners].all(axis=1)
        a, b, c = (mesh.nodes[corners[own, i]] for i in range(3))
        area = 0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=1)
        carriers = corners[own]
        if mesh.elements.shape[1] == 10:
            edges = [middles[frozenset((face[i], face[j]))] for i, j in ((0, 1), (1, 2), (0, 2))]
            carriers = mesh.elements[own][:, edges]
        for i in range(3):
            np.add.at(weights, carriers[:, i], area / 3)
    weights = weights[chosen]
    return weights / weights.sum() if weights.sum() > 0 else np.full(len(chosen), 1.0 / len(chosen))


def _stress(gradient: Array, material: Mapping[str, float]) -> Array:
    """(..., 3, 3) Pa, for gradients (..., 3, 3) of the displacement."""
    E, nu, _ = _material(material)
    lame, shear = E * nu / ((1 + nu) * (1 - 2 * nu)), E / (2 * (1 + nu))
    strain = 0.5 * (gradient + np.swapaxes(gradient, -1, -2))
    trace = np.trace(strain, axis1=-2, axis2=-1)[..., None, None]
    stress: Array = lame * trace * np.eye(3) + 2 * shear * strain
    return stress


def geometric_stiffness(mesh: Mesh, material: Mapping[str, float], loaded: Array, modes: Array) -> Array:
    """(l, k, k) N/m: int sigma_l : (grad phi_i)^T grad phi_j dV, the work of the stresses that displacements `loaded`
    (l, n, 3) cause, on the strains of second order in amplitudes of the modes phi (k, n, 3)."""
    m = mesh.elements.shape[1]
    _, derivatives, weights = _shapes_at(STIFFNESS_ORDER[m], m)
    found = np.zeros((len(loaded), len(modes), len(modes)))
    for first in range(0, len(mesh.elements), CHUNK):
        elements = mesh.elements[first : first + CHUNK]
        for dN, weight in zip(derivatives, weights, strict=True):
            gradient, volume = _jacobians(mesh.nodes[elements], dN)
            of_modes = np.einsum("keai,eaj->jeik", modes[:, elements], gradient).reshape(3, -1, len(modes))
            for load, displacements in enumerate(loaded):
                stress = _stress(np.einsum("eai,eaj->eij", displacements[elements], gradient), material)
                stress *= (weight * volume)[:, None, None]
                for a in range(3):
                    moved = sum(np.repeat(stress[:, a, b], 3)[:, None] * of_modes[b] for b in range(3))
                    found[load] += of_modes[a].T @ moved
    return found


def nodal_stresses(mesh: Mesh, material: Mapping[str, float], displacements: Array) -> Array:
    """Stresses (n, 6) in Pa, xx, yy, zz, xy, xz, yz in the mesh's axes, for displacements (n, 3) in m.

    In elements of ten nodes they are taken at four Gauss points and continued to the nodes; at a node they are the mean
    of the elements around it, weighted by their volumes.
    """
    m = mesh.elements.shape[1]
    a, b = (5 + 3 * np.sqrt(5)) / 20, (5 - np.sqrt(5)) / 20
    points = np.full((4, 4), b) + (a - b) * np.eye(4) if m == 10 else np.full((1, 4), 0.25)
    places, moved = mesh.nodes[mesh.elements], displacements[mesh.elements]
    at_points = []
    for dN in _shapes(points, m)[1]:
        gradient = np.einsum("eai,eaj->eij", moved, _jacobians(places, dN)[0])
        stress = _stress(gradient, material)
        at_points.append(stress[:, [0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]])
    values = np.stack(at_points, axis=1)  # (e, points, 6)
    if m == 10:
        corners = np.einsum("ij,ejs->eis", np.linalg.inv(points), values)
        middles = np.stack([0.5 * (corners[:, i] + corners[:, j]) for i, j in EDGES], axis=1)
        values = np.concatenate([corners, middles], axis=1)
    else:
        values = np.repeat(values, 4, axis=1)
    volumes = _volumes(mesh.nodes, mesh.elements)
    total, weight = np.zeros((len(mesh.nodes), 6)), np.zeros(len(mesh.nodes))
    np.add.at(total, mesh.elements, values * volumes[:, None, None])
    np.add.at(weight, mesh.elements, np.repeat(volumes[:, None], m, axis=1))
    means: Array = total / weight[:, None]
    return means
