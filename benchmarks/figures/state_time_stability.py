"""Where the natural test functions with exact integrals cease to be stable: the table of docs/state_time.md.

    python state_time_stability.py

An oscillator x' = v, v' = -z^2 x on an element of length 1, z = frequency times h. Velocity and place are continuous
polynomials of degree k; places are weighted with all polynomials of degree k - 1 on the element, momenta with those
of degree k, continuous over elements and integrated by parts, so that an element hands on place, velocity and momentum.
Printed is the first z where the matrix of that has an eigenvalue above 1, and how large these get before the next
stable z.
"""

from __future__ import annotations

import numpy as np
from numpy.polynomial import legendre

STEP, ABOVE_ONE = 5e-4, 1e-7


def shape(nodes: np.ndarray, j: int, s: np.ndarray) -> np.ndarray:
    others = np.delete(nodes, j)
    return np.prod([(s - other) / (nodes[j] - other) for other in others], axis=0)


def slope(nodes: np.ndarray, j: int, s: np.ndarray) -> np.ndarray:
    polynomial = np.poly1d(np.delete(nodes, j), r=True)
    return np.polyval(polynomial.deriv(), s) / polynomial(nodes[j])


def amplification(k: int, z: float) -> np.ndarray:
    points, weights = legendre.leggauss(k + 2)
    s, w = (points + 1) / 2, weights / 2
    nodes = (1 - np.cos(np.pi * np.arange(k + 1) / k)) / 2
    value = [shape(nodes, j, s) for j in range(k + 1)]
    rate = [slope(nodes, j, s) for j in range(k + 1)]
    # Columns x_0 ... x_k, v_0 ... v_k, momenta at the start and the end.
    rows = []
    for i in range(k):
        test = legendre.legval(2 * s - 1, [0] * i + [1])
        rows.append([w @ (test * b) for b in rate] + [-(w @ (test * b)) for b in value] + [0, 0])
    for i in range(k + 1):
        rows.append(
            [z * z * (w @ (value[i] * b)) for b in value]
            + [-(w @ (rate[i] * b)) for b in value]
            + [-float(i == 0), float(i == k)]
        )
    matrix = np.array(rows)
    known = [0, k + 1, 2 * k + 2]
    unknown = [c for c in range(2 * k + 4) if c not in known]
    solution = -np.linalg.solve(matrix[:, unknown], matrix[:, known])
    return solution[[k - 1, 2 * k - 1, 2 * k]]


def growth(k: int, z: float) -> float:
    return float(np.abs(np.linalg.eigvals(amplification(k, z))).max())


def main() -> None:
    for k in range(2, 9):
        first = next(z for z in np.arange(STEP, 50, STEP) if growth(k, z) > 1 + ABOVE_ONE)
        last = next(z for z in np.arange(first, 50, STEP) if growth(k, z) <= 1 + ABOVE_ONE)
        largest = max(growth(k, z) for z in np.linspace(first, last, 200))
        print(f"k = {k}: {first:.4f} to {last:.4f}, up to {largest:.4f}")


if __name__ == "__main__":
    main()
