"""Contacts of small machines and toys against closed forms."""

from __future__ import annotations

import numpy as np
import pytest
import sestina
from contact_models import G, add_upright, box_inertia, coordinates, disc_inertia, on_floor


@pytest.mark.parametrize(("e", "law"), [(0.5, "stronge"), (0.8, "newton"), (0.8, "poisson"), (0.95, "stronge")])
def test_bouncing_ball_comes_to_rest_at_zenos_time(e: float, law: str) -> None:
    """A ball that falls by h rests after sqrt(2 h/g) (1 + e)/(1 - e), after infinitely many rebounds.

    The state of a row tells the rest that is to come: with the speed v at the next impact, that after
    (v + speed)/g and 2 e v/(g (1 - e)) more. Rebounds below 1e-14 m are rest: from 4 us before the end on.
    """
    r, h = 0.1, 0.5
    system = on_floor("ball")
    ball = system.add_rigid_body("ball", 1, shapes=[{"name": "skin", "type": "sphere", "radius": r}])
    system.add_joint("fly", "xyz", system.ground["origin"], ball["origin"], q=[0, 0, r + h])
    system.add_contact("touch", ["skin", "floor"], restitution=e, law=law)
    rest = np.sqrt(2 * h / G) * (1 + e) / (1 - e)
    for left in (1e-2, 1e-3, 1e-4, 2e-5):  # s
        result = sestina.simulate(system, duration=rest - left, every=rest - left)
        height, speed = result["fly.q[2]"][-1] - r, result["fly.u[2]"][-1]
        impact = np.sqrt(speed**2 + 2 * G * height)
        assert impact > 0
        assert (speed + impact) / G + 2 * e * impact / (G * (1 - e)) == pytest.approx(left, abs=1e-9)
    after = sestina.simulate(system, duration=rest + 1e-6, every=rest + 1e-6)
    assert after["fly.q[2]"][-1] == pytest.approx(r, abs=1e-14) and after["fly.u[2]"][-1] == 0
    assert after["touch.normal_force"][-1] == pytest.approx(G, rel=1e-6)


def groove(half_angle: float, slope: float, friction: float, speed: float) -> sestina.System:
    """A cylinder lies along a groove of two planes, which descends along x; it moves at `speed`."""
    r, mass = 0.1, 3.0
    system = sestina.System("groove", gravity=(G * np.sin(slope), 0, -G * np.cos(slope)))
    system.ground.shapes = [
        {"name": name, "type": "plane", "axes": {"axis": [1, 0, 0], "angle": sign * (np.pi / 2 - half_angle)}}
        for name, sign in (("left", -1), ("right", 1))
    ]
    skin = {"name": "skin", "type": "cylinder", "radius": r, "length": 0.3, "axes": {"axis": [0, 1, 0], "angle": np.pi / 2}}
    inertia = disc_inertia(mass, r, 0.3)
    inertia = {"xx": inertia["zz"], "yy": inertia["xx"], "zz": inertia["xx"]}
    bar = system.add_rigid_body("bar", mass, inertia=inertia, shapes=[skin])
    start = [0, 0, r / np.sin(half_angle), 1, 0, 0, 0]
    system.add_joint("fly", "free", system.ground["origin"], bar["origin"], q=start, u=[0, 0, 0, speed, 0, 0])
    for side in ("left", "right"):
        system.add_contact(f"on_{side}", ["skin", side], friction=friction)
    return system


@pytest.mark.parametrize("half_angle", [np.pi / 6, np.pi / 4])
def test_groove_multiplies_friction_by_its_angle(half_angle: float) -> None:
    """What slides has g (sin b - mu cos b/sin a), with the half angle a and the slope b."""
    mu = 0.3
    for slope in (0.2, 0.6):
        acceleration = G * (np.sin(slope) - mu * np.cos(slope) / np.sin(half_angle))
        result = sestina.simulate(groove(half_angle, slope, mu, 2.0), duration=0.4)
        assert result["fly.q[0]"] == pytest.approx(2 * result.t + acceleration / 2 * result.t**2, abs=1e-13)
        assert result["on_left.normal_force"] == pytest.approx(3 * G * np.cos(slope) / 2 / np.sin(half_angle), rel=1e-9)


