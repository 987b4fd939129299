"""Checkpoints by the command line: what is written, continued, refused and reported.

python3 resume_test.py SESTINA
"""

import pathlib
import signal
import subprocess
import time

import program
from program import ENDLESS, ProgramTest
from terminal_test import limit_files

SOURCE = pathlib.Path(__file__).resolve().parents[2]


class Resume(ProgramTest):
    def stamp(self):
        """Differs from one checkpoint to the next."""
        try:
            status = (self.folder / "c").stat()
        except FileNotFoundError:
            return None
        return status.st_ino, status.st_mtime_ns

    def interrupt_program(self, number, *command):
        """Ends the program by a signal once it has written a checkpoint: it listens to signals before that. Its exit
        status and what it said."""
        before = self.stamp()
        process = subprocess.Popen([self.program, *map(str, command), "--every-wall", "0.05"], cwd=self.folder,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.kill)
        deadline = time.monotonic() + 60
        while process.poll() is None and self.stamp() == before:
            self.assertLess(time.monotonic(), deadline, "no checkpoint comes")
            time.sleep(0.01)
        time.sleep(0.2)
        process.send_signal(number)
        out, err = process.communicate(timeout=60)
        return process.returncode, out, err

    def interrupt(self, number, *options):
        """A run that is ended by a signal."""
        model = self.write("endless.yaml", ENDLESS)
        return self.interrupt_program(number, "run", model, "--checkpoint", "c", *options)

    def test_interrupt_leaves_a_checkpoint_of_that_moment(self):
        for number in [signal.SIGINT, signal.SIGTERM]:
            status, out, err = self.interrupt(number, "--out", "r.csv")
            self.assertEqual(status, 130)
            self.assertIn("`sestina resume c` continues it from t = ", err)
            self.assertRegex(out, r"checkpoint +c: t = [\d.]+ s")
            rows = self.read_csv(self.folder / "r.csv")[1]
            # The instant of the interruption is the last row, unless it is one of the others.
            checkpoint = (self.folder / "c").read_text()
            recorded = int(checkpoint.split("\nrows ")[1].split("\n")[0])
            self.assertIn(len(rows) - recorded, [0, 1])
            (self.folder / "c").unlink()

    def test_run_without_a_result_goes_on(self):
        model = self.write("short.yaml", ENDLESS.replace("1e9", "500"))
        reference = self.expect(0, "run", model).stdout
        process = subprocess.Popen([self.program, "run", model, "-q", "--checkpoint", "c", "--every-wall", "0.01"],
                                   cwd=self.folder)
        while not (self.folder / "c").exists():
            time.sleep(0.005)
        process.kill()
        process.wait(timeout=30)
        text = self.expect(0, "resume", "c").stdout
        self.assertRegex(text, r"resumed +at t = ")

        def final(report):
            return [line for line in report.splitlines() if line.startswith("  hinge.")]

        self.assertEqual(final(text), final(reference))
        self.assertEqual(len(final(text)), 2)

    def test_run_without_a_result_can_be_given_one(self):
        self.assertEqual(self.interrupt(signal.SIGINT)[0], 130)
        for options in [["--out", "r.csv"], [], []]:
            status, _, error = self.interrupt_program(signal.SIGINT, "resume", "c", "-q", *options)
            self.assertEqual(status, 130, error)
        times = [row[0] for row in self.read_csv(self.folder / "r.csv")[1]][:-1]
        self.assertGreater(times[0], 0.001)
        self.assertEqual(times, [k * 0.001 for k in range(round(times[0] * 1000), round(times[-1] * 1000) + 1)])

    def test_result_that_was_moved_is_named(self):
        self.assertEqual(self.interrupt(signal.SIGINT, "--out", "r.csv")[0], 130)
        (self.folder / "r.csv").rename(self.folder / "moved.csv")
        self.expect_bad_input("there is no such file", "resume", "c")
        status, _, error = self.interrupt_program(signal.SIGINT, "resume", "c", "-q", "--out", "moved.csv")
        self.assertEqual(status, 130, error)
        times = [row[0] for row in self.read_csv(self.folder / "moved.csv")[1]]
        self.assertEqual(times, sorted(set(times)))

    # Changes that prevent an event from ending these runs.
    ENDLESS = {"12_bouncing_pendulum": ["--set=parameters.restitution=1", "--set=events.enough.terminal=false"],
               "13_latch": ["--set=parameters.strength=40"]}
    # Runs that write no checkpoints.
    ALL_AT_ONCE = {"15_state_time"}

    def test_every_example_can_be_resumed(self):
        for example in sorted((SOURCE / "examples").glob("*.yaml")):
            if example.stem in self.ALL_AT_ONCE:
                self.expect_bad_input("writes no checkpoints", "run", str(example), "--checkpoint", "c")
                continue
            command = ["run", str(example), "--checkpoint", "c", "--set", "analysis.duration=1e5",
                       "--set", "output.every=0.01", "--set", "output.max_rows=1e8", "--out", "r.csv", *self.ENDLESS.get(example.stem, [])]
            for command in [command, ["resume", "c"]]:
                status, _, error = self.interrupt_program(signal.SIGINT, *command, "-q")
                self.assertEqual(status, 130, f"{example.name} {command}: {error}")
            (self.folder / "c").unlink()

    def test_held_beams_go_on_bit_for_bit(self):
        spin = [SOURCE / "examples/22_spin_up.yaml", "-q", "--set", "analysis.coordinates=relative"]
        self.expect(0, "run", *spin, "--out", "whole.csv")
        self.assertEqual(self.interrupt_program(signal.SIGINT, "run", *spin, "--out", "parts.csv", "--checkpoint", "c")[0], 130)
        for _ in range(2):
            self.interrupt_program(signal.SIGINT, "resume", "c", "-q")
        self.expect(0, "resume", "c", "-q")
        self.assertEqual((self.folder / "parts.csv").read_bytes(), (self.folder / "whole.csv").read_bytes())

    def test_complete_run_says_so(self):
        text = self.expect(0, "run", self.model, "--checkpoint", "c").stdout
        self.assertRegex(text, r"checkpoint +c: t = 1 s")
        self.assertIn("the run is complete", self.expect(0, "resume", "c").stdout)
        self.assertEqual(self.expect(0, "resume", "c", "-q").stdout, "")

    def test_place_that_cannot_be_written_is_refused_before_the_run(self):
        refused = ["run", self.model, "--out", "r.csv", "--checkpoint"]
        self.expect_bad_input("no directory 'no/such'", *refused, "no/such/c")
        notes = self.write("notes", "of somebody")
        self.expect_bad_input("is not a checkpoint and is not overwritten", *refused, notes)
        self.expect_bad_input("it is the same file as the result 'r.csv'", *refused, "r.csv")
        self.expect_bad_input("--every-wall", "run", self.model, "--every-wall", "5")
        self.expect_bad_input("apart", *refused, "c", "--every-wall", "0")

    def test_file_that_is_no_checkpoint_is_refused(self):
        self.expect_bad_input("is not a checkpoint of sestina", "resume", self.model)
        self.expect_bad_input("nothing: cannot be opened", "resume", "nothing")
        self.expect(0, "run", self.model, "--checkpoint", "c")
        text = (self.folder / "c").read_text()
        self.write("c", text.replace("rows 101", "rows 102"))
        self.expect_bad_input("c: is damaged", "resume", "c")
        self.write("c", text[:-30])
        self.expect_bad_input("c: is cut short", "resume", "c")

    def test_disk_without_room_for_a_checkpoint_is_told_and_the_run_goes_on(self):
        result = self.expect(0, "run", self.model, "--checkpoint", "c", preexec_fn=limit_files(100))
        self.assertIn("warning: the last checkpoint is missing: cannot write 'c': File too large", result.stderr)
        self.assertFalse((self.folder / "c").exists())
        self.assertFalse((self.folder / "c.new").exists())


