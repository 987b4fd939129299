"""Checks of the examples with events: their instants, and what holds just before and after them."""

import math

from closed_forms import complete_elliptic_k

GRAVITY = 9.81


def rows_of(result, event):
    """Indices of the rows just after events of that number; the row before each is the one just before."""
    return [i for i, number in enumerate(result.column("event")) if number == event]


def times_of(result, event):
    t = result.column("t")
    return [t[i] for i in rows_of(result, event)]


def largest_difference(found, expected):
    if len(found) != len(expected):
        return math.inf
    return max(abs(a - b) for a, b in zip(found, expected))


def check_bouncing_pendulum(sestina, expect_at_most):
    l, e, theta0 = 0.7, 0.8, 2.2
    omega0 = math.sqrt(3 * GRAVITY / (2 * l))
    result = sestina.run("12_bouncing_pendulum.yaml")
    k = math.sin(theta0 / 2)
    times, rates, t = [], [], complete_elliptic_k(k * k) / omega0
    for _ in range(8):
        times.append(t)
        rates.append(2 * k * omega0)
        k *= e
        t += 2 * complete_elliptic_k(k * k) / omega0
    expect_at_most(1e-12, largest_difference(times_of(result, 1), times), "instants of 8 bounces, s")
    rows, u = rows_of(result, 1), result.column("hinge.u")
    expect_at_most(1e-9, largest_difference([u[i - 1] for i in rows], [-r for r in rates]),
                   "rates before them, rad/s")
    expect_at_most(1e-9, largest_difference([u[i] for i in rows], [e * r for r in rates]),
                   "rates after them, rad/s")
    expect_at_most(0, abs(result.final("bounces") - 8) + abs(result.final("event") - 2), "it ends with the 8th")
    balance = [total + lost for total, lost in result.columns("energy.total", "energy.dissipated")]
    expect_at_most(1e-9, max(balance) - min(balance), "energy with what the bounces dissipate, J")


def check_latch(sestina, expect_at_most):
    m, push, catch, stop, stiffness, strength = 3.0, 5.0, 0.4, 2.0, 200.0, 20.0
    result = sestina.run("13_latch.yaml")
    caught = math.sqrt(2 * m * catch / push)
    v = push * caught / m
    w, c = math.sqrt(stiffness / m), push / stiffness
    held = (math.atan2(c, v / w) + math.asin((strength / stiffness - c) / math.hypot(c, v / w))) / w
    v_free = c * w * math.sin(w * held) + v * math.cos(w * held)
    distance = stop - catch - strength / stiffness
    free = (math.sqrt(v_free**2 + 2 * push / m * distance) - v_free) * m / push
    found = times_of(result, 1) + times_of(result, 2) + times_of(result, 3)
    expect_at_most(1e-12, largest_difference(found, [caught, caught + held, caught + held + free]),
                   "caught, let go, arrived, s")
    row = rows_of(result, 2)[0]
    expect_at_most(1e-9, abs(result.column("rail.u")[row] - v_free), "speed when it is let go, m/s")
    states = result.column("held")
    expect_at_most(0, abs(states[row - 1] - 1) + abs(states[row]), "the latch holds until then")
    expect_at_most(0, abs(result.final("event") - 3), "it ends at the stop")
    strong = sestina.run("13_latch.yaml", parameters__strength=40)
    expect_at_most(0, len(rows_of(strong, 2)), "a strong latch does not let go")
    lags = w * (strong.final("t") - caught)
    expected = catch + c * (1 - math.cos(lags)) + v / w * math.sin(lags)
    expect_at_most(1e-9, abs(strong.final("rail.q") - expected), "and swings, m")


def check_geneva(sestina, expect_at_most):
    alpha, duration = 3.0, 6.0
    result = sestina.run("14_geneva.yaml")

    def times(phase):
        all_times = (math.sqrt(2 * (2 * turn + phase) * math.pi / alpha) for turn in range(20))
        return [t for t in all_times if t < duration]

    enter, leave = times(0.75), times(1.25)
    expect_at_most(0, abs(len(leave) - 8), "8 quarters in 6 s")
    expect_at_most(1e-12, largest_difference(times_of(result, 1), enter), "the pin enters, s")
    expect_at_most(1e-12, largest_difference(times_of(result, 2), leave), "the pin leaves, s")
    angle = result.column("wheel.q")
    expect_at_most(1e-9, largest_difference([angle[i] for i in rows_of(result, 2)],
                                            [n * math.pi / 2 for n in range(1, len(leave) + 1)]),
                   "angles of the locked wheel, rad")
    landed = sestina.run("14_geneva.yaml", analysis__step__land_on_output="true")
    rows = [(t, q) for t, q, event in landed.columns("t", "crank.q", "event") if not event]
    expect_at_most(1e-10, max(abs(q - alpha * t * t / 2) for t, q in rows), "the crank where steps land, rad")
