#!/usr/bin/env python3
"""Bodies in perspective: a robot arm with shapes, and poses of a double pendulum.

    PYTHONPATH=build/release/python .venv/bin/python benchmarks/figures/bodies.py

Draws docs/pictures/robot_arm.png and double_pendulum_poses.png.
"""

import numpy as np

import sestina
from figure_file import PICTURES, ROOT

POSE = {"axis_1": 0.5, "axis_2": -0.4, "axis_3": 1.1, "axis_4": 0.3, "axis_5": 0.8, "left_slide": 0.01, "right_slide": 0.01}


def main():
    arm = sestina.load(ROOT / "examples/10_robot_arm.yaml")
    names = arm.freeze().q_names
    q = np.array([POSE.get(name.removesuffix(".q"), 0.0) for name in names])
    sestina.draw(arm, q).savefig(PICTURES / "robot_arm.png", dpi=110)

    pendulum = sestina.load(ROOT / "examples/01_double_pendulum.yaml")
    swing = sestina.simulate(pendulum, duration=1.25, every=0.01)
    swing.draw(np.linspace(0, 1.25, 6), trace="lower.tip").savefig(PICTURES / "double_pendulum_poses.png", dpi=110)


if __name__ == "__main__":
    main()
