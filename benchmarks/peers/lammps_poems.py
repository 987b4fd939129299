"""527 jointed bodies (31 chains of 17): fix poems and fix sestina in one LAMMPS, and sestina run; by turns, one core
each, in one run.

    python lammps_poems.py build/release/lammps/lmp_sestina build/release/apps/cli/sestina [ROUNDS]

A body is a bead of mass 1 with the isotropic inertia 0.1: an atom of mass 0.4 that repels others, and four of mass 0.15
around it that do not. It turns about the bead before, at a distance of 0.97. Chains do not meet, since fix poems cannot
have them cross the faces of the box. Both fixes start from the same state, which fix sestina prepares with its
thermostat. `sestina run` has the same bodies of five atoms, and single beads with the same inertia.

Prints steps in a second of the processor and the deviation of the total energy, and the ratios of the medians.
"""

import math
import pathlib
import random
import re
import resource
import statistics
import subprocess
import sys
import tempfile

CHAINS, BODIES, LENGTH, SPACING = 31, 17, 0.97, 24.0
SIDE = math.ceil(CHAINS ** (1 / 3))
BOX = SIDE * SPACING
AROUND = [(0.5 / math.sqrt(3) * a, 0.5 / math.sqrt(3) * b, 0.5 / math.sqrt(3) * a * b)
          for a, b in ((1, 1), (1, -1), (-1, 1), (-1, -1))]  # a tetrahedron
DT = 0.005

LAMMPS = """
units lj
atom_style molecular
read_data five.data
pair_style lj/cut 1.122462048309373
pair_modify shift yes
pair_coeff * * 0 1
pair_coeff 1 1 1 1
neighbor 0.4 bin
neigh_modify every 1 delay 0 check yes
neigh_modify exclude type 1 2
neigh_modify exclude type 2 2
timestep {dt}
velocity all create 1 5 loop all
fix warm all sestina file bodies langevin 1 0.5 9
run 4000
unfix warm
reset_timestep 0
fix bodies all {fix} file bodies
thermo_style custom step pe ke
thermo_modify norm no format float %.12g
thermo {every}
run {steps}
"""

MODEL = """sestina: 1
particles:
  species: [{{name: bead, mass: {mass}}}{silent}]
  positions: {{file: {data}}}
  bonds: [{bond}]
  pairs: [{{type: wca, species: [bead, bead], epsilon: 1, sigma: 1}}]
  velocities: {{temperature: 1, seed: 5}}
  skin: 0.4
{bodies}
analysis: {{step: {{dt: {dt}}}, duration: {duration}}}
output: {{every: {every}}}
"""


def walk(numbers, start):
    places = [start]
    while len(places) < BODIES:
        z, turn = numbers.uniform(-1, 1), numbers.uniform(0, 2 * math.pi)
        flat = math.sqrt(1 - z * z)
        step = (flat * math.cos(turn), flat * math.sin(turn), z)
        place = tuple(x + LENGTH * d for x, d in zip(places[-1], step, strict=True))
        if all(math.dist(place, other) > 1.2 for other in places[:-1]):
            places.append(place)
    return places


def write_data(path, atoms, types, bonds):
    """Atoms are (molecule, type, place)."""
    masses = ["1 0.4", "2 0.15"] if types == 2 else ["1 1"]
    lines = ["chains\n", f"{len(atoms)} atoms", f"{types} atom types", f"{len(bonds)} bonds", "1 bond types"]
    lines += [f"0 {BOX} {axis}lo {axis}hi" for axis in "xyz"] + ["\nMasses\n", *masses, "\nAtoms # molecular\n"]
    lines += [f"{i} {m} {kind} {' '.join(map(repr, place))}" for i, (m, kind, place) in enumerate(atoms, 1)]
    if bonds:
        lines += ["\nBonds\n"] + [f"{k} 1 {i} {j}" for k, (i, j) in enumerate(bonds, 1)]
    path.write_text("\n".join(lines) + "\n")


