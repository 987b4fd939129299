#!/usr/bin/env python3
"""Errors of the four-bar by elements in time, for several pairs and numbers of elements, as the table of docs/state_time.md.

    .venv/bin/python benchmarks/figures/state_time_loops.py build/release/apps/cli/sestina

Prints the largest error of a coordinate and speed after one second, and the wall time of the run, against the recursive
solver with a tolerance of 1e-12. Takes ten seconds.
"""

import argparse
import csv
import re
import subprocess
import tempfile
from pathlib import Path

from figure_file import ROOT

MODEL = ROOT / "examples/16_four_bar.yaml"
PAIRS = ("LQ", "QC", "P3P4", "P5P6")
ELEMENTS = (32, 64, 128, 256, 512)


def run(sestina, *settings):
    """Returns the coordinates and speeds of the carrying joints at the end, and seconds."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "rows.csv"
        options = [word for setting in ("analysis.duration=1", "output.every=1", *settings) for word in ("--set", setting)]
        text = subprocess.run([sestina, "run", MODEL, "--out", out, *options], check=True, capture_output=True,
                              text=True).stdout
        rows = list(csv.reader(x for x in out.read_text(encoding="utf-8").splitlines() if not x.startswith("#")))
        names = [f"{joint}.{letter}" for joint in ("hip", "elbow", "heel") for letter in "qu"]
        seconds = float(re.search(r"in ([0-9.e-]+) s of wall", text).group(1))
        return [float(rows[-1][rows[0].index(name)]) for name in names], seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sestina")
    sestina = parser.parse_args().sestina
    reference, _ = run(sestina, "analysis.step={rtol: 1e-12, atol: 1e-13}")
    print("| elements | " + " | ".join(f"{pair} | ms" for pair in PAIRS) + " |")
    print("|---|" + "---|---|" * len(PAIRS))
    for elements in ELEMENTS:
        cells = []
        for pair in PAIRS:
            end, seconds = run(sestina, "analysis.coordinates=state_time",
                               f"analysis.integrator={{elements: {elements}, pair: {pair}, windows: {elements // 8}}}")
            error = max(abs(a - b) for a, b in zip(end, reference))
            cells.append(f"{error:.1e} | {1e3 * seconds:.0f}")
        print(f"| {elements} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
