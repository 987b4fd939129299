"""Many runs of one system at once, over arrays of parameters and initial states; derivatives of a run."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from . import _core
from ._core import Model, System
from .attributes import NamedAttributes
from .errors import ComputationError, InputError
from .result import as_system
from .run import Rule, _edit, watch

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Array = npt.NDArray[np.float64]


class EnsembleResult(NamedAttributes):
    """Many runs, indexed by the leading axes (n1, n2, ...) of the arrays given to run_ensemble().

    `result["hinge.q"]` (n1, n2, ..., rows) is a column over time, if `record` selects it; NaN where a run has no
    such row.
    """

    _public = ("shape", "q", "u", "t", "energy_drift", "steps", "lanes", "status", "reasons", "columns", "series")

    def __init__(self, data: dict[str, Any], shape: tuple[int, ...]) -> None:
        import numpy as np

        self.shape = shape  #: the leading axes
        self.q: Array = data["q"].reshape(*self.shape, data["q"].shape[-1])  #: (..., nq) where the runs ended
        self.u: Array = data["u"].reshape(*self.shape, data["u"].shape[-1])  #: (..., nu)
        t, drift, steps, lanes = np.moveaxis(data["numbers"], -1, 0)
        self.t: Array = t.reshape(self.shape)  #: s, how far the runs came
        self.energy_drift: Array = drift.reshape(self.shape)  #: J
        self.steps: Array = steps.reshape(self.shape)
        self.lanes: Array = lanes.reshape(self.shape)  #: lanes of the registers that a run shared; 0: run separately
        self.status = np.array(data["status"], dtype=object).reshape(self.shape)  #: `complete`, `failed`, `interrupted`
        self.reasons = np.array(data["reasons"], dtype=object).reshape(self.shape)  #: why runs failed
        self.columns: list[str] = data.get("columns", [])
        self._units = dict(zip(self.columns, data.get("units", []), strict=True))
        #: (..., rows, columns), or None
        self.series: Array | None = None
        if "series" in data:
            self.series = data["series"].reshape(*self.shape, *data["series"].shape[1:])

    def __getitem__(self, name: str) -> Array:
        if self.series is None or name not in self._units:
            raise KeyError(f"{name!r} was not recorded; `record` of run_ensemble() says what is")
        return self.series[..., self.columns.index(name)]

    def unit(self, name: str) -> str:
        """The unit of a column."""
        return str(self._units[name])

    def __repr__(self) -> str:
        return f"<sestina.EnsembleResult {self.shape}: {int((self.status == 'complete').sum())} of {self.status.size} complete>"


def _common_axes(axes: dict[str, tuple[int, ...]]) -> tuple[int, ...]:
    import numpy as np

    try:
        return np.broadcast_shapes(*axes.values())
    except ValueError:
        lengths = ", ".join(f"{name} {one}" for name, one in axes.items())
        raise InputError(f"the leading axes do not fit together: {lengths}; each length must be the same, or 1") from None


def _rows(states: Array | None, shape: tuple[int, ...]) -> Array | None:
    """(members, length)"""
    import numpy as np

    if states is None:
        return None
    return np.broadcast_to(states, (*shape, states.shape[-1])).reshape(math.prod(shape), states.shape[-1])


def run_ensemble(
    system: System | Model,
    parameters: Mapping[str, npt.ArrayLike] | None = None,
    *,
    q: npt.ArrayLike | None = None,
    u: npt.ArrayLike | None = None,
    duration: npt.ArrayLike | None = None,
    record: Sequence[str] | None = None,
    every: float | None = None,
    integrator: Rule | None = None,
    rtol: float | None = None,
    atol: float | None = None,
    dt: float | None = None,
    lanes: bool = True,
    threads: int | None = None,
    progress: bool | Callable[[int, int, float], object] | None = None,
    max_steps: int | None = None,
    max_wall: float | None = None,
    check: bool = True,
) -> EnsembleResult:
    """Simulate many times at once, each run with its own values, in SIMD lanes and threads.

    parameters   {"l": (...)}: arrays of parameter values; a number is used by all runs
    q, u         (..., nq), (..., nu): initial states; give both or neither
    duration     (...) s
    record       columns to keep over time, `*` matches any letters: ["t", "*.q"]; default none
    every        s between rows
    integrator   one of integrator_names()
    rtol, atol   tolerances of a step of variable length
    dt           s, fixed steps of this length instead
    lanes        False computes each run by itself, with the same last bits as simulate()
    threads      default all processors; results do not depend on it
    progress     True shows a bar; a function is called about twenty times a second with the number of members that
                 have ended, the number of members and the wall time (s)
    max_steps    a run that would take more steps fails with that reason and keeps its rows; the others continue
    max_wall     s of wall time, the same, for each run
    check        raise ComputationError if a run fails, after all have ended; error.result has the results.
                 With False, see result.status and result.reasons

    The arrays are broadcast against each other. Arguments that are not given default to `system.analysis`. Lanes
    need the recursive solver, an explicit Runge-Kutta rule, and a model without events, PythonForce and integrated
    columns; other runs are computed one by one (result.lanes is 0 for these). Ctrl-C ends all runs, and the results so
    far are returned. A RuntimeWarning is issued if a few members take much longer than the others.
    """
    import numpy as np

    described = _edit(as_system(system), None, every, None, integrator, rtol, atol, dt)
    if (q is None) != (u is None):
        raise InputError("q and u: allowed are both or neither")
    given = {name: np.asarray(values, dtype=np.float64) for name, values in (parameters or {}).items()}
    axes = {name: values.shape for name, values in given.items()}
    states = {name: np.atleast_1d(np.asarray(one, dtype=np.float64)) for name, one in (("q", q), ("u", u)) if one is not None}
    axes |= {name: one.shape[:-1] for name, one in states.items()}
    spans = None if duration is None else np.asarray(duration, dtype=np.float64)
    axes |= {} if spans is None else {"duration": spans.shape}
    shape = _common_axes(axes)
    columns = [np.broadcast_to(values, shape).ravel() for values in given.values()]
    matrix = np.stack(columns, axis=1) if columns else np.empty((math.prod(shape), 0))
    with watch(progress, lambda done, members, seconds: (done / members, f"{done} of {members} members")) as callback:
        data = _core._run_ensemble(
            described,
            list(given),
            matrix,
            _rows(states.get("q"), shape),
            _rows(states.get("u"), shape),
            None if spans is None else np.broadcast_to(spans, shape).ravel(),
            None if record is None else list(record),
            lanes,
            threads,
            callback,
            max_steps,
            max_wall,
        )
    result = EnsembleResult(data, shape)
    failed = np.argwhere(result.status == "failed")
    if check and len(failed) > 0:
        place = tuple(int(i) for i in failed[0])
        several = f" ({len(failed)} of {result.status.size} runs failed; error.result has them all)" if shape else ""
        raise ComputationError(f"run {list(place)}: {result.reasons[place]}{several}", result=result)
    return result


class Sensitivities:
    """The derivatives of a run's columns with respect to parameters: `result["hinge.q"]` (parameters, rows)."""

    def __init__(self, parameters: Sequence[str], columns: list[str], t: Array, values: Array, by: Array) -> None:
        self.parameters = list(parameters)
        self.columns = columns
        self.t = t  #: (rows) s
        self.values = values  #: (rows, columns) of the run itself
        self.by = by  #: (parameters, rows, columns)

    def __getitem__(self, name: str) -> Array:
        if name not in self.columns:
            raise KeyError(f"{name!r} was not recorded; `record` says what is")
        return self.by[..., self.columns.index(name)]


