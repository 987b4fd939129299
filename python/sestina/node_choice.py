"""The nodes of a mesh that are chosen for an interface, or for their stresses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from .errors import InputError

Array = npt.NDArray[np.float64]


def nodes_of_interface(place: str, given: Any, nodes: Array) -> npt.NDArray[np.intp]:
    """The nodes of an interface."""
    chosen = _numbers_of(f"{place}.nodes", given, nodes)
    spread = np.linalg.svd(nodes[chosen] - nodes[chosen].mean(axis=0))[1] if chosen.size >= 3 else np.zeros(3)
    if chosen.size < 3 or spread[1] < 1e-9 * np.ptp(nodes, axis=0).max():
        raise InputError(f"reduce: {place} has {chosen.size} nodes; expected three or more that are not on a line")
    return chosen


def _numbers_of(place: str, given: Any, nodes: Array) -> npt.NDArray[np.intp]:
    found = np.asarray(given(nodes) if callable(given) else given)
    if found.dtype == bool:
        if found.shape != (len(nodes),):
            raise InputError(f"reduce: {place} says yes or no {found.size} times; expected {len(nodes)} times")
        found = np.flatnonzero(found)
    if found.ndim != 1 or not (np.issubdtype(found.dtype, np.integer) or found.size == 0):
        raise InputError(
            f"reduce: {place} is neither a list of numbers of nodes nor a function that chooses them"
        )
    chosen = np.unique(found.astype(np.intp))
    if chosen.size and (chosen[0] < 0 or chosen[-1] >= len(nodes)):
        raise InputError(f"reduce: {place} has {found.max()}; the nodes are 0 to {len(nodes) - 1}")
    return chosen


def stress_nodes_of(given: Any, mesh: Any, nodes: Array) -> npt.NDArray[np.intp]:
    """The nodes whose stresses are wanted."""
    if given is None or given is False:
        return np.empty(0, dtype=np.intp)
    if isinstance(mesh, Mapping):
        raise InputError("reduce: stresses needs a mesh and a material; matrices do not determine stresses")
    chosen = np.arange(len(nodes)) if given is True else _numbers_of("stresses", given, nodes)
    if not chosen.size:
        raise InputError("reduce: stresses chooses no node")
    return chosen
