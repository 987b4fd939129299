# A rolling disc by Lagrange's method; after SymPy's documentation of physics.mechanics.
from sympy import *
from sympy.physics.mechanics import *

q1, q2, q3 = dynamicsymbols("q1 q2 q3")
q1d, q2d, q3d = dynamicsymbols("q1 q2 q3", 1)
r, m, g = symbols("r m g")
N = ReferenceFrame("N")
Y = N.orientnew("Y", "Axis", [q1, N.z])
L = Y.orientnew("L", "Axis", [q2, Y.x])
R = L.orientnew("R", "Axis", [q3, L.y])
C = Point("C")
C.set_vel(N, 0)
Dmc = C.locatenew("Dmc", r * L.z)
Dmc.v2pt_theory(C, N, R)
I = inertia(L, m / 4 * r**2, m / 2 * r**2, m / 4 * r**2)
BodyD = RigidBody("BodyD", Dmc, R, m, (I, Dmc))
BodyD.potential_energy = m * g * r * cos(q2)
Lag = Lagrangian(N, BodyD)
q = [q1, q2, q3]
l = LagrangesMethod(Lag, q)
le = l.form_lagranges_equations()
le.simplify()
rhs = l.rhs()
rhs.simplify()
vals = {r: Rational(3, 10), m: 2, g: Rational(981, 100), q1d: 1, q2d: 2, q3d: 3, q1: Rational(1, 10), q2: Rational(2, 10), q3: Rational(3, 10)}
result = [rhs[i].subs(vals).evalf() for i in range(6)]
