"""Kane's and Lagrange's method. Part of sestina.symbolic."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple, Union, overload

from . import _core
from ._core import Expression, Matrix, Particle, Point, ReferenceFrame, RigidBody, Vector
from .attributes import NamedAttributes
from .errors import InputError
from .fixed import FixedTuple

_FIXED = "kanes_equations(bodies, loads) takes others"

Body = Union[Particle, RigidBody]
#: A point with a force (N), or a frame with a torque (N m).
Load = Union["Force", "Torque", tuple[Point, Vector], tuple[ReferenceFrame, Vector]]
Replacements = Mapping[Expression, Union[Expression, float]]
#: A state, in one dictionary or several.
OperatingPoint = Union[Replacements, Sequence[Replacements], None]


class Force(NamedTuple):
    """A force (N) at a point."""

    point: Point
    force: Vector


class Torque(NamedTuple):
    """A torque (N m) on a frame."""

    frame: ReferenceFrame
    torque: Vector


class Linearization(NamedTuple):
    """d/dt x = A x + B r for small deviations x of independent coordinates and speeds, r of inputs.

    The deviations of all coordinates are C0 dq_i + D0 dr, those of all speeds C1 dq_i + C2 du_i + D1 dr.
    """

    A: Matrix
    B: Matrix
    inputs: list[Expression]
    states: list[Expression]
    C0: Matrix
    C1: Matrix
    C2: Matrix
    D0: Matrix
    D1: Matrix


def _expressions(name: str, given: object) -> list[Expression | float]:
    """The elements of a list, tuple or matrix of expressions; nothing for None."""
    if given is None:
        return []
    if isinstance(given, Expression) or not isinstance(given, Iterable) or isinstance(given, (str, Mapping)):
        raise TypeError(f"{name}: {given!r} is not a list of expressions")
    elements = list(given)
    for i, one in enumerate(elements):
        if not isinstance(one, (Expression, int, float)):
            raise TypeError(f"{name}[{i}] is {one!r} ({type(one).__name__}); allowed is an expression")
    return elements


def _are_bodies(given: object) -> bool:
    return isinstance(given, Iterable) and any(isinstance(one, (Particle, RigidBody)) for one in given)


class KanesMethod(NamedAttributes):
    """Kane's method: equations of motion from partial velocities.

    frame                      inertial
    q_ind, u_ind               independent coordinates and speeds
    kd_eqs                     expressions that vanish, linear in the rates of all coordinates
    q_dependent, configuration_constraints    equal in number; the constraints are expressions that vanish
    u_dependent, velocity_constraints         the same, linear in the speeds
    acceleration_constraints   rates of the velocity constraints, if they are to be written differently
    u_auxiliary                speeds that are zero, to find forces that do no work
    bodies, forcelist          may be given to kanes_equations() instead

    kd_eqs_solver and constraint_solver exist for sympy programs and have no effect.
    """

    def __init__(
        self,
        frame: ReferenceFrame,
        q_ind: Sequence[Expression],
        u_ind: Sequence[Expression],
        kd_eqs: Sequence[Expression] | None = None,
        q_dependent: Sequence[Expression] | None = None,
        configuration_constraints: Sequence[Expression] | None = None,
        u_dependent: Sequence[Expression] | None = None,
        velocity_constraints: Sequence[Expression] | None = None,
        acceleration_constraints: Sequence[Expression] | None = None,
        u_auxiliary: Sequence[Expression] | None = None,
        bodies: Iterable[Body] | None = None,
        forcelist: Iterable[Load] | None = None,
        explicit_kinematics: bool = True,
        kd_eqs_solver: object = None,
        constraint_solver: object = None,
    ) -> None:
        del kd_eqs_solver, constraint_solver  # of sympy; here Cramer's rule is all that is needed
        lists = {
            "q_ind": q_ind,
            "u_ind": u_ind,
            "kd_eqs": kd_eqs,
            "q_dependent": q_dependent,
            "configuration_constraints": configuration_constraints,
            "u_dependent": u_dependent,
            "velocity_constraints": velocity_constraints,
            "acceleration_constraints": acceleration_constraints,
            "u_auxiliary": u_auxiliary,
        }
        if not isinstance(frame, ReferenceFrame):
            raise TypeError(f"frame is {frame!r} ({type(frame).__name__}); allowed is a ReferenceFrame")
        self._frame = frame
        self._lists = [_expressions(name, one) for name, one in lists.items()]
        self._explicit_kinematics = explicit_kinematics
        self._bodies = list(bodies) if bodies is not None else None
        self._loads = list(forcelist) if forcelist is not None else []
        self._kane: _core._Kane | None = None

    def kanes_equations(
        self, bodies: Iterable[Any] | None = None, loads: Iterable[Any] | None = None
    ) -> tuple[Matrix, Matrix]:
        """Form the equations: F_r and F*_r, whose sum vanishes.

        loads: pairs of a point and a force, or of a frame and a torque. Bodies and loads may be swapped, as in early
        versions of sympy.physics.mechanics.
        """
        given = [list(one) if one is not None else None for one in (bodies, loads)]
        if _are_bodies(given[1]) and not _are_bodies(given[0]):
            given.reverse()
        self._bodies = given[0] if given[0] is not None else self._bodies
        self._loads = given[1] if given[1] is not None else self._loads
        if not self._bodies:
            raise InputError("bodies: there are none, whose equations of motion these would be")
        self._kane = _core._Kane(self._frame, self._lists, self._explicit_kinematics, self._bodies, self._loads)
        return self._kane.fr, self._kane.frstar

    def _formed(self) -> _core._Kane:
        if self._kane is None:
            self.kanes_equations()
        assert self._kane is not None
        return self._kane

    def _motion(self) -> _core._Motion:
        return self._formed().motion()

    @property
    def bodies(self) -> FixedTuple:
        """The bodies as they were given."""
        return FixedTuple(self._bodies or [], _FIXED)

    @property
    def loads(self) -> FixedTuple:
        """The loads as they were given; also under the name of sympy, forcelist."""
        return FixedTuple(self._loads, _FIXED)

    forcelist = loads

    @property
    def q(self) -> Matrix:
        """The coordinates: independent, then dependent."""
        return self._formed().q

    @property
    def u(self) -> Matrix:
        """The speeds: independent, then dependent."""
        return self._formed().u

    @property
    def mass_matrix(self) -> Matrix:
        """The matrix M of M u' = forcing."""
        return self._formed().mass_matrix

    @property
    def forcing(self) -> Matrix:
        """The right-hand side of M u' = forcing."""
        return self._formed().forcing

    @property
    def explicit_kinematics(self) -> bool:
        """Whether mass_matrix_kin and mass_matrix_full contain the kinematic equations solved for q', or as given."""
        return self._explicit_kinematics

    @explicit_kinematics.setter
    def explicit_kinematics(self, is_explicit: bool) -> None:
        self._explicit_kinematics = bool(is_explicit)
        if self._kane is not None:
            self._kane.set_explicit_kinematics(self._explicit_kinematics)

    @property
    def mass_matrix_kin(self) -> Matrix:
        """The coefficient matrix of q' in the kinematic equations; see explicit_kinematics."""
        return self._formed().mass_matrix_kin

    @property
    def forcing_kin(self) -> Matrix:
        """The right-hand side of the kinematic equations."""
        return self._formed().forcing_kin

    @property
    def mass_matrix_full(self) -> Matrix:
        """The coefficient matrix of [q'; u'] in all equations; see explicit_kinematics."""
        return self._formed().mass_matrix_full

    @property
    def forcing_full(self) -> Matrix:
        """The right-hand side of the equations of mass_matrix_full."""
        return self._formed().forcing_full

    @property
    def auxiliary_eqs(self) -> Matrix:
        """The equations of the auxiliary speeds, as expressions that vanish."""
        return self._formed().auxiliary_eqs

    def kindiffdict(self) -> dict[Expression, Expression]:
        """The rates of the coordinates as functions of the speeds."""
        return dict(self._formed().kindiffdict())

    def rhs(self) -> Matrix:
        """[q'; u'], solved for."""
        return self._formed().rhs()

    @overload
    def linearize(self, *, A_and_B: Literal[True], op_point: OperatingPoint = None, simplify: bool = False, new_method: bool = True) -> tuple[Matrix, Matrix, Matrix]: ...
    @overload
    def linearize(self, *, A_and_B: Literal[False] = False, op_point: OperatingPoint = None, simplify: bool = False, new_method: bool = True) -> Linearization: ...
    def linearize(self, *, A_and_B: bool = False, op_point: OperatingPoint = None, simplify: bool = False, new_method: bool = True) -> Any:
        """Linearise about a state, which may leave symbols: a Linearization, or as sympy A, B and the inputs.

        The state gives coordinates, speeds, their rates, inputs and constants; InputError for symbols not of the system.
        """
        del new_method  # for sympy, which had two methods; the results are alike
        return _linearization(self._formed().linearize(op_point or {}), A_and_B, simplify)


