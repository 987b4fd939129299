"""Exudyn's generalContactSpheresTest: a block of spheres that hits the floor of a box, 250 explicit steps.

In Exudyn the walls are spheres of radius 30 m; Sestina has planes through the points of these that are nearest to the box.
"""

from __future__ import annotations

import pathlib
import statistics
import tempfile

import numpy as np

from . import exudyn_spheres
from .grains import Array, Grains, model, rounded, run

STEP, DURATION = 2e-4, 0.05  # s
FLOOR, WALL = -4.0, 8.0  # m
WATCHED = 56  # number of the sphere whose displacement is the value
VALUE = -5.98425321234168  # m, sum of the components of that displacement
WALL_STIFFNESS = 4.0  # times that of spheres, in Sestina: with Exudyn's, centres of spheres pass its planes
SKIN = 0.2  # m, of Sestina's lists; the fastest of 0.04, 0.1, 0.2 and 0.3


def block(
    layers_of: int = 16, count: int = 50000, spacing: float = 0.5, speed: float = 200, is_rounded: bool = False
) -> Grains:
    i = np.arange(count)
    layer = i // layers_of**2
    shift = np.where(layer % 2 == 1, 0.5, 0.0)
    x = -0.6 * spacing - 4 + (i % layers_of + shift + 1) * spacing
    z = -0.6 * spacing - 4 + (i // layers_of % layers_of + shift + 1) * spacing
    y = -2 - 1.5 * spacing + layer * spacing * 0.74
    radius = spacing / 2
    radii = radius * (0.8 + 0.2 * np.random.RandomState(1).random_sample(count))
    if is_rounded:
        radii = rounded(radii, 0.8 * radius, radius)
    planes = [((0, FLOOR, 0), (0, 1, 0))] + [((s * WALL, 0, 0), (-s, 0, 0)) for s in (-1, 1)]
    planes += [((0, 0, s * WALL), (0, 0, -s)) for s in (-1, 1)]
    walls = "".join(f"    - {{type: plane, at: {list(at)}, normal: {list(n)}, species: wall}}\n" for at, n in planes)
    places: Array = np.stack([x, y, z], axis=1)
    return Grains(places, radii, (0, -speed, 0), (0, -9.81, 0), 4e4, 4.0, STEP, walls=walls)


def print_table(program: str, rounds: int) -> None:
    """µs of the processor per sphere and step, one thread; Exudyn with its own radii, which give its value."""
    theirs, ours = [], []
    steps = round(DURATION / STEP)
    own, same = block(), block(is_rounded=True)
    same.wall_stiffness = WALL_STIFFNESS
    count = len(own.places)
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "block.yaml")
        file.write_text(model(same, DURATION).replace("  walls:\n", f"  skin: {SKIN}\n  walls:\n"))
        for _ in range(rounds):
            displacement, used = exudyn_spheres.simulate(own, DURATION, WATCHED)
            theirs.append(1e6 * used / steps / count)
            reading = run(program, file, STEP)
            ours.append(1e6 * (run(program, file, DURATION) - reading) / (steps - 1) / count)
            print(f"  Exudyn {theirs[-1]:.3f}, Sestina {ours[-1]:.3f} µs per sphere and step", flush=True)
    a, b = statistics.median(theirs), statistics.median(ours)
    print(
        f"{count} spheres, {steps} steps: Exudyn {a:.3f} µs (value {displacement.sum():.12f}, published {VALUE}), "
        f"Sestina {b:.3f} µs, ratio {b / a:.2f}"
    )
