"""Read-only copies of an object's values. Writing to a copy would change nothing, so it raises, with a hint."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NoReturn


class FixedTuple(tuple[Any, ...]):
    """A tuple that equals the list with the same elements; the methods that change a list raise TypeError with a hint."""

    _hint: str

    def __new__(cls, values: Iterable[Any], hint: str) -> FixedTuple:
        made = super().__new__(cls, values)
        made._hint = hint
        return made

    def __eq__(self, other: object) -> bool:
        return super().__eq__(tuple(other) if isinstance(other, list) else other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = tuple.__hash__

    def __add__(self, other: Any) -> Any:
        return [*self, *other] if isinstance(other, list) else super().__add__(other)

    def __radd__(self, other: Any) -> Any:
        return [*other, *self] if isinstance(other, list) else NotImplemented

    def copy(self) -> list[Any]:
        """An independent list."""
        return list(self)

    def __reduce__(self) -> tuple[Any, ...]:
        return FixedTuple, (tuple(self), self._hint)

    def _refuse(self, *arguments: Any, **named: Any) -> NoReturn:
        raise TypeError(f"these values are a copy, which cannot be changed: {self._hint}")

    append = extend = insert = remove = pop = clear = sort = reverse = _refuse
    __setitem__ = __delitem__ = __iadd__ = __imul__ = _refuse