def sensitivities(
    system: System | Model,
    parameters: Sequence[str],
    *,
    record: Sequence[str],
    method: Literal["differences", "tangents"] = "differences",
    duration: float | None = None,
    every: float | None = None,
    integrator: Rule | None = None,
    dt: float | None = None,
    rtol: float = 1e-10,
    relative_step: float = 1e-4,
    lanes: bool = True,
) -> Sensitivities:
    """Differentiate a run with respect to parameters: lengths, masses, or initial values that depend on one.

    parameters     names; with the method `tangents` also coordinates and speeds ("hinge.q"): their initial values
    record         columns, `*` matches any letters: ["hinge.q"]
    method         `tangents`: exact up to the tolerances of the run; `differences`: from two more runs for each
    dt             s, fixed steps of this length, which make the differences smooth
    relative_step  for `differences`: a parameter p is varied by this times |p|, or by this itself if p is 0
    lanes          for `differences`: compute the runs side by side

    `tangents` integrates the derivatives of the motion along with it, by an explicit rule: for models without events,
    contacts, beams, cartesian coordinates, user forces and user constraints. With fixed steps they are the derivatives
    of the numerical solution itself, except for the drift of a step that the projection of loops removes. If an initial
    value of a joint in a loop varies, the other joints follow. Columns of energies, positions and integrals over time
    are differentiated along these by central differences (relative error 1e-10). Parameters on which the time of a
    force's jump depends are refused. Ctrl-C keeps the rows so far.

    `differences` takes any model. The error is of the order of the square of the step, plus rtol divided by the step:
    about 1e-6 with the defaults. Rows of events whose times depend on a parameter have NaN as derivatives, because
    they are at no fixed time.

    Model.forward_dynamics_by_parameters gives the exact derivatives of the accelerations. Raises ComputationError if a
    run fails, and InputError if the model does not allow the method; with `differences` also if the runs differ in
    their number of rows (events that occur in some of them only) or in the times of all rows (a row for each step of
    variable length).
    """
    names = list(parameters)
    if not names:
        raise InputError("parameters: there is no name; allowed is at least one")
    described = as_system(system)
    tolerance = rtol if dt is None else None
    if method == "tangents":
        edited = _edit(described, duration, every, None, integrator, tolerance, tolerance, dt)
        data = _core._run_sensitivities(edited, names, list(record))
        return Sensitivities(names, data["columns"], data["values"][:, 0], data["values"], data["by"])
    if method != "differences":
        raise InputError(f"method: {method!r}; allowed are 'differences' and 'tangents'")
    return _sensitivities_by_differences(
        described, names, record, duration, every, integrator, dt, tolerance, relative_step, lanes
    )


