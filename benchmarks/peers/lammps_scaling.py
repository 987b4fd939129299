"""fix sestina on 1 and 2 ranks: melts of 32, 256 and 2048 chains of 16 beads with inertia.

    python lammps_scaling.py build/release/lammps/lmp_sestina mpiexec [ROUNDS]

The melt of examples/lammps, as often along each edge as it takes; rounds of all cases by turns. Prints medians of the
time for a step, and what of it the parts of LAMMPS take: forces, neighbours, communication, and fix sestina (Modify).
"""

import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
FORCES = """
units lj
atom_style bond
neighbor 0.4 bin
neigh_modify every 1 delay 0 check yes
comm_modify cutoff 3
bond_style zero
special_bonds lj 0 1 1
pair_style lj/cut 1.122462048309373
pair_modify shift yes
read_data warm.data
bond_coeff *
pair_coeff * * 1 1
replicate {edge} {edge} {edge}
timestep 0.012
velocity all create 1 5 loop all
fix chains all sestina bonds inertia 0.1 langevin 1 0.5 3
run {warm}
fix_modify chains langevin off
thermo 100000
run {steps}
"""


def run(command, folder):
    return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout


def main():
    lammps, mpiexec = str(pathlib.Path(sys.argv[1]).resolve()), sys.argv[2]
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 3
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        shutil.copy(ROOT / "examples/lammps/melt.data", folder)
        warm = (ROOT / "examples/lammps/in.articulated_melt").read_text().split("reset_timestep")[0]
        (folder / "in.warm").write_text(warm + "write_data warm.data nocoeff\n")
        run([lammps, "-in", "in.warm", "-log", "none"], folder)
        cases = [(edge, ranks) for edge in (1, 2, 4) for ranks in (1, 2)]
        found = {case: [] for case in cases}
        for _ in range(rounds):
            for edge, ranks in cases:
                steps = 6400 // edge**3
                text = FORCES.format(edge=edge, warm=max(50, steps // 4), steps=steps)
                (folder / "in.melt").write_text(text)
                out = run([mpiexec, *(["--allow-run-as-root"] if "open" in run([mpiexec, "--version"], folder).lower() else []),
                           "-n", str(ranks), lammps, "-in", "in.melt", "-log", "none"], folder)
                last = out.rsplit("Loop time of", 1)[1]
                seconds = float(last.split()[0])
                parts = {part: float(re.search(rf"^{part} +\|[^|]*\| *(\S+)", last, re.MULTILINE)[1])
                         for part in ("Pair", "Neigh", "Comm", "Modify")}
                found[edge, ranks].append((seconds / steps, {k: v / steps for k, v in parts.items()}))
        for (edge, ranks), runs in found.items():
            step = statistics.median(time for time, _ in runs)
            parts = "  ".join(f"{part} {1e6 * statistics.median(times[part] for _, times in runs):.0f}"
                              for part in ("Pair", "Neigh", "Comm", "Modify"))
            print(f"{32 * edge**3:5} chains, {ranks} ranks: {1e6 * step:8.0f} us a step   {parts}", flush=True)


if __name__ == "__main__":
    main()
