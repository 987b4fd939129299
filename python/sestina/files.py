"""Model files and robots become a System."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence

from . import _core
from ._core import System

Changes = Mapping[str, object] | Sequence[str]


def _options(changes: Changes | None) -> list[str]:
    if changes is None:
        return []
    if isinstance(changes, Mapping):
        # JSON is YAML, but an expression is text without quotes.
        return [f"{path}={value if isinstance(value, str) else json.dumps(value)}" for path, value in changes.items()]
    if isinstance(changes, str):
        return [changes]
    return list(changes)


def load(path: str | os.PathLike[str], set: Changes | None = None) -> System:
    """Read a model file (.yaml) or a robot (.urdf).

    set: keys of the model that take other values, as `--set` of the program: {"parameters.l1": 0.5,
    "bodies.rod.mass": "2*m"} or ["parameters.l1=0.5"]. InputError has every fault with its line and column.
    """
    return _core._load(path, _options(set))


def loads(text: str, name: str = "model", set: Changes | None = None) -> System:
    """Read the text of a model file. `name` is what messages call it; tables are looked for in its folder."""
    return _core._loads(text, name, _options(set))


def load_urdf(path: str | os.PathLike[str], floating_base: bool = False, notes: list[str] | None = None) -> System:
    """Read a robot (.urdf).

    floating_base: let the base float instead of welding it to the ground. What the import changed, assumed or
    left out is appended to `notes`.
    """
    system, texts = _core._load_urdf(path, floating_base)
    if notes is not None:
        notes.extend(texts)
    return system


def loads_urdf(
    text: str, name: str = "robot.urdf", floating_base: bool = False, notes: list[str] | None = None
) -> System:
    """Read the text of a robot, such as another program makes. `name` is what messages call it; see load_urdf()."""
    system, texts = _core._loads_urdf(text, name, floating_base)
    if notes is not None:
        notes.extend(texts)
    return system
