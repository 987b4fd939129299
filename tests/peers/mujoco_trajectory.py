#!/usr/bin/env python3
"""A trajectory of a spatial chain against MuJoCo's.

Requires the packages numpy and mujoco, and the program sestina:

    tests/peers/mujoco_trajectory.py build/release/apps/cli/sestina

Six links with turned inertias, hinges and a slider about skew axes, with rotor inertias, dampers, springs and a motor,
fall for two seconds. MuJoCo integrates by the classical Runge-Kutta rule with a fixed step, twice, so that its own error
is known; we by Dormand-Prince with tight tolerances. The exit status is 1 when the trajectories differ by more than
BOUND relative to the largest coordinate or speed.
"""

import argparse
import csv
import json
import pathlib
import subprocess
import sys
import tempfile

import mujoco
import numpy as np

LINKS = 6
SLIDER = 2  # its number in the chain
DURATION = 2.0  # s
ROWS = 20
STEP = 5e-5  # s, of MuJoCo
# Measured 1.6e-12, MuJoCo's own error being 1e-13: our tolerance and the round-off of both, as the chain magnifies
# them. Dampings larger by a ten-thousandth make 9e-5.
BOUND = 1e-10


def random_chain(rng):
    """A list of dictionaries, one for each link and its joint."""

    def unit(n):
        v = rng.normal(size=n)
        return (v / np.linalg.norm(v)).tolist()

    links = []
    for i in range(LINKS):
        a, b, c = rng.uniform(0.01, 0.03, 3)  # second moments of the mass, kg m^2
        links.append(
            {
                "type": "prismatic" if i == SLIDER else "revolute",
                "position": rng.uniform(-0.5, 0.5, 3).tolist(),  # of the joint on the parent, m
                "rotation": unit(4),  # Euler parameters
                "axis": unit(3),
                "mass": rng.uniform(0.5, 1.5),
                "center": rng.uniform(-0.3, 0.3, 3).tolist(),
                "inertia_axes": unit(4),
                "moments": [b + c, a + c, a + b],
                "armature": rng.uniform(0.01, 0.05),
                "damping": rng.uniform(0.05, 0.2),
                "stiffness": 200.0 if i == SLIDER else rng.uniform(0.0, 2.0),
                "reference": rng.uniform(-0.2, 0.2),
                "q": rng.uniform(-0.1, 0.1) if i == SLIDER else rng.uniform(-1.0, 1.0),
                "u": rng.uniform(-1.0, 1.0),
            }
        )
    return links


def text(numbers):
    return " ".join(repr(float(x)) for x in np.atleast_1d(numbers))


def mjcf(links, step):
    lines = [
        f'<mujoco><compiler angle="radian" autolimits="false"/><option timestep="{step}" integrator="RK4" '
        'gravity="0 0 -9.81"><flag contact="disable" constraint="disable"/></option><worldbody>'
    ]
    for i, link in enumerate(links):
        lines.append(
            f'<body pos="{text(link["position"])}" quat="{text(link["rotation"])}">'
            f'<joint name="joint_{i}" type="{"slide" if link["type"] == "prismatic" else "hinge"}" '
            f'axis="{text(link["axis"])}" armature="{text(link["armature"])}" damping="{text(link["damping"])}" '
            f'stiffness="{text(link["stiffness"])}" springref="{text(link["reference"])}"/>'
            f'<inertial pos="{text(link["center"])}" quat="{text(link["inertia_axes"])}" mass="{text(link["mass"])}" '
            f'diaginertia="{text(link["moments"])}"/>'
        )
    return "\n".join(lines) + "</body>" * LINKS + "</worldbody></mujoco>"