def _linearization(data: tuple[Any, ...], short: bool, simplify: bool) -> Any:
    one = Linearization(*data)
    if simplify:
        one = one._replace(**{name: getattr(one, name).simplify() for name in ("A", "B", "C0", "C1", "C2")})
    return (one.A, one.B, Matrix(one.inputs)) if short else one


class LagrangesMethod(NamedAttributes):
    """Lagrange's method: equations of motion from kinetic less potential energy.

    Lagrangian         such as Lagrangian(N, *bodies)
    qs                 coordinates
    forcelist, frame   loads besides the potential energy, and the inertial frame
    hol_coneqs         expressions of coordinates that vanish
    nonhol_coneqs      expressions linear in rates of coordinates that vanish
    """

    def __init__(
        self,
        Lagrangian: Expression,
        qs: Sequence[Expression],
        forcelist: Iterable[Load] | None = None,
        bodies: object = None,
        frame: ReferenceFrame | None = None,
        hol_coneqs: Sequence[Expression] | None = None,
        nonhol_coneqs: Sequence[Expression] | None = None,
    ) -> None:
        # Their energies are in the Lagrangian; pictures show them. sympy keeps them for its own linearisation.
        self._bodies = list(bodies) if isinstance(bodies, Iterable) else None
        self._frame = frame
        loads = None if forcelist is None else list(forcelist)
        constraints = (_expressions("hol_coneqs", hol_coneqs), _expressions("nonhol_coneqs", nonhol_coneqs))
        self._lagrange = _core._Lagrange(Lagrangian, _expressions("qs", qs), loads, frame, *constraints)
        self._solution: tuple[Matrix, Matrix] | None = None

    def _motion(self) -> _core._Motion:
        return self._lagrange.motion()

    def form_lagranges_equations(self) -> Matrix:
        """Form the equations, as expressions that vanish: d/dt dL/dq' - dL/dq less forces and multipliers."""
        return self._lagrange.equations()

    @property
    def eom(self) -> Matrix:
        """The result of form_lagranges_equations()."""
        return self.form_lagranges_equations()

    @property
    def q(self) -> Matrix:
        """The coordinates."""
        return self._lagrange.q

    @property
    def lam_vec(self) -> Matrix:
        """The multipliers, holonomic constraints first. Their sign is opposite to the constraint forces, as in sympy."""
        return self._lagrange.lam_vec

    @property
    def mass_matrix(self) -> Matrix:
        """The matrix M of M q'' = forcing + lam_coeffs^T lambda; in sympy it also has the columns of lam_coeffs^T."""
        return self._lagrange.mass_matrix

    @property
    def forcing(self) -> Matrix:
        """The right-hand side without multipliers."""
        return self._lagrange.forcing

    @property
    def lam_coeffs(self) -> Matrix:
        """Minus the derivatives of the velocity constraints with respect to the rates of the coordinates, as in sympy."""
        return self._lagrange.lam_coeffs

    @property
    def mass_matrix_full(self) -> Matrix:
        """The coefficient matrix of [q'; q''; -multipliers] in all equations, as in sympy."""
        return self._lagrange.mass_matrix_full

    @property
    def forcing_full(self) -> Matrix:
        """The right-hand side of the equations of mass_matrix_full."""
        return self._lagrange.forcing_full

    def _solved(self) -> tuple[Matrix, Matrix]:
        if self._solution is None:
            self._solution = self._lagrange.solve()
        return self._solution

    def rhs(self) -> Matrix:
        """[q'; q''], solved for."""
        return self._solved()[0]

    def solve_multipliers(self) -> dict[Expression, Expression]:
        """The multipliers at any state."""
        return dict(zip(self.lam_vec, self._solved()[1], strict=True))

    @overload
    def linearize(
        self,
        q_ind: Sequence[Expression] | None = None,
        qd_ind: Sequence[Expression] | None = None,
        *,
        A_and_B: Literal[True],
        op_point: OperatingPoint = None,
        simplify: bool = False,
        new_method: bool = True,
    ) -> tuple[Matrix, Matrix, Matrix]: ...
    @overload
    def linearize(
        self,
        q_ind: Sequence[Expression] | None = None,
        qd_ind: Sequence[Expression] | None = None,
        *,
        A_and_B: Literal[False] = False,
        op_point: OperatingPoint = None,
        simplify: bool = False,
        new_method: bool = True,
    ) -> Linearization: ...
    def linearize(
        self,
        q_ind: Sequence[Expression] | None = None,
        qd_ind: Sequence[Expression] | None = None,
        *,
        A_and_B: bool = False,
        op_point: OperatingPoint = None,
        simplify: bool = False,
        new_method: bool = True,
    ) -> Any:
        """Linearise about a state, which may leave symbols: a Linearization, or as sympy A, B and the inputs.

        q_ind, qd_ind: the independent coordinates and rates, as many as the constraints leave free; default all. The state
        gives coordinates, their rates, inputs and constants; InputError for symbols that are not of the system.
        """
        del new_method  # for sympy, which had two methods; the results are alike
        coordinates = list(q_ind) if q_ind is not None else list(self.q)
        rates = list(qd_ind) if qd_ind is not None else [q.diff() for q in coordinates]
        return _linearization(self._lagrange.linearize(coordinates, rates, op_point or {}), A_and_B, simplify)
