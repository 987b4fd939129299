"""A picture of a description."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from .errors import InputError
from .result import as_system

if TYPE_CHECKING:
    import numpy.typing as npt
    from matplotlib.figure import Figure

    from ._core import Model, System
    from .pictures import View


def draw(
    system: System | Model,
    q: npt.ArrayLike | None = None,
    *,
    path: str | os.PathLike[str] | None = None,
    view: View = None,
    labels: bool = False,
) -> Figure:
    """Draw a description in its initial state or at coordinates q (nq), as Result.draw() does; matplotlib must be installed."""
    import numpy as np

    from .plotting import draw_scene
    from .scene import scene_of

    model = as_system(system).freeze()
    states = np.asarray(model.q0 if q is None else q, dtype=np.float64)
    if states.shape != (model.nq,):
        raise InputError(f"q has the shape {states.shape}; allowed is ({model.nq},)")
    figure = draw_scene(scene_of(model, states[None]), [0], view, labels, title=model.name)
    if path is not None:
        figure.savefig(path, dpi=160)
    return figure
