"""Time that each engine takes for the spheres of `spheres.py` to come within 1 mm of its own converged solution.

The error is the largest distance of a centre at the end from that of a run of the same program with a much smaller step or
tolerance, so that differences of the contact laws (Sestina's is rigid) do not count.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

import mujoco
import numpy as np

import sestina

from . import spheres_drake, spheres_mujoco, spheres_sestina
from .spheres import Array

Run = Callable[[float], tuple[Array, float]]  # of a setting: centres at the end, seconds of the processor
TARGET = 1e-3  # m


def mujoco_run(side: int, duration: float) -> Run:
    def run(step: float) -> tuple[Array, float]:
        model = spheres_mujoco.model(side, step)
        data = mujoco.MjData(model)
        start = time.process_time()
        for _ in range(round(duration / step)):
            mujoco.mj_step(model, data)
        return data.qpos.reshape(-1, 7)[:, :3].copy(), time.process_time() - start

    return run


def drake_run(side: int, duration: float, scheme: str) -> Run:
    """The setting is the step of SAP, or the accuracy of `scheme`."""

    def run(setting: float) -> tuple[Array, float]:
        step, accuracy = (0.0, setting) if scheme else (setting, 1e-3)
        simulator, plant = spheres_drake.simulator(side, step, scheme, accuracy)
        start = time.process_time()
        simulator.AdvanceTo(duration)
        return spheres_drake.centres(simulator, plant).copy(), time.process_time() - start

    return run


def sestina_run(side: int, duration: float, is_fixed: bool, budget: float, rule: str = "moreau") -> Run:
    """The setting is the step, or rtol = atol. Refuses to take more than the budget, s of the processor."""
    model = spheres_sestina.system(side).freeze()

    def run(setting: float) -> tuple[Array, float]:
        step = {"dt": setting} if is_fixed else {"rtol": setting, "atol": setting}
        start = time.process_time()

        def stop_late(t: float, _duration: float, _wall: float, steps: int) -> None:
            used = time.process_time() - start
            if used > budget:
                raise sestina.ComputationError(f"{used:.3g} s of the processor until t = {t:.4f} s, {steps} steps")

        result = sestina.simulate(model, duration=duration, every=duration, integrator=rule, progress=stop_late, **step)
        used = time.process_time() - start
        columns = [[result[f"j{i}.q[{k}]"][-1] for k in range(3)] for i in range(side**3)]
        return np.array(columns), used

    return run


def engines(side: int, duration: float, budget: float) -> list[tuple[str, Run, float, list[float]]]:
    """Name, run, setting of the reference, and settings."""
    steps = [4e-3, 2e-3, 1e-3, 5e-4, 2e-4, 1e-4]
    tolerances = [1e-1, 1e-2, 1e-3, 1e-4, 1e-5]
    is_small = side**3 * duration < 10
    return [
        ("MuJoCo, step", mujoco_run(side, duration), 1e-5 if is_small else 1e-4, steps if is_small else steps[:4]),
        (
            "Drake CENIC, accuracy",
            drake_run(side, duration, "cenic"),
            1e-6 if is_small else 1e-5,
            tolerances[: 5 if is_small else 4],
        ),
        ("Drake SAP, step", drake_run(side, duration, ""), 1e-4 if is_small else 5e-4, steps[: 4 if is_small else 3]),
        (
            "Sestina, time_stepping",
            sestina_run(side, duration, True, budget, "time_stepping"),
            2e-5 if is_small else 2e-4,
            steps if is_small else steps[:4],
        ),
        ("Sestina, step", sestina_run(side, duration, True, budget), 2.5e-4, steps[:3]),
        ("Sestina, tolerance", sestina_run(side, duration, False, budget), tolerances[4], tolerances[:4]),
    ]


def _reference_of(name: str) -> str:
    """Runs of Sestina with error control have the reference of those with fixed steps."""
    return "Sestina, step" if name == "Sestina, tolerance" else name


def print_table(side: int, duration: float, rounds: int, budget: float, only: str) -> None:
    """Engines take turns in each round; budget: s of the processor for one run of Sestina."""
    print(f"\n{side**3} spheres, {duration} s; error at the end in m, median time of the processor in s")
    lines = [engine for engine in engines(side, duration, budget) if only in engine[0]]
    references: dict[str, Array] = {}
    times: dict[tuple[str, float], list[float]] = {}
    errors: dict[tuple[str, float], float] = {}
    for round_ in range(rounds):
        for name, run, reference, settings in lines:
            for setting in [reference, *settings] if round_ == 0 else settings:
                if round_ > 0 and (name, setting) not in times:
                    continue  # it failed
                try:
                    centres, used = run(setting)
                except (RuntimeError, sestina.ComputationError) as error:
                    print(f"  {name} {setting:g}: {str(error).splitlines()[0][:150]}", flush=True)
                    continue
                if setting == reference and name == _reference_of(name):
                    references[name] = centres
                times.setdefault((name, setting), []).append(used)
                if _reference_of(name) in references:
                    distances = np.linalg.norm(centres - references[_reference_of(name)], axis=1)
                    errors[name, setting] = float(distances.max())
    for (name, setting), used in times.items():
        error = errors.get((name, setting), float("nan"))
        mark = "*" if 0 < error <= TARGET else " "
        print(f"{mark} {name} {setting:g}: error {error:.1e}, {statistics.median(used):.4g} s")
