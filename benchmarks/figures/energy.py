#!/usr/bin/env python3
"""Energy error of the symmetric and symplectic rules over 10^5 periods, against RK4 at the same cost.

    .venv/bin/python benchmarks/figures/energy.py build/release/apps/cli/sestina

Draws docs/pictures/energy.svg and prints what it shows. A double pendulum, whose
motion is regular, and bodies that tumble freely, whose motion is not; all rules at
one step, and RK4 at the step with which it evaluates the forces as often per second of the motion as the pair
with 3 stages in momentum form. Takes half an hour on two processors. --periods 1e3 is a quick look.
"""

import argparse
import concurrent.futures
import json
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from figure_file import PICTURES, ROOT, WIDTH, save
from sestina_runs import INTEGRATORS, Run

# Title, model, period (s; mean time between crossings of the mean, of hip.q and of rail.q), step (s), settings.
PENDULUM = ("double pendulum (two hinges)", ROOT / "examples/01_double_pendulum.yaml", 4.83, 0.125,
          ("joints.hip.q=0.6", "joints.hip.u=0", "joints.knee.q=0.3", "joints.knee.u=0"))
FREE = ("free bodies (a ball joint, a spring)", ROOT / "benchmarks/figures/free_bodies.yaml", 0.80, 0.03125, ())
SYSTEMS = (PENDULUM, FREE)
COLUMNS = ("energy.kinetic", "energy.total")
BASIS = "lobatto 3, momentum"  # whose cost RK4 has
STYLES = {
    "verlet": ("#8c564b", "-."),
    "velocity_verlet": ("#2ca02c", ":"),
    "lobatto 2, velocity": ("#ff7f0e", "--"),
    "lobatto 2, momentum": ("#d62728", "-"),
    "lobatto 3, velocity": ("#17becf", "--"),
    "lobatto 3, momentum": ("#1f77b4", "-"),
    "rk4": ("black", "-"),
}
ROWS = 60000


def run(sestina, system, label, dt, periods):
    _, model, period, _, settings = system
    steps = max(1, int(periods * period / dt / ROWS))
    duration = round(periods * period / dt) * dt
    return Run(sestina, model, INTEGRATORS[label], dt, duration, steps * dt,
               lambda name: name == "t" or name in COLUMNS, settings)


def envelope(run_, period):
    """Periods, and the largest |E - E_0| of the interval before, as part of the largest kinetic energy of the first
    hundred periods (later a rule that drifts may have more)."""
    t, kinetic, total = (run_.columns[:, i] for i in (0, 1, 2))
    error = np.abs(total - total[0]) / kinetic[t <= 100 * period].max()
    edges = np.geomspace(3, t[-1] / period * 1.0001, 30)
    x, y = [], []
    for low, high in zip(edges, edges[1:]):
        inside = (t / period >= low) & (t / period < high)
        if inside.any():
            x.append(high)
            y.append(error[inside].max())
    return np.array(x), np.array(y)


def measure(options):
    """By system and rule: step, evaluations and microseconds a period, periods, errors."""
    results = {}
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for system in SYSTEMS:
            period, dt = system[2:4]
            sample = run(options.sestina, system, BASIS, dt, 100)
            per_second = sample.evaluations / sample.columns[-1, 0]
            rk4_dt = round(4 / per_second * 2**16) / 2**16  # multiples of it are exact
            for label in STYLES:
                step = rk4_dt if label == "rk4" else dt
                results[system[0], label] = step, pool.submit(run, options.sestina, system, label, step,
                                                              options.periods)
        for key, (step, job) in results.items():
            done = job.result()
            period = next(system[2] for system in SYSTEMS if system[0] == key[0])
            x, y = envelope(done, period)
            results[key] = {"step": step, "evaluations": done.evaluations / x[-1],
                            "us": 1e6 * done.seconds / x[-1], "x": x.tolist(), "y": y.tolist()}
    return results


def tell(results):
    for name, _, period, _, _ in SYSTEMS:
        print(f"{name}, period {period} s; energy error relative to the largest kinetic energy")
        for label in STYLES:
            r = results[name, label]
            x, y = np.array(r["x"]), np.array(r["y"])
            print(f"  {label:20} h = {r['step']:<10g} {r['evaluations']:4.0f} evaluations and {r['us']:5.0f} us a period; "
                  f"to {x[-1] / 100:.0f} periods {y[x <= max(x[0], x[-1] / 100)].max():.1e}, at {x[-1]:.0f} {y[-1]:.1e}")


def draw(results, out):
    figure, panels = plt.subplots(1, 2, figsize=(WIDTH, 4.4), sharey=True)
    for (name, _, period, dt, _), axes in zip(SYSTEMS, panels):
        for label, (color, line) in STYLES.items():
            r = results[name, label]
            axes.loglog(r["x"], r["y"], line, color=color, label=label, linewidth=1.5)
        rk4 = results[name, "rk4"]["step"]
        axes.set_title(f"{name}\nT = {period} s, h = T/{period / dt:.0f}; rk4: T/{period / rk4:.0f}")
        axes.set_xlabel("time (periods T)")
        axes.grid(True, which="major", color="0.9")
    panels[0].set_ylabel("energy error / largest kinetic energy")
    handles, labels = panels[0].get_legend_handles_labels()
    labels = [label.replace("rk4", "rk4, as many evaluations as the line above") for label in labels]
    figure.legend(handles, labels, loc="lower center", ncol=3)
    figure.tight_layout(rect=(0, 0.13, 1, 1))
    save(figure, out)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sestina")
    parser.add_argument("--periods", type=float, default=1e5)
    parser.add_argument("-o", "--out", default=PICTURES / "energy.svg")
    parser.add_argument("--table", type=Path, help="JSON file that keeps what was measured: read if there, else written")
    parser.add_argument("-j", "--jobs", type=int, default=2)
    options = parser.parse_args()
    if options.table and options.table.exists():
        results = {tuple(key): value for key, value in json.loads(options.table.read_text())}
    else:
        results = measure(options)
        if options.table:
            options.table.write_text(json.dumps([[key, value] for key, value in results.items()]))
    tell(results)
    draw(results, options.out)


if __name__ == "__main__":
    main()
