"""Runs one model with many values of some of its keys."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core
from ._core import System
from .ensembles import EnsembleResult, run_ensemble
from .errors import ComputationError, InputError

if TYPE_CHECKING:
    import numpy.typing as npt

    Array = npt.NDArray[np.float64]


class Interrupted(Exception):
    """Ctrl-C was pressed during the runs."""


class Member:
    """One run of a population, as passed to a cost function: its columns over time by name, as in a Result."""

    def __init__(self, columns: Sequence[str], units: Mapping[str, str], table: Array, values: Mapping[str, float]) -> None:
        self.columns = list(columns)
        self.table = table  #: (rows, columns)
        self.values = dict(values)  #: of the keys that vary
        self._units = units

    def __getitem__(self, name: str) -> Array:
        if name not in self.columns:
            raise KeyError(f"there is no column {name!r}; there are {', '.join(self.columns)}")
        return self.table[:, self.columns.index(name)]

    def __contains__(self, name: object) -> bool:
        return name in self.columns

    def __len__(self) -> int:
        return len(self.table)

    @property
    def t(self) -> Array:
        """(rows) Time, s."""
        return self["t"]

    def unit(self, name: str) -> str:
        """The unit of a column, such as `rad/s`."""
        return str(self._units[name])


class Population:
    """The runs of a model.

    Keys become parameters, so that members run side by side in lanes and threads. If a key does not accept an expression,
    such as one of `analysis`, each member has a description of its own instead, and members run one after the other.
    `columns` are recorded in addition to the system's: expressions by name, as in output.columns.
    """

    def __init__(
        self, system: System, keys: Sequence[str], start: Sequence[float], options: Mapping[str, Any],
        columns: Mapping[str, str] | None = None,
    ) -> None:  # fmt: skip
        self.keys, self._options = list(keys), dict(options)
        self._columns = dict(columns or {})
        self._system = system.copy() if self._columns else system
        for name, expression in self._columns.items():
            self._system.add_column(name, expression)
        self._text: str | None = None  # of members that run one after the other
        self._names = [key.removeprefix("parameters.") if _is_parameter(key) else f"optimized_{i}" for i, key in enumerate(keys)]
        self._described = self._describe(start)
        self._check(start)

    def _describe(self, start: Sequence[float]) -> System | None:
        """The system with a parameter for each key; None if a key does not accept expressions."""
        made = self._system.copy()
        inner = []
        for key, name, value in zip(self.keys, self._names, start):
            if not _is_parameter(key):
                made.parameters[name] = float(value)
                inner.append(f"{key}={name}")
            elif name in made.parameters:
                made.parameters[name] = float(value)
        if all(_is_parameter(key) and name in made.parameters for key, name in zip(self.keys, self._names)):
            return made
        try:
            # Unknown keys are reported with the initial values, in _check().
            return _core._loads(made.to_yaml(), "model", inner) if _known(made, self.keys, self._names) else None
        except InputError:
            return None

    def _check(self, start: Sequence[float]) -> None:
        if self._described is not None:
            self._described.freeze()
            return
        self._text = self._system.to_yaml()
        self._load(start).freeze()

    def _load(self, values: Sequence[float]) -> System:
        assert self._text is not None
        settings = [f"{key}={json.dumps(float(value))}" for key, value in zip(self.keys, values)]
        try:
            return _core._loads(self._text, "model", settings)
        except InputError as error:
            faults = [(place.replace("--set ", "variables "), message) for place, message in error.faults]
            raise InputError(str(error).replace("--set ", "variables "), faults) from None

    def columns(self, start: Sequence[float]) -> list[str]:
        """The columns that runs record; empty if the runs end before their first row."""
        described = self._load(start) if self._described is None else self._described
        options = {**self._options, "max_steps": 1}
        return run_ensemble(described, record=["*"], check=False, **options).columns

    def with_values(self, values: Sequence[float]) -> System:
        """A description with these values."""
        made = self._made_with(values)
        for name in self._columns:
            del made.output.columns[name]
        return made

    def _made_with(self, values: Sequence[float]) -> System:
        if self._text is None:
            made = self._system.copy()
            if all(_is_parameter(key) for key in self.keys):
                for name, value in zip(self._names, values):
                    made.parameters[name] = float(value)
                return made
            self._text = self._system.to_yaml()
        return self._load(values)

    def run(self, members: Array, record: Sequence[str]) -> list[Member | str]:
        """The run of each member (n, keys), or the reason why it failed."""
        if self._described is None:
            return [self._run_alone(self._load, row, record) for row in members]
        try:
            arrays = {name: members[:, i] for i, name in enumerate(self._names)}
            return self._members_of(run_ensemble(self._described, arrays, record=record, check=False, **self._options), members)
        except (InputError, ComputationError):
            # One of them is refused, such as a negative mass; the others run.
            return [self._run_alone(self._with_parameters, row, record) for row in members]

    def _with_parameters(self, values: Sequence[float]) -> System:
        assert self._described is not None
        made = self._described.copy()
        for name, value in zip(self._names, values):
            made.parameters[name] = float(value)
        return made

    def _run_alone(self, describe: Callable[[Sequence[float]], System], row: Array, record: Sequence[str]) -> Member | str:
        try:
            data = run_ensemble(describe(row.tolist()), record=record, check=False, **self._options)
        except (InputError, ComputationError) as error:
            return self._in_words_of_keys(str(error))
        return self._members_of(data, row[None])[0]

    def _in_words_of_keys(self, message: str) -> str:
        """The message with keys instead of the parameters that represent them."""
        for key, name in zip(self.keys, self._names):
            message = message.replace(f"--set {key}={name}: ", "").replace(f"{name} = ", "")
        return message

    def _members_of(self, data: EnsembleResult, members: Array) -> list[Member | str]:
        status, reasons = data.status.reshape(-1), data.reasons.reshape(-1)
        if (status == "interrupted").any():
            raise Interrupted
        assert data.series is not None
        series = data.series.reshape(len(members), *data.series.shape[-2:])  # of (..., rows, columns)
        units = {name: data.unit(name) for name in data.columns}
        found: list[Member | str] = []
        for k, row in enumerate(members):
            if status[k] != "complete":
                found.append(self._in_words_of_keys(str(reasons[k])))
                continue
            rows = series[k][~np.isnan(series[k][:, 0])]
            found.append(Member(data.columns, units, rows, dict(zip(self.keys, map(float, row)))))
        return found


def _is_parameter(key: str) -> bool:
    return key.startswith("parameters.") and key.count(".") == 1


def _known(system: System, keys: Sequence[str], names: Sequence[str]) -> bool:
    return all(not _is_parameter(key) or name in system.parameters for key, name in zip(keys, names))
