"""Joints that mimic others, coupled, against Pinocchio's joints of that kind (./dev test --all installs both packages)."""

from __future__ import annotations

import pathlib
import site

import numpy as np
import pytest
import sestina

pin = pytest.importorskip("pinocchio")

# Of example-robot-data: with one, two and ten joints that mimic others.
ROBOTS = ["panda_description/urdf/panda.urdf", "baxter_description/urdf/baxter.urdf", "pr2_description/urdf/pr2.urdf"]


def path_of(robot: str) -> pathlib.Path:
    for root in site.getsitepackages():
        path = pathlib.Path(root) / "cmeel.prefix/share/example-robot-data/robots" / robot
        if path.is_file():
            return path
    pytest.skip("example-robot-data is not installed")


class Peer:
    """One random state of the robot in Pinocchio, in which followers have no coordinates of their own."""

    def __init__(self, path: pathlib.Path, system: sestina.System, rng: np.random.Generator) -> None:
        self.model = pin.buildModelFromUrdf(str(path), mimic=True)
        self.q = pin.integrate(self.model, pin.neutral(self.model), 0.3 * rng.standard_normal(self.model.nv))
        self.u = 0.3 * rng.standard_normal(self.model.nv)
        self.tau = rng.standard_normal(self.model.nv)
        self.couplings = {c.name.removesuffix("_mimic"): c for c in system.constraints}
        self.names = {joint.name: joint.original_name or joint.name for joint in system.joints}

    def udot(self) -> np.ndarray:
        data = self.model.createData()
        upper = np.triu(pin.crba(self.model, data, self.q))
        bias = pin.nonLinearEffects(self.model, data, self.q, self.u)
        return np.linalg.solve(upper + np.triu(upper, 1).T, self.tau - bias)

    def rate(self, joint: str, of: np.ndarray) -> float:
        """The joint's part of u or udot, by the leader where it follows."""
        if joint in self.couplings:
            leader, factor = self._leader(joint)
            return factor * self.rate(leader, of)
        return float(of[self._joint(joint).idx_v])

    def position(self, joint: str) -> float:
        if joint in self.couplings:
            leader, factor = self._leader(joint)
            return factor * self.position(leader) + float(self.couplings[joint].value[0])
        theirs = self._joint(joint)
        at = theirs.idx_q
        return float(self.q[at] if theirs.nq == 1 else np.arctan2(self.q[at + 1], self.q[at]))

    def _leader(self, joint: str) -> tuple[str, float]:
        (coordinate, factor), = [item for item in self.couplings[joint].coefficients.items() if item[0] != f"{joint}.q"]
        return coordinate.removesuffix(".q"), -float(factor)

    def _joint(self, joint: str) -> pin.JointModel:
        return self.model.joints[self.model.getJointId(self.names[joint])]


@pytest.mark.parametrize("robot", ROBOTS, ids=lambda robot: pathlib.Path(robot).stem)
def test_coupled_joints_have_the_accelerations_of_pinocchio(robot: str) -> None:
    path = path_of(robot)
    system = sestina.load_urdf(path, mimic="couple")
    assert len(system.constraints) > 0
    for force in list(system.forces):  # dampers, which Pinocchio does not have
        system.forces.remove(force)
    model = system.freeze()
    rng = np.random.default_rng(1)
    for _ in range(10):
        peer = Peer(path, system, rng)
        udot = peer.udot()
        joints = [name.removesuffix(".u") for name in model.u_names]
        q = np.array([peer.position(joint) for joint in joints])
        u = np.array([peer.rate(joint, peer.u) for joint in joints])
        tau = np.array([0 if joint in peer.couplings else peer.rate(joint, peer.tau) for joint in joints])
        expected = np.array([peer.rate(joint, udot) for joint in joints])
        got = model.forward_dynamics(q, u, tau)
        # Round-off; measured 7e-15. M has a condition of up to 1e6, but little of it shows.
        np.testing.assert_allclose(got, expected, rtol=0, atol=1e-12 * abs(expected).max())
