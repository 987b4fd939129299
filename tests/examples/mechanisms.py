"""Checks of pendulums, oscillators and energy balances."""

import math

from closed_forms import apply, exponential, integrate, laguerre, regulator_gains, smallest_laguerre_zero, solve


def balance(result):
    """The largest change of total - supplied + dissipated, over the largest kinetic energy."""
    values = [t - s + d for t, s, d in
              result.columns("energy.total", "energy.supplied", "energy.dissipated")]
    return max(abs(x - values[0]) for x in values) / max(result.column("energy.kinetic"))


def angle_error(result):
    """Of the double pendulum of two rods, rad: against Lagrange's equations in absolute angles."""
    m1, l1, m2, l2, g = 1.0, 0.8, 0.5, 1.0, 2.0

    def acceleration(q, u):  # Lagrange's equations of two rods in absolute angles
        c, s = math.cos(q[0] - q[1]), math.sin(q[0] - q[1])
        coupling = m2 * l1 * l2 / 2
        matrix = [[m1 * l1**2 / 3 + m2 * l1**2, coupling * c], [coupling * c, m2 * l2**2 / 3]]
        return solve(matrix, [-coupling * s * u[1]**2 - (m1 / 2 + m2) * g * l1 * math.sin(q[0]),
                              coupling * s * u[0]**2 - m2 * g * l2 / 2 * math.sin(q[1])])

    expected = integrate(acceleration, [1.0, 1.2], [1.0, -1.0], 1e-3, result.column("t"))
    return max(max(abs(hip - q[0]), abs(hip + knee - q[1]))
               for (hip, knee), (q, _) in zip(result.columns("hip.q", "knee.q"), expected))


def check_double_pendulum(sestina, expect_at_most):
    result = sestina.run("01_double_pendulum.yaml")
    # The fourth-order reference at 1 ms is itself good to some 1e-10.
    expect_at_most(1e-8, angle_error(result), "rad: angles over 10 s against Lagrange's equations")
    expect_at_most(1e-9, balance(result), "of the kinetic energy: drift of the total energy")


def check_state_time(sestina, expect_at_most):
    model = "15_state_time.yaml"
    expect_at_most(2e-2, angle_error(sestina.run(model)), "rad: angles over 5 s, 16 elements QC")
    finer = sestina.run(model, analysis__integrator="{elements: 32, pair: P5P6, windows: 2}")
    expect_at_most(5e-6, angle_error(finer), "rad: 32 elements P5P6")
    ends = sestina.run(model, analysis__integrator="{elements: 40, pair: P5P6}", output__every=0.125)
    expect_at_most(1e-9, angle_error(ends), "rad: at the ends of 40 elements P5P6")
    expect_at_most(1e-9, balance(ends), "of the kinetic energy: drift of the total energy there")


def check_n_pendulum(sestina, expect_at_most):
    n, l, g = 8, 0.25, 9.81

    def acceleration(q, u):  # Lagrange's equations of particles on massless links, over the mass and l^2
        carried = [[n - max(i, j) for j in range(n)] for i in range(n)]
        matrix = [[carried[i][j] * math.cos(q[i] - q[j]) for j in range(n)] for i in range(n)]
        return solve(matrix, [-sum(carried[i][j] * math.sin(q[i] - q[j]) * u[j]**2 for j in range(n))
                              - carried[i][i] * g / l * math.sin(q[i]) for i in range(n)])

    result = sestina.run("02_n_pendulum.yaml", analysis__duration=1.5)
    expected = integrate(acceleration, [1.5] * n, [0.0] * n, 5e-4, result.column("t"))
    difference = 0.0
    for joints, (q, _) in zip(result.columns(*(f"j{i + 1}.q" for i in range(n))), expected):
        difference = max([difference, *(abs(sum(joints[: i + 1]) - q[i]) for i in range(n))])
    # The end of the line cracks within this time, which multiplies the reference's errors.
    expect_at_most(1e-6, difference, "rad: angles over 1.5 s against Lagrange's equations")

    # Small motion: displacements from the lowest particle upwards are L_0(x), L_1(x), ..., L_n(x) = 0.
    x = smallest_laguerre_zero(n)
    shape = [1e-4 * y for y in laguerre(n, x)]
    angles = [math.asin((shape[n - i - 1] - shape[n - i]) / l) for i in range(n)]
    start = {f"joints__j{i + 1}__q": angles[i] - (angles[i - 1] if i else 0.0) for i in range(n)}
    half_period = math.pi / math.sqrt(x * g / l)
    small = sestina.run("02_n_pendulum.yaml", analysis__duration=half_period, output__every=half_period / 2,
                        analysis__step__atol=1e-16, **start)
    ends = small.column("pen.origin.x")
    # Nonlinearity is of the order of the angle squared, 1e-7.
    expect_at_most(1e-6, abs(ends[1]) / ends[0], "of the amplitude: displacement after a quarter period of L_8")
    expect_at_most(1e-6, abs(ends[2] + ends[0]) / ends[0], "of the amplitude: the same after half a period")


