"""The program and the world around it: signals, pipes, terminals, full disks.

python3 terminal_test.py SESTINA
"""

import os
import pty
import re
import resource
import select
import signal
import subprocess
import time

import program
from program import ENDLESS, ESCAPE, EXPLOSION, PENDULUM, ProgramTest

# Dry friction at rest: the steps become very short, and a hint says so.
STUCK = """\
sestina: 1
bodies: [{name: box, type: particle, mass: 1}]
joints: [{name: slide, type: prismatic, parent: ground.origin, child: box.origin, axis: [1, 0, 0]}]
forces: [{name: friction, type: joint_force, joint: slide, value: "if(slide.u > 0, -10, 10)"}]
analysis: {duration: 1}
"""


def limit_files(size, signal_action=signal.SIG_IGN):
    """Prevents a process from writing a file larger than this, to simulate a full disk."""

    def prepare():
        signal.signal(signal.SIGXFSZ, signal_action)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    return prepare


class Signals(ProgramTest):
    def start_endless_run(self, result, **options):
        model = self.write("endless.yaml", ENDLESS)
        process = subprocess.Popen(
            [self.program, "run", model, "--out", result], cwd=self.folder, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, **options
        )
        self.addCleanup(process.kill)
        deadline = time.monotonic() + 60
        path = self.folder / result
        while not path.exists() or path.stat().st_size < 200_000:
            self.assertIsNone(process.poll(), "it ended by itself")
            self.assertLess(time.monotonic(), deadline, "no rows come")
            time.sleep(0.02)
        return process

    def test_interrupt_ends_the_run_and_keeps_its_rows(self):
        for result in ["r.csv", "r.h5"]:
            for number in [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]:
                process = self.start_endless_run(result)
                process.send_signal(number)
                out, err = process.communicate(timeout=30)
                self.assertEqual(process.returncode, 130)
                self.assertRegex(err, r"interrupted at t = [\d.e+]+ s; .*kept")
                self.assertIn("energy drift", out)
                self.expect_plottable(result)
                if result == "r.csv":
                    rows = self.read_csv(self.folder / result)[1]
                    self.assertEqual([len(row) for row in rows if len(row) != len(rows[0])], [])
                    told = int(re.search(r"r\.csv: (\d+) rows", out).group(1))
                    self.assertEqual(len(rows), told)
                (self.folder / result).unlink()

    def test_run_that_ignores_its_terminal_goes_on(self):
        process = self.start_endless_run("r.csv", preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        process.send_signal(signal.SIGHUP)
        time.sleep(0.3)
        self.assertIsNone(process.poll())
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=30)
        self.assertEqual(process.returncode, 130)

    def test_run_whose_terminal_is_closed_leaves_a_checkpoint(self):
        model = self.write("long.yaml", ENDLESS)
        process, terminal = pty.fork()
        if process == 0:
            os.chdir(self.folder)
            os.execv(self.program, [self.program, "run", str(model), "--out", "r.csv", "--checkpoint", "c"])
        deadline = time.monotonic() + 60
        while not (self.folder / "r.csv").exists() or (self.folder / "r.csv").stat().st_size < 200_000:
            self.assertLess(time.monotonic(), deadline, "no rows come")
            time.sleep(0.02)
        os.close(terminal)
        os.waitpid(process, 0)
        # The first one was written at the start.
        self.assertGreater(float(re.search(r"(?m)^t (\S+)$", (self.folder / "c").read_text())[1]), 0.0)
        self.expect_plottable("r.csv")

    def test_killed_run_leaves_a_result_that_can_be_plotted(self):
        for result in ["r.csv", "r.h5"]:
            process = self.start_endless_run(result)
            time.sleep(0.5)  # two flushes, and in mid-run
            process.kill()
            process.communicate(timeout=30)
            self.expect_plottable(result)

    def test_interrupt_of_a_comparison_is_told_apart_from_a_failure(self):
        model = self.write("endless.yaml", ENDLESS)
        process = subprocess.Popen(
            [self.program, "compare", model, "--trajectory", "--set", "output.every=1e6"], cwd=self.folder,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        self.addCleanup(process.kill)
        time.sleep(1.0)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=30)
        self.assertEqual(process.returncode, 130, err)


