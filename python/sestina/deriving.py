"""Equations of motion of a model."""

from __future__ import annotations

from . import _core
from ._core import Equations, Model, System
from .result import as_system


def derive(model: System | Model, *, method: str = "kane") -> Equations:
    """Derive the symbolic equations of motion of a model, by Kane's method or, with "lagrange", by Lagrange's.

    equations = sestina.derive(system)
    print(equations.to_text())                  # or "latex", "python", "c", "cpp", "json"
    equations.mass_matrix, equations.forcing    # matrices of sestina.symbolic
    equations.linearize(equilibrium=True).A     # about rest
    """
    return _core._derive(model if isinstance(model, Model) else as_system(model).freeze(), method)
