#!/usr/bin/env python3
"""A model of the time of divide and conquer on p processors, from its measured parts.

    ./dev build bench && .venv/bin/python benchmarks/figures/time_model.py build/bench/benchmarks

Runs bench_time_parts and bench_executor (or reads --parts FILE, the CSV of the former), fits the parts, says how
far the model is from what was measured on one and on more threads, predicts to 10^4 processors and draws
docs/pictures/time_model.svg. Chains of n revolute joints; kinematics and solution.

The model. A chain of n bodies in pieces of g has P = ceil(n/g) pieces, which are dealt out in B blocks: at least 4, at
most 16 or P/16, of about P/B pieces with the assemblies among them. Of the levels of the assembly tree above, with k_l assemblies,
those with more than 8 are spread and the others done in order. With s(k) = ceil(k/p) tasks one after the other on the
busiest processor,

    T = w g s(B) ceil(P/B)  +  c P  +  a (s(B) (ceil(P/B) - 1) + sum_spread s(k_l) + sum_others k_l)  +  t m         (1)
    m = 3 while every piece is a block and no level is spread, else 4 + 4 levels that are spread

w   time of a body in a piece, kinematics and solution; in the outermost piece, which has no handle, r
c   a piece in the scan of the kinematics, which one processor does for all
a   an assembly in all sweeps: up, down, and both again for the gaps
t   from the end of one level to the beginning of the next, for p > 1: t_2 (1 + log2(p/2)), as for a barrier that
    is a binary tree. Measured for two threads (and four: docs/decisions/executor.md); beyond, an assumption.

The cost of a piece apart from its bodies cannot be distinguished from a on one thread, since there is one assembly less than
pieces, and counts as a; all of what a piece adds to the kinematics counts as c. The recursion takes r n.
"""

import argparse
import csv
import io
import json
import math
import subprocess
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from figure_file import PICTURES, WIDTH, save

FIT = range(128, 2049)  # bodies: what fits into the caches
FIT_PLAIN = {True: 512, False: 2048}  # the same by whether every body is a piece, which takes 2.5 KB a body
FEW_BLOCKS, MANY_BLOCKS, SERIAL_ASSEMBLIES = 4, 16, 8  # as in divide_and_conquer_solver.cpp
LENGTHS = (64, 256, 1024, 4096, 16384, 10**6)


def read_parts(text):
    rows = []
    for row in csv.DictReader(io.StringIO(text)):
        rows.append({key: value if key == "solver" else float(value) for key, value in row.items()})
    return rows


def measure_parts(folder, repeat):
    """The CSV of bench_time_parts, with the shortest times of several runs: others can only lengthen them."""
    lines = None
    for _ in range(repeat):
        done = subprocess.run([str(folder / "bench_time_parts")], capture_output=True, text=True, check=True)
        run = [line.split(",") for line in done.stdout.split()]
        lines = run if lines is None else [
            a if a == b else a[:-2] + [min(x, y, key=float) for x, y in zip(a[-2:], b[-2:])]
            for a, b in zip(lines, run)]
    return "\n".join(",".join(line) for line in lines) + "\n"


