#!/usr/bin/env python3
"""What a call from Python costs beyond the C++ function: overhead.py [SESTINA]

Rivals run in turn in this process; medians over rounds. With SESTINA, the program, a run of the double pendulum is
compared with the program's.
"""

from __future__ import annotations

import pathlib
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Callable

import numpy as np
import sestina
from sestina import _core

ROOT = pathlib.Path(__file__).resolve().parents[2]


def seven_joint_arm() -> sestina.Model:
    """Seven links of 0.3 m, hinges in turn about z and y."""
    system = sestina.System("arm", gravity=(0, 0, -9.81))
    last = system.ground["origin"]
    for i in range(7):
        link = system.add_rigid_body(
            f"link{i}",
            2.0,
            center_of_mass=(0.01, 0.02, 0.15),
            inertia={"xx": 0.02, "yy": 0.02, "zz": 0.005},
            points={"tip": (0, 0, 0.3)},
        )
        system.add_joint(f"joint{i}", "revolute", last, link["origin"], axis=(0, 0, 1) if i % 2 == 0 else (0, 1, 0))
        last = link["tip"]
    return system.freeze()


def per_call(function: Callable[[], object], calls: int) -> float:
    """s of one call."""
    begin = time.perf_counter()
    for _ in range(calls):
        function()
    return (time.perf_counter() - begin) / calls


def in_turn(rivals: dict[str, Callable[[], float]], rounds: int) -> dict[str, float]:
    """Medians; every round times all rivals."""
    times: dict[str, list[float]] = {name: [] for name in rivals}
    for _ in range(rounds):
        for name, rival in rivals.items():
            times[name].append(rival())
    return {name: statistics.median(values) for name, values in times.items()}


def single_states(model: sestina.Model) -> None:
    random = np.random.default_rng(1)
    q, u = random.standard_normal(model.nq), random.standard_normal(model.nu)
    tau, out = random.standard_normal(model.nu), np.empty(model.nu)
    calls = 20000
    times = in_turn(
        {
            "the C++ function": lambda: _core._time_forward_dynamics(model, q, u, calls),
            "an empty Python function": lambda: per_call(lambda: None, calls),
            "forward_dynamics(q, u, out=out)": lambda: per_call(lambda: model.forward_dynamics(q, u, out=out), calls),
            "forward_dynamics(q, u, tau, out=out)": lambda: per_call(
                lambda: model.forward_dynamics(q, u, tau, out=out), calls
            ),
            "forward_dynamics(q, u)": lambda: per_call(lambda: model.forward_dynamics(q, u), calls),
        },
        21,
    )
    kernel, empty = times["the C++ function"], times["an empty Python function"]
    print(f"forward dynamics of one state, {model.nu} joints")
    for name, seconds in times.items():
        beyond = "" if "(q" not in name else f"   {1e6 * (seconds - kernel - empty):6.3f} us beyond the C++ function"
        print(f"  {name:<38} {1e6 * seconds:7.3f} us{beyond}")


def many_states(model: sestina.Model, count: int) -> None:
    random = np.random.default_rng(1)
    q, u = random.standard_normal((count, model.nq)), random.standard_normal((count, model.nu))
    out = np.empty((count, model.nu))
    times = in_turn(
        {
            "BatchDynamics in C++": lambda: _core._time_batch(model, q, u, 3),
            "forward_dynamics(q, u, out=out)": lambda: per_call(lambda: model.forward_dynamics(q, u, out=out), 3),
            "forward_dynamics(q, u)": lambda: per_call(lambda: model.forward_dynamics(q, u), 3),
        },
        15,
    )
    kernel = times["BatchDynamics in C++"]
    print(f"\nforward dynamics of {count} states on {sestina.threads()} thread(s)")
    for name, seconds in times.items():
        print(f"  {name:<38} {1e3 * seconds:7.2f} ms   {1e9 * seconds / count:6.1f} ns a state   {seconds / kernel:.3f}")


def steps(model: sestina.Model, count: int) -> None:
    """Of a control loop: 0.1 ms each, the arm falling; of many arms, 1 ms."""
    tau, out = np.zeros(model.nu), (np.empty(model.nq), np.empty(model.nu))
    rivals: dict[str, Callable[[], float]] = {}
    for rule in ("forward_euler", "rk4", "dormand_prince_54"):
        simulator = sestina.Simulator(model, integrator=rule)
        rivals[f"Simulator.step(dt, tau), {rule}"] = lambda s=simulator: per_call(  # type: ignore[misc]
            lambda: s.step(1e-4, tau, out=out), 500
        )
    q, u = 0.1 * np.random.default_rng(1).standard_normal((2, count, model.nq))
    many = np.empty_like(q), np.empty_like(u)
    rivals[f"Model.step of {count} states, rk4, each"] = (
        lambda: per_call(lambda: model.step(q, u, None, 1e-3, out=many), 3) / count
    )
    print(f"\none step, {model.nu} joints; many on {sestina.threads()} thread(s)")
    for name, seconds in in_turn(rivals, 15).items():
        print(f"  {name:<42} {1e6 * seconds:7.3f} us")


def short_runs(model: sestina.Model) -> None:
    """A run of one step and two rows: its cost in addition to its steps."""
    system = model.system
    options = {"duration": 1e-3, "every": 1e-3, "dt": 1e-3, "integrator": "rk4"}
    times = in_turn(
        {
            "simulate(model)": lambda: per_call(lambda: sestina.simulate(model, **options), 50),
            "simulate(system)": lambda: per_call(lambda: sestina.simulate(system, **options), 50),
            "of which System.freeze()": lambda: per_call(system.freeze, 50),
        },
        15,
    )
    wall = statistics.median(sestina.simulate(model, **options).report.wall_seconds for _ in range(50))
    print(f"\na run of one step, {model.nu} joints; the run itself takes {1e6 * wall:.1f} us")
    for name, seconds in times.items():
        print(f"  {name:<42} {1e6 * seconds:7.1f} us")


def whole_run(program: str) -> None:
    path = ROOT / "examples" / "01_double_pendulum.yaml"
    system = sestina.load(path)

    def by_python() -> float:
        return sestina.simulate(system, duration=10, rtol=1e-9).report.wall_seconds

    def by_program() -> float:
        options = ["--set", "analysis.duration=10", "--set", "analysis.step.rtol=1e-9"]
        text = subprocess.run([program, "run", str(path), *options], capture_output=True, text=True, check=True).stdout
        found = re.search(r"in (\S+) s of wall time", text)
        assert found is not None
        return float(found.group(1))

    times = in_turn({"simulate": by_python, "the program": by_program}, 15)
    print("\n10 s of the double pendulum, rtol 1e-9: wall time of the run itself")
    for name, seconds in times.items():
        print(f"  {name:<38} {1e3 * seconds:7.2f} ms   {seconds / times['the program']:.3f}")


def import_time() -> None:
    def seconds(module: str) -> float:
        begin = time.perf_counter()
        subprocess.run([sys.executable, "-c", f"import {module}"], check=True)
        return time.perf_counter() - begin

    times = in_turn({name: lambda name=name: seconds(name) for name in ("sys", "numpy", "sestina")}, 11)  # type: ignore[misc]
    print("\nimport, less the start of Python")
    for name in ("numpy", "sestina"):
        print(f"  {name:<38} {1e3 * (times[name] - times['sys']):7.1f} ms")


if __name__ == "__main__":
    arm = seven_joint_arm()
    single_states(arm)
    many_states(arm, 100_000)
    steps(arm, 4096)
    short_runs(arm)
    if len(sys.argv) > 1:
        whole_run(sys.argv[1])
    import_time()
