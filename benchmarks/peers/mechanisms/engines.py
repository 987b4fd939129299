"""Runs and times the two engines, and reads their results. No files, one thread unless told otherwise; building is not timed."""

from __future__ import annotations

import contextlib
import os
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import exudyn as exu
import numpy as np
import numpy.typing as npt

import sestina

Array = npt.NDArray[np.float64]


class Outcome(NamedTuple):
    seconds: float  # of the processor
    values: Array  # at the end of the run, the same quantities for both engines
    steps: int
    iterations: int  # of Newton's method; for Sestina evaluations of the residual or of the accelerations
    jacobians: int  # 0 where the engine does not tell
    wall: float  # s by the clock


Run = Callable[[], Outcome]


class Clock:
    """Begins when it is made."""

    def __init__(self) -> None:
        self._processor, self._wall = time.process_time(), time.perf_counter()

    def read(self) -> tuple[float, float]:
        """The time of the processor, of all threads together, and that by the clock (s)."""
        return time.process_time() - self._processor, time.perf_counter() - self._wall


@contextlib.contextmanager
def silence() -> Iterator[None]:
    """Exudyn prints from C++, past sys.stdout."""
    sys.stdout.flush()
    kept = os.dup(1)
    with open(os.devnull, "w") as nothing:
        os.dup2(nothing.fileno(), 1)
    try:
        yield
    finally:
        os.dup2(kept, 1)
        os.close(kept)


# ---- Exudyn ---------------------------------------------------------------------------------------------------------


class Rule(NamedTuple):
    """A fixed-step rule of Exudyn, the settings of its Newton iteration, and its threads."""

    step: float  # s
    radius: float = 0.9  # spectral radius of generalized-alpha
    trapezoidal: bool = False  # index 2 and Newmark's rule instead
    sparse: bool = False
    relative_tolerance: float = 1e-8  # Exudyn's own default
    absolute_tolerance: float = 1e-10  # the same
    restart_iterations: int | None = None  # a new Jacobian after so many iterations
    threads: int = 1
    explicit: bool = False  # the classical Runge-Kutta rule instead, the mass matrix of each body inverted alone


def exudyn_system() -> Any:
    exu.config.printToConsole = False
    return exu.SystemContainer().AddSystem()


def exudyn_settings(rule: Rule, duration: float) -> Any:
    settings = exu.SimulationSettings()
    integration = settings.timeIntegration
    integration.endTime = duration
    integration.numberOfSteps = round(duration / rule.step)
    integration.verboseMode = 0
    integration.newton.useModifiedNewton = True
    integration.newton.relativeTolerance = rule.relative_tolerance
    integration.newton.absoluteTolerance = rule.absolute_tolerance
    if rule.restart_iterations is not None:
        integration.newton.maxModifiedNewtonIterations = rule.restart_iterations
    integration.generalizedAlpha.spectralRadius = rule.radius
    settings.solution.file.write = False
    settings.solution.sensors.active = False
    settings.parallel.numberOfThreads = rule.threads
    integration.explicit.computeEndOfStepAccelerations = False
    integration.explicit.computeMassMatrixInversePerBody = rule.explicit
    if rule.sparse:
        settings.linearSolver.solverType = exu.LinearSolverType.EigenSparse
    return settings


def exudyn_run(system: Any, rule: Rule, duration: float, read: Callable[[], Any]) -> Run:
    """Runs an assembled system, always from its initial values; `read` returns the values at the end."""
    settings = exudyn_settings(rule, duration)
    kind = exu.DynamicSolverType.TrapezoidalIndex2 if rule.trapezoidal else exu.DynamicSolverType.GeneralizedAlpha
    if rule.explicit:
        kind = exu.DynamicSolverType.RK44
    return lambda: exudyn_solve(system, settings, kind, read)


def exudyn_solve(system: Any, settings: Any, kind: Any, read: Callable[[], Any]) -> Outcome:
    with silence():
        clock = Clock()
        done = system.SolveDynamic(settings, solverType=kind, storeSolver=True)
        seconds, wall = clock.read()
    if not done:
        raise RuntimeError("Exudyn did not reach the end")
    counts = system.sys["dynamicSolver"].it
    values = np.array(read(), dtype=float)
    return Outcome(seconds, values, counts.currentStepIndex - 1, counts.newtonStepsCount, counts.newtonJacobiCount, wall)


def body_output(system: Any, body: Any, kind: str, place: tuple[float, float, float] = (0, 0, 0)) -> Array:
    """An output of a body, such as Position, at a point of its own axes."""
    variable = getattr(exu.OutputVariableType, kind)
    return np.array(system.GetObjectOutputBody(body, variable, list(place), exu.ConfigurationType.Current))


# ---- Sestina --------------------------------------------------------------------------------------------------------


def sestina_run(
    system: sestina.System,
    duration: float,
    columns: list[str],
    integrator: str | dict[str, Any],
    *,
    dt: float | None = None,
    rtol: float | None = None,
    atol: float | None = None,
    solver: str | None = None,
    threads: int = 1,
) -> Run:
    """Runs a frozen model; the values are the last row of these columns."""
    model = system.freeze()
    limits: dict[str, Any] = {"dt": dt} if dt else {"rtol": rtol, "atol": 1e-2 * rtol if rtol and atol is None else atol}

    def run() -> Outcome:
        clock = Clock()
        result = sestina.simulate(
            model, duration=duration, every=duration, integrator=integrator, solver=solver, threads=threads, **limits
        )
        seconds, wall = clock.read()
        assert result.report
        steps = result.report.steps
        values = np.array([result[column][-1] for column in columns])
        return Outcome(seconds, values, steps.steps, steps.evaluations, 0, wall)

    return run


def alpha(radius: float) -> dict[str, Any]:
    return {"name": "generalized_alpha", "spectral_radius": radius}


def inertia_of(moments: Array) -> dict[str, float]:
    """A matrix of inertia by the names of its elements."""
    return {a + b: float(moments["xyz".index(a), "xyz".index(b)]) for a, b in ("xx", "yy", "zz", "xy", "xz", "yz")}


# ---- both -----------------------------------------------------------------------------------------------------------


def time_in_turn(runs: list[Run], rounds: int) -> list[Outcome]:
    """The outcome of each run with the median of its times; the runs take turns."""
    outcomes: list[list[Outcome]] = [[] for _ in runs]
    for _ in range(rounds):
        for run, kept in zip(runs, outcomes):
            kept.append(run())
    return [kept[-1]._replace(seconds=statistics.median(each.seconds for each in kept)) for kept in outcomes]


def largest_difference(a: Array, b: Array) -> float:
    return float(np.abs(a - b).max())
