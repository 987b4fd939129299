"""Simulation."""

from __future__ import annotations

import contextlib
import os
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NoReturn, TextIO

from . import _core
from ._core import Integrator, Model, Report, System, Table
from .errors import ComputationError, InputError
from .result import Result, as_system

if TYPE_CHECKING:
    import numpy.typing as npt

#: A rule by its name, or with its options: {"name": "generalized_alpha", "spectral_radius": 0.5}.
Rule = str | Integrator | Mapping[str, object]

#: Called with the time (s), the duration (s), the wall time (s) and the number of steps.
Progress = Callable[[float, float, float, int], object]


class ProgressBar:
    """Shows progress on one line of the terminal; `describe` gives the fraction and a text."""

    def __init__(self, describe: Callable[..., tuple[float, str]], stream: TextIO | None = None) -> None:
        self._describe = describe
        self._stream = stream or sys.stderr
        self._is_shown = False

    def __call__(self, *numbers: float) -> None:
        fraction, text = self._describe(*numbers)
        bar = ("#" * round(40 * fraction)).ljust(40, ".")
        self._stream.write(f"\r[{bar}] {100 * fraction:3.0f} %  {text}")
        self._stream.flush()
        self._is_shown = True

    def close(self) -> None:
        if self._is_shown:
            self._stream.write("\n")


def describe_run(t: float, duration: float, wall_seconds: float, steps: int) -> tuple[float, str]:
    return t / duration if duration > 0 else 1.0, f"t = {t:.3g} of {duration:.3g} s  {steps} steps"


@contextlib.contextmanager
def watch(progress: Any, describe: Callable[..., tuple[float, str]] = describe_run) -> Iterator[Any]:
    """Yields the function to call with the progress, or None; ends the line of a progress bar."""
    bar = ProgressBar(describe) if progress is True else None
    try:
        yield bar or (None if isinstance(progress, bool) else progress)
    finally:
        if bar is not None:
            bar.close()


def _edit(
    system: System,
    duration: float | None,
    every: float | None,
    solver: str | None,
    integrator: Rule | None,
    rtol: float | None,
    atol: float | None,
    dt: float | None,
) -> System:
    analysis = system.analysis
    if analysis.coordinates == "state_time":
        for name, value in {"integrator": integrator, "rtol": rtol, "atol": atol, "dt": dt}.items():
            if value is not None:
                raise InputError(
                    f"{name}: {value!r} is of runs by steps; allowed with the coordinates state_time is None: "
                    "what belongs to them is analysis.time_elements"
                )
    if duration is not None:
        analysis.duration = duration
    if every is not None:
        system.output.every = every
    if solver is not None:
        analysis.solver = solver
    if integrator is not None and integrator != analysis.integrator.name:
        analysis.integrator = integrator  # the options of another rule do not apply
    if rtol is not None:
        analysis.step.rtol = rtol
    if atol is not None:
        analysis.step.atol = atol
    if dt is not None:
        analysis.step.driver = "fixed"
        analysis.step.dt = dt
    elif rtol is not None or atol is not None:
        analysis.step.driver = "variable"
    return system


def _initial_state(
    model: Model, q: npt.ArrayLike | None, u: npt.ArrayLike | None, x: npt.ArrayLike | None
) -> tuple[list[float], list[float], list[float]]:
    import numpy as np

    def numbers(name: str, given: npt.ArrayLike | None, usual: npt.ArrayLike, length: int) -> list[float]:
        try:
            values = np.atleast_1d(np.asarray(usual if given is None else given, dtype=np.float64))
        except (TypeError, ValueError) as error:
            raise InputError(f"{name}: expected an array of {length} numbers, not {given!r}") from error
        if values.shape != (length,):
            raise InputError(f"{name} has the shape {values.shape}; allowed is ({length},)")
        return values.tolist()  # type: ignore[no-any-return]

    return numbers("q", q, model.q0, model.nq), numbers("u", u, model.u0, model.nu), numbers("x", x, model.x0, model.nx)