@pytest.mark.parametrize("half_angle", [np.pi / 6, np.pi / 4])
def test_groove_holds_up_to_its_angle(half_angle: float) -> None:
    """What rests stays up to tan b = mu/sin a, and slides above mu/sqrt(sin^2 a - mu^2 cos^2 a).

    Between them both satisfy Coulomb's law: friction across the groove may wedge the cylinder in.
    """
    mu = 0.3
    holds = np.arctan(mu / np.sin(half_angle)) - 1e-9
    held = sestina.simulate(groove(half_angle, holds, mu, 0.0), duration=1)
    assert np.ptp(held["fly.q[0]"]) < 1e-13
    slope = np.arctan(mu / np.sqrt(np.sin(half_angle) ** 2 - (mu * np.cos(half_angle)) ** 2)) + 1e-9
    gone = sestina.simulate(groove(half_angle, slope, mu, 0.0), duration=1)
    acceleration = G * (np.sin(slope) - mu * np.cos(slope) / np.sin(half_angle))
    assert gone["fly.q[0]"] == pytest.approx(acceleration / 2 * gone.t**2, abs=1e-12)


def ladder(angle: float, friction: float, radius: float) -> sestina.System:
    """A uniform ladder of 2 m with round ends leans at the wall x = 0."""
    length, mass = 2.0, 5.0
    system = on_floor("ladder")
    system.ground.shapes.append({"name": "wall", "type": "plane", "axes": {"axis": [0, 1, 0], "angle": np.pi / 2}})
    ends = [
        {"name": name, "type": "sphere", "radius": radius, "position": (x, 0, 0)}
        for name, x in (("foot", length / 2), ("top", -length / 2))
    ]
    rod = system.add_rigid_body("rod", mass, inertia=box_inertia(mass, length, 0.01, 0.01), shapes=ends)
    middle = [length / 2 * np.cos(angle) + radius, length / 2 * np.sin(angle) + radius]
    add_upright(system, "lean", rod, [*middle, -angle])
    system.add_contact("foot_floor", ["foot", "floor"], friction=friction)
    system.add_contact("top_wall", ["top", "wall"], friction=friction)
    return system


def test_ladder_stands_down_to_its_angle_of_repose() -> None:
    """(1 - mu^2) cos a = 2 mu sin a + 2 mu (1 + mu) r/l, with the radius r of its ends."""
    mu, r = 0.3, 0.02
    a, b, c = 1 - mu**2, -2 * mu, mu * (1 + mu) * r  # a cos + b sin = c, with l = 2 m
    limit = np.arctan2(b, a) + np.arccos(c / np.hypot(a, b))
    stands = sestina.simulate(ladder(limit + 1e-6, mu, r), duration=1, every=0.1)
    assert np.ptp(coordinates(stands, "lean", 3), axis=0).max() < 1e-13
    weight = 5 * G
    assert stands["foot_floor.normal_force"] == pytest.approx(weight / (1 + mu**2), rel=1e-5)
    assert stands["top_wall.normal_force"] == pytest.approx(mu * weight / (1 + mu**2), rel=1e-5)
    slides = sestina.simulate(ladder(limit - 1e-6, mu, r), duration=1, every=0.1)
    turned = slides["lean.q[2]"] - slides["lean.q[2]"][0]
    assert turned[-1] > 4e-6 and (np.diff(turned) > 0).all()