def check_every_joint_and_force(sestina, expect_at_most):
    result = sestina.run("07_every_joint_and_force.yaml")
    # rtol = 1e-9, and some 2000 steps.
    expect_at_most(1e-8, balance(result), "of the kinetic energy: total - supplied + dissipated")
    flow = min(max(map(abs, result.column(f"energy.{kind}"))) for kind in ("supplied", "dissipated"))
    expect_at_most(1.0, 0.1 / flow, "0.1 J over what was supplied or dissipated: the balance is not empty")


def check_cart_pole(sestina, expect_at_most):
    cart, m, l, g = 1.0, 0.2, 0.3, 9.81
    j = m * (2 * l)**2 / 12 + m * l**2
    d = (cart + m) * j - (m * l)**2
    # x = [position, velocity, theta - pi, omega], linearised about the top
    a = [[0, 1, 0, 0], [0, 0, (m * l)**2 * g / d, 0], [0, 0, 0, 1], [0, 0, (cart + m) * m * g * l / d, 0]]
    b = [0, j / d, 0, m * l / d]
    gains = regulator_gains(a, b, [4, 0.5, 20, 0.5], 0.05)
    written = [-8.94427, -9.97205, 60.8215, 11.7144]  # in the model file
    expect_at_most(1e-5, max(abs(x / y - 1) for x, y in zip(gains, written)),
                   "relative: gains in the file against the Riccati equation")

    closed = [[a[i][k] - b[i] * written[k] for k in range(4)] for i in range(4)]
    size, t = 1e-3, 0.8
    near = sestina.run("08_cart_pole.yaml", joints__pivot__q=math.pi + size, analysis__duration=t)
    expected = apply(exponential(closed, t), [0.0, 0.0, size, 0.0])
    found = [near.final("rail.q"), near.final("rail.u"), near.final("pivot.q") - math.pi, near.final("pivot.u")]
    # Terms of third order: the amplitude squared, times the gains.
    expect_at_most(1e-4, max(abs(x - y) for x, y in zip(found, expected)) / max(map(abs, expected)),
                   "relative: motion near the top against the matrix exponential")

    swing = sestina.run("08_cart_pole.yaml")
    # The rest of the slowest mode of the closed loop.
    expect_at_most(1e-3, 1 + math.cos(swing.final("pivot.q")) + abs(swing.final("rail.q")),
                   "1 + cos(theta) + |x| at the end: upright, in the middle")
    expect_at_most(1e-6, balance(swing), "of the kinetic energy: total - supplied")


def check_springs_and_masses(sestina, expect_at_most):
    n, m, k, c, a, d = 5, 0.2, 50.0, 0.01, 0.1, 0.03
    result = sestina.run("09_springs_and_masses.yaml")
    difference = 0.0
    for row in result.columns("t", *(f"s{i}.q" for i in range(1, n + 1))):
        t, *positions = row
        for i in range(1, n + 1):
            x = 0.0
            for mode in range(1, n + 1):
                omega = 2 * math.sqrt(k / m) * math.sin(mode * math.pi / (2 * (n + 1)))
                decay = c / k * omega**2 / 2  # damping in proportion to stiffness
                damped = math.sqrt(omega**2 - decay**2)
                shape = [math.sin(s * mode * math.pi / (n + 1)) for s in (1, i)]
                amplitude = 2 / (n + 1) * d * shape[0] * shape[1]
                x += amplitude * math.exp(-decay * t) * (math.cos(damped * t)
                                                         + decay / damped * math.sin(damped * t))
            difference = max(difference, abs(positions[i - 1] - i * a - x))
    # rtol = 1e-10 of positions up to 0.5 m, over 5000 steps.
    expect_at_most(1e-9, difference, "m: positions over 5 s against the modal series")


def check_stick_slip(sestina, expect_at_most):
    result = sestina.run("23_stick_slip.yaml")
    rows = list(result.columns("t", "table.q", "table.u", "pull"))
    # The same equations by scipy's Radau to 1e-10.
    expect_at_most(2e-4, abs(max(pull for *_, pull in rows) - 1.5079873604), "largest force of the spring, N")
    for t, way in ((10, 0.6275831290), (20, 1.2725964123), (30, 2.5451019036)):
        expect_at_most(1e-4, abs(rows[round(t / 0.02)][1] - way), f"way after {t} s, m")
    sticks = [u < 1e-4 for _, _, u, _ in rows]
    slips = sum(before and not after for before, after in zip(sticks, sticks[1:]))
    expect_at_most(0, abs(slips - 6), "slips more or less than 6")