def rotation(e):
    w, x, y, z = e
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def sestina_model(links):
    """The model as JSON, which is YAML too."""
    bodies, joints, forces = [], [], []
    ground = {"points": {}}
    for i, link in enumerate(links):
        R = rotation(link["inertia_axes"])
        inertia = R @ np.diag(link["moments"]) @ R.T
        elements = {"xx": (0, 0), "yy": (1, 1), "zz": (2, 2), "xy": (0, 1), "xz": (0, 2), "yz": (1, 2)}
        mount = {"position": link["position"], "axes": {"euler_parameters": link["rotation"]}}
        (bodies[-1] if bodies else ground)["points"]["tip"] = mount
        bodies.append(
            {
                "name": f"link_{i}",
                "mass": link["mass"],
                "center_of_mass": link["center"],
                "inertia": {key: float(inertia[at]) for key, at in elements.items()},
                "points": {},
            }
        )
        parent = f"link_{i - 1}" if i > 0 else "ground"
        joint = {"name": f"joint_{i}", "parent": f"{parent}.tip", "child": f"link_{i}.origin"}
        joints.append(joint | {key: link[key] for key in ("type", "axis", "armature", "q", "u")})
        forces.append({"name": f"damper_{i}", "type": "joint_damper", "joint": f"joint_{i}", "damping": link["damping"]})
        spring = {key: link[key] for key in ("stiffness", "reference")}
        forces.append({"name": f"spring_{i}", "type": "joint_spring", "joint": f"joint_{i}"} | spring)
    forces.append({"name": "motor", "type": "joint_force", "joint": "joint_0", "value": "3*sin(5*t)"})
    return {
        "sestina": 1,
        "gravity": [0, 0, -9.81],
        "ground": ground,
        "bodies": bodies,
        "joints": joints,
        "forces": forces,
        "analysis": {"duration": DURATION, "step": {"driver": "variable", "rtol": 1e-13, "atol": 1e-14}},
        "output": {"every": DURATION / ROWS},
    }


class Motor:
    """Sets the motor's torque in MuJoCo's stages, which is time-dependent within a step."""

    def __call__(self, model, data):
        data.qfrc_passive[0] += 3 * np.sin(5 * data.time)


def run_mujoco(links, step):
    """q and u in columns, one row for each instant."""
    model = mujoco.MjModel.from_xml_string(mjcf(links, step))
    data = mujoco.MjData(model)
    data.qpos[:] = [link["q"] for link in links]
    data.qvel[:] = [link["u"] for link in links]
    mujoco.set_mjcb_passive(Motor())
    rows = [np.concatenate([data.qpos, data.qvel])]
    for _ in range(ROWS):
        mujoco.mj_step(model, data, nstep=round(DURATION / ROWS / step))
        rows.append(np.concatenate([data.qpos, data.qvel]))
    mujoco.set_mjcb_passive(None)
    return np.array(rows)


def run_sestina(program, links):
    with tempfile.TemporaryDirectory() as folder:
        model, result = pathlib.Path(folder) / "chain.yaml", pathlib.Path(folder) / "chain.csv"
        model.write_text(json.dumps(sestina_model(links)), encoding="utf-8")
        command = [program, "run", str(model), "--out", str(result), "--quiet"]
        subprocess.run(command, check=True)
        lines = [line for line in result.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    rows = list(csv.DictReader(lines))
    names = [f"joint_{i}.q" for i in range(LINKS)] + [f"joint_{i}.u" for i in range(LINKS)]
    return np.array([[float(row[name]) for name in names] for row in rows])


def largest_difference(a, b):
    """Relative to the largest coordinate and the largest speed."""
    scale = np.concatenate([np.full(LINKS, np.abs(b[:, :LINKS]).max()), np.full(LINKS, np.abs(b[:, LINKS:]).max())])
    return (np.abs(a - b) / scale).max()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", help="sestina")
    arguments = parser.parse_args()
    links = random_chain(np.random.default_rng(3))
    ours = run_sestina(arguments.program, links)
    theirs = run_mujoco(links, STEP)
    own_error = largest_difference(run_mujoco(links, 2 * STEP), theirs) / 15  # of a rule of order 4
    difference = largest_difference(ours, theirs)
    print(f"largest coordinate {np.abs(theirs[:, :LINKS]).max():.2f}, largest speed {np.abs(theirs[:, LINKS:]).max():.2f}")
    print(f"difference {difference:.1e}; MuJoCo's own error at {STEP} s {own_error:.1e}")
    sys.exit(0 if difference <= BOUND else 1)


if __name__ == "__main__":
    main()
