"""Search for the values of a model's keys that give the least cost."""

from __future__ import annotations

import difflib
import numbers
import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Union

from . import optimizers
from ._core import Expression, Model, System
from .cost_expressions import CostExpression
from .errors import ComputationError, InputError
from .journal import Journal
from .population import Interrupted, Member, Population
from .result import as_system
from .run import Rule, _edit

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Array = npt.NDArray[np.float64]
    from .symbolic_population import SymbolicPopulation
    from .symbolic_system import SymbolicResult, SymbolicSystem

    #: A function of a run (a Member, or a SymbolicResult), or an expression of its columns.
    Cost = Union[Callable[[Any], float], str]
    Variables = Union[Mapping[str, tuple[float, float]], Mapping[Expression, tuple[float, float]]]
    Start = Union[Mapping[str, float], Mapping[Expression, float]]
    #: Called after each generation with its number from 1, the number of runs, the least cost and the values that have it.
    OptimizationProgress = Callable[[int, int, float, dict[str, float]], object]


class Optimum:
    """What minimize() found."""

    def __init__(self, search: _Search, status: str, reason: str) -> None:
        import numpy as np

        self.status = status  #: `converged`, `stopped` by a limit, `interrupted`
        self.reason = reason  #: why it ended
        self.values: dict[str, float] = search.named(search.best)  #: of the keys
        self.cost = search.best_cost
        self.runs = sum(map(len, search.costs))
        self.generations = len(search.costs)
        self.failures = search.failures  #: runs that failed: their values, and why; the first hundred
        self.failed = search.failed  #: the number of failed runs
        self.best_costs: Array = np.minimum.accumulate([one.min() for one in search.costs])  #: (generations)
        self.members: Array = np.concatenate(search.members)  #: (runs, keys) all values that were tried
        self.costs: Array = np.concatenate(search.costs)  #: (runs) inf of runs that failed
        self.system: Any = search.population.with_values(search.best.tolist())  #: the System with these values; for a SymbolicSystem, itself

    def __repr__(self) -> str:
        values = ", ".join(f"{key}={value:.6g}" for key, value in self.values.items())
        return f"<sestina.Optimum {self.cost:.6g} at {values}: {self.status} after {self.runs} runs>"


class _Search:
    """Computes the costs of members, and keeps the best."""

    def __init__(
        self, population: Population | SymbolicPopulation, bounds: Array, cost: Cost, record: Sequence[str], journal: Journal,
        max_runs: int | None, report: Callable[[_Search], object] | None,
    ) -> None:  # fmt: skip
        import numpy as np

        self.population, self._bounds, self._cost, self._record = population, bounds, cost, list(record)
        self._journal, self._max_runs, self._report = journal, max_runs, report
        self.members: list[Array] = []
        self.costs: list[Array] = []
        self.failures: list[tuple[dict[str, float], str]] = []
        self.failed = 0
        self.best: Array = np.zeros(0)
        self.best_cost = float("inf")

    def named(self, values: Array) -> dict[str, float]:
        return dict(zip(self.population.keys, map(float, values)))

    def __call__(self, points: Array) -> Array:
        """Costs (n) of points (n, k) in the unit cube."""
        import numpy as np

        done = sum(map(len, self.costs))
        if self._max_runs is not None and done + len(points) > self._max_runs:
            raise optimizers.Stop(f"max_runs: {done} runs are done, and {len(points)} more would be over {self._max_runs}")
        lower, upper = self._bounds.T
        members = np.clip(lower + (upper - lower) * points, lower, upper)
        asked = members.tolist()
        recalled = self._journal.recall(asked)
        data = self._run(members) if recalled is None else recalled
        if recalled is None:
            self._journal.append(asked, *data)
        costs = np.array(data[0])
        self._keep(members, costs, data[1])
        if self._report is not None and recalled is None:
            self._report(self)
        return costs

    def _run(self, members: Array) -> tuple[list[float], list[str]]:
        found = self.population.run(members, self._record)
        costs = [float("inf") if isinstance(one, str) else self._cost_of(one, row) for one, row in zip(found, members)]
        return costs, [one if isinstance(one, str) else "" for one in found]

    def _cost_of(self, run: Member | SymbolicResult, values: Array) -> float:
        cost = self._cost(run)  # type: ignore[operator]
        is_number = isinstance(cost, numbers.Real) or getattr(cost, "shape", None) == ()
        number = float(cost) if is_number else float("nan")
        if number != number or number == float("-inf"):
            text = repr(cost) if not hasattr(cost, "shape") else f"an array of the shape {cost.shape}"
            text_of_cost = f"{number}" if is_number else f"{text:.60} ({type(cost).__name__})"
            at = ", ".join(f"{key}={value:g}" for key, value in self.named(values).items())
            raise InputError(f"cost: {text_of_cost} is not a number, at {at}; allowed is a number, or inf to exclude these values")
        return number

    def _keep(self, members: Array, costs: Array, reasons: list[str]) -> None:
        import numpy as np

        self.members.append(members)
        self.costs.append(costs)
        for row, reason in zip(members, reasons):
            if reason:
                self.failed += 1
                if len(self.failures) < 100:
                    self.failures.append((self.named(row), reason))
        place = int(np.argmin(costs))
        if costs[place] < self.best_cost:
            self.best, self.best_cost = members[place], float(costs[place])


