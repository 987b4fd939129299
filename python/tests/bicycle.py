"""The bicycle of Carvallo and Whipple with the parameters of Meijaard, Papadopoulos, Ruina and Schwab 2007,
"Linearized dynamics equations for the balance and steer of a bicycle", Proc. R. Soc. A 463, table 1, in the axes of that
paper: x forward, y to the right, z down.
"""

from __future__ import annotations

from typing import NamedTuple

from sestina.symbolic import *

TABLE_1 = {
    "w": 1.02, "c": 0.08, "g": 9.81, "r_R": 0.3, "r_F": 0.35, "m_R": 2.0, "IR_xx": 0.0603, "IR_yy": 0.12,
    "x_B": 0.3, "z_B": -0.9, "m_B": 85.0, "IB_xx": 9.2, "IB_yy": 11.0, "IB_zz": 2.8, "IB_xz": 2.4,
    "x_H": 0.9, "z_H": -0.7, "m_H": 4.0, "IH_xx": 0.05892, "IH_yy": 0.06, "IH_zz": 0.00708, "IH_xz": -0.00756,
    "m_F": 3.0, "IF_xx": 0.1405, "IF_yy": 0.28,
}  # fmt: skip


class Bicycle(NamedTuple):
    kane: KanesMethod
    parameters: dict[Expression, float]
    q: list[Expression]  #: yaw, lean, steer, pitch
    u: list[Expression]  #: of yaw, lean, rear wheel, pitch, steer, front wheel
    energy: Expression  #: J
    v: Expression  #: m/s
    riding: dict[Expression, Expression | float]  #: upright and straight on at v


def bicycle() -> Bicycle:
    """Rear frame B by yaw, lean and pitch; front frame H by the steer angle about an axis tilted back by lambda."""
    yaw, lean, pitch, steer = q = dynamicsymbols("psi phi theta delta")
    u = dynamicsymbols("u1:7")
    v, tilt = symbols("v lambda")
    p = {name: symbols(name) for name in TABLE_1}
    N = ReferenceFrame("N")
    Y = N.orientnew("Y", "Axis", [yaw, N.z])
    L = Y.orientnew("L", "Axis", [lean, Y.x])
    B = L.orientnew("B", "Axis", [pitch, L.y])
    S = B.orientnew("S", "Axis", [tilt, B.y])
    H = S.orientnew("H", "Axis", [steer, S.z])
    G = H.orientnew("G", "Axis", [-tilt, H.y])
    rear, front = ReferenceFrame("rear"), ReferenceFrame("front")
    Y.set_ang_vel(N, u[0] * Y.z)
    L.set_ang_vel(Y, u[1] * L.x)
    rear.set_ang_vel(B, u[2] * B.y)
    B.set_ang_vel(L, u[3] * B.y)
    H.set_ang_vel(S, u[4] * H.z)
    front.set_ang_vel(G, u[5] * G.y)
    contact = Point("P")
    contact.set_vel(N, 0)
    hub = contact.locatenew("D", -p["r_R"] * L.z)
    hub.v2pt_theory(contact, N, rear)
    on_axis = hub.locatenew("K", (p["w"] + p["c"]) * B.x + p["r_R"] * B.z)
    on_axis.v2pt_theory(hub, N, B)
    front_hub = on_axis.locatenew("F", -p["c"] * G.x - p["r_F"] * G.z)
    front_hub.v2pt_theory(on_axis, N, G)
    down = (Y.z - Y.z.dot(G.y) * G.y).normalize()
    front_contact = front_hub.locatenew("Q", p["r_F"] * down)
    front_contact.v2pt_theory(front_hub, N, front)
    rear_mass = hub.locatenew("C_B", p["x_B"] * B.x + (p["z_B"] + p["r_R"]) * B.z)
    rear_mass.v2pt_theory(hub, N, B)
    front_mass = on_axis.locatenew("C_H", (p["x_H"] - p["w"] - p["c"]) * G.x + p["z_H"] * G.z)
    front_mass.v2pt_theory(on_axis, N, G)

    def inertia_of(frame, name):
        xz = p.get(f"I{name}_xz", 0)
        zz = p.get(f"I{name}_zz", p[f"I{name}_xx"])
        return inertia(frame, p[f"I{name}_xx"], p[f"I{name}_yy"], zz, 0, 0, xz)

    bodies = [
        RigidBody("rear frame", rear_mass, B, p["m_B"], (inertia_of(B, "B"), rear_mass)),
        RigidBody("front frame", front_mass, G, p["m_H"], (inertia_of(G, "H"), front_mass)),
        RigidBody("rear wheel", hub, rear, p["m_R"], (inertia_of(B, "R"), hub)),
        RigidBody("front wheel", front_hub, front, p["m_F"], (inertia_of(G, "F"), front_hub)),
    ]
    slip = front_contact.vel(N)
    kane = KanesMethod(
        N,
        q_ind=[yaw, lean, steer],
        u_ind=[u[1], u[2], u[4]],
        kd_eqs=[yaw.diff() - u[0], lean.diff() - u[1], pitch.diff() - u[3], steer.diff() - u[4]],
        q_dependent=[pitch],
        configuration_constraints=[front_contact.pos_from(contact).dot(N.z)],
        u_dependent=[u[0], u[3], u[5]],
        velocity_constraints=[slip.dot(Y.x), slip.dot(Y.y), slip.dot(Y.z)],
    )
    kane.kanes_equations(bodies, gravity(p["g"] * N.z, *bodies))
    height = sum((body.mass * body.masscenter.pos_from(contact).dot(N.z) for body in bodies), 0)
    numbers = {p[name]: value for name, value in TABLE_1.items()} | {tilt: float(pi.evaluate({})) / 10}
    still = {one: 0.0 for one in [*q, *u]} | {one.diff(): 0.0 for one in q}
    riding = {**still, u[2]: -v / TABLE_1["r_R"], u[5]: -v / TABLE_1["r_F"]}
    energy = kinetic_energy(N, *bodies) - p["g"] * height
    return Bicycle(kane, numbers, q, u, energy, v, riding)
