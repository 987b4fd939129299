#!/usr/bin/env python3
"""Reduces a slender connecting rod of steel for example 27: make_conrod.py [FILE]

The rod is a bar of 0.3 m along x with a section of 12 mm along y and 20 mm along z. Its ends are rigid interfaces; the
middle one follows the mean of the nodes there and shows how the rod bends.
"""

import sys

import numpy as np

import sestina

LENGTH, HEIGHT, WIDTH = 0.3, 0.012, 0.02  # m, along x, y, z
CELLS = (12, 1, 1)
# A cube is six tetrahedra, along the six ways from one corner to the opposite one by its edges.
WAYS = [(0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)]
EDGES = [(0, 1), (1, 2), (0, 2), (0, 3), (1, 3), (2, 3)]


def make_mesh():
    """Nodes (n, 3) and tetrahedra of ten nodes (e, 10)."""
    counts = [2 * n + 1 for n in CELLS]
    axes = [np.linspace(0, LENGTH, counts[0])]
    axes += [np.linspace(-size / 2, size / 2, n) for size, n in zip((HEIGHT, WIDTH), counts[1:])]
    nodes = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
    elements = []
    for cell in np.ndindex(*CELLS):
        for way in WAYS:
            corners = [2 * np.array(cell)]
            for axis in way:
                corners.append(corners[-1] + 2 * np.eye(3, dtype=int)[axis])
            middles = [(corners[a] + corners[b]) // 2 for a, b in EDGES]
            elements.append([np.ravel_multi_index(tuple(place), counts) for place in corners + middles])
    return nodes, np.array(elements)


def main():
    file = sys.argv[1] if len(sys.argv) > 1 else "27_conrod.h5"
    rod = sestina.reduce(
        make_mesh(),
        {"E": 2.1e11, "nu": 0.3, "density": 7850},
        {
            "big_end": lambda p: p[:, 0] < 1e-9,
            "small_end": lambda p: p[:, 0] > LENGTH - 1e-9,
            "middle": {"nodes": lambda p: abs(p[:, 0] - LENGTH / 2) < 1e-9, "type": "averaging"},
        },
        modes=4,
        file=file,
    )
    print(f"{file}: {rod.mass:.4g} kg, {len(rod.frequencies)} modes from {rod.frequencies[0]:.5g} Hz")


if __name__ == "__main__":
    main()
