#!/usr/bin/env python3
"""Error over step of every integration rule with a fixed step, and the order read off it.

    .venv/bin/python benchmarks/figures/orders.py build/release/apps/cli/sestina

Draws docs/pictures/orders.svg and prints the orders. The error is the largest of any coordinate at the end, against
dormand_prince_54 with a step far shorter than any. The slope is fitted to the four shortest steps
whose error is above rounding. Takes about a minute.
"""

import argparse

import matplotlib.pyplot as plt
import numpy as np

from figure_file import PICTURES, ROOT, WIDTH, save
from sestina_runs import RULES, Run

# Title, model, duration (s), numbers of steps, steps of the reference, coordinates.
SYSTEMS = (
    ("double pendulum: angles that add", ROOT / "examples/01_double_pendulum.yaml", 2.0,
     [2**k for k in range(4, 15)], 2**15, ("hip.q", "knee.q")),
    ("free bodies: Euler parameters", ROOT / "benchmarks/figures/free_bodies.yaml", 2.0,
     [2**k for k in range(4, 15)], 2**15,
     [f"float.q[{i}]" for i in range(3, 7)] + [f"ball.q[{i}]" for i in range(4)]),
)
# Colour, marker and its size: of rules that coincide the larger, hollow marker lies behind.
STYLES = {
    "forward_euler": ("black", "o", 4),
    "verlet": ("#8c564b", "v", 4),
    "velocity_verlet": ("#d62728", "s", 7),
    "lobatto 2, velocity": ("#ff7f0e", "x", 5),
    "lobatto 2, momentum": ("#bcbd22", "D", 4),
    "rk4": ("#1f77b4", "o", 7),
    "munthe_kaas_4": ("#17becf", "P", 4),
    "adams_bashforth_moulton": ("#000080", "x", 5),
    "lobatto 3, velocity": ("#2ca02c", "^", 6),
    "lobatto 3, momentum": ("#006400", "v", 4),
    "rkf45": ("#e377c2", "d", 5),
    "dormand_prince_54": ("#9467bd", "h", 5),
}
HOLLOW = 6  # markers of this size and above
FLOOR = 1e-12  # smaller errors are rounding and not shown
SMALLEST, FITTED = 1e-11, 4  # a slope is fitted to the last four steps with an error above rounding


def end(sestina, system, integrator, steps):
    _, model, duration, _, _, coordinates = system
    return Run(sestina, model, integrator, duration / steps, duration, duration,
               lambda name: name in coordinates).columns[-1]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sestina")
    parser.add_argument("-o", "--out", default=PICTURES / "orders.svg")
    options = parser.parse_args()
    figure, panels = plt.subplots(1, 2, figsize=(WIDTH, 5.6), sharey=True)
    slopes = {}
    for system, axes in zip(SYSTEMS, panels):
        name, _, duration, counts, reference, _ = system
        exact = end(options.sestina, system, "dormand_prince_54", reference)
        print(name)
        for label, integrator, order in RULES:
            points = []
            for steps in counts:
                try:
                    error = np.abs(end(options.sestina, system, integrator, steps) - exact).max()
                except RuntimeError as fault:
                    if "do not converge" not in str(fault):
                        raise
                    continue  # a step too long for an implicit rule
                points.append((duration / steps, error))
            h, error = np.array(points).T
            fitted = np.flatnonzero(error > SMALLEST)[-FITTED:]
            slope = np.polyfit(np.log(h[fitted]), np.log(error[fitted]), 1)[0]
            slopes.setdefault(label, []).append(slope)
            print(f"  {label:24} order {order}, observed {slope:.3f} over steps of {h[fitted[-1]]:.2g} to {h[fitted[0]]:.2g} s")
            first_rounded = np.flatnonzero(np.append(error, 0.0) < FLOOR)[0]
            color, marker, size = STYLES[label]
            axes.loglog(h[:first_rounded], error[:first_rounded], color=color, marker=marker, markersize=size,
                        linewidth=1, label=label, markerfacecolor="none" if size >= HOLLOW else color)
        axes.set_title(name)
        axes.set_xlabel("step (s)")
        axes.grid(True, which="major", color="0.9")
    panels[0].set_ylabel(f"largest error after {SYSTEMS[0][2]:g} s (rad; Euler parameters: 1)")
    panels[0].set_ylim(3e-13, 3)
    handles, labels = panels[0].get_legend_handles_labels()
    labels = [f"{label}: {slopes[label][0]:.2f}, {slopes[label][1]:.2f}" for label in labels]
    figure.legend(handles, labels, loc="lower center", ncol=3,
                  title="observed order (left panel, right panel)", title_fontsize=8)
    figure.tight_layout(rect=(0, 0.17, 1, 1))
    save(figure, options.out)


if __name__ == "__main__":
    main()
