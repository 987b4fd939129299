"""Rigid bodies of particles against the same bodies and joints as a model of bodies, whose equations are others."""

from __future__ import annotations

import pathlib

import numpy as np
import pytest

import sestina

JOINTS = ["spherical", "revolute", "universal", "prismatic", "cylindrical", "planar"]
MASSES = [0.7, 1.6, 0.7, 1.6, 0.9]
PLACES = np.array([[0, 0, 0], [0.8, 0.2, 0.1], [-0.15, 0.6, 0], [0.3, -0.2, 0.7], [-0.3, 0.2, 0.5]])
AT, ALONG, ACROSS = 0, (0, 1), (0, 2)  # particles of the body beyond the joint; (0.8, 0.2, 0.1) . (-0.15, 0.6, 0) = 0
DURATION = 1.0
SPEEDS = {"spherical": [0.9, -0.7, 1.1], "revolute": [1.3], "universal": [1.2, -0.8], "prismatic": [0.6],
          "cylindrical": [1.1, -0.5], "planar": [0.4, -0.3, 1.2]}


def places_of(body: int) -> np.ndarray:
    return PLACES + np.array([1.1, 0.3, 0.2]) * body


def unit(pair: tuple[int, int]) -> np.ndarray:
    d = PLACES[pair[1]] - PLACES[pair[0]]
    return d / np.linalg.norm(d)


def frame_of(joint: str) -> np.ndarray:
    """The axes of the joint at the start, as columns: the z-axis of a planar joint is its axis."""
    if joint != "planar":
        return np.eye(3)
    z = unit(ALONG)
    x = unit(ACROSS)
    return np.column_stack([x, np.cross(z, x), z])


