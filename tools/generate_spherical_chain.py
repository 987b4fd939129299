#!/usr/bin/env python3
"""Writes the model file of a chain of N rods that hang on each other by spherical joints.

    tools/generate_spherical_chain.py 16 > examples/06_spherical_chain.yaml
"""

import argparse

HEADER = """\
# A chain of {n} rods in space, joined by spherical joints, thrown as a straight line.
#
# What it shows: orientations as Euler parameters. Every joint has four coordinates and three speeds, so
# that nq = {nq} and nu = {nu}. The chain starts {angle} rad from the vertical in the x-z plane and turns
# about the vertical at 4 rad/s.
#
# Written by a program; change the number of rods with
#   tools/generate_spherical_chain.py {n} > examples/06_spherical_chain.yaml
# Try:
#   sestina run examples/06_spherical_chain.yaml --out chain.csv
#   sestina plot chain.csv pen.origin.y --x pen.origin.x -o seen_from_above.png
#   sestina plot chain.csv 'angular_momentum.*' 'energy.*' -o conserved.png
# Look at angular_momentum.z: gravity has no moment about the vertical through the suspension, so it is
# constant while its two other components are not.
#
# Checked (tests/examples/check_examples.py): energy and vertical angular momentum are constant, and at
# every instant neighbouring origins are a rod's length apart.
sestina: 1
name: chain of {n} rods in space
parameters: {{l: 0.1, m: 0.05, r: 0.01}}              # m, kg, m: each rod
gravity: [0, 0, -9.81]
bodies:
"""


def write(n, angle):
    print(HEADER.format(n=n, nq=4 * n, nu=3 * n, angle=angle), end="")
    for i in range(1, n + 1):
        print(f"  - {{name: rod{i}, mass: m, center_of_mass: [0, 0, -l/2], points: {{end: [0, 0, -l]}},\n"
              "     inertia: {xx: m*(3*r^2 + l^2)/12, yy: m*(3*r^2 + l^2)/12, zz: m*r^2/2}}")
    print("  - {name: pen, type: particle, mass: 0}               # adds the place of the end to the results")
    print("joints:")
    for i in range(1, n + 1):
        parent = "ground.origin" if i == 1 else f"rod{i - 1}.end"
        print(f"  - {{name: s{i}, type: spherical, parent: {parent}, child: rod{i}.origin", end="")
        # u is the angular velocity relative to the parent, in the axes of the joint on the parent.
        print(f",\n     q: [cos({angle / 2}), 0, -sin({angle / 2}), 0], u: [0, 0, 4]}}" if i == 1 else "}")
    print(f"  - {{name: pen_holder, type: weld, parent: rod{n}.end, child: pen.origin}}")
    print("analysis:")
    print("  step: {driver: variable, rtol: 1e-9, atol: 1e-11}")
    print("  duration: 4")
    print("output: {every: 0.01}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("rods", type=int, help="number of rods")
    parser.add_argument("--angle", type=float, default=1.2, help="rad from the vertical (default 1.2)")
    options = parser.parse_args()
    if options.rods < 1:
        parser.error("a chain has at least one rod")
    write(options.rods, options.angle)


if __name__ == "__main__":
    main()