def measure_latency(folder):
    """s from level to level with two threads that both take part, when nothing came between."""
    command = [str(folder / "bench_executor"), "--benchmark_filter=levels_all/threads:2", "--benchmark_format=json",
               "--benchmark_min_time=0.1", "--benchmark_repetitions=10"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    runs = json.loads(done.stdout)["benchmarks"]
    return 1e-6 * min(run["min_us"] for run in runs if run["run_type"] == "iteration")


class Model:
    def __init__(self, rows, latency):
        self.latency = latency
        self.grains = {int(r["n"]): int(r["grain"]) for r in rows if r["solver"] in ("hybrid", "grain")}
        serial = [r for r in rows if r["threads"] == 1 and r["n"] in FIT]
        recursion = [r for r in serial if r["solver"] == "recursive"]
        self.r = float(np.mean([(r["kinematics"] + r["solution"]) / r["n"] for r in recursion]))
        r_kinematics = float(np.mean([r["kinematics"] / r["n"] for r in recursion]))
        pieces = [r for r in serial if r["solver"] != "recursive" and r["pieces"] > 1 and r["n"] <= FIT_PLAIN[r["grain"] == 1]]
        self.w_kinematics, self.c = fit([(r["n"] - r["grain"], r["pieces"], r["kinematics"] - r_kinematics * r["grain"],
                                          r["kinematics"]) for r in pieces])
        self.w_solution, self.a = fit([(r["n"] - r["grain"], r["pieces"] - 1,
                                        r["solution"] - (self.r - r_kinematics) * r["grain"], r["solution"])
                                       for r in pieces])
        self.w = self.w_kinematics + self.w_solution

    def hybrid_grain(self, n):
        return self.grains[min(self.grains, key=lambda length: abs(math.log(length / n)))]

    def recursive(self, n):
        return self.r * n

    def divided(self, n, grain, p, parallel_scan=False):
        """(1); with `parallel_scan`, the scan of the kinematics over the same tree instead of serially."""
        pieces = math.ceil(n / grain)
        if pieces == 1:
            return self.recursive(n)  # nothing to assemble
        blocks, levels = self.schedule(pieces)
        per_block = math.ceil(pieces / blocks)
        busiest = min(pieces, math.ceil(blocks / p) * per_block)
        spread = [k for k in levels if k > SERIAL_ASSEMBLIES]
        assembly_steps = (math.ceil(blocks / p) * (per_block - 1) + sum(math.ceil(k / p) for k in spread) +
                          sum(k for k in levels if k <= SERIAL_ASSEMBLIES))
        scan = self.c * (2 * assembly_steps if parallel_scan else pieces)
        t = 0.0 if p == 1 else self.latency * (1 + math.log2(p / 2))
        syncs = 3 if blocks == pieces and not spread else 4 + 4 * len(spread)
        if parallel_scan:
            syncs += 2 * len(spread)
        bodies = self.w * min(n, busiest * grain) - (self.w - self.r) * grain * (busiest == pieces)
        return bodies + scan + self.a * assembly_steps + t * syncs

    @staticmethod
    def schedule(pieces):
        """Blocks of pieces, and the assemblies of the levels above them, as DivideAndConquerSolver::make_schedule."""
        most_blocks = min(max(pieces // 2, FEW_BLOCKS), max(MANY_BLOCKS, pieces // 16))
        left, levels = pieces, []
        while left > most_blocks:
            left -= left // 2
        blocks = left
        while left > 1:
            levels.append(left // 2)
            left -= left // 2
        return blocks, levels

    def fastest(self, n, grains, p, **options):
        """The least of (1) for any number of processors up to p, of which more may be slower, and any of the grains."""
        counts = sorted({1, p} | {2**k for k in range(p.bit_length())} |
                        {min(p, math.ceil(math.ceil(n / g) / k)) for g in grains for k in range(1, 9)})
        return min(self.divided(n, g, q, **options) for g in grains for q in counts)


def fit(points):
    """x, y of time = x n + y k, with the same weight of all errors relative to `whole`."""
    matrix = np.array([[n / whole, k / whole] for n, k, time, whole in points])
    return np.linalg.lstsq(matrix, np.array([time / whole for _, _, time, whole in points]), rcond=None)[0]


def tell(model, rows):
    print(f"body: recursion {1e9 * model.r:.0f} ns; in a piece {1e9 * model.w:.0f} ns "
          f"(kinematics {1e9 * model.w_kinematics:.0f}, solution {1e9 * model.w_solution:.0f})")
    print(f"piece in the scan of the kinematics {1e9 * model.c:.0f} ns; assembly in all sweeps {1e9 * model.a:.0f} ns; "
          f"from level to level {1e9 * model.latency:.0f} ns")
    print("\nmodel/measured - 1 (%):     n   " + "  ".join(f"{n:6d}" for n in sorted({int(r['n']) for r in rows if r['threads'] > 0})))
    cases = sorted({(r["solver"], int(r["threads"])) for r in rows if r["solver"] in ("recursive", "hybrid", "plain")})
    for solver, threads in cases:
        line = {}
        for r in rows:
            if (r["solver"], int(r["threads"])) != (solver, threads):
                continue
            n, measured = int(r["n"]), r["kinematics"] + r["solution"]
            predicted = model.recursive(n) if solver == "recursive" else model.divided(n, int(r["grain"]), threads)
            line[n] = 100 * (predicted / measured - 1)
        text = "  ".join(f"{line[n]:6.0f}" if n in line else "     -" for n in sorted({int(r['n']) for r in rows if r['threads'] > 0}))
        print(f"  {solver:10} {threads} thread{'s' if threads > 1 else ' '}             {text}")
    hybrid, plain = (lambda n: [model.hybrid_grain(n)]), (lambda n: [1])
    print("\nspeed on up to p processors, recursion = 1 (hybrid, plain)")
    print(" " * 12 + "".join(f"{f'n = {n}':>14}" for n in LENGTHS))
    for p in (1, 2, 4, 8, 16, 64, 256, 1024, 10000):
        cells = "".join(f"{model.recursive(n) / model.fastest(n, grains(n), p):7.2f}" for n in LENGTHS
                        for grains in (hybrid, plain))
        print(f"  p = {p:<6d}{cells}")
    print("\nshortest chain that beats the recursion (hybrid, plain)")
    for p in (2, 3, 4, 8, 16, 64, 10000):
        print(f"  p = {p:<6d} {break_even(model, hybrid, p) or 'none':>8} {break_even(model, plain, p) or 'none':>8}")


def break_even(model, grains_of, p, **options):
    """The length of 2^(k/2) bodies from which on it stays ahead of the recursion, up to 2^20; or None."""
    first = None
    for half_exponent in range(40, 3, -1):
        n = round(2 ** (half_exponent / 2))
        if model.fastest(n, grains_of(n), p, **options) >= model.recursive(n) * (1 - 1e-9):
            break
        first = n
    return first


def draw_speeds(axes, model, grains_of):
    processors = [int(p) for p in np.unique(np.round(np.geomspace(1, 1e4, 120)))]
    for n, color in zip(LENGTHS, plt.cm.viridis(np.linspace(0, 0.92, len(LENGTHS)))):
        label = f"n = {n}" if n < 10**6 else "n = $10^6$"
        speeds = [model.recursive(n) / model.fastest(n, grains_of(n), p) for p in processors]
        axes.loglog(processors, speeds, color=color, label=label, linewidth=1.5)
    axes.axhline(1, color="0.5", linewidth=0.8)
    axes.set_xlabel("processors p")
    axes.set_ylabel("speed (recursion = 1)")


def draw(model, out):
    figure, panels = plt.subplots(2, 2, figsize=(WIDTH, 7.4))
    hybrid, plain = (lambda n: [model.hybrid_grain(n)]), (lambda n: [1])
    any_grain = lambda n: [2**k for k in range(9)]
    draw_speeds(panels[0, 0], model, hybrid)
    panels[0, 0].set_title("hybrid, on up to p processors")
    panels[0, 0].legend(loc="upper left")
    draw_speeds(panels[0, 1], model, plain)
    panels[0, 1].set_title("every body a piece, on up to p processors")
    panels[0, 1].set_ylim(panels[0, 0].get_ylim()[0] / 8, panels[0, 0].get_ylim()[1])

    lengths = np.round(np.geomspace(64, 1e6, 60)).astype(int).tolist()
    axes = panels[1, 0]
    axes.loglog(lengths, [1e6 * model.recursive(n) for n in lengths], "k", label="recursion")
    for p, color in ((2, "#ff7f0e"), (16, "#2ca02c"), (10**4, "#1f77b4")):
        axes.loglog(lengths, [1e6 * model.fastest(n, hybrid(n), p) for n in lengths], color=color,
                    label=f"hybrid, p = {p}" if p < 10**4 else "hybrid, p = $10^4$")
    axes.loglog(lengths, [1e6 * min(model.fastest(n, any_grain(n), 10**4, parallel_scan=scan) for scan in (False, True))
                          for n in lengths], ":", color="#d62728", label="any grain, any scan, p = $10^4$")
    axes.set_xlabel("bodies n")
    axes.set_ylabel("time (µs)")
    axes.legend(loc="upper left")
    axes.set_title("time over length")

    axes = panels[1, 1]
    processors = [2, 3, 4, 6, 8, 12, 16, 24, 32, 64, 128, 256, 1024, 4096, 10**4]
    for grains_of, color, label in ((plain, "#d62728", "every body a piece"), (hybrid, "#1f77b4", "hybrid")):
        points = [(p, break_even(model, grains_of, p)) for p in processors]
        points = [(p, n) for p, n in points if n]
        if points:
            axes.loglog(*zip(*points), color=color, marker="o", markersize=3, label=label)
    axes.set_xlabel("processors p")
    axes.set_ylabel("bodies n")
    axes.set_xlim(1.5, 1.3e4)
    axes.legend()
    axes.set_title("shortest chain that beats the recursion")
    for axes in panels.flat:
        axes.grid(True, which="major", color="0.92")
    figure.tight_layout()
    save(figure, out)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="where the benchmark programs are")
    parser.add_argument("--parts", type=Path, help="CSV of bench_time_parts, read if there, else written")
    parser.add_argument("--repeat", type=int, default=5, help="runs of bench_time_parts whose shortest times count")
    parser.add_argument("--latency", type=float, help="ns from level to level, instead of measuring it")
    parser.add_argument("-o", "--out", default=PICTURES / "time_model.svg")
    options = parser.parse_args()
    if options.parts and options.parts.exists():
        text = options.parts.read_text()
    else:
        text = measure_parts(options.folder, options.repeat)
        if options.parts:
            options.parts.write_text(text)
    latency = 1e-9 * options.latency if options.latency else measure_latency(options.folder)
    rows = read_parts(text)
    model = Model(rows, latency)
    tell(model, rows)
    draw(model, options.out)


if __name__ == "__main__":
    main()
