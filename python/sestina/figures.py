"""Figures and animations of matplotlib that a notebook shows once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

import matplotlib
from matplotlib import pyplot
from matplotlib.animation import FuncAnimation, PillowWriter
from matplotlib.figure import Figure


class NotebookFigure(Figure):
    """A notebook shows what a cell ends with, and then all of pyplot's figures: this one leaves them when it is shown."""

    def _ipython_display_(self) -> NoReturn:
        if "inline" in matplotlib.get_backend():
            pyplot.close(self)
        raise NotImplementedError  # so that IPython shows it in its own way


class GifWriter(PillowWriter):
    """Gives all frames of a GIF the colours of three of them, which is faster than to choose anew for each."""

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
    """A notebook plays what a cell ends with, and does not show the first frame of what has a name."""

    def __init__(self, figure: Figure, show: Callable[[int], list[Any]], frames: int, interval: float) -> None:
        super().__init__(figure, show, frames=frames, interval=interval, blit=True)
        if "inline" in matplotlib.get_backend():
            pyplot.close(figure)

    def _repr_html_(self) -> str:
        pyplot.close(self._fig)  # type: ignore[attr-defined]
        # Matplotlib leaves out the frames that come after 20 MB, which is less than a minute.
        with matplotlib.rc_context({"animation.embed_limit": 500.0, "savefig.dpi": 80}):
            return str(self.to_jshtml())
