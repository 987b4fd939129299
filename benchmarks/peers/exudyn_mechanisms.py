#!/usr/bin/env python3
"""Mechanisms in Sestina and in Exudyn: exudyn_mechanisms.py [--rounds N] [--only NAME] [--figure PATH]

Three parts, in one process with one thread: the same implicit rule with the same step; error over time, Sestina with error
control and Exudyn with fixed steps, against converged solutions; and the energy of a mechanism that passes singular positions.
The engines take turns; times are medians of the processor time of a run, and making the model is left out. Exudyn runs without
checks of ranges, without files and with its modified Newton iteration. `./dev bench --python-peers mechanisms` makes the
environment.
"""

from __future__ import annotations

import os

for library in ("OMP", "OPENBLAS", "MKL"):
    os.environ[f"{library}_NUM_THREADS"] = "1"

import argparse
import importlib.metadata
import platform

from mechanisms import equal_error, figure, four_bar, same_step
from python_arm import processor


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", default="", help="problems whose name contains this")
    parser.add_argument("--part", choices=["step", "error", "energy"], help="only this part")
    parser.add_argument("--budget", type=float, default=120, help="seconds after which a problem has no further round")
    parser.add_argument("--figure", help="draw error over time into this file")
    parser.add_argument("--commit", default="unknown")
    options = parser.parse_args()

    exudyn = importlib.metadata.version("exudyn")
    print(f"{processor()}, Python {platform.python_version()}, Exudyn {exudyn}, Sestina of commit {options.commit}\n")
    if options.part in (None, "step"):
        same_step.print_table(options.only, options.rounds, options.budget)
    if options.part in (None, "error"):
        measured = equal_error.print_tables(options.only, options.rounds)
        if options.figure and measured:
            figure.draw(measured, options.figure)
    if options.part in (None, "energy") and options.only in "double four-bar":
        four_bar.print_table(options.rounds)


if __name__ == "__main__":
    main()
