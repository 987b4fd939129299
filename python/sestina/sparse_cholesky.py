"""Sparse Cholesky factors of stiffness matrices of meshes, by nested dissection and dense fronts.

The points of a mesh are cut in two halves along their longest direction. The fewest points that separate the halves, the
separator, are eliminated after both (A. George, Nested dissection of a regular finite element mesh, SIAM J. Numer.
Anal. 10 (1973) 345-363). The matrix of a piece is eliminated in a dense front, whose remainder is added to the front of the
piece that separates it from another one (I. S. Duff, J. K. Reid, The multifrontal solution of indefinite sparse symmetric
linear equations, ACM Trans. Math. Software 9 (1983) 302-325); LAPACK and BLAS do the arithmetic.

scipy's SuperLU factors an unsymmetric matrix and offers only minimum-degree ordering, which causes fill-in for solid
bodies; docs/reduced_bodies.md has the times of both.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    Array = npt.NDArray[np.float64]
    Numbers = npt.NDArray[np.intp]
    Chosen = npt.NDArray[np.bool_]

#: Pieces of fewer points are not cut further.
SMALLEST_PIECE = 80
#: Cuts that are tried, as the fraction of the points before them; the one with the smallest separator is taken.
CUTS = (0.42, 0.46, 0.5, 0.54, 0.58)


@dataclass(frozen=True)
class _Piece:
    points: Numbers  # that are eliminated here
    children: tuple[int, ...]  # pieces that are eliminated before


@dataclass(frozen=True)
class _Front:
    first: int  # unknowns first to end, in the order of elimination
    end: int
    later: Numbers  # later unknowns that are coupled with them
    L: Array  # lower triangular
    below: Array  # (later, end - first)


class SparseCholesky:
    """A = L L^T of a symmetric positive definite matrix in scipy's sparse columns.

    Its unknown i belongs to the point owner[i] of `places` (n, 3). Raises numpy.linalg.LinAlgError where A is not
    positive definite.
    """

    def __init__(self, A: Any, owner: Numbers, places: Array) -> None:
        pieces = dissect(_graph_of_points(A, owner, len(places)), places)
        by_owner = np.argsort(owner, kind="stable")
        starts = np.searchsorted(owner[by_owner], np.arange(len(places) + 1))
        unknowns = [by_owner[_ranges(starts[p.points], starts[p.points + 1])] for p in pieces]
        self._order = np.concatenate(unknowns)
        ordered = A[self._order][:, self._order].tocsc()
        ordered.sort_indices()
        self._fronts: list[_Front] = []
        rests: dict[int, Array] = {}  # remainders of fronts of pieces whose parent comes later
        place = np.empty(len(owner), dtype=np.intp)  # of unknowns in the front
        first = 0
        for number, (piece, own) in enumerate(zip(pieces, unknowns, strict=True)):
            children = [(self._fronts[child].later, rests.pop(child)) for child in piece.children]
            front, rests[number] = _eliminate(ordered, first, first + len(own), children, place)
            self._fronts.append(front)
            first = front.end

    def solve(self, f: Array) -> Array:
        """A^-1 f for f (n) or (n, k)."""
        from scipy.linalg import blas  # for all products: numpy's own BLAS has threads of its own, which would compete

        x = np.asfortranarray(f[self._order].reshape(len(f), -1), dtype=float)
        for front in self._fronts:
            own = blas.dtrsm(1.0, front.L, x[front.first : front.end], lower=1)
            x[front.first : front.end] = own
            x[front.later] += blas.dgemm(-1.0, front.below, own)
        for front in reversed(self._fronts):
            own = x[front.first : front.end] + blas.dgemm(-1.0, front.below, x[front.later], trans_a=1)
            x[front.first : front.end] = blas.dtrsm(1.0, front.L, own, lower=1, trans_a=1)
        found = np.empty_like(x)
        found[self._order] = x
        return found.reshape(f.shape)

    @property
    def entries(self) -> int:
        """Numbers that L consists of."""
        return sum(front.L.size + front.below.size for front in self._fronts)


def _eliminate(
    A: Any, first: int, end: int, children: list[tuple[Numbers, Array]], place: Numbers
) -> tuple[_Front, Array]:
    """The front of unknowns first to end, and its remainder for later ones. `place` (n) is scratch."""
    from scipy.linalg import blas, lapack

    count = end - first
    entries = slice(A.indptr[first], A.indptr[end])
    rows, values = A.indices[entries], A.data[entries]
    columns = np.repeat(np.arange(count), np.diff(A.indptr[first : end + 1]))
    kept = rows >= first
    rows, values, columns = rows[kept], values[kept], columns[kept]
    met = np.concatenate([rows, *(unknowns for unknowns, _ in children)])
    later = np.unique(met[met >= end]).astype(np.intp)
    place[first:end] = np.arange(count)
    place[later] = np.arange(len(later))
    own, below, rest = (np.zeros(shape, order="F") for shape in ((count,) * 2, (len(later), count), (len(later),) * 2))
    is_own = rows < end
    own[place[rows[is_own]], columns[is_own]] = values[is_own]
    below[place[rows[~is_own]], columns[~is_own]] = values[~is_own]
    for unknowns, left in children:  # of which the lower triangle counts
        k = np.searchsorted(unknowns, end)  # unknowns of the child that are eliminated here
        here, there = place[unknowns[:k]], place[unknowns[k:]]
        own[np.ix_(here, here)] += left[:k, :k]
        below[np.ix_(there, here)] += left[k:, :k]
        rest[np.ix_(there, there)] += left[k:, k:]
    L, failed = lapack.dpotrf(own, lower=1, overwrite_a=1)
    if failed:
        raise np.linalg.LinAlgError("the matrix is not positive definite")
    if len(later):
        below = blas.dtrsm(1.0, L, below, side=1, lower=1, trans_a=1, overwrite_b=1)
        rest = blas.dsyrk(-1.0, below, beta=1.0, c=rest, lower=1, overwrite_c=1)
    return _Front(first, end, later, L, below), rest


def dissect(graph: Any, places: Array) -> list[_Piece]:
    """Pieces in an order of elimination, for points whose neighbours a sparse symmetric matrix defines."""
    pieces: list[_Piece] = []

    def cut(points: Numbers) -> int:
        halves: tuple[Numbers, ...] = ()
        if len(points) > SMALLEST_PIECE:
            separator, *both = _parted(graph[points][:, points], places[points])
            if all(len(half) for half in both):
                halves = tuple(points[half] for half in both)
                points = points[separator]
        children = tuple(cut(half) for half in halves)
        pieces.append(_Piece(points, children))
        return len(pieces) - 1

    cut(np.arange(len(places)))
    return pieces


def _parted(graph: Any, places: Array) -> tuple[Numbers, Numbers, Numbers]:
    """Separator and halves, as numbers of the points of `graph`."""
    from_middle = places - places.mean(axis=0)
    longest = np.linalg.eigh(from_middle.T @ from_middle)[1][:, -1]
    along = np.argsort(from_middle @ longest, kind="stable")
    best: tuple[Numbers, Numbers, Numbers] | None = None
    for part in CUTS:
        count = int(part * len(along))
        before, after = along[:count], along[count:]
        edges = graph[before][:, after]
        left = np.flatnonzero(np.diff(edges.indptr))
        right = np.unique(edges.indices)
        of_left, of_right = smallest_cover(edges[left][:, right])
        separator = np.concatenate([before[left[of_left]], after[right[of_right]]])
        if best is None or len(separator) < len(best[0]):
            best = separator, np.setdiff1d(before, separator), np.setdiff1d(after, separator)
    assert best is not None
    return best


def smallest_cover(edges: Any) -> tuple[Chosen, Chosen]:
    """Fewest rows and columns that contain all entries of a sparse matrix, by a maximum matching (Koenig's theorem):
    the rows not reached by alternating paths from unmatched rows, and the columns reached."""
    from scipy.sparse.csgraph import maximum_bipartite_matching

    edges = (edges != 0).astype(np.int32).tocsr()
    row_of = maximum_bipartite_matching(edges, perm_type="row")  # of each column, or -1
    reached_rows = np.ones(edges.shape[0], dtype=bool)
    reached_rows[row_of[row_of >= 0]] = False
    reached_columns = np.zeros(edges.shape[1], dtype=bool)
    new = reached_rows.copy()
    while new.any():
        columns = (edges.T @ new.astype(np.int32) > 0) & ~reached_columns
        reached_columns |= columns
        new = np.zeros_like(new)
        new[row_of[columns]] = True
        reached_rows |= new
    return ~reached_rows, reached_columns


def _graph_of_points(A: Any, owner: Numbers, count: int) -> Any:
    import scipy.sparse as sparse

    columns = np.repeat(owner, np.diff(A.indptr))
    ones = np.ones(A.nnz, dtype=np.int32)
    return sparse.csr_matrix((ones, (owner[A.indices], columns)), shape=(count, count))


def _ranges(first: Numbers, end: Numbers) -> Numbers:
    """The numbers first[0] to end[0] - 1, first[1] to end[1] - 1, and so on."""
    counts = end - first
    offsets = np.cumsum(counts) - counts
    found: Numbers = np.repeat(first - offsets, counts) + np.arange(counts.sum())
    return found
