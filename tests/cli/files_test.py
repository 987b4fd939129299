"""Files are not lost: no output takes the place of an input or of another output, one process writes a file at a time,
and a user's own files stay.

python3 files_test.py SESTINA
"""

import os
import pathlib
import shutil
import signal
import subprocess
import time

import program
from program import ENDLESS, PENDULUM, ProgramTest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
GUST = "forces: [{name: wind, type: joint_force, joint: hinge, value: {table: gust.csv, columns: [torque]}}]\n"
TABLE = "t,torque\n0,0\n1,1\n"


class Inputs(ProgramTest):
    def setUp(self):
        super().setUp()
        self.model = self.write("model.yaml", PENDULUM + GUST)
        self.write("gust.csv", TABLE)

    def expect_refusal(self, first, second, *command):
        """The message names both files, and no file has changed."""
        before = {path: path.read_bytes() for path in self.folder.rglob("*") if path.is_file()}
        error = self.expect_bad_input(f"it is the same file as {second}", *command)
        self.assertIn(f"cannot write {first}: ", error)
        after = {path: path.read_bytes() for path in self.folder.rglob("*") if path.is_file()}
        self.assertEqual(after, before)

    def test_no_result_takes_the_place_of_a_table(self):
        table = "the table of the force 'wind' 'gust.csv'"
        os.symlink("gust.csv", self.folder / "soft.csv")
        os.link(self.folder / "gust.csv", self.folder / "hard.csv")
        os.link(self.folder / "gust.csv", self.folder / "hard.h5")
        for name in ["gust.csv", "soft.csv", "hard.csv", "hard.h5", "./gust.csv"]:
            self.expect_refusal(f"the result '{name}'", table, "run", "model.yaml", "--out", name)
        self.expect_refusal("the result 'hard.h5'", table, "sweep", "model.yaml", "--out", "hard.h5",
                            "--vary", "parameters.m=1:2:2")
        self.expect(0, "run", "model.yaml", "--out", "r.csv", "--checkpoint", "ck", "-q")
        self.expect(0, "resume", "ck", "-q")

    def test_no_result_takes_the_place_of_its_model(self):
        for name in ["m.csv", "m.h5"]:
            self.write(name, PENDULUM)
            self.expect_refusal(f"the result '{name}'", f"the model '{name}'", "run", name, "--out", name)
        self.expect_refusal("the result 'm.h5'", "the model 'm.h5'", "sweep", "m.h5", "--out", "m.h5",
                            "--vary", "parameters.m=1:2:2")
        os.symlink("robot.urdf", self.folder / "robot.csv")
        shutil.copy(SOURCE / "examples/10_robot_arm.urdf", self.folder / "robot.urdf")
        self.expect_refusal("the result 'robot.csv'", "the model 'robot.urdf'", "run", "robot.urdf", "--out", "robot.csv")

    def test_result_and_checkpoint_are_two_files(self):
        os.symlink("r.csv", self.folder / "ck")
        command = ["run", "model.yaml", "--out", "r.csv", "--checkpoint", "ck"]
        self.expect_refusal("the checkpoint 'ck'", "the result 'r.csv'", *command)
        self.write("r.csv", "an earlier result")
        self.expect_refusal("the checkpoint 'ck'", "the result 'r.csv'", *command)

    def test_no_figure_takes_the_place_of_its_result(self):
        self.expect(0, "run", "model.yaml", "--out", "r.csv", "-q")
        os.symlink("r.csv", self.folder / "r.svg")
        self.expect_refusal("the figure 'r.svg'", "the result 'r.csv'", "plot", "r.csv", "-o", "r.svg")

    def test_no_model_takes_the_place_of_its_robot(self):
        shutil.copy(SOURCE / "examples/10_robot_arm.urdf", self.folder / "robot.urdf")
        self.expect_refusal("the model 'robot.urdf'", "the robot 'robot.urdf'", "convert", "robot.urdf", "-o", "robot.urdf")

    def test_a_name_that_is_empty_is_refused(self):
        message = "the name of the file is empty"
        self.expect_bad_input(message, "run", "model.yaml", "--out", "")
        self.expect_bad_input(message, "run", "model.yaml", "--checkpoint", "")
        self.expect_bad_input(message, "sweep", "model.yaml", "--vary", "parameters.m=1:2:2", "--out", "")
        self.expect_bad_input(message, "plot", "gust.csv", "-o", "")
        self.expect_bad_input(message, "convert", "robot.urdf", "-o", "")