def _finish(system: System, table: Table, report: Report, check: bool) -> Result:
    result = Result(table, report, system)
    if report.hint:
        warnings.warn(report.hint, stacklevel=3)
    if report.checkpoint_failure:
        warnings.warn(report.checkpoint_failure, stacklevel=3)
    if report.status == "failed" and check:
        raise ComputationError(report.failure, report.t, report.failure, result)
    return result


def simulate(
    system: System | Model,
    *,
    duration: float | None = None,
    every: float | None = None,
    solver: str | None = None,
    integrator: Rule | None = None,
    rtol: float | None = None,
    atol: float | None = None,
    dt: float | None = None,
    q: npt.ArrayLike | None = None,
    u: npt.ArrayLike | None = None,
    x: npt.ArrayLike | None = None,
    reactions: bool = False,
    progress: bool | Progress = False,
    out: str | os.PathLike[str] | None = None,
    threads: int | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    every_wall: float | None = None,
    real_time: float | None = None,
    trace: bool = False,
    max_steps: int | None = None,
    max_wall: float | None = None,
    check: bool = True,
) -> Result:
    """Simulate from the initial state to the end of the duration.

    Arguments that are not given default to `system.analysis` and `system.output`; the system is not changed.

    duration    s
    every       s between rows; default a hundredth of the duration
    solver      one of solver_names()
    integrator  one of integrator_names(), or with options {"name": "generalized_alpha", "spectral_radius": 0.5}
    rtol, atol  tolerances of a step of variable length
    dt          s, fixed steps of this length instead; with state_time, integrator, rtol, atol and dt are refused
    q, u, x     (nq), (nu), (nx), the initial state; by default the description's
    reactions   also record the reactions of all joints
    progress    True shows a bar; a function is called about ten times a second and at the end with the time (s), the
                duration (s), the wall time (s) and the number of steps
    out         a result file (.csv, .h5) to which the rows are also written during the run
    threads     for solvers that work in parallel; results do not depend on it
    checkpoint  a file that resume() can continue the run from, written every `every_wall` s of wall time
    real_time   simulated seconds per second of wall time
    trace       measure where the time goes: result.report.trace
    max_steps   a run that would take more steps fails with that reason, and keeps its rows
    max_wall    s of wall time, the same
    check       False returns the result of a run that fails; True raises ComputationError with the result as `result`

    An exception in a PythonForce ends the run and is raised here, with the rows so far as its `result`. Ctrl-C
    ends the run: the rows so far are returned, and `result.report.status` is `interrupted`.
    """
    described = _edit(as_system(system), duration, every, solver, integrator, rtol, atol, dt)
    model = system if isinstance(system, Model) else None
    initial = None
    if q is not None or u is not None or x is not None:
        model = model or described.freeze()
        initial = _initial_state(model, q, u, x)
    with watch(progress) as callback:
        table, report, raised = _core._simulate(
            described, model, callback, reactions, out, threads, checkpoint, every_wall, real_time, trace, initial, max_steps, max_wall
        )
    if raised is not None and check:
        _raise_with_result(raised, Result(table, report, described))
    return _finish(described, table, report, check)


def _raise_with_result(error: BaseException, result: Result) -> NoReturn:
    with contextlib.suppress(AttributeError):  # of types that take no attributes
        error.result = result  # type: ignore[attr-defined]
    raise error


def resume(
    checkpoint: str | os.PathLike[str],
    *,
    progress: bool | Progress = False,
    out: str | os.PathLike[str] | None = None,
    threads: int | None = None,
    every_wall: float | None = None,
    real_time: float | None = None,
    trace: bool = False,
    max_steps: int | None = None,
    max_wall: float | None = None,
    check: bool = True,
) -> Result:
    """Continue a run from this checkpoint: the rows equal those of an uninterrupted run, bit for bit.

    out: where the result file is now, if it was moved. For a run without a result file, the rows begin with the
    next one. The other arguments are as in simulate(); limits count from here.
    """
    with watch(progress) as callback:
        system, table, report = _core._resume(
            checkpoint, callback, out, threads, every_wall, real_time, trace, max_steps, max_wall
        )
    return _finish(system, table, report, check)
