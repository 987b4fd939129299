#!/usr/bin/env python3
"""How far processors in time come, on paper: measured parts in laws of scaling.

    .venv/bin/python benchmarks/figures/state_time_scaling.py build/bench/benchmarks/bench_state_time_scaling

Draws docs/pictures/state_time_scaling.svg from `bench_state_time_scaling parts` and, with mpirun, `messages`; prints the
numbers of docs/state_time_scaling.md, where the laws are. Takes some seconds and needs two processors.
"""

import argparse
import csv
import math
import subprocess

import matplotlib.pyplot as plt

from figure_file import PICTURES, WIDTH, save

ELEMENTS = 1_000_000
LAWS = {"paper": ("paper's law", "k", ":"), "serial": ("one serial pass", "#d62728", "-"),
        "scan": ("stretches and scan", "#1f77b4", "-"), "held": ("the same without a march", "#1f77b4", "--")}


class Case:
    """One system and pair; times in seconds."""

    def __init__(self, row, latency, bandwidth):
        self.name, self.pair = row["system"], row["pair"]
        self.m, self.unknowns = int(row["m"]), int(row["unknowns"])
        self.time = {key: 1e-6 * float(row[key]) for key in
                     ("march", "residual", "assemble", "factor", "pass", "carry", "maps", "compose", "apply")}
        self.latency, self.bandwidth = latency, bandwidth
        # Of Newton's method from the march, and those among them that made a tangent.
        self.iterations, self.tangents = int(row["iterations"]), int(row["tangents"])

    @property
    def apart(self):
        """Residuals, tangents and factors of an element."""
        made = self.tangents * (self.time["assemble"] + self.time["factor"])
        return made + (self.iterations - self.tangents) * self.time["residual"]

    def serial_seconds(self):
        return ELEMENTS * (self.time["march"] + self.apart + self.iterations * self.time["pass"])

    def serial_share(self):
        return ((self.time["march"] + self.iterations * self.time["pass"]) * ELEMENTS) / self.serial_seconds()

    def message(self, numbers):
        return self.latency + 8 * numbers / self.bandwidth

    def paper(self, n):
        f = self.serial_share()
        exchange = 2 * self.iterations * self.latency
        return 1 / (f + (1 - f) / n + (n * exchange / self.serial_seconds() if n > 1 else 0))

    def serial(self, n):
        t = self.time
        once = ELEMENTS * t["pass"] + 3 * math.log2(n) * self.latency
        return self.serial_seconds() / (ELEMENTS * (t["march"] + self.apart / n) + self.iterations * once)

    def scan_seconds(self, n, march):
        t = self.time
        own = ELEMENTS / n
        first_guess = ELEMENTS * t["march"] if march else 0
        if n == 1:
            return first_guess + own * (self.apart + self.iterations * t["pass"])
        columns = own * (t["carry"] if n > 2 else 0) + t["maps"]
        level = t["compose"] + self.message(self.m * (self.m + 1)) + 3 * self.latency
        once = own * 2 * t["pass"] + math.log2(n) * level
        return first_guess + own * self.apart + self.tangents * columns + self.iterations * once

    def scan(self, n):
        return self.serial_seconds() / self.scan_seconds(n, march=True)

    def held(self, n):
        return (self.serial_seconds() - ELEMENTS * self.time["march"]) / self.scan_seconds(n, march=False)

    def crossing(self):
        """The least power of two from which on stretches beat the serial pass."""
        return next((n for n in (2 ** i for i in range(1, 21)) if self.scan(n) > self.serial(n)), None)


def read(command):
    return list(csv.DictReader(subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", help="bench_state_time_scaling")
    parser.add_argument("--mpirun", default="mpirun")
    parser.add_argument("--out", default=PICTURES / "state_time_scaling.svg")
    arguments = parser.parse_args()
    messages = read([arguments.mpirun, "--allow-run-as-root", "-n", "2", arguments.program, "messages"])
    times = {int(row["numbers"]): 1e-6 * float(row["microseconds"]) for row in messages}
    latency = times[1]
    bandwidth = 8 * 65536 / (times[65536] - times[1])  # bytes/s
    print(f"latency {1e6 * latency:.2f} us, bandwidth {1e-9 * bandwidth:.1f} GB/s")
    cases = [Case(row, latency, bandwidth) for row in read([arguments.program, "parts"])]
    for case in cases:
        parts = ", ".join(f"{key} {1e6 * value:.3g}" for key, value in case.time.items())
        print(f"{case.name} {case.pair}: {case.tangents} tangents in {case.iterations} iterations; "
              f"us per element: {parts}")
        best = {law: max((getattr(case, law)(2 ** i), 2 ** i) for i in range(21)) for law in LAWS}
        reached = ", ".join(f"{law} {speed:.0f} at {n}" for law, (speed, n) in best.items())
        print(f"  f {case.serial_share():.4f}, crossing {case.crossing()}; largest speed-ups: {reached}")

    shown = [case for case in cases if (case.name, case.pair) in
             {("double pendulum", "QC"), ("chain of 16", "P5P6")}]
    figure, axes = plt.subplots(1, len(shown), figsize=(WIDTH, 3.8), sharey=True, layout="constrained")
    processors = [2 ** (i / 4) for i in range(81)]
    for axis, case in zip(axes, shown):
        axis.loglog(processors, processors, color="0.8", linewidth=0.8, label="ideal")
        for law, (label, colour, line) in LAWS.items():
            axis.loglog(processors, [getattr(case, law)(n) for n in processors], line, color=colour, label=label)
        axis.set_title(f"{case.name}, {case.pair}")
        axis.set_xlabel("processors N")
        axis.set_xlim(1, 2 ** 20)
        axis.set_ylim(0.5, 1e6)
        axis.grid(True, color="0.93", linewidth=0.6)
    axes[0].set_ylabel("speed-up over one processor")
    figure.legend(*axes[0].get_legend_handles_labels(), ncols=5, loc="outside upper center")
    save(figure, arguments.out)


if __name__ == "__main__":
    main()
