"""Grains that flow down a chute: Sestina and LAMMPS by turns, one core each, in one run.

    python lammps_chute.py build/release/apps/cli/sestina [hooke|hertz] [CELLS] [ROUNDS]

CELLS x CELLS x CELLS/2 spheres of diameter 1 on a floor that is inclined by 26 degrees, with the constants of LAMMPS'
benchmark `chute` (32,000 spheres: 40 cells). Requires the packages lammps and mpich, and LD_LIBRARY_PATH where mpich
put its libraries. Prints µs of the processor per sphere and step and the ratio of the medians. At last it compares
velocities after 1000 steps of 384 spheres in a periodic box, where both have the same laws and no wall.
"""

import math
import os
import pathlib
import random
import resource
import statistics
import subprocess
import sys
import tempfile

os.environ["OMP_NUM_THREADS"] = "1"
STEP = 1e-4
STIFFNESS = "2000.0 571.4285714285714 50.0 25.0 0.5 1"

CHILD = """
import lammps, resource, sys
lmp = lammps.lammps(cmdargs=["-screen", "none", "-log", "none"])
lmp.commands_string(sys.stdin.read())
used = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_utime
start = used()
lmp.command("run {steps} pre no")
print(1e6 * (used() - start) / {steps} / lmp.get_natoms(), lmp.version())
if {with_velocities}:
    print(*lmp.gather_atoms("v", 1, 3))
"""


def make_spheres(cells, layers, speed):
    rng = random.Random(1)
    noise = lambda size: [rng.uniform(-size, size) for _ in range(3)]
    sites = [(i, j, k) for k in range(layers) for j in range(cells) for i in range(cells)]
    places = [[0.5 + i + a, 0.5 + j + b, 0.52 + 0.98 * k + c] for (i, j, k) in sites for a, b, c in [noise(0.02)]]
    return places, [noise(speed) for _ in sites]


def sestina_model(law, cells, layers, spheres, has_floor):
    slope = math.radians(26)
    places, velocities = spheres
    extra = f"""  walls: [{{type: plane, at: [0, 0, 0], normal: [0, 0, 1]}}]
  fields: [{{type: gravity, acceleration: [{math.sin(slope)!r}, 0, {-math.cos(slope)!r}]}}]
""" if has_floor else ""
    return f"""sestina: 1
particles:
  species: [{{name: grain, mass: pi/6, radius: 0.5}}]
  box: {{lengths: [{cells}, {cells}, {layers}], periodic: [true, true, {'false' if has_floor else 'true'}]}}
  positions: {{list: [{", ".join(f"[grain, {x!r}, {y!r}, {z!r}]" for x, y, z in places)}]}}
  velocities: {velocities}
  pairs: [{{type: {law}, species: [grain, grain], stiffness: 2000, damping: 50, friction: 0.5,
           tangential_stiffness: 571.4285714285714}}]
{extra}  skin: 0.06
  trajectory: {{file: frames.dump}}
analysis: {{step: {{dt: {STEP}}}, duration: 0.1}}
output: {{every: 0.1}}
"""


def lammps_input(law, cells, layers, spheres, has_floor, folder):
    slope = math.radians(26)
    places, velocities = spheres
    lines = ["chute", "", f"{len(places)} atoms", "1 atom types", f"0 {cells} xlo xhi", f"0 {cells} ylo yhi",
             f"{-5 if has_floor else 0} {layers + (5 if has_floor else 0)} zlo zhi", "", "Atoms # sphere", ""]
    lines += [f"{i + 1} 1 1.0 1.0 {x!r} {y!r} {z!r}" for i, (x, y, z) in enumerate(places)]
    lines += ["", "Velocities", ""] + [f"{i + 1} {x!r} {y!r} {z!r} 0 0 0" for i, (x, y, z) in enumerate(velocities)]
    data = pathlib.Path(folder, "spheres.data")
    data.write_text("\n".join(lines) + "\n")
    floor = f"""fix 2 all gravity 1.0 vector {math.sin(slope)!r} 0 {-math.cos(slope)!r}
fix 3 all wall/gran {law}/history {STIFFNESS} zplane 0.0 NULL
""" if has_floor else ""
    return f"""units lj
atom_style sphere
boundary p p {'f' if has_floor else 'p'}
newton off
comm_modify vel yes
read_data {data}
pair_style gran/{law}/history {STIFFNESS}
pair_coeff * *
neighbor 0.1 bin
neigh_modify delay 0
fix 1 all nve/sphere
{floor}timestep {STEP}
thermo 1000000
run 0
"""


def run_sestina(program, model, steps, folder):
    file = pathlib.Path(folder, "chute.yaml")
    file.write_text(model)
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    times = [f"analysis.duration={steps * STEP!r}", f"output.every={steps * STEP!r}"]
    options = ["--threads", "1", "--quiet", "--set", times[0], "--set", times[1]]
    subprocess.run([program, "run", file, *options], check=True, capture_output=True)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def run_lammps(text, steps, with_velocities=False):
    child = CHILD.format(steps=steps, with_velocities=with_velocities)
    return subprocess.run([sys.executable, "-c", child], check=True, capture_output=True, text=True,
                          input=text).stdout.splitlines()


def compare_speed(program, law, cells, rounds, folder):
    layers, steps = cells // 2, 1000
    spheres = make_spheres(cells, layers, 0.3)
    model = sestina_model(law, cells, layers, spheres, True)
    text = lammps_input(law, cells, layers, spheres, True, folder)
    count = len(spheres[0])
    ours, theirs = [], []
    for _ in range(rounds):
        reading = run_sestina(program, model, 1, folder)
        ours.append(1e6 * (run_sestina(program, model, steps + 1, folder) - reading) / steps / count)
        line = run_lammps(text, steps)[0].split()
        theirs.append(float(line[0]))
        print(f"sestina {ours[-1]:.4f}   lammps {theirs[-1]:.4f} µs per sphere and step", flush=True)
    ratio = statistics.median(ours) / statistics.median(theirs)
    print(f"{law}, {count} spheres, medians of {rounds}: sestina / lammps = {ratio:.3f} (lammps {line[1]})")


def compare_motion(program, law, folder):
    spheres = make_spheres(8, 6, 1.0)
    run_sestina(program, sestina_model(law, 8, 6, spheres, False), 1000, folder)
    frame = pathlib.Path(folder, "frames.dump").read_text().split("ITEM: ATOMS")[-1].splitlines()[1:]
    ours = {int(words[0]): [float(w) for w in words[-3:]] for words in map(str.split, frame)}
    text = lammps_input(law, 8, 6, spheres, False, folder)
    theirs = [float(w) for w in run_lammps(text, 1000, True)[1].split()]
    most = max(abs(a - b) for i in ours for a, b in zip(ours[i], theirs[3 * i - 3:3 * i]))
    print(f"{law}: velocities of {len(ours)} spheres after 1000 steps differ by at most {most:.1e} of "
          f"{max(map(abs, theirs)):.2f} (frames have nine digits)")


def main():
    program, *rest = sys.argv[1:]
    law, cells, rounds = (rest + ["hooke", "40", "3"][len(rest):])[:3]
    with tempfile.TemporaryDirectory() as folder:
        compare_motion(program, law, folder)
        compare_speed(program, law, int(cells), int(rounds), folder)


main()
