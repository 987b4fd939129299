#!/usr/bin/env python3
"""Curves of the double pendulum by the state-time formulation with 16 elements in five seconds, on those of a variable step.

    .venv/bin/python benchmarks/figures/state_time.py build/release/apps/cli/sestina

Draws docs/pictures/state_time.svg: the height of the upper rod's mass centre, the vertical force of the lower joint
and the angular velocity of the upper rod, after figure 4 of Anderson and Oghbaei, and prints the largest differences.
Takes a second.
"""

import argparse
import csv
import subprocess
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from figure_file import PICTURES, ROOT, WIDTH, save

MODEL = ROOT / "examples/15_state_time.yaml"
EVERY = 0.005  # s
PAIRS = {"LQ": ("#d62728", "--"), "QC": ("#ff7f0e", "-."), "P3P4": ("#1f77b4", ":")}


def run(sestina, *settings):
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "rows.csv"
        options = [word for setting in settings for word in ("--set", setting)]
        subprocess.run([sestina, "run", MODEL, "--quiet", "--reactions", "--out", out,
                        "--set", f"output.every={EVERY}", *options], check=True)
        rows = csv.reader(line for line in out.read_text(encoding="utf-8").splitlines() if not line.startswith("#"))
        names = next(rows)
        return dict(zip(names, np.array([[float(x) for x in row] for row in rows]).T))


def curves(rows):
    return {"y1, m": -0.4 * np.cos(rows["hip.q"]), "f2y, N": rows["knee.reaction.force.y"],
            "w1, rad/s": rows["hip.u"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sestina")
    parser.add_argument("--out", default=PICTURES / "state_time.svg")
    arguments = parser.parse_args()
    reference = run(arguments.sestina, "analysis.coordinates=relative", "analysis.integrator=dormand_prince_54",
                    "analysis.step={rtol: 1e-12, atol: 1e-13}")
    figure, axes = plt.subplots(3, 1, figsize=(WIDTH, 5.5), sharex=True, layout="constrained")
    for axis, (name, values) in zip(axes, curves(reference).items()):
        axis.plot(reference["t"], values, color="0.75", linewidth=4, label="variable step, rtol 1e-12")
        axis.set_ylabel(name)
    for pair, (colour, style) in PAIRS.items():
        rows = run(arguments.sestina, f"analysis.integrator={{elements: 16, pair: {pair}}}")
        for axis, (name, values) in zip(axes, curves(rows).items()):
            axis.plot(rows["t"], values, style, color=colour, label=f"16 elements {pair}")
            print(f"{pair:<5} {name:<10} differs by at most {np.abs(values - curves(reference)[name]).max():.1e}")
    axes[0].legend(ncols=4, loc="lower center", bbox_to_anchor=(0.5, 1.0))
    axes[-1].set_xlabel("t, s")
    save(figure, arguments.out)


if __name__ == "__main__":
    main()
