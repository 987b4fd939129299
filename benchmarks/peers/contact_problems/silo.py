"""A silo with the walls of Exudyn's example particlesSilo: the discharge rate of grains, against Beverloo's law.

A pipe of the radius of the outlet (1 m long), a cone that opens to 3.1 m within 1 m, and a cylinder. Grains of a mass of 0.05 kg
and radii between 0.075 and 0.09375 m (eight values) start on a lattice within cone and cylinder. Rate W, kg/s, after Beverloo:

    W = C rho sqrt(g) (D - k d)^(5/2)

with the diameters D of the outlet and d of the grains and the density rho of the packing.
"""

from __future__ import annotations

import pathlib
import tempfile

import numpy as np

from .grains import Array, Grains, model, rounded, run

RADIUS, WIDTH, BOTTOM = 0.09375, 3.1, 3.0  # m: largest grain, cylinder, end of the pipe
STEP, EVERY = 2e-4, 0.1  # s
STIFFNESS, RESTITUTION, FRICTION = 4e4, 0.3, 0.5  # N/m (twice that of a contact), 1, 1


def silo(outlet: float, count: int, scale: float = 1.0) -> Grains:
    """outlet: its radius, m; scale: of the grains' radii."""
    radius = RADIUS * scale
    spacing = 2 * radius
    side = np.arange(-WIDTH, WIDTH, spacing)
    layers = [np.stack(np.meshgrid(side + odd, side + odd), -1).reshape(-1, 2) for odd in (0, spacing / 2)]
    places: list[Array] = []
    z, k = BOTTOM + 1 + 2 * radius, 0
    while sum(map(len, places)) < count:
        inside = outlet + (WIDTH - outlet) * min(z - BOTTOM - 1, 1.0) - 1.6 * radius
        layer = layers[k % 2]
        layer = layer[np.hypot(*layer.T) < inside]
        places.append(np.column_stack([layer, np.full(len(layer), z)]))
        z, k = z + 0.74 * spacing, k + 1
    chosen = np.concatenate(places)[:count]
    radii = radius * (0.8 + 0.2 * np.random.RandomState(1).random_sample(count))
    top = z + 1 - BOTTOM
    walls = f"""    - {{type: plane, at: [0, 0, 0], normal: [0, 0, 1], species: wall}}
    - {{type: cylinder, at: [0, 0, {BOTTOM}], axis: [0, 0, 1], radius: {outlet}, length: 1, species: wall}}
    - {{type: cone, at: [0, 0, {BOTTOM + 1}], axis: [0, 0, 1], radii: [{outlet}, {WIDTH}], length: 1, species: wall}}
    - {{type: cylinder, at: [0, 0, {BOTTOM + 2}], axis: [0, 0, 1], radius: {WIDTH}, length: {top}, species: wall}}
"""
    return Grains(
        chosen,
        rounded(radii, 0.8 * radius, radius),
        (0, 0, 0),
        (0, 0, -9.81),
        STIFFNESS,
        0,
        STEP * scale,
        mass=0.05 * scale**3,
        friction=FRICTION,
        walls=walls,
        restitution=RESTITUTION,
    )


def heights(frames: pathlib.Path) -> tuple[Array, Array]:
    """Times (s) and how many grains are below the end of the pipe then."""
    times, counts = [], []
    for k, frame in enumerate(frames.read_text().split("ITEM: TIMESTEP")[1:]):
        lines = frame.split("ITEM: ATOMS")[1].splitlines()
        column = lines[0].split().index("zu" if "zu" in lines[0].split() else "z")
        z = np.array([float(line.split()[column]) for line in lines[1:]])
        times.append(k * EVERY)
        counts.append(int((z < BOTTOM).sum()))
    return np.array(times), np.array(counts)


def discharge(
    program: str, folder: pathlib.Path, outlet: float, count: int, duration: float
) -> tuple[Array, Array, float]:
    """Times, grains that have left, and seconds of the processor."""
    grains = silo(outlet, count)
    file = folder / f"silo_{outlet}.yaml"
    frames = file.with_suffix(".lammpstrj")
    file.write_text(model(grains, EVERY, str(frames)))
    used = run(program, file, duration, every=EVERY)
    times, left = heights(frames)
    return times, left, used


def steady_rate(times: Array, left: Array) -> float:
    """Grains per second, by least squares between 1.5 s and the end."""
    chosen = times >= 1.5
    return float(np.polyfit(times[chosen], left[chosen], 1)[0])


def print_table(program: str, outlets: list[float], count: int, duration: float) -> None:
    mean = 0.9 * RADIUS * 2
    grains = silo(outlets[0], count)
    density = grains.mass * 0.6 / (np.pi / 6 * np.mean((2 * grains.radii) ** 3))
    print(
        f"\nsilo of {count} grains, d = {mean:.3f} m; packing assumed to have 0.6 of the volume: {density:.1f} kg/m^3"
    )
    rates = []
    with tempfile.TemporaryDirectory() as folder:
        for outlet in outlets:
            times, left, used = discharge(program, pathlib.Path(folder), outlet, count, duration)
            rates.append(grains.mass * steady_rate(times, left))
            steps = round(duration / STEP)
            ratio = rates[-1] / (density * np.sqrt(9.81) * (2 * outlet - 1.4 * mean) ** 2.5)
            print(
                f"  D = {2 * outlet} m: {rates[-1]:.2f} kg/s, C = {ratio:.3f} with k = 1.4; {left[-1]} grains left in {duration} s; "
                f"{1e6 * used / steps / count:.3f} µs per grain and step",
                flush=True,
            )
    slope, cut = np.polyfit(2 * np.array(outlets), np.array(rates) ** 0.4, 1)
    c = slope**2.5 / density / np.sqrt(9.81)
    print(f"  W^(2/5) over D is a line to {_deviation(outlets, rates):.1%}: k = {-cut / slope / mean:.2f}, C = {c:.3f}")


def _deviation(outlets: list[float], rates: list[float]) -> float:
    x, y = 2 * np.array(outlets), np.array(rates) ** 0.4
    return float(np.max(np.abs(np.polyval(np.polyfit(x, y, 1), x) / y - 1)))
