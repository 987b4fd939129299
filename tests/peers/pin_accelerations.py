#!/usr/bin/env python3
"""Accelerations and poses of robots against Pinocchio's articulated-body algorithm.

Requires the packages numpy and pin, and a program sestina_evaluate:

    tests/peers/pin_accelerations.py build/release/tests/peers/sestina_evaluate [ROBOT.urdf]...

Without ROBOT it takes random trees of every joint type and, if the package example-robot-data is installed, real
robots. For each, random states and generalised forces; the largest differences relative to the largest number of
the same kind are printed, and the exit status is 1 when one exceeds its bound.

The engines' coordinates differ. Pinocchio gives a continuous joint the cosine and the sine of its angle; its free
joint has the position, then a quaternion with the scalar last, and as speeds the linear before the angular velocity,
both in the axes of the moving frame. Ours are in the axes of the fixed frame, the angular one first, hence
    w_F = R w_M,   v_F = R v_M,   w_F' = R w_M',   v_F' = R (v_M' + w_M x v_M).
The same holds for a planar joint. Joints are matched by name. Pinocchio has no dampers: their forces are part of the
generalised forces that it gets. Joints that mimic others move independently in both.
"""

import argparse
import pathlib
import site
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

import numpy as np
import pinocchio as pin
from engine import Engine

# Serial arms, a parallel-jaw gripper on an arm, hands, quadrupeds, humanoids; with fixed and with free base.
ROBOTS = [
    ("double_pendulum_description/urdf/double_pendulum_continuous.urdf", False),
    ("panda_description/urdf/panda.urdf", False),
    ("ur_description/urdf/ur5_robot.urdf", False),
    ("kinova_description/robots/kinova.urdf", False),
    ("xarm_description/urdf/xarm7.urdf", False),
    ("allegro_hand_description/urdf/allegro_left_hand.urdf", False),
    ("tiago_description/robots/tiago.urdf", True),
    ("anymal_c_simple_description/urdf/anymal.urdf", True),
    ("anymal_b_simple_description/robots/anymal-kinova.urdf", True),
    ("solo_description/robots/solo12.urdf", True),
    ("hyq_description/robots/hyq_no_sensors.urdf", True),
    ("go2_description/urdf/go2.urdf", True),
    ("talos_data/robots/talos_reduced.urdf", True),
    ("talos_data/robots/talos_full_v2.urdf", True),
    ("icub_description/robots/icub.urdf", True),
    ("g1_description/urdf/g1_29dof_with_hand_rev_1_0.urdf", True),
    ("simple_humanoid_description/urdf/simple_humanoid.urdf", True),
]
STATES = 50
# Round-off over some 50 joints; measured 4e-14. A nearly singular mass matrix loses what its condition says (of the
# robots here only iCub's, some of whose inertias no body can have).
ACCELERATION_BOUND = 1e-12
ILL_CONDITIONED = 5e7
POSE_BOUND = 1e-13  # relative to the robot's size, at most 40 products of rotations


def robots_folder():
    """Where example-robot-data keeps its robots, or None when it is not installed."""
    for root in site.getsitepackages():
        folder = pathlib.Path(root) / "cmeel.prefix/share/example-robot-data/robots"
        if folder.is_dir():
            return folder
    return None


def random_tree(links, rng):
    """URDF text of a tree with joints of every type, turned inertias and origins, and dampers."""

    def vector(low, high):
        return " ".join(repr(float(x)) for x in rng.uniform(low, high, 3))

    lines = ["<robot name='random'>"]
    for i in range(links):
        a, b, c = rng.uniform(0.1, 1.0, 3)  # second moments of the mass: their sums are moments of inertia
        lines.append(
            f"<link name='link.{i}'><inertial><origin xyz='{vector(-0.5, 0.5)}' rpy='{vector(-3, 3)}'/>"
            f"<mass value='{rng.uniform(0.5, 3)}'/><inertia ixx='{b + c}' iyy='{a + c}' izz='{a + b}' "
            f"ixy='0' ixz='0' iyz='0'/></inertial></link>"
        )
    types = ["revolute", "continuous", "prismatic", "fixed", "floating", "planar"]
    for i in range(1, links):
        kind = types[i % len(types)]
        axis = "0 0 1" if kind == "planar" else vector(-1, 1)  # Pinocchio supports no other planes
        extra = "<limit lower='-9' upper='9' effort='9' velocity='9'/>" if kind in ("revolute", "prismatic") else ""
        if kind not in ("fixed", "floating"):
            extra += f"<axis xyz='{axis}'/><dynamics damping='{rng.uniform(0, 1)}'/>"
        lines.append(
            f"<joint name='joint.{i}' type='{kind}'><parent link='link.{rng.integers(max(0, i - 4), i)}'/>"
            f"<child link='link.{i}'/><origin xyz='{vector(-1, 1)}' rpy='{vector(-3, 3)}'/>{extra}</joint>"
        )
    return "\n".join(lines + ["</robot>"])


