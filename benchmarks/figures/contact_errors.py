#!/usr/bin/env python3
"""Error of motions with contacts over the step, and over the tolerance.

    .venv/bin/python benchmarks/figures/contact_errors.py build/release/apps/cli/sestina

Draws docs/pictures/contact_errors.svg and prints the orders. The error is the largest at 100 instants, against
closed forms or, of the wheel, an integration by scipy to 1e-13. Takes about a minute.
"""

import argparse
import subprocess
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from scipy.integrate import solve_ivp

from figure_file import PICTURES, WIDTH, save

G = 9.81  # m/s^2
STEPS = [2.0**-k for k in range(4, 13)]  # s
TOLERANCES = [10.0**-k for k in range(3, 13)]

BOUNCING = """
sestina: 1
bodies: [{name: ball, mass: 1, shapes: [{name: skin, type: sphere, radius: 0.1}]}]
ground: {shapes: [{name: floor, type: plane, position: [0, 0, -0.3]}]}
joints: [{name: z, type: prismatic, parent: ground.origin, child: ball.origin, axis: [0, 0, 1], q: 0.5}]
forces: [{name: spring, type: joint_spring, joint: z, stiffness: 25}]
contacts: [{name: touch, between: [skin, floor], restitution: 0.8}]
"""
BLOCK = """
sestina: 1
gravity: [0, 0, -9.81]
ground: {points: {wall: [-1, 0, 0.1]}, shapes: [{name: floor, type: plane}]}
bodies: [{name: block, mass: 2, shapes: [{name: skin, type: sphere, radius: 0.1}]}]
joints: [{name: p, type: xyz, parent: ground.origin, child: block.origin, q: [0.5, 0, 0.1]}]
forces: [{name: spring, type: spring_damper, from: ground.wall, to: block.origin, stiffness: 100, free_length: 1}]
contacts: [{name: touch, between: [skin, floor], friction: 0.2}]
"""
WHEEL = """
sestina: 1
gravity: [0, 0, -9.81]
ground: {shapes: [{name: floor, type: plane}]}
bodies:
  - {name: wheel, mass: 1, center_of_mass: [0, 0, -0.04], inertia: {xx: 0.01, yy: 0.01, zz: 0.01},
     shapes: [{name: skin, type: sphere, radius: 0.1}]}
joints:
  - {name: p, type: free, parent: ground.origin, child: wheel.origin, q: [0, 0, 0.1, 1, 0, 0, 0],
     u: [0, 8, 0, 0.8, 0, 0]}
contacts: [{name: touch, between: [skin, floor], friction: 5}]
"""


def bouncing(times):
    """A ball on a spring strikes the floor at -0.2 m and keeps 0.8 of its speed."""
    w, floor = 5.0, -0.2
    amplitude, phase, began, heights = 0.5, 0.0, 0.0, np.empty_like(times)  # amplitude cos(w (t - began) + phase)
    while began < times[-1]:
        strikes = began + (np.arccos(floor / amplitude) - phase) / w if amplitude > -floor else np.inf
        of_piece = (times >= began) & (times <= strikes)
        heights[of_piece] = amplitude * np.cos(w * (times[of_piece] - began) + phase)
        speed = 0.8 * w * np.sqrt(amplitude**2 - floor**2)
        amplitude = np.hypot(floor, speed / w)
        phase, began = np.arctan2(-speed / w, floor), strikes
    return heights


def block(times):
    """A block on a spring, with dry friction: half waves about -d and d until it sticks."""
    w, d, position = np.sqrt(50.0), 0.2 * 2 * G / 100, np.empty_like(times)
    for i, t in enumerate(times):
        x, left = 0.5, t
        while abs(x) > d:
            middle = np.sign(x) * d
            if left < np.pi / w:
                x = middle + (x - middle) * np.cos(w * left)
                break
            x, left = 2 * middle - x, left - np.pi / w
        position[i] = x
    return position


def wheel(times):
    """A wheel that rolls, its mass centre beside the middle: (I + m s^2) a'' + m R c sin(a) a'^2 + m g c sin(a) = 0."""
    R, c, inertia = 0.1, 0.04, 0.01

    def rates(_t, y):
        a, w = y
        square = R * R + c * c - 2 * R * c * np.cos(a)  # of the distance of the mass centre from the contact
        return [w, -(R * c * np.sin(a) * w * w + G * c * np.sin(a)) / (inertia + square)]

    run = solve_ivp(rates, (0, times[-1]), [0.0, 8.0], method="DOP853", t_eval=times, rtol=1e-13, atol=1e-14)
    return R * run.y[0]


# Title, model, duration (s), column, exact values.
MOTIONS = (
    ("ball on a spring, 10 impacts", BOUNCING, 8.0, "z.q", bouncing, "o", "#1f77b4"),
    ("block on a spring, dry friction", BLOCK, 3.0, "p.q[0]", block, "s", "#d62728"),
    ("eccentric wheel, rolling", WHEEL, 3.0, "p.q[0]", wheel, "^", "#2ca02c"),
)


def error(sestina, motion, step):
    _, model, duration, column, exact, _, _ = motion
    with tempfile.TemporaryDirectory() as folder:
        source, result = Path(folder) / "model.yaml", Path(folder) / "result.csv"
        source.write_text(model, encoding="utf-8")
        settings = [f"analysis.step={step}", f"analysis.duration={duration!r}", f"output.every={duration / 100!r}"]
        command = [sestina, "run", str(source), "--out", str(result)]
        for setting in settings:
            command += ["--set", setting]
        subprocess.run(command, check=True, capture_output=True)
        with open(result, encoding="utf-8") as file:
            lines = (line for line in file if not line.startswith("#"))
            names = next(lines).strip().split(",")
            t, x = np.loadtxt(lines, delimiter=",", usecols=(0, names.index(column)), unpack=True)
    return np.abs(x - exact(t)).max()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sestina")
    parser.add_argument("-o", "--out", default=PICTURES / "contact_errors.svg")
    options = parser.parse_args()
    figure, panels = plt.subplots(1, 2, figsize=(WIDTH, 3.6), sharey=True)
    for motion in MOTIONS:
        title, marker, color = motion[0], motion[5], motion[6]
        steps = [error(options.sestina, motion, f"{{driver: fixed, dt: {h!r}}}") for h in STEPS]
        tolerances = [error(options.sestina, motion, f"{{rtol: {tol!r}, atol: {tol!r}}}") for tol in TOLERANCES]
        print(title, "\n  steps", [f"{x:.1e}" for x in steps], "\n  tolerances", [f"{x:.1e}" for x in tolerances])
        print("  orders", np.round(np.log2(np.array(steps[:-1]) / steps[1:]), 2))
        style = {"color": color, "marker": marker, "markersize": 4, "linewidth": 1, "label": title}
        panels[0].loglog(STEPS, steps, **style)
        panels[1].loglog(TOLERANCES, tolerances, **style)
    panels[1].loglog(TOLERANCES, TOLERANCES, color="0.6", linewidth=1, linestyle="--", label="error = tolerance")
    panels[0].set_xlabel("fixed step (s)")
    panels[1].set_xlabel("rtol = atol (m, m/s, rad/s)")
    panels[0].set_ylabel("largest error (m)")
    for axes in panels:
        axes.grid(True, which="major", color="0.9")
    panels[1].legend(loc="lower right")
    figure.tight_layout()
    save(figure, options.out)


if __name__ == "__main__":
    main()
