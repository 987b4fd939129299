"""Names of sympy outside of its mechanics module. Part of sestina.symbolic."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any, NamedTuple, Union

from . import _core
from ._core import Expression, Matrix, if_less
from .errors import InputError

_Number = Union[Expression, float]


class Relation(NamedTuple):
    """A comparison of expressions, such as x < y: a condition of Piecewise."""

    left: Expression
    relation: str
    right: Expression

    def __bool__(self) -> bool:
        if not (self.left.is_number and self.right.is_number):
            raise TypeError(f"{self} is neither true nor false as long as it holds symbols; conditions are for Piecewise")
        a, b = float(self.left), float(self.right)
        return {"<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}[self.relation]

    def __str__(self) -> str:
        return f"{self.left} {self.relation} {self.right}"

    def choose(self, yes: _Number, no: _Number) -> Expression:
        """One value if the condition holds, the other if not."""
        if self.relation == "<":
            return if_less(self.left, self.right, yes, no)
        if self.relation == ">":
            return if_less(self.right, self.left, yes, no)
        if self.relation == "<=":
            return if_less(self.right, self.left, no, yes)
        return if_less(self.left, self.right, no, yes)


def Piecewise(*pieces: tuple[_Number, Relation | bool]) -> Expression:
    """The value of the first pair (value, condition) whose condition holds; the last condition must be True.

    Conditions are comparisons: Piecewise((0, x < 0), (x**2, True)).
    """
    if not pieces or pieces[-1][1] is not True:
        raise InputError("Piecewise: the condition of the last pair has to be True, so that there is a value everywhere")
    result = Expression(pieces[-1][0])
    for value, condition in reversed(pieces[:-1]):
        if isinstance(condition, bool):
            result = Expression(value) if condition else result
        elif isinstance(condition, Relation):
            result = condition.choose(value, result)
        else:
            raise InputError(f"Piecewise: {condition!r} is not a condition; allowed are comparisons such as x < y, and True")
    return result


def _of_many(name: str, function: Any, numbers: tuple[Any, ...]) -> Expression:
    if not numbers:
        raise InputError(f"{name}: there is nothing of which it could be one")
    result = Expression(numbers[0])
    for number in numbers[1:]:
        result = function(result, number)
    return result


def Max(*numbers: _Number) -> Expression:
    """The largest one."""
    return _of_many("Max", _core.Max, numbers)


def Min(*numbers: _Number) -> Expression:
    """The smallest one."""
    return _of_many("Min", _core.Min, numbers)


def Rational(numerator: Any, denominator: int = 1) -> Expression:
    """A fraction: Rational(1, 3), Rational("1/3"), Rational("0.125")."""
    try:
        exact = Fraction(numerator) / Fraction(denominator)
    except (ValueError, TypeError, ZeroDivisionError) as error:
        raise InputError(f"Rational: {numerator!r} over {denominator!r}: {error}") from None
    return Expression(exact.numerator) / exact.denominator


def Integer(number: int) -> Expression:
    """A whole number: Integer(1)/3 is a fraction."""
    return Expression(int(number))


def S(number: Any) -> Expression:
    """A number as an expression, S(1)/3, or a text parsed as one."""
    if isinstance(number, str):
        return _core._parse(number.replace("**", "^"))
    return Expression(number)


def zeros(rows: int, cols: int | None = None) -> Matrix:
    """A matrix of zeros."""
    return Matrix([[0] * (rows if cols is None else cols) for _ in range(rows)])


def ones(rows: int, cols: int | None = None) -> Matrix:
    """A matrix of ones."""
    return Matrix([[1] * (rows if cols is None else cols) for _ in range(rows)])


def eye(size: int) -> Matrix:
    """The identity matrix."""
    return Matrix([[1 if i == j else 0 for j in range(size)] for i in range(size)])


def diag(*blocks: Matrix | _Number) -> Matrix:
    """A matrix of these numbers or matrices along its diagonal."""
    parts = [block if isinstance(block, Matrix) else Matrix([block]) for block in blocks]
    width = sum(part.cols for part in parts)
    rows: list[Sequence[Any]] = []
    before = 0
    for part in parts:
        rows += [[0] * before + row + [0] * (width - before - part.cols) for row in part.tolist()]
        before += part.cols
    return Matrix(rows)


def Derivative(expression: Expression, *by: Expression | int) -> Expression:
    """The same as expression.diff(...): always carried out."""
    return expression.diff(*by)


class Function:
    """A function of time by name, as in sympy: Function("q")(t) is dynamicsymbols("q")."""

    def __init__(self, name: str, **assumptions: Any) -> None:
        check_assumptions(assumptions)
        self.name = name

    def __call__(self, argument: Expression) -> Expression:
        if argument != _core._time():
            raise InputError(f"{self.name}({argument}): functions are of time alone here; allowed is {self.name}(t)")
        return _core._dynamicsymbol(self.name, 0)

    def __repr__(self) -> str:
        return self.name


def solve(equations: Any, unknowns: Any) -> dict[Expression, Expression]:
    """Solve linear equations, given as expressions that vanish, for as many symbols: {symbol: solution}."""
    expressions = [equations] if isinstance(equations, Expression) else list(equations)
    symbols = [unknowns] if isinstance(unknowns, Expression) else list(unknowns)
    if len(expressions) != len(symbols):
        raise InputError(f"solve: {len(expressions)} equations for {len(symbols)} unknowns; allowed are as many")
    column = Matrix(expressions)
    factors = column.jacobian(symbols)
    for i, equation in enumerate(expressions):
        for j, symbol in enumerate(symbols):
            if any(not factors[i, j].diff(other).equals(0) for other in symbols):
                raise InputError(f"solve: {equation} = 0 is not linear in {symbol}; find_equilibrium solves with numbers")
    solution = _core._solve_for(factors, -column.subs({symbol: 0 for symbol in symbols}), symbols)
    return dict(zip(symbols, solution, strict=True))


# --- Symbols ---


def _letters(first: str, last: str) -> list[str]:
    return [chr(code) for code in range(ord(first), ord(last) + 1)]


def names_of(names: str | Iterable[str]) -> list[str]:
    """The names in "m l", "m, l", "q:3" (q0 q1 q2), "q1:4" (q1 q2 q3) and "x:z" (x y z)."""
    parts = re.split(r"[\s,]+", names.strip(" ,\t\n")) if isinstance(names, str) else list(names)
    found: list[str] = []
    for part in parts:
        numbered = re.fullmatch(r"(.*?)(\d*):(\d+)", part)
        lettered = re.fullmatch(r"(.*?)([A-Za-z]):([A-Za-z])", part)
        if numbered is not None:
            stem, first, end = numbered.groups()
            found += [f"{stem}{i}" for i in range(int(first or 0), int(end))]
        elif lettered is not None:
            stem, letter, last = lettered.groups()
            found += [stem + one for one in _letters(letter, last)]
        elif ":" in part:
            raise InputError(f"symbols: {part!r} is not a range of names; allowed are such as q:3, q1:4 and x:z")
        else:
            found.append(part)
    return found


def is_one(names: str | Iterable[str]) -> bool:
    """Whether a text is a single name, which gives one symbol instead of a sequence."""
    return isinstance(names, str) and not re.search(r"[\s,:]", names.strip())


_ASSUMPTIONS = {"real", "finite", "positive", "negative", "nonnegative", "nonpositive", "nonzero", "integer", "constant"}


def check_assumptions(assumptions: dict[str, Any]) -> None:
    """Refuse assumptions other than real numbers, which symbols are here, and restrictions of these."""
    for name, value in assumptions.items():
        if name == "cls":
            raise InputError("symbols: cls is not known here; there are no functions of other things than time")
        denied = name in ("real", "finite") and value is False
        if denied or (name not in _ASSUMPTIONS and not (name in ("commutative", "complex", "extended_real") and value)):
            raise InputError(
                f"symbols: {name}={value!r}; symbols are finite real numbers, allowed are {', '.join(sorted(_ASSUMPTIONS))}"
            )
