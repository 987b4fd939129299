"""Optimisers of cma and scipy behind one interface: each requests the costs of many points in the unit cube."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .errors import InputError

if TYPE_CHECKING:
    import numpy.typing as npt

    Array = npt.NDArray[np.float64]
    #: Costs (n) of points (n, k), each coordinate from 0 at the lower bound to 1 at the upper one; inf where there is none.
    Ask = Callable[[Array], Array]

METHODS = ("cma", "differential_evolution", "nelder_mead", "powell", "l_bfgs_b")


class Settings(NamedTuple):
    """The settings of an optimiser."""

    start: Array  #: (k) in the unit cube
    sigma: float  #: size of cma's first steps from the start, relative to the unit cube's edge
    population: int | None
    generations: int | None
    tolerance: float
    seed: int


class Stop(Exception):
    """Raised by the cost function when a limit is reached."""


def optimize(method: str, ask: Ask, settings: Settings) -> tuple[bool, str]:
    """Whether the search ended by its own criterion, and why it ended."""
    return {"cma": _cma, "differential_evolution": _differential_evolution}.get(method, _local(method))(ask, settings)


def _wanted(library: str, method: str) -> Any:
    import importlib

    try:
        return importlib.import_module(library)
    except ImportError:
        name = library.partition(".")[0]
        raise ImportError(f"the method {method} needs {name}: pip install scipy cma") from None


class _OwnRandom:
    """Replaces the state of numpy's global random numbers, which cma uses, and restores the program's afterwards."""

    def __init__(self, seed: int) -> None:
        self._state = np.random.RandomState(seed).get_state()

    def __enter__(self) -> None:
        self._saved = np.random.get_state()
        np.random.set_state(self._state)

    def __exit__(self, *_: object) -> None:
        self._state = np.random.get_state()
        np.random.set_state(self._saved)


def _ranked(costs: Array) -> Array:
    """Finite numbers in the same order, because optimisers calculate with costs."""
    finite = costs[np.isfinite(costs)]
    worst = float(finite.max()) if len(finite) else 0.0
    return np.where(np.isfinite(costs), costs, worst + 1.0 + abs(worst))


def _cma(ask: Ask, settings: Settings) -> tuple[bool, str]:
    cma = _wanted("cma", "cma")
    random = _OwnRandom(settings.seed)
    options: dict[str, Any] = {
        "bounds": [0, 1],
        "seed": np.nan,  # the state of the random numbers belongs to this search
        "verbose": -9,
        "tolfun": settings.tolerance,
        "tolfunhist": settings.tolerance,
        "tolx": 1e-10,
    }
    if settings.population is not None:
        options["popsize"] = settings.population
    if settings.generations is not None:
        options["maxiter"] = settings.generations
    with random:
        strategy = _line_or_more(cma, settings, options)
    while True:
        with random:
            stop = strategy.stop()
        if stop:
            reasons = ", ".join(sorted(stop))
            return "maxiter" not in stop, f"cma: {reasons}"
        with random:
            asked = np.array(strategy.ask())
        # cma does not support a single variable: a second one without effect is added.
        costs = ask(np.ascontiguousarray(asked[:, : len(settings.start)]))
        with random:
            strategy.tell(list(asked), list(_ranked(costs)))


def _line_or_more(cma: Any, settings: Settings, options: dict[str, Any]) -> Any:
    start = settings.start if len(settings.start) > 1 else np.append(settings.start, 0.5)
    return cma.CMAEvolutionStrategy(list(start), settings.sigma, options)


def _differential_evolution(ask: Ask, settings: Settings) -> tuple[bool, str]:
    scipy_optimize = _wanted("scipy.optimize", "differential_evolution")
    function = scipy_optimize.differential_evolution
    k = len(settings.start)
    size = settings.population or max(5, 10 * k)
    # scipy's numbers of members are multiples of the number of variables; given members are any number.
    random = np.random.default_rng(settings.seed)
    first = random.random((max(5, size), k))
    first[0] = settings.start
    name = "rng" if "rng" in inspect.signature(function).parameters else "seed"
    data = function(
        lambda x: ask(np.ascontiguousarray(x.T)),
        [(0.0, 1.0)] * k,
        init=first,
        maxiter=settings.generations or 1000,
        tol=0.0,
        atol=settings.tolerance,
        polish=False,
        vectorized=True,
        updating="deferred",
        **{name: random},
    )
    return bool(data.success), f"differential_evolution: {data.message}"


def _local(method: str) -> Callable[[Ask, Settings], tuple[bool, str]]:
    def run(ask: Ask, settings: Settings) -> tuple[bool, str]:
        scipy_optimize = _wanted("scipy.optimize", method)
        k = len(settings.start)
        limit = {} if settings.generations is None else {"maxiter": settings.generations}
        options: dict[str, Any] = {
            "nelder_mead": {"fatol": settings.tolerance, "xatol": 1e-8, "maxfev": 10**9, **limit},
            "powell": {"ftol": settings.tolerance, "xtol": 1e-8, "maxfev": 10**9, **limit},
            "l_bfgs_b": {"ftol": settings.tolerance, "gtol": 1e-10, "maxfun": 10**9, **limit},
        }[method]
        if method == "nelder_mead":
            corners = np.tile(settings.start, (k + 1, 1))
            for i in range(k):
                corners[i + 1, i] += settings.sigma if corners[i + 1, i] + settings.sigma <= 1 else -settings.sigma
            options["initial_simplex"] = corners
        name = {"nelder_mead": "Nelder-Mead", "powell": "Powell", "l_bfgs_b": "L-BFGS-B"}[method]
        gradient = method == "l_bfgs_b"
        function = (lambda x: _with_gradient(ask, x)) if gradient else (lambda x: float(ask(x[None])[0]))
        bounds = [(0.0, 1.0)] * k
        data = scipy_optimize.minimize(function, settings.start, method=name, jac=gradient, bounds=bounds, options=options)
        return bool(data.success), f"{method}: {data.message}"

    return run


def _with_gradient(ask: Ask, x: Array) -> tuple[float, Array]:
    """The cost and its derivatives by central differences inside the bounds; all runs run side by side."""
    step = 1e-5
    up, down = np.minimum(x + step * np.eye(len(x)), 1.0), np.maximum(x - step * np.eye(len(x)), 0.0)
    costs = ask(np.concatenate([x[None], up, down]))
    above, below = costs[1 : len(x) + 1], costs[len(x) + 1 :]
    if not np.isfinite(costs).all():
        raise InputError("method: l_bfgs_b needs a cost at all points near its way; a run failed. 'cma' and the others do without")
    return float(costs[0]), (above - below) / (np.diag(up) - np.diag(down))
