#!/usr/bin/env python3
"""Error over wall time of the state-time formulation and of rules that march.

    .venv/bin/python benchmarks/figures/state_time_work.py build/bench/benchmarks/bench_state_time_cost

Draws docs/pictures/state_time_work.svg from `bench_state_time_cost work`, for the double pendulum and a chain of 16
spherical links, and prints a table of the least time that each method takes to some errors, by threads. Needs free
processors; takes half a minute.
"""

import argparse
import subprocess

import matplotlib.pyplot as plt

from figure_file import PICTURES, WIDTH, save

STYLES = {"dormand_prince_54": ("k", "-", "o"), "rk4": ("0.5", "-", "s"), "lobatto_iiia_iiib": ("0.5", "--", "^"),
          "LQ": ("#d62728", "-", "."), "QC": ("#ff7f0e", "-", "."), "P3P4": ("#2ca02c", "-", "."),
          "P5P6": ("#1f77b4", "-", "."), "auto": ("#9467bd", "-", "D")}
GOALS = (1e-4, 1e-6, 1e-8, 1e-10)


def print_table(points):
    """Milliseconds; a dash where a method does not come so near."""
    print("| system | method |", " | ".join(f"{goal:.0e}" for goal in GOALS), "|")
    print("|---|---|" + "---|" * len(GOALS))
    for system, method in dict.fromkeys(point[:2] for point in points):
        times = [[seconds for *name, error, seconds in points if name == [system, method] and error <= goal]
                 for goal in GOALS]
        cells = [f"{1e3 * min(of_goal):.2g}" if of_goal else "–" for of_goal in times]
        print(f"| {system} | {method} |", " | ".join(cells), "|")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", help="bench_state_time_cost")
    parser.add_argument("--out", default=PICTURES / "state_time_work.svg")
    arguments = parser.parse_args()
    text = subprocess.run([arguments.program, "work"], check=True, capture_output=True, text=True).stdout
    print(text, end="")
    # Names of state-time's methods hold a comma.
    points = [line.rsplit(",", 3) for line in text.splitlines()[1:]]
    points = [(*head.split(",", 1), float(error), float(seconds)) for head, _, error, seconds in points]
    print_table(points)
    systems = list(dict.fromkeys(point[0] for point in points))
    figure, axes = plt.subplots(1, len(systems), figsize=(WIDTH, 3.8), sharey=True, layout="constrained")
    for axis, system in zip(axes, systems):
        for method in dict.fromkeys(point[1] for point in points):
            if method.endswith("threads"):
                continue
            colour, line, marker = STYLES[method.split(",")[0]]
            curve = [(seconds, error) for name, other, error, seconds in points if (name, other) == (system, method)]
            axis.loglog(*zip(*curve), line, color=colour, marker=marker, markersize=4,
                        label=method.replace(", 1 thread", "").replace("_", " "))
        axis.set_title(system)
        axis.set_xlabel("wall time, s")
    axes[0].set_ylabel("largest error of q and u at the end")
    figure.legend(*axes[0].get_legend_handles_labels(), ncols=4, loc="outside upper center")
    save(figure, arguments.out)


if __name__ == "__main__":
    main()
