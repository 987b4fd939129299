"""Friction by bristles against an integration of its equations by scipy."""

from __future__ import annotations

import math

import numpy as np
import pytest
import sestina

integrate = pytest.importorskip("scipy.integrate")

SIGMA0, SIGMA1, SIGMA2, COULOMB, STATIC, STRIBECK = 1e4, 60.0, 0.4, 1.0, 1.5, 0.01


def force_at(t: float) -> float:
    return 2 * math.sin(3 * t)


def rates(t: float, y: np.ndarray) -> list[float]:
    _, v, z = y
    g = COULOMB + (STATIC - COULOMB) * math.exp(-((v / STRIBECK) ** 2))
    z_rate = v - SIGMA0 * abs(v) * z / g
    return [v, (force_at(t) - SIGMA0 * z - SIGMA1 * z_rate - SIGMA2 * v) / 0.5, z_rate]


def test_block_that_is_pushed_to_and_fro_slips_and_preslides() -> None:
    system = sestina.System("block")
    system.add_rigid_body("block", 0.5, inertia={"xx": 1, "yy": 1, "zz": 1})
    system.add_joint("table", "prismatic", "ground.origin", "block.origin", axis=(1, 0, 0))
    system.add_joint_force("push", "table", "2*sin(3*t)")
    system.add_force(
        "friction", "lugre_friction", joint="table", sigma0=SIGMA0, sigma1=SIGMA1, sigma2=SIGMA2,
        coulomb_friction=COULOMB, static_friction=STATIC, stribeck_speed=STRIBECK,
    )
    result = sestina.simulate(system, duration=3, every=0.05, integrator="radau_iia", rtol=1e-9, atol=1e-12)
    t = result["t"]
    expected = integrate.solve_ivp(rates, (0, t[-1]), [0, 0, 0], method="Radau", t_eval=t, rtol=1e-9, atol=1e-12).y
    np.testing.assert_allclose(result["table.q"], expected[0], atol=2e-7)
    np.testing.assert_allclose(result["table.u"], expected[1], atol=2e-6)
    np.testing.assert_allclose(result["friction.bristle"], expected[2], atol=2e-9)
    assert np.abs(result["table.u"]).max() > 0.1                       # it slips
    assert (np.abs(SIGMA0 * result["friction.bristle"]) < COULOMB).any()  # and sticks in between