class Gradient:
    """The gradient of the cost of a run: `gradient["k"]`."""

    def __init__(self, parameters: Sequence[str], data: dict[str, Any]) -> None:
        self.parameters = list(parameters)
        self.cost: float = data["cost"]
        self.by: Array = data["by"]  #: (parameters), of the cost
        self.columns: list[str] = data["columns"]
        self.t: Array = data["t"]  #: (rows) s
        self.values: Array = data["values"]  #: (rows, columns) of the run

    def __getitem__(self, name: str) -> float:
        if name not in self.parameters:
            raise KeyError(f"{name!r} is not among the parameters {', '.join(self.parameters)}")
        return float(self.by[self.parameters.index(name)])


def gradient(
    system: System | Model,
    parameters: Sequence[str],
    cost: str | Callable[[Array, Array], tuple[float, Array]],
    *,
    record: Sequence[str] | None = None,
    duration: float | None = None,
    every: float | None = None,
    integrator: Rule | None = None,
    dt: float | None = None,
    rtol: float = 1e-10,
) -> Gradient:
    """Differentiate the cost of a run with respect to any number of parameters, in the time of a few runs: the adjoint method.

    parameters  names of parameters, and of coordinates and speeds ("hinge.q"): their initial values
    cost        a column, whose last value is the cost; or a function of the times t (rows) in s and the values (rows,
                columns) that returns the cost and its derivatives with respect to the values (rows, columns)
    record      the columns that the function gets, `*` matches any letters
    dt          s, fixed steps of this length

    The run is computed forward once, then its steps backward, transposed. The gradient is that of the numerical solution at
    the steps that it took. Accepts the models of `sensitivities(method="tangents")`, with an explicit Runge-Kutta rule:
    forward_euler, rk4, rkf45, dormand_prince_54. Columns of energies, positions and integrals over time are
    differentiated by central differences (relative error 1e-10). A row on which the cost depends takes the time of a
    step, and more for such columns: record only what the cost needs, with `every` as long as it allows. If columns contain
    integrals, each stage of a step also takes two evaluations for each coordinate, speed and parameter.

    Raises ComputationError if the run fails, and InputError if the model or the rule does not allow it
    or a derivative is not finite.
    """
    import numpy as np

    names = list(parameters)
    if not names:
        raise InputError("parameters: there is no name; allowed is at least one")
    tolerance = rtol if dt is None else None
    edited = _edit(as_system(system), duration, every, None, integrator, tolerance, tolerance, dt)
    if isinstance(cost, str):
        if record is not None:
            raise InputError("record: the cost is the last value of a column and needs no others; allowed is None")
        return Gradient(names, _core._run_gradient(edited, names, [cost], None))
    if record is None:
        raise InputError("record: the columns of which the cost is a function are missing")
    function = cost

    def flat(t: Array, values: Array) -> tuple[float, list[float]]:
        cost, by = function(t, values)
        derivatives = np.asarray(by, dtype=np.float64)
        if derivatives.shape != values.shape:
            raise InputError(f"cost: its derivatives have the shape {derivatives.shape}; allowed is {values.shape}")
        return float(cost), derivatives.ravel().tolist()

    return Gradient(names, _core._run_gradient(edited, names, list(record), flat))


