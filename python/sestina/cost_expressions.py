"""Costs written as expressions of columns and parameters: `last(hinge.q)^2 + 0.1*c*max(abs(hinge.u))`."""

from __future__ import annotations

import ast
import difflib
import re
from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from .errors import InputError

if TYPE_CHECKING:
    import numpy.typing as npt

    Array = npt.NDArray[np.float64]


def _mean(t: Array, y: Array) -> float:
    return _integral(t, y) / float(t[-1] - t[0]) if t[-1] > t[0] else float(y[-1])


def _integral(t: Array, y: Array) -> float:
    return float(((y[1:] + y[:-1]) / 2 * np.diff(t)).sum())


#: Functions that reduce a column y over t (s) to a number.
REDUCTIONS: dict[str, Callable[[Array, Array], float]] = {
    "first": lambda t, y: float(y[0]),
    "last": lambda t, y: float(y[-1]),
    "min": lambda t, y: float(y.min()),
    "max": lambda t, y: float(y.max()),
    "mean": _mean,
    "rms": lambda t, y: _mean(t, y * y) ** 0.5,
    "integral": _integral,
}
#: Functions of numbers, applied to each element of a column.
FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    name: getattr(np, name) for name in ("abs", "sqrt", "exp", "log", "sin", "cos", "tan", "arctan", "tanh")
}
_OPERATIONS: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: np.add,
    ast.Sub: np.subtract,
    ast.Mult: np.multiply,
    ast.Div: np.divide,
    ast.Pow: np.power,
}


class CostExpression:
    """An expression of columns and parameters with a single number as its value; `^` is power. Otherwise InputError.

    check_value() refuses an expression whose value has rows; call it once the columns are known to exist.
    """

    def __init__(self, text: str, parameters: Collection[str] = ()) -> None:
        self._text, self._parameters = text, parameters
        try:
            self._tree = ast.parse(text.replace("^", "**").strip(), mode="eval").body
        except SyntaxError as error:
            raise InputError(f"cost: {text!r}: {error.msg}") from None
        self.names: list[str] = []  #: columns and parameters that it uses, in order
        self.places: dict[str, str] = {}  #: names that results contain under another name, such as parameters
        self._has_rows = self._is_column(self._tree)

    @property
    def columns(self) -> list[str]:
        """The columns that the expression uses, in their order."""
        return [self.places.get(name, name) for name in self.names]

    def check_value(self) -> None:
        if self._has_rows:
            raise InputError(
                f"cost: {self._text!r} has a value for each row; allowed around columns are {', '.join(REDUCTIONS)}"
            )

    def _fail(self, node: ast.expr, what: str) -> InputError:
        return InputError(f"cost: {self._text!r}: {ast.unparse(node)!r} {what}")

    def _is_column(self, node: ast.expr) -> bool:
        """Whether the node's value has rows; collects columns, and refuses unknown names."""
        if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
            return False
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
            return self._is_column(node.operand)
        if isinstance(node, ast.BinOp) and type(node.op) in _OPERATIONS:
            sides = [self._is_column(one) for one in (node.left, node.right)]
            return any(sides)
        if isinstance(node, ast.Call):
            return self._is_column_of_call(node)
        name = self._column_name(node)
        if name not in self.names:
            self.names.append(name)
        return name not in self._parameters

    def _is_column_of_call(self, node: ast.Call) -> bool:
        name = node.func.id if isinstance(node.func, ast.Name) else ast.unparse(node.func)
        known = [*REDUCTIONS, *FUNCTIONS]
        if name not in known:
            near = difflib.get_close_matches(name, known, 1)
            hint = f" (did you mean {near[0]!r}?)" if near else f"; allowed are {', '.join(known)}"
            raise self._fail(node, f"has the unknown function {name!r}{hint}")
        if len(node.args) != 1 or node.keywords:
            raise self._fail(node, "takes one argument")
        has_rows = self._is_column(node.args[0])
        if name in REDUCTIONS and not has_rows:
            raise self._fail(node, "is of a number; allowed is an expression of columns")
        return has_rows and name not in REDUCTIONS

    def _column_name(self, node: ast.expr) -> str:
        name = ast.unparse(node)
        if not isinstance(node, (ast.Name, ast.Attribute, ast.Subscript)) or not re.fullmatch(r"[\w.]+(\[\d+\])?[\w.]*", name):
            raise self._fail(node, "is neither a column, a parameter, a number nor an operation + - * / ^")
        return name

    def __call__(self, result: Mapping[str, Array] | Any) -> float:
        """The value for a result, or for any object that has columns by name."""
        with np.errstate(all="ignore"):  # the caller reports a NaN with the values that caused it
            return float(self._evaluate(self._tree, result))

    def _evaluate(self, node: ast.expr, result: Any) -> Any:
        if isinstance(node, ast.Constant):
            return np.float64(node.value)  # type: ignore[arg-type]
        if isinstance(node, ast.UnaryOp):
            value = self._evaluate(node.operand, result)
            return -value if isinstance(node.op, ast.USub) else value
        if isinstance(node, ast.BinOp):
            return _OPERATIONS[type(node.op)](self._evaluate(node.left, result), self._evaluate(node.right, result))
        if isinstance(node, ast.Call):
            assert isinstance(node.func, ast.Name)
            value = self._evaluate(node.args[0], result)
            reduce = REDUCTIONS.get(node.func.id)
            return FUNCTIONS[node.func.id](value) if reduce is None else reduce(result["t"], value)
        name = self._column_name(node)
        column = result[self.places.get(name, name)]
        return column[0] if name in self._parameters else column
