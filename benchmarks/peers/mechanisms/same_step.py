"""The same rule with the same step in both engines: what a step costs."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from typing import NamedTuple

import sestina

from . import belt, bicycle, chain, engines, governor, links, pendulum, robots, slider_crank, squeezer
from .engines import Outcome, Rule, Run, alpha

Factory = Callable[[], Run]


class Case(NamedTuple):
    name: str
    aim: float  # of Sestina's time over Exudyn's
    exudyn: Factory
    sestina: dict[str, Factory]  # by the coordinates


def fixed(
    system: Callable[[str], sestina.System], coordinates: str, duration: float, columns: list[str], dt: float
) -> Factory:
    return lambda: engines.sestina_run(system(coordinates), duration, columns, alpha(0.9), dt=dt)


def chain_case(masses: int, duration: float) -> Case:
    return Case(
        f"chain of {masses}, {round(duration / chain.STEP)} steps", 0.33, lambda: chain.exudyn_run(masses, duration),
        {
            "places": lambda: chain.sestina_run(masses, duration),
            "elongations": lambda: chain.sestina_run(masses, duration, relative=True),
        },
    )


def robots_case(count: int, moving: bool, coordinates: tuple[str, ...] = ("cartesian", "relative")) -> Case:
    kind = "" if moving else ", held"
    factories: dict[str, Factory] = {
        c: lambda c=c: robots.sestina_run(count, moving, c) for c in coordinates  # type: ignore[misc]
    }
    return Case(f"robots, {count}{kind}", 0.25, lambda: robots.exudyn_run(count, moving), factories)


def mechanism_case(
    name: str, system: Callable[[str], sestina.System], columns: list[str], duration: float, rule: Rule,
    exudyn: Callable[[Rule], Run],
) -> Case:
    factories = {c: fixed(system, c, duration, columns, rule.step) for c in ("cartesian", "relative")}
    return Case(f"{name}, {rule.step:g} s", 0.25, lambda: exudyn(rule), factories)


def cases() -> list[Case]:
    return [
        chain_case(10, 20.0), chain_case(100, 5.0), chain_case(1000, 2.0),
        robots_case(1, moving=False), robots_case(1, moving=True), robots_case(10, moving=True), robots_case(100, moving=True),
        Case("links, 400", 0.25, links.exudyn_run, {"cartesian": links.sestina_run}),
        mechanism_case(
            "governor", governor.sestina_governor, governor.COLUMNS, governor.DURATION, Rule(governor.STEP), governor.exudyn_run
        ),
        mechanism_case(
            "slider-crank", slider_crank.sestina_crank, slider_crank.COLUMNS, slider_crank.DURATION, Rule(5e-4),
            slider_crank.exudyn_run,
        ),
        mechanism_case(
            "squeezer", squeezer.sestina_squeezer, squeezer.COLUMNS, squeezer.DURATION, Rule(1e-5), squeezer.exudyn_run
        ),
        mechanism_case("bicycle", bicycle.sestina_bicycle, bicycle.COLUMNS, bicycle.DURATION, Rule(1e-3), bicycle.exudyn_run),
        Case(
            f"belt drive, 480 elements, {belt.STEP:g} s (Sestina half of it)", 0.33, lambda: belt.exudyn_run(480),
            {"cartesian": lambda: belt.sestina_run(480, alpha(0.9), dt=belt.STEP / 2)},
        ),
        Case(
            "pendulum, 1000000 steps", 0.33, lambda: pendulum.exudyn_run(1000000),
            {c: lambda c=c: pendulum.sestina_run(1000000, c) for c in ("relative", "cartesian")},  # type: ignore[misc]
        ),
    ]


def try_run(run: Run) -> Outcome | str:
    try:
        return run()
    except sestina.ComputationError as error:
        return str(error)


def print_rows(case: Case, rounds: int, budget: float) -> None:
    """The engines take turns; after `budget` seconds of a case no further round begins, if there were three or one."""
    runs = {"exudyn": case.exudyn()} | {name: factory() for name, factory in case.sestina.items()}
    kept: dict[str, list[Outcome]] = {name: [] for name in runs}
    failures: dict[str, str] = {}
    for round_ in range(rounds):
        spent = sum(outcome.seconds for outcomes in kept.values() for outcome in outcomes)
        if round_ and spent > budget:
            break
        for name, run in runs.items():
            if name in failures:
                continue
            outcome = try_run(run)
            if isinstance(outcome, str):
                failures[name] = outcome
            else:
                kept[name].append(outcome)
    peer = median(kept["exudyn"])
    for name in case.sestina:
        if name in failures:
            print(f"| {case.name} | {name} | fails | {seconds(peer.seconds)} | | {case.aim:.2f} | | | {failures[name]} | |")
            continue
        ours = median(kept[name])
        ratio, each = ours.seconds / peer.seconds, (ours.seconds / ours.iterations) / (peer.seconds / peer.iterations)
        print(
            f"| {case.name} | {name} | {seconds(ours.seconds)} | {seconds(peer.seconds)} | {ratio:.2f} | {case.aim:.2f}"
            f" | {ours.iterations} / {peer.iterations} | {each:.2f}"
            f" | {engines.largest_difference(ours.values, peer.values):.0e} | {len(kept[name])} |",
            flush=True,
        )


def median(outcomes: list[Outcome]) -> Outcome:
    return outcomes[-1]._replace(seconds=statistics.median(outcome.seconds for outcome in outcomes))


def seconds(value: float) -> str:
    return f"{1e3 * value:.3g} ms" if value < 1 else f"{value:.3g} s"


def print_table(only: str, rounds: int, budget: float) -> None:
    print("| problem | coordinates | Sestina | Exudyn | ratio | aim", end="")
    print(" | evaluations / iterations | ratio for one | difference | rounds |")
    print("|---|---|--:|--:|--:|--:|--:|--:|--:|--:|")
    for case in cases():
        if only in case.name:
            print_rows(case, rounds, budget)
