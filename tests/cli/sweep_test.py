"""Sweeps by the command line: bad input, exit statuses, kills and interrupts, what other programs read.

python3 sweep_test.py SESTINA
"""

import pathlib
import random
import re
import signal
import subprocess
import sys
import time
import unittest

try:
    import h5py
except ImportError:
    h5py = None

import program
from program import EXPLOSION, ProgramTest
from terminal_test import limit_files, run_at_terminal

SOURCE = pathlib.Path(__file__).resolve().parents[2]
PAGE = SOURCE / "docs/sweep.md"
LENGTHS = ["--vary", "parameters.l=0.5:1.5:5"]


class BadInput(ProgramTest):
    def test_is_refused_and_nothing_is_written(self):
        for message, args in [
            ("--vary is required", []),
            ("expected a:b:n", ["--vary", "parameters.l=1:2"]),
            ("did you mean 'l'?", ["--vary", "parameters.ll=1:2:3"]),
            ("--vary bodies.rod.mass=-1: bodies[0].mass: -1 is negative", ["--vary", "bodies.rod.mass=[1, -1]"]),
            ("is given twice", [*LENGTHS, *LENGTHS]),
            ("--threads", [*LENGTHS, "--threads", "0"]),
            ("no column matches 'knee.*'", [*LENGTHS, "--record", "knee.*"]),
            ("its name must end in .h5", [*LENGTHS, "-o", "s.csv"]),
            ("there is no directory 'nowhere'", [*LENGTHS, "-o", "nowhere/s.h5"]),
            ("has no 'x'", [*LENGTHS, "--set", "parameters.x=1"]),
        ]:
            with self.subTest(args):
                self.expect_bad_input(message, "sweep", self.model, *args)

    def test_leaves_an_earlier_result_as_it_was(self):
        path = self.write("s.h5", "earlier")
        self.expect(2, "sweep", self.model, "--vary", "parameters.m=-1:-2:3", "-o", path)
        self.expect(2, "sweep", self.model, *LENGTHS, "-o", path, "--resume")  # it is no sweep
        self.assertEqual(path.read_text(), "earlier")
        self.expect(0, "sweep", self.model, *LENGTHS, "-o", path)
        self.assertGreater(path.stat().st_size, 1000)

    def test_disk_without_room_is_found_before_the_first_run(self):
        path = self.write("s.h5", "earlier")
        result = self.expect(
            2, "sweep", self.model, "--vary", "parameters.l=1:2:500", "-o", path,
            preexec_fn=limit_files(1_000_000)
        )
        self.assertIn("cannot write", result.stderr)
        self.assertEqual(path.read_text(), "earlier")
        self.assertEqual(sorted(self.folder.iterdir()), [self.model, path])


class Statuses(ProgramTest):
    def test_complete_sweep(self):
        result = self.expect(0, "sweep", self.model, *LENGTHS)
        self.assertIn("5 complete, 0 failed", result.stdout)
        self.assertEqual(result.stderr, "")
        self.assertTrue((self.folder / "pendulum.sweep.h5").exists())
        self.assertEqual(self.expect(0, "sweep", self.model, *LENGTHS, "-q").stdout, "")

    def test_failed_runs_are_counted_and_told(self):
        model = self.write("explosion.yaml", EXPLOSION)
        result = self.expect(1, "sweep", model, "--vary", "joints.slide.u=[0.1, 1, 0.2, 4]")
        self.assertIn("2 complete, 2 failed", result.stdout)
        self.assertIn("2 of 4 runs failed", result.stderr)
        self.assertRegex(result.stderr, r"joints\.slide\.u=1: t = [\d.]+ s: ")
        self.assertRegex(result.stderr, r"joints\.slide\.u=4: t = 0\.2[\d]* s: ")
        again = self.expect(1, "sweep", model, "--vary", "joints.slide.u=[0.1, 1, 0.2, 4]", "--resume")
        self.assertIn("4 of them done before", again.stdout)
        self.assertEqual(again.stderr, result.stderr)

    def test_plot_draws_over_the_axis(self):
        self.expect(0, "sweep", self.model, *LENGTHS, "--vary", "parameters.m=[1, 2]", "-o", "s.h5")
        self.expect_plottable("s.h5")
        self.expect(0, "plot", "s.h5", "hinge.q", "energy_drift", "-o", "f.svg")
        figure = (self.folder / "f.svg").read_text()
        self.assertIn("hinge.q (parameters.m=2) [rad]", figure)
        self.assertIn("over parameters.l", figure)
        self.expect_bad_input("unknown column 'hinge.z'", "plot", "s.h5", "hinge.z", "-o", "g.svg")


