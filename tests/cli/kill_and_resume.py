"""Runs that are killed at random instants, under load, and resumed: the result is that of a run that was not.

python3 kill_and_resume.py SESTINA KILLS
"""

import os
import random
import signal
import subprocess
import sys
import time

try:
    import h5py
except ImportError:
    h5py = None

import program
from program import ProgramTest

SPINNING_TOP = """\
sestina: 1
name: top on a cart
gravity: [0, 0, -9.81]
bodies:
  - {name: cart, mass: 2, inertia: {xx: 0.1, yy: 0.1, zz: 0.1}, points: {seat: [0, 0.1, 0]}}
  - {name: top, mass: 0.5, center_of_mass: [0, 0, 0.3], inertia: {xx: 0.01, yy: 0.01, zz: 0.004}}
  - {name: tail, mass: 0.2, center_of_mass: [0, -0.2, 0], inertia: {xx: 0.01, zz: 0.01}}
joints:
  - {name: rail, type: prismatic, parent: ground.origin, child: cart.origin, axis: [1, 0, 0], u: 0.3}
  - {name: foot, type: spherical, parent: cart.seat, child: top.origin, q: [0.9, 0.435889894354067, 0, 0], u: [0.1, 0, 40]}
  - {name: hinge, type: revolute, parent: cart.origin, child: tail.origin, axis: [1, 0, 0], q: 0.7}
forces:
  - {name: wind, type: joint_force, joint: rail, value: {table: wind.csv, columns: [f]}}
  - {name: push, type: joint_force, joint: hinge, value: "0.1*sin(5*t) - 0.001*hinge.u"}
analysis: {duration: 40}
output: {every: 0.004}
"""

# Two balls that bounce for ever, at different paces, and a counter of each.
BALLS = """\
sestina: 1
name: balls
gravity: [0, 0, -9.81]
bodies: [{name: a, type: particle, mass: 1}, {name: b, type: particle, mass: 2}]
joints:
  - {name: left, type: prismatic, parent: ground.origin, child: a.origin, axis: [0, 0, 1], q: 0.02}
  - {name: right, type: prismatic, parent: ground.origin, child: b.origin, axis: [0, 0, 1], q: 0.03}
forces: [{name: wind, type: joint_force, joint: left, value: "0.01*sin(5*t)"}]
variables: {lefts: 0, rights: 0}
events:
  - {name: left_floor, when: left.q, direction: falling, set: {left.u: -left.u, lefts: lefts + 1}}
  - {name: right_floor, when: right.q, direction: falling, set: {right.u: -right.u, rights: rights + lefts}}
analysis: {duration: 200}
output: {every: 0.1}
"""

FIXED = "analysis.step={driver: fixed, dt: 2e-4}"
VARIABLE = "analysis.step={driver: variable, rtol: 1e-11, atol: 1e-12}"
# Settings of the run, the format of its result and the model.
CASES = [
    (["analysis.integrator=rk4", FIXED], "csv", "top"),
    (["analysis.integrator=rk4", FIXED, "analysis.duration=20"], "csv", "balls"),
    (["analysis.integrator=dormand_prince_54", VARIABLE], "csv", "top"),
    (["analysis.integrator=velocity_verlet", FIXED], "h5", "top"),
    (["analysis.integrator=adams_bashforth_moulton", VARIABLE], "csv", "top"),
    (["analysis.integrator=lobatto_iiia_iiib", FIXED, "analysis.duration=10"], "csv", "top"),
    (["analysis.integrator=dormand_prince_54", VARIABLE, "analysis.solver=hybrid"], "h5", "top"),
    (["analysis.integrator=munthe_kaas_4", FIXED], "csv", "top"),
    (["analysis.integrator=dormand_prince_54", VARIABLE, "analysis.duration=800"], "h5", "balls"),
]


class Kills(ProgramTest):
    kills = 10

    def setUp(self):
        super().setUp()
        self.write("top.yaml", SPINNING_TOP)
        self.write("balls.yaml", BALLS)
        self.write("wind.csv", "t,f\n0,0\n10,1\n25,-0.5\n40,0.3\n")
        self.random = random.Random(6)
        # As many busy processes as processors.
        for _ in range(os.cpu_count()):
            process = subprocess.Popen([sys.executable, "-c", "while True: pass"])
            self.addCleanup(process.wait)
            self.addCleanup(process.kill)

    def content(self, result):
        """All of a CSV file; the numbers of an HDF5 file, or without h5py a drawing of all of them."""
        path = self.folder / result
        if result.endswith(".csv"):
            return path.read_bytes()
        if h5py:
            with h5py.File(path) as file:
                return file["values"].shape, file["values"][:].tobytes()
        self.expect(0, "plot", result, "*", "-o", "f.svg", "--title", "x")
        return (self.folder / "f.svg").read_bytes()

    def kill_after(self, seconds, *command):
        """Runs the program in another folder and kills it; True where it was killed before its end."""
        process = subprocess.Popen(
            [self.program, *command, "-q"], cwd="/", stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
        )
        try:
            error = process.communicate(timeout=seconds)[1]
            self.assertEqual(process.returncode, 0, error.decode())
            return False
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.communicate()
            return True

    def kill_and_resume(self, settings, suffix, model, kills):
        """One run, killed and resumed until it ends or has been killed `kills` times; returns that count."""
        whole, result, checkpoint = f"whole.{suffix}", f"r.{suffix}", self.folder / "c"
        options = [part for setting in settings for part in ("--set", setting)]
        begin = time.monotonic()
        self.expect(0, "run", f"{model}.yaml", "-q", "--out", whole, *options)
        duration = time.monotonic() - begin
        checkpoint.unlink(missing_ok=True)
        done = 0
        command = ["run", str(self.folder / f"{model}.yaml"), "--out", str(self.folder / result),
                   "--checkpoint", str(checkpoint), "--every-wall", "0.02", *options]
        while done < kills:
            if not self.kill_after(self.random.uniform(0, 0.5 * duration), *command):
                break
            if checkpoint.exists():  # the kill may come before the run has begun
                command = ["resume", str(checkpoint)]
                done += 1
        self.expect(0, *command, "-q")
        self.assertEqual(self.content(result), self.content(whole), f"{settings}: another result")
        self.assertIn("is complete", self.expect(0, "resume", checkpoint).stdout)
        return done

    def test_leave_runs_that_go_on_bit_for_bit(self):
        done = 0
        runs = 0
        while done < self.kills:
            settings, suffix, model = CASES[runs % len(CASES)]
            done += self.kill_and_resume(settings, suffix, model, min(3, self.kills - done))
            runs += 1
        print(f"{done} kills and resumes in {runs} runs, all with the result of an uninterrupted run")


if __name__ == "__main__":
    Kills.kills = int(sys.argv.pop(2))
    program.main()
