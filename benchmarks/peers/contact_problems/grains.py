"""Problems of grains: how Sestina runs them, and Exudyn's contact of spheres."""

from __future__ import annotations

import pathlib
import resource
import subprocess
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]

RADII = 8  # to so many values are radii rounded: grains are of species


@dataclass
class Grains:
    """Spheres with Exudyn's constants: two spheres have half of `stiffness` and twice `damping`, also at walls."""

    places: Array  # (n, 3) m
    radii: Array  # (n) m
    velocity: tuple[float, float, float]  # m/s, of all
    gravity: tuple[float, float, float]  # m/s^2
    stiffness: float  # N/m
    damping: float  # N s/m
    step: float  # s
    mass: float = 0.05  # kg
    friction: float = 0.0
    wall_stiffness: float = 1.0  # times that of spheres; for Sestina alone
    walls: str = ""  # of the model file
    restitution: float | None = None  # instead of damping


def rounded(radii: Array, least: float, most: float) -> Array:
    """Each radius as the middle of one of RADII equal intervals."""
    number = np.minimum(np.floor((radii - least) / (most - least) * RADII), RADII - 1)
    result: Array = least + (number + 0.5) * (most - least) / RADII
    return result


def model(grains: Grains, every: float, trajectory: str = "") -> str:
    """The text of a model file; particle i of the list has the number i + 1 in the trajectory."""
    sizes, kinds = np.unique(grains.radii, return_inverse=True)
    names = [f"r{i}" for i in range(len(sizes))]
    species = ", ".join(f"{{name: {n}, mass: {grains.mass}, radius: {float(r)!r}}}" for n, r in zip(names, sizes))
    pairs = []
    for i, first in enumerate([*names, "wall"]):
        for second in [*names, "wall"][i:]:
            effective = grains.mass if second == "wall" else grains.mass / 2
            damping = 2 * grains.damping / effective
            stiffness = grains.stiffness / 2 * (grains.wall_stiffness if second == "wall" else 1)
            loss = f"damping: {damping}" if grains.restitution is None else f"restitution: {grains.restitution}"
            pairs.append(
                f"    - {{type: hooke, species: [{first}, {second}], stiffness: {stiffness}, {loss}, "
                f"friction: {grains.friction}}}"
            )
    places = ",\n    ".join(f"[{names[k]}, {x!r}, {y!r}, {z!r}]" for k, (x, y, z) in zip(kinds, grains.places.tolist()))
    velocities = ", ".join([str(list(grains.velocity))] * len(kinds))
    output = f"  trajectory: {{file: {trajectory}, every: {every}}}\n" if trajectory else ""
    lines = "\n".join(pairs)
    return f"""sestina: 1
particles:
  species: [{species}, {{name: wall, mass: {grains.mass}, radius: {float(sizes[-1])!r}}}]
  box: {{lengths: [100, 100, 100], periodic: [false, false, false]}}
  positions: {{list: [{places}]}}
  velocities: [{velocities}]
  pairs:
{lines}
  walls:
{grains.walls}  fields: [{{type: gravity, acceleration: {list(grains.gravity)}}}]
{output}analysis: {{step: {{dt: {grains.step}}}, duration: 1}}
output: {{every: {every}}}
"""


def run(program: str, file: pathlib.Path, duration: float, threads: int = 1, every: float | None = None) -> float:
    """Seconds of the processor that the run takes, reading included."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    settings = [f"analysis.duration={duration!r}", f"output.every={every or duration!r}"]
    command = [program, "run", str(file), "--threads", str(threads), "--quiet", "--out", str(file.with_suffix(".csv"))]
    subprocess.run([*command, *(word for s in settings for word in ("--set", s))], check=True, cwd=file.parent)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