def make_inputs(folder):
    numbers = random.Random(4)
    five, table, bodies, beads, bonds = [], [], [], [], []
    for chain in range(CHAINS):
        grid = (chain % SIDE, chain // SIDE % SIDE, chain // SIDE**2)
        for b, place in enumerate(walk(numbers, tuple((g + 0.5) * SPACING for g in grid))):
            first, body = len(five) + 1, len(table)
            five.append((chain + 1, 1, place))
            five += [(chain + 1, 2, tuple(x + d for x, d in zip(place, offset, strict=True))) for offset in AROUND]
            own = list(range(first, first + 5))
            table.append(" ".join(map(str, [body + 1, "rigidbody", *own, *([first - 5] if b > 0 else [])])))
            joint = f", parent: {body - 1}, joint: spherical, at: {first - 6}" if b > 0 else ""
            bodies.append(f"    - {{particles: {[i - 1 for i in own]}{joint}}}")
            beads.append((chain + 1, 1, place))
            if b > 0:
                bonds.append((len(beads) - 1, len(beads)))
    write_data(folder / "five.data", five, 2, [])
    write_data(folder / "beads.data", beads, 1, bonds)
    (folder / "bodies").write_text("\n".join(table) + "\n")
    return "\n".join(["  bodies:", *bodies])


def run_lammps(program, folder, fix, steps):
    every = max(1, steps // 100)
    (folder / "in.bodies").write_text(LAMMPS.format(fix=fix, dt=DT, steps=steps, every=every))
    text = subprocess.run([program, "-in", "in.bodies", "-log", "none"], check=True, cwd=folder, capture_output=True,
                          text=True).stdout
    last = text.rsplit("Step PotEng KinEng", 1)[1]
    rows = re.findall(r"^\s*\d+\s+(\S+)\s+(\S+)\s*$", last, re.MULTILINE)
    total = [float(pe) + float(ke) for pe, ke in rows]
    seconds = float(re.search(r"Loop time of (\S+)", last)[1])
    return steps / seconds, statistics.pstdev(total) / statistics.mean(float(ke) for _, ke in rows)


def run_sestina(program, folder, steps, **parts):
    every = max(1, steps // 100)

    def run(count):
        text = MODEL.format(dt=DT, duration=count * DT, every=every * DT, **parts)
        (folder / "model.yaml").write_text(text)
        begin = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        subprocess.run([program, "run", "model.yaml", "--out", "rows.csv", "--quiet", "--threads", "1"], check=True,
                       cwd=folder)
        return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - begin

    reading = run(every)
    spent = run(steps + every) - reading
    rows = [line.split(",") for line in (folder / "rows.csv").read_text().splitlines() if not line.startswith("#")]
    column = {name: [float(row[i]) for row in rows[1:]] for i, name in enumerate(rows[0])}
    return steps / spent, statistics.pstdev(column["energy.total"]) / statistics.mean(column["energy.kinetic"])


def main():
    lammps, sestina = (str(pathlib.Path(path).resolve()) for path in sys.argv[1:3])
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 5
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        bodies = make_inputs(folder)
        five = {"mass": 0.4, "silent": ", {name: silent, mass: 0.15}", "data": "five.data", "bodies": bodies,
                "bond": "{type: rigid, length: 1}"}
        beads = {"mass": 1, "silent": "", "data": "beads.data", "bodies": "",
                 "bond": f"{{type: spherical, length: {LENGTH}, inertia: 0.1}}"}
        cases = {"fix poems": lambda: run_lammps(lammps, folder, "poems", 200),
                 "fix sestina": lambda: run_lammps(lammps, folder, "sestina", 4000),
                 "sestina run, five atoms": lambda: run_sestina(sestina, folder, 4000, **five),
                 "sestina run, beads": lambda: run_sestina(sestina, folder, 8000, **beads)}
        rates = {case: [] for case in cases}
        for _ in range(rounds):
            for case, measure in cases.items():
                rate, deviation = measure()
                rates[case].append(rate)
                print(f"{case:24} {rate:8.0f} steps/s   energy +- {deviation:.1e}", flush=True)
    base = statistics.median(rates["fix poems"])
    for case, values in rates.items():
        print(f"{case:24} {statistics.median(values):8.0f} steps/s   {statistics.median(values) / base:.1f} of fix poems")


if __name__ == "__main__":
    main()