def _sensitivities_by_differences(
    described: System,
    names: list[str],
    record: Sequence[str],
    duration: float | None,
    every: float | None,
    integrator: Rule | None,
    dt: float | None,
    tolerance: float | None,
    relative_step: float,
    lanes: bool,
) -> Sensitivities:
    import numpy as np

    if not 0.0 < relative_step < 1.0:
        raise InputError(f"relative_step: {relative_step} is not above 0 and below 1")
    known = described.freeze().parameters
    missing = [name for name in names if name not in known]
    if missing:
        raise InputError(f"there is no parameter {missing[0]!r}; there are {', '.join(known)}")
    values = np.array([known[name] for name in names])
    steps = relative_step * np.where(values == 0.0, 1.0, np.abs(values))
    displaced = np.tile(values, (2 * len(names) + 1, 1))
    for i, step in enumerate(steps):
        displaced[2 * i + 1, i] += step
        displaced[2 * i + 2, i] -= step
    data = run_ensemble(
        described,
        {name: displaced[:, i] for i, name in enumerate(names)},
        duration=duration,
        record=record,
        every=every,
        integrator=integrator,
        rtol=tolerance,
        atol=tolerance,
        dt=dt,
        lanes=lanes,
    )
    series = data.series
    if series is None:
        raise InputError("record: there are no columns to differentiate")
    if np.isnan(series[..., 0]).any():
        raise InputError("the runs have other numbers of rows; events that come and go with a parameter cause this")
    widths = displaced[1::2].diagonal() - displaced[2::2].diagonal()
    moved = (series[1::2, :, 0] != series[0, :, 0]) | (series[2::2, :, 0] != series[0, :, 0])
    if series.shape[1] > 1 and moved[:, 1:].all():
        raise InputError("the runs have rows at other times; give `every` or `dt`")
    by = (series[1::2] - series[2::2]) / widths[:, None, None]
    by[moved] = np.nan
    return Sensitivities(names, data.columns, series[0, :, 0], series[0], by)
