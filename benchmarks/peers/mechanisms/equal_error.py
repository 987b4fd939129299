"""Error over time: Sestina with error control, Exudyn with its fixed steps, against converged solutions."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

import sestina

from . import bicycle, engines, governor, rope, slider_crank, squeezer
from .engines import Array, Outcome, Rule, Run
from .same_step import seconds


class Setting(NamedTuple):
    label: str  # the rule
    value: float  # tolerance, or step (s)
    run: Callable[[], Run]


class Problem(NamedTuple):
    name: str
    unit: str
    aim: float  # of the times at equal error
    reference: Callable[[], Array]
    ours: list[Setting]
    theirs: list[Setting]


class Point(NamedTuple):
    setting: Setting
    error: float
    seconds: float


def controlled(
    system: Callable[[], sestina.System], duration: float, columns: list[str], rules: dict[str, list[float]],
) -> list[Setting]:
    def make(rule: str, rtol: float) -> Callable[[], Run]:
        return lambda: engines.sestina_run(system(), duration, columns, rule, rtol=rtol)

    return [Setting(rule, rtol, make(rule, rtol)) for rule, tolerances in rules.items() for rtol in tolerances]


def in_cartesian(settings: list[Setting]) -> list[Setting]:
    return [setting._replace(label=f"{setting.label}, cartesian") for setting in settings]


def stepped(run: Callable[[Rule], Run], steps: list[float], trapezoidal: bool = False) -> list[Setting]:
    label = "trapezoidal, index 2" if trapezoidal else "generalized-alpha"
    return [Setting(label, h, lambda h=h: run(Rule(h, trapezoidal=trapezoidal))) for h in steps]  # type: ignore[misc]


def tight(
    system: Callable[[], sestina.System], duration: float, columns: list[str], rule: str, rtol: float
) -> Callable[[], Array]:
    return lambda: engines.sestina_run(system(), duration, columns, rule, rtol=rtol)().values


def our_rope(elements: int, tolerance: float) -> Setting:
    def make() -> Run:
        system = rope.sestina_rope(elements)
        return engines.sestina_run(system, rope.DURATION, rope.COLUMNS, "radau_iia", rtol=tolerance, atol=tolerance)

    return Setting(f"radau_iia, {elements} elements", tolerance, make)


def their_rope(elements: int, step: float) -> Setting:
    rule = Rule(step, trapezoidal=True, sparse=True)
    return Setting(f"trapezoidal, index 2, {elements} elements", step, lambda: rope.exudyn_run(elements, rule))


def problems() -> list[Problem]:
    """Steps of the last Exudyn run are half of those of the one before: both give its limit by extrapolation."""
    powers = [1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9]
    crank = (slider_crank.sestina_crank, slider_crank.DURATION, slider_crank.COLUMNS)
    ball = (governor.sestina_governor, governor.DURATION, governor.COLUMNS)
    andrews = (squeezer.sestina_squeezer, squeezer.DURATION, squeezer.COLUMNS)
    bike = (bicycle.sestina_bicycle, bicycle.DURATION, bicycle.COLUMNS)
    return [
        Problem(
            "governor", "m", 0.05, tight(*ball, "radau_iia", 1e-11),
            controlled(*ball, {"radau_iia": powers, "cvode_bdf": powers[2:]})
            + in_cartesian(controlled(lambda: governor.sestina_governor("cartesian"), *ball[1:], {"radau_iia": powers[:6]})),
            stepped(governor.exudyn_run, [4e-3, 2e-3, 1e-3, 5e-4, 2.5e-4, 1.25e-4], trapezoidal=True),
        ),
        Problem(
            "slider-crank", "m", 0.05, tight(*crank, "dormand_prince_54", 1e-12),
            controlled(*crank, {"dormand_prince_54": powers, "radau_iia": powers, "adams_bashforth_moulton": powers[1:]}),
            stepped(slider_crank.exudyn_run, [4e-3, 1e-3, 5e-4, 1e-4, 5e-5]),
        ),
        Problem(
            "squeezer", "rad", 0.05, lambda: squeezer.PUBLISHED,
            controlled(*andrews, {"dormand_prince_54": powers, "radau_iia": powers, "adams_bashforth_moulton": powers}),
            stepped(squeezer.exudyn_run, [1e-4, 3e-5, 1e-5, 3e-6, 1.5e-6]),
        ),
        Problem(
            "bicycle", "m", 0.05, tight(*bike, "dormand_prince_54", 1e-12),
            controlled(*bike, {"dormand_prince_54": powers, "radau_iia": powers[:6], "adams_bashforth_moulton": powers}),
            stepped(bicycle.exudyn_run, [1.4e-2, 4e-3, 1e-3, 2e-4, 1e-4], trapezoidal=True),
        ),
        Problem(
            "rope", "m", 0.1, lambda: our_rope(48, 1e-5).run()().values,
            [our_rope(n, tolerance) for n, tolerance in ((8, 1e-1), (16, 1e-1), (16, 1e-2), (24, 1e-2), (32, 1e-3))],
            [their_rope(n, h) for n, h in ((8, 1e-3), (16, 1e-3), (16, 5e-4), (32, 2.5e-4), (64, 1e-4))],
        ),
    ]


def measure(problem: Problem, rounds: int) -> tuple[list[Point], list[Point], float]:
    """Points of Sestina and of Exudyn, and how far Exudyn's extrapolated limit is from the reference."""
    exact = problem.reference()
    settings = problem.ours + problem.theirs
    runs = [setting.run() for setting in settings]
    outcomes: list[list[Outcome]] = [[] for _ in runs]
    for round_ in range(rounds):
        for run, kept in zip(runs, outcomes):
            if round_ < 1 or kept[0].seconds < 10:
                kept.append(run())
    points = [
        Point(setting, engines.largest_difference(kept[0].values, exact), statistics.median(each.seconds for each in kept))
        for setting, kept in zip(settings, outcomes)
    ]
    coarse, fine = outcomes[-2][0].values, outcomes[-1][0].values
    limit = fine + (fine - coarse) / 3  # the rules are of order two
    count = len(problem.ours)
    return points[:count], points[count:], engines.largest_difference(limit, exact)


