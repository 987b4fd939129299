"""What a program written for sympy says: exact numbers, names, arguments, and examples of sympy's documentation."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import numpy as np
import pytest
import sestina
from sestina import symbolic as sm


def rational(expression) -> Fraction:
    """Of a number, by its text."""
    return Fraction(str(expression))


# Python's own whole numbers and fractions are the reference.
def test_whole_numbers_and_fractions_are_exact():
    x = sm.symbols("x")
    draw = random.Random(1)
    for _ in range(300):
        size = draw.choice([10, 53, 64, 200, 320])  # of the cube, 960 bits
        a, b = (Fraction(draw.getrandbits(size) - (1 << (size - 1)), 1 + draw.getrandbits(size)) for _ in range(2))
        e, f = sm.Expression(a.numerator) / a.denominator, sm.Expression(b.numerator) / b.denominator
        assert rational(e + f) == a + b and rational(e * f) == a * b and rational(e - f) == a - b
        if b:
            assert rational(e / f) == a / b
        assert rational(e**3) == a**3
        assert float(e) == float(a)
        assert ((e * x + x) / (a + 1)).equals(x) is (a != -1)
    assert str(sm.Expression(2**53 + 1)) == str(2**53 + 1) and sm.Expression(-(2**63)) == -(2**63)
    assert str((2**53 + 1) * x - 2**53 * x) == "x"
    assert (x / 7**24 * 7**24) == x
    up, down = (sum(Fraction(1, k) * x for k in ks) for ks in (range(1, 60), range(59, 0, -1)))
    assert up - down == 0 and str(up - x * sum(Fraction(1, k) for k in range(1, 60))) == "0"
    third = x + Fraction(1, 3)
    assert sm.expand(third**40).equals(third**40)
    assert not sm.expand(third**40).equals(third**40 + Fraction(1, 3**40))
    with pytest.raises(sestina.InputError, match="beyond the range of numbers"):
        sm.Expression(2) ** 2000
    with pytest.raises(TypeError):
        _ = 10**400 * x
    assert str(10**300 * x / 10**299) == "10*x"


def test_what_differs_by_large_factors_is_not_equal():
    x, y = sm.symbols("x y")
    for factor in (2**61, 2**122, 2**61 - 1, 3 * 2**55 - 1, 3 * 2**55, -(2**61)):
        assert not (factor * x + y).equals(x + y) and not (x / factor).equals(x) and not (factor * x).equals(0)
        assert not (factor * sm.sin(x) - sm.sin(x)).equals(0)
        assert (factor * (x + y)).equals(factor * x + factor * y)
    assert not (x + 2**53 + 1).equals(x + 2**53)


def test_roots_of_numbers_stay_roots():
    x = sm.symbols("x")
    third = sm.Expression(1) / 3
    assert sm.sqrt(third) == sm.sqrt(3) / 3 and sm.sqrt(12) == 2 * sm.sqrt(3) and sm.sqrt(2) ** 2 == 2
    assert str(sm.sqrt(3) / 2) == "sqrt(3)/2" and float(sm.sqrt(third)) == pytest.approx(3**-0.5, rel=1e-15)
    assert (sm.sqrt(3) * x / 2 * sm.sqrt(3)).equals(1.5 * x) and 3 ** sm.Rational(1, 2) == sm.sqrt(3)
    assert str(sm.sin(1)) == "sin(1)" and float(sm.sin(0.5)) == math.sin(0.5) and sm.cos(0) == 1
    assert (abs(x) ** 2).equals(x**2) and (abs(x) * sm.sign(x)).equals(x) and sm.sqrt(x**2).equals(abs(x))
    assert sm.sqrt((x**2 + 1) ** 2).equals(x**2 + 1) and not sm.sqrt((x**2 - 1) ** 2).equals(x**2 - 1)


def test_angles_and_lengths_stay_exact(own_derivation):
    x, pi = sm.symbols("x"), sm.pi
    assert sm.cos(pi / 3).equals(sm.Rational(1, 2)) and (1 + sm.cos(2 * pi / 3) + sm.cos(4 * pi / 3)).equals(0)
    assert sm.atan(1).equals(pi / 4) and sm.acos(0).equals(pi / 2) and sm.atan2(1, -1) == 3 * pi / 4
    assert sm.sin(pi / 12) == sm.sqrt(6) / 4 - sm.sqrt(2) / 4 and sm.asin(sm.sqrt(3) / 2) == pi / 3
    assert str(4 * x / 5) == "4*x/5" and str(0.3 * x) == "0.3*x" and str(sm.Rational(2, 5)) == "2/5"
    N = sm.ReferenceFrame("N")
    assert str((N.x + N.y).normalize()) == "sqrt(2)/2*N.x + sqrt(2)/2*N.y"
    assert str(sm.sqrt((N.x + N.y).dot(N.x + N.y))) == "sqrt(2)"
    assert str((N.x + N.y + N.z).normalize() & N.x) == "sqrt(3)/3"
    assert str(N.orientnew("A", "Axis", [1, N.z]).dcm(N)[0, 1]) == "sin(1)"
    with pytest.raises(sestina.InputError, match="known already"):
        N.orientnew("B", "Axis", [pi / 3, N.z]).orient_axis(N, N.z, pi / 4)


def test_matrices_and_expressions_have_the_names_of_sympy():
    a, b, c, d = sm.symbols("a b c d")
    M = sm.Matrix([[a, b], [c, d]])
    assert M.det().equals(a * d - b * c) and M.trace() == a + d and M.transpose() == M.T
    assert M.row(1) == sm.Matrix([[c, d]]) and M.col(0) == sm.Matrix([a, c])
    assert M.free_symbols == {a, b, c, d} and M.xreplace({a: 1})[0, 0] == 1 and (a + b).xreplace({a: b}) == 2 * b
    v, w = sm.Matrix([1, 0, a]), sm.Matrix([0, 1, b])
    assert v.cross(w) == sm.Matrix([-a, -b, 1]) and v.dot(w) == a * b and sm.Matrix([3, 4]).norm() == 5
    N = sm.ReferenceFrame("N")
    assert sm.inertia(N, 5, 10, a) / 5 == sm.inertia(N, 1, 2, a / 5)
    assert M.row(-1) == M.row(M.rows - 1) and M.col(-M.cols) == M.col(0)
    with pytest.raises(IndexError, match="there is no row 7"):
        M.row(7)
    assert sm.Matrix([sm.sin(a) ** 2]).equals(sm.Matrix([1 - sm.cos(a) ** 2])) is True
    assert sm.Matrix([a]).equals(sm.Matrix([b])) is False and sm.Matrix([a, b]).equals(sm.Matrix([[a, b]])) is False
    numbers = sm.Matrix([[a, 1], [b, a * b]]).evaluate({a: 2, b: 3})
    assert numbers.shape == (2, 2) and numbers.tolist() == [[2, 1], [3, 6]]
    assert (sm.sin(a) ** 2 + sm.cos(a) ** 2 - 1).is_zero is True and a.is_zero is False
    sympy = pytest.importorskip("sympy")
    K = sm.Matrix([[a, b, 0, 1], [1, c, d, 0], [b, 0, a, d], [0, c, 1, b]])
    assert sympy.expand(K.det().to_sympy() - K.to_sympy().det()) == 0
    with pytest.raises(sestina.InputError, match="square"):
        v.det()
    with pytest.raises(IndexError):
        M.row(2)


def test_equals_says_where_it_does_not_know():
    x, y = sm.symbols("x y")
    assert sm.sin(x + sm.pi / 3).equals(sm.sin(x) / 2 + sm.sqrt(3) / 2 * sm.cos(x)) is True
    assert sm.sin(x).equals(x) is False and sm.log(x**2).equals(2 * sm.log(x)) is None
    assert sm.acos(x).equals(sm.pi / 2 - sm.asin(x)) is True and sm.log(2 * x).equals(sm.log(2) + sm.log(x)) is True
    assert (sm.cos(sm.asin(x)) ** 2 + x**2).equals(1) is True and (sm.acos(x) + sm.acos(-x)).equals(sm.pi) is True
    assert sm.cos(sm.pi / 5).equals((1 + sm.sqrt(5)) / 4) is None
    assert sm.cos(sm.pi / 5).equals(sm.Rational(4, 5)) is False and sm.Max(x, y).equals(sm.Min(x, y)) is False


def test_replacements_that_divide_by_zero_are_errors(own_derivation):
    x, y = sm.symbols("x y")
    N = sm.ReferenceFrame("N")
    for make in (
        lambda: (1 / x).subs({x: 0}),
        lambda: sm.Matrix([x, y / x]).subs(x, 0),
        lambda: sm.msubs(1 / (x - y) + 3, {x: y}),
        lambda: (y / x * N.x).subs(x, 0),
        lambda: (sm.inertia(N, 1 / x, 1, 1)).subs(x, 0),
        lambda: (y + sm.log(x)).subs(x, 0),
        lambda: sm.sqrt(x).subs(x, -1),
    ):
        with pytest.raises(sestina.InputError, match=r"^subs: .* would come of .*x"):
            make()
    assert sm.if_less(x, 1, 2, 1 / x).subs(x, 0) == 2 and (y / x).subs(x, 2) == y / 2


def test_powers_are_written_as_in_python():
    assert sm.parse("m**2 + 2**-1") == sm.parse("m^2") + sm.Rational(1, 2)


def test_numbers_that_are_none_are_errors():
    one, zero = sm.Expression(1), sm.Expression(0)
    for wrong, words in (
        (lambda: one / 0, "1/0 divides by zero"),
        (lambda: 1 / zero, "1/0 divides by zero"),
        (lambda: zero / 0, "0/0 divides by zero"),
        (lambda: zero**-1, "divides by zero"),
        (lambda: sm.log(0), r"log\(0\) is beyond the range"),
        (lambda: sm.sqrt(-1), r"sqrt\(-1\) is not a real number"),
    ):
        with pytest.raises(sestina.InputError, match=words):
            wrong()
    nan = math.nan
    assert all(math.isnan(float(e)) for e in (sm.Max(1, nan), sm.Max(nan, 1), sm.Min(1, nan), sm.Min(nan, 1)))


def test_a_name_is_a_constant_or_a_function_of_time(own_derivation):
    sm.symbols("m")
    q = sm.dynamicsymbols("q")
    with pytest.raises(sestina.InputError, match="'m' is a constant in this derivation"):
        sm.dynamicsymbols("m")
    for name in ("q", "q'"):
        q.diff()
        with pytest.raises(sestina.InputError, match=f"'{name}' is a function of time in this derivation"):
            sm.symbols(name)
    assert sm.dynamicsymbols("q") == q and sm.parse("q") == q


def test_names_of_sympy(own_derivation):
    x, y, z = sm.symbols("x:z", real=True)
    assert [str(s) for s in sm.symbols("q:4, a:c w")] == "q0 q1 q2 q3 a b c w".split()
    assert [str(s) for s in sm.symbols("k1:3", positive=True)] == ["k1", "k2"]
    assert str(sm.Symbol("a b")) == "a b"
    for wrong in ({"real": False}, {"even": True}, {"cls": sm.Symbol}):
        with pytest.raises(sestina.InputError, match=next(iter(wrong))):
            sm.symbols("w", **wrong)
    with pytest.raises(sestina.InputError, match="not a range"):
        sm.symbols("x:")
    u = sm.dynamicsymbols("u")
    assert sm.dynamicsymbols._t == sm.symbols("t") and u.diff(sm.dynamicsymbols._t) == sm.dynamicsymbols("u", 1)
    assert sm.Max(x, y, z).evaluate({x: 1, y: 3, z: 2}) == 3 and sm.Min(3, 1, 2) == 1 and sm.Max(x) == x
    assert sm.Rational(1, 3) * 3 == 1 and sm.Rational("0.125") == sm.S(1) / 8 == sm.Rational(0.125)
    assert sm.S("x**2/3") == x**2 / 3 and sm.Integer(7) / 2 == sm.Rational(7, 2)
    assert sm.eye(2) * sm.Matrix([x, y]) == sm.Matrix([x, y]) and sm.ones(1, 2).shape == (1, 2)
    assert sm.diag(1, sm.Matrix([[x, y], [0, 1]])).tolist() == [[1, 0, 0], [0, x, y], [0, 0, 1]]
    M = sm.Matrix([[x, 1], [0, y]])
    assert (M.inv() * M).simplify() == sm.eye(2)
    assert M.row_join(sm.zeros(2, 1)).shape == (2, 3) and M.col_join(sm.zeros(1, 2)).shape == (3, 2)
    assert M.diff(x) == sm.Matrix([[1, 0], [0, 0]]) and sm.Matrix([u]).diff() == sm.Matrix([u.diff()])
    assert (x + y).subs([(x, y), (y, 2)]) == y + 2 and M.subs(x, 3)[0, 0] == 3
    assert sm.msubs(x + y, {x: 1}, {x: 2, y: 3}) == 5
    step = sm.Piecewise((-1, x < 0), (x**2, x <= 2), (4, True))
    assert [step.evaluate({x: at}) for at in (-3, 0, 1.5, 2, 5)] == [-1, 0, 2.25, 4, 4]
    assert sm.Expression(1) < 2 and not sm.Expression(1) >= sm.Rational(3, 2)
    with pytest.raises(TypeError, match="neither true nor false"):
        bool(x < y)
    with pytest.raises(sestina.InputError, match="has to be True"):
        sm.Piecewise((1, x < 0))


# A rate is a symbol of its own, as with msubs of sympy.
def test_substitution_leaves_rates(own_derivation):
    q = sm.dynamicsymbols("q")
    assert (q + q.diff()).subs(q, 1) == 1 + q.diff() and (q + q.diff()).subs({q: 1, q.diff(): 0}) == 1


def test_errors_name_the_argument(own_derivation):
    x = sm.symbols("x")
    N, O = sm.ReferenceFrame("N"), sm.Point("O")
    for wrong, words in (
        (lambda: sm.sin("x"), r"^sin: x is 'x' \(str\); allowed is Expression or number$"),
        (lambda: sm.atan2(x, N), r"^atan2: b is N \(ReferenceFrame\)"),
        (lambda: O.set_vel(N, 3), r"^Point.set_vel: value is 3 \(int\); allowed is Vector or 0$"),
        (lambda: O.set_vel(x, N.x), r"^Point.set_vel: frame is x \(Expression\); allowed is ReferenceFrame$"),
        (lambda: O.locatenew(3, N.x), r"^Point.locatenew: name is 3 \(int\); allowed is str$"),
        (lambda: O.vel(), r"^Point.vel takes \(frame\), not the 0 arguments given$"),
        (lambda: N.x.dot(x), r"^Vector.dot: other is x \(Expression\); allowed is Vector or 0 or Dyadic$"),
        (lambda: sm.Particle("p", N, 1), r"^Particle: point is N \(ReferenceFrame\); allowed is a Point$"),
        (lambda: sm.RigidBody("b", O, N, 1, 3), r"^RigidBody: inertia is 3 \(int\); allowed is a pair"),
        (lambda: sm.Point(3), r"^Point: name is 3 \(int\); allowed is a text$"),
        (lambda: sm.KanesMethod(N, x, [x]), r"^q_ind: x is not a list of expressions$"),
        (lambda: sm.KanesMethod(N, [x], ["u"]), r"^u_ind\[0\] is 'u' \(str\)"),
        (lambda: sm.KanesMethod(O, [x], [x]), r"^frame is O \(Point\); allowed is a ReferenceFrame$"),
    ):
        with pytest.raises(TypeError, match=words):
            wrong()
    with pytest.raises(TypeError, match=r"^frame is"):
        sm.KanesMethod(3, [x], [x])


# The examples of sympy's documentation, but for their imports and how they print.
ROLLING_DISC = """
q1, q2, q3, u1, u2, u3 = dynamicsymbols('q1 q2 q3 u1 u2 u3')
q1d, q2d, q3d, u1d, u2d, u3d = dynamicsymbols('q1 q2 q3 u1 u2 u3', 1)
r, m, g = symbols('r m g')
mechanics_printing(pretty_print=False)
N = ReferenceFrame('N')
Y = N.orientnew('Y', 'Axis', [q1, N.z])
L = Y.orientnew('L', 'Axis', [q2, Y.x])
R = L.orientnew('R', 'Axis', [q3, L.y])
w_R_N_qd = R.ang_vel_in(N)
R.set_ang_vel(N, u1 * L.x + u2 * L.y + u3 * L.z)
C = Point('C')
C.set_vel(N, 0)
Dmc = C.locatenew('Dmc', r * L.z)
Dmc.v2pt_theory(C, N, R)
I = inertia(L, m / 4 * r**2, m / 2 * r**2, m / 4 * r**2)
kd = [dot(R.ang_vel_in(N) - w_R_N_qd, uv) for uv in L]
ForceList = [(Dmc, - m * g * Y.z)]
BodyD = RigidBody('BodyD', Dmc, R, m, (I, Dmc))
BodyList = [BodyD]
KM = KanesMethod(N, q_ind=[q1, q2, q3], u_ind=[u1, u2, u3], kd_eqs=kd)
(fr, frstar) = KM.kanes_equations(BodyList, ForceList)
MM = KM.mass_matrix
forcing = KM.forcing
rhs = MM.inv() * forcing
kdd = KM.kindiffdict()
rhs = rhs.subs(kdd)
rhs.simplify()
"""

NONMINIMAL_PENDULUM = """
q1, q2 = dynamicsymbols('q1:3')
q1d, q2d = dynamicsymbols('q1:3', level=1)
L, m, g, t = symbols('L, m, g, t')
N = ReferenceFrame('N')
pN = Point('N*')
pN.set_vel(N, 0)
theta1 = atan(q2/q1)
A = N.orientnew('A', 'axis', [theta1, N.z])
P = pN.locatenew('P1', q1*N.x + q2*N.y)
P.set_vel(N, P.pos_from(pN).dt(N))
pP = Particle('pP', P, m)
f_c = Matrix([P.pos_from(pN).magnitude() - L])
f_v = Matrix([P.vel(N).express(A).dot(A.x)])
f_v.simplify()
f_a = f_v.diff(t)
f_a.simplify()
u1, u2 = dynamicsymbols('u1:3')
u1d, u2d = dynamicsymbols('u1:3', level=1)
kde = [q1d - u1, q2d - u2]
R = m*g*N.x
KM = KanesMethod(N, q_ind=[q2], u_ind=[u2], q_dependent=[q1],
                 u_dependent=[u1], configuration_constraints=f_c,
                 velocity_constraints=f_v, acceleration_constraints=f_a, kd_eqs=kde)
