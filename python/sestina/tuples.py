"""Named tuples that functions of a Model return."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    Array = npt.NDArray[np.float64]


class Kinematics(NamedTuple):
    """Positions, rotations and velocities of all bodies' frames, the ground first, in ground axes."""

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
    """Momentum of the whole system, ground axes."""

    linear: Array  #: (..., 3) kg m/s
    angular: Array  #: (..., 3) kg m^2/s, about the ground's origin


class DrivingForces(NamedTuple):
    """Forces that a motion requires of drives and of conditions."""

    forces: Array  #: (..., drives) N m or N, along the speeds of the drives
    multipliers: Array  #: (..., conditions) of loops and constraints, in the order of Model.condition_names
    tau: Array  #: (..., nu) the generalised forces of the drives


class ForwardDerivatives(NamedTuple):
    """Derivatives of udot; those by q are along the tangent of Model.plus, in nu directions."""

    by_q: Array  #: (..., nu, nu)
    by_u: Array  #: (..., nu, nu)
    by_tau: Array  #: (..., nu, nu), the inverse of the mass matrix


class InverseDerivatives(NamedTuple):
    """Derivatives of the generalised forces of inverse dynamics; those by q are along the tangent of Model.plus."""

    by_q: Array  #: (..., nu, nu)
    by_u: Array  #: (..., nu, nu)
    by_udot: Array  #: (..., nu, nu), the mass matrix


class Equilibrium(NamedTuple):
    """A state of rest."""

    q: Array  #: (nq)
    multipliers: Array  #: (conditions) of loops and constraints; least norm if redundant
    is_stable: bool  #: whether no direction has negative stiffness; with states, whether no motion nearby grows
    x: Array  #: (nx) states with a rate; those whose rate vanishes at rest for any value keep it


class LinearMotion(NamedTuple):
    """d/dt y = A y + B w, y = [dq; du; dx], dq along the tangent of Model.plus, x the states with a rate.

    n = 2 nu + nx. w are changes of the named inputs or, without inputs, further forces along the speeds (nu).
    """

    A: Array  #: (n, n)
    B: Array  #: (n, nu) or (n, inputs)
    basis: Array  #: (n, k) orthonormal: the deviations that loops and constraints allow
    C: Array | None = None  #: (outputs, n), where outputs were named: C y + D w
    D: Array | None = None  #: (outputs, inputs)

    @property
    def eigenvalues(self) -> Array:
        """(k) Eigenvalues of A on the deviations that constraints allow, 1/s; complex."""
        return np.asarray(np.linalg.eigvals(self.basis.T @ self.A @ self.basis))


class ContactStep(NamedTuple):
    """The end of a step with smoothed contacts, and its derivatives.

    Rows: displacements of q along Model.plus (nu), then changes of u (nu). Columns: displacements of the q before,
    changes of the u before, tau, and the parameters.
    """

    q: Array  #: (nq) at the end
    u: Array  #: (nu) at the end
    by_q: Array  #: (2 nu, nu)
    by_u: Array  #: (2 nu, nu)
    by_tau: Array  #: (2 nu, nu)
    by_parameters: Array  #: (2 nu, parameters)


class Modes(NamedTuple):
    """Small oscillations exp(eigenvalue t) about a state; a complex pair is represented by the one with Im > 0."""

    eigenvalues: Array  #: (k) 1/s, complex
    shapes: Array  #: (k, nu) complex: deviations of the coordinates along Model.plus, the largest of each is 1
    states: Array  #: (k, nx) complex: of the states with a rate; where nothing moves, the largest of them is 1

    @property
    def frequencies(self) -> Array:
        """(k) Hz"""
        return np.asarray(abs(self.eigenvalues.imag) / (2 * np.pi))

    @property
    def damping_ratios(self) -> Array:
        """(k) -real / magnitude; 0 where the eigenvalue is 0."""
        size = abs(self.eigenvalues)
        return np.asarray(-self.eigenvalues.real / np.where(size > 0, size, 1.0) + 0.0)