class RunOptions(ProgramTest):
    def test_trace_tells_the_phases(self):
        text = self.expect(0, "run", self.model, "--trace", "--checkpoint", "c").stdout
        for phase in ["integrate", "kinematics", "forces", "solve", "record", "checkpoint"]:
            self.assertRegex(text, rf"(?m)^{phase} +[\d.e+]+ u?m?s +[\d.]+ %")

    def test_real_time_tells_its_lateness(self):
        for factor in [[], ["1"], ["2.5"]]:
            text = self.expect(0, "run", self.model, "--set", "analysis.duration=0.2", "--real-time", *factor).stdout
            self.assertRegex(text, r"real time +100 rows, late by .+ on average, 99 % by .+, at worst .+; \d+ missed")
        self.expect_bad_input("the factor is positive", "run", self.model, "--real-time", "0")
        self.expect_bad_input("--real-time", "run", self.model, "--real-time", "fast")

    def test_threads_are_a_number(self):
        plain = ["run", self.model, "-q", "--set", "analysis.solver=hybrid", "--out"]
        self.expect(0, *plain, "a.csv", "--threads", "1")
        self.expect(0, *plain, "b.csv", "--threads", "3")
        self.assertEqual((self.folder / "a.csv").read_bytes(), (self.folder / "b.csv").read_bytes())
        self.expect(0, "compare", self.model, "--trajectory", "--threads", "2")
        for number in ["0", "many", "-1", "1.5"]:
            self.expect_bad_input("--threads", "run", self.model, "--threads", number)


if __name__ == "__main__":
    program.main()
