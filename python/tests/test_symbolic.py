"""Symbolic mechanics: against closed forms, against numbers of the solvers, and against sympy where it is installed."""

from __future__ import annotations

import copy
import gc
import math
import pickle
import random
from fractions import Fraction

import numpy as np
import pytest
import sestina
from sestina import symbolic as sm

# The script of Gede, Peterson, Nanjangud, Moore and Hubbard 2013, section 4, but for the import.
N_LINK_PENDULUM = """
q = dynamicsymbols("q:" + str(n + 1))
u = dynamicsymbols("u:" + str(n + 1))
f = dynamicsymbols("f")
m = symbols("m:" + str(n + 1))
l = symbols("l:" + str(n))
g, t = symbols("g t")

I = ReferenceFrame("I")
O = Point("O")
O.set_vel(I, 0)
P0 = Point("P0")
P0.set_pos(O, q[0] * I.x)
P0.set_vel(I, u[0] * I.x)
Pa0 = Particle("Pa0", P0, m[0])

frames = [I]
points = [P0]
particles = [Pa0]
forces = [(P0, f * I.x - m[0] * g * I.y)]
kindiffs = [q[0].diff(t) - u[0]]
for i in range(n):
    Bi = I.orientnew("B" + str(i), "Axis", [q[i + 1], I.z])
    Bi.set_ang_vel(I, u[i + 1] * I.z)
    frames.append(Bi)
    Pi = points[-1].locatenew("P" + str(i + 1), l[i] * Bi.x)
    Pi.v2pt_theory(points[-1], I, Bi)
    points.append(Pi)
    Pai = Particle("Pa" + str(i + 1), Pi, m[i + 1])
    particles.append(Pai)
    forces.append((Pi, -m[i + 1] * g * I.y))
    kindiffs.append(q[i + 1].diff(t) - u[i + 1])

kane = KanesMethod(I, q_ind=q, u_ind=u, kd_eqs=kindiffs)
fr, frstar = kane.kanes_equations(particles, forces)
"""


def pendulum_on_a_cart(n: int) -> dict:
    names = {"n": n, **{name: getattr(sm, name) for name in sm.__all__}}
    exec(N_LINK_PENDULUM, names)
    return names


def test_the_script_of_the_paper_gives_the_cart_pole_of_the_textbook():
    names = pendulum_on_a_cart(1)
    kane, (_, q1), (m0, m1), (l0,), u1 = names["kane"], names["q"], names["m"], names["l"], names["u"][1]
    f, g = names["f"], names["g"]
    M, forcing = kane.mass_matrix, kane.forcing
    assert M.shape == (2, 2) and M[0, 0] == m0 + m1
    assert M[0, 1].equals(-m1 * l0 * sm.sin(q1)) and M[1, 0] == M[0, 1] and M[1, 1].equals(m1 * l0**2)
    assert forcing[0].equals(f + m1 * l0 * u1**2 * sm.cos(q1))
    assert forcing[1].equals(-m1 * g * l0 * sm.cos(q1))
    fr, frstar = names["fr"], names["frstar"]
    assert fr[0] == f and not frstar[0].equals(0)
    assert list(kane.kindiffdict().values()) == [names["u"][0], u1]
    assert kane.rhs().shape == (4, 1) and kane.mass_matrix_full.shape == (4, 4)


def test_the_script_of_the_paper_gives_what_sympy_gives():
    sympy = pytest.importorskip("sympy")
    import sympy.physics.mechanics as mechanics

    names = {"n": 2, "symbols": sympy.symbols, **{name: getattr(mechanics, name) for name in mechanics.__all__}}
    exec(N_LINK_PENDULUM, names)
    theirs, ours = names["kane"], pendulum_on_a_cart(2)["kane"]
    assert theirs.mass_matrix.shape == ours.mass_matrix.shape == (3, 3)
    draw = random.Random(1)
    values = {symbol: draw.uniform(0.5, 1.5) for symbol in [*names["m"], *names["l"], names["g"]]}
    values |= {symbol: draw.uniform(-2, 2) for symbol in [*names["q"], *names["u"], names["f"]]}
    for mine, other in [(ours.mass_matrix, theirs.mass_matrix), (ours.forcing, theirs.forcing)]:
        a, b = (np.array(matrix.subs(values).tolist(), dtype=float) for matrix in (mine.to_sympy(), other))
        np.testing.assert_allclose(a, b, rtol=1e-13, atol=1e-13)
        assert np.abs(a).max() > 1


