"""Grains on walls of triangles, against planes, cylinders and cones."""

from __future__ import annotations

import pathlib
import typing

import numpy as np
import pytest
import sestina


def write_obj(path: pathlib.Path, points: typing.Any, triangles: typing.Any) -> None:
    lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in np.asarray(points, dtype=float).tolist()]
    lines += [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in triangles]
    path.write_text("\n".join(lines) + "\n")


def floor(path: pathlib.Path, cells: int) -> None:
    """A square of 2 m of 2 cells^2 triangles in the plane z = 0, about the origin."""
    side = np.linspace(-1, 1, cells + 1)
    points = [[x, y, 0] for x in side for y in side]
    corner = [(i * (cells + 1) + j) for i in range(cells) for j in range(cells)]
    n = cells + 1
    write_obj(path, points, [t for k in corner for t in ((k, k + n, k + n + 1), (k, k + n + 1, k + 1))])


def model(walls: str, grains: str, velocities: str, duration: float = 1.0, more: str = "") -> str:
    return f"""
sestina: 1
particles:
  species: [{{name: ball, mass: 0.5, radius: 0.05}}]
  box: {{lengths: [4, 4, 4], lower: [-2, -2, -2], periodic: [false, false, false]}}
  positions: {{list: [{grains}]}}
  velocities: [{velocities}]
  pairs: [{{type: hooke, species: [ball, ball], stiffness: 1.0e5, restitution: 0.4, friction: 0.5{more}}}]
  walls: [{walls}]
  fields: [{{type: gravity, acceleration: [0, 0, -9.81]}}]
analysis: {{step: {{dt: 1.0e-4}}, duration: {duration}}}
output: {{every: 0.05}}
"""


def run(folder: pathlib.Path, text: str, **options: typing.Any) -> sestina.Result:
    file = folder / "grains.yaml"
    file.write_text(text)
    return sestina.run_particles(file, **options)


def motion(folder: pathlib.Path, text: str, steps: int) -> np.ndarray:
    """Places, velocities and spins after every hundredth of the steps."""
    file = folder / "grains.yaml"
    file.write_text(text)
    particles = sestina.load_particles(file)
    rows = []
    for _ in range(100):
        particles.step(steps // 100)
        rows.append(np.hstack([particles.positions, particles.velocities, particles.spins]))
    return np.array(rows)


PLANE = "{type: plane, at: [0, 0, 0], normal: [0, 0, 1]}"
MESH = "{type: mesh, file: wall.obj}"


@pytest.mark.parametrize("cells", [1, 7, 60])
def test_a_flat_mesh_is_a_plane(tmp_path: pathlib.Path, cells: int) -> None:
    """A ball that slides and then rolls across its seams, also if triangles are smaller than the overlap reaches."""
    floor(tmp_path / "wall.obj", cells)
    grains, velocities = "[ball, -0.61, -0.37, 0.06], [ball, 0.3, 0.2, 0.05]", "[1.6, 0.7, -0.5], [0.1, 0, 0]"
    more = ", rolling_friction: 0.02"
    plane = motion(tmp_path, model(PLANE, grains, velocities, more=more), 10000)
    mesh = motion(tmp_path, model(MESH, grains, velocities, more=more), 10000)
    assert np.abs(mesh - plane).max() < 1e-9
    assert plane[-1, 0, 0] > 0.2  # it has crossed many of them


def test_balls_settle_in_an_open_box(tmp_path: pathlib.Path) -> None:
    """In its corners balls touch three faces; on an edge that stands out, one."""
    x = 0.15
    points = [[i, j, k] for k in (0, 0.3) for j in (-x, x) for i in (-x, x)]
    quads = [(0, 1, 3, 2), (0, 1, 5, 4), (1, 3, 7, 5), (3, 2, 6, 7), (2, 0, 4, 6)]
    triangles = [t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))]
    write_obj(tmp_path / "wall.obj", points, triangles)
    rng = np.random.default_rng(3)
    places = [[-0.09 + 0.09 * i, -0.09 + 0.09 * j, 0.06 + 0.11 * k] for k in range(2) for j in range(3) for i in range(3)]
    grains = ", ".join(f"[ball, {px!r}, {py!r}, {pz!r}]" for px, py, pz in (np.array(places) + rng.uniform(-1e-3, 1e-3, (18, 3))).tolist())
    velocities = ", ".join(["[0, 0, 0]"] * 18)
    planes = ", ".join(
        [PLANE, *(f"{{type: plane, at: [{-s * x}, 0, 0], normal: [{s}, 0, 0]}}" for s in (1, -1))]
        + [f"{{type: plane, at: [0, {-s * x}, 0], normal: [0, {s}, 0]}}" for s in (1, -1)]
    )
    mesh = run(tmp_path, model(MESH, grains, velocities, duration=0.6))
    same = run(tmp_path, model(planes, grains, velocities, duration=0.6))
    weight = 18 * 0.5 * 9.81
    assert mesh["wall[0].force.z"][-1] == pytest.approx(weight, rel=0.05)
    for name in ("energy.kinetic", "energy.potential", "energy.dissipated"):
        assert mesh[name][:4] == pytest.approx(same[name][:4], abs=1e-5)
    assert abs(mesh["energy.total"] - mesh["energy.total"][0]).max() < 1e-3 * mesh["energy.dissipated"][-1]


