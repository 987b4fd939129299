"""Model files and robots become a System."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Mapping, Sequence

from . import _core
from ._core import System

Changes = Mapping[str, object] | Sequence[str]


def _options(changes: Changes | None) -> list[str]:
    if changes is None:
        return []
    if isinstance(changes, Mapping):
        return [f"{path}={text_of_value(value)}" for path, value in changes.items()]
    if isinstance(changes, str):
        return [changes]
    return list(changes)


def text_of_value(value: object) -> str:
    """Return a value as text of YAML: numbers, also of numpy, lists, tuples, arrays, mappings; a string as it is."""
    # JSON is YAML, but an expression is text without quotes.
    return value if isinstance(value, str) else json.dumps(value, default=_plain)


def _plain(value: object) -> object:
    to_list = getattr(value, "tolist", None)
    if to_list is None:
        raise TypeError(f"a {type(value).__name__} is not a value of a model: {value!r}")
    return to_list()


def load(path: str | os.PathLike[str], set: Changes | None = None) -> System:
    """Read a model file (.yaml) or a robot (.urdf).

    set: keys of the model to override, like `--set` of the program: {"parameters.l1": 0.5,
    "bodies.rod.mass": "2*m"} or ["parameters.l1=0.5"]. InputError lists every fault with its line and column.
    """
    if os.path.splitext(path)[1] != ".urdf":
        return _core._load(path, _options(set))
    robot = _with_notes(*_core._load_urdf(path, False, "free", 1000.0, "visual"), None, True)
    # The paths for `set` are those of the model file to which the robot is converted.
    return robot if set is None else _core._loads(robot.to_yaml(), str(path), _options(set))


def loads(text: str, name: str = "model", set: Changes | None = None) -> System:
    """Read the text of a model file. `name` is its name in messages; tables are looked for in its folder."""
    return _core._loads(text, name, _options(set))


def _with_notes(system: System, texts: list[str], about_mimic: list[str], notes: list[str] | None, warn: bool) -> System:
    if notes is not None:
        notes.extend(texts)
    for text in about_mimic if warn else []:
        warnings.warn(text, stacklevel=3)
    return system


def load_urdf(
    path: str | os.PathLike[str],
    floating_base: bool = False,
    notes: list[str] | None = None,
    *,
    mimic: str | None = None,
    mimic_frequency: float = 1000.0,
    shapes: str = "visual",
) -> System:
    """Read a robot (.urdf).

    floating_base    let the base float instead of welding it to the ground
    notes            a list to which notes on what was changed, assumed or left out are appended
    mimic            how joints that mimic others are treated: "free", they move independently; "couple", they follow
                     exactly, by constraints; "weld", they are welded at their offsets; "force", springs and dampers
                     pull them into place. None: "free", with a warning that names them
    mimic_frequency  rad/s, with "force": natural frequency of a mimicking joint, critically damped; the gains are
                     parameters of the system, JOINT_mimic_stiffness and JOINT_mimic_damping
    shapes           the geometry of links that becomes shapes, which are drawn and which contacts can name: "visual" or
                     "collision"
    """
    data = _core._load_urdf(path, floating_base, mimic or "free", mimic_frequency, shapes)
    return _with_notes(*data, notes, mimic is None)


def loads_urdf(
    text: str,
    name: str = "robot.urdf",
    floating_base: bool = False,
    notes: list[str] | None = None,
    *,
    mimic: str | None = None,
    mimic_frequency: float = 1000.0,
    shapes: str = "visual",
) -> System:
    """Read a robot from a text, such as the output of another program. `name` is its name in messages; see load_urdf()."""
    data = _core._loads_urdf(text, name, floating_base, mimic or "free", mimic_frequency, shapes)
    return _with_notes(*data, notes, mimic is None)
