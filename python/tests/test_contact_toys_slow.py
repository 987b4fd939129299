"""Toys and structures with contacts, against integrations of their equations that share nothing with the engine."""

from __future__ import annotations

import numpy as np
import pytest
import sestina
from contact_models import G, box_inertia, coordinates, on_floor, speeds

integrate = pytest.importorskip("scipy.integrate")
optimize = pytest.importorskip("scipy.optimize")


def rotation(e: np.ndarray) -> np.ndarray:
    """(3, 3) of Euler parameters, scalar first, of any length."""
    s, v = e[0], e[1:]
    return np.eye(3) + 2 / (e @ e) * (s * cross(v) + cross(v) @ cross(v))


def cross(v: np.ndarray) -> np.ndarray:
    """(3, 3) matrix of v x."""
    return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])


TOP = {"m": 0.006, "R": 0.015, "a": 0.003, "across": 5.24e-7, "along": 5.0e-7}  # kg, m, m below the centre, kg m^2


def tippe_top(lean: float, spin: float, friction: float) -> sestina.System:
    """A sphere whose mass centre is below its middle, spinning about the vertical."""
    R, a = TOP["R"], TOP["a"]
    system = on_floor("tippe top")
    inertia = {"xx": TOP["across"], "yy": TOP["across"], "zz": TOP["along"]}
    skin = {"name": "skin", "type": "sphere", "radius": R}
    top = system.add_rigid_body(
        "top", TOP["m"], center_of_mass=(0, 0, -a), inertia=inertia, shapes=[skin], points={"stem": (0, 0, 1)}
    )
    middle = a * np.cross([0, 0, spin], [np.sin(lean), 0, np.cos(lean)])  # the mass centre is at rest
    start = [0, 0, R, np.cos(lean / 2), 0, np.sin(lean / 2), 0]
    system.add_joint("fly", "free", system.ground["origin"], top["origin"], q=start, u=[0, 0, spin, *middle])
    system.add_contact("touch", ["skin", "floor"], friction=friction)
    system.add_column("upright", "top.stem.z - fly.q[2]")  # cosine of the angle of its axis with the vertical
    return system


def top_that_slides(lean: float, spin: float, friction: float, times: np.ndarray) -> np.ndarray:
    """Cosine of the angle of its axis with the vertical, while its point of contact slides.

    The unknown N follows from the height of the mass centre, R - a cos: N/m - g = -a z . d2/dt2 axis.
    """
    m, R, a = TOP["m"], TOP["R"], TOP["a"]
    z = np.array([0, 0, 1.0])
    body = np.diag([TOP["across"], TOP["across"], TOP["along"]])

    def rates(_t: float, y: np.ndarray) -> np.ndarray:
        v, e, w = y[:2], y[2:6], y[6:]
        A = rotation(e)
        axis = A[:, 2]
        arm = a * axis - R * z
        slip = np.append(v, 0) + np.cross(w, arm)
        slip[2] = 0
        force = z - friction * slip / np.linalg.norm(slip)  # per N
        inverse = A @ np.linalg.inv(body) @ A.T
        of_rest = inverse @ -np.cross(w, A @ body @ A.T @ w)
        of_force = inverse @ np.cross(arm, force)
        lift = -a * (np.cross(of_rest, axis) + np.cross(w, np.cross(w, axis)))[2]
        N = (lift + G) / (1 / m + a * np.cross(of_force, axis)[2])
        turn = 0.5 * np.array([-w @ e[1:], *(e[0] * w + np.cross(w, e[1:]))])
        return np.concatenate([N / m * force[:2], turn, of_rest + N * of_force])

    start = [0, 0, np.cos(lean / 2), 0, np.sin(lean / 2), 0, 0, 0, spin]
    run = integrate.solve_ivp(rates, (0, times[-1]), start, method="DOP853", t_eval=times, rtol=1e-10, atol=1e-12)
    return np.array([rotation(e)[2, 2] for e in run.y[2:6].T])


def test_tippe_top_turns_over() -> None:
    """It slides for two seconds, in which its axis turns over, then rolls in a steady precession."""
    result = sestina.simulate(tippe_top(0.1, 150.0, 0.1), duration=3, every=0.02, rtol=1e-10, atol=1e-12)
    sliding = result.t < 1.9
    own = top_that_slides(0.1, 150.0, 0.1, result.t[sliding])
    assert result["upright"][sliding] == pytest.approx(own, abs=1e-6)
    assert own[0] > 0.99 and own[-1] < -0.7 and result["upright"][-1] < -0.94
    assert result["touch.slip"][sliding].min() > 0.04 and result["touch.slip"][-10:].max() < 1e-11
    energy = result["energy.total"] + result["energy.dissipated"]
    assert abs(energy - energy[0]).max() < 1e-8 * energy[0]
    # The moment of friction about the line from the middle to the mass centre's side, Jellett's integral.
    rows, A = len(result.t), np.array([rotation(e) for e in coordinates(result, "fly", 7)[:, 3:]])
    body = np.diag([TOP["across"], TOP["across"], TOP["along"]])
    momentum = np.einsum("nij,jk,nlk,nl->ni", A, body, A, speeds(result, "fly", 3))
    arm = TOP["a"] * A[:, :, 2] - TOP["R"] * np.array([0, 0, 1.0])
    jellett = np.einsum("ni,ni->n", momentum, arm)
    assert rows == 151 and np.ptp(jellett) < 1e-7 * abs(jellett[0])