@pytest.mark.parametrize("law", ["stronge", "newton", "poisson"])
@pytest.mark.parametrize(("raised", "e", "apart"), [(1, 1.0, 0.0), (2, 1.0, 0.0), (1, 0.9, 0.0), (1, 1.0, 1e-6)])
def test_newtons_cradle(law: str, raised: int, e: float, apart: float) -> None:
    """Five balls on rods of 1 m. Those that touch are struck at once, and all contacts return e of their impulse.

    m of n balls that strike with v go on with v (m - e (n - m))/n, the others with v m (1 + e)/n, by each of the three
    laws. Balls that are apart pass the impact on one after the other: the last one leaves with v.
    """
    n, r, angle = 5, 0.05, 0.3
    system = sestina.System("cradle", gravity=(0, 0, -G))
    for i in range(n):
        inertia = dict.fromkeys(("xx", "yy", "zz"), 0.4 * r**2)
        skin = {"name": f"skin{i}", "type": "sphere", "radius": r}
        ball = system.add_rigid_body(f"ball{i}", 1, inertia=inertia, shapes=[skin], points={"hook": (0, 0, 1)})
        system.ground.points[f"hook{i}"] = ((2 * r + apart) * i, 0, 1)
        q = angle if i < raised else 0
        system.add_joint(f"rod{i}", "revolute", system.ground[f"hook{i}"], ball["hook"], axis=(0, 1, 0), q=q)
    for i in range(n - 1):
        system.add_contact(f"touch{i}", [f"skin{i}", f"skin{i + 1}"], restitution=e, law=law)
    result = sestina.simulate(system, duration=0.6, every=0.3)
    w = G / (1 + 0.4 * r**2)  # rad^2/s^2: half of the square of the speed at the lowest point is w (1 - cos angle)
    v = np.sqrt(2 * w * (1 - np.cos(angle)))
    first, others = v * (raised - e * (n - raised)) / n, v * raised * (1 + e) / n
    expected = [first] * raised + [others] * (n - raised) if apart == 0 else [0] * (n - 1) + [v]
    end = np.array([result[f"rod{i}.q"][-1] for i in range(n)]), np.array([result[f"rod{i}.u"][-1] for i in range(n)])
    # The speeds at the lowest point, from those at the end and the height there.
    speed = np.sqrt(end[1] ** 2 + 2 * w * (1 - np.cos(end[0])))
    assert speed == pytest.approx(np.abs(expected), abs=1e-5 if apart else 1e-8)
    lost = 0.5 * (1 + 0.4 * r**2) * (raised * v**2 - np.square(expected).sum())
    assert result["energy.dissipated"][-1] == pytest.approx(lost, abs=1e-9)
    assert abs(result["energy.total"] + result["energy.dissipated"] - result["energy.total"][0]).max() < 1e-9


CAM = {"R": 0.05, "e": 0.01, "m": 0.5}  # m, m, kg


def cam(speed: float, stiffness: float = 0.0, preload: float = 0.0) -> sestina.System:
    """An eccentric disc turns at `speed` below a flat follower, which begins at its lowest position."""
    R, e = CAM["R"], CAM["e"]
    system = sestina.System("cam", gravity=(0, 0, -G))
    lobe = {"name": "lobe", "type": "cylinder", "radius": R, "length": 0.04, "position": (e, 0, 0)}
    lobe["axes"] = {"axis": [1, 0, 0], "angle": np.pi / 2}
    inertia = dict.fromkeys(("xx", "yy", "zz"), 1e-3)
    disc = system.add_rigid_body("disc", 1, inertia=inertia, shapes=[lobe])
    foot = {"name": "foot", "type": "box", "size": (0.1, 0.05, 0.02), "position": (0, 0, 0.01)}
    follower = system.add_rigid_body("follower", CAM["m"], shapes=[foot])
    system.add_joint("shaft", "revolute", system.ground["origin"], disc["origin"], axis=(0, -1, 0), q=-np.pi / 2, u=speed)
    system.add_joint("lift", "prismatic", system.ground["origin"], follower["origin"], axis=(0, 0, 1), q=R - e)
    system.add_constraint("motor", "motion", joint="shaft", value=f"-pi/2 + {speed}*t")
    if stiffness > 0:
        system.add_joint_spring("spring", "lift", stiffness=stiffness, reference=R - e - preload / stiffness)
    system.add_contact("touch", ["lobe", "foot"])
    return system


