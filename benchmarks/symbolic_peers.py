#!/usr/bin/env python3
"""Derives the planar pendulum of n particles with SymPy, PyDy and CasADi, and compares with bench_symbolic.

    python3 -m venv VENV && VENV/bin/pip install sympy pydy cython setuptools casadi numpy
    VENV/bin/python benchmarks/symbolic_peers.py build/bench/benchmarks/bench_symbolic [largest n]

SymPy does the same work as we: frames, points and Kane's method, from nothing to the mass matrix M and the forcing f.
CasADi has no mechanics: it is given the kinetic and potential energy and finds M and f of Lagrange's method by
automatic differentiation. Evaluated is M and f at one state: SymPy's through lambdify(cse=True) to NumPy, PyDy's as the C
that it generates from SymPy's and has compiled, called from Python, CasADi's in its virtual machine. PyDy derives with
SymPy; its column holds what generating and compiling take beside that. Processor time; each derivation in a fresh process, imports left out. What is not installed is left out.
"""

import subprocess
import sys
import time


def timed(function):
    start = time.process_time()
    result = function()
    return result, time.process_time() - start


def time_call(function):
    """The least seconds of a call, of five rounds of at least 20 ms."""
    best = float("inf")
    for _ in range(5):
        calls, start = 0, time.process_time()
        while (spent := time.process_time() - start) < 0.02:
            function()
            calls += 1
        best = min(best, spent / calls)
    return best


def derive_by_sympy(n):
    from sympy import symbols
    from sympy.physics.mechanics import KanesMethod, Particle, Point, ReferenceFrame, dynamicsymbols

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
    return [*q, *u, *m, *l, g], kane.mass_matrix, kane.forcing


def sympy_times(n):
    from sympy import lambdify
    import sympy.physics.mechanics  # noqa: F401, its import is not the derivation

    (inputs, mass_matrix, forcing), seconds = timed(lambda: derive_by_sympy(n))
    function = lambdify(inputs, [mass_matrix, forcing], cse=True)
    return seconds, time_call(lambda: function(*([0.7] * len(inputs))))


def pydy_times(n):
    import contextlib
    import os
    import tempfile

    import numpy as np
    import sympy.physics.mechanics  # noqa: F401
    from pydy.codegen.cython_code import CythonMatrixGenerator

    inputs, mass_matrix, forcing = derive_by_sympy(n)
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(sys.stderr):
        before = sum(os.times()[:4])  # of the compiler, too
        generator = CythonMatrixGenerator([tuple(inputs)], [mass_matrix, forcing], prefix="pendulum")
        function = generator.compile(tmp_dir=folder)
        seconds = sum(os.times()[:4]) - before
        values = np.full(len(inputs), 0.7)
        results = np.zeros(n * n), np.zeros(n)
        return seconds, time_call(lambda: function(values, *results))


def derive_by_casadi(n):
    import casadi as ca

    q, u, m, l = (ca.SX.sym(name, n) for name in "quml")
    g = ca.SX.sym("g")
    kinetic = potential = 0
    x = y = 0
    v_x = v_y = 0
    for i in range(n):  # x down, y to the side
        x, y = x + l[i] * ca.cos(q[i]), y + l[i] * ca.sin(q[i])
        v_x, v_y = v_x - l[i] * ca.sin(q[i]) * u[i], v_y + l[i] * ca.cos(q[i]) * u[i]
        kinetic += m[i] * (v_x**2 + v_y**2) / 2
        potential -= m[i] * g * x
    momenta = ca.gradient(kinetic, u)
    forcing = ca.gradient(kinetic - potential, q) - ca.jtimes(momenta, q, u)
    return ca.Function("f", [q, u, m, l, g], [ca.jacobian(momenta, u), forcing])


def casadi_times(n):
    import casadi  # noqa: F401, its import is not the derivation
    import numpy as np

    function, seconds = timed(lambda: derive_by_casadi(n))
    buffer, evaluate = function.buffer()
    arrays = [np.full(size, 0.7) for size in (n, n, n, n, 1)] + [np.zeros(function.nnz_out(i)) for i in (0, 1)]
    for i in range(5):
        buffer.set_arg(i, memoryview(arrays[i]))
    for i in range(2):
        buffer.set_res(i, memoryview(arrays[5 + i]))
    return seconds, time_call(evaluate)


def ours(program, largest):
    """{n: (derive ms, M and f alone us, among many us)} from the table that the program prints."""
    lines = subprocess.run([program, str(largest)], check=True, capture_output=True, text=True).stdout.splitlines()
    rows = [line.split() for line in lines if line.split() and line.split()[0].isdigit()]
    return {int(row[0]): (float(row[1]), float(row[6]), float(row[7])) for row in rows}


def peer(name, n):
    """(seconds to derive, seconds to evaluate), or None where it is not installed."""
    result = subprocess.run([sys.executable, __file__, f"--{name}", str(n)], capture_output=True, text=True)
    if "ModuleNotFoundError" in result.stderr:
        return None
    if result.returncode != 0:
        raise RuntimeError(result.stderr)
    return tuple(float(word) for word in result.stdout.split())


def main():
    times_of = {"--sympy": sympy_times, "--pydy": pydy_times, "--casadi": casadi_times}
    if len(sys.argv) == 3 and sys.argv[1] in times_of:
        print(*times_of[sys.argv[1]](int(sys.argv[2])))
        return
    program, largest = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 16
    print("derive in ms, evaluate M and f in us; x: the peer's time over ours")
    names = ("SymPy", "PyDy", "CasADi")
    heads = "".join(f" {name:>9} {'x':>6}" for name in names)
    print(f"{'n':>4} {'ours':>9}{heads}   {'ours':>9} {'of many':>9}{heads}")
    for n, (derive, alone, of_many) in ours(program, largest).items():
        row, second = f"{n:4d} {derive:9.3f}", f"   {alone:9.3f} {of_many:9.3f}"
        for name in names:
            times = peer(name.lower(), n)
            if times is None:
                row, second = row + f" {'-':>9} {'-':>6}", second + f" {'-':>9} {'-':>6}"
                continue
            row += f" {1e3 * times[0]:9.3f} {1e3 * times[0] / derive:6.1f}"
            second += f" {1e6 * times[1]:9.3f} {1e6 * times[1] / alone:6.1f}"
        print(row + second, flush=True)


if __name__ == "__main__":
    main()