def _bounds_of(variables: Variables, kind: type) -> Array:
    import numpy as np

    if not isinstance(variables, Mapping) or not variables:
        raise InputError(f"variables: {variables!r} has no keys with bounds; allowed is {{key: (lower, upper)}}")
    rows = []
    for key, pair in variables.items():
        place = f"variables[{key!r}]"
        if not isinstance(key, kind):
            wanted = "key of the model, such as 'parameters.c'" if kind is str else "symbol of the system"
            raise InputError(f"{place}: {key!r} is not a {wanted}")
        try:
            lower, upper = (float(bound) for bound in pair)
        except (TypeError, ValueError):
            raise InputError(f"{place}: {pair!r} is not two numbers, the lower and the upper bound") from None
        if not np.isfinite([lower, upper]).all():
            raise InputError(f"{place}: {pair!r} is not finite")
        if not lower < upper:
            raise InputError(f"{place}: the lower bound {lower:g} is not below the upper one, {upper:g}")
        rows.append((lower, upper))
    return np.array(rows)


def _start_of(start: Start | None, keys: Sequence[str], bounds: Array) -> Array:
    """The start in the unit cube; by default its middle."""
    import numpy as np

    place = np.full(len(keys), 0.5)
    for key, value in ((str(key), value) for key, value in (start or {}).items()):
        if key not in keys:
            near = difflib.get_close_matches(key, keys, 1)
            hint = f" (did you mean {near[0]!r}?)" if near else f"; allowed are {', '.join(keys)}"
            raise InputError(f"start: there is no variable {key!r}{hint}")
        lower, upper = bounds[keys.index(key)]
        if not lower <= float(value) <= upper:
            raise InputError(f"start[{key!r}]: {value:g} is not from {lower:g} to {upper:g}")
        place[keys.index(key)] = (float(value) - lower) / (upper - lower)
    return place


class _Line:
    """Shows the progress of an optimisation on one line of the terminal."""

    def __init__(self) -> None:
        self._start = time.monotonic()
        self._is_shown = False

    def __call__(self, generation: int, runs: int, cost: float, values: dict[str, float]) -> None:
        best = ", ".join(f"{key.rpartition('.')[2]}={value:.5g}" for key, value in list(values.items())[:6])
        seconds = time.monotonic() - self._start
        sys.stderr.write(f"\r\x1b[Kgeneration {generation}  {runs} runs  {seconds:.0f} s  least {cost:.6g} at {best}")
        sys.stderr.flush()
        self._is_shown = True

    def close(self) -> None:
        if self._is_shown:
            sys.stderr.write("\n")