@pytest.mark.parametrize(("stiffness", "preload"), [(0.0, 0.0), (300.0, 2.0)])
def test_cam_follower_lifts_off_above_its_speed(stiffness: float, preload: float) -> None:
    """At its highest position m e w^2 = m g + preload + 2 k e."""
    R, e, m = CAM["R"], CAM["e"], CAM["m"]
    limit = np.sqrt((m * G + preload + 2 * stiffness * e) / (m * e))  # rad/s
    for factor in (1 - 1e-5, 1 + 1e-3):
        w = factor * limit
        duration = 2 * np.pi / w * 1.1
        result = sestina.simulate(cam(w, stiffness, preload), duration=duration, every=duration / 200)
        lift = e * (1 - np.cos(w * result.t))
        if factor > 1:
            assert result["touch.gap"].max() > 1e-7
            continue
        assert result["touch.gap"].max() < 2e-14
        assert result["lift.q"] == pytest.approx(R - e + lift, abs=2e-14)
        force = m * G + preload + stiffness * lift + m * e * w**2 * np.cos(w * result.t)
        assert result["touch.normal_force"] == pytest.approx(force, abs=2e-4)  # rows: a mean over 1e-7 s
        assert 0 < result["touch.normal_force"].min() < 2e-3


def test_cam_follower_flies_freely() -> None:
    """It leaves where e w^2 sin = g, and flies along a parabola."""
    R, e = CAM["R"], CAM["e"]
    w = 1.2 * np.sqrt(G / e)
    leaves = (np.pi / 2 + np.arcsin(G / e / w**2)) / w
    result = sestina.simulate(cam(w), duration=leaves + 0.02, every=5e-4)
    tau = result.t - leaves
    on, off = tau <= 0, tau > 0
    assert result["touch.gap"][on].max() < 1e-14
    height, speed = R + G / w**2, e * w * np.sqrt(1 - (G / e / w**2) ** 2)
    assert result["lift.q"][off] == pytest.approx(height + speed * tau[off] - G / 2 * tau[off] ** 2, abs=1e-9)
    assert result["touch.gap"][-1] > 1e-4


def sliding_rod(angle: float, friction: float, speed: float) -> sestina.System:
    """A slender rod of 1 m and 1 kg whose lower end slides over the floor along x, ahead of the upper one."""
    r = 1e-3
    system = on_floor("Painleve's rod")
    tip = {"name": "tip", "type": "sphere", "radius": r, "position": (0.5, 0, 0)}
    rod = system.add_rigid_body("rod", 1, inertia={"yy": 1 / 12, "zz": 1 / 12}, shapes=[tip])
    add_upright(system, "lean", rod, [-0.5 * np.cos(angle), r + 0.5 * np.sin(angle), -angle], [speed, 0, 0])
    system.add_contact("touch", ["tip", "floor"], friction=friction)
    return system


def test_rod_slides_while_a_force_exists() -> None:
    """Its end has an acceleration A N - g upwards for a force N, with A = 1 + 3 cos(cos - mu sin): N = g/A at first."""
    angle, mu = np.radians(60), 0.5
    A = 1 + 3 * np.cos(angle) * (np.cos(angle) - mu * np.sin(angle))
    result = sestina.simulate(sliding_rod(angle, mu, 2.0), duration=0.1, every=0.05)
    assert result["touch.normal_force"][0] == pytest.approx(G / A, rel=2e-3)  # the end is round: its radius is 1e-3
    assert result["touch.slip"][-1] > 1.5


