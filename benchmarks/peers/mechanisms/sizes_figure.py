"""The figures of sizes.py: the time of a step over the size, and beside it the times over those of Exudyn on one thread."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from . import figure
from .sizes import AIM, EXUDYN, Figure, Measured, of_size, ratio

# By the series of Sestina, as in the figure of equal error where there is one.
STYLES = {
    "places": ("C0", "o"), "elongations": ("C1", "s"), "relative": ("C0", "o"), "cartesian": ("C3", "^"),
    "recursive": ("C0", "o"), "hybrid": ("C2", "D"),
}


def draw(shown: Figure, rows: list[Measured], path: str) -> None:
    picture, (left, right) = figure.new_figure(1, 2, height=3.1)
    by_size = of_size(rows, shown.name)
    lines: dict[str, Any] = {}
    for series in shown.series:
        label = EXUDYN if series.label == EXUDYN else f"Sestina, {series.label}"
        label += ", 2 threads" if series.threads == 2 else ", 1 thread"
        points = [
            (size, row, measured[0])
            for size, measured in by_size.items()
            for row in measured
            if (row.label, row.threads) == (series.label, series.threads)
        ]
        color, marker = STYLES.get(series.label, ("k", "+"))
        style: dict[str, Any] = {"color": color, "marker": marker, "markersize": 3.5, "linewidth": 1}
        style["linestyle"] = "-" if series.threads == 1 else "--"
        sizes = [size for size, _, _ in points]
        if series.threads == 1:
            left.loglog(sizes, [row.seconds / row.steps for _, row, _ in points], **style)
        (lines[label],) = right.loglog(sizes, [ratio(row, theirs) for _, row, theirs in points], **style)
    lines[f"aim, {AIM}"] = right.axhline(AIM, color="0.5", linestyle=":", linewidth=1)
    left.set_title("one thread", fontsize=9)
    left.set_ylabel("processor time of a step (s)")
    right.set_title("over Exudyn on one thread", fontsize=9)
    right.set_ylabel("ratio of times")
    show_ticks(right.yaxis, right.get_ylim(), [0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30])
    for panel in (left, right):
        panel.set_xlabel(shown.size_name)
        show_ticks(panel.xaxis, panel.get_xlim(), list(by_size))
        panel.grid(alpha=0.3)
    picture.suptitle(shown.title, fontsize=9)
    figure.save(picture, lines, path)


def show_ticks(axis: Any, limits: tuple[float, float], values: Sequence[float]) -> None:
    """Those of the values that lie on the axis, as plain numbers."""
    shown = [value for value in values if limits[0] <= value <= limits[1]]
    axis.set_ticks(shown)
    axis.set_ticklabels([f"{value:g}" for value in shown])
    axis.minorticks_off()
