"""Particles: runs of model files with `particles`, and steps from Python."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from . import _core
from ._core import ParticleReport, Particles, Table
from .errors import ComputationError
from .files import Changes, _options
from .result import Result
from .run import watch

if TYPE_CHECKING:
    from .run import Progress


class ParticleResult(Result):
    """The rows of a run of particles: named columns over time, `t`, `temperature`, `energy.total`, and its report."""

    report: ParticleReport  # type: ignore[assignment]

    def __init__(self, table: Table, report: ParticleReport) -> None:
        super().__init__(table)
        self.report = report


def load_particles(file: str | os.PathLike[str], set: Changes | None = None, *, threads: int = 1) -> Particles:
    """Read a model file with `particles`, to move them step by step.

    set      keys of the model to override, as for load()
    threads  results do not depend on it

    Particles that the model separates before its run (`relax`) are separated.
    """
    return _core._load_particles(file, _options(set), threads)


def run_particles(
    file: str | os.PathLike[str],
    set: Changes | None = None,
    *,
    progress: bool | Progress = False,
    out: str | os.PathLike[str] | None = None,
    threads: int = 1,
    checkpoint: str | os.PathLike[str] | None = None,
    every_wall: float | None = None,
    max_steps: int | None = None,
    max_wall: float | None = None,
    check: bool = True,
) -> ParticleResult:
    """Run a model file with `particles` to the end of its duration. The trajectory is written where the model says.

    set         keys of the model to override, as for load()
    progress    True shows a bar; a function is called about ten times a second with the time, the duration, the wall
                time (s) and the number of steps
    out         a result file (.csv, .h5) for the rows
    threads     results do not depend on it
    checkpoint  a file that resume_particles() can continue the run from, written every `every_wall` s of wall time
    max_steps   a run that would take more steps fails with that reason, and keeps its rows
    max_wall    s of wall time, the same
    check       False returns the result of a run that fails; True raises ComputationError with the result as `result`

    Ctrl-C ends the run: the rows so far are returned, and `result.report.status` is `interrupted`.
    """
    with watch(progress) as callback:
        data = _core._run_particles(file, _options(set), callback, out, threads, checkpoint, every_wall, max_steps, max_wall)
    return _finish(*data, check)


def resume_particles(
    checkpoint: str | os.PathLike[str],
    *,
    progress: bool | Progress = False,
    out: str | os.PathLike[str] | None = None,
    threads: int = 1,
    every_wall: float | None = None,
    max_steps: int | None = None,
    max_wall: float | None = None,
    check: bool = True,
) -> ParticleResult:
    """Continue a run of particles from its checkpoint, bit for bit.

    out  the result file, if it is not where it was. Without a result file the rows after the checkpoint are returned.

    The other arguments are those of run_particles().
    """
    with watch(progress) as callback:
        data = _core._resume_particles(checkpoint, callback, out, threads, every_wall, max_steps, max_wall)
    return _finish(*data, check)


def _finish(table: Table, report: ParticleReport, check: bool) -> ParticleResult:
    result = ParticleResult(table, report)
    if report.status == "failed" and check:
        raise ComputationError(report.failure, report.t, report.failure, result)
    return result
