# A mass on a spring and a damper by Kane's method, linearised; after SymPy's documentation of physics.mechanics.
from sympy import *
from sympy.physics.mechanics import *

q, u = dynamicsymbols("q u")
qd, ud = dynamicsymbols("q u", 1)
m, c, k = symbols("m c k")
N = ReferenceFrame("N")
P = Point("P")
P.set_vel(N, u * N.x)
kd = [qd - u]
FL = [(P, (-k * q - c * u) * N.x)]
pa = Particle("pa", P, m)
BL = [pa]
KM = KanesMethod(N, q_ind=[q], u_ind=[u], kd_eqs=kd)
(fr, frstar) = KM.kanes_equations(BL, FL)
T = KM.mass_matrix_full.LUsolve(KM.forcing_full)
(A, B, inp) = KM.linearize(A_and_B=True)
vals = {m: 2, c: 3, k: 5, q: Rational(1, 3), u: Rational(2, 3)}
result = [T[i].subs(vals).evalf() for i in range(2)]
