"""Potential and gradient of random charges in a cube by FastMultipole and by FMM3D, by turns, one thread each, in one run.

    OMP_NUM_THREADS=1 python fmm3d.py build/bench/benchmarks/bench_multipole [ROUNDS]

Requires the package fmm3dpy. Prints medians of the seconds of the processor, and the relative errors of both in the
least-squares sense, at 1000 of the points, against a direct sum.
"""

import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import fmm3dpy
import numpy as np

SIZES, TOLERANCES, PROBES = (10_000, 100_000, 1_000_000), (1e-3, 1e-6, 1e-9), 1000


def direct(points, charges, targets):
    """Potential and gradient at some of the points."""
    sums = np.zeros((len(targets), 4))
    for row, i in zip(sums, targets, strict=True):
        d = points[i] - points
        r = np.sqrt((d * d).sum(axis=1))
        r[i] = np.inf
        row[0] = (charges / r).sum()
        row[1:] = -((charges / r**3)[:, None] * d).sum(axis=0)
    return sums


def errors(found, expected):
    return [float(np.linalg.norm((found - expected)[:, part]) / np.linalg.norm(expected[:, part]))
            for part in (slice(0, 1), slice(1, 4))]


def run_fmm3d(points, charges, tolerance):
    begin = time.process_time()
    out = fmm3dpy.lfmm3d(eps=tolerance, sources=np.asfortranarray(points.T), charges=charges, pg=2)
    spent = time.process_time() - begin
    return spent, np.column_stack([out.pot, out.grad.T])


def run_sestina(program, folder, points, charges, tolerance):
    np.column_stack([points, charges]).tofile(folder / "points")
    done = subprocess.run([program, "points", repr(tolerance), "result"], cwd=folder, check=True, capture_output=True,
                          text=True)
    return float(done.stdout), np.fromfile(folder / "result").reshape(-1, 4)


def main():
    program = str(pathlib.Path(sys.argv[1]).resolve())
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    numbers = np.random.default_rng(1)
    print("      n  tolerance   Sestina s   FMM3D s   ratio   errors of Sestina      errors of FMM3D")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for n in SIZES:
            points, charges = numbers.random((n, 3)), numbers.uniform(-1, 1, n)
            targets = numbers.choice(n, PROBES, replace=False)
            expected = direct(points, charges, targets)
            for tolerance in TOLERANCES:
                times = {"ours": [], "theirs": []}
                for _ in range(rounds):
                    spent, ours = run_sestina(program, folder, points, charges, tolerance)
                    times["ours"].append(spent)
                    spent, theirs = run_fmm3d(points, charges, tolerance)
                    times["theirs"].append(spent)
                # FMM3D's kernel is 1/(4 pi r) in some versions.
                scale = np.linalg.norm(expected[:, 0]) / np.linalg.norm(theirs[targets, 0])
                theirs = theirs * (4 * np.pi if abs(scale / (4 * np.pi) - 1) < 0.1 else 1.0)
                a, b = (statistics.median(times[who]) for who in ("ours", "theirs"))
                print(f"{n:8} {tolerance:8.0e} {a:10.3f} {b:10.3f} {a / b:8.2f}   "
                      + "  ".join(f"{e:.1e}" for e in errors(ours[targets], expected) + errors(theirs[targets], expected)),
                      flush=True)


if __name__ == "__main__":
    main()