@pytest.mark.parametrize(("degrees", "mu"), [(45, 2.0), (55, 2.0), (63, 1.6)])
def test_rod_jams_where_no_force_exists(degrees: float, mu: float) -> None:
    """Painleve's paradox: A < 0, no finite force keeps the end above the floor. An impact without collision stops it.

    The end sticks after the impulse -G^-1 v, with G = J M^-1 J^T of the end; the energy v G^-1 v/2 is lost.
    """
    angle, speed, r = np.radians(degrees), 2.0, 1e-3
    assert 1 + 3 * np.cos(angle) * (np.cos(angle) - mu * np.sin(angle)) < 0
    result = sestina.simulate(sliding_rod(angle, mu, speed), duration=0.02, every=1e-3)
    arm = np.array([0.5 * np.cos(angle), -0.5 * np.sin(angle) - r])  # from the mass centre to the point of contact
    J = np.array([[1, 0, -arm[1]], [0, 1, arm[0]]])
    inverse = np.diag([1, 1, 12.0])
    v = J @ [speed, 0, 0]
    impulse = -np.linalg.solve(J @ inverse @ J.T, v)
    assert 0 < abs(impulse[0]) < mu * impulse[1]  # within the cone of friction: sticking is possible
    after = [speed, 0, 0] + inverse @ J.T @ impulse
    lost = v @ np.linalg.solve(J @ inverse @ J.T, v) / 2
    assert result["energy.dissipated"][1:] == pytest.approx(lost, rel=1e-7)
    assert abs(result["energy.total"] + result["energy.dissipated"] - result["energy.total"][0]).max() < 1e-8
    first = np.array([result[f"lean.u[{i}]"][1] for i in range(3)])
    assert first == pytest.approx(after, abs=0.05)  # 1 ms later
    assert result["touch.slip"][0] == pytest.approx(speed) and result["touch.slip"][1:].max() < 1e-6
    assert 0 < result["touch.normal_force"][1:].min() and result["touch.normal_force"][1:].max() < 20
    # Towards the other side the same rod slides: friction lifts the end.
    other = sestina.simulate(sliding_rod(angle, mu, -speed), duration=0.02, every=0.01)
    assert other["touch.slip"].min() > 1.5


def test_disc_spins_on_three_points() -> None:
    """A flat disc touches a plane at three points of its rim: it stops after w R/(2 mu g), not after 3/4 of it.

    An even pressure would have 2/3 of this torque. A disc that also slides stops doing both at once.
    """
    R, h, mu, w = 0.1, 0.02, 0.2, 30.0
    system = on_floor("disc")
    skin = {"name": "skin", "type": "cylinder", "radius": R, "length": h}
    disc = system.add_rigid_body("disc", 1, inertia=disc_inertia(1, R, h), shapes=[skin])
    fly = system.add_joint("fly", "free", system.ground["origin"], disc["origin"], q=[0, 0, h / 2, 1, 0, 0, 0])
    fly.u = [0, 0, w, 0, 0, 0]
    system.add_contact("touch", ["skin", "floor"], friction=mu)
    stop = w * R / (2 * mu * G)
    result = sestina.simulate(system, duration=1.1 * stop)
    assert result["fly.u[2]"] == pytest.approx(np.maximum(0, w - 2 * mu * G / R * result.t), abs=1e-12)
    assert coordinates(result, "fly", 3) == pytest.approx(np.tile([0, 0, h / 2], (len(result.t), 1)), abs=1e-14)
    fly.u = [0, 0, w, 1.0, 0, 0]
    both = sestina.simulate(system, duration=1.3, every=0.01)
    moves, turns = np.hypot(both["fly.u[3]"], both["fly.u[4]"]) > 1e-9, abs(both["fly.u[2]"]) > 1e-9
    assert (moves == turns).all() and moves[100] and not moves[-1]
    assert abs(both["energy.total"] + both["energy.dissipated"] - both["energy.total"][0]).max() < 1e-9


