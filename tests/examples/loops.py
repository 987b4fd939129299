"""Checks of the examples with closed loops: the geometry of the loops at every row, and values of the literature."""

import math


def wrapped(angle):
    return math.remainder(angle, 2 * math.pi)


def check_four_bar(sestina, expect_at_most):
    a, b, c, d = 0.5, 2.0, 1.5, 2.0
    result = sestina.run("16_four_bar.yaml")
    worst, turned = 0.0, 0.0
    for hip, elbow, heel, pin in result.columns("hip.q", "elbow.q", "heel.q", "pin.q"):
        # From the end of the crank to the rocker's bearing, and the triangle of coupler and rocker on that side.
        x, y = d - a * math.cos(hip), -a * math.sin(hip)
        side = math.hypot(x, y)
        coupler = math.atan2(y, x) + math.acos((b * b + side * side - c * c) / (2 * b * side))
        rocker = math.atan2(y, x) + math.pi - math.acos((c * c + side * side - b * b) / (2 * c * side))
        worst = max(worst, abs(wrapped(hip + elbow - coupler)), abs(wrapped(heel - rocker)))
        turned = max(turned, abs(hip + elbow - heel - pin))
    expect_at_most(1e-11, worst, "angles of coupler and rocker by the law of cosines, rad")
    expect_at_most(1e-11, turned, "angle between them at the pin, which counts turns, rad")
    expect_at_most(1e-11, max(result.column("constraints.position_error")), "what is left of the loop, m")
    check_energy(result, expect_at_most, 1e-6)


def check_slider_crank(sestina, expect_at_most):
    result = sestina.run("17_slider_crank.yaml")
    worst = 0.0
    columns = result.columns("drive.q", "rod.origin.x", "rod.origin.y", "rod.origin.z", "slider.origin.x")
    for drive, x, y, z, slider in columns:
        pin = (0.0, 0.1 - 0.08 * math.sin(drive), 0.12 + 0.08 * math.cos(drive))
        worst = max(worst, math.dist(pin, (x, y, z)), abs(math.dist(pin, (slider, 0.0, 0.0)) - 0.3))
    expect_at_most(1e-12, worst, "crank's pin and length of the rod, m")
    expect_at_most(1e-12, max(result.column("constraints.position_error")), "what is left of the loop, m")
    check_energy(result, expect_at_most, 1e-7)


def check_squeezer(sestina, expect_at_most):
    # Hairer and Wanner, Solving Ordinary Differential Equations II (1996), section VII.7.
    angles = {
        "beta": 15.81077119629904, "theta": -15.75637105984298, "gamma": 0.04082224013073101,
        "phi": -0.5347301163226948, "delta": 0.5244099658805304, "omega": 0.5347301163226948,
        "epsilon": 1.048080741042263,
    }
    result = sestina.run("18_squeezer.yaml")
    worst = max(abs(result.final(f"{joint}.q") - angle) for joint, angle in angles.items())
    expect_at_most(1e-8, worst, "angles after 0.03 s, rad")
    expect_at_most(1e-13, max(result.column("constraints.position_error")), "what is left of the loops, m")
    check_energy(result, expect_at_most, 1e-8)


def check_leg_pair(sestina, expect_at_most):
    mass, g = 32.94, 9.81
    result = sestina.run("26_leg_pair.yaml")
    names = ("t", "momentum.x", "momentum.y", "momentum.z", "angular_momentum.z")
    rows = result.columns(*names)
    _, x, y, z, turn = rows[0]
    worst = max(max(abs(p[1] - x), abs(p[2] - y), abs(p[3] - z + mass * g * p[0])) for p in rows)
    expect_at_most(1e-9, worst, "momentum of a thrown body, kg m/s")
    expect_at_most(1e-9, max(abs(p[4] - turn) for p in rows), "angular momentum about the vertical, kg m^2/s")
    expect_at_most(1e-12, max(result.column("constraints.position_error")), "what is left of the loops, m")
    balance = [total + lost for total, lost in result.columns("energy.total", "energy.dissipated")]
    expect_at_most(1e-9, max(balance) - min(balance), "energy with what the dampers took, J")
    # The same in other coordinates, in which every joint is cut, by an implicit rule.
    other = sestina.run("26_leg_pair.yaml", analysis__coordinates="cartesian", analysis__integrator="radau_iia")
    parts = ("knee", "leaf", "ankle", "heel", "toe", "crank")
    joints = [f"{side}_{part}.q" for side in ("left", "right") for part in parts]
    worst = max(abs(result.final(name) - other.final(name)) for name in joints)
    expect_at_most(1e-7, worst, "angles after 0.4 s in cartesian coordinates by radau_iia, rad")