(fr, frstar) = KM.kanes_equations([pP], [(P, R)])
q_op = {q1: L, q2: 0}
u_op = {u1: 0, u2: 0}
ud_op = {u1d: 0, u2d: 0}
A, B, inp_vec = KM.linearize(op_point=[q_op, u_op, ud_op], A_and_B=True, new_method=True, simplify=True)
"""


def run(program: str) -> dict:
    names: dict = {}
    exec("from sestina.symbolic import *\n" + program, names)
    return names


def test_the_rolling_disc_of_sympys_documentation(own_derivation):
    disc = run(ROLLING_DISC)
    q2, u1, u2, u3, r, g = (disc[name] for name in ("q2", "u1", "u2", "u3", "r", "g"))
    tan = sm.tan(q2)
    published = [
        (6 * u2 * u3 * r - u3**2 * r * tan + 4 * g * sm.sin(q2)) / (5 * r),
        -2 * u1 * u3 / 3,
        (-2 * u2 + u3 * tan) * u1,
    ]
    assert all(a.equals(b) for a, b in zip(disc["rhs"], published, strict=True))


def test_the_nonminimal_pendulum_of_sympys_documentation(own_derivation):
    pendulum = run(NONMINIMAL_PENDULUM)
    assert pendulum["A"] == sm.Matrix([[0, 1], [-pendulum["g"] / pendulum["L"], 0]])


# Signs, shapes and both forms of the kinematics; only what the three have in common by name.
def test_matrices_have_the_signs_and_shapes_of_sympy(own_derivation):
    mechanics = pytest.importorskip("sympy.physics.mechanics")
    sympy = pytest.importorskip("sympy")
    found = []
    for library, symbols in ((mechanics, sympy), (sm, sm)):
        m, g, l = symbols.symbols("m g l")
        t = library.dynamicsymbols._t
        x, y, q, u = library.dynamicsymbols("x y q u")
        vx, vy = x.diff(t), y.diff(t)
        lagrange = library.LagrangesMethod(
            m * (vx**2 + vy**2) / 2 + m * g * x, [x, y], hol_coneqs=[x**2 + y**2 - l**2], nonhol_coneqs=[vx - 3 * vy]
        )
        lagrange.form_lagranges_equations()
        N = library.ReferenceFrame("N")
        O = library.Point("O")
        O.set_vel(N, 0)
        P = O.locatenew("P", q * N.x)
        P.set_vel(N, u * N.x)
        kane = library.KanesMethod(N, [q], [u], kd_eqs=[symbols.cos(q) * q.diff(t) - u], explicit_kinematics=False)
        kane.kanes_equations([library.Particle("p", P, m)], [(P, -q * N.x)])
        given = [kane.mass_matrix_full, kane.forcing_full, kane.mass_matrix_kin, kane.forcing_kin]
        kane.explicit_kinematics = True
        found.append(
            [lagrange.eom, lagrange.lam_coeffs, lagrange.mass_matrix_full, lagrange.forcing_full, *given]
            + [kane.mass_matrix_full, kane.forcing_full, kane.mass_matrix_kin, kane.forcing_kin]
        )
    for theirs, ours in zip(*found, strict=True):
        assert theirs.shape == ours.shape
        assert sympy.simplify(theirs - ours.to_sympy()) == sympy.zeros(*theirs.shape)


def test_numbers_in_the_place_of_constants(own_derivation):
    x, y = sm.symbols("x y")
    N = sm.ReferenceFrame("N")
    third, root = sm.Rational(1, 3), sm.sqrt(2)
    assert float(root.evalf()) == math.sqrt(2) and float(third.n(3)) == 0.333 and str(root.n(4)) == "1.414"
    assert (x**2 / 3 + sm.pi * y).evalf(3) == x**2 * 0.333 + 3.14 * y
    assert (x / y).evalf(subs={x: 1, y: 8}) == 0.125 and (x * root).evalf(subs={root: 3}) == 3 * x
    assert (2**61 * x).evalf() == 2**61 * x and sm.Expression(7).n() == 7
    assert sm.Matrix([[root, x]]).n(2) == sm.Matrix([[1.4, x]])
    assert (root * N.x).evalf(2) == 1.4 * N.x and sm.inertia(N, third, x, 1).n(1) == sm.inertia(N, 0.3, x, 1)
    with pytest.raises(sestina.InputError, match="evalf: 30 digits; allowed is 1 to 17"):
        root.evalf(30)


def test_dyadics_are_replaced_in_and_simplified(own_derivation):
    q, a = sm.dynamicsymbols("q"), sm.symbols("a")
    N = sm.ReferenceFrame("N")
    A = N.orientnew("A", "Axis", [q, N.z])
    I = sm.inertia(A, a, 2 * a, 3 * a)
    assert I.subs(a, 2) == sm.inertia(A, 2, 4, 6) == sm.msubs(I, {a: 2}) == I.subs([(a, 2)])
    assert (I * (sm.sin(q) ** 2 + sm.cos(q) ** 2)).simplify().to_matrix(A) == sm.diag(a, 2 * a, 3 * a)
    assert I.applyfunc(lambda e: 2 * e) == 2 * I and (a * N.x).applyfunc(lambda e: e + 1).to_matrix(N)[0] == a + 1
    assert sm.Matrix([a, q]).applyfunc(lambda e: e.diff()) == sm.Matrix([0, q.diff()])
    with pytest.raises(sestina.InputError, match="applyfunc: the function returns 'a'; allowed is an expression"):
        sm.Matrix([a]).applyfunc(str)
    for one in (a, sm.Matrix([a]), a * N.x, I):
        assert one.doit() is one and one.doit(deep=False) is one


def test_what_is_equal_is_one_key(own_derivation):
    q, a = sm.dynamicsymbols("q"), sm.symbols("a")
    N = sm.ReferenceFrame("N")
    A = N.orientnew("A", "Axis", [q, N.z])
    I = sm.inertia(A, a, 2 * a, 3 * a)
    pairs = [
        (sm.Matrix([[a, 1], [q, 0.5]]), sm.Matrix([[a, 1], [q, 0.5]]), sm.Matrix([a, 1, q, 0.5])),
        (A.x, sm.cos(q) * N.x + sm.sin(q) * N.y, N.x),
        (I, I.express(N), I.subs({a: 1})),
        (I - I, 0 * I, I),
    ]
    for one, same, other in pairs:
        assert one == same and not one != same and hash(one) == hash(same) and len({one, same}) == 1
        assert one != other and not one == other and len({one, other}) == 2
    assert I - I == 0 and N.x - N.x == 0 and I != 0 and I != "I" and sm.Matrix([a]) != a
    with sm.Mechanics():
        B = sm.ReferenceFrame("N")
        assert N.x != B.x and I != sm.inertia(B, 1, 2, 3) and sm.Matrix([a]) != sm.Matrix([sm.symbols("a")])


def test_functions_of_time_as_sympy_makes_them(own_derivation):
    t = sm.symbols("t")
    assert sm.Function("q")(t) == sm.dynamicsymbols("q") and sm.Function("q", real=True)(t).diff(t) == sm.dynamicsymbols("q", 1)
    with pytest.raises(sestina.InputError, match="functions are of time alone here"):
        sm.Function("f")(sm.symbols("x"))


def test_linear_equations_are_solved(own_derivation):
    a, b, x, y = sm.symbols("a b x y")
    solution = sm.solve([a * x + y - 1, x - b * y], [x, y])
    assert solution[x].equals(b / (a * b + 1)) and solution[y].equals(1 / (a * b + 1))
    assert sm.solve(2 * x - a, x) == {x: a / 2}
    with pytest.raises(sestina.InputError, match="not linear"):
        sm.solve([x * y - 1, x - y], [x, y])
    with pytest.raises(sestina.InputError, match="solve: the equations are linearly dependent and leave y open"):
        sm.solve([x + y, 2 * x + 2 * y - 1], [x, y])
    with pytest.raises(sestina.InputError, match="1 equations for 2 unknowns"):
        sm.solve([x], [x, y])


def test_lambdify_makes_functions_as_sympy_does(own_derivation):
    x, y, z = sm.symbols("x y z")
    assert sm.lambdify(x, x**2)(3) == 9.0
    assert sm.lambdify((x, y), x - y, "numpy")(1, 3.0) == -2.0
    both = sm.lambdify([x, [y, z]], [x * y, sm.Matrix([[x, z], [1, y]]), 3], cse=True)
    product, matrix, three = both(2.0, [5.0, 7.0])
    assert product == 10.0 and three == 3.0 and np.array_equal(matrix, [[2, 7], [1, 5]])
    products, matrices, threes = both(np.array([2.0, 4.0]), [5.0, np.array([7.0, 8.0])])
    assert products.tolist() == [10, 20] and threes.tolist() == [3, 3]
    assert np.array_equal(matrices, [[[2, 7], [1, 5]], [[4, 8], [1, 5]]])
    for wrong in ((1.0,), (1.0, [2.0]), (1.0, [2.0, 3.0], 4.0)):
        with pytest.raises(TypeError, match="were given"):
            both(*wrong)
    assert sm.Dummy() != sm.Dummy() and sm.Dummy("x") != x
