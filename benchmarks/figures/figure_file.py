"""How the figures of the documentation look, and their files: the same bytes for the same data."""

import io
from pathlib import Path

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt

ROOT = Path(__file__).resolve().parents[2]
PICTURES = ROOT / "docs/pictures"
WIDTH = 8.2  # inches: that of a page of the documentation

plt.rcParams.update({"font.size": 9, "svg.hashsalt": "sestina", "axes.spines.top": False, "axes.spines.right": False,
                     "axes.axisbelow": True, "legend.frameon": False, "legend.fontsize": 8, "axes.titlesize": 9})


def save(figure, out):
    out = Path(out)
    if out.suffix != ".svg":
        figure.savefig(out, dpi=150)
        return
    text = io.StringIO()
    figure.savefig(text, format="svg", metadata={"Date": None})
    out.write_text("".join(line.rstrip() + "\n" for line in text.getvalue().splitlines()), encoding="utf-8")
