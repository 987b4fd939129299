"""Many runs of one model with different values of some of its keys."""

from __future__ import annotations

import json
import os
import pathlib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from . import _core
from ._core import Model, System
from .attributes import NamedAttributes
from .errors import ComputationError, InputError
from .result import as_system
from .run import _edit, watch

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

#: Called with the runs done, all runs, those that failed, the wall time (s) and the fraction of the work done.
SweepProgress = Callable[[int, int, int, float, float], object]


class SweepResult(NamedAttributes):
    """The runs of a sweep, on a grid with an axis for each key that varies.

    `result["hinge.q"]` (n1, n2, ...) is a column of the last row of each run; NaN where a run has none.
    """

    _public = ("axes", "shape", "columns", "report", "path", "status", "reasons", "energy_drift", "steps")

    def __init__(self, data: dict[str, Any], report: dict[str, Any] | None, path: pathlib.Path | None) -> None:
        import numpy as np

        #: For each key that varies its values: an array of numbers, or texts.
        self.axes: dict[str, npt.NDArray[np.float64] | list[str]] = {
            path: np.array(numbers) if numbers else list(map(_text, values)) for path, values, numbers in data["axes"]
        }
        self.shape = tuple(len(values) for values in self.axes.values())
        self.columns: list[str] = data["columns"]
        self.report = report  #: None for a sweep that was read from a file
        self.path = path  #: the HDF5 file; None if it was not kept
        self.status = np.array(data["status"], dtype=object).reshape(self.shape)  #: `complete`, `failed`, `pending`
        self.reasons = np.array(data["reasons"], dtype=object).reshape(self.shape)  #: why runs failed
        self.energy_drift: npt.NDArray[np.float64] = data["energy_drift"].reshape(self.shape)  #: J
        self.steps: npt.NDArray[np.float64] = data["steps"].reshape(self.shape)
        self._units = dict(zip(data["columns"], data["units"], strict=True))
        self._last: npt.NDArray[np.float64] = data["last"].reshape(*self.shape, len(self.columns))
        self._series: list[str] = data["series"]

    def __getitem__(self, name: str) -> npt.NDArray[np.float64]:
        if name not in self._units:
            raise KeyError(f"the sweep has no column {name!r}; it has {', '.join(self.columns)}")
        return self._last[..., self.columns.index(name)]

    def unit(self, name: str) -> str:
        """The unit of a column."""
        return str(self._units[name])

    def series(self, name: str) -> npt.NDArray[np.float64]:
        """(n1, n2, ..., rows) A column that was recorded over time; h5py must be installed."""
        if self.path is None or name not in self._series:
            raise KeyError(f"{name!r} was not recorded over time; `out` and `record` of the sweep say what is")
        import h5py
        import numpy as np

        with h5py.File(self.path, "r") as file:
            return np.asarray(file["series"][..., self._series.index(name)], dtype=np.float64)

    def draw(self, path: str | os.PathLike[str], *columns: str, x: str | None = None, title: str = "") -> None:
        """Draw last rows over the first axis (.png, .svg, .pdf), a curve for each combination of the others.

        columns: `*` matches any letters; default all. The sweep must have kept a file (`out`).
        """
        if self.path is None:
            raise InputError("the sweep has no file to draw from; its `out` says where one is kept")
        table = _core._read_sweep_table(self.path, list(columns))
        table.draw(path, table.columns[1:], table.columns[0] if x is None else x, title)

    def __repr__(self) -> str:
        grid = " x ".join(f"{len(values)} {path}" for path, values in self.axes.items())
        return f"<sestina.SweepResult {grid}: {int((self.status == 'complete').sum())} of {self.status.size} complete>"


def _value(value: object) -> str:
    """A value as YAML writes it in a list."""
    import numpy as np

    plain = value.item() if isinstance(value, np.generic) else value
    if not isinstance(plain, str):
        return json.dumps(plain, ensure_ascii=False)
    # A list or a mapping may be given as text; an expression with commas or a name with quotes is one value.
    is_plain = re.fullmatch(r"[\w.(+-][\w.+*/^() -]*", plain) or plain[:1] in {"[", "{"}
    return plain if is_plain else json.dumps(plain, ensure_ascii=False)


def _text(value: str) -> str:
    """The text of a quoted YAML value."""
    if not value.startswith('"'):
        return value
    return re.sub(r"\\(x..|.)", lambda found: chr(int(found[1][1:], 16)) if found[1][1:] else found[1], value[1:-1])


def _axis(path: str, values: Iterable[object] | str) -> str:
    if isinstance(values, str):
        return f"{path}={values}"
    return f"{path}=[{', '.join(map(_value, values))}]"


def sweep(
    model: System | Model,
    vary: Mapping[str, Iterable[object] | str],
    *,
    out: str | os.PathLike[str] | None = None,
    record: Sequence[str] = (),
    reactions: bool = False,
    duration: float | None = None,
    every: float | None = None,
    resume: bool = False,
    lanes: bool = True,
    threads: int | None = None,
    progress: bool | SweepProgress | None = None,
    max_steps: int | None = None,
    max_wall: float | None = None,
    check: bool = False,
) -> SweepResult:
    """Simulate for all combinations of values of keys, on several threads; results do not depend on their number.

    vary       {"parameters.l1": numpy.linspace(0.5, 1.5, 100), "joints.hinge.q": "0:3:31",
               "analysis.solver": ["kane", "recursive"]}: each key with its values, or with a:b:n
    out        the HDF5 file (docs/sweep.md) to keep; without it only the last row of each run is returned
    record     columns that the file keeps over time, `*` matches any letters; default all, `none` for none
    duration   s of each run; default system.analysis
    every      s between rows; default system.output
    resume     compute the runs that are missing in the file of the same sweep
    lanes      run side by side in SIMD lanes if the model allows it; False gives the same last bits as simulate()
    progress   True shows a bar; a function is called with the number of runs done, of all runs and of failed runs, the
               wall time (s) and the fraction done
    max_steps  a run that would take more steps fails with that reason, and the others continue
    max_wall   s of wall time, the same, for each run
    check      raise ComputationError if a run fails; with False, see result.status and result.reasons

    Ctrl-C ends the sweep: the runs so far are returned, and missing runs have the status `pending`. While the
    values are being checked, before the first run, there is nothing to return, and KeyboardInterrupt is raised.
    """
    import tempfile  # takes as long to import as the rest of the package

    text = _edit(as_system(model), duration, every, None, None, None, None, None).to_yaml()
    axes = [_axis(path, values) for path, values in vary.items()]
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "sweep.h5") if out is None else pathlib.Path(out)
        kept = ["none"] if out is None else list(record)
        with watch(progress, lambda done, runs, failed, seconds, part: (part, f"{done} of {runs} runs")) as callback:
            report = _core._sweep(
                text, "model", axes, path, kept, reactions, resume, lanes, threads, callback, max_steps, max_wall
            )
        if report["status"] == "interrupted" and not path.exists():
            raise KeyboardInterrupt  # before the first run
        result = SweepResult(_core._read_sweep(path), report, None if out is None else path)
    if check and report["failed"]:
        settings, reason = report["failures"][0]
        raise ComputationError(f"{settings}: {reason}")
    return result


def read_sweep(path: str | os.PathLike[str]) -> SweepResult:
    """Read the file of a sweep."""
    return SweepResult(_core._read_sweep(path), None, pathlib.Path(path))