def test_expressions_become_those_of_sympy():
    sympy = pytest.importorskip("sympy")
    x, y, t = sm.symbols("x y t")
    q = sm.dynamicsymbols("q")
    expression = (
        sm.sin(x) * sm.exp(-y / 3) + sm.sqrt(x**2 + 1) / 7 - 2 * q.diff(t) ** 2 * q.diff(t, 2) + sm.atan2(x, y) + sm.pi
    )
    X, Y, T = sympy.symbols("x y t")
    Q = sympy.Function("q")(T)
    expected = (
        sympy.sin(X) * sympy.exp(-Y / 3)
        + sympy.sqrt(X**2 + 1) / 7
        - 2 * Q.diff(T) ** 2 * Q.diff(T, 2)
        + sympy.atan2(X, Y)
        + sympy.pi
    )
    assert sympy.simplify(expression.to_sympy() - expected) == 0
    assert (0.1 * x).to_sympy() == X / 10
    assert sm.if_less(x, y, 1, 2).to_sympy().subs({X: 0, Y: 1}) == 1
    others = [sm.tan, sm.asin, sm.acos, sm.atan, sm.sinh, sm.cosh, sm.tanh, sm.log, sm.Abs, sm.sign]
    for function in others:
        assert float(function(x).to_sympy().subs({X: 0.3})) == pytest.approx(function(x).evaluate({x: 0.3}), rel=1e-14)
    assert sm.Min(x, y).to_sympy() == sympy.Min(X, Y) and sm.Max(x, y).to_sympy() == sympy.Max(X, Y)
    assert sm.Matrix([[x, 1], [0, y]]).to_sympy() == sympy.Matrix([[X, 1], [0, Y]])


def test_arithmetic_is_pythons():
    x, y = sm.symbols("x, y")
    value = {x: 0.7, y: -1.3}
    for mine, number in [
        (2 + x - y / 3, 2 + 0.7 + 1.3 / 3),
        (1 / x, 1 / 0.7),
        (x**3 * 2**y, 0.7**3 * 2**-1.3),
        (-x + abs(y) + +x, 1.3),
        (np.float64(2) * x, 1.4),
        (np.int32(2) * x, 1.4),
        (Fraction(1, 3) - x, 1 / 3 - 0.7),
        (10**20 * x, 7e19),
    ]:
        assert mine.evaluate(value) == pytest.approx(number, rel=1e-15)
    assert (x * np.array([1, 2])).tolist() == [x, 2 * x]
    assert 0.1 * x + 0.2 * x == x * Fraction(3, 10)
    assert x - x == 0 and not (x - x) and x and float(x - x + 2) == 2.0
    assert {x + y: 1}[y + x] == 1 and hash(x * 0 + 2) == hash(2)
    assert str(x**2 + 1) == "1 + x^2" or str(x**2 + 1) == "x^2 + 1"
    assert sm.parse("x*sin(y)^2") == x * sm.sin(y) ** 2
    with pytest.raises(TypeError):
        x + "1"
    with pytest.raises(TypeError):
        float(x)


def test_derivatives_and_replacements():
    x, t = sm.symbols("x t")
    q, u = sm.dynamicsymbols("q u")
    assert (x * q**2).diff(q) == 2 * x * q
    assert (x * q**2).diff(t) == (x * q**2).diff() == 2 * x * q * sm.dynamicsymbols("q", 1)
    assert (t**3).diff(t, 2) == 6 * t
    assert (q + u).subs({q: u, u: q}) == q + u and q.subs(q, 2 * x) == 2 * x
    assert (x * q + u.diff()).free_symbols == {x, q, u.diff()}
    assert sm.find_dynamicsymbols(x * q + u.diff(), exclude=[q]) == {u.diff()}
    assert (sm.sin(q) ** 2 + sm.cos(q) ** 2).simplify() == 1
    assert (sm.sin(q) ** 2).equals(1 - sm.cos(q) ** 2) and sm.sin(q) ** 2 != 1 - sm.cos(q) ** 2
    with pytest.raises(sestina.InputError, match="not a symbol"):
        q.diff(q**2)
    with pytest.raises(sestina.InputError, match="no value for x"):
        (q * x).evaluate({q: 1})