def start_of(bodies: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Angular velocity, and velocity of the first particle, of each body."""
    motions = [(np.array([0.5, -0.3, 0.8]), np.array([0.1, 0.2, -0.1]))]
    for b in range(1, bodies):
        w, v = motions[-1]
        joint = JOINTS[b - 1]
        speeds, axes = SPEEDS[joint], frame_of(joint)
        v = v + np.cross(w, places_of(b)[0] - places_of(b - 1)[0])
        if joint == "spherical":
            w = w + np.array(speeds)
        elif joint == "revolute":
            w = w + speeds[0] * unit(ALONG)
        elif joint == "universal":
            w = w + speeds[0] * unit(ALONG) + speeds[1] * unit(ACROSS)
        elif joint == "prismatic":
            v = v + speeds[0] * unit(ALONG)
        elif joint == "cylindrical":
            w, v = w + speeds[0] * unit(ALONG), v + speeds[1] * unit(ALONG)
        else:
            w, v = w + speeds[2] * axes[:, 2], v + axes[:, 0] * speeds[0] + axes[:, 1] * speeds[1]
        motions.append((w, v))
    return motions


def model_of_particles(bodies: int, dt: float) -> str:
    lines = ["sestina: 1", "particles:", "  box: {lengths: [100, 100, 100], periodic: [false, false, false]}"]
    lines.append("  species: [" + ", ".join(f"{{name: m{i}, mass: {m}}}" for i, m in enumerate(MASSES)) + "]")
    lines.append("  positions:\n    list:")
    speeds = []
    for b, (w, v) in enumerate(start_of(bodies)):
        for i, x in enumerate(places_of(b)):
            lines.append(f"      - [m{i}, {', '.join(repr(float(a)) for a in x)}]")
            speeds.append(v + np.cross(w, x - places_of(b)[0]))
    lines.append("  velocities:")
    lines += [f"    - [{', '.join(repr(float(a)) for a in v)}]" for v in speeds]
    lines.append("  bodies:")
    for b in range(bodies):
        first = 5 * b
        joint = "" if b == 0 else (
            f", parent: {b - 1}, joint: {JOINTS[b - 1]}, at: {first + AT}, along: {[first + i for i in ALONG]}, "
            f"across: {[first + i for i in ACROSS]}")
        lines.append(f"    - {{particles: {list(range(first, first + 5))}{joint}}}")
    lines.append(f"analysis: {{step: {{dt: {dt}}}, duration: {DURATION}}}")
    return "\n".join(lines) + "\n"


def model_of_bodies(bodies: int) -> str:
    """Each body's origin is its first particle; a body without mass marks its second one."""
    masses = np.array(MASSES)
    centre = masses @ PLACES / masses.sum()
    r = PLACES - centre
    J = sum(m * (x @ x * np.eye(3) - np.outer(x, x)) for m, x in zip(masses, r, strict=True))
    inertia = ", ".join(f"{a}{b}: {float(J['xyz'.index(a), 'xyz'.index(b)])!r}"
                        for a, b in ("xx", "yy", "zz", "xy", "xz", "yz"))
    step = [float(x) for x in places_of(1)[0] - places_of(0)[0]]
    lines = ["sestina: 1", "bodies:"]
    joints = ["joints:"]
    w, v = start_of(1)[0]
    joints.append(f"  - {{name: base, type: free, parent: ground.origin, child: b0.origin, "
                  f"u: {[float(a) for a in (*w, *v)]}}}")
    for b in range(bodies):
        axes = f"matrix: {frame_of(JOINTS[b]).tolist()}" if b + 1 < bodies else "matrix: [[1, 0, 0], [0, 1, 0], [0, 0, 1]]"
        own = f"matrix: {frame_of(JOINTS[b - 1]).tolist()}" if b > 0 else "matrix: [[1, 0, 0], [0, 1, 0], [0, 0, 1]]"
        lines.append(f"  - {{name: b{b}, mass: {float(masses.sum())!r}, center_of_mass: {[float(a) for a in centre]}, "
                     f"inertia: {{{inertia}}}, points: {{next: {{position: {step}, axes: {{{axes}}}}}, "
                     f"joint: {{position: [0, 0, 0], axes: {{{own}}}}}, second: {[float(a) for a in PLACES[1]]}}}}}")
        lines.append(f"  - {{name: mark{b}, mass: 0}}")
        joints.append(f"  - {{name: glue{b}, type: weld, parent: b{b}.second, child: mark{b}.origin}}")
        if b == 0:
            continue
        kind = JOINTS[b - 1]
        axis = "" if kind in ("spherical", "planar") else f", axis: {[float(a) for a in unit(ALONG)]}"
        second = f", second_axis: {[float(a) for a in unit(ACROSS)]}" if kind == "universal" else ""
        joints.append(f"  - {{name: j{b}, type: {kind}, parent: b{b - 1}.next, child: b{b}.joint{axis}{second}, "
                      f"u: {SPEEDS[kind]}}}")
    lines += joints
    lines.append(f"analysis: {{integrator: dormand_prince_54, step: {{driver: variable, rtol: 1e-11, atol: 1e-12}}, "
                 f"duration: {DURATION}}}")
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("bodies", [1, 2, 3, 4, 5, 6, 7])
def test_motion_is_that_of_the_general_recursion(bodies: int, tmp_path: pathlib.Path) -> None:
    mechanism = tmp_path / "mechanism.yaml"
    mechanism.write_text(model_of_bodies(bodies))
    result = sestina.simulate(sestina.load(mechanism))
    expected = np.array([[result[f"{name}{b}.origin.{a}"][-1] for a in "xyz"]
                         for b in range(bodies) for name in ("b", "mark")])
    expected += places_of(0)[0]
    errors = []
    for steps in (100, 200):
        path = tmp_path / f"particles{steps}.yaml"
        path.write_text(model_of_particles(bodies, DURATION / steps))
        particles = sestina.load_particles(path)
        if steps == 100:
            assert particles.measure().kinetic == pytest.approx(result["energy.kinetic"][0], rel=1e-10)
        particles.step(steps)
        found = particles.positions.reshape(bodies, 5, 3)[:, :2].reshape(-1, 3)
        errors.append(np.abs(found - expected).max())
    assert errors[0] < 2e-3
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.1)