def check_every_constraint(sestina, expect_at_most):
    g = 9.81
    result = sestina.run("19_every_constraint.yaml")
    t = result.column("t")
    shaft, spindle = result.column("shaft.q"), result.column("spindle.q")
    expect_at_most(1e-11, max(abs(q - s * s) for q, s in zip(shaft, t)), "motion of the shaft, rad")
    expect_at_most(1e-11, max(abs(3 * a + b) for a, b in zip(shaft, spindle)), "gears, rad")
    # The gears' force on the pinion is its inertia times -6; the motor turns both.
    expect_at_most(1e-11, max(abs(f + 0.02 * 6) for f in result.column("gears.force")), "force of the gears, N m")
    expect_at_most(1e-11, max(abs(f - 2 * (0.2 + 9 * 0.02)) for f in result.column("motor.force")), "motor, N m")
    worst, tension = 0.0, 0.0
    columns = ("swing.q[0]", "swing.q[1]", "swing.u[0]", "swing.u[1]", "rod.force")
    for x, y, u, v, force in result.columns(*columns):
        worst = max(worst, abs(math.hypot(x, y) - 1), abs((u * u + v * v) / 2 + g * (y + 0.8)))
        tension = max(tension, abs(force - (u * u + v * v - g * y)))
    expect_at_most(1e-7, worst, "length and energy of the pendulum, m, J")
    expect_at_most(1e-7, tension, "tension of its rod, N")
    worst = 0.0
    for x, y, z, u, v in result.columns("wire.q[0]", "wire.q[1]", "wire.q[2]", "wire.u[0]", "wire.u[1]"):
        worst = max(worst, abs(y - x * x), abs(z), abs((u * u + v * v) / 2 + g * (y - 1)))
    expect_at_most(1e-7, worst, "parabola, plane and energy of the bead, m, J/kg")
    worst, force = 0.0, 0.0
    for s, x, y, a, b in zip(t, *zip(*result.columns("rail.q[0]", "rail.q[1]", "slope.force[0]", "slope.force[1]"))):
        way = 0.8 * g * s * s / 2
        worst = max(worst, math.hypot(x - 0.6 * way, y + 0.8 * way))
        force = max(force, abs(math.hypot(a, b) - 2 * g * 0.6))
    expect_at_most(1e-9, worst, "way of the ring, m")
    expect_at_most(1e-9, force, "force on its rail, N")
    # The speed on the helix is sqrt(5/4) times the rate of s; on the ramp a third of the weight's part turns the disc.
    expect_at_most(1e-8, max(abs(a - 0.2 * g * b * b) for a, b in zip(result.column("helix.s"), t)), "pearl on the helix")
    worst = 0.0
    for s, x, y in zip(t, *zip(*result.columns("way.q[0]", "way.q[1]"))):
        worst = max(worst, math.hypot(x - 0.18 - 0.8 * 0.2 * g * s * s, y - 0.24 + 0.6 * 0.2 * g * s * s))
    expect_at_most(1e-9, worst, "way of the disc, m")
    forces = result.columns("ramp.force[0]", "ramp.force[1]", "ramp.force[2]")
    worst = max(max(abs(a + 0.8 * g), abs(b + 0.2 * g), abs(c)) for a, b, c in forces)
    expect_at_most(1e-9, worst, "force on the ramp, N")


def check_bicycle(sestina, expect_at_most):
    result = sestina.run("20_bicycle.yaml")
    lean = [abs(x) for x in result.column("roll.q")]
    expect_at_most(0.2 * max(lean), max(lean[-50:]), "lean of the last second: it comes upright by itself, rad")
    expect_at_most(1e-12, max(result.column("constraints.position_error")), "wheels above the ground, m")
    balance = result.column("energy.total")
    expect_at_most(1e-7, (max(balance) - min(balance)) / balance[0], "energy, relative")


def check_energy(result, expect_at_most, limit):
    balance = [total - work for total, work in result.columns("energy.total", "energy.supplied")]
    scale = max(result.column("energy.kinetic"))
    expect_at_most(limit, (max(balance) - min(balance)) / scale, "energy, relative to the kinetic one")
