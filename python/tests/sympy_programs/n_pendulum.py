# A cart with a chain of links, derived with symbols and evaluated by numpy, after SymPy's and PyDy's examples.
import numpy as np
from sympy import *
from sympy.physics.mechanics import *

n = 4
q = dynamicsymbols("q:{0}".format(n + 1))
u = dynamicsymbols("u:{0}".format(n + 1))
f = dynamicsymbols("f")
m = symbols("m:{0}".format(n + 1))
l = symbols("l:{0}".format(n))
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

parameters = [g, m[0]]
parameter_vals = [9.81, 0.01 / n]
for i in range(n):
    parameters += [l[i], m[i + 1]]
    parameter_vals += [1.0 / n, 0.01 / n]
dynamic = list(q) + list(u)
dynamic.append(f)
dummy_symbols = [Dummy() for i in dynamic]
dummy_dict = dict(zip(dynamic, dummy_symbols))
kindiff_dict = kane.kindiffdict()
M = kane.mass_matrix_full.subs(kindiff_dict).subs(dummy_dict)
F = kane.forcing_full.subs(kindiff_dict).subs(dummy_dict)
M_func = lambdify(dummy_symbols + parameters, M)
F_func = lambdify(dummy_symbols + parameters, F)


def right_hand_side(x, args):
    arguments = np.hstack((x, 0.3, args))
    return np.array(np.linalg.solve(M_func(*arguments), F_func(*arguments))).T[0]


x0 = np.hstack((0.1, np.linspace(0.4, 1.3, n), np.linspace(-1.0, 1.0, n + 1)))
dx = right_hand_side(x0, parameter_vals)
# The acceleration of the cart, and sums that are right to round-off in any order.
arguments = np.hstack((x0, 0.3, parameter_vals))
result = [*M_func(*arguments).sum(axis=1), *F_func(*arguments)[:, 0], float("%.9g" % dx[n + 1])]
