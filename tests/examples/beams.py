"""Checks of the examples with beams."""

import math


def check_spin_up(sestina, expect_at_most):
    result = sestina.run("22_spin_up.yaml")
    t, extension, lag = (result.column(name) for name in ("t", "extension", "lag"))
    # A rod of length L that turns at w stretches by EA r'' = -m w^2 r: L + extension = tan(k L)/k, k = w sqrt(m/EA).
    k = 6 * math.sqrt(1.2 / 2.8e7)
    steady = [e for a, e in zip(t, extension) if a > 16]
    stretched = math.tan(k * 10) / k - 10
    expect_at_most(0.01 * stretched, abs(sum(steady) / len(steady) - stretched), "extension at full speed, m")
    expect_at_most(1e-2, max(abs(a) for b, a in zip(t, lag) if b > 16), "vibration at full speed, m")
    # Simo and Vu-Quoc's figure: 0.58 m.
    expect_at_most(0.01, abs(max(lag) - 0.58), "largest lag, m")
    expect_at_most(1e-9, result.final("constraints.position_error"), "open loops, m")
