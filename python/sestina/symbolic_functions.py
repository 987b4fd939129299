"""SymPy's lambdify, by compiled functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from . import _core
from ._core import CompiledFunction, Expression, Matrix

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


def lambdify(args: Any, expr: Any, modules: object = None, *, cse: bool = False) -> Callable[..., Any]:
    """A numerical function, as in SymPy; always compiled, `modules` and `cse` have no effect.

    args   symbols, and sequences of symbols, for which the function takes a sequence of numbers
    expr   an expression or a matrix, or a sequence of them, for which the function returns a list

    Numbers may be arrays, which are broadcast against each other. Their axes come first in the results.
    """
    groups = [args] if isinstance(args, Expression) else list(args)
    variables = [symbol for group in groups for symbol in ([group] if isinstance(group, Expression) else group)]
    is_several = isinstance(expr, list | tuple)
    parts = [_Part(one) for one in (expr if is_several else [expr])]
    function = CompiledFunction([element for part in parts for element in part.elements], variables)

    def evaluate(*values: Any) -> Any:
        if len(values) != len(groups):
            raise TypeError(f"the function takes {len(groups)} arguments, {len(values)} were given")
        data = function(_states(groups, values))
        results, first = [], 0
        for part in parts:
            results.append(part.of(data[..., first : first + len(part.elements)]))
            first += len(part.elements)
        return results if is_several else results[0]

    return evaluate


class _Part:
    """One of the results, an expression or a matrix."""

    def __init__(self, given: Any) -> None:
        is_matrix = isinstance(given, Matrix)
        self.shape: tuple[int, ...] = given.shape if is_matrix else ()
        self.elements = list(given) if is_matrix else [given]

    def of(self, values: npt.NDArray[np.float64]) -> Any:
        shaped = values.reshape(values.shape[:-1] + self.shape)
        return shaped if shaped.ndim > 0 else float(shaped)


def _states(groups: Sequence[Any], values: Sequence[Any]) -> npt.NDArray[np.float64]:
    """(..., variables)"""
    import numpy as np

    numbers: list[Any] = []
    for place, (group, value) in enumerate(zip(groups, values, strict=True)):
        if isinstance(group, Expression):
            numbers.append(value)
        elif len(value) == len(group):
            numbers.extend(value)
        else:
            raise TypeError(f"argument {place} of the function has {len(group)} numbers, {len(value)} were given")
    try:
        return np.moveaxis(np.array(numbers, dtype=np.float64), 0, -1)
    except ValueError:  # of several shapes
        return np.stack(np.broadcast_arrays(*(np.asarray(one, dtype=np.float64) for one in numbers)), axis=-1)


_dummies = 0


def Dummy(name: str = "Dummy", **assumptions: Any) -> Expression:
    """A constant that differs from all others, whatever its name."""
    from .symbolic_names import check_assumptions

    global _dummies
    check_assumptions(assumptions)
    _dummies += 1
    return _core._symbol(f"_{name}_{_dummies}")
