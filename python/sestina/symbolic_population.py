"""Runs a SymbolicSystem with many values of some of its symbols, for minimize(). Part of sestina.symbolic."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ._core import Expression
from .errors import ComputationError, InputError
from .population import Interrupted

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from .symbolic_system import SymbolicResult, SymbolicSystem

    Array = npt.NDArray[np.float64]


class SymbolicPopulation:
    """The runs of a system, one after the other; keys are parameters, or coordinates and speeds with their initial values."""

    def __init__(
        self, system: SymbolicSystem, symbols: Sequence[Expression], start: Sequence[float], options: Mapping[str, Any]
    ) -> None:
        self.keys = [str(symbol) for symbol in symbols]
        self._system, self._symbols = system, list(symbols)
        self._options = {name: value for name, value in options.items() if value is not None}
        self._states = {*system.q, *system.u}
        known = [*system.q, *system.u, *system._values]
        for symbol, value in zip(symbols, start):
            if symbol not in known:
                raise InputError(
                    f"variables[{symbol}]: it is neither a coordinate, a speed nor a parameter that has a number; "
                    f"there are {', '.join(map(str, known))}"
                )
            self._give(symbol, value)

    def _give(self, symbol: Expression, value: float) -> None:
        if symbol in self._states:
            self._system.set_initial({symbol: float(value)})
        else:
            self._system.set({symbol: float(value)})

    def columns(self, start: Sequence[float]) -> list[str]:
        """The columns that runs record."""
        self.with_values(start)
        return list(self._system.simulate(**{**self._options, "max_steps": 1}, check=False).columns)

    def with_values(self, values: Sequence[float]) -> SymbolicSystem:
        """Gives the system these values, and returns it."""
        for symbol, value in zip(self._symbols, values):
            self._give(symbol, value)
        return self._system

    def run(self, members: Array, record: Sequence[str]) -> list[SymbolicResult | str]:
        """The run of each member (n, keys), or the reason why it failed; all columns are recorded."""
        return [self._run_one(row.tolist()) for row in members]

    def _run_one(self, values: Sequence[float]) -> SymbolicResult | str:
        try:
            result = self.with_values(values).simulate(**self._options, check=False)
        except (InputError, ComputationError) as error:
            return str(error)
        if result.report.status == "interrupted":
            raise Interrupted
        return result.report.failure if result.report.status == "failed" else result
