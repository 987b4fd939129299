"""Symbolic mechanics with the names of sympy.physics.mechanics, in compiled code.

from sestina.symbolic import *

q, u = dynamicsymbols("q u")
m, g, l, t = symbols("m g l t")
N = ReferenceFrame("N")
A = N.orientnew("A", "Axis", [q, N.z])
A.set_ang_vel(N, u * N.z)
O = Point("O")
O.set_vel(N, 0)
P = O.locatenew("P", l * A.x)
P.v2pt_theory(O, N, A)
kane = KanesMethod(N, q_ind=[q], u_ind=[u], kd_eqs=[q.diff(t) - u])
fr, frstar = kane.kanes_equations([Particle("ball", P, m)], [(P, m * g * N.x)])
kane.mass_matrix, kane.forcing

Differences from sympy: expressions are never expanded, equal expressions are one object, and nothing is
simplified unless requested. `Expression.to_sympy()` gives the same expression in sympy. Symbols, frames and
points belong to a derivation; see Mechanics. Only one thread at a time may work on symbols; compiled functions
(CompiledFunction) run on any thread.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, overload

from . import _core
from ._core import (
    Abs,
    CompiledFunction,
    Dyadic,
    Equations,
    Expression,
    Matrix,
    Mechanics,
    Particle,
    Point,
    ReferenceFrame,
    RigidBody,
    SimulationReport,
    Vector,
    acos,
    asin,
    atan,
    atan2,
    coefficients_of,
    cos,
    cosh,
    exp,
    if_less,
    inertia,
    inertia_of_point_mass,
    log,
    sign,
    sin,
    sinh,
    sqrt,
    tan,
    tanh,
    to_source,
)
from .symbolic_errors import explain_methods, explained
from .symbolic_functions import Dummy, lambdify
from .symbolic_methods import (
    Body,
    Force,
    KanesMethod,
    LagrangesMethod,
    Linearization,
    Replacements,
    Torque,
)
from .symbolic_names import (
    Derivative,
    Function,
    Integer,
    Max,
    Min,
    Piecewise,
    Rational,
    S,
    check_assumptions,
    diag,
    eye,
    is_one,
    names_of,
    ones,
    solve,
    zeros,
)
from .symbolic_system import (
    EigenvalueBranches,
    StabilityChange,
    SteadyMotion,
    SymbolicResult,
    SymbolicSystem,
    calc_eigenvalue_branches,
    calc_eigenvalues,
    find_equilibrium,
    find_steady_motion,
)

__all__ = [
    "Abs",
    "CompiledFunction",
    "Derivative",
    "Dummy",
    "Dyadic",
    "EigenvalueBranches",
    "Equations",
    "Expression",
    "Force",
    "Function",
    "Integer",
    "KanesMethod",
    "LagrangesMethod",
    "Lagrangian",
    "Linearization",
    "Matrix",
    "Max",
    "Mechanics",
    "Min",
    "Particle",
    "Piecewise",
    "Point",
    "Rational",
    "ReferenceFrame",
    "RigidBody",
    "S",
    "SimulationReport",
    "StabilityChange",
    "SteadyMotion",
    "Symbol",
    "SymbolicResult",
    "SymbolicSystem",
    "Torque",
    "Vector",
    "acos",
    "angular_momentum",
    "asin",
    "atan",
    "atan2",
    "calc_eigenvalue_branches",
    "calc_eigenvalues",
    "center_of_mass",
    "coefficients_of",
    "collect",
    "cos",
    "cosh",
    "cross",
    "diag",
    "dot",
    "dynamicsymbols",
    "exp",
    "expand",
    "express",
    "eye",
    "factor",
    "find_dynamicsymbols",
    "find_equilibrium",
    "find_steady_motion",
    "gravity",
    "if_less",
    "inertia",
    "inertia_of_point_mass",
    "init_vprinting",
    "kinematic_equations",
    "kinetic_energy",
    "lambdify",
    "latex",
    "linear_momentum",
    "log",
    "mechanics_printing",
    "mlatex",
    "mprint",
    "msubs",
    "ones",
    "outer",
    "parse",
    "partial_velocity",
    "pi",
    "potential_energy",
    "sign",
    "simplify",
    "sin",
    "sinh",
    "solve",
    "sqrt",
    "symbols",
    "tan",
    "tanh",
    "time_derivative",
    "to_source",
    "trigsimp",
    "vlatex",
    "vprint",
    "zeros",
]


explain_methods([CompiledFunction, Dyadic, Expression, Matrix, Particle, Point, ReferenceFrame, RigidBody, Vector, _core._SymbolicSystem])
for _name in (
    "Abs acos asin atan atan2 cos cosh exp if_less inertia inertia_of_point_mass log sign sin sinh sqrt tan tanh to_source"
).split():
    globals()[_name] = explained(_name, globals()[_name], is_method=False)


# --- Symbols ---


def symbols(names: str | Iterable[str], **assumptions: Any) -> Any:
    """Create constants by name: one for "m"; a tuple for "m l", "m, l", "m:3" (m0, m1, m2) and "x:z".

    "t" is the time. Assumptions about real numbers, such as positive=True, are accepted as in sympy but have no effect.
    """
    check_assumptions(assumptions)
    made = tuple(_core._symbol(name) for name in names_of(names))
    return made[0] if is_one(names) else made


def Symbol(name: str, **assumptions: Any) -> Expression:
    """The constant of that name; the name may contain blanks."""
    check_assumptions(assumptions)
    return _core._symbol(name)


def _dynamicsymbols(names: str | Iterable[str], level: int = 0, **assumptions: Any) -> Any:
    check_assumptions(assumptions)
    made = [_core._dynamicsymbol(name, level) for name in names_of(names)]
    return made[0] if is_one(names) else made


class _DynamicSymbols:
    """Create functions of time by name, or their derivatives of order `level`: one for "q", a list for "q1 q2" and "q:3".

    dynamicsymbols._t is the time.
    """

    def __call__(self, names: str | Iterable[str], level: int = 0, **assumptions: Any) -> Any:
        return _dynamicsymbols(names, level, **assumptions)

    @property
    def _t(self) -> Expression:
        return _core._time()


dynamicsymbols = _DynamicSymbols()


def parse(text: str) -> Expression:
    """Parse a text such as "m*l^2/12 - sin(3*t)" into an expression; every name is a symbol."""
    return _core._parse(text)


def __getattr__(name: str) -> Any:
    # The constant belongs to the derivation that is current at the time of the call.
    if name == "pi":
        return _core._pi()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


pi: Expression


def find_dynamicsymbols(
    expression: Expression | Matrix, exclude: Iterable[Expression] | None = None
) -> set[Expression]:
    """The functions of time in an expression, and their derivatives, except excluded ones."""
    elements = expression if isinstance(expression, Matrix) else [expression]
    found = {symbol for element in elements for symbol in element.dynamicsymbols}
    return found - set(exclude or ())


@overload
def msubs(expression: Expression, *replacements: Replacements) -> Expression: ...
@overload
def msubs(expression: Matrix, *replacements: Replacements) -> Matrix: ...
@overload
def msubs(expression: Vector, *replacements: Replacements) -> Vector: ...
@overload
def msubs(expression: Dyadic, *replacements: Replacements) -> Dyadic: ...
def msubs(expression: Any, *replacements: Replacements) -> Any:
    """Replace expressions by others, all at once."""
    return expression.subs(list(replacements))


@overload
def simplify(expression: Expression) -> Expression: ...
@overload
def simplify(expression: Matrix) -> Matrix: ...
def simplify(expression: Any) -> Any:
    """Simplify by the angle sum identities and sin^2 + cos^2 = 1; the result is checked against the original."""
    return expression.simplify()


@overload
def expand(expression: Expression) -> Expression: ...
@overload
def expand(expression: Matrix) -> Matrix: ...
def expand(expression: Any) -> Any:
    """Multiply out products and positive integer powers of sums: m*(x + y)**2 becomes m*x**2 + 2*m*x*y + m*y**2.

    InputError if there would be more than 20 000 terms.
    """
    return expression.expand()


@overload
def collect(expression: Expression, of: Expression | Sequence[Expression]) -> Expression: ...
@overload
def collect(expression: Matrix, of: Expression | Sequence[Expression]) -> Matrix: ...
def collect(expression: Any, of: Any) -> Any:
    """Write as a polynomial in `of`: a*x + b*x + d becomes d + (a + b)*x. Coefficients are collected by the next of several."""
    return expression.collect(of)


@overload
def factor(expression: Expression) -> Expression: ...
@overload
def factor(expression: Matrix) -> Matrix: ...
def factor(expression: Any) -> Any:
    """Factor by taking out common factors of groups of terms: a*x + a*y + b*x + b*y becomes (a + b)*(x + y)."""
    return expression.factor()


def trigsimp(expression: Any) -> Any:
    """The same as simplify."""
    return expression.simplify()


def latex(expression: Any) -> str:
    """LaTeX for mathematics mode."""
    return str(expression.latex())


vlatex = mlatex = latex


def mprint(expression: Any) -> None:
    """Print as text."""
    print(expression)


vprint = mprint


def mechanics_printing(**options: Any) -> None:
    """Does nothing; exists for programs written for sympy. Rates are always written with primes, in LaTeX with dots."""
    del options


init_vprinting = mechanics_printing


# --- Vectors ---


def dot(a: Any, b: Any) -> Any:
    """The scalar product of two vectors, or the product of a dyadic and a vector."""
    return a.dot(b)


def cross(a: Vector, b: Vector) -> Vector:
    """The vector product."""
    return a.cross(b)


def outer(a: Vector, b: Vector) -> Dyadic:
    """The dyadic product."""
    return a.outer(b)


def express(expression: Any, frame: ReferenceFrame) -> Any:
    """The same vector or dyadic, written in the axes of one frame."""
    return expression.express(frame)


def time_derivative(expression: Any, frame: ReferenceFrame, order: int = 1) -> Any:
    """The rate of a vector or dyadic as seen from a frame, or of an expression."""
    for _ in range(order):
        expression = expression.diff() if isinstance(expression, Expression) else expression.dt(frame)
    return expression


def partial_velocity(
    velocities: Sequence[Vector], speeds: Sequence[Expression], frame: ReferenceFrame
) -> list[list[Vector]]:
    """The partial derivatives of each velocity with respect to the speeds, as seen from the frame."""
    return [[velocity.diff(speed, frame) for speed in speeds] for velocity in velocities]


def kinematic_equations(
    speeds: Sequence[Expression], coords: Sequence[Expression], rot_type: str, rot_order: str | int = ""
) -> list[Expression]:
    """Kinematic equations, as expressions that vanish, for speeds that are the angular velocity in the frame's own axes.

    rot_type: "body" or "space" with an order such as "123", or "quaternion" with Euler parameters, the scalar first.
    """
    return _core._kinematic_equations(list(speeds), list(coords), rot_type.lower(), str(rot_order))


# --- Of several bodies ---


def kinetic_energy(frame: ReferenceFrame, *bodies: Body) -> Expression:
    """The kinetic energy of all bodies (J), as seen from the frame."""
    return _core._kinetic_energy(frame, bodies)


def potential_energy(*bodies: Body) -> Expression:
    """The potential energy (J): the sum of the `potential_energy` set for each body."""
    return _core._potential_energy(bodies)


def Lagrangian(frame: ReferenceFrame, *bodies: Body) -> Expression:
    """Kinetic energy less potential energy."""
    return _core._kinetic_energy(frame, bodies) - _core._potential_energy(bodies)


def linear_momentum(frame: ReferenceFrame, *bodies: Body) -> Vector:
    """The linear momentum of all bodies (kg m/s), as seen from the frame."""
    return _core._linear_momentum(frame, bodies)


def angular_momentum(point: Point, frame: ReferenceFrame, *bodies: Body) -> Vector:
    """The angular momentum of all bodies about the point (kg m^2/s), as seen from the frame."""
    return _core._angular_momentum(point, frame, bodies)


def center_of_mass(point: Point, *bodies: Body) -> Vector:
    """The vector from the point to the mass centre of all bodies."""
    return _core._center_of_mass(point, bodies)


def gravity(acceleration: Vector, *bodies: Body) -> list[Force]:
    """The weight of every body: its mass times the acceleration, at its mass centre."""
    return [
        Force(body.point if isinstance(body, Particle) else body.masscenter, body.mass * acceleration) for body in bodies
    ]
