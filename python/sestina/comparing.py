"""Compares the formulations of a model with each other."""

from __future__ import annotations

from typing import Any

from ._core import Model, System, solver_names
from .result import as_system
from .run import simulate


def compare(model: System | Model, *, states: int = 20, trajectory: bool = False) -> dict[str, Any]:
    """Compare all formulations with each other, as `sestina compare` does.

    Returns the result of Model.compare() for `states` states around the initial one. trajectory: simulate with each
    solver as well; `trajectories` then has, for each solver, the largest difference of coordinates and speeds from
    the first solver, relative to the largest value of each quantity. Events add rows at times that differ between
    solvers; compare the runs of a model with events yourself.
    """
    system = as_system(model)
    data = system.freeze().compare(states)
    if system.analysis.coordinates == "cartesian":
        system = system.copy()
        system.analysis.coordinates = "relative"
    if not trajectory:
        return data
    import numpy as np

    reference, largest = None, None
    data["trajectories"] = {}
    for solver in solver_names():
        run = simulate(system, solver=solver)
        rows = np.hstack([run.q, run.u])
        if reference is None or largest is None:
            reference, largest = rows, np.maximum(np.abs(rows).max(axis=0), 1e-3)
        data["trajectories"][solver] = float((np.abs(rows - reference) / largest).max())
    return data
