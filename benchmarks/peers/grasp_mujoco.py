#!/usr/bin/env python3
"""How fast a capsule slips out of a grasp in MuJoCo, for the comparison in docs/contact.md.

    python benchmarks/peers/grasp_mujoco.py

Two jaws press with 20 times the force that the weight of the capsule needs, as in test_contact_truth.py. Needs
PyPI's mujoco (python-requirements.txt). Prints the mean speed between 2 and 12 s.
"""

import mujoco

G, MU, MASS, MARGIN, STEP = 9.81, 0.5, 0.1, 20, 0.002
FORCE = MARGIN * MASS * G / (2 * MU)  # N
JAW = """<body pos="{x} 0 0"><joint type="slide" name="{name}" axis="{axis} 0 0"/>
  <inertial pos="0 0 0" mass="0.2" diaginertia="1e-3 1e-3 1e-3"/>
  <geom type="box" size="0.01 0.05 0.05" friction="{mu} 0 0" condim="3"/></body>"""
MODEL = """<mujoco>
<option timestep="{step}" cone="{cone}" impratio="{impratio}" noslip_iterations="{noslip}" iterations="200"
  tolerance="1e-12" gravity="0 0 -{g}"/>
<worldbody>
<body><freejoint/><inertial pos="0 0 0" mass="{mass}" diaginertia="6e-5 2e-5 6e-5"/>
  <geom type="capsule" fromto="0 -0.04 0 0 0.04 0" size="0.02" friction="{mu} 0 0" condim="3"/></body>
{jaws}
</worldbody>
<actuator><motor joint="left"/><motor joint="right"/></actuator>
</mujoco>"""


def slip(cone, impratio, noslip):
    """Speed (m/s) with which the capsule sinks."""
    jaws = "".join(JAW.format(x=0.03 * s, name=name, axis=-s, mu=MU) for name, s in (("left", -1), ("right", 1)))
    text = MODEL.format(step=STEP, cone=cone, impratio=impratio, noslip=noslip, g=G, mass=MASS, mu=MU, jaws=jaws)
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    data.ctrl[:] = FORCE
    heights = []
    for seconds in (2, 10):
        for _ in range(round(seconds / STEP)):
            mujoco.mj_step(model, data)
        heights.append(data.qpos[2])
    return (heights[0] - heights[1]) / 10


def main():
    print("mujoco", mujoco.__version__)
    settings = (("pyramidal", 1, 0), ("elliptic", 1, 0), ("elliptic", 10, 0), ("elliptic", 100, 0), ("elliptic", 10, 10))
    for cone, impratio, noslip in settings:
        speed = slip(cone, impratio, noslip)
        print(f"{cone:9}  impratio {impratio:3}  noslip_iterations {noslip:2}  slips with {1e6 * speed:9.3f} um/s")


if __name__ == "__main__":
    main()
