"""Runs that are killed and resumed end as if nothing had happened, byte for byte."""

import random
import time

from program import PENDULUM, ProgramTest, main

RULES = {
    "rk4": "integrator: rk4, step: {driver: fixed, dt: 1e-4}",
    "velocity_verlet": "integrator: velocity_verlet, step: {driver: fixed, dt: 1e-4}",
    "adams_bashforth_moulton": "integrator: adams_bashforth_moulton, step: {rtol: 1e-12, atol: 1e-14}",
    "dormand_prince_54": "integrator: dormand_prince_54, step: {rtol: 1e-13, atol: 1e-15}",
}
KILLS_OF_EACH_RULE = 3


class Checkpoints(ProgramTest):
    def test_killed_runs_resume_byte_for_byte(self):
        chance = random.Random(1)
        kills = 0
        for rule, analysis in RULES.items():
            model = self.write(
                f"{rule}.yaml",
                PENDULUM.replace("duration: 1", f"duration: 100, {analysis}") + "output: {every: 0.01}\n",
            )
            whole = self.folder / f"{rule}-whole.csv"
            begin = time.monotonic()
            self.assertEqual(self.run_program("run", model, "--out", whole, "--quiet").returncode, 0)
            length = time.monotonic() - begin
            part, checkpoint = self.folder / f"{rule}-part.csv", self.folder / f"{rule}.checkpoint"
            command = ["run", model, "--out", part, "--checkpoint", checkpoint, "--every-wall", "0.005", "--quiet"]
            for _ in range(KILLS_OF_EACH_RULE):
                kills += self.run_and_kill(command, chance.uniform(0.1, 0.4) * length + 0.02)
                if not checkpoint.exists():
                    continue
                command = ["resume", checkpoint, "--quiet"]
            result = self.run_program(*command)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual(part.read_bytes(), whole.read_bytes(), rule)
        self.assertGreaterEqual(kills, len(RULES), "nearly every run ended before it was killed")

    def test_a_damaged_checkpoint_is_bad_input(self):
        checkpoint = self.folder / "run.checkpoint"
        out = self.folder / "run.csv"
        self.assertEqual(
            self.run_program("run", self.model, "--out", out, "--checkpoint", checkpoint, "--quiet").returncode, 0
        )
        text = checkpoint.read_text(encoding="utf-8")
        checkpoint.write_text(text.replace("rod", "rot"), encoding="utf-8")
        result = self.run_program("resume", checkpoint)
        self.assertEqual(result.returncode, 2)
        self.assertIn("run.checkpoint", result.stderr)

    def test_a_checkpoint_that_cannot_be_written_is_refused_before_the_run(self):
        out = self.folder / "run.csv"
        result = self.run_program("run", self.model, "--out", out, "--checkpoint", "no/such/folder/c", "--quiet")
        self.assertEqual(result.returncode, 2)
        self.assertFalse(out.exists())


if __name__ == "__main__":
    main()
