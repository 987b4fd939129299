"""Figures and animations of matplotlib that a notebook shows once."""

from __future__ import annotations

from typing import NoReturn

import matplotlib
from matplotlib import pyplot
from matplotlib.animation import FuncAnimation
from matplotlib.figure import Figure


class NotebookFigure(Figure):
    """A notebook shows what a cell ends with, and then all of pyplot's figures: this one leaves them when it is shown."""

    def _ipython_display_(self) -> NoReturn:
        if "inline" in matplotlib.get_backend():
            pyplot.close(self)
        raise NotImplementedError  # so that IPython shows it in its own way


class NotebookAnimation(FuncAnimation):
    """A notebook plays what a cell ends with."""

    def _repr_html_(self) -> str:
        pyplot.close(self._fig)  # type: ignore[attr-defined]
        return str(self.to_jshtml())
