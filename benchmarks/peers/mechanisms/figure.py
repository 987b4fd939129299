"""Error over processor time of both engines, a panel for each problem."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

from .equal_error import Point, fastest_envelope

# The same colour and marker in every panel.
STYLES = {
    "dormand_prince_54": ("C0", "o"),
    "radau_iia": ("C1", "s"),
    "adams_bashforth_moulton": ("C2", "D"),
    "cvode_bdf": ("C4", "v"),
    "radau_iia, cartesian": ("C3", "^"),
}


def draw(measured: dict[str, tuple[list[Point], list[Point]]], path: str) -> None:
    rows = (len(measured) + 1) // 2
    figure, axes = new_figure(rows, 2, height=2.6 * rows + 0.6)
    for panel in axes[len(measured) :]:
        panel.set_visible(False)
    lines: dict[str, Any] = {}
    for panel, (name, (ours, theirs)) in zip(axes, measured.items()):
        lines |= draw_panel(panel, ours, theirs)
        panel.set_title(name, fontsize=9)
        panel.set_xlabel("processor time (s)")
        panel.set_ylabel("error at the end (rad)" if name == "squeezer" else "error at the end (m)")
    save(figure, lines, path)


def new_figure(rows: int, columns: int, height: float) -> tuple[Any, list[Any]]:
    """Returns the figure, as wide as the text of a page, and its panels row by row."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    matplotlib.rcParams.update({"svg.hashsalt": "sestina", "font.size": 8})
    figure, axes = pyplot.subplots(rows, columns, figsize=(7.2, height), layout="constrained", squeeze=False)
    return figure, list(axes.flat)


def save(figure: Any, lines: dict[str, Any], path: str) -> None:
    """With a legend of these lines below the panels."""
    figure.legend(lines.values(), lines.keys(), loc="outside lower center", ncols=3, fontsize=7.5)
    if not path.endswith(".svg"):
        figure.savefig(path, dpi=150)
        return
    text = io.StringIO()
    figure.savefig(text, format="svg", metadata={"Date": None})
    Path(path).write_text("".join(line.rstrip() + "\n" for line in text.getvalue().splitlines()), encoding="utf-8")


def draw_panel(panel: Any, ours: list[Point], theirs: list[Point]) -> dict[str, Any]:
    """Returns the lines by what the legend calls them."""
    lines = {}
    for rule in dict.fromkeys(point.setting.label for point in ours):
        color, marker = STYLES[rule]
        chosen = [point for point in ours if point.setting.label == rule]
        (lines[f"Sestina, {rule}"],) = panel.loglog(
            [point.seconds for point in chosen], [point.error for point in chosen],
            color=color, marker=marker, markersize=3.5, linewidth=1,
        )
    (lines["Exudyn, fixed steps"],) = panel.loglog(*fastest_envelope(theirs), "k+--", linewidth=1)
    panel.grid(alpha=0.3)
    return lines