# T. R. Kane, D. A. Levinson, Realistic mathematical modeling of the rattleback, Int. J. Non-Linear Mechanics 17 (1982)
# 175-186: half axes of the ellipsoid, mass, depth of the mass centre, moments and product of inertia.
AXES, DEPTH = np.array([0.2, 0.03, 0.02]), 0.01  # m; 1 kg
RATTLEBACK = np.array([[2e-4, -2e-5, 0], [-2e-5, 16e-4, 0], [0, 0, 17e-4]])  # kg m^2


def rattleback(spin: float) -> tuple[sestina.System, np.ndarray, np.ndarray]:
    """The system, and at the start the vertical and the angular velocity in the axes of the body."""
    lean = np.array([0.5, 0.5, 0]) * np.pi / 180
    angle = np.linalg.norm(lean)
    e = np.array([np.cos(angle / 2), *(np.sin(angle / 2) / angle * lean)])
    A = rotation(e)
    up = A.T @ [0, 0, 1]
    height = np.linalg.norm(AXES * up)
    middle = -np.cross([0, 0, spin], A @ (-(AXES**2) * up / height))  # rolls
    system = on_floor("rattleback")
    inertia = {"xx": 2e-4, "yy": 16e-4, "zz": 17e-4, "xy": -2e-5}
    skin = {"name": "skin", "type": "ellipsoid", "size": [float(2 * a) for a in AXES]}
    stone = system.add_rigid_body("stone", 1, center_of_mass=(0, 0, -DEPTH), inertia=inertia, shapes=[skin])
    start = [0, 0, height, *e]
    system.add_joint("fly", "free", system.ground["origin"], stone["origin"], q=start, u=[0, 0, spin, *middle])
    system.add_contact("touch", ["skin", "floor"], friction=2.0)
    return system, up, A.T @ [0, 0, spin]


def rolling_rattleback(up: np.ndarray, w: np.ndarray, times: np.ndarray) -> np.ndarray:
    """Spin about the vertical of a body that rolls without slip, in its own axes.

    v = -w x r of the mass centre, r from there to the contact; I w' + w x I w = r x m (dv/dt + g).
    """
    D = np.diag(AXES**2)

    def rates(_t: float, y: np.ndarray) -> np.ndarray:
        n, w = y[:3], y[3:]
        n_rate = np.cross(n, w)
        k = np.sqrt(n @ D @ n)
        r = -D @ n / k + [0, 0, DEPTH]
        r_rate = -D @ n_rate / k + D @ n * (n @ D @ n_rate) / k**3
        rest = -np.cross(w, r_rate) - np.cross(w, np.cross(w, r)) + G * n  # of dv/dt + g, without w'
        w_rate = np.linalg.solve(RATTLEBACK - cross(r) @ cross(r), np.cross(r, rest) - np.cross(w, RATTLEBACK @ w))
        return np.concatenate([n_rate, w_rate])

    run = integrate.solve_ivp(
        rates, (0, times[-1]), [*up, *w], method="DOP853", t_eval=times, rtol=1e-10, atol=1e-12
    )
    return np.einsum("ij,ij->j", run.y[:3], run.y[3:])


@pytest.mark.parametrize(("spin", "reverses"), [(-5.0, True), (5.0, False)])
def test_rattleback_reverses_in_one_direction(spin: float, reverses: bool) -> None:
    """It turns in one direction stably; in the other it begins to rattle, and reverses."""
    system, up, w = rattleback(spin)
    result = sestina.simulate(system, duration=3.3, every=0.05, rtol=1e-10, atol=1e-12)
    own = rolling_rattleback(up, w, result.t)
    assert result["fly.u[2]"] == pytest.approx(own, abs=1e-6)
    assert (own[-1] * spin < 0) == reverses
    assert result["touch.normal_force"].min() > 0.1 * G
    assert (result["touch.friction_force"] < 2 * result["touch.normal_force"]).all()  # it sticks throughout
    assert np.ptp(result["energy.total"]) < 1e-9