def read_damping(path):
    """{joint: damping}"""
    damping = {}
    for joint in ElementTree.parse(path).getroot().findall("joint"):
        dynamics = joint.find("dynamics")
        if dynamics is not None:
            damping[joint.get("name")] = float(dynamics.get("damping", 0.0))
    return damping


def random_coordinates(joint, rng):
    """q, u, tau of one of our joints."""
    q = rng.uniform(-np.pi, np.pi, joint.nq) if joint.type == "revolute" else rng.uniform(-0.5, 0.5, joint.nq)
    if joint.type == "free":
        q[3:] = rng.normal(size=4)
        q[3:] /= np.linalg.norm(q[3:])
    return q, rng.uniform(-2, 2, joint.nu), rng.uniform(-10, 10, joint.nu)


def rotation(joint, q):
    """R_FM of a free or planar joint."""
    if joint.type == "planar":
        return pin.utils.rotate("z", q[2])
    return pin.Quaternion(q[3], q[4], q[5], q[6]).toRotationMatrix()


def to_peer(joint, q, u, tau):
    """The same state in Pinocchio's coordinates."""
    if joint.type == "planar":
        R = rotation(joint, q)[:2, :2]
        x = np.array([q[0], q[1], np.cos(q[2]), np.sin(q[2])])
        return x, np.append(R.T @ u[:2], u[2]), np.append(R.T @ tau[:2], tau[2])
    if joint.type == "free":
        R = rotation(joint, q)
        x = np.concatenate([q[:3], q[4:], q[3:4]])
        return x, np.concatenate([R.T @ u[3:], R.T @ u[:3]]), np.concatenate([R.T @ tau[3:], R.T @ tau[:3]])
    return q, u, tau


def to_ours(joint, q, peer_u, peer_a):
    """The acceleration in our coordinates."""
    if joint.type == "planar":
        spin = peer_u[2] * np.array([-peer_u[1], peer_u[0]])  # w x v
        return np.append(rotation(joint, q)[:2, :2] @ (peer_a[:2] + spin), peer_a[2])
    if joint.type == "free":
        R = rotation(joint, q)
        v, w = peer_u[:3], peer_u[3:]
        return np.concatenate([R @ peer_a[3:], R @ (peer_a[:3] + np.cross(w, v))])
    return peer_a


class Peer:
    def __init__(self, path, floating_base, engine):
        if floating_base:
            self.model = pin.buildModelFromUrdf(str(path), pin.JointModelFreeFlyer())
        else:
            self.model = pin.buildModelFromUrdf(str(path))
        self.data = self.model.createData()
        self.damping = read_damping(path)
        self.pairs = []
        for ours in engine.joints:
            if ours.nu == 0:
                continue
            is_base = floating_base and ours.name == ours.body and ours.type == "free"
            self.pairs.append((ours, self.model.joints[self.model.getJointId("root_joint" if is_base else ours.name)]))
        assert sum(theirs.nv for _, theirs in self.pairs) == self.model.nv

    def evaluate(self, q, u, tau, engine):
        """udot and the poses of our bodies, for one state of ours."""
        peer_q, peer_u, peer_tau = np.zeros(self.model.nq), np.zeros(self.model.nv), np.zeros(self.model.nv)
        for ours, theirs in self.pairs:
            in_q = slice(ours.q_start, ours.q_start + ours.nq)
            in_u = slice(ours.u_start, ours.u_start + ours.nu)
            net = tau[in_u] - self.damping.get(ours.name, 0.0) * u[in_u]
            x, v, f = to_peer(ours, q[in_q], u[in_u], net)
            if theirs.nq == 2:  # continuous
                x = np.array([np.cos(x[0]), np.sin(x[0])])
            peer_q[theirs.idx_q : theirs.idx_q + theirs.nq] = x
            peer_u[theirs.idx_v : theirs.idx_v + theirs.nv] = v
            peer_tau[theirs.idx_v : theirs.idx_v + theirs.nv] = f
        peer_a = pin.aba(self.model, self.data, peer_q, peer_u, peer_tau)
        udot = np.zeros(engine.nu)
        for ours, theirs in self.pairs:
            at = slice(theirs.idx_v, theirs.idx_v + theirs.nv)
            udot[ours.u_start : ours.u_start + ours.nu] = to_ours(
                ours, q[ours.q_start : ours.q_start + ours.nq], peer_u[at], peer_a[at]
            )
        pin.framesForwardKinematics(self.model, self.data, peer_q)
        frames = [self.data.oMf[self.model.getFrameId(joint.body, pin.FrameType.BODY)] for joint in engine.joints]
        condition = np.linalg.cond(pin.crba(self.model, self.data, peer_q))
        return udot, np.array([f.translation for f in frames]), np.array([f.rotation for f in frames]), condition


