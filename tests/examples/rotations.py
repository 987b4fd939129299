"""Checks of tops, free bodies and chains in space."""

import math

from closed_forms import apply, complete_elliptic_k, rotation_of_euler_parameters, transpose


def check_heavy_top(sestina, expect_at_most):
    g, m, r, l, tilt, spin = 9.81, 0.5, 0.05, 0.08, 0.5, 200.0
    axial, transverse = m * r**2 / 2, m * r**2 / 4 + m * l**2
    # Goldstein, Classical Mechanics, section 5.7, released without precession: u = cos(theta) moves between
    # u0 and u1 < u0, roots of f(u) = (u0 - u) (beta (1 - u^2) - a^2 (u0 - u)), as u'^2 = f(u).
    a, beta, u0 = axial * spin / transverse, 2 * m * g * l / transverse, math.cos(tilt)
    middle = a**2 / (2 * beta)
    root = math.sqrt(middle**2 - 2 * middle * u0 + 1)
    u1, u2 = middle - root, middle + root
    period = 4 / math.sqrt(beta * (u2 - u1)) * complete_elliptic_k((u0 - u1) / (u2 - u1))
    # Precession in a period: 2 * integral of a (u0 - u)/(1 - u^2) du/u', u = u1 + (u0 - u1) sin^2(s); the
    # midpoint rule converges geometrically for a periodic integrand.
    steps, turn = 200, 0.0
    for i in range(steps):
        s = (i + 0.5) * math.pi / 2 / steps
        u = u1 + (u0 - u1) * math.sin(s)**2
        turn += math.pi / 2 / steps * 4 * a * (u0 - u) / (1 - u**2) / math.sqrt(beta * (u2 - u))

    result = sestina.run("04_heavy_top.yaml", analysis__duration=10 * period, output__every=period / 2)
    heights = [z / l for z in result.column("axle.origin.z")]
    # rtol = 1e-11, with 150 steps a period.
    expect_at_most(1e-8, max(abs(z - u1) for z in heights[1::2]), "cos(theta): lowest, ten times")
    expect_at_most(1e-8, max(abs(z - u0) for z in heights[::2]), "cos(theta): highest, after each period")
    found = math.atan2(result.final("axle.origin.y"), result.final("axle.origin.x"))
    expect_at_most(1e-7, abs(math.remainder(found - 10 * turn, 2 * math.pi)), "rad: precession in ten periods")

    steady = sestina.run("04_heavy_top.yaml", parameters__precession="steady").column("axle.origin.z")
    expect_at_most(1e-9, max(abs(z / l - u0) for z in steady), "cos(theta): change in steady precession over 2 s")


def check_tennis_racket(sestina, expect_at_most):
    inertia, disturbance, spin = [0.0012, 0.0160, 0.0171], 0.1, 10.0
    momentum = (inertia[0] * disturbance)**2 + (inertia[1] * spin)**2
    twice_energy = inertia[0] * disturbance**2 + inertia[1] * spin**2
    # Landau and Lifshitz, Mechanics, section 37; where M^2 < 2 E I_2 the first and third axis change roles.
    i1, i2, i3 = inertia if momentum > twice_energy * inertia[1] else inertia[::-1]
    k_squared = (i2 - i1) * (twice_energy * i3 - momentum) / ((i3 - i2) * (momentum - twice_energy * i1))
    rate = math.sqrt((i3 - i2) * (momentum - twice_energy * i1) / (i1 * i2 * i3))
    period = 4 * complete_elliptic_k(k_squared) / rate

    result = sestina.run("05_tennis_racket.yaml", analysis__duration=4 * period, output__every=period / 2)
    difference = 0.0
    names = [f"throw.q[{i}]" for i in range(3, 7)] + [f"throw.u[{i}]" for i in range(3)]
    for half, (*euler, wx, wy, wz) in enumerate(result.columns(*names)):
        in_body = apply(transpose(rotation_of_euler_parameters(*euler)), [wx, wy, wz])
        # At the start the middle component is at its greatest; half a period later it is the opposite.
        difference = max(difference, abs(in_body[1] - spin * (-1)**half), abs(abs(in_body[0]) - disturbance),
                         abs(in_body[2]))
    # The unstable axis multiplies the error of rtol = 1e-11 in each flip.
    expect_at_most(1e-6, difference, f"rad/s: spin in body axes after each of 8 flips ({period / 2:.6f} s each)")
    start, *others = result.columns(*(f"angular_momentum.{axis}" for axis in "xyz"))
    expect_at_most(1e-9, max(abs(x - y) for row in others for x, y in zip(row, start)) / math.sqrt(momentum),
                   "relative: change of the angular momentum")


def check_spherical_chain(sestina, expect_at_most):
    result = sestina.run("06_spherical_chain.yaml")
    kinetic, energy = max(result.column("energy.kinetic")), result.column("energy.total")
    # rtol = 1e-9
    expect_at_most(1e-8, max(abs(e - energy[0]) for e in energy) / kinetic, "relative: change of the energy")
    spin = result.column("angular_momentum.z")
    expect_at_most(1e-8, max(abs(h / spin[0] - 1) for h in spin), "relative: change of the vertical angular momentum")
    other = result.column("angular_momentum.x")
    expect_at_most(1.0, abs(spin[0]) / (max(other) - min(other)),
                   "vertical angular momentum over the change of that about x")
    stretch = 0.0
    bodies = [f"rod{i}" for i in range(1, 17)] + ["pen"]
    places = [result.columns(*(f"{body}.origin.{axis}" for axis in "xyz")) for body in bodies]
    for upper, lower in zip(places, places[1:]):
        stretch = max([stretch, *(abs(math.dist(p, q) - 0.1) for p, q in zip(upper, lower))])
    # Round-off of positions of some 1 m.
    expect_at_most(1e-14, stretch, "m: change of the rods' lengths")
