"""The result of a run."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Union

from . import _core
from ._core import Model, Point, Report, System, Table
from .attributes import NamedAttributes
from .errors import InputError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pandas
    from matplotlib.animation import FuncAnimation
    from matplotlib.figure import Figure

    from .pictures import View
    from .scene import Scene
    from .showing import Page

    #: A point by its name or, for a system derived with symbols, the point itself; or several.
    Trace = Union[str, Point, Sequence[Union[str, Point]]]


class Result(NamedAttributes):
    """The rows of a run: named columns over time, and the report of the run.

    `result["hinge.q"]` is a column (rows) without a copy, read-only. Columns: `t` (s), every coordinate, speed
    and variable, the event of a row, the position of every body's origin (`rod.origin.x`), `energy.total` and the
    like, momenta; reactions (`hinge.reaction.force.x`) if they were recorded.
    """

    _public = ("table", "report")

    def __init__(self, table: Table, report: Report | None = None, system: System | None = None) -> None:
        self.table = table
        self.report = report  #: None for a result that was read from a file
        self._system = system
        self._model: Model | None = None
        self._relative: Model | None = None  # for cartesian coordinates: the model in relative ones
        self._file: str | None = None  # from which it was read

    def __getitem__(self, name: str) -> npt.NDArray[np.float64]:
        return self.table[name]

    def __contains__(self, name: str) -> bool:
        return name in self.table

    def __len__(self) -> int:
        return len(self.table)

    def __repr__(self) -> str:
        what = "" if self.report is None else f", {self.report.status} at t = {self.report.t:g} s"
        name = _core._escaped(self.table.model_name) or "without a name"
        return f"<sestina.Result {name}: {len(self)} rows{what}>"

    @property
    def t(self) -> npt.NDArray[np.float64]:
        """(rows) Time, s."""
        return self.table["t"]

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of all columns."""
        return self.table.columns

    def unit(self, name: str) -> str:
        """The unit of a column, such as `rad/s`; `1` of a pure number."""
        return self.table.unit(name)

    @property
    def system(self) -> System:
        """A copy of the simulated description. A result read from a CSV file has none."""
        if self._system is None:
            if not self.table.model_text:
                raise InputError("the result does not contain its model: HDF5 files (.h5) of models do, those of symbolic systems and CSV files do not")
            try:
                self._system = _core._loads(self.table.model_text, self._model_place(), [])
            except InputError as error:
                if error.faults[0][0].endswith(": particles"):
                    raise InputError(
                        "the result is of particles, which have no bodies and coordinates to draw: it has columns, and "
                        "the trajectory of the model has frames"
                    ) from None
                raise
        return self._system.copy()

    def _model_place(self) -> str:
        """The name of the model's text: files that it names are relative to the folder of this name."""
        name = "the model of the result"
        folder = dict(self.table.provenance).get("folder", "")
        if not os.path.isdir(folder):
            return name if self._file is None else os.path.join(os.path.dirname(self._file), name)
        return os.path.join(folder, name)

    @property
    def model(self) -> Model:
        """The frozen model of the run."""
        if self._model is None:
            self._model = self.system.freeze()
        return self._model

    @property
    def q(self) -> npt.NDArray[np.float64]:
        """(rows, nq) All coordinates, without a copy."""
        if "mode" in self:
            raise InputError("modes have no coordinates over time: their shapes are columns, JOINT.shape.real")
        self._refuse_cartesian()
        return self.table.values[:, 1 : 1 + self.model.nq]

    @property
    def u(self) -> npt.NDArray[np.float64]:
        """(rows, nu) All speeds, without a copy."""
        self._refuse_cartesian()
        first = 1 + self.model.nq
        return self.table.values[:, first : first + self.model.nu]

    @property
    def x(self) -> npt.NDArray[np.float64]:
        """(rows, nx) All states with a rate: a read-only copy."""
        import numpy as np

        states = [self[name] for name in self.model.states]
        data = np.column_stack(states) if states else np.empty((len(self.t), 0))
        data.flags.writeable = False
        return data

    def _refuse_cartesian(self) -> None:
        if self.model.is_cartesian:
            raise InputError("rows of cartesian coordinates hold those of the joints, by name: result['JOINT.q']")

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

    def _usual_x(self) -> str:
        return next((name for name in ("mode", "load", "frequency") if name in self), "t")

    def _column(self, column: Any) -> str:
        """The name of a column, from the key given."""
        if isinstance(column, str):
            return column
        raise TypeError(f"columns: {column!r} is not the name of a column")

    def _select(self, columns: Sequence[str]) -> list[str]:
        """The names that match the patterns; expressions unchanged."""
        return self.table.select(list(columns))

    def _calculate(self, expression: str) -> tuple[str, npt.NDArray[np.float64]]:
        """The unit and the values (rows) of an expression of columns."""
        return self.table._calculate(expression)

    def plot(self, *columns: str, x: str | None = None, path: str | os.PathLike[str] | None = None) -> Figure:
        """Draw columns (`*` matches any letters) over `x`, a panel for each unit; matplotlib must be installed.

        x: default `t`; for statics `load`, for modes `mode`, for a frequency response `frequency`.
        columns: names, or expressions of columns, "hip.q + knee.q"; default the first coordinates and the energies.
        path: save the figure there (.png, .svg, .pdf). Returns the figure, which a notebook shows once.
        """
        from .plotting import plot

        over = self._usual_x() if x is None else self._column(x)
        figure = plot(self, [self._column(column) for column in columns], over)
        if path is not None:
            figure.savefig(self._picture_path(path))
        return figure

    def _picture_path(self, path: str | os.PathLike[str]) -> str:
        """Returns the path; refuses the path of the result itself, also through a link."""
        picture = os.fspath(path)
        if self._file is not None and os.path.exists(picture) and os.path.samefile(picture, self._file):
            raise InputError(f"{picture}: is the result that is drawn, {self._file}; allowed is another file")
        return picture

    def _scene(self, rows: npt.NDArray[np.intp]) -> Scene:
        """The scene at some of the rows."""
        from .scene import scene_of

        model, q = self._motion()
        return scene_of(model, q[rows])

    def _way(self, point: str | Point) -> npt.NDArray[np.float64]:
        """(rows, 3) m, the positions of a point."""
        if not isinstance(point, str):
            raise TypeError(f"trace: {point!r} is not the name of a point")
        model, q = self._motion()
        return model.point_position(point, q)

    def _motion(self) -> tuple[Model, npt.NDArray[np.float64]]:
        """The model in relative coordinates, and their values at all rows."""
        import numpy as np

        if not self.model.is_cartesian:
            return self.model, self.q
        if self._relative is None:
            system = self.system
            system.analysis.coordinates, system.analysis.solver = "relative", "recursive"
            self._relative = system.freeze()
        return self._relative, np.column_stack([self[name] for name in self._relative.q_names])

    def draw(
        self,
        t: float | Sequence[float] | None = None,
        *,
        path: str | os.PathLike[str] | None = None,
        view: View = None,
        labels: bool = False,
        trace: Trace = (),
    ) -> Figure:
        """Draw the bodies at a time, in perspective with their shapes; matplotlib must be installed.

        t       s, default the end; of several times, earlier ones are fainter
        path    save the figure there (.png, .svg, .pdf)
        view    the ground axes across and up, such as "xz"; or azimuth and elevation of the eye, degrees; by
                default obliquely onto the plane of most of the motion. In a window the mouse turns the picture
        labels  write the names of the bodies
        trace   points such as "rod.tip", whose paths over the whole motion are also drawn

        A body without shapes is drawn as rods to its joints and points, and a ball at its mass centre, of a size that does
        not depend on its mass. Returns the figure, which a notebook shows once.
        """
        from .plotting import draw

        figure = draw(self, t, view, labels, trace)
        if path is not None:
            figure.savefig(self._picture_path(path), dpi=160)
        return figure

    def animate(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        fps: float = 25,
        speed: float = 1.0,
        view: View = None,
        labels: bool = False,
        trace: Trace = (),
    ) -> FuncAnimation:
        """Animate the bodies, drawn as by draw(); matplotlib must be installed.

        path    save it there, as .gif or, with ffmpeg, as .mp4
        fps     frames per second
        speed   simulated seconds per second

        The other arguments are as in draw(). Returns the animation, which a notebook plays if it is the last value of a cell.
        """
        from .plotting import animate

        return animate(self, None if path is None else self._picture_path(path), fps, speed, view, labels, trace)

    def show(
        self,
        *,
        path: str | os.PathLike[str] | None = None,
        ghost: Result | None = None,
        height: int = 560,
        max_size: float = 20.0,
    ) -> Page:
        """Return the motion as a page for a browser or a notebook; see sestina.show()."""
        from .showing import show

        page = None if path is None else self._picture_path(path)
        return show(self, path=page, ghost=ghost, height=height, max_size=max_size)

    def _repr_html_(self) -> str:
        try:
            return str(self.to_dataframe()._repr_html_())
        except ImportError:
            return f"<pre>{self!r}</pre>"


def read_result(path: str | os.PathLike[str]) -> Result:
    """Read a result file (.csv, .h5)."""
    result = Result(_core._read_result(path))
    result._file = os.path.abspath(path)
    return result


def as_system(given: Any) -> System:
    """A copy of a System, or of the System from which a Model was frozen."""
    if isinstance(given, System):
        return given.copy()
    if isinstance(given, Model):
        return given.system
    raise TypeError(f"expected a sestina.System or sestina.Model, not {type(given).__name__}")
