"""Runs by several processes: the same results for any number of them, and an end when one fails.

python3 processes_test.py SESTINA MPIRUN
"""

import pathlib
import subprocess
import sys
import time
import unittest

import program
from program import EXPLOSION, ProgramTest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
MODEL = SOURCE / "examples/15_state_time.yaml"
# Newton's method ends with corrections below 1e-12; five seconds of a double pendulum amplify the
# rest.
SAME = 1e-10
mpirun = None  # set below


class ProcessesTest(ProgramTest):
    def run_processes(self, count, *args, **options):
        command = [mpirun, "--allow-run-as-root", "--oversubscribe", "-n", str(count), program.ProgramTest.program]
        return subprocess.run([*command, *map(str, args)], cwd=self.folder, capture_output=True, text=True,
                              timeout=120, **options)


class Results(ProcessesTest):
    def test_do_not_depend_on_the_number_of_processes(self):
        def rows(count, *options):
            done = self.run_processes(count, "run", MODEL, "--set", "analysis.integrator.windows=2",
                                      "--threads", "1", "-o", f"{count}.csv", *options)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(done.stdout.count("simulated"), 1)
            return self.read_csv(self.folder / f"{count}.csv")[1]

        alone = rows(1)
        self.assertGreater(len(alone), 500)
        self.assertGreater(max(row[1] for row in alone) - min(row[1] for row in alone), 0.5)  # something moved
        for count, options in [(2, ()), (3, ()), (4, ()), (2, ("--time-interface", "mumps")),
                               (4, ("--time-interface", "mumps"))]:
            together = rows(count, *options)
            self.assertEqual(len(together), len(alone))
            worst = max(abs(a - b) for row, other in zip(alone, together) for a, b in zip(row, other))
            self.assertLess(worst, SAME, f"{count} {options}")


class Failures(ProcessesTest):
    def check(self, count, status, message, *args):
        begin = time.monotonic()
        done = self.run_processes(count, *args)
        self.assertLess(time.monotonic() - begin, 30.0)
        self.assertEqual(done.returncode, status, done.stderr)
        self.assertEqual(done.stderr.count(message), 1, done.stderr)

    def test_of_all_are_told_once(self):
        for key, value, message in [
                ("windows", "8", "8 windows of 16 elements on 3 processes: expected at most 5"),
                ("elements", "2", "2 elements on 3 processes: expected at least one for each"),
                ("stretches", "2", "a window can have at least one for each"),
                ("scheme", "linear_quadratic", "linear_quadratic has one stretch of time, not 3: expected newton")]:
            with self.subTest(key):
                change = f"analysis.integrator.{key}={value}"
                place = f"--set {change}: analysis.integrator.{key}: "
                self.check(3, 2, message, "run", MODEL, "--set", change)
                self.check(3, 2, place, "run", MODEL, "--set", change)
        self.check(2, 2, "analysis.coordinates are state_time", "run", self.model)
        self.check(2, 2, "are for `sestina run` alone", "info", self.model)
        model = self.write("explosion.yaml", EXPLOSION.replace(
            "{duration: 2}", "{duration: 2, coordinates: state_time, integrator: {elements: 8}}"))
        self.check(2, 1, "the computation failed", "run", model)

    def test_of_one_end_all(self):
        # The first alone writes; the others would wait for it.
        self.check(3, 2, "there is no directory 'nowhere'", "run", MODEL, "-o", "nowhere/results.csv")


if __name__ == "__main__":
    mpirun = sys.argv.pop(2)
    program.main()
