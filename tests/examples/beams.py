"""Checks of the examples with beams."""

import math


def check_spin_up(sestina, expect_at_most):
    result = sestina.run("22_spin_up.yaml")
    t, extension, lag = (result.column(name) for name in ("t", "extension", "lag"))
    # A rod of length L that turns at w stretches by EA r'' = -m w^2 r: L + extension = tan(k L)/k, k = w sqrt(m/EA).
    k = 6 * math.sqrt(1.2 / 2.8e7)
    steady = [e for a, e in zip(t, extension) if a > 16]
    stretched = math.tan(k * 10) / k - 10
    expect_at_most(2e-3 * stretched, abs(sum(steady) / len(steady) - stretched), "extension at full speed, m")
    expect_at_most(1e-2, max(abs(a) for b, a in zip(t, lag) if b > 16), "vibration at full speed, m")
    # With 40 elements 0.57383 m; Simo and Vu-Quoc's figure shows 0.58 m.
    expect_at_most(3e-4, abs(max(lag) - 0.57383), "largest lag, m")
    expect_at_most(1e-9, result.final("constraints.position_error"), "open loops, m")


def check_flexible_slider_crank(sestina, expect_at_most):
    omega, r, L = 300, 0.075, 0.3
    result = sestina.run("27_flexible_slider_crank.yaml", bodies__rod__damping=0, analysis__step__rtol=1e-7,
                         analysis__step__atol=1e-9)
    energy, supplied = result.column("energy.total"), result.column("energy.supplied")
    lost = max(abs(e - s - energy[0]) for e, s in zip(energy, supplied))
    expect_at_most(1e-4, lost, "energy less what the drive supplies, J")
    expect_at_most(1e-9, result.final("constraints.position_error"), "open loops, m")
    # Its tangents grow stale while the slender rod turns: the steps of an implicit rule must not vanish.
    implicit = sestina.run("27_flexible_slider_crank.yaml", bodies__rod__damping=0, analysis__integrator="radau_iia",
                           analysis__step__rtol=1e-5, analysis__step__atol=1e-6)
    apart = max(abs(a - b) for a, b in zip(implicit.column("bend"), result.column("bend")))
    expect_at_most(2e-5, apart, "bend by radau_iia, m")
    # A hinged bar with the transverse acceleration of the rigid rod: modes sin(k pi x/L) with the amplitudes
    # y'' + (w_k^2 - phi'^2) y = -(2/L) int (a + b x) sin(k pi x/L) dx, a and b of the crank's pin and of the rotation.
    bar = math.sqrt(2.1e11 * 0.012**2 / 12 / 7850)
    modes = [1, 2, 3, 4, 5]

    def load(t, k):
        angle = omega * t
        sine = -r / L * math.sin(angle)
        phi = math.asin(sine)
        rate = -r / L * omega * math.cos(angle) / math.cos(phi)
        turning = (r / L * omega**2 * math.sin(angle) + math.sin(phi) * rate**2) / math.cos(phi)
        a = r * omega**2 * (math.cos(angle) * math.sin(phi) - math.sin(angle) * math.cos(phi))
        of_a, of_b = (1 - (-1) ** k) / (k * math.pi) * L, -((-1) ** k) / (k * math.pi) * L**2
        return -2 / L * (a * of_a + turning * of_b), rate

    def slopes(t, y):
        out = []
        for i, k in enumerate(modes):
            force, rate = load(t, k)
            out += [y[2 * i + 1], force - ((k * math.pi / L) ** 4 * bar**2 - rate**2) * y[2 * i]]
        return out

    bend, largest, difference = result.column("bend"), 0.0, 0.0
    times, y, parts = result.column("t"), [0.0] * (2 * len(modes)), 20
    for j, (before, t) in enumerate(zip(times, times[1:])):
        h = (t - before) / parts
        for part in range(parts):
            y = rk4(slopes, before + part * h, y, h)
        expected = sum(y[2 * i] * math.sin(k * math.pi / 2) for i, k in enumerate(modes))
        largest, difference = max(largest, abs(expected)), max(difference, abs(bend[j + 1] - expected))
    expect_at_most(0.05 * largest, difference, f"bend of the rod, of {largest:.3g} m, against a hinged bar, m")


def check_whip(sestina, expect_at_most):
    g, L = 9.81, 1.6
    result = sestina.run("28_whip.yaml")
    t, z, energy, lost = (result.column(name) for name in ("t", "rope.end.z", "energy.total", "energy.dissipated"))
    balance = max(abs(a + b - energy[0]) for a, b in zip(energy, lost))
    expect_at_most(1e-6, balance, "energy, J")
    # A folded chain without losses (M. G. Calkin, R. H. March, Am. J. Phys. 57 (1989) 154): when its end has fallen by
    # x, the energy of what still falls is that of the whole: v^2 = 2 g x (1 - x/2L)/(1 - x/L). This bend is not narrow.
    def time_of_fall(x, parts=2000):  # by x = y^2, which takes the root away
        h = math.sqrt(x) / parts
        slowness = [2 * math.sqrt((1 - y * y / L) / (2 * g * (1 - y * y / (2 * L)))) for y in ((i + 0.5) * h for i in range(parts))]
        return h * sum(slowness)

    late = [time - time_of_fall(-height) for time, height in zip(t, z) if -1.5 < height < -0.05]
    expect_at_most(8e-3, max(map(abs, late)), "time of fall, s, against a chain without width")
    free = math.sqrt(2 * 1.5 / g)
    fall = next(time for time, height in zip(t, z) if height < -1.5)
    expect_at_most(0.9 * free, fall, f"time of fall of 1.5 m, s, less than that of a stone, {free:.3f} s")


def check_belt_drive(sestina, expect_at_most):
    result = sestina.run("29_belt_drive.yaml")
    names = ("energy.total", "energy.supplied", "energy.dissipated", "driver.u", "driven.u", "on_driven.torque")
    energy, supplied, lost, driver, driven, torque = (result.column(name) for name in names)
    balance = max(abs(e + d - s - energy[0]) for e, d, s in zip(energy, lost, supplied))
    expect_at_most(2e-3 * supplied[-1], balance, f"energy, of {supplied[-1]:.3g} J, J")
    # The brake takes the torque; the runs' tensions differ by the torque over the radius. What passes through either
    # pulley in a time has one unstressed length: the speeds of the pulleys are as 1 + strain of the runs that arrive there.
    expect_at_most(0.02 * driven[-1], abs(torque[-1] - driven[-1]), "torque on the driven pulley, N m")
    difference, tight = torque[-1] / 0.1 / 8000, (200 + torque[-1] / 0.2) / 8000
    # Bristles and the pressure's springs yield a little more.
    expect_at_most(0.1 * difference, abs(1 - driven[-1] / driver[-1] - difference / (1 + tight)), "creep over speed")


def rk4(slopes, t, y, h):
    k1 = slopes(t, y)
    k2 = slopes(t + h / 2, [a + h / 2 * k for a, k in zip(y, k1)])
    k3 = slopes(t + h / 2, [a + h / 2 * k for a, k in zip(y, k2)])
    k4 = slopes(t + h, [a + h * k for a, k in zip(y, k3)])
    return [a + h / 6 * (p + 2 * q + 2 * r + s) for a, p, q, r, s in zip(y, k1, k2, k3, k4)]
