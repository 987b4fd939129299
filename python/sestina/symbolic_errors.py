"""Errors that say in one line which argument is wrong. Part of sestina.symbolic.

The functions of the extension say which types they allow, but not which argument has a wrong one.
"""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from numbers import Real
from typing import Any

from . import _core

_LONGEST = 60  # characters of a value that is shown
_IS_ZERO = re.compile(r"^(Vector|Dyadic) \| float$")  # where the number has to be 0
_REFUSED = "incompatible function arguments"


def _is_of(value: object, allowed: str) -> bool:
    """Whether the value has one of the types of an annotation; unknown annotations count as matching."""
    if re.search(r"\[|\.Any|object", allowed):
        return True
    for word in (part.strip() for part in allowed.split("|")):
        known = getattr(_core, word, None)
        if word == "None" and value is None:
            return True
        if word in ("float", "int") and isinstance(value, Real) and not isinstance(value, bool):
            return value == 0 or not _IS_ZERO.match(allowed)
        if word in ("str", "bool") and type(value).__name__ == word:
            return True
        if isinstance(known, type) and isinstance(value, known):
            return True
    return False


def _signature(line: str) -> list[tuple[str, str]]:
    """Names and annotations of the arguments in "def set_vel(self, frame: ReferenceFrame, ...) -> None"."""
    inner = line.replace("sestina._core.", "")
    inner = inner[inner.index("(") + 1 : inner.rindex(") ->")]
    depth, start, parts = 0, 0, []
    for at, letter in enumerate(inner + ","):
        depth += {"[": 1, "(": 1, "]": -1, ")": -1}.get(letter, 0)
        if letter == "," and depth == 0:
            parts.append(inner[start:at].strip())
            start = at + 1
    pairs = (part.split("=")[0].partition(":") for part in parts if part not in ("self", "/", "*", ""))
    return [(name.strip(), allowed.strip()) for name, _, allowed in pairs]


def _readable(allowed: str) -> str:
    """An annotation for messages: where a number may replace a vector, only 0 is allowed."""
    zero = _IS_ZERO.sub(r"\1 or 0", allowed)
    return zero.replace("float", "number").replace(" | ", " or ")


def _explain(name: str, function: Any, arguments: tuple[Any, ...], named: Mapping[str, Any]) -> str:
    lines = [data[0] for data in function.__nb_signature__]
    places = _signature(lines[0])
    given = list(zip([place[0] for place in places], arguments)) + list(named.items())
    for argument, value in given:
        allowed = [annotation for line in lines for other, annotation in _signature(line) if other == argument]
        if allowed and not any(_is_of(value, annotation) for annotation in allowed):
            text = repr(value)
            text = text if len(text) <= _LONGEST else text[:_LONGEST] + "..."
            options = " or ".join(dict.fromkeys(_readable(annotation) for annotation in allowed))
            return f"{name}: {argument} is {text} ({type(value).__name__}); allowed is {options}"
    return f"{name} takes ({', '.join(place[0] for place in places)}), not the {len(arguments) + len(named)} arguments given"


def explained(name: str, function: Any, is_method: bool) -> Callable[..., Any]:
    """The same function, with errors that name the argument."""

    @functools.wraps(function)
    def call(*arguments: Any, **named: Any) -> Any:
        try:
            return function(*arguments, **named)
        except TypeError as error:
            if _REFUSED not in str(error):
                raise
            message = _explain(name, function, arguments[1:] if is_method else arguments, named)
        raise TypeError(message)

    return call


def explain_methods(classes: Iterable[type]) -> None:
    """Apply explained() to the named methods of these classes; operators report errors as Python's do."""
    for one in classes:
        for name, method in list(vars(one).items()):
            if not name.startswith("_") and hasattr(method, "__nb_signature__") and not inspect.isdatadescriptor(method):
                setattr(one, name, explained(f"{one.__name__.lstrip('_')}.{name}", method, is_method=True))
