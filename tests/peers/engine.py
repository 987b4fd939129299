"""Runs sestina_evaluate and gives its answers as arrays. See evaluate.cpp."""

import pathlib
import subprocess
import tempfile
from dataclasses import dataclass

import numpy as np


@dataclass
class Joint:
    body: str  # names as in the file
    name: str
    type: str
    q_start: int
    nq: int
    u_start: int
    nu: int


class Engine:
    def __init__(self, program, model, floating_base=False, solver="recursive"):
        self.program, self.model = str(program), str(model)
        self.options = ["--floating-base"] if floating_base else []
        self.solver = solver
        lines = self._run("layout", self.model).splitlines()
        self.joints = []
        for line in lines:
            body, name, kind, *numbers = line.split("\t")
            self.joints.append(Joint(body, name, kind, *map(int, numbers)))
        self.nq = sum(joint.nq for joint in self.joints)
        self.nu = sum(joint.nu for joint in self.joints)

    def _run(self, *arguments):
        command = [self.program, *arguments, *self.options, "--solver", self.solver]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        if result.returncode != 0:
            raise RuntimeError(result.stderr.strip())
        return result.stdout

    def accelerations(self, q, u, tau):
        """For rows q, u, tau: udot (rows x nu), positions (rows x bodies x 3), rotations (.. x 3 x 3)."""
        with tempfile.TemporaryDirectory() as folder:
            states = pathlib.Path(folder) / "states.txt"
            np.savetxt(states, np.hstack([q, u, tau]), fmt="%.17g")
            text = self._run("accelerations", self.model, str(states))
        rows = np.array([[float(x) for x in line.split()] for line in text.splitlines()])
        poses = rows[:, self.nu :].reshape(len(rows), len(self.joints), 12)
        return rows[:, : self.nu], poses[:, :, :3], poses[:, :, 3:].reshape(len(rows), -1, 3, 3)