class Own(ProgramTest):
    """A user's files that are called like the program's temporary ones once were."""

    def test_stay_as_they_are(self):
        self.write("precious", "precious")
        self.write("ck.new", "a user's own")
        for name in ["r.h5.new", "s.h5.new"]:
            os.symlink("precious", self.folder / name)
        model = self.write("long.yaml", ENDLESS)
        command = ["run", model, "--out", "r.h5", "--checkpoint", "ck", "--every-wall", "0.01", "-q"]
        self.assertTrue(self.run_and_kill(command, 0.5))
        self.assertTrue(self.run_and_kill(["resume", "ck", "-q"], 0.5))
        self.expect(0, "sweep", self.model, "--vary", "parameters.m=1:2:2", "--out", "s.h5", "-q")
        self.assertEqual((self.folder / "precious").read_text(), "precious")
        self.assertEqual((self.folder / "ck.new").read_text(), "a user's own")


class Locks(ProgramTest):
    def start(self, *command):
        process = subprocess.Popen([self.program, *map(str, command)], cwd=self.folder, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def await_bytes(self, name):
        deadline = time.monotonic() + 60
        while not (self.folder / name).exists() or (self.folder / name).stat().st_size == 0:
            self.assertLess(time.monotonic(), deadline, "it writes nothing")
            time.sleep(0.01)

    def check(self, name, first, second):
        """While `first` writes the file, `second` is refused; after a kill it is not."""
        process = self.start(*first)
        self.await_bytes(name)
        error = self.expect(2, *second).stderr
        self.assertIn(f"cannot write '{name}': process {process.pid} (sestina) is writing it", error)
        self.assertIsNone(process.poll())
        process.send_signal(signal.SIGKILL)
        process.wait()
        self.expect(0, *second)

    def test_two_runs_have_two_results(self):
        endless = self.write("endless.yaml", ENDLESS)
        for name in ["r.csv", "r.h5"]:
            self.check(name, ["run", endless, "--out", name, "-q"], ["run", self.model, "--out", name, "-q"])
        self.check("ck", ["run", endless, "--checkpoint", "ck", "-q"], ["run", self.model, "--checkpoint", "ck", "-q"])

    def test_two_sweeps_have_two_results(self):
        endless = self.write("endless.yaml", ENDLESS)
        options = ["--out", "s.h5", "--record", "none", "-q", "--vary"]
        self.check("s.h5", ["sweep", endless, *options, "parameters.m=1:2:2"],
                   ["sweep", self.model, *options, "parameters.m=1:2:3"])

    def test_of_many_runs_each_result_is_whole_or_refused(self):
        lengths = [0.5, 1.0, 1.5, 2.0]
        for name in ["r.csv", "r.h5"]:
            def command(length, out):
                return ["run", self.model, "--set", "analysis.duration=20", "--set", f"parameters.l={length}",
                        "--out", out, "-q"]

            runs = [self.start(*command(length, name)) for length in lengths]
            status = [run.wait() for run in runs]
            self.assertLessEqual(set(status), {0, 2})
            self.assertIn(0, status)
            self.expect_plottable(name)
            for length in lengths:
                self.expect(0, *command(length, f"{length}.csv"))
            if name == "r.csv":
                whole = [(self.folder / f"{length}.csv").read_bytes() for length in lengths]
                self.assertIn((self.folder / name).read_bytes(), whole)


if __name__ == "__main__":
    program.main()