def minimize(
    model: System | Model | SymbolicSystem,
    variables: Variables,
    cost: Cost,
    *,
    method: str = "cma",
    start: Start | None = None,
    population: int | None = None,
    sigma: float = 0.3,
    generations: int | None = None,
    max_runs: int | None = None,
    tolerance: float = 1e-12,
    seed: int = 0,
    record: Sequence[str] | None = None,
    duration: float | None = None,
    every: float | None = None,
    integrator: Rule | None = None,
    rtol: float | None = None,
    atol: float | None = None,
    dt: float | None = None,
    lanes: bool = True,
    threads: int | None = None,
    max_steps: int | None = None,
    max_wall: float | None = None,
    state: str | os.PathLike[str] | None = None,
    resume: bool = False,
    progress: bool | OptimizationProgress = False,
) -> Optimum:
    """Find the values of keys of a model, within bounds, that minimise the cost of a run.

    variables    {"parameters.c": (0, 0.1), "joints.hinge.q": (1, 2)}: keys as in sweep(), with lower and upper bounds
    cost         a function of a run that returns a number: its columns over time are run["hinge.q"], run.t; or an expression
                 of columns, such as "last(hinge.q)^2 + 0.1*max(abs(hinge.u))", with first, last, min, max, mean, rms and
                 integral (the last three over time), abs, sqrt, exp, log, sin, cos, tan, arctan, tanh. It may also
                 contain what output.columns may: parameters, values of forces (`drive.value`), positions of points
    method       `cma` (PyPI cma) and `differential_evolution` (scipy) search with populations, whose members run side by
                 side in lanes and threads; `nelder_mead`, `powell` and `l_bfgs_b` (scipy) search from one point, the last
                 one with derivatives by central differences. They need `pip install scipy cma`
    start        {key: value} of the first point; by default the middle of the bounds
    population   number of members of a generation
    sigma        cma and nelder_mead: size of the first steps from the start, as a fraction of the width of the bounds
    generations  largest number of generations, or of iterations for methods without a population
    max_runs     a generation that would exceed this number of runs does not begin
    tolerance    of the cost, at which the search ends
    seed         of random numbers: the same seed gives the same answer, whatever the number of threads
    record       columns that a cost function uses, `*` matches any letters; default all. An expression names its own
    duration, every, integrator, rtol, atol, dt, lanes, threads, max_steps, max_wall
                 of each run, as in run_ensemble()
    state        a file to which each completed generation is written; with resume=True the search continues from it and
                 gives the same answer as without the interruption. generations and max_runs count from the beginning
    progress     True shows one line; a function is called after each generation with its number, the number of runs,
                 the least cost and its values

    Runs that fail or are refused have the cost inf; Optimum.failures names them. Ctrl-C ends the search, and the best result
    so far is returned with the status `interrupted`. The model is not changed; Optimum.system has the values. Raises
    InputError for unknown keys, wrong bounds and costs that are not numbers; ComputationError if no run succeeds.

    A SymbolicSystem is searched over its symbols: in {m: (1, 2), q: (0, 1)}, m is a parameter and q the initial value of a
    coordinate. It needs a duration, its runs are computed one after the other, and at the end it has the values found.
    """
    if method not in optimizers.METHODS:
        near = difflib.get_close_matches(str(method), optimizers.METHODS, 1)
        hint = f" (did you mean {near[0]!r}?)" if near else ""
        raise InputError(f"method: {method!r} is not known{hint}; allowed are {', '.join(optimizers.METHODS)}")
    from .symbolic_system import SymbolicSystem

    is_symbolic = isinstance(model, SymbolicSystem)
    bounds = _bounds_of(variables, Expression if is_symbolic else str)
    keys = [str(key) for key in variables]
    place = _start_of(start, keys, bounds)
    _check_settings({"population": population, "generations": generations, "max_runs": max_runs}, sigma, tolerance)
    described = None if is_symbolic else _edit(as_system(model), duration, every, None, integrator, rtol, atol, dt)
    function: Cost = cost
    if isinstance(cost, str):
        function = CostExpression(cost, [] if described is None else list(described.parameters))
    if not callable(function):
        raise InputError(f"cost: {cost!r} is neither a function of a run nor an expression of columns")
    first = (bounds[:, 0] + place * (bounds[:, 1] - bounds[:, 0])).tolist()
    options: dict[str, Any] = {"max_steps": max_steps, "max_wall": max_wall}
    own = {"duration": duration, "every": every, "integrator": integrator, "rtol": rtol, "atol": atol, "dt": dt}
    runs: Population | SymbolicPopulation
    told_of: Any  # equal for searches of equal models
    if isinstance(model, SymbolicSystem):
        from .symbolic_population import SymbolicPopulation

        symbols = [symbol for symbol in variables if isinstance(symbol, Expression)]
        runs, told_of = SymbolicPopulation(model, symbols, first, {**own, **options}), [*map(str, [*model.q, *model.u]), own]
    else:
        assert described is not None
        options = {"lanes": lanes, "threads": threads, **options}
        runs, told_of = Population(described, keys, first, options), _text_of(described)
    columns = runs.columns(first)
    if isinstance(function, CostExpression):
        if described is not None and columns:
            runs = _with_columns_of(function, runs, described, columns, lambda own: Population(described, keys, first, options, own))
        _check_columns(columns, [name for name in function.names if name not in function.places])
        function.check_value()
        record = function.columns
    elif record is None:
        record = ["*"]
    else:
        _check_columns(columns, record)
    head = {
        "optimisation": 1, "variables": {key: bounds[i].tolist() for i, key in enumerate(keys)}, "method": method,
        "start": place.tolist(), "population": population, "sigma": sigma, "tolerance": tolerance, "seed": seed,
        "cost": cost if isinstance(cost, str) else None, "model": told_of,
    }  # fmt: skip
    settings = optimizers.Settings(place, sigma, population, generations, tolerance, seed)
    line = _Line() if progress is True else None
    show: Any = line or (None if isinstance(progress, bool) else progress)
    journal = Journal(state, head, resume)
    report = None if show is None else lambda one: show(len(one.costs), sum(map(len, one.costs)), one.best_cost, one.named(one.best))
    search = _Search(runs, bounds, function, record, journal, max_runs, report)
    try:
        status, reason = _run(method, search, settings)
    finally:
        journal.close()
        if line is not None:
            line.close()
    if not len(search.best):
        if status == "interrupted":
            raise KeyboardInterrupt
        why = f"; the first of them: {search.failures[0][1]}" if search.failures else ""
        raise ComputationError(f"none of {sum(map(len, search.costs))} runs has a cost ({reason}){why}")
    return Optimum(search, status, reason)


