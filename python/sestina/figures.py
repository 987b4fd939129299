"""Figures and animations of matplotlib that a notebook shows once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

import matplotlib
from matplotlib import pyplot
from matplotlib.animation import FuncAnimation, PillowWriter
from matplotlib.figure import Figure


class NotebookFigure(Figure):
    """A notebook shows the last value of a cell, then all pyplot figures: this one leaves pyplot when it is shown."""

    def _ipython_display_(self) -> NoReturn:
        if "inline" in matplotlib.get_backend():
            pyplot.close(self)
        raise NotImplementedError  # so that IPython shows it in its own way


class GifWriter(PillowWriter):
    """Uses one palette, chosen from three frames, for all frames of a GIF; faster than a palette for each."""

    def finish(self) -> None:
        from PIL import Image

        mine: Any = self  # matplotlib has no types for what follows
        frames = [frame.convert("RGB") for frame in mine._frames]
        some = [frames[0], frames[len(frames) // 2], frames[-1]]
        together = Image.new("RGB", (some[0].width, 3 * some[0].height))
        for k, frame in enumerate(some):
            together.paste(frame, (0, k * frame.height))
        colours = together.quantize(255)
        mine._frames = [frame.quantize(palette=colours, dither=Image.Dither.NONE) for frame in frames]
        super().finish()


class NotebookAnimation(FuncAnimation):
    """A notebook plays this as the last value of a cell; an animation assigned to a name does not show its first frame."""

    def __init__(self, figure: Figure, show: Callable[[int], list[Any]], frames: int, interval: float) -> None:
        super().__init__(figure, show, frames=frames, interval=interval, blit=True)
        if "inline" in matplotlib.get_backend():
            pyplot.close(figure)

    def _repr_html_(self) -> str:
        pyplot.close(self._fig)  # type: ignore[attr-defined]
        # Matplotlib leaves out the frames that come after 20 MB, which is less than a minute.
        with matplotlib.rc_context({"animation.embed_limit": 500.0, "savefig.dpi": 80}):
            return str(self.to_jshtml())
