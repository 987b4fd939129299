"""Live lists and mappings of a description: changing them changes the description.

A view stores no values. Each access reads the field that it stands for; each change reads the field, changes the copy
and writes the whole back, which checks it: a refused value leaves the description unchanged.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping, MutableSequence
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, overload

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

T = TypeVar("T")
R = TypeVar("R")


class Source(Protocol):
    """The field of a description, or element of one, that a view reads and writes."""

    def read(self) -> Any:
        """The values, as independent lists, dictionaries, numbers and text."""

    def write(self, value: object) -> None:
        """Replace all of it."""

    def get(self, key: Any) -> Any:
        """One element."""

    def set(self, key: Any, value: object) -> None:
        """Replace one element."""

    def remove(self, key: Any) -> None:
        """Remove one element."""


class Element:
    """An element of a view that is itself a list or a mapping, such as a point or a shape."""

    __slots__ = ("_key", "_length", "_source")

    def __init__(self, source: Source, key: Any, length: int | None) -> None:
        self._source = source
        self._key = key
        self._length = length  # of the list that it is an element of

    def read(self) -> Any:
        if self._length is not None and len(self._source.read()) != self._length:
            raise IndexError(f"{self}: the list has another length than when this element was taken; get it again")
        try:
            return self._source.get(self._key)
        except KeyError:
            raise KeyError(f"{self}: no longer exists") from None

    def write(self, value: object) -> None:
        self.read()
        self._source.set(self._key, value)

    def get(self, key: Any) -> Any:
        return self.read()[key]

    def set(self, key: Any, value: object) -> None:
        whole = self.read()
        whole[key] = value
        self.write(whole)

    def remove(self, key: Any) -> None:
        whole = self.read()
        del whole[key]
        self.write(whole)

    def __str__(self) -> str:
        return f"{self._source}[{self._key}]" if isinstance(self._key, int) else f"{self._source}.{self._key}"


def _element(source: Source, key: Any, value: Any, length: int | None = None) -> Any:
    """An element as users see it: a view if it is a list or a mapping."""
    if isinstance(value, list):
        return ListView(Element(source, key, length))
    if isinstance(value, dict):
        return MapView(Element(source, key, length))
    return value


def _plain(value: Any) -> Any:
    """The same without views."""
    if isinstance(value, (ListView, MapView)):
        return value.copy()
    if isinstance(value, (list, tuple)):
        return [_plain(one) for one in value]
    if isinstance(value, Mapping):
        return {key: _plain(one) for key, one in value.items()}
    return value


class ListView(MutableSequence[T]):
    """A list that is a field of a description. It has the methods of a list; `copy()` returns an independent list."""

    __slots__ = ("_source",)

    def __init__(self, source: Source) -> None:
        self._source = source

    def _read(self) -> list[Any]:
        values = self._source.read()
        if not isinstance(values, list):
            raise TypeError(f"{self._source}: is no longer a list; get it again")
        return values

    def _edit(self, change: Callable[[list[Any]], R]) -> R:
        values = self._read()
        result = change(values)
        self._source.write(values)
        return result

    def __len__(self) -> int:
        return len(self._read())

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> list[T]: ...
    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return list(self)[index]
        values = self._read()
        place = range(len(values))[operator.index(index)]
        return _element(self._source, place, values[place], len(values))

    def __iter__(self) -> Iterator[T]:
        values = self._read()
        for place, value in enumerate(values):
            yield _element(self._source, place, value, len(values))

    @overload
    def __setitem__(self, index: int, value: T) -> None: ...
    @overload
    def __setitem__(self, index: slice, value: Iterable[T]) -> None: ...
    def __setitem__(self, index: Any, value: Any) -> None:
        given = [_plain(one) for one in value] if isinstance(index, slice) else _plain(value)
        self._edit(lambda values: operator.setitem(values, index, given))

    def __delitem__(self, index: int | slice) -> None:
        self._edit(lambda values: operator.delitem(values, index))

    def insert(self, index: int, value: T) -> None:
        self._edit(lambda values: values.insert(index, _plain(value)))

    def append(self, value: T) -> None:
        self._edit(lambda values: values.append(_plain(value)))

    def extend(self, values: Iterable[T]) -> None:
        given = [_plain(one) for one in values]
        self._edit(lambda whole: whole.extend(given))

    def pop(self, index: int = -1) -> T:
        return self._edit(lambda values: values.pop(index))  # type: ignore[no-any-return]

    def remove(self, value: T) -> None:
        self._edit(lambda values: values.remove(_plain(value)))

    def clear(self) -> None:
        self._edit(lambda values: values.clear())

    def reverse(self) -> None:
        self._edit(lambda values: values.reverse())

    def sort(self, *, key: Callable[[Any], Any] | None = None, reverse: bool = False) -> None:
        self._edit(lambda values: values.sort(key=key, reverse=reverse))

    def copy(self) -> list[T]:
        """An independent list."""
        return self._read()

    def __add__(self, other: Iterable[T]) -> list[T]:
        return [*self.copy(), *other] if isinstance(other, (list, tuple, ListView)) else NotImplemented

    def __radd__(self, other: Iterable[T]) -> list[T]:
        return [*other, *self.copy()] if isinstance(other, (list, tuple)) else NotImplemented

    def __mul__(self, count: int) -> list[T]:
        return self.copy() * count

    __rmul__ = __mul__

    def __eq__(self, other: object) -> bool:
        return bool(self.copy() == _plain(other)) if isinstance(other, (list, tuple, ListView)) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(self.copy())

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        import numpy as np

        if copy is False:
            raise ValueError(f"{self._source}: cannot be an array without a copy")
        return np.array(self.copy(), dtype=dtype)

    def __copy__(self) -> list[T]:
        return self.copy()

    def __deepcopy__(self, memo: dict[int, Any]) -> list[T]:
        import copy

        return copy.deepcopy(self.copy(), memo)

    def __reduce__(self) -> tuple[Any, ...]:
        return list, (self.copy(),)


class MapView(MutableMapping[str, T]):
    """A mapping that is a field of a description. It has the methods of a dict; `copy()` returns an independent dict."""

    __slots__ = ("_source",)

    def __init__(self, source: Source) -> None:
        self._source = source

    def _read(self) -> dict[str, Any]:
        values = self._source.read()
        if not isinstance(values, dict):
            raise TypeError(f"{self._source}: is no longer a mapping; get it again")
        return values

    def _missing(self, key: object) -> KeyError:
        from ._core import _suggestion

        return KeyError(f"{self._source}: there is no {key!r}{_suggestion(str(key), list(self._read()))}")

    def __len__(self) -> int:
        return len(self._read())

    def __iter__(self) -> Iterator[str]:
        return iter(self._read())

    def __contains__(self, key: object) -> bool:
        try:
            self._source.get(key)
        except KeyError:
            return False
        return True

    def __getitem__(self, key: str) -> T:
        try:
            value = self._source.get(key)
        except KeyError:
            raise self._missing(key) from None
        return _element(self._source, key, value)  # type: ignore[no-any-return]

    def __setitem__(self, key: str, value: T) -> None:
        self._source.set(key, _plain(value))

    def __delitem__(self, key: str) -> None:
        try:
            self._source.remove(key)
        except KeyError:
            raise self._missing(key) from None

    def update(self, *others: Any, **named: Any) -> None:
        """Update all keys at once, because some values are only allowed together."""
        whole = self._read()
        whole.update(*others, **named)
        self._source.write(_plain(whole))

    def clear(self) -> None:
        self._source.write({})

    def copy(self) -> dict[str, T]:
        """An independent dictionary."""
        return self._read()

    def __or__(self, other: Mapping[str, Any]) -> dict[str, Any]:
        return {**self.copy(), **other} if isinstance(other, Mapping) else NotImplemented

    def __ror__(self, other: Mapping[str, Any]) -> dict[str, Any]:
        return {**other, **self.copy()} if isinstance(other, Mapping) else NotImplemented

    def __ior__(self, other: Mapping[str, Any]) -> MapView[T]:
        self.update(other)
        return self

    def __eq__(self, other: object) -> bool:
        return bool(self.copy() == _plain(other)) if isinstance(other, Mapping) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(self.copy())

    def __copy__(self) -> dict[str, T]:
        return self.copy()

    def __deepcopy__(self, memo: dict[int, Any]) -> dict[str, T]:
        import copy

        return copy.deepcopy(self.copy(), memo)

    def __reduce__(self) -> tuple[Any, ...]:
        return dict, (self.copy(),)
