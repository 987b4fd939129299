"""Runs by CVODE that are killed and resumed end as if nothing had happened, byte for byte."""

import random
import time

from program import ProgramTest, main

# A spherical pendulum on a stiff spring with a strong damper.
STIFF = """\
sestina: 1
name: stiff pendulum
gravity: [0, -9.81, 0]
bodies:
  - {name: bob, mass: 1}
  - {name: rod, mass: 0.1, center_of_mass: [0, -0.1, 0], inertia: {xx: 1e-3, yy: 1e-3, zz: 1e-3}}
joints:
  - {name: hinge, type: spherical, parent: ground.origin, child: rod.origin, u: [1, 0.2, 0.5]}
  - {name: slide, type: prismatic, parent: rod.origin, child: bob.origin, axis: [0, -1, 0], q: 1}
forces:
  - {name: spring, type: joint_spring, joint: slide, stiffness: 1e6, reference: 1}
  - {name: damper, type: joint_damper, joint: slide, damping: DAMPING}
analysis: {duration: SECONDS, ANALYSIS}
output: {every: 0.01}
"""

# Each with damping and duration: Adams resolves the vibration of the spring, BDF steps over it.
RUNS = {
    "cvode_bdf": ("integrator: cvode_bdf, step: {rtol: 1e-10, atol: 1e-12}", "1e6", 60),
    "cvode_bdf_fixed": ("integrator: cvode_bdf, step: {driver: fixed, dt: 0.007, rtol: 1e-9, atol: 1e-11}", "1e6", 60),
    "cvode_adams": ("integrator: cvode_adams, step: {rtol: 1e-10, atol: 1e-12}", "0", 4),
}
KILLS_OF_EACH_RUN = 3


class CvodeResume(ProgramTest):
    def test_killed_runs_resume_byte_for_byte(self):
        chance = random.Random(2)
        kills = 0
        for name, (analysis, damping, seconds) in RUNS.items():
            text = STIFF.replace("ANALYSIS", analysis).replace("DAMPING", damping).replace("SECONDS", str(seconds))
            model = self.write(f"{name}.yaml", text)
            whole = self.folder / f"{name}-whole.csv"
            begin = time.monotonic()
            self.expect(0, "run", model, "--out", whole, "--quiet")
            length = time.monotonic() - begin
            part, checkpoint = self.folder / f"{name}-part.csv", self.folder / f"{name}.checkpoint"
            command = ["run", model, "--out", part, "--checkpoint", checkpoint, "--every-wall", "0.003", "--quiet"]
            for _ in range(KILLS_OF_EACH_RUN):
                kills += self.run_and_kill(command, chance.uniform(0.1, 0.4) * length + 0.02)
                if checkpoint.exists():
                    command = ["resume", checkpoint, "--quiet"]
            self.expect(0, *command)
            self.assertEqual(part.read_bytes(), whole.read_bytes(), name)
        self.assertGreaterEqual(kills, len(RUNS), "nearly every run ended before it was killed")

    def test_a_stiff_system_takes_few_evaluations(self):
        def evaluations(rule, seconds):
            text = STIFF.replace("ANALYSIS", f"integrator: {rule}, step: {{rtol: 1e-6, atol: 1e-8}}")
            text = text.replace("DAMPING", "1e6").replace("SECONDS", str(seconds))
            printed = self.expect(0, "run", self.write("stiff.yaml", text)).stdout
            steps = next(line for line in printed.splitlines() if line.startswith("steps"))
            return int(steps.split("rejected, ")[1].split()[0])

        # The explicit rule is bound by stability from the beginning to the end.
        self.assertLess(50 * evaluations("cvode_bdf", 1), 100 * evaluations("dormand_prince_54", 0.01))

    def test_a_failure_tells_time_coordinate_and_reason(self):
        model = self.write("explosion.yaml", EXPLOSION)
        result = self.expect(1, "run", model)
        self.assertRegex(result.stderr, r"t = (1|0\.9999).* s: the step fell to .* s.*slide\.u")
        self.assertNotIn("CVODE", result.stderr)  # no messages but ours


# Grows without bound at t = 1 s.
EXPLOSION = """\
sestina: 1
name: explosion
bodies: [{name: mass, type: particle, mass: 1}]
joints: [{name: slide, type: prismatic, parent: ground.origin, child: mass.origin, axis: [1, 0, 0], u: 1}]
forces: [{name: boost, type: joint_force, joint: slide, value: slide.u^2}]
analysis: {duration: 2, integrator: cvode_bdf}
"""


if __name__ == "__main__":
    main()
