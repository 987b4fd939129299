#!/usr/bin/env python3
"""Writes the model file of a planar pendulum of N massless links, each with a particle at its end.

    tools/generate_n_pendulum.py 8 > examples/02_n_pendulum.yaml
"""

import argparse

HEADER = """\
# A planar pendulum of {n} massless links with a particle at the end of each, released as a straight
# line {angle} rad from the vertical.
#
# What it shows: the textbook system for the cost of a formulation (Kane's equations take O(n^3), the
# recursion O(n)), and that links may be massless: all inertia sits in the centre of mass of a link.
#
# Written by a program, since a model file has no loops; change the number of links with
#   tools/generate_n_pendulum.py {n} > examples/02_n_pendulum.yaml
# Try:
#   sestina run examples/02_n_pendulum.yaml --out pendulum.csv
#   sestina plot pendulum.csv 'j*.q' -o angles.png
#   sestina plot pendulum.csv pen.origin.y --x pen.origin.x -o path.png
#   sestina run examples/02_n_pendulum.yaml --set parameters.l=0.5 --set analysis.solver=kane
# Look at the path of the last particle: the end of the line cracks like a whip.
#
# Checked (tests/examples/check_examples.py): the motion against Lagrange's equations in absolute
# angles; and, for a small amplitude, the lowest frequency against the closed form sqrt(x g/l), where x
# is the smallest zero of the Laguerre polynomial L_{n}.
sestina: 1
name: pendulum of {n} links
parameters: {{l: 0.25, m: 0.1}}                        # m, kg: each link, each particle
gravity: [0, -9.81, 0]
bodies:
"""


def write(n, angle):
    print(HEADER.format(n=n, angle=angle), end="")
    for i in range(1, n + 1):
        print(f"  - {{name: link{i}, mass: m, center_of_mass: [0, -l, 0], points: {{end: [0, -l, 0]}}}}")
    print("  - {name: pen, type: particle, mass: 0}               # adds the place of the end to the results")
    print("joints:")
    for i in range(1, n + 1):
        parent = "ground.origin" if i == 1 else f"link{i - 1}.end"
        start = f", q: {angle}" if i == 1 else ""
        print(f"  - {{name: j{i}, type: revolute, parent: {parent}, child: link{i}.origin,"
              f" axis: [0, 0, 1]{start}}}")
    print(f"  - {{name: pen_holder, type: weld, parent: link{n}.end, child: pen.origin}}")
    print("analysis:")
    print("  step: {driver: variable, rtol: 1e-10, atol: 1e-12}")
    print("  duration: 5")
    print("output: {every: 0.005}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("links", type=int, help="number of links")
    parser.add_argument("--angle", type=float, default=1.5, help="rad from the vertical (default 1.5)")
    options = parser.parse_args()
    if options.links < 1:
        parser.error("a pendulum has at least one link")
    write(options.links, options.angle)


if __name__ == "__main__":
    main()
