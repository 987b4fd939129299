"""Sparse Cholesky factors: against dense algebra; separators: against every choice; where there is none."""

import itertools

import numpy as np
import pytest

sparse = pytest.importorskip("scipy.sparse")

from sestina import sparse_cholesky  # noqa: E402  after the check for scipy
from sestina.sparse_cholesky import SparseCholesky, dissect, smallest_cover  # noqa: E402

RANDOM = np.random.default_rng(7)


def cloud(count, unknowns=3, reach=0.25):
    """A positive definite matrix that couples near points of a cloud, the points of its unknowns, and their places."""
    places = RANDOM.random((count, 3)) * (3, 1, 1)
    near = np.linalg.norm(places[:, None] - places[None], axis=2) < reach
    blocks = np.kron(near, np.ones((unknowns, unknowns)))
    A = blocks * RANDOM.standard_normal(blocks.shape)
    A = A + A.T
    A += np.diag(abs(A).sum(axis=1) + 1)
    return sparse.csc_matrix(A), np.repeat(np.arange(count), unknowns), places


@pytest.mark.parametrize("count", [1, 2, 30, 81, 700])
def test_solves_as_dense_algebra(count):
    A, owner, places = cloud(count)
    factor = SparseCholesky(A, owner, places)
    for f in (RANDOM.standard_normal(3 * count), RANDOM.standard_normal((3 * count, 5))):
        given = f.copy()
        x = factor.solve(f)
        assert x.shape == f.shape
        assert np.array_equal(f, given)
        assert x == pytest.approx(np.linalg.solve(A.toarray(), f), rel=1e-10, abs=1e-12)


def test_unknowns_of_a_point_need_not_be_neighbours_nor_as_many():
    A, owner, places = cloud(200)
    kept = RANDOM.permutation(len(owner))[:431]
    A = A[kept][:, kept].tocsc()
    points, owner = np.unique(owner[kept], return_inverse=True)
    f = RANDOM.standard_normal(len(kept))
    x = SparseCholesky(A, owner, places[points]).solve(f)
    assert x == pytest.approx(np.linalg.solve(A.toarray(), f), rel=1e-10, abs=1e-12)


def test_a_matrix_that_is_not_positive_definite_is_refused():
    A, owner, places = cloud(300)
    with pytest.raises(np.linalg.LinAlgError, match="not positive definite"):
        SparseCholesky((A - 1e3 * sparse.eye(A.shape[0])).tocsc(), owner, places)


def test_fills_in_less_than_a_band():
    places = np.stack(np.meshgrid(*(np.arange(18.0),) * 3, indexing="ij"), axis=-1).reshape(-1, 3)
    line = sparse.diags([-1.0, 2.5, -1.0], [-1, 0, 1], shape=(18, 18))
    A = sparse.kronsum(sparse.kronsum(line, line), line).tocsc()
    factor = SparseCholesky(A, np.arange(18**3), places)
    assert factor.entries < 0.65 * 18**5


def test_pieces_are_parted_by_their_parents():
    A, _, places = cloud(900, unknowns=1)
    pieces = dissect(A.tocsr(), places)
    assert sorted(np.concatenate([piece.points for piece in pieces])) == list(range(900))
    assert len(pieces) > 10
    below: list[set[int]] = []
    for piece in pieces:
        first, second = (below[child] for child in piece.children) if len(piece.children) == 2 else (set(), set())
        assert not A[list(first)][:, list(second)].nnz
        below.append(set(piece.points).union(*(below[child] for child in piece.children)))


def test_points_that_all_meet_stay_one_piece():
    count = 3 * sparse_cholesky.SMALLEST_PIECE
    pieces = dissect(sparse.csr_matrix(np.ones((count, count))), RANDOM.random((count, 3)))
    assert [len(piece.points) for piece in pieces] == [count]


def test_the_cover_is_the_smallest():
    for _ in range(40):
        edges = RANDOM.random((5, 6)) < 0.3
        rows, columns = smallest_cover(sparse.csr_matrix(edges))
        assert not edges[np.ix_(~rows, ~columns)].any()
        smallest = min(
            sum(chosen) + np.count_nonzero(edges[~np.array(chosen)].any(axis=0))
            for chosen in itertools.product([False, True], repeat=5)
        )
        assert rows.sum() + columns.sum() == smallest
