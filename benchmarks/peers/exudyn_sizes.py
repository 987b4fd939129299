#!/usr/bin/env python3
"""Sestina and Exudyn over sizes and threads: exudyn_sizes.py [--rounds N] [--only NAME] [--figures FOLDER]

A chain of 1 to 10,000 masses, 1 to 100 robots in redundant coordinates and as trees, and the cellular robot PARTS: the same
rule with the same step. The engines take turns in one process; times are medians without building the model. Exudyn runs
without checks of ranges, without files and with its modified Newton iteration. Sestina's implicit rules use one thread; of
two threads the time by the clock counts, and other work on the machine counts with it. `./dev bench --python-peers sizes`
makes the environment.
"""

from __future__ import annotations

import os

for library in ("OMP", "OPENBLAS", "MKL"):
    os.environ[f"{library}_NUM_THREADS"] = "1"

import argparse
import importlib.metadata
import platform

from mechanisms import sizes, sizes_figure
from python_arm import processor


def state_of_machine(available: set[int]) -> str:
    load = " ".join(f"{value:.1f}" for value in os.getloadavg()) if hasattr(os, "getloadavg") else "unknown"
    return f"load {load}, {sizes.measure_free_processors(available):.2f} of {len(available)} processors free for two processes"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", default="", help="figures whose name contains this: chain, robots, trees, parts")
    parser.add_argument("--budget", type=float, default=90, help="seconds after which a size has no further round")
    parser.add_argument("--figures", help="draw exudyn_NAME.svg into this folder")
    parser.add_argument("--table", default="out/exudyn_sizes.csv", help="file for all times")
    parser.add_argument("--redraw", action="store_true", help="read that file instead of measuring")
    parser.add_argument("--commit", default="unknown")
    options = parser.parse_args()

    exudyn, available = importlib.metadata.version("exudyn"), sizes.processors()
    print(f"{processor()}, Python {platform.python_version()}, Exudyn {exudyn}, Sestina of commit {options.commit}")
    print(state_of_machine(available))
    rows = sizes.read(options.table) if options.redraw else []
    for figure in sizes.figures():
        if options.only not in figure.name:
            continue
        for size in [] if options.redraw else figure.sizes:
            rows += sizes.measure(figure, size, options.rounds, options.budget, available)
            sizes.write(rows, options.table)
        sizes.print_table(figure, rows)
        if options.figures:
            sizes_figure.draw(figure, rows, f"{options.figures}/exudyn_{figure.name}.svg")
        print(f"\n{state_of_machine(available)}", flush=True)


if __name__ == "__main__":
    main()
