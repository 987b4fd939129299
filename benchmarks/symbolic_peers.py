#!/usr/bin/env python3
"""Derives the planar pendulum of n particles with SymPy and compares with bench_symbolic.

    python3 -m venv VENV && VENV/bin/pip install sympy
    VENV/bin/python benchmarks/symbolic_peers.py build/bench/benchmarks/bench_symbolic [largest n]

The work is the same on both sides: from nothing to the mass matrix and the forcing of Kane's method. Processor
time; of SymPy one derivation in a fresh process for each n, the import of SymPy left out.
"""

import subprocess
import sys
import time


def derive(n):
    """Seconds of processor time, and operations of M and f as they stand and with shared parts counted once."""
    from sympy import cse, symbols
    from sympy.physics.mechanics import KanesMethod, Particle, Point, ReferenceFrame, dynamicsymbols

    start = time.process_time()
    q, u = dynamicsymbols(f"q:{n}"), dynamicsymbols(f"u:{n}")
    m, l = symbols(f"m:{n}"), symbols(f"l:{n}")
    g, t = symbols("g t")
    frame = ReferenceFrame("N")
    point = Point("P")
    point.set_vel(frame, 0)
    particles, loads, kinematics = [], [], []
    for i in range(n):
        link = frame.orientnew(f"A{i}", "Axis", [q[i], frame.z])
        link.set_ang_vel(frame, u[i] * frame.z)
        end = point.locatenew(f"P{i}", l[i] * link.x)
        end.v2pt_theory(point, frame, link)
        particles.append(Particle(f"Pa{i}", end, m[i]))
        loads.append((end, m[i] * g * frame.x))
        kinematics.append(q[i].diff(t) - u[i])
        point = end
    kane = KanesMethod(frame, q_ind=q, u_ind=u, kd_eqs=kinematics)
    kane.kanes_equations(particles, loads)
    mass_matrix, forcing = kane.mass_matrix, kane.forcing
    seconds = time.process_time() - start
    flat = sum(e.count_ops() for e in list(mass_matrix) + list(forcing))
    parts, outputs = cse([mass_matrix, forcing])
    shared = sum(e.count_ops() for _, e in parts) + sum(e.count_ops() for o in outputs for e in o)
    return seconds, flat, shared


def ours(program, largest):
    """{n: (milliseconds, operations)} from the table that the program prints."""
    lines = subprocess.run([program, str(largest)], check=True, capture_output=True, text=True).stdout.splitlines()
    rows = [line.split() for line in lines if line.split() and line.split()[0].isdigit()]
    return {int(row[0]): (float(row[1]), int(row[3])) for row in rows}


def main():
    if sys.argv[1:2] == ["--derive"]:
        print(*derive(int(sys.argv[2])))
        return
    program, largest = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 16
    import sympy

    print(f"SymPy {sympy.__version__}, Python {sys.version.split()[0]}")
    print(f"{'n':>4} {'ratio':>9} {'SymPy s':>9} {'ours ms':>9} {'flat ops':>9} {'shared':>9} {'our ops':>9}")
    for n, (milliseconds, operations) in ours(program, largest).items():
        result = subprocess.run([sys.executable, __file__, "--derive", str(n)], check=True, capture_output=True, text=True)
        seconds, flat, shared = result.stdout.split()
        ratio = float(seconds) / (1e-3 * milliseconds)
        print(f"{n:4d} {ratio:9.0f} {float(seconds):9.3f} {milliseconds:9.3f} {flat:>9} {shared:>9} {operations:9d}", flush=True)


if __name__ == "__main__":
    main()