def test_a_mesh_of_a_funnel_is_nearly_a_cone(tmp_path: pathlib.Path) -> None:
    n = 400
    angle = 2 * np.pi * np.arange(n) / n
    rings = [[r * np.cos(a), r * np.sin(a), z] for r, z in ((0.02, 0.0), (0.5, 0.5)) for a in angle]
    triangles = [t for k in range(n) for j in [(k + 1) % n] for t in ((k, j, n + j), (k, n + j, n + k))]
    write_obj(tmp_path / "wall.obj", rings, triangles)
    cone = "{type: cone, at: [0, 0, 0], axis: [0, 0, 1], radii: [0.02, 0.5], length: 0.5}"
    grains, velocities = "[ball, 0.3, 0, 0.42]", "[0, 0.5, 0]"
    mesh, smooth = (motion(tmp_path, model(wall, grains, velocities), 3000) for wall in (MESH, cone))
    assert np.abs(mesh[:, 0, :3] - smooth[:, 0, :3]).max() < 5e-3


def test_bits_do_not_depend_on_threads_and_restart(tmp_path: pathlib.Path) -> None:
    floor(tmp_path / "wall.obj", 9)
    grains = ", ".join(f"[ball, {0.13 * i - 0.6}, {0.11 * i - 0.5}, {0.06 + 0.01 * i}]" for i in range(10))
    text = model(MESH, grains, ", ".join(["[0.5, -0.2, 0]"] * 10), duration=0.4)
    whole = run(tmp_path, text, out=tmp_path / "whole.csv")
    threads = run(tmp_path, text, threads=2)
    state = tmp_path / "state"
    with pytest.raises(sestina.ComputationError, match="1777 steps"):
        run(tmp_path, text, out=tmp_path / "part.csv", checkpoint=state, max_steps=1777)
    resumed = sestina.resume_particles(state)
    for name in ("energy.kinetic", "energy.dissipated", "wall[0].force.x"):
        assert np.array_equal(whole[name], threads[name]) and np.array_equal(whole[name], resumed[name])


def test_bad_meshes_are_refused(tmp_path: pathlib.Path) -> None:
    floor(tmp_path / "wall.obj", 2)
    for wall, message in (
        ("{type: mesh, file: none.obj}", "none.obj"),
        ("{type: mesh}", "the key 'file' is missing"),
        ("{type: mesh, file: wall.obj, scale: -1}", "scale: -1 is not positive"),
        ("{type: mesh, file: wall.obj, normal: [0, 0, 1]}", "normal"),
    ):
        with pytest.raises(sestina.InputError, match=message):
            run(tmp_path, model(wall, "[ball, 0, 0, 0.05]", "[0, 0, 0]"))