def print_points(problem: Problem, ours: list[Point], theirs: list[Point], agreement: float) -> None:
    print(f"\n{problem.name}: Exudyn's extrapolated limit is {agreement:.1e} {problem.unit} from the reference\n")
    print(f"| engine | rule | tolerance or step | error ({problem.unit}) | time |")
    print("|---|---|--:|--:|--:|")
    for engine, points in (("Sestina", ours), ("Exudyn", theirs)):
        for point in points:
            setting = f"{point.setting.label} | {point.setting.value:g}"
            print(f"| {engine} | {setting} | {point.error:.1e} | {seconds(point.seconds)} |")
    print()
    print("| Exudyn: step | error | time | Sestina, no larger error: rule | tolerance | error | time | ratio | aim |")
    print("|--:|--:|--:|---|--:|--:|--:|--:|--:|")
    for point in theirs:
        better = [one for one in ours if one.error <= point.error]
        if not better:
            continue
        best = min(better, key=lambda one: one.seconds)
        print(
            f"| {point.setting.value:g} | {point.error:.1e} | {seconds(point.seconds)} | {best.setting.label}"
            f" | {best.setting.value:g} | {best.error:.1e} | {seconds(best.seconds)} | {best.seconds / point.seconds:.3f}"
            f" | {problem.aim:g} |",
            flush=True,
        )


def print_tables(only: str, rounds: int) -> dict[str, tuple[list[Point], list[Point]]]:
    """Returns the points of each problem, for the figure."""
    measured = {}
    for problem in problems():
        if only in problem.name:
            ours, theirs, agreement = measure(problem, rounds)
            print_points(problem, ours, theirs, agreement)
            measured[problem.name] = (ours, theirs)
    return measured


def fastest_envelope(points: list[Point]) -> tuple[Array, Array]:
    """Times and errors of the points that no other point beats in both."""
    kept: list[Point] = []
    for point in sorted(points, key=lambda one: one.seconds):
        if not kept or point.error < kept[-1].error:
            kept.append(point)
    return np.array([point.seconds for point in kept]), np.array([point.error for point in kept])