class Interruptions(ProgramTest):
    # Seconds of work, in 400 runs.
    COMMAND = ["--vary", "parameters.l=0.5:1.5:400", "--set", "analysis.duration=200", "-o", "s.h5"]

    def start(self, *args):
        process = subprocess.Popen(
            [self.program, "sweep", self.model, *self.COMMAND, *args], cwd=self.folder,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        self.addCleanup(process.kill)
        return process

    def wait_for_file(self, process):
        deadline = time.monotonic() + 60
        while not (self.folder / "s.h5").exists():
            self.assertIsNone(process.poll(), "it ended by itself")
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.01)

    def numbers(self, name):
        """All of a file but the wall times."""
        with h5py.File(self.folder / name) as file:
            return {key: file[key][...].tobytes() for key in file
                    if isinstance(file[key], h5py.Dataset) and key not in ["wall_seconds", "names", "units",
                                                                           "series_names"]}

    def test_interrupt_keeps_what_there_is(self):
        for runs in [400, 1600, 6400]:  # more, where the fewer were done before the signal came
            command = ["--vary", f"parameters.l=0.5:1.5:{runs}", *self.COMMAND[2:]]
            (self.folder / "s.h5").unlink(missing_ok=True)
            process = subprocess.Popen(
                [self.program, "sweep", self.model, *command], cwd=self.folder,
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
            )
            self.addCleanup(process.kill)
            self.wait_for_file(process)
            time.sleep(0.1)
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=30)
            if process.returncode != 0:
                break
        self.assertEqual(process.returncode, 130, err)
        done = int(re.search(rf"interrupted after (\d+) of {runs} runs; .*--resume", err).group(1))
        self.assertIn(f"{done} complete, 0 failed, {runs - done} missing", out)
        self.expect_plottable("s.h5")
        again = self.expect(0, "sweep", self.model, *command, "--resume")
        self.assertIn(f"{runs} complete, 0 failed", again.stdout)

    def test_another_writer_is_refused(self):
        process = self.start()
        self.wait_for_file(process)
        result = self.expect(2, "sweep", self.model, *self.COMMAND, "--resume")
        self.assertIn(f"process {process.pid} (sestina) is writing it", result.stderr)
        process.kill()
        process.communicate()

    def test_resumed_sweep_must_be_the_same(self):
        self.expect(0, "sweep", self.model, *LENGTHS, "-o", "s.h5")
        before = (self.folder / "s.h5").read_bytes()
        for message, args in [
            ("axis 1 is parameters.l: 5 values from 0.5 to 1.5 and not", ["--vary", "parameters.l=0.5:1.5:6"]),
            ("its model is another: line", [*LENGTHS, "--set", "parameters.m=7"]),
            ("(--record)", [*LENGTHS, "--record", "none"]),
        ]:
            self.assertIn(message, self.expect_bad_input(message, "sweep", self.model, "-o", "s.h5", "--resume", *args))
        self.assertEqual((self.folder / "s.h5").read_bytes(), before)

    @unittest.skipIf(h5py is None, "needs h5py")
    def test_kills_lose_only_the_runs_at_hand(self):
        self.expect(0, "sweep", self.model, *self.COMMAND[:-1], "whole.h5", "--threads", "1")
        chance = random.Random(4)
        done_before = -1
        longest = 0.5  # s that a run lives; more, where that is too short for a run to be kept
        for kill in range(20):
            if kill >= 8 and done_before > 0:
                break
            process = self.start("--resume", "--threads", "2")
            if kill == 0:
                self.wait_for_file(process)
            time.sleep(chance.uniform(0.0, longest))
            process.kill()
            process.communicate()
            with h5py.File(self.folder / "s.h5") as file:  # it opens, whatever happened
                status = file["status"][...]
                done = status == 1
                self.assertEqual(set(status) - {0, 1}, set())
                with h5py.File(self.folder / "whole.h5") as whole:
                    for name in ["final", "series", "steps", "energy_drift"]:
                        self.assertEqual(file[name][done].tobytes(), whole[name][done].tobytes())
            self.assertGreaterEqual(done.sum(), done_before)
            if done.sum() == done_before:
                longest = min(2 * longest, 20.0)
            done_before = done.sum()
        self.assertGreater(done_before, 0)
        self.expect(0, "sweep", self.model, *self.COMMAND, "--resume")
        self.assertEqual(self.numbers("s.h5"), self.numbers("whole.h5"))


