"""Error over processor time of both engines, a panel for each problem."""

from __future__ import annotations

from typing import Any

from .equal_error import Point, fastest_envelope

MARKERS = "osD^v"


def draw(measured: dict[str, tuple[list[Point], list[Point]]], path: str) -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    matplotlib.rcParams.update({"svg.hashsalt": "sestina", "svg.fonttype": "none", "font.size": 8})
    rows = (len(measured) + 1) // 2
    figure, axes = pyplot.subplots(rows, 2, figsize=(7.2, 2.9 * rows), layout="constrained", squeeze=False)
    for panel in axes.flat[len(measured) :]:
        panel.set_visible(False)
    for panel, (name, (ours, theirs)) in zip(axes.flat, measured.items()):
        draw_panel(panel, ours, theirs)
        panel.set_title(name)
        panel.set_xlabel("processor time (s)")
        panel.set_ylabel("error at the end (rad)" if name == "squeezer" else "error at the end (m)")
    figure.savefig(path, metadata={"Date": None} if path.endswith(".svg") else None)


def draw_panel(panel: Any, ours: list[Point], theirs: list[Point]) -> None:
    rules = list(dict.fromkeys(point.setting.label for point in ours))
    for marker, rule in zip(MARKERS, rules):
        chosen = [point for point in ours if point.setting.label == rule]
        panel.loglog(
            [point.seconds for point in chosen], [point.error for point in chosen], marker + "-",
            markersize=3.5, linewidth=1, label=f"Sestina, {rule}",
        )
    panel.loglog(*fastest_envelope(theirs), "k+--", linewidth=1, label=f"Exudyn, {theirs[0].setting.label}")
    panel.grid(alpha=0.3)
    panel.legend(fontsize=6.5)
