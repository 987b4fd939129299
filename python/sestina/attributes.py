"""Attributes of the package's own classes: a misspelt one raises and names the nearest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar


class NamedAttributes:
    """Allows only the public attributes of its class and the ones listed in `_public`."""

    _public: ClassVar[tuple[str, ...]] = ()  # of instances

    def _unknown(self, name: str) -> AttributeError:
        kind = type(self)
        if name.startswith("_"):
            return AttributeError(f"{kind.__name__!r} object has no attribute {name!r}")
        from ._core import _suggestion

        known = [*self._public, *(one for one in dir(kind) if not one.startswith("_"))]
        return AttributeError(f"{kind.__name__} has no attribute '{name}'{_suggestion(name, known)}")

    if not TYPE_CHECKING:  # whose entry would make every name known

        def __getattr__(self, name: str) -> Any:
            raise self._unknown(name)

    def __setattr__(self, name: str, value: Any) -> None:
        if not (name.startswith("_") or name in self._public or hasattr(type(self), name)):
            raise self._unknown(name)
        super().__setattr__(name, value)
