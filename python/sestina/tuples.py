"""What functions of a Model return that has several parts."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Array = npt.NDArray[np.float64]


class Kinematics(NamedTuple):
    """Of all bodies, the ground first: of their own frames, in ground axes."""

    position: Array  #: (..., bodies, 3) m, of the origin
    rotation: Array  #: (..., bodies, 3, 3) takes components in body axes to ground axes
    velocity: Array  #: (..., bodies, 3) m/s, of the origin
    angular_velocity: Array  #: (..., bodies, 3) rad/s


class Energy(NamedTuple):
    """J. The potential energy is zero with all mass at the ground's origin and all springs at rest."""

    kinetic: Array  #: (...)
    potential: Array  #: (...)

    @property
    def total(self) -> Array:
        """(...) kinetic + potential"""
        return self.kinetic + self.potential


class Momentum(NamedTuple):
    """Of the whole system, ground axes."""

    linear: Array  #: (..., 3) kg m/s
    angular: Array  #: (..., 3) kg m^2/s, about the ground's origin


class ForwardDerivatives(NamedTuple):
    """Of udot: along the tangent of Model.plus, and so with nu directions of q."""

    by_q: Array  #: (..., nu, nu)
    by_u: Array  #: (..., nu, nu)
    by_tau: Array  #: (..., nu, nu), the inverse of the mass matrix


class InverseDerivatives(NamedTuple):
    """Of the generalised forces of inverse dynamics: along the tangent of Model.plus."""

    by_q: Array  #: (..., nu, nu)
    by_u: Array  #: (..., nu, nu)
    by_udot: Array  #: (..., nu, nu), the mass matrix