def compare(program, path, floating_base, solver):
    """Largest relative differences of accelerations and poses, number of speeds, largest cond(M)."""
    rng = np.random.default_rng(20240607)
    engine = Engine(program, path, floating_base, solver)
    peer = Peer(path, floating_base, engine)
    q, u, tau = np.zeros((STATES, engine.nq)), np.zeros((STATES, engine.nu)), np.zeros((STATES, engine.nu))
    for row in range(STATES):
        for joint in engine.joints:
            x, v, f = random_coordinates(joint, rng)
            q[row, joint.q_start : joint.q_start + joint.nq] = x
            u[row, joint.u_start : joint.u_start + joint.nu] = v
            tau[row, joint.u_start : joint.u_start + joint.nu] = f
    udot, positions, rotations = engine.accelerations(q, u, tau)
    acceleration_error = pose_error = condition = 0.0
    for row in range(STATES):
        peer_udot, peer_p, peer_R, peer_condition = peer.evaluate(q[row], u[row], tau[row], engine)
        size = max(1.0, np.abs(peer_p).max())
        acceleration_error = max(acceleration_error, np.abs(udot[row] - peer_udot).max() / np.abs(peer_udot).max())
        pose_error = max(pose_error, np.abs(positions[row] - peer_p).max() / size, np.abs(rotations[row] - peer_R).max())
        condition = max(condition, peer_condition)
    return acceleration_error, pose_error, engine.nu, condition


def default_robots(folder):
    robots = []
    rng = np.random.default_rng(7)
    for links, floating in [(7, False), (7, True), (25, True)]:
        path = pathlib.Path(folder) / f"random_{links}_{'free' if floating else 'fixed'}.urdf"
        path.write_text(random_tree(links, rng), encoding="utf-8")
        robots.append((path, floating))
    data = robots_folder()
    if data is None:
        print("example-robot-data is not installed: random trees only")
        return robots
    return robots + [(data / name, floating) for name, floating in ROBOTS]


def report(program, path, floating, solver):
    """Prints a line, and tells whether the engines agree."""
    acceleration, pose, nu, condition = compare(program, path, floating, solver)
    bound = ACCELERATION_BOUND if condition < ILL_CONDITIONED else np.finfo(float).eps * condition
    is_good = acceleration <= bound and pose <= POSE_BOUND
    print(
        f"{pathlib.Path(path).stem:<36} {'free' if floating else 'fixed':<6} {nu:>4} {condition:>9.1e} "
        f"{acceleration:>14.1e} {pose:>9.1e}{'' if is_good else '  FAILED'}"
    )
    return is_good


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", help="sestina_evaluate")
    parser.add_argument("robots", nargs="*", help="URDF files (default: a choice of example-robot-data)")
    parser.add_argument("--floating-base", action="store_true", help="of the robots given")
    parser.add_argument("--solver", default="recursive")
    arguments = parser.parse_intermixed_args()
    print(f"{'robot':<36} {'base':<6} {'nu':>4} {'cond(M)':>9} {'accelerations':>14} {'poses':>9}")
    with tempfile.TemporaryDirectory() as folder:
        robots = [(path, arguments.floating_base) for path in arguments.robots] or default_robots(folder)
        failures = sum(not report(arguments.program, path, floating, arguments.solver) for path, floating in robots)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
