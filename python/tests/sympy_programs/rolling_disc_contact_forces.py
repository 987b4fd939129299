# A rolling disc with auxiliary speeds: the forces at the contact; after SymPy's documentation of physics.mechanics.
from sympy import *
from sympy.physics.mechanics import *

q1, q2, q3, u1, u2, u3 = dynamicsymbols("q1 q2 q3 u1 u2 u3")
q1d, q2d, q3d, u1d, u2d, u3d = dynamicsymbols("q1 q2 q3 u1 u2 u3", 1)
u4, u5, u6 = dynamicsymbols("u4 u5 u6")
q4, q5, q6 = dynamicsymbols("q4 q5 q6")
r, m, g = symbols("r m g")
f1, f2, f3 = dynamicsymbols("f1 f2 f3")
mechanics_printing(pretty_print=False)
N = ReferenceFrame("N")
Y = N.orientnew("Y", "Axis", [q1, N.z])
L = Y.orientnew("L", "Axis", [q2, Y.x])
R = L.orientnew("R", "Axis", [q3, L.y])
w_R_N_qd = R.ang_vel_in(N)
R.set_ang_vel(N, u1 * L.x + u2 * L.y + u3 * L.z)
C = Point("C")
C.set_vel(N, u4 * L.x + u5 * cross(Y.z, L.x) + u6 * Y.z)
Dmc = C.locatenew("Dmc", r * L.z)
vel = Dmc.v2pt_theory(C, N, R)
I = inertia(L, m / 4 * r**2, m / 2 * r**2, m / 4 * r**2)
kd = [dot(R.ang_vel_in(N) - w_R_N_qd, uv) for uv in L]
ForceList = [(Dmc, - m * g * Y.z), (C, f1 * L.x + f2 * cross(Y.z, L.x) + f3 * Y.z)]
BodyD = RigidBody("BodyD", Dmc, R, m, (I, Dmc))
BodyList = [BodyD]
KM = KanesMethod(N, q_ind=[q1, q2, q3], u_ind=[u1, u2, u3], kd_eqs=kd, u_auxiliary=[u4, u5, u6])
(fr, frstar) = KM.kanes_equations(BodyList, ForceList)
MM = KM.mass_matrix
forcing = KM.forcing
rhs = MM.inv() * forcing
kdd = KM.kindiffdict()
rhs = rhs.subs(kdd)
rhs.simplify()
udots = {u1d: rhs[0], u2d: rhs[1], u3d: rhs[2]}
sol = solve(KM.auxiliary_eqs.subs(udots).subs(kdd), [f1, f2, f3])
vals = {r: Rational(3, 10), m: 2, g: Rational(981, 100), q1: Rational(1, 10), q2: Rational(2, 10), q3: Rational(3, 10), u1: 1, u2: 2, u3: 3}
result = [sol[f].subs(vals).evalf() for f in (f1, f2, f3)]
