#!/usr/bin/env python3
"""Compares examples with closed forms and published values: check_examples.py SESTINA [EXAMPLE...]

Prints each quantity with its measured error and its limit; fails if a limit is exceeded.
"""

import argparse
import pathlib
import sys

import beams
import contacts
import events
import loops
import mechanisms
import robots
import rotations
from sestina_runs import Sestina

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent

CHECKS = {
    "01_double_pendulum": mechanisms.check_double_pendulum,
    "02_n_pendulum": mechanisms.check_n_pendulum,
    "03_puma_560": robots.check_puma_560,
    "04_heavy_top": rotations.check_heavy_top,
    "05_tennis_racket": rotations.check_tennis_racket,
    "06_spherical_chain": rotations.check_spherical_chain,
    "07_every_joint_and_force": mechanisms.check_every_joint_and_force,
    "08_cart_pole": mechanisms.check_cart_pole,
    "09_springs_and_masses": mechanisms.check_springs_and_masses,
    "10_robot_arm": robots.check_robot_arm,
    "11_gust": mechanisms.check_gust,
    "12_bouncing_pendulum": events.check_bouncing_pendulum,
    "13_latch": events.check_latch,
    "14_geneva": events.check_geneva,
    "15_state_time": mechanisms.check_state_time,
    "16_four_bar": loops.check_four_bar,
    "17_slider_crank": loops.check_slider_crank,
    "18_squeezer": loops.check_squeezer,
    "19_every_constraint": loops.check_every_constraint,
    "20_bicycle": loops.check_bicycle,
    "21_bowling_ball": contacts.check_bowling_ball,
    "22_spin_up": beams.check_spin_up,
    "23_stick_slip": mechanisms.check_stick_slip,
    "24_hydraulic_boom": mechanisms.check_hydraulic_boom,
    "25_sloshing_tank": mechanisms.check_sloshing_tank,
    "26_leg_pair": loops.check_leg_pair,
    "27_flexible_slider_crank": beams.check_flexible_slider_crank,
    "28_whip": beams.check_whip,
    "29_belt_drive": beams.check_belt_drive,
    "30_ramp": contacts.check_ramp,
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sestina", help="the program")
    parser.add_argument("examples", nargs="*", help="names such as 01_double_pendulum (default: all)")
    parser.add_argument("--out", default=str(ROOT / "out/examples"), help="folder for results")
    options = parser.parse_args()

    models = {path.stem for path in (ROOT / "examples").glob("[0-9]*.yaml")}
    if models != set(CHECKS):
        sys.exit(f"examples without a check, or checks without an example: {sorted(models ^ set(CHECKS))}")
    unknown = set(options.examples) - set(CHECKS)
    if unknown:
        parser.error(f"no such example: {', '.join(sorted(unknown))}")

    failures = 0

    def expect_at_most(limit, value, what):
        nonlocal failures
        is_good = value <= limit  # false for a NaN, too
        failures += not is_good
        print(f"  {'ok  ' if is_good else 'FAIL'} {value:10.2e} <= {limit:.0e}  {what}", flush=True)

    for name in options.examples or sorted(CHECKS):
        print(name, flush=True)
        sestina = Sestina(options.sestina, ROOT / "examples", options.out)
        CHECKS[name](sestina, expect_at_most)
    sys.exit(f"{failures} check(s) failed" if failures else 0)


if __name__ == "__main__":
    main()
