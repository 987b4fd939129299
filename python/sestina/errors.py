"""The exceptions of the package."""

from __future__ import annotations

from typing import Any


class Error(Exception):
    """The base class of all errors of Sestina."""

    __module__ = "sestina"


class InputError(Error, ValueError):
    """The input is bad: a description, a file or an argument.

    Its text has a line for each fault, in the order of the file: the place, the value given and what is
    allowed. `faults` has the same as pairs (place, message).
    """

    __module__ = "sestina"
    faults: list[tuple[str, str]]

    def __init__(self, message: str, faults: list[tuple[str, str]] | None = None) -> None:
        super().__init__(message)
        self.faults = [("", message)] if faults is None else faults


class ComputationError(Error, ArithmeticError):
    """The computation failed: a singular mass matrix, a step below the smallest, a force that is not finite.

    `time` is the simulated time (s), `reason` the message without the time, `result` the rows computed until
    then, for a simulation or an ensemble.
    """

    __module__ = "sestina"
    time: float
    reason: str
    result: Any

    def __init__(self, message: str, time: float = 0.0, reason: str | None = None, result: Any = None) -> None:
        super().__init__(message)
        self.time = time
        self.reason = message if reason is None else reason
        self.result = result
