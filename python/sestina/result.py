"""What a run leaves behind."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from . import _core
from ._core import Model, Report, System, Table
from .errors import InputError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pandas
    from matplotlib.animation import FuncAnimation
    from matplotlib.figure import Figure


class Result:
    """The rows of a run: named columns over time, and the report of the run.

    `result["hinge.q"]` is a column (rows) without a copy, read-only. Columns: `t` (s), every coordinate, speed
    and variable, the event of a row, the position of every body's origin (`rod.origin.x`), `energy.total` and the
    like, momenta; reactions (`hinge.reaction.force.x`) where they were asked for.
    """

    def __init__(self, table: Table, report: Report | None = None, system: System | None = None) -> None:
        self.table = table
        self.report = report  #: None of a result that was read from a file
        self._system = system
        self._model: Model | None = None

    def __getitem__(self, name: str) -> npt.NDArray[np.float64]:
        return self.table[name]

    def __contains__(self, name: str) -> bool:
        return name in self.table

    def __len__(self) -> int:
        return len(self.table)

    def __repr__(self) -> str:
        what = "" if self.report is None else f", {self.report.status} at t = {self.report.t:g} s"
        return f"<sestina.Result {self.table.model_name or 'without a name'}: {len(self)} rows{what}>"

    @property
    def t(self) -> npt.NDArray[np.float64]:
        """(rows) Time, s."""
        return self.table["t"]

    @property
    def columns(self) -> list[str]:
        """The names of all columns."""
        return self.table.columns

    def unit(self, name: str) -> str:
        """The unit of a column, such as `rad/s`; `1` of a pure number."""
        return self.table.unit(name)

    @property
    def system(self) -> System:
        """A copy of the description that was simulated. A result that was read from a CSV file has none."""
        if self._system is None:
            if not self.table.model_text:
                raise InputError("the result does not tell its model; HDF5 files (.h5) do")
            self._system = _core._loads(self.table.model_text, "the model of the result", [])
        return self._system.copy()

    @property
    def model(self) -> Model:
        """The frozen model of the run."""
        if self._model is None:
            self._model = self.system.freeze()
        return self._model

    @property
    def q(self) -> npt.NDArray[np.float64]:
        """(rows, nq) All coordinates, without a copy."""
        return self.table.values[:, 1 : 1 + self.model.nq]

    @property
    def u(self) -> npt.NDArray[np.float64]:
        """(rows, nu) All speeds, without a copy."""
        first = 1 + self.model.nq
        return self.table.values[:, first : first + self.model.nu]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a result file (.csv, .h5)."""
        self.table.save(path)

    def to_dataframe(self) -> pandas.DataFrame:
        """All columns as a pandas DataFrame whose index is the time (s); pandas must be installed."""
        import pandas

        names = self.columns
        frame = pandas.DataFrame(self.table.values[:, 1:], index=pandas.Index(self.t, name="t"), columns=names[1:])
        frame.attrs["units"] = {name: self.unit(name) for name in names}
        return frame

    def _column(self, column: Any) -> str:
        """The name of a column, as it is given."""
        if isinstance(column, str):
            return column
        raise TypeError(f"columns: {column!r} is not the name of a column")

    def plot(self, *columns: str, x: str = "t", path: str | os.PathLike[str] | None = None) -> Figure:
        """Draw columns (`*` stands for any letters) over `x`, a panel for each unit; matplotlib must be installed.

        Of no columns, the first coordinates and the energies. path: save the figure there (.png, .svg, .pdf).
        Returns the figure, which a notebook shows once.
        """
        from .plotting import plot

        figure = plot(self, [self._column(column) for column in columns], self._column(x))
        if path is not None:
            figure.savefig(path)
        return figure

    def animate(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        fps: float = 25,
        speed: float = 1.0,
        view: str | None = None,
    ) -> FuncAnimation:
        """Draw the bodies as lines through their points while time goes on; matplotlib must be installed.

        path: save it there, as .gif or, with ffmpeg, as .mp4. fps: frames in a second; speed: seconds of the motion
        in a second; view: the ground axes across and up, such as "xz". Returns the animation, which a notebook plays
        where it is the last of a cell.
        """
        from .plotting import animate

        return animate(self, path, fps, speed, view)

    def _repr_html_(self) -> str:
        try:
            return str(self.to_dataframe()._repr_html_())
        except ImportError:
            return f"<pre>{self!r}</pre>"


def read_result(path: str | os.PathLike[str]) -> Result:
    """Read a result file (.csv, .h5)."""
    return Result(_core._read_result(path))


def as_system(given: Any) -> System:
    """A copy of a System, or of what a Model was frozen from."""
    if isinstance(given, System):
        return given.copy()
    if isinstance(given, Model):
        return given.system
    raise TypeError(f"a sestina.System or sestina.Model is wanted, not {type(given).__name__}")
