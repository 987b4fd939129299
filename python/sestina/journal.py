"""A file with a line for each generation of an optimisation, from which an interrupted one resumes."""

from __future__ import annotations

import json
import os
import pathlib
from typing import TYPE_CHECKING, Any

from .errors import InputError

if TYPE_CHECKING:
    import io


class Journal:
    """The first line identifies the optimisation. Each line is on the disk before the next generation begins.

    A line cut short by a kill is removed. The state of the optimiser is not stored: its points follow from the costs that
    it was given, so on resuming it requests the same points and gets the recorded costs, until the lines end.
    """

    def __init__(self, path: str | os.PathLike[str] | None, head: dict[str, Any], resume: bool) -> None:
        self._path = None if path is None else pathlib.Path(path)
        self._lines: list[dict[str, Any]] = []
        self._next = 0
        self._file: io.BufferedWriter | None = None
        if self._path is None:
            if resume:
                raise InputError("resume: there is no `state`, the file of what was done")
            return
        if self._path.exists() and not resume:
            raise InputError(f"state: {self._path} exists; resume=True continues from it")
        if self._path.exists():
            self._read(self._path, head)
        self._file = self._path.open("ab")
        if self._file.tell() == 0:
            self._write(head)

    def _read(self, path: pathlib.Path, head: dict[str, Any]) -> None:
        data = path.read_bytes()
        whole = data[: data.rfind(b"\n") + 1]
        try:
            lines = [json.loads(line) for line in whole.splitlines()]
        except ValueError:
            raise InputError(f"state: {path} is not a file of an optimisation") from None
        is_cut_short = not lines and (json.dumps(head).encode() + b"\n").startswith(data)
        if not is_cut_short and (not lines or not isinstance(lines[0], dict) or "optimisation" not in lines[0]):
            raise InputError(f"state: {path} is not a file of an optimisation")
        for key, value in head.items():
            current = json.loads(json.dumps(value))
            if lines and lines[0].get(key) != current:
                raise InputError(f"state: {path} is of another optimisation: {key} was {lines[0].get(key)!r} and is {current!r}")
        if len(whole) < len(data):
            with path.open("r+b") as file:
                file.truncate(len(whole))
        self._lines = lines[1:]

    def _write(self, line: dict[str, Any]) -> None:
        if self._file is not None:
            self._file.write(json.dumps(line).encode() + b"\n")
            self._file.flush()
            os.fsync(self._file.fileno())

    def recall(self, asked: list[list[float]]) -> tuple[list[float], list[str]] | None:
        """The recorded costs of the points, and the reasons of runs that failed; None after the last line."""
        if self._next == len(self._lines):
            return None
        line = self._lines[self._next]
        self._next += 1
        if line["x"] != asked:
            raise InputError(
                f"state: {self._path}, generation {self._next}: the optimiser proposes other members than before; "
                "it or its library has changed"
            )
        return [float("inf") if cost is None else cost for cost in line["cost"]], line["reasons"]

    def append(self, asked: list[list[float]], costs: list[float], reasons: list[str]) -> None:
        """Write a generation; returns when it is on the disk."""
        self._write({"x": asked, "cost": [None if cost == float("inf") else cost for cost in costs], "reasons": reasons})

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()