class Pipes(ProgramTest):
    def test_output_to_a_pipe_has_no_progress_bar(self):
        result = self.expect(0, "run", self.model, "--set", "analysis.duration=2000")  # takes a while
        self.assertEqual(result.stderr, "")

    def test_reader_that_leaves_ends_the_program_quietly(self):
        for command in [["schema"], ["info", str(self.model)], ["run", str(self.model)], ["--help"]]:
            process = subprocess.Popen([self.program, *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            process.stdout.close()
            error = process.stderr.read().decode()
            process.stderr.close()
            # 0: all of it had found room in the pipe before the reader left
            self.assertIn(process.wait(timeout=30), [-signal.SIGPIPE, 0])
            self.assertEqual(error, "")

    def test_run_without_a_reader_of_its_messages_keeps_its_result(self):
        model = self.write("stuck.yaml", STUCK)
        process = subprocess.Popen([self.program, "run", model, "--out", "r.csv", "--checkpoint", "c"], cwd=self.folder,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        process.stderr.close()  # the hint has no reader
        process.stdout.close()
        deadline = time.monotonic() + 60
        while process.poll() is None and not (self.folder / "c").exists():
            time.sleep(0.01)
        time.sleep(1.0)  # the hint comes after a quarter of that
        self.assertIsNone(process.poll(), "it ended with the reader of its messages")
        process.send_signal(signal.SIGINT)
        self.assertLess(time.monotonic(), deadline)
        process.wait(timeout=30)
        self.expect_plottable("r.csv")

    def test_closed_standard_files_are_no_results(self):
        model = self.write("stuck.yaml", STUCK)

        def close_all():
            for number in range(3):
                os.close(number)

        process = subprocess.Popen([self.program, "run", model, "--out", "r.csv"], cwd=self.folder, preexec_fn=close_all)
        self.addCleanup(process.kill)
        time.sleep(1.5)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(timeout=30), 130)
        text = (self.folder / "r.csv").read_text()
        self.assertNotIn("hint", text)
        self.assertNotIn("interrupted", text)
        self.expect_plottable("r.csv")

    def test_messages_that_nobody_can_read_end_nothing(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            for command, status in [(["run", "nothing.yaml"], 2), (["run", str(self.write("e.yaml", EXPLOSION))], 1)]:
                result = subprocess.run([self.program, *command], stderr=full, stdout=subprocess.DEVNULL, check=False)
                self.assertEqual(result.returncode, status)

    def test_control_characters_of_a_model_do_not_reach_a_terminal(self):
        title = r'"a\e[2J\x9b31m\a"'  # of YAML: escape sequences of 7 and of 8 bits, and the bell
        model = self.write("title.yaml", PENDULUM.replace("name: pendulum", f"name: {title}"))
        for command in [["info", model], ["run", model], ["compare", model], ["derive", model]]:
            text = self.expect(0, *command).stdout
            if command[0] != "derive":  # which has a blank for each
                self.assertIn(r"a\x1b[2J\u009b31m\x07", text)
            self.assertEqual([c for c in text if ord(c) < 32 and c not in "\n\t" or 127 <= ord(c) < 160], [])
        model = self.write("key.yaml", PENDULUM.replace("gravity:", r'"grav\e[2Jity":'))
        error = self.expect(2, "info", model).stderr
        self.assertIn(r"grav\x1b[2Jity", error)

    def test_output_that_is_lost_is_a_failure(self):
        for command in [["schema"], ["info", str(self.model)], ["run", str(self.model)]]:
            with open("/dev/full", "w", encoding="utf-8") as full:
                result = subprocess.run(
                    [self.program, *command], stdout=full, stderr=subprocess.PIPE, text=True, check=False
                )
            self.assertEqual(result.returncode, 1, command)
            self.assertIn("No space left on device", result.stderr)

    def test_disk_that_is_full_ends_the_run(self):
        model = self.write("endless.yaml", ENDLESS)
        (self.folder / "full.csv").symlink_to("/dev/full")
        result = self.expect(2, "run", model, "--out", "full.csv")
        self.assertIn("No space left on device", result.stderr)

    def test_disk_that_fills_up_ends_the_run_with_the_time(self):
        model = self.write("endless.yaml", ENDLESS)
        for name in ["r.csv", "r.h5"]:
            result = self.expect(1, "run", model, "--out", name, preexec_fn=limit_files(8_000_000))
            self.assertRegex(result.stderr, rf"the computation failed: t = [\d.]+ s: cannot write '?{name}")
            self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)  # no words of a library
            self.expect_plottable(name)

    def test_limit_of_file_sizes_is_a_full_disk(self):
        model = self.write("endless.yaml", ENDLESS)
        limit = limit_files(8_000_000, signal.SIG_DFL)
        for name in ["r.csv", "r.h5"]:
            result = self.expect(1, "run", model, "--out", name, preexec_fn=limit)
            self.assertIn("File too large", result.stderr)

    def test_disk_without_room_for_a_beginning_is_left_as_it_was(self):
        for name, size in [("r.csv", 10), ("r.h5", 10)]:
            result = self.expect(2, "run", self.model, "--out", name, preexec_fn=limit_files(size))
            self.assertIn(f"cannot write '{name}'", result.stderr)
            self.assertFalse((self.folder / name).exists())


def run_at_terminal(program_path, *args):
    """What appears on a terminal of 100 columns, and the exit status."""
    process, terminal = pty.fork()
    if process == 0:
        os.execv(program_path, [program_path, *map(str, args)])
    text = b""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if not select.select([terminal], [], [], 1.0)[0]:
            continue
        try:
            part = os.read(terminal, 65536)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        text += part
    os.close(terminal)
    return text.decode(), os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


class Terminal(ProgramTest):
    LONG = ["--set", "analysis.duration=3000", "--set", "output.every=1000"]

    def test_shows_a_progress_bar_and_takes_it_away(self):
        text, status = run_at_terminal(self.program, "run", self.model, *self.LONG)
        self.assertEqual(status, 0)
        self.assertRegex(text, r"\[#*\.+\] +\d+ %  t = [\d.e+]+ of 3e\+03 s  \d+ steps")
        shown, report = text.rsplit("\x1b[K", 1)
        self.assertIn("#", shown)
        self.assertIn("energy drift", report)
        self.assertNotRegex(report, ESCAPE)

    def test_quiet_run_shows_none(self):
        text, status = run_at_terminal(self.program, "run", self.model, "--quiet", *self.LONG)
        self.assertEqual((text, status), ("", 0))

    def test_short_run_shows_none(self):
        text, _ = run_at_terminal(self.program, "run", self.model)
        self.assertNotRegex(text, ESCAPE)


if __name__ == "__main__":
    program.main()