@pytest.mark.parametrize("lean", [0.3, 0.1, 0.03])
def test_disc_rolls_on_its_rim(lean: float) -> None:
    """Euler's disc: its centre rests and its axis precesses. Contact at a point dissipates nothing; it never falls flat.

    With the rim at p from the centre and w along p, d/dt (I w) = p x m g z gives the rate; of a thin disc it is
    2 sqrt(g/(R sin lean)).
    """
    R, h, m = 0.0375, 0.003, 0.1
    inertia = disc_inertia(m, R, h)
    axis, down = np.array([np.sin(lean), 0, np.cos(lean)]), np.array([np.cos(lean), 0, -np.sin(lean)])
    p = R * down - h / 2 * axis
    along = p / np.linalg.norm(p)
    along *= np.sin(lean) / np.cross(along, axis)[1]  # angular velocity for a rate of 1 rad/s
    momentum = inertia["xx"] * along + (inertia["zz"] - inertia["xx"]) * (along @ axis) * axis
    rate = np.sqrt(m * G * np.cross(p, [0, 0, 1])[1] / np.cross([0, 0, 1], momentum)[1])
    assert rate == pytest.approx(2 * np.sqrt(G / (R * np.sin(lean))), rel=6e-3)
    system = on_floor("Euler's disc")
    skin = {"name": "skin", "type": "cylinder", "radius": R, "length": h}
    disc = system.add_rigid_body("disc", m, inertia=inertia, shapes=[skin], points={"axis": (0, 0, 1)})
    start = [0, 0, -p[2], np.cos(lean / 2), 0, np.sin(lean / 2), 0]
    system.add_joint("fly", "free", system.ground["origin"], disc["origin"], q=start, u=[*(rate * along), 0, 0, 0])
    system.add_contact("touch", ["skin", "floor"], friction=0.5)
    for i, x in enumerate("xyz"):
        system.add_column(f"axis.{x}", f"disc.axis.{x} - fly.q[{i}]")
    result = sestina.simulate(system, duration=5 * 2 * np.pi / rate)
    phase = rate * result.t
    turning = np.column_stack([np.sin(lean) * np.cos(phase), np.sin(lean) * np.sin(phase), np.cos(lean) + 0 * phase])
    assert np.column_stack([result[f"axis.{x}"] for x in "xyz"]) == pytest.approx(turning, abs=1e-7)
    assert abs(coordinates(result, "fly", 2)).max() < 1e-10
    assert np.ptp(result["energy.total"]) < 1e-10


def test_grasp_holds_without_creep() -> None:
    """Two jaws hold a capsule with 20 times the force that its weight needs."""
    r, length, m, mu = 0.02, 0.08, 0.1, 0.5
    force = 20 * m * G / (2 * mu)
    system = sestina.System("grasp", gravity=(0, 0, -G))
    skin = {"name": "skin", "type": "capsule", "radius": r, "length": length, "axes": {"axis": [1, 0, 0], "angle": np.pi / 2}}
    thing = system.add_rigid_body("thing", m, inertia={"xx": 6e-5, "yy": 2e-5, "zz": 6e-5}, shapes=[skin])
    for name, side in (("left", -1), ("right", 1)):
        pad = {"name": f"{name}_pad", "type": "box", "size": (0.02, 0.1, 0.1)}
        jaw = system.add_rigid_body(f"{name}_jaw", 0.2, shapes=[pad])
        system.ground.points[name] = (side * (r + 0.01), 0, 0)
        system.add_joint(name, "prismatic", system.ground[name], jaw["origin"], axis=(-side, 0, 0))
        system.add_joint_force(f"{name}_drive", name, force)
        system.add_contact(f"{name}_touch", [f"{name}_pad", "skin"], friction=mu)
    system.add_joint("fly", "free", system.ground["origin"], thing["origin"])
    result = sestina.simulate(system, duration=10, every=1)
    assert np.ptp(coordinates(result, "fly", 7), axis=0).max() < 1e-13  # of 1e-9 m/s: 1e-8
    assert result["left_touch.normal_force"] == pytest.approx(force, rel=1e-6)
    # Friction carries the weight; the load on two points of each pad is the one of least norm.
    assert result["left_touch.friction_force"] == pytest.approx(m * G / 2, rel=1e-3)