def check_hydraulic_boom(sestina, expect_at_most):
    result = sestina.run("24_hydraulic_boom.yaml")
    # The same equations, with the length as a function of the angle, by scipy's Radau to 1e-11.
    for t, q, p1, p2 in ((1, 0.2108138356267, 1.600350662232e6, 1.323859853270e6),
                         (2, 0.3232172700624, 1.477375098517e6, 1.385194738550e6),
                         (3, 0.3252412570660, 1.525894518090e6, 1.322789219283e6)):
        row = round(t / 0.02)
        expect_at_most(1e-7, abs(result.column("pin.q")[row] - q), f"angle after {t} s, rad")
        expect_at_most(1e-6, abs(result.column("lift.p1")[row] / p1 - 1), f"p1 after {t} s, relative")
        expect_at_most(1e-6, abs(result.column("lift.p2")[row] / p2 - 1), f"p2 after {t} s, relative")
    expect_at_most(1e-6, balance(result), "energy balance, relative to the largest kinetic energy")


def check_sloshing_tank(sestina, expect_at_most):
    L, h, m, wagon, brake, loss = 6.0, 1.5, 21600.0, 12000.0, 60000.0, 0.01
    tanh = [math.tanh(k * math.pi * h / L) for k in (1, 3)]
    masses = [8 * m * L * tanh[i] / (math.pi**3 * k**3 * h) for i, k in enumerate((1, 3))]
    w = [math.sqrt(k * math.pi * 9.81 / L * tanh[i]) for i, k in enumerate((1, 3))]
    rest = wagon + m - sum(masses)

    def rates(y, push):  # y: wagon, first, third, and their speeds
        pulls = [masses[i] * (w[i]**2 * (y[1 + i] - y[0]) + 2 * loss * w[i] * (y[4 + i] - y[3])) for i in (0, 1)]
        return [*y[3:], (push + sum(pulls)) / rest, -pulls[0] / masses[0], -pulls[1] / masses[1]]

    def rk4(y, dt, push):
        along = lambda k, c: [a + c * b for a, b in zip(y, k)]
        k1 = rates(y, push)
        k2 = rates(along(k1, dt / 2), push)
        k3 = rates(along(k2, dt / 2), push)
        k4 = rates(along(k3, dt), push)
        return [a + dt / 6 * (b + 2 * c + 2 * d + e) for a, b, c, d, e in zip(y, k1, k2, k3, k4)]

    result = sestina.run("25_sloshing_tank.yaml")
    names = ("track.q", "waves.first", "waves.third", "track.u", "waves.first.rate", "waves.third.rate")
    columns = list(result.columns(*names))
    y, dt, error, momentum = [0.0, 0.0, 0.0, 8.0, 8.0, 8.0], 0.0025, 0.0, 0.0
    for step in range(round(15 / dt)):
        t = step * dt
        if step % 20 == 0:
            row = columns[step // 20]
            error = max(error, *(abs(a - b) for a, b in zip(row, y)))
            p = rest * row[3] + masses[0] * row[4] + masses[1] * row[5]
            momentum = max(momentum, abs(p / (8 * (wagon + m) - brake * min(t, 3)) - 1))
        y = rk4(y, dt, -brake if t < 3 - dt / 2 else 0.0)
    expect_at_most(1e-6, error, "wagon and waves, m and m/s, against Runge-Kutta steps of 2.5 ms")
    expect_at_most(1e-9, momentum, "momentum, relative")
    expect_at_most(1e-8, balance(result), "energy balance, relative to the largest kinetic energy")


def check_gust(sestina, expect_at_most):
    inertia, k, c, h = 0.8 + 12 * 3.0**2, 4000.0, 60.0, 3.0
    with open(sestina.examples / "gust.csv") as file:
        lines = [line.split(",") for line in file if not line.startswith(("#", "t"))]
    wind = [(float(line[0]), float(line[1])) for line in lines] + [(math.inf, 0.0)]
    decay = c / (2 * inertia)
    damped = math.sqrt(k / inertia - decay**2)
    result = sestina.run("11_gust.yaml")
    theta = omega = start = 0.0
    segment, difference = 0, 0.0

    def respond(t):  # t after the begin of the segment, on which the force is f + s t
        f = wind[segment][1]
        s = 0.0 if math.isinf(wind[segment + 1][0]) else (wind[segment + 1][1] - f) / (wind[segment + 1][0] - start)
        slope = h * s / k
        offset = (h * f - c * slope) / k
        p, e = theta - offset, math.exp(-decay * t)
        q = (omega - slope + decay * p) / damped
        cosine, sine = math.cos(damped * t), math.sin(damped * t)
        return (offset + slope * t + e * (p * cosine + q * sine),
                slope + e * ((q * damped - decay * p) * cosine - (p * damped + decay * q) * sine))

    for t, angle in result.columns("t", "foot.q"):
        while t > wind[segment + 1][0]:
            theta, omega = respond(wind[segment + 1][0] - start)
            segment += 1
            start = wind[segment][0]
        difference = max(difference, abs(angle - respond(t - start)[0]))
    # rtol = 1e-9 of some 0.01 rad, and the wind has corners that steps do not meet.
    expect_at_most(1e-9, difference, "rad: angle over 6 s against the exact response")
