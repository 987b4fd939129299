#!/usr/bin/env python3
"""fix sestina in LAMMPS: fix_test.py LMP_SESTINA SESTINA MPIEXEC.

The first seven tests are the seven defects of LAMMPS' own fix poems, which stops or goes wrong in each of these cases.
"""

import math
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

lmp = sestina = mpiexec = ""  # set below

FORCES = """
units lj
atom_style bond
read_data {data}
reset_timestep 0
bond_style zero
bond_coeff *
comm_modify cutoff 3
pair_style lj/cut 1.122462048309373
pair_coeff * * 1 1
pair_modify shift yes
special_bonds lj 0 1 1
neighbor 0.4 bin
neigh_modify every 1 delay 0 check yes
"""


def walk(random_numbers, start, beads, length):
    """A self-avoiding enough random walk."""
    places = [start]
    while len(places) < beads:
        z, turn = random_numbers.uniform(-1, 1), random_numbers.uniform(0, 2 * math.pi)
        flat = math.sqrt(1 - z * z)
        last = places[-1]
        place = (last[0] + length * flat * math.cos(turn), last[1] + length * flat * math.sin(turn), last[2] + length * z)
        if all(math.dist(place, other) > 1.1 * length for other in places[:-1]):
            places.append(place)
    return places


def write_data(path, molecules, box, bonds=None):
    """Molecules are lists of places; bonds are along them unless given as pairs of numbers from 1."""
    places = [(m + 1, place) for m, molecule in enumerate(molecules) for place in molecule]
    if bonds is None:
        bonds = []
        first = 1
        for molecule in molecules:
            bonds += [(first + i, first + i + 1) for i in range(len(molecule) - 1)]
            first += len(molecule)
    lines = ["chains", "", f"{len(places)} atoms", "1 atom types", f"{len(bonds)} bonds", "1 bond types"]
    lines += [f"0 {box} {a}lo {a}hi" for a in "xyz"] + ["", "Masses", "", "1 1.0", "", "Atoms # bond", ""]
    for i, (molecule, place) in enumerate(places):
        images = [math.floor(x / box) for x in place]
        inside = [repr(x - box * image) for x, image in zip(place, images)]
        lines.append(" ".join([str(i + 1), str(molecule), "1", *inside, *map(str, images)]))
    if bonds:
        lines += ["", "Bonds", ""] + [f"{k + 1} 1 {i} {j}" for k, (i, j) in enumerate(bonds)]
    path.write_text("\n".join(lines) + "\n")


class FixTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)

    def run_lammps(self, script, ranks=1, data="chains.data", expect=0):
        text = FORCES.format(data=data) + script if data else script
        (self.path / "in.test").write_text(text)
        command = [mpiexec, "--allow-run-as-root", "--oversubscribe", "-n", str(ranks), lmp, "-in", "in.test"]
        done = subprocess.run(command + ["-log", "none"], cwd=self.path, capture_output=True, text=True, timeout=120)
        if expect == 0:
            self.assertEqual(done.returncode, 0, done.stdout[-1500:] + done.stderr[-500:])
        else:
            self.assertNotEqual(done.returncode, 0, done.stdout[-1500:])
        return done.stdout + done.stderr

    @staticmethod
    def rows(output):
        """The rows of all thermo tables: dictionaries of numbers."""
        found, names = [], None
        for line in output.splitlines():
            words = line.split()
            if words[:1] == ["Step"]:
                names = words
            elif names and len(words) == len(names) and words[0].isdigit():
                found.append(dict(zip(names, map(float, words))))
            elif words[:1] == ["Loop"]:
                names = None
        return found

    def positions(self, name="end.dump"):
        """{id: (xu, yu, zu, vx, vy, vz)} of a dump's last frame."""
        lines = (self.path / name).read_text().splitlines()
        last = max(i for i, line in enumerate(lines) if line.startswith("ITEM: ATOMS"))
        return {int(words[0]): [float(x) for x in words[1:]] for words in (line.split() for line in lines[last + 1 :])}

    DUMP = "\nwrite_dump all custom end.dump id xu yu zu vx vy vz modify format float %22.15e\n"
    ROWS = "\nthermo_style custom step pe f_s f_s[2] f_s[3] temp press\nthermo_modify norm no\nthermo 50\n"

    def chains(self, count, beads, box, seed=5, spacing=None, length=0.97):
        """Chains that do not touch, on a grid."""
        numbers = random.Random(seed)
        side = math.ceil(count ** (1 / 3))
        spacing = spacing or box / side
        starts = [((i % side) * spacing, (i // side % side) * spacing, (i // side**2) * spacing) for i in range(count)]
        molecules = [walk(numbers, start, beads, length) for start in starts]
        write_data(self.path / "chains.data", molecules, box)
        return molecules

    def energies(self, output):
        return [row["PotEng"] + row["f_s"] for row in self.rows(output)]

    def assert_conserved(self, output, tolerance=2e-3):
        rows = self.rows(output)
        energies = self.energies(output)
        scale = max(row["f_s"] for row in rows)
        self.assertGreater(scale, 0.0)
        self.assertLess(max(energies) - min(energies), tolerance * scale)

    def assert_lengths(self, length=0.97, beads=16, end="end.dump"):
        places = self.positions(end)
        for i in places:
            if i % beads:
                self.assertAlmostEqual(math.dist(places[i][:3], places[i + 1][:3]), length, delta=1e-9)

    # ---- the seven defects of fix poems -----------------------------------------------------------------------------

    def test_1_pairs_of_beads_on_massless_links(self):
        self.chains(8, 16, 40)
        out = self.run_lammps("velocity all create 1 7\nfix s all sestina bonds" + self.ROWS + "timestep 0.005\nrun 1000"
                              + self.DUMP)
        self.assert_conserved(out)
        self.assert_lengths()
        freedoms = 8 * (3 * 16 - 15)
        for row in self.rows(out):
            self.assertEqual(row["f_s[2]"], freedoms)
            self.assertAlmostEqual(row["f_s"], 0.5 * freedoms * row["f_s[3]"], delta=1e-3)
            # LAMMPS takes the total momentum out of its degrees of freedom.
            self.assertAlmostEqual(row["Temp"] * (freedoms - 3), 2 * row["f_s"], delta=1e-2)

    def test_2_a_chain_across_the_face(self):
        numbers = random.Random(3)
        molecule = walk(numbers, (7.9, 7.9, 7.9), 16, 0.97)
        for shift in (0.0, 3.0):
            write_data(self.path / "chains.data", [[tuple(x + shift for x in place) for place in molecule]], 16.0)
            self.run_lammps("velocity all create 1 7 loop all\nfix s all sestina bonds inertia 0.1" + self.ROWS
                            + "timestep 0.005\nrun 300" + self.DUMP)
            places = self.positions()
            if shift == 0.0:
                first = places
        for i, place in places.items():
            for a in range(3):
                self.assertAlmostEqual(place[a] - 3.0, first[i][a], delta=1e-8)

    def test_3_any_numbers_of_chains_and_beads(self):
        for count, beads in ((2, 16), (32, 16), (3, 5)):
            self.chains(count, beads, 60, seed=count)
            out = self.run_lammps("velocity all create 1 7\nfix s all sestina bonds inertia 0.1" + self.ROWS
                                  + "timestep 0.005\nrun 200" + self.DUMP)
            self.assert_conserved(out)
            self.assert_lengths(beads=beads)

    # Bodies of three atoms whose neighbours share one, from a file.
    def bodies_of_atoms(self, bodies=6):
        numbers = random.Random(11)
        centres = walk(numbers, (10, 10, 10), bodies + 1, 2.0)
        places = []
        for a, b in zip(centres, centres[1:]):
            places.append(a)
            places.append(tuple((x + y) / 2 + d for x, y, d in zip(a, b, (0.3, 0.4, -0.2))))
        places.append(centres[-1])
        write_data(self.path / "chains.data", [places], 30.0, bonds=[])
        table = "\n".join(f"{b + 1} rigidbody {2 * b + 1} {2 * b + 2} {2 * b + 3}" for b in range(bodies))
        (self.path / "bodies").write_text(table + "\n")
        return places

    def test_4_a_file_on_two_ranks(self):
        places = self.bodies_of_atoms()
        script = ("velocity all create 1 7 loop all\nfix s all sestina file bodies" + self.ROWS
                  + "timestep 0.005\nrun 400" + self.DUMP)
        self.run_lammps(script, ranks=1)
        one = self.positions()
        out = self.run_lammps(script, ranks=2)
        two = self.positions()
        self.assert_conserved(out)
        self.assertEqual(self.rows(out)[0]["f_s[2]"], 6 + 3 * 5)
        for i in one:
            for a in range(6):
                self.assertAlmostEqual(one[i][a], two[i][a], delta=1e-9)
        for b in range(6):
            i = 2 * b + 1
            self.assertAlmostEqual(math.dist(one[i][:3], one[i + 1][:3]), math.dist(places[i - 1], places[i]), delta=1e-9)

    def test_5_a_second_run(self):
        self.chains(2, 16, 30)
        begin = "velocity all create 1 7\nfix s all sestina bonds inertia 0.1" + self.ROWS + "timestep 0.005\n"
        self.run_lammps(begin + "run 400" + self.DUMP)
        whole = self.positions()
        out = self.run_lammps(begin + "run 150\nrun 100\nrun 150" + self.DUMP)
        self.assert_conserved(out)
        parts = self.positions()
        for i in whole:
            for a in range(6):
                self.assertAlmostEqual(whole[i][a], parts[i][a], delta=1e-8)

    def test_6_multiple_time_steps(self):
        self.chains(2, 16, 30)
        script = "bond_style harmonic\nbond_coeff 1 100 0.97\nvelocity all create 1 7\nfix s all sestina bonds inertia 0.1"
        out = self.run_lammps(script + self.ROWS + "run_style respa 2 4 bond 1 pair 2\ntimestep 0.008\nrun 500" + self.DUMP)
        self.assert_conserved(out)
        self.assert_lengths()
        # Without forces in the inner level the steps of the outer one are those of the plain rule.
        self.run_lammps(script.replace("harmonic", "zero").replace("1 100 0.97", "1") + self.ROWS
                        + "run_style respa 2 1 bond 1 pair 2\ntimestep 0.005\nrun 100" + self.DUMP)
        respa = self.positions()
        self.run_lammps(script.replace("harmonic", "zero").replace("1 100 0.97", "1") + self.ROWS
                        + "timestep 0.005\nrun 100" + self.DUMP)
        plain = self.positions()
        for i in plain:
            for a in range(6):
                self.assertAlmostEqual(respa[i][a], plain[i][a], delta=1e-9)

    def test_7_velocities_that_joints_do_not_allow(self):
        self.chains(4, 16, 30)
        out = self.run_lammps("velocity all create 1 7\nfix s all sestina bonds" + self.ROWS + "timestep 0.001\nthermo 1\n"
                              "run 5" + self.DUMP)
        energies = self.energies(out)
        self.assertLess(max(energies) - min(energies), 1e-4 * energies[0])
        places = self.positions()
        for i in places:
            if i % 16:
                d = [places[i + 1][a] - places[i][a] for a in range(3)]
                rate = sum(d[a] * (places[i + 1][3 + a] - places[i][3 + a]) for a in range(3))
                self.assertAlmostEqual(rate, 0.0, delta=1e-9)

    # ---- against sestina run, and over ranks ------------------------------------------------------------------------

    MELT = ("velocity all create 1 7 loop all\nfix s all sestina bonds inertia 0.1" + ROWS + "timestep 0.005\n")

    def melt(self):
        """27 chains, dense enough to touch each other: soft ones first, then LAMMPS' bonds to the right length."""
        self.chains(27, 8, 9.0, spacing=3.0)
        self.run_lammps("bond_style harmonic\nbond_coeff 1 500 0.97\nfix n all nve/limit 0.02\n"
                        "fix l all langevin 1 1 1 5\nrun 1500\nwrite_data soft.data nocoeff")
        return "soft.data"

    def test_agrees_with_sestina_run(self):
        """Chains of a model file, where the lengths are those of the bonds, step for step."""
        self.chains(6, 8, 12.0, spacing=5.0)
        self.run_lammps("velocity all create 1 7 loop all\nrun 0" + self.DUMP)
        begin = self.positions()
        self.run_lammps("velocity all create 1 7 loop all\nfix s all sestina bonds inertia 0.1" + self.ROWS
                        + "timestep 0.005\nrun 400" + self.DUMP)
        end = self.positions()
        lines = ["sestina: 1", "particles:", "  species: [{name: bead, mass: 1}]", "  positions: {file: chains.data}",
                 "  bonds: [{type: spherical, length: 0.97, inertia: 0.1}]",
                 "  pairs: [{type: wca, species: [bead, bead], epsilon: 1, sigma: 1}]", "  skin: 0.4",
                 "  trajectory: {file: end.lammpstrj, every: 2}", "  velocities:"]
        lines += ["    - [" + ", ".join(repr(x) for x in begin[i][3:]) + "]" for i in sorted(begin)]
        lines += ["analysis: {step: {dt: 0.005}, duration: 2}", "output: {every: 1}"]
        (self.path / "melt.yaml").write_text("\n".join(lines) + "\n")
        done = subprocess.run([sestina, "run", "melt.yaml", "-o", "melt.csv"], cwd=self.path, capture_output=True,
                              text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        ours = self.positions("end.lammpstrj")
        for i in end:
            for a in range(3):
                self.assertAlmostEqual(end[i][a], ours[i][1 + a], delta=1e-7)

    def test_ranks_agree(self):
        data = self.melt()
        ends = {}
        for ranks in (1, 2, 4):
            out = self.run_lammps(self.MELT + "run 100" + self.DUMP, ranks=ranks, data=data)
            self.assert_conserved(out)
            ends[ranks] = self.positions()
        for ranks in (2, 4):
            worst = max(abs(x - y) for i in ends[1] for x, y in zip(ends[1][i], ends[ranks][i]))
            # Forces are sums in another order: 1e-15, which collisions multiply by some hundred in a time of 0.5.
            self.assertLess(worst, 1e-9)

    def test_near_pair_forces_are_fast_and_far_ones_slow(self):
        """LAMMPS splits the pair force by a switch between two distances; the fix takes each part at its level."""
        data = self.melt()
        pairs = "pair_style lj/cut 2.5\npair_coeff * * 1 1\npair_modify shift yes\n"
        script = self.MELT.replace("timestep 0.005\n", pairs)

        def positions(steps, dt):
            time = f"timestep {dt}\nthermo {round(0.2 / dt)}\nrun {round(0.4 / dt)}"
            out = self.run_lammps(script + steps + time + self.DUMP, data=data)
            self.assert_conserved(out)
            return self.positions()

        def distance(one, other):
            return max(abs(x - y) for i in one for x, y in zip(one[i][:3], other[i][:3]))

        exact = positions("", 0.0005)
        split = "run_style respa 3 1 2 bond 1 inner 2 1.3 1.8 outer 3\n"
        coarse, fine = (distance(positions(split, dt), exact) for dt in (0.008, 0.004))
        self.assertGreater(coarse, 1e-5)
        self.assertLess(coarse, 1e-3)
        self.assertAlmostEqual(coarse / fine, 4.0, delta=0.6)  # second order

    def test_restart(self):
        data = self.melt()
        self.run_lammps(self.MELT + "run 60\nwrite_restart half.restart\nrun 60" + self.DUMP, data=data)
        whole = self.positions()
        script = FORCES.replace("atom_style bond\nread_data {data}\nreset_timestep 0", "read_restart half.restart")
        for ranks in (1, 2):
            self.run_lammps(script + "fix s all sestina bonds inertia 0.1" + self.ROWS + "timestep 0.005\nrun 60"
                            + self.DUMP, data=None, ranks=ranks)
            again = self.positions()
            worst = max(abs(x - y) for i in whole for x, y in zip(whole[i], again[i]))
            self.assertLess(worst, 1e-9)

    def test_thermostat_and_pressure(self):
        """The mean temperature, with any number of ranks, and the pressure of molecules that do not meet."""
        self.chains(27, 4, 30.0, spacing=9.0)
        script = "fix s all sestina bonds inertia 0.2 langevin 1.5 0.5 12" + self.ROWS + "timestep 0.01\nrun 4000" + self.DUMP
        out = self.run_lammps(script)
        rows = self.rows(out)[20:]
        mean = sum(row["f_s[3]"] for row in rows) / len(rows)
        self.assertAlmostEqual(mean, 1.5, delta=0.05)
        one = self.positions()
        self.run_lammps(script, ranks=2)
        self.assertLess(max(abs(x - y) for i in one for x, y in zip(one[i], self.positions()[i])), 1e-3)
        # The molecules are an ideal gas: P V = 27 kT.
        pressure = sum(row["Press"] for row in rows) / len(rows)
        self.assertAlmostEqual(pressure * 30.0**3, 27 * 1.5, delta=0.25 * 27 * 1.5)

    def test_all_joints(self):
        """A chain of bodies of three atoms, each joint of another kind, over ranks that hold atoms of one body."""
        numbers = random.Random(2)
        places = []
        for b in range(7):
            corner = (2.0 + 1.6 * b, 4.0 + 0.3 * b, 5.0)
            places += [corner, (corner[0] + 0.9, corner[1] + 0.2, corner[2]),
                       (corner[0] - 0.1, corner[1] + 0.45, corner[2] + numbers.uniform(0.3, 0.5))]
        write_data(self.path / "chains.data", [places], 20.0, bonds=[])
        kinds = ["spherical", "revolute", "universal", "prismatic", "cylindrical", "planar"]
        lines = [f"{b + 1} b {3 * b + 1} {3 * b + 2} {3 * b + 3}" for b in range(7)]
        for b, kind in enumerate(kinds):
            first = 3 * b + 4  # of the child
            # The second axis is at right angles to the first: (-0.1, 0.45, z) . (0.9, 0.2, 0) = 0.
            lines.append(f"joint {b + 2} {b + 1} {kind} at {first} along {first} {first + 1} across {first} {first + 2}")
        (self.path / "bodies").write_text("\n".join(lines) + "\n")
        script = "neigh_modify exclude group all all\nvelocity all create 1 7 loop all\nfix s all sestina file bodies" + self.ROWS + "timestep 0.002\nrun 500"
        out = self.run_lammps(script + self.DUMP)
        self.assertEqual(self.rows(out)[0]["f_s[2]"], 6 + 3 + 1 + 2 + 1 + 2 + 3)
        self.assert_conserved(out)
        one = self.positions()
        self.run_lammps(script + self.DUMP, ranks=2)
        self.assertLess(max(abs(x - y) for i in one for x, y in zip(one[i], self.positions()[i])), 1e-9)

    def test_motion_of_a_rigid_body_agrees_with_fix_rigid(self):
        """A body of four atoms that turns: LAMMPS' own integrator, which is of second order as well."""
        places = [(5, 5, 5), (6, 5.2, 5.1), (4.8, 6.1, 5.3), (5.2, 4.7, 6.4)]
        write_data(self.path / "chains.data", [places], 20.0, bonds=[])
        (self.path / "bodies").write_text("1 rigidbody 1 2 3 4\n")
        for fix in ("rigid single", "sestina file bodies"):
            self.run_lammps("neigh_modify exclude group all all\nvelocity all create 1 7\n" + f"fix s all {fix}\ntimestep 0.001\nrun 1000" + self.DUMP)
            if fix.startswith("rigid"):
                expected = self.positions()
        found = self.positions()
        for i in found:
            for a in range(6):
                self.assertAlmostEqual(found[i][a], expected[i][a], delta=1e-4)

    # ---- what is refused --------------------------------------------------------------------------------------------

    def refusal(self, fix, table=None, bonds=None):
        write_data(self.path / "chains.data", [[(1, 1, 1), (2, 1, 1), (2, 2, 1), (1, 2, 1.2)]], 20.0, bonds=bonds)
        if table is not None:
            (self.path / "bodies").write_text(table)
        return self.run_lammps(f"fix s all sestina {fix}\nrun 1", expect=1)

    def test_bad_input_is_named(self):
        self.assertIn("'chains' is not one of bonds, file", self.refusal("chains"))
        self.assertIn("'fast' is not one of langevin, torsion, inertia", self.refusal("bonds fast"))
        self.assertIn("'-1' is not the inertia of an atom", self.refusal("bonds inertia -1"))
        self.assertIn("the seed of langevin is missing", self.refusal("bonds langevin 1 1"))
        self.assertIn("cannot read 'nowhere'", self.refusal("file nowhere"))
        self.assertIn("closes a ring", self.refusal("bonds", bonds=[(1, 2), (2, 3), (3, 4), (4, 1)]))
        self.assertIn("bodies:2: there is no body 7", self.refusal("file bodies", "1 b 1 2\njoint 7 1 spherical at 1\n"))
        self.assertIn("missing", self.refusal("file bodies", "1 b 1 2 9\n"))
        self.assertIn("needs a box with edges at right angles", self.run_lammps(
            "change_box all triclinic\nfix s all sestina bonds\nrun 1", expect=1))


if __name__ == "__main__":
    lmp, sestina, mpiexec = (str(pathlib.Path(path).resolve()) for path in sys.argv[1:4])
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
