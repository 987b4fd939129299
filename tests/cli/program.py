"""Common parts of the command-line tests: the program, a folder for each test, a model."""

import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

PENDULUM = """\
sestina: 1
name: pendulum
parameters: {l: 1.0, m: 2.0}
gravity: [0, -9.81, 0]
bodies:
  - name: rod
    mass: m
    center_of_mass: [0, -l/2, 0]
    inertia: {xx: m*l^2/12, yy: 0, zz: m*l^2/12}
joints:
  - {name: hinge, type: revolute, parent: ground.origin, child: rod.origin, axis: [0, 0, 1], q: 1}
analysis: {duration: 1}
"""

# Grows without bound at t = 1 s.
EXPLOSION = """\
sestina: 1
name: explosion
bodies: [{name: mass, type: particle, mass: 1}]
joints: [{name: slide, type: prismatic, parent: ground.origin, child: mass.origin, axis: [1, 0, 0], u: 1}]
forces: [{name: boost, type: joint_force, joint: slide, value: slide.u^2}]
analysis: {duration: 2}
"""

# Takes hours, with a row every thousandth of a second.
ENDLESS = PENDULUM.replace(
    "duration: 1", "duration: 1e9, integrator: rk4, step: {driver: fixed, dt: 1e-3}"
) + "output: {every: 0.001, max_rows: 1e13}\n"

ESCAPE = re.compile(r"\x1b\[")


class ProgramTest(unittest.TestCase):
    program = None  # set by main()

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="sestina-cli-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.model = self.write("pendulum.yaml", PENDULUM)

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return path

    def run_program(self, *args, **options):
        return subprocess.run(
            [self.program, *map(str, args)], capture_output=True, text=True, timeout=120, check=False,
            cwd=self.folder, **options
        )

    def expect(self, status, *args, **options):
        """Runs the program, expects this exit status, and returns what it printed."""
        result = self.run_program(*args, **options)
        self.assertEqual(result.returncode, status, f"{args}\n{result.stdout}\n{result.stderr}")
        self.assertNotRegex(result.stdout + result.stderr, ESCAPE)  # nobody is at a terminal here
        self.assertNotIn("\r", result.stdout + result.stderr)
        return result

    def run_and_kill(self, command, seconds):
        """Whether the program was still running when it was killed."""
        process = subprocess.Popen(
            [self.program, *map(str, command)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=self.folder
        )
        time.sleep(seconds)
        process.send_signal(signal.SIGKILL)
        return process.wait() == -signal.SIGKILL

    def expect_bad_input(self, message, *args):
        """Exit status 2 and one message, nothing on the standard output, and nothing written."""
        before = sorted(self.folder.rglob("*"))
        result = self.expect(2, *args)
        self.assertIn(message, result.stderr)
        self.assertEqual(result.stdout, "")
        self.assertEqual(sorted(self.folder.rglob("*")), before)
        return result.stderr

    def read_csv(self, path):
        """Column names and rows."""
        lines = [line for line in path.read_text().splitlines() if not line.startswith("#")]
        rows = [[float(x) for x in line.split(",")] for line in lines[1:]]
        return lines[0].split(","), rows

    def expect_plottable(self, result):
        figure = self.folder / "figure.svg"
        self.expect(0, "plot", result, "-o", figure)
        self.assertIn("<svg", figure.read_text())


def main():
    # For builds with sanitizers: fontconfig keeps what it has read of the fonts until the program ends, and HDF5
    # loses what it could not write to a full disk.
    suppressions = pathlib.Path(__file__).resolve().parents[2] / "tools/lsan_suppressions.txt"
    os.environ.setdefault("LSAN_OPTIONS", f"suppressions={suppressions}:print_suppressions=0")
    ProgramTest.program = str(pathlib.Path(sys.argv.pop(1)).resolve())  # unittest must not see it
    unittest.main(verbosity=2)
