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


def check_energy(result, expect_at_most, limit):
    balance = [total - work for total, work in result.columns("energy.total", "energy.supplied")]
    scale = max(result.column("energy.kinetic"))
    expect_at_most(limit, (max(balance) - min(balance)) / scale, "energy, relative to the kinetic one")