def _run(method: str, search: _Search, settings: optimizers.Settings) -> tuple[str, str]:
    """The status, and the reason for the end."""
    try:
        has_ended, reason = optimizers.optimize(method, search, settings)
    except optimizers.Stop as stop:
        return "stopped", str(stop)
    except (KeyboardInterrupt, Interrupted):
        return "interrupted", "Ctrl-C"
    return "converged" if has_ended else "stopped", reason


def _with_columns_of(
    cost: CostExpression, runs: Any, system: System, columns: Sequence[str], make: Callable[[dict[str, str]], Population]
) -> Any:
    """The runs, with an added column for each name in the cost that is not a result's column but allowed in output.columns."""
    own = {f"cost_expression_{i}": name for i, name in enumerate(cost.names) if name not in columns}
    for place, name in own.items():
        tried = system.copy()
        tried.add_column(place, name)
        try:
            tried.freeze()
        except InputError:
            _check_columns([*columns, *system.parameters], [name])
    cost.places = {name: place for place, name in own.items()}
    return make(own) if own else runs


def _check_columns(columns: Sequence[str], record: Sequence[str]) -> None:
    for name in record if columns else ():
        if name not in columns and "*" not in name:
            near = difflib.get_close_matches(name, columns, 1)
            hint = f" (did you mean {near[0]!r}?)" if near else f"; there are {', '.join(columns)}"
            raise InputError(f"cost: there is no column {name!r}{hint}")


def _check_settings(counts: Mapping[str, int | None], sigma: float, tolerance: float) -> None:
    for name, count in counts.items():
        least = 4 if name == "population" else 1
        if count is not None and (not isinstance(count, numbers.Integral) or count < least):
            raise InputError(f"{name}: {count!r} is not a whole number from {least}")
    if not 0 < sigma <= 0.5:
        raise InputError(f"sigma: {sigma!r} is not above 0 and at most 0.5")
    if not tolerance >= 0:
        raise InputError(f"tolerance: {tolerance!r} is below 0")


def _text_of(system: System) -> str:
    """A text that is equal for equal models; empty for a model with Python functions."""
    import hashlib

    try:
        return hashlib.sha256(system.to_yaml().encode()).hexdigest()
    except InputError:
        return ""