@unittest.skipIf(h5py is None, "needs h5py")
class ByH5py(ProgramTest):
    def test_holds_the_rows_of_single_runs(self):
        self.expect_rows_of_single_runs("--lanes", "off", tolerance=0.0)

    def test_holds_the_rows_of_single_runs_but_for_rounding_in_lanes(self):
        self.expect_rows_of_single_runs("--lanes", "auto", tolerance=1e-9)

    def expect_rows_of_single_runs(self, *options, tolerance):
        self.expect(0, "sweep", self.model, *LENGTHS, "--vary", "parameters.m=[1, 2]", "-o", "s.h5",
                    "--record", "t", "hinge.*", *options)
        with h5py.File(self.folder / "s.h5") as file:
            self.assertEqual(file["final"].shape[:2], (5, 2))
            self.assertEqual(list(file.attrs["axes"]), ["parameters.l", "parameters.m"])
            self.assertEqual(list(file["axes/parameters.l"]), [0.5, 0.75, 1.0, 1.25, 1.5])
            names = list(file["names"].asstr())
            kept = list(file["series_names"].asstr())
            self.expect(0, "run", self.model, "--set", "parameters.l=1.25", "--set", "parameters.m=2",
                        "-o", "r.csv", "-q")
            columns, rows = self.read_csv(self.folder / "r.csv")
            self.assertEqual(columns, names)
            self.assertEqual(file["rows"][3, 1], len(rows))
            series = [[row[columns.index(name)] for row in rows] for name in kept]
            pairs = [(file["final"][3, 1], rows[-1])]
            pairs += [(file["series"][3, 1, :, k], numbers) for k, numbers in enumerate(series)]
            for found, expected in pairs:
                self.assertEqual(len(found), len(expected))
                for a, b in zip(found, expected):
                    self.assertLessEqual(abs(a - b), tolerance * max(1.0, abs(b)))

    def test_series_stand_at_the_same_instants_whatever_the_events(self):
        text = pathlib.Path(self.model).read_text()
        model = self.write("events.yaml", text + "variables: {ticks: 0}\n"
                           "events: [{name: tick, when: t - m, set: {ticks: ticks + 1}}]\n")
        self.expect(0, "sweep", model, "--vary", "parameters.m=[0.333, 0.571, 50]", "-o", "s.h5",
                    "--record", "t", "ticks")
        with h5py.File(self.folder / "s.h5") as file:
            t, ticks = file["series"][..., 0], file["series"][..., 1]
            for run, m in enumerate([0.333, 0.571, 50]):
                self.assertEqual(list(t[run]), list(t[2]))  # the last has no event
                self.assertEqual(list(ticks[run]), [float(instant > m) for instant in t[run]])

    def test_shows_a_failed_run(self):
        model = self.write("explosion.yaml", EXPLOSION)
        self.expect(1, "sweep", model, "--vary", "joints.slide.u=[0.1, 4]", "-o", "s.h5")
        with h5py.File(self.folder / "s.h5") as file:
            self.assertEqual(list(file["status"]), [1, 2])
            self.assertIn(b"t = 0.2", file["reason"][1])
            self.assertEqual(file["reason"][0], b"")
            rows = file["rows"][1]
            self.assertTrue(1 < rows < file["rows"][0])
            series = file["series"][1]
            self.assertEqual((series[:rows] != series[:rows]).sum(), 0)
            self.assertTrue((series[rows:] != series[rows:]).all())  # NaN

    def test_is_read_by_the_examples_of_the_documentation(self):
        self.expect(0, "sweep", SOURCE / "examples/01_double_pendulum.yaml", "--vary", "parameters.l1=0.5:1.5:6",
                    "--set", "analysis.duration=1", "-o", "pendulum.sweep.h5")
        blocks = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)
        # The commands that made the file, and its last values.
        self.assertEqual(len(blocks), 2)
        outputs = []
        for block in blocks:
            result = subprocess.run([sys.executable, "-c", block], cwd=self.folder, capture_output=True, text=True,
                                    check=False)
            self.assertEqual(result.returncode, 0, result.stderr)
            outputs.append(result.stdout.splitlines())
        self.assertIn("--set parameters.l1=0.5", outputs[0])
        self.assertIn("sestina: 1", (self.folder / "model.yaml").read_text())
        self.assertEqual(len(outputs[1]), 6, outputs[1])


class Terminal(ProgramTest):
    def test_shows_a_bar_with_the_time_left(self):
        text, status = run_at_terminal(self.program, "sweep", self.model, "-o", self.folder / "s.h5",
                                       *Interruptions.COMMAND[:-2])
        self.assertEqual(status, 0)
        self.assertRegex(text, r"\[#*\.+\] +\d+ %  \d+ of 400 runs  \d+ s  \d+ s left")
        text, status = run_at_terminal(self.program, "sweep", self.model, "-q", "-o", self.folder / "s.h5", *LENGTHS)
        self.assertEqual((text, status), ("", 0))


if __name__ == "__main__":
    program.main()