# C. Glocker, Dynamik von Starrkoerpersystemen mit Reibung und Stoessen, VDI Fortschrittberichte 18/182 (1995) 162 ff.;
# F. Pfeiffer, C. Glocker, Multibody Dynamics with Unilateral Contacts (1996), 16.1: sleeve M, bird S, pole of radius r0.
PECKER = {
    "mM": 3e-4, "JM": 5e-9, "mS": 4.5e-3, "JS": 7e-7, "c": 5.6e-3, "r0": 2.5e-3, "rM": 3.1e-3, "hM": 5.8e-3,
    "lM": 1e-2, "lG": 1.5e-2, "hS": 2e-2, "lS": 2.01e-2, "mu": 0.3, "e": 0.5,
}  # fmt: skip
EDGE = 1e-4  # m, radius of the edges that touch the pole: sleeve below and above, beak
START = -0.2788, (-0.3411, 0.0, -7.4583)  # rad, angle of the bird; m/s, rad/s: near the limit cycle


def sleeve_at_the_pole() -> float:
    """The angle (rad) at which the lower edge of the sleeve touches the pole."""
    p = PECKER
    return optimize.brentq(
        lambda a: (p["rM"] + EDGE) * np.cos(a) - EDGE - p["r0"] + p["hM"] * np.sin(a), -0.2, 0, xtol=1e-16
    )


def woodpecker() -> sestina.System:
    """A sleeve on a pole carries a bird on a spring; impacts by Newton's law."""
    p = PECKER
    system = sestina.System("woodpecker", gravity=(0, 0, -G))
    turned = {"axis": [0, 1, 0], "angle": np.pi / 2}
    system.ground.shapes = [{"name": "pole", "type": "plane", "position": (p["r0"], 0, 0), "axes": turned}]

    def edge(name: str, x: float, z: float) -> dict:
        return {"name": name, "type": "sphere", "radius": EDGE, "position": (x + EDGE, 0, z)}

    slider = system.add_rigid_body("slider", 1e-9)
    edges = [edge("low", p["rM"], -p["hM"]), edge("high", p["rM"], p["hM"])]
    sleeve = system.add_rigid_body(
        "sleeve", p["mM"], inertia=dict.fromkeys(("xx", "yy", "zz"), p["JM"]), shapes=edges, points={"end": (p["lM"], 0, 0)}
    )
    bird = system.add_rigid_body(
        "bird",
        p["mS"],
        inertia=dict.fromkeys(("xx", "yy", "zz"), p["JS"]),
        shapes=[edge("beak", -p["lS"], p["hS"])],
        points={"tail": (-p["lG"], 0, 0)},
    )
    a, (y_rate, a_rate, b_rate) = sleeve_at_the_pole(), START[1]
    axis = (0, -1, 0)
    system.add_joint("y", "prismatic", system.ground["origin"], slider["origin"], axis=(0, 0, 1), u=y_rate)
    system.add_joint("a", "revolute", slider["origin"], sleeve["origin"], axis=axis, q=a, u=a_rate)
    system.add_joint("bend", "revolute", sleeve["end"], bird["tail"], axis=axis, q=START[0] - a, u=b_rate - a_rate)
    system.add_joint_spring("spring", "bend", stiffness=p["c"])
    for name, e in (("beak", p["e"]), ("low", 0), ("high", 0)):
        system.add_contact(f"{name}_touch", ["pole", name], friction=p["mu"], restitution=e, law="newton")
    return system


