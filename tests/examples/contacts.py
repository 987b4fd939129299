"""Checks of the examples with contacts."""

import math

GRAVITY = 9.81


def height_of_bouncing(h, e, t):
    """Of a ball that falls from h and rebounds with e; zero once all rebounds are over."""
    begin, up = 0.0, 0.0
    while True:
        flight = (up + math.sqrt(up * up + 2 * GRAVITY * h)) / GRAVITY
        if flight < 1e-12:
            return 0.0
        if t < begin + flight:
            return h + up * (t - begin) - GRAVITY / 2 * (t - begin)**2
        begin, up, h = begin + flight, e * (GRAVITY * flight - up), 0.0


def check_bowling_ball(sestina, expect_at_most):
    m, r, v0, h, mu, e = 6.0, 0.108, 7.0, 0.2, 0.15, 0.4
    result = sestina.run("21_bowling_ball.yaml")
    t, z, v = result.column("t"), result.column("ball.q[2]"), result.column("ball.u[3]")
    expect_at_most(1e-9, max(abs(b - r - height_of_bouncing(h, e, a)) for a, b in zip(t, z)), "height, m")
    lies = math.sqrt(2 * h / GRAVITY) * (1 + e) / (1 - e)
    rolls = 2 * v0 / (7 * mu * GRAVITY)
    expected = [v0 - mu * GRAVITY * a if a < rolls else 5 / 7 * v0 for a in t]
    expect_at_most(1e-7, max(abs(b - c) for a, b, c in zip(t, v, expected) if a > lies), "speed on the lane, m/s")
    normal, friction = result.column("lane.normal_force"), result.column("lane.friction_force")
    expect_at_most(1e-5, max(abs(b - m * GRAVITY) for a, b in zip(t, normal) if a > lies), "its weight, N")
    expect_at_most(1e-5, max(abs(b - mu * m * GRAVITY) for a, b in zip(t, friction) if lies < a < rolls - 0.01),
                   "friction while it slides, N")
    # A force of a row acts for 1e-7 s, which turns round-off in speeds into some 1e-5 N.
    expect_at_most(1e-4, friction[-1], "friction while it rolls, N")
    expect_at_most(1e-11, result.final("lane.slip"), "slip while it rolls, m/s")
    lost = m * GRAVITY * h + m * v0**2 / 7
    expect_at_most(1e-6, abs(result.final("energy.dissipated") - lost), "energy that impacts and friction took, J")


def check_ramp(sestina, expect_at_most):
    r, a, x, foot = 0.1, math.atan(0.25), 0.7, 3.0
    result = sestina.run("30_ramp.yaml")
    t, q, v = result.column("t"), result.column("ball.q[0]"), result.column("ball.u[3]")
    rate = 5 / 7 * GRAVITY * math.sin(a)
    # The centre turns where it is as far from both planes, r tan(a/2) before the foot.
    way = (foot - x) / math.cos(a) - r * math.tan(a / 2)
    turns = math.sqrt(2 * way / rate)
    expected = [x + r * math.sin(a) + rate * b**2 / 2 * math.cos(a) for b in t]
    expect_at_most(1e-8, max(abs(b - c) for d, b, c in zip(t, q, expected) if d < turns), "place on the ramp, m")
    speed = rate * turns * (5 * math.cos(a) + 2) / 7
    struck = turns + (6 - 0.1 - r - foot - r * math.tan(a / 2)) / speed
    after = [b for d, b in zip(t, v) if turns + 0.01 < d < struck]
    expect_at_most(1e-7, max(abs(b - speed) for b in after), "speed behind the foot, m/s")
    lies = [abs(b - 6) for d, b in zip(t, result.column("brick.q[0]")) if d < struck]
    expect_at_most(1e-12, max(lies), "place of the brick until it is struck, m")
    expect_at_most(-1e-3, 6 - result.final("brick.q[0]"), "the brick is pushed on, m")
