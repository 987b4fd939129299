"""The mechanisms of four figures of Exudyn's paper over their sizes, and on one and two threads.

J. Gerstmayr, Exudyn - a C++-based Python package for flexible multibody systems, Multibody Syst. Dyn. 60 (2024), section 7.
"""

from __future__ import annotations

import csv
import os
import statistics
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import sestina

from . import chain, engines, parts, robots
from .engines import Outcome, Run

AIM = 0.33  # Sestina's time over Exudyn's, one thread each
EXUDYN = "Exudyn"


class Series(NamedTuple):
    """A way to simulate a mechanism of any size."""

    label: str
    threads: int
    make: Callable[[int], Run]  # by the size
    largest: int | None = None  # size


class Figure(NamedTuple):
    name: str
    title: str
    size_name: str
    sizes: list[int]
    series: list[Series]


class Measured(NamedTuple):
    """Medians of all rounds."""

    figure: str
    size: int
    label: str
    threads: int
    steps: int
    seconds: float  # of the processor, of all threads together
    wall: float  # s
    iterations: int
    difference: float  # from Exudyn's coordinates at the end, m or rad
    rounds: int


def chain_duration(masses: int) -> float:
    """Long enough that the steps take longer than their preparation."""
    return chain.STEP * min(max(1_000_000 // masses, 200), 20_000)


PARTS_DURATION = 5.0  # s
BUSY = 0.5  # s by the clock, of measuring how many processors are free


def figures() -> list[Figure]:
    return [
        Figure("chain", "chain of masses, generalized-alpha", "masses", [1, 10, 30, 100, 1000, 10_000], [
            Series(EXUDYN, 1, lambda n: chain.exudyn_run(n, chain_duration(n))),
            Series(EXUDYN, 2, lambda n: chain.exudyn_run(n, chain_duration(n), threads=2)),
            Series("places", 1, lambda n: chain.sestina_run(n, chain_duration(n))),
            Series("elongations", 1, lambda n: chain.sestina_run(n, chain_duration(n), relative=True), largest=1000),
        ]),
        Figure("robots", "robots in redundant coordinates, generalized-alpha", "robots", [1, 10, 100], [
            Series(EXUDYN, 1, lambda n: robots.exudyn_run(n, moving=True)),
            Series(EXUDYN, 2, lambda n: robots.exudyn_run(n, moving=True, threads=2)),
            Series("cartesian", 1, lambda n: robots.sestina_run(n, moving=True)),
            Series("relative", 1, lambda n: robots.sestina_run(n, moving=True, coordinates="relative")),
        ]),
        Figure("trees", "robots as trees, classical Runge-Kutta rule", "robots", [1, 10, 100], [
            Series(EXUDYN, 1, lambda n: robots.exudyn_tree_run(n, moving=True)),
            Series(EXUDYN, 2, lambda n: robots.exudyn_tree_run(n, moving=True, threads=2)),
            Series("recursive", 1, lambda n: robots.sestina_tree_run(n, moving=True)),
            Series("hybrid", 1, lambda n: robots.sestina_tree_run(n, moving=True, solver="hybrid")),
            Series("hybrid", 2, lambda n: robots.sestina_tree_run(n, moving=True, solver="hybrid", threads=2)),
        ]),
        Figure("parts", "PARTS, generalized-alpha", "triangles", [8, 16, 32], [
            Series(EXUDYN, 1, lambda n: parts.exudyn_run(n, PARTS_DURATION)),
            Series(EXUDYN, 2, lambda n: parts.exudyn_run(n, PARTS_DURATION, threads=2)),
            Series("cartesian", 1, lambda n: parts.sestina_run(n, PARTS_DURATION, "cartesian")),
            Series("relative", 1, lambda n: parts.sestina_run(n, PARTS_DURATION)),
        ]),
    ]


# ---- measuring ------------------------------------------------------------------------------------------------------


def on_processors(run: Run, threads: int, available: set[int]) -> Outcome:
    """A single thread stays on one processor; more may use all that there are, and begin with the run."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(available)} if threads == 1 else available)
    return run()


def processors() -> set[int]:
    return set(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else {0}


def measure_free_processors(available: set[int]) -> float:
    """The processors that two busy processes get of those that there are, beside the other work on the machine."""
    if not hasattr(os, "fork"):
        return float("nan")
    os.sched_setaffinity(0, available)
    pipes = []
    for _ in range(2):
        reading, writing = os.pipe()
        if os.fork() == 0:
            clock = engines.Clock()
            while clock.read()[1] < BUSY:
                pass
            os.write(writing, repr(clock.read()[0]).encode())
            os._exit(0)
        pipes.append(reading)
    for _ in pipes:
        os.wait()
    return sum(float(os.read(pipe, 100)) for pipe in pipes) / BUSY


def measure(figure: Figure, size: int, rounds: int, budget: float, available: set[int]) -> list[Measured]:
    """The series take turns; when they have taken `budget` seconds, no further round begins."""
    chosen = [series for series in figure.series if size <= (series.largest or size)]
    runs = [series.make(size) for series in chosen]
    kept: list[list[Outcome]] = [[] for _ in runs]
    failures: dict[int, str] = {}
    for _ in range(rounds):
        if sum(outcome.seconds for outcomes in kept for outcome in outcomes) > budget:
            break
        for k, run in enumerate(runs):
            try:
                if k not in failures:
                    kept[k].append(on_processors(run, chosen[k].threads, available))
            except sestina.ComputationError as error:
                failures[k] = str(error)
                print(f"{figure.name}, {size}, {chosen[k].label} fails: {error}", flush=True)
    theirs = kept[0][-1].values
    return [
        summarize(figure.name, size, series, outcomes, engines.largest_difference(outcomes[-1].values, theirs))
        for k, (series, outcomes) in enumerate(zip(chosen, kept)) if k not in failures
    ]


def summarize(figure: str, size: int, series: Series, outcomes: list[Outcome], difference: float) -> Measured:
    last = outcomes[-1]
    return Measured(
        figure, size, series.label, series.threads, last.steps, statistics.median(each.seconds for each in outcomes),
        statistics.median(each.wall for each in outcomes), last.iterations, difference, len(outcomes),
    )


# ---- tables ---------------------------------------------------------------------------------------------------------


def microseconds(value: float) -> str:
    return f"{1e6 * value:.3g} µs" if value < 1e-3 else f"{1e3 * value:.3g} ms"


def ratio(one: Measured, theirs: Measured) -> float:
    """Of the processor times of a step; of the times by the clock, where there is more than one thread."""
    return one.seconds / theirs.seconds if one.threads == 1 else one.wall / theirs.wall


def of_size(rows: list[Measured], figure: str) -> dict[int, list[Measured]]:
    by_size: dict[int, list[Measured]] = {}
    for row in rows:
        if row.figure == figure:
            by_size.setdefault(row.size, []).append(row)
    return by_size


def print_table(figure: Figure, rows: list[Measured]) -> None:
    """Behind each time its ratio to Exudyn's on one thread, bold where the aim is missed."""
    labels = [(series.label, series.threads) for series in figure.series]
    names = [f"{label}, {threads} threads" if threads > 1 else label for label, threads in labels]
    print(f"\n{figure.title}\n\n| {figure.size_name} | steps | " + " | ".join(names) + " | evaluations / iterations | difference |")
    print("|--:" * (len(names) + 4) + "|")
    for size, measured in of_size(rows, figure.name).items():
        theirs = measured[0]
        cells = {(row.label, row.threads): cell(row, theirs) for row in measured}
        counts = [str(row.iterations) for row in measured if row.label != EXUDYN and row.threads == 1]
        far = max(row.difference for row in measured)
        print(
            f"| {size} | {theirs.steps} | " + " | ".join(cells.get(label, "") for label in labels)
            + f" | {', '.join(counts)}{f' / {theirs.iterations}' if theirs.iterations else ''} | {far:.0e} |",
            flush=True,
        )


def cell(row: Measured, theirs: Measured) -> str:
    if row is theirs:
        return microseconds(row.seconds / row.steps)
    part = f"{ratio(row, theirs):.2f}"
    if row.threads > 1:
        return part
    return f"{microseconds(row.seconds / row.steps)} ({f'**{part}**' if float(part) > AIM else part})"


# ---- files ----------------------------------------------------------------------------------------------------------


def write(rows: list[Measured], path: str) -> None:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(Measured._fields)
        writer.writerows(rows)


def read(path: str) -> list[Measured]:
    with open(path, newline="", encoding="utf-8") as file:
        return [
            Measured(
                row["figure"], int(row["size"]), row["label"], int(row["threads"]), int(row["steps"]), float(row["seconds"]),
                float(row["wall"]), int(row["iterations"]), float(row["difference"]), int(row["rounds"]),
            )
            for row in csv.DictReader(file)
        ]