@pytest.mark.usefixtures("own_derivation")
def test_values_keep_the_sign_of_zero():
    x = sm.symbols("x")
    for zero in (-0.0, np.float64(-0.0), np.float32(-0.0)):
        assert math.copysign(1, x.evaluate({x: zero})) == -1 and (1 / x).evaluate({x: zero}) == -math.inf
        assert sm.atan2(x, -1).evaluate({x: zero}) == -math.pi
    assert (1 / x).evaluate([(x, 0)]) == math.inf and (1 / x).evaluate({x: sm.Expression(0)}) == math.inf
    assert x.evaluate({x: sm.pi / 2}) == math.pi / 2 and x.evaluate({x: Fraction(1, 3)}) == 1 / 3
    with pytest.raises(sestina.InputError, match="values: x = 2\\*x; allowed are numbers for symbols"):
        x.evaluate({x: 2 * x})


def test_a_matrix_becomes_an_array_of_its_shape():
    x, y = sm.symbols("x y")
    M = sm.Matrix([[x, y], [x * y, 2 * x], [y, x + y]])
    array = np.array(M)
    assert array.shape == M.shape == (3, 2) and array.dtype == object
    assert all(array[i, j] == M[i, j] for i in range(3) for j in range(2))
    assert np.asarray(sm.Matrix([x, y])).shape == (2, 1)
    assert sm.Matrix(array.tolist()) == M
    with pytest.raises(ValueError, match="only by a copy"):
        M.__array__(copy=False)


def test_matrices():
    a, b = sm.symbols("a b")
    A = sm.Matrix([[a, 1], [0, b]])
    assert A.T[1, 0] == 1 and A[-1] == b and A[0, :].shape == (1, 2) and A[:, 1].tolist() == [[1], [b]]
    assert (A @ A)[0, 1] == a + b and (2 * A - A)[0, 0] == a and (A * a / a).shape == (2, 2)
    assert len(A) == 4 and list(A) == [a, 1, 0, b] and A[1:3] == [1, 0]
    x = A.LUsolve(sm.Matrix([1, b]))
    assert x[1].equals(1) and x[0].equals(0)
    assert A.jacobian([a, b]).shape == (4, 2) and sm.Matrix([a * b]).jacobian([a])[0] == b
    assert sm.zeros(2, 3).shape == (2, 3)
    for wrong in [lambda: A @ sm.Matrix([1]), lambda: A + sm.Matrix([1]), lambda: sm.Matrix([[1], [1, 2]]), lambda: A.LUsolve(sm.Matrix([1]))]:
        with pytest.raises(sestina.InputError):
            wrong()
    with pytest.raises(IndexError):
        A[2, 0]


