"""Converts expressions of Sestina to sympy, which is imported on first use."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._core import Matrix


def _variable(name: str, order: int) -> Any:
    """A function of time, or its derivative of this order, as in sympy.physics.mechanics."""
    import sympy

    t = sympy.Symbol("t")
    function = sympy.Function(name)(t)
    return function.diff(t, order) if order else function


def _table(name: str, order: int, argument: Any) -> Any:
    import sympy

    x = sympy.Dummy("x")
    function = sympy.Function(name)
    return function(argument) if order == 0 else sympy.Subs(function(x).diff(x, order), x, argument)


def _number(value: Any) -> Any:
    import sympy

    return sympy.Float(value) if isinstance(value, float) else sympy.Rational(*value)


def _functions() -> dict[str, Callable[..., Any]]:
    import sympy

    special: dict[str, Callable[..., Any]] = {
        "abs": sympy.Abs,
        "step": lambda x: sympy.Piecewise((0, x < 0), (1, True)),
        "min": sympy.Min,
        "max": sympy.Max,
    }
    names = ["sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp", "log", "sqrt", "sign", "atan2"]
    return {**{name: getattr(sympy, name) for name in names}, **special}


def to_sympy(nodes: list[tuple[str, Any, list[int]]]) -> Any:
    """The last of these nodes as a sympy expression; operands precede the nodes that use them."""
    import sympy

    functions = _functions()
    made: list[Any] = []
    for kind, payload, places in nodes:
        operands = [made[place] for place in places]
        if kind == "number":
            made.append(_number(payload))
        elif kind == "pi":
            made.append(sympy.pi)
        elif kind == "symbol":
            made.append(sympy.Symbol(payload))
        elif kind == "variable":
            made.append(_variable(*payload))
        elif kind == "sum":
            made.append(sympy.Add(*operands))
        elif kind == "product":
            made.append(sympy.Mul(*operands))
        elif kind == "power":
            made.append(sympy.Pow(*operands))
        elif kind in ("if_less", "if_less_equal"):
            a, b, yes, no = operands
            made.append(sympy.Piecewise((yes, a < b if kind == "if_less" else a <= b), (no, True)))
        elif kind == "table":
            made.append(_table(*payload, *operands))
        else:
            made.append(functions[payload](*operands))
    return made[-1]


def matrix_to_sympy(matrix: Matrix) -> Any:
    """A matrix of such expressions."""
    import sympy

    return sympy.Matrix(*matrix.shape, [element.to_sympy() for element in matrix])
