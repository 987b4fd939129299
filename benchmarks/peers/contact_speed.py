#!/usr/bin/env python3
"""Contact in Sestina, MuJoCo, Drake and Exudyn: contact_speed.py [--part NAME] [--rounds N]

Engines take turns; times are medians of the processor time on one thread, and making the models is left out. The humanoid is
taken from the package mujoco-mjx, which is downloaded. `./dev bench --python-peers contacts` makes the environment. The grains
of LAMMPS are in lammps_chute.py.

part        compares
humanoid    MuJoCo's humanoid on the floor: µs for a step
spheres     8, 27 and 125 spheres in a box: time to an error of 1 mm
many        125 and 1000 spheres in a box: µs per sphere and step
block       Exudyn's generalContactSpheresTest
silo        grains that leave a silo, against Beverloo's law
"""

from __future__ import annotations

import os

for library in ("OMP", "OPENBLAS", "MKL"):
    os.environ[f"{library}_NUM_THREADS"] = "1"

import argparse
import importlib.metadata
import pathlib

from python_arm import processor

PARTS = ["humanoid", "spheres", "many", "block", "silo"]


def run_part(part: str, options: argparse.Namespace) -> None:
    program = str(options.program.resolve())
    if part == "humanoid":
        from contact_problems import humanoid

        humanoid.print_table(options.rounds, 16)
    elif part == "spheres":
        from contact_problems import spheres_to_error

        for side, duration in [(2, 0.2), (3, 0.2), (3, 1.0), (5, 0.2), (5, 1.0)]:
            spheres_to_error.print_table(side, duration, options.rounds, options.budget, "")
    elif part == "many":
        from contact_problems import many_spheres

        for side in (5, 10):
            many_spheres.print_table(program, side, options.rounds)
    elif part == "block":
        from contact_problems import falling_block

        falling_block.print_table(program, options.rounds)
    else:
        from contact_problems import silo

        silo.print_table(program, [0.5, 0.7, 0.9], options.grains, 5.0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=pathlib.Path, default=pathlib.Path("build/release/apps/cli/sestina"))
    parser.add_argument("--part", choices=PARTS, action="append", help="only this part; may be given again")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--budget", type=float, default=20, help="s of the processor that one run of Sestina may take")
    parser.add_argument("--grains", type=int, default=10000, help="of the silo")
    parser.add_argument("--commit", default="unknown")
    options = parser.parse_args()
    versions = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in ("mujoco", "drake", "exudyn"))
    print(f"{processor()}; {versions}, Sestina of commit {options.commit}")
    for part in options.part or PARTS:
        run_part(part, options)


if __name__ == "__main__":
    main()