def test_vectors_and_frames():
    q1, q2 = sm.dynamicsymbols("q1 q2")
    N = sm.ReferenceFrame("N")
    A = N.orientnew("A", "Axis", [q1, N.z])
    B = sm.ReferenceFrame("B")
    B.orient_body_fixed(A, [q1, q2, 0], "ZXZ")
    assert (A.x & N.x) == sm.cos(q1) and (N.x ^ N.y) == N.z and A.x.cross(A.x) == 0
    assert A.ang_vel_in(N) == q1.diff() * N.z
    assert (A.dcm(N) @ N.dcm(A)).simplify().tolist() == [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    assert A.x.dt(N) == q1.diff() * A.y and A.x.diff(q1, N) == A.y
    assert sm.dot(B.x, B.y) == 0 and (B.z & A.z) == sm.cos(q2)
    v = 3 * N.x + 4 * N.y
    assert v.magnitude() == 5 and v.normalize() == v / 5 and v.to_matrix(N).tolist() == [[3], [4], [0]]
    assert sm.express(A.x, N).args[0][1] == N
    J = sm.inertia(A, 1, 2, 3)
    assert (J & A.y) == 2 * A.y and (A.y & J) == 2 * A.y and J.to_matrix(A)[2, 2] == 3
    assert r"\otimes" in J.latex() and J._repr_latex_().startswith("$")
    assert "hat" in v.latex() and v._repr_latex_().startswith("$")
    # A cell of a notebook runs again.
    again = sm.ReferenceFrame("N")
    assert again != N and again.name == "N"
    with pytest.raises(sestina.InputError):
        again.dcm(N)


def test_lagrange_with_a_constraint_is_the_pendulum(own_derivation):
    x, y = sm.dynamicsymbols("x y")
    m, g, l = sm.symbols("m g l")
    N = sm.ReferenceFrame("N")
    O = sm.Point("O")
    O.set_vel(N, 0)
    P = O.locatenew("P", x * N.x + y * N.y)
    P.set_vel(N, x.diff() * N.x + y.diff() * N.y)
    ball = sm.Particle("ball", P, m)
    ball.potential_energy = m * g * y
    lagrange = sm.LagrangesMethod(sm.Lagrangian(N, ball), [x, y], hol_coneqs=[x**2 + y**2 - l**2])
    assert lagrange.lam_vec.shape == (1, 1) and len(lagrange.form_lagranges_equations()) == 2
    values = {m: 2.0, g: 9.81, l: 1.5, x: 0.0, y: -1.5, x.diff(): 0.4, y.diff(): 0.0}
    rates = [element.evaluate(values) for element in lagrange.rhs()]
    assert rates == pytest.approx([0.4, 0.0, 0.0, 0.4**2 / 1.5], abs=1e-14)
    tension = lagrange.solve_multipliers()[lagrange.lam_vec[0]].evaluate(values) * 2 * 1.5
    assert tension == pytest.approx(2.0 * (9.81 + 0.4**2 / 1.5), rel=1e-14)
    assert lagrange.mass_matrix_full.shape == (5, 5) and lagrange.forcing_full.shape == (5, 1)
    assert lagrange.lam_coeffs.tolist() == [[-2 * x, -2 * y]] and lagrange.mass_matrix_full[4, 2] == 2 * x
    free = sm.LagrangesMethod(sm.Lagrangian(N, ball), [x, y])
    assert free.mass_matrix.tolist() == [[m, 0], [0, m]] and free.forcing[1].equals(-m * g)
    A, B, inputs = free.linearize(A_and_B=True)
    assert A.shape == (4, 4) and len(inputs) == 0


def test_linearisation_of_the_cart_pole():
    names = pendulum_on_a_cart(1)
    kane, q, u, m, l, g = (names[name] for name in ("kane", "q", "u", "m", "l", "g"))
    upright = {q[0]: 0, q[1]: sm.pi / 2, u[0]: 0, u[1]: 0}
    one = kane.linearize(op_point=upright)
    assert one.states == [*q, *u] and one.inputs == [names["f"]]
    # The inverted pendulum: l theta'' - x'' = g theta, (m0 + m1) x'' - m1 l theta'' = f.
    assert one.A[3, 1].equals((m[0] + m[1]) * g / (m[0] * l[0])) and one.B[2, 0].equals(1 / m[0])
    A, B, inputs = kane.linearize(A_and_B=True, op_point=upright)
    assert A == one.A and B == one.B and list(inputs) == one.inputs

    stray, unused = sm.dynamicsymbols("w1"), sm.symbols("unused")
    kane.linearize(op_point=[upright, {unused: 1, u[0].diff(): 0}])
    with pytest.raises(sestina.InputError, match="op_point: w1 is a function of time that is not of this system; allowed"):
        kane.linearize(op_point={**upright, stray: 0})
    with sm.Mechanics():
        other = sm.dynamicsymbols("u0")
    with pytest.raises(sestina.InputError, match="replacements: u0 and the rest belong to different derivations"):
        kane.linearize(op_point={**upright, other: 0})


@pytest.mark.usefixtures("own_derivation")
def test_linearisation_of_a_driven_system():
    x, y, r = sm.dynamicsymbols("x y r")
    m, k = sm.symbols("m k")
    energy = m * (x.diff() ** 2 + y.diff() ** 2) / 2 - k * x**2 / 2
    driven = sm.LagrangesMethod(energy, [x, y], hol_coneqs=[x - y - r])
    one = driven.linearize([y], [y.diff()], op_point={x: 0, y: 0})
    # 2 m y'' = -k (y + r) - m r''
    B = dict(zip(one.inputs, (one.B[1, j] for j in range(3)), strict=True))
    assert B[r].equals(-k / (2 * m)) and B[r.diff()] == 0 and B[r.diff().diff()].equals(Fraction(-1, 2))
    assert one.D0.shape == (2, 3) and one.D0[0, one.inputs.index(r)] == 1
    with pytest.raises(sestina.InputError, match="the number of independent coordinates is 2, but must be 1"):
        driven.linearize(op_point={x: 0, y: 0})
    with pytest.raises(sestina.InputError, match="the state violates the configuration constraint"):
        driven.linearize([y], [y.diff()], op_point={x: 1, y: 0, r: 2})


@pytest.mark.usefixtures("own_derivation")
def test_added_mass_is_part_of_the_mass_matrix():
    x, u = sm.dynamicsymbols("x u")
    m, ma, F = sm.symbols("m ma F")
    N = sm.ReferenceFrame("N")
    O = sm.Point("O")
    O.set_vel(N, 0)
    P = O.locatenew("P", x * N.x)
    P.set_vel(N, u * N.x)
    kane = sm.KanesMethod(N, q_ind=[x], u_ind=[u], kd_eqs=[x.diff() - u])
    fr, frstar = kane.kanes_equations([sm.Particle("p", P, m)], [(P, (F - ma * u.diff()) * N.x)])
    assert fr[0].equals(F - ma * u.diff()) and frstar[0].equals(-m * u.diff())
    assert kane.mass_matrix[0].equals(m + ma) and kane.forcing[0] == F and kane.rhs()[1].equals(F / (m + ma))
    with pytest.raises(sestina.InputError, match="the force at point P.*is not linear"):
        kane.kanes_equations([sm.Particle("p", P, m)], [(P, u.diff() ** 2 * N.x)])


def test_rigid_body_and_kinematic_equations():
    angles, w = sm.dynamicsymbols("a:3"), sm.dynamicsymbols("w:3")
    N, B = sm.ReferenceFrame("N"), sm.ReferenceFrame("B")
    B.orient(N, "Body", angles, "123")
    B.set_ang_vel(N, w[0] * B.x + w[1] * B.y + w[2] * B.z)
    O = sm.Point("O")
    O.set_vel(N, 0)
    I1, I2, I3, m = sm.symbols("I1 I2 I3 m")
    body = sm.RigidBody("top", O, B, m, (sm.inertia(B, I1, I2, I3), O))
    assert body.kinetic_energy(N).equals((I1 * w[0] ** 2 + I2 * w[1] ** 2 + I3 * w[2] ** 2) / 2)
    assert body.angular_momentum(O, N) == I1 * w[0] * B.x + I2 * w[1] * B.y + I3 * w[2] * B.z
    kane = sm.KanesMethod(N, angles, w, sm.kinematic_equations(w, angles, "body", "123"), bodies=[body])
    assert kane.forcing[0].equals((I2 - I3) * w[1] * w[2])  # Euler's equations
    weight = sm.gravity(-9.81 * N.z, body)
    assert weight[0].point == O and weight[0].force == -9.81 * m * N.z
    assert sm.kinetic_energy(N, body) == body.kinetic_energy(N) and sm.center_of_mass(O, body) == 0


def test_copies_are_the_same_thing():
    q = sm.dynamicsymbols("q")
    N, O = sm.ReferenceFrame("frame to copy"), sm.Point("point to copy")
    for one in (q, sm.Matrix([q]), N, O, q * N.x, sm.inertia(N, 1, 2, 3)):
        assert copy.copy(one) is one and copy.deepcopy(one) is one
        with pytest.raises(TypeError, match="cannot pickle"):
            pickle.dumps(one)
    assert copy.deepcopy({q: [N.x]})[q][0] == N.x


def test_things_of_two_derivations_never_meet():
    def things():
        q, m = sm.dynamicsymbols("q"), sm.symbols("m")
        N, O = sm.ReferenceFrame("N"), sm.Point("O")
        O.set_vel(N, 0)
        A = N.orientnew("A", "Axis", [q, N.z])
        return q, m, N, A, O, q * A.x, sm.inertia(N, m, m, m), sm.Matrix([q, m]), sm.Particle("P", O, m)

    with sm.Mechanics():
        q1, m1, N1, A1, O1, v1, D1, M1, P1 = things()
    with sm.Mechanics():
        q2, m2, N2, A2, O2, v2, D2, M2, P2 = things()
    attempts = [
        lambda: q1 + q2,
        lambda: q1**m2,
        lambda: q1.diff(q2),
        lambda: q1.subs({q1: q2}),
        lambda: q1.equals(q2),
        lambda: sm.atan2(q1, q2),
        lambda: v1 + v2,
        lambda: v1 & v2,
        lambda: v1 ^ v2,
        lambda: v1 * q2,
        lambda: v1.dt(N2),
        lambda: v1.express(N2),
        lambda: v1.diff(q2, N1),
        lambda: v1.subs({q1: q2}),
        lambda: D1 & v2,
        lambda: D1 + D2,
        lambda: M1 + M2,
        lambda: M1.jacobian([q2]),
        lambda: M1.LUsolve(M2),
        lambda: M1 * q2,
        lambda: sm.Matrix([q1, q2]),
        lambda: N1.dcm(N2),
        lambda: N1.ang_vel_in(N2),
        lambda: N1.orientnew("C", "Axis", [q2, N1.z]),
        lambda: N1.orientnew("C", "Body", [q1, q2, 0], "123"),
        lambda: A1.set_ang_vel(N1, v2),
        lambda: O1.set_vel(N2, 0),
        lambda: O1.locatenew("Q", v2),
        lambda: O1.v2pt_theory(O2, N1, A1),
        lambda: O1.pos_from(O2),
        lambda: sm.Particle("P", O1, m2),
        lambda: sm.inertia(N1, m2, 1, 1),
        lambda: sm.RigidBody("B", O1, A1, m1, (D2, O1)),
        lambda: sm.kinetic_energy(N2, P1),
        lambda: sm.LagrangesMethod(q1.diff() ** 2, [q2]),
        lambda: sm.KanesMethod(N1, [q1], [m1], [q2]).kanes_equations([P1], []),
        lambda: sm.KanesMethod(N1, [q1], [q1], [q1.diff() - q1]).kanes_equations([P2], []),
        lambda: sm.KanesMethod(N1, [q1], [q1], [q1.diff() - q1]).kanes_equations([P1], [(O2, v1)]),
        lambda: sm.CompiledFunction([q1, q2], [q1, q2]),
        lambda: sm.to_source("f", [q1], [q2]),
    ]
    for attempt in attempts:
        with pytest.raises(sestina.InputError):
            attempt()
    assert q1 != q2 and v1 != v2 and N1 != N2 and q1 + 1 != q2 + 1
    assert len({q1, q2}) == 2


def test_an_expression_outlives_everything_else():
    def make():
        with sm.Mechanics():
            q = sm.dynamicsymbols("q")
            N = sm.ReferenceFrame("N")
            A = N.orientnew("A", "Axis", [q, N.z])
            return (A.x & N.y), A.x.dt(N)

    made = [make() for _ in range(20)]
    gc.collect()
    for sine, rate in made:
        (q,) = sine.free_symbols
        assert sine.diff(q).evaluate({q: 0.3}) == math.cos(0.3)
        frame = rate.args[0][1]
        assert frame.name == "A" and rate.dt(frame) == q.diff().diff() * frame.y


def test_latex():
    theta, omega_max = sm.dynamicsymbols("theta1"), sm.symbols("omega_max")
    assert sm.sin(theta).latex() == r"\sin{\theta_{1}}"
    assert (omega_max * theta.diff())._repr_latex_() == r"$\displaystyle \omega_{\mathrm{max}} \dot{\theta}_{1}$"
    assert "bmatrix" in sm.Matrix([theta, 1])._repr_latex_()


def test_source_code_computes_the_same():
    x, y = sm.symbols("x y")
    names: dict = {}
    exec(sm.to_source("f", [sm.sin(x) * y, x**2], [x, y], "python"), names)
    assert names["f"]([0.3, 2.0]) == pytest.approx([2 * math.sin(0.3), 0.09], rel=1e-15)
    assert "void f(const double *in, double *out)" in sm.to_source("f", [x], [x])
    with pytest.raises(sestina.InputError):
        sm.to_source("f", [x], [x], "fortran")


def test_the_equations_of_a_model_have_the_numbers_of_its_solvers(arm):
    equations = sestina.derive(arm)
    states = [*equations.q, *equations.u]
    values = list(arm.parameters.values())
    M = sm.CompiledFunction(equations.mass_matrix, states, equations.parameters)
    forcing = sm.CompiledFunction(equations.forcing, states, equations.parameters)
    random_numbers = np.random.default_rng(2)
    q, u = random_numbers.standard_normal((20, arm.nq)), random_numbers.standard_normal((20, arm.nu))
    x = np.concatenate([q, u], axis=1)
    np.testing.assert_allclose(M(x, values), arm.mass_matrix(q), rtol=1e-11, atol=1e-11)
    udot = np.linalg.solve(M(x, values), forcing(x, values))[..., 0]
    np.testing.assert_allclose(udot, arm.forward_dynamics(q, u), rtol=1e-8, atol=1e-8)


# The angle at which a spring holds the rod follows from the parameters: (k + m g l cos q)/(m l^2).
def test_linearisation_at_rest_holds_for_other_parameters():
    def rod(k):
        system = sestina.System(gravity=(0, -9.81, 0), parameters={"k": k, "l": 0.5})
        system.add_rigid_body("rod", 2.0, center_of_mass=(0, "-l", 0))
        system.add_joint("hip", "revolute", "ground.origin", "rod.origin", axis=(0, 0, 1), q=1.4)
        system.add_joint_spring("spring", "hip", "k", 2.0)
        equations = sestina.derive(system)
        return equations, equations.linearize(equilibrium=True)

    (equations, soft), (_, stiff) = rod(20.0), rod(30.0)
    k, l = equations.parameters
    assert soft.values == {k: 20.0, l: 0.5, equations.q[0]: soft.q[0]}
    assert soft.A[1, 0].free_symbols == {k, l, equations.q[0]}
    for one in (soft, stiff):
        of_rest = {k: list(one.values.values())[0], l: 0.5, equations.q[0]: one.q[0]}
        assert soft.A[1, 0].evaluate(of_rest) == pytest.approx(-abs(one.eigenvalues[0]) ** 2, rel=1e-10)
        assert sm.calc_eigenvalues(soft.A, of_rest) == pytest.approx(one.eigenvalues, rel=1e-10)
    with pytest.raises(sestina.InputError, match="q_hip"):
        sm.calc_eigenvalues(soft.A, {k: 30.0, l: 0.5})
    function = sm.CompiledFunction(soft.A, list(soft.values))
    assert function(list(soft.values.values()))[1, 0] == pytest.approx(soft.A[1, 0].evaluate(soft.values), rel=1e-14)


def test_derive_writes_what_the_command_line_writes(pendulum):
    equations = sestina.derive(pendulum)
    assert "q_hinge" in equations.to_text() and "def " in equations.to_text("python")
    assert equations.to_text("latex", document=True, width=300).startswith(r"\documentclass")
    assert equations.to_text("latex") == equations.latex() and "$" in equations._repr_latex_()
    udot = equations.solve_accelerations()
    q, (m1, l) = equations.q[0], equations.parameters
    assert udot[0].equals(-3 * sm.Expression(9.81) / (2 * l) * sm.sin(q)) or len(udot) == 1
    assert udot[0].evaluate({q: 0.5, m1: 1.0, l: 2.0}) == pytest.approx(-3 * 9.81 / 4 * math.sin(0.5), rel=1e-14)
    with pytest.raises(sestina.InputError, match="allowed are text"):
        equations.to_text("fortran")


def test_a_model_by_lagrange_and_linearised(pendulum):
    equations = sestina.derive(pendulum, method="lagrange")
    q, (m1, l) = equations.q[0], equations.parameters
    values = {q: 0.5, m1: 1.0, l: 2.0}
    assert equations.solve_accelerations()[0].evaluate(values) == pytest.approx(-3 * 9.81 / 4 * math.sin(0.5), rel=1e-14)
    with pytest.raises(sestina.InputError, match="method: 'newton'; allowed are kane and lagrange"):
        sestina.derive(pendulum, method="newton")
    linear = equations.linearize(equilibrium=True)
    length = pendulum.parameters["l"]
    frequency = math.sqrt(1.5 * 9.81 / length)
    assert [abs(x) for x in linear.eigenvalues] == pytest.approx([frequency] * 2, rel=1e-12)
    assert linear.A[1, 0].evaluate({m1: 1.0, l: 2.0}) == pytest.approx(-3 * 9.81 / 4, rel=1e-12)
    assert len(linear.states) == 2 and len(linear.inputs) == 1 and linear.q == pytest.approx([0.0], abs=1e-9)
    assert linear.largest_acceleration < 1e-9 and '"A"' in linear.to_text("json") and "eigenvalue" in linear.to_text()


NONSENSE = [None, "text", b"b", True, 1j, float("nan"), [], [[]], {}, (1, 2), object(), np.zeros(3), lambda: 1, 10**400]


@pytest.mark.filterwarnings("ignore:nanobind")
@pytest.mark.parametrize("seed", range(3))
def test_malformed_calls_end_in_exceptions(seed):
    draw = random.Random(seed)
    refused = 0
    with sm.Mechanics():
        q, u = sm.dynamicsymbols("q u")
        N, O = sm.ReferenceFrame("N"), sm.Point("O")
        A = N.orientnew("A", "Axis", [q, N.z])
        O.set_vel(N, 0)
        P = O.locatenew("P", q * A.x)
        good = [q, u, N, A, O, P, A.x, sm.inertia(N, 1, 2, 3), sm.Matrix([[q, 1], [1, u]]), sm.Particle("p", P, 1), 0, 2.5, "123"]
        subjects = [q, N, A, O, P, A.x, sm.inertia(A, 1, 2, 3), sm.Matrix([q, u]), sm.Particle("p", P, q), sm.CompiledFunction([q], [q])]
        functions = [getattr(sm, name) for name in sm.__all__ if callable(getattr(sm, name))]
        uninitialised = [kind.__new__(kind) for kind in (sm.Expression, sm.Vector, sm.Matrix, sm.Point)]
        for _ in range(500):
            arguments = [draw.choice([*NONSENSE, *uninitialised] if draw.random() < 0.5 else good) for _ in range(draw.choice([0, 1, 1, 2, 2, 3, 4]))]
            if draw.random() < 0.6:
                subject = draw.choice(subjects)
                names = [name for name in dir(subject) if not name.startswith("__") or name in ("__add__", "__pow__", "__getitem__", "__eq__", "__mul__", "__call__")]
                function = getattr(subject, draw.choice(names))
            else:
                function = draw.choice(functions)
            try:
                function(*arguments)
            except (sestina.Error, TypeError, ValueError, AttributeError, IndexError, KeyError, OverflowError, RuntimeError, ImportError):
                refused += 1
        assert refused > 300
        assert (q + u).subs({q: 1, u: 2}) == 3
