"""Arrays that objects hand out as copies, like the tuples of fixed.py; a separate module because it imports numpy."""

from __future__ import annotations

from typing import Any

import numpy as np


class FixedArray(np.ndarray[Any, np.dtype[np.float64]]):
    """A read-only copy of an object's numbers; writing raises ValueError with a hint.

    Results of arithmetic, and copy(), are ordinary arrays.
    """

    _hint = ""

    def __array_finalize__(self, source: Any) -> None:
        if isinstance(source, FixedArray):
            self._hint = source._hint

    def _check(self) -> None:
        if not self.flags.writeable:
            raise ValueError(f"these numbers are a copy, which cannot be changed: {self._hint}")

    def __setitem__(self, index: Any, value: Any) -> None:
        self._check()
        super().__setitem__(index, value)

    def fill(self, value: Any) -> None:
        self._check()
        super().fill(value)

    def sort(self, *arguments: Any, **named: Any) -> None:
        self._check()
        super().sort(*arguments, **named)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, out: tuple[Any, ...] = (), **named: Any) -> Any:
        for one in out:
            if isinstance(one, FixedArray):
                one._check()
        if out:
            named["out"] = tuple(_plain(one) for one in out)
        return getattr(ufunc, method)(*map(_plain, inputs), **named)

    def copy(self, order: Any = "C") -> Any:
        return np.array(_plain(self), order=order)

    __copy__ = copy

    def __deepcopy__(self, memo: Any, /) -> Any:
        return self.copy()

    def __reduce_ex__(self, protocol: Any) -> Any:
        return _plain(self).__reduce_ex__(protocol)

    def __repr__(self) -> str:
        return repr(_plain(self))


def _plain(value: Any) -> Any:
    """The same memory as an ordinary array; any other value unchanged."""
    return value.view(np.ndarray) if isinstance(value, FixedArray) else value