def step_woodpecker(duration: float, h: float) -> np.ndarray:
    """(steps + 1, 4) t, height and angles by Moreau's scheme with projected Gauss-Seidel sweeps."""
    p = PECKER
    q, u = np.array([0, sleeve_at_the_pole(), START[0]]), np.array(START[1])
    rows, restitution, friction = [[0, *q]], (p["e"], 0, 0), p["mu"]

    def place(angle: float, k: int, x: float, z: float, origin: tuple[float, np.ndarray, np.ndarray]) -> tuple:
        """Distance from the pole of an edge, with its derivatives across and along the pole."""
        c, s = np.cos(angle), np.sin(angle)
        at_x, at_z = x * c - z * s, x * s + z * c
        J_x, J_z = origin[1].copy(), origin[2].copy()
        J_x[k] -= at_z
        J_z[k] += at_x - EDGE
        return origin[0] + at_x - EDGE - p["r0"], J_x, J_z

    for step in range(round(duration / h)):
        q = q + h / 2 * u
        (_, a, b), (ca, sa, cb, sb) = q, (np.cos(q[1]), np.sin(q[1]), np.cos(q[2]), np.sin(q[2]))
        J_x, J_z = np.array([0, -p["lM"] * sa, -p["lG"] * sb]), np.array([1, p["lM"] * ca, p["lG"] * cb])
        M = np.diag([p["mM"], p["JM"], p["JS"]]) + p["mS"] * (np.outer(J_x, J_x) + np.outer(J_z, J_z))
        bias_x = -p["lM"] * ca * u[1] ** 2 - p["lG"] * cb * u[2] ** 2
        bias_z = -p["lM"] * sa * u[1] ** 2 - p["lG"] * sb * u[2] ** 2
        f = np.array([-p["mM"] * G, -p["c"] * (a - b), p["c"] * (a - b)]) - p["mS"] * (J_x * bias_x + J_z * (bias_z + G))
        inverse = np.linalg.inv(M)
        before, u = u, u + h * inverse @ f
        middle, pole = (p["lM"] * ca + p["lG"] * cb, J_x, J_z), (0.0, np.zeros(3), np.array([1.0, 0, 0]))
        edges = [
            place(b, 2, -p["lS"] + EDGE, p["hS"], middle),
            place(a, 1, p["rM"] + EDGE, -p["hM"], pole),
            place(a, 1, p["rM"] + EDGE, p["hM"], pole),
        ]
        closed = [(e, *edge[1:], inverse @ edge[1], inverse @ edge[2]) for e, edge in zip(restitution, edges) if edge[0] <= 0]
        impulse = np.zeros((len(closed), 2))
        for _ in range(300 if closed else 0):
            change = 0.0
            for i, (e, n, t, by_n, by_t) in enumerate(closed):
                x = max(0, impulse[i, 0] - (n @ u + e * (n @ before)) / (n @ by_n))
                u = u + by_n * (x - impulse[i, 0])
                y = np.clip(impulse[i, 1] - t @ u / (t @ by_t), -friction * x, friction * x)
                u = u + by_t * (y - impulse[i, 1])
                change = max(change, abs(x - impulse[i, 0]), abs(y - impulse[i, 1]))
                impulse[i] = x, y
            if change < 1e-15:
                break
        q = q + h / 2 * u
        rows.append([(step + 1) * h, *q])
    return np.array(rows)


def periods(t: np.ndarray, angle: np.ndarray) -> np.ndarray:
    """Times between upward zeros."""
    (i,) = np.nonzero((angle[:-1] < 0) & (angle[1:] >= 0))
    return np.diff(t[i] - angle[i] * (t[i + 1] - t[i]) / (angle[i + 1] - angle[i]))


def test_woodpecker_pecks_its_way_down() -> None:
    """Each cycle has stick, slip, flight, and impacts of all three edges. Its period is constant after a few.

    Glocker's own geometry is linear in the angles, which makes the period 0.146 s; here they are as large as 0.48 rad.
    """
    result = sestina.simulate(woodpecker(), duration=1, every=5e-4)
    bird = result["a.q"] + result["bend.q"]
    own = step_woodpecker(0.35, 1e-4)
    early = result.t <= 0.0805  # until the beak strikes: impacts follow in quick succession
    at = np.searchsorted(own[:, 0], result.t[early] - 1e-9)
    assert bird[early] == pytest.approx(own[at, 3], abs=3e-4)
    assert result["y.q"][early] == pytest.approx(own[at, 1], abs=1e-5)
    assert periods(result.t, bird)[:1] == pytest.approx(periods(own[:, 0], own[:, 3])[:1], rel=1e-2)
    assert periods(result.t, bird)[-4:] == pytest.approx(0.13135, abs=2e-5)  # own with steps of 2e-5 s: 0.1314(1)
    for edge in ("beak", "low", "high"):
        assert abs(result[f"{edge}_touch.gap"]).min() < 1e-4 < result[f"{edge}_touch.gap"].max()
    assert abs(result["energy.total"] + result["energy.dissipated"] - result["energy.total"][0]).max() < 2e-9


def test_stack_of_ten_boxes_rests_for_a_minute() -> None:
    """Boxes of 0.1 m that lie on each other with offsets of up to 5 mm."""
    system, a = on_floor("stack"), 0.1
    for i in range(10):
        skin = {"name": f"skin{i}", "type": "box", "size": (a, a, a)}
        box = system.add_rigid_body(f"box{i}", 1, inertia=box_inertia(1, a, a, a), shapes=[skin])
        x, y = 0.005 * np.sin(3 * i), 0.005 * np.cos(5 * i)
        start = [x, y, a / 2 + a * i, 1, 0, 0, 0]
        system.add_joint(f"fly{i}", "free", system.ground["origin"], box["origin"], q=start)
        system.add_contact(f"bed{i}", [f"skin{i - 1}" if i > 0 else "floor", f"skin{i}"], friction=0.5)
    result = sestina.simulate(system, duration=60, every=20)
    for i in range(10):
        assert np.ptp(coordinates(result, f"fly{i}", 7), axis=0).max() < 1e-11  # asked: 1e-9
        assert result[f"bed{i}.normal_force"] == pytest.approx((10 - i) * G, rel=1e-6)
