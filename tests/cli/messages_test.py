"""What the program says of runs that cannot go well, in the words of the model."""

import subprocess

from program import ProgramTest, main

SLIDER = """\
sestina: 1
bodies: [{name: box, type: particle, mass: 1}]
joints: [{name: slide, type: prismatic, parent: ground.origin, child: box.origin, axis: [1, 0, 0], q: 1, u: -3}]
variables: {latched: 0}
"""
EVENT = "events: [{name: stop, when: slide.q - 0.5, direction: falling, SET}]\n"
CHATTER = SLIDER.replace("u: -3", "u: 0") + """\
forces: [{name: friction, type: joint_force, joint: slide, value: "if(slide.u > 0, -10, 10)"}]
analysis: {duration: 1, integrator: cvode_bdf}
"""
BEAM = """\
sestina: 1
gravity: [0, 0, -9.81]
bodies:
  - {name: rod, type: beam, centerline: {from: [0, 0, 0], to: [1, 0, 0]}, elements: 4, section: {rectangle: [0.02, 0.02]},
     material: {E: 2.1e+11, nu: 0.3, density: 7850}}
joints: [{name: clamp, type: weld, parent: ground.origin, child: rod.start}]
analysis: {duration: 0.1}
"""


class Messages(ProgramTest):
    def test_constant_that_overflows_is_told_as_it_is_written(self):
        for value, told in [("1e308*10", "overflow in 1e308*10"), ("1e308*slide.u*10", "overflow in 1e308*10"),
                            ("1/0", "division by zero in 1/0")]:
            event = EVENT.replace("SET", f'set: {{latched: "{value}"}}')
            error = self.expect(1, "run", self.write("m.yaml", SLIDER + event)).stderr
            self.assertIn(f"what event stop sets latched to is not finite: {told}", error)
        self.expect_bad_input("overflow in 1e308*10", "run", self.model, "--set", "parameters.m=1e308*10")

    def test_duration_that_is_too_short_is_refused_at_its_place(self):
        for rule in ["cvode_bdf", "cvode_adams", "dormand_prince_54"]:
            settings = ["--set", f"analysis.integrator={rule}", "--set"]
            for duration in ["1e-300", "5e-324"]:
                self.expect_bad_input("analysis.duration: " + duration, "run", self.model, *settings,
                                      f"analysis.duration={duration}")
            for duration in ["0", "1e-60"]:
                self.expect(0, "run", self.model, *settings, f"analysis.duration={duration}")

    def test_pictures_and_folders_that_make_no_sense_are_refused(self):
        self.expect_bad_input("--fps 51: of a .gif at most 50", "render", self.model, "-o", "f.gif", "--fps", "51")
        self.expect_bad_input("is for one picture (.png)", "render", self.model, "-o", "f.mp4", "--time", "1")
        if "no-browser" in self.expect(0, "studio", "--help").stdout:
            self.expect_bad_input("'.' is a folder: name a model", "studio", ".", "--no-browser")

    def test_info_shows_when_an_event_takes_place(self):
        event = EVENT.replace("SET", "tolerance: 1e-6, terminal: true, set: {latched: 1}")
        text = self.expect(0, "info", self.write("m.yaml", SLIDER + event)).stdout
        self.assertIn("event stop: slide.q - 0.5, falling, to 1e-06 s; sets latched; ends the run\n", text)

    def test_power_beyond_all_bounds_names_the_force(self):
        force = "forces: [{name: push, type: joint_force, joint: slide, value: 1e300}]\n"
        model = self.write("m.yaml", SLIDER.replace("u: -3", "u: 1e100") + force)
        for rule in ["rk4", "cvode_bdf", "velocity_verlet"]:
            error = self.expect(1, "run", model, "--set", f"analysis.integrator={rule}",
                                "--set", "analysis.step={driver: fixed, dt: 0.1}").stderr
            self.assertIn("t = 0 s: the power of the force push is not finite", error)

    def test_force_that_chatters_is_named_while_the_run_crawls(self):
        model = self.write("chatter.yaml", CHATTER)
        process = subprocess.Popen([self.program, "run", model], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   text=True, cwd=self.folder)
        self.addCleanup(process.kill)
        hint = process.stderr.readline()  # before the run ends
        self.assertIsNone(process.poll())
        process.terminate()
        process.communicate()
        self.assertRegex(hint, r"^sestina: hint: t = [\de.-]+ s: the steps are very short: .*"
                               r"the force friction jumps between -10 and 10 there")
        error = self.expect(1, "run", model, "--set", "analysis.step={driver: fixed, dt: 0.1}").stderr
        self.assertRegex(error, r"cvode_bdf needs more than 100000 steps of its own from 0 s to 0\.1 s")

    def test_beam_without_damping_is_told_while_the_run_crawls(self):
        model = self.write("beam.yaml", BEAM)
        result = self.expect(0, "run", model)
        self.assertRegex(result.stderr, r"^sestina: hint: t = [\de.-]+ s: the steps are very short: the last 1000 .*"
                                        r"vibrations of beams without damping: `damping` of the material")
        self.assertEqual(self.expect(0, "run", model, "--set", "bodies.rod.material.damping=1e-4").stderr, "")

    def test_many_steps_that_get_on_are_no_reason_for_a_hint(self):
        result = self.expect(0, "run", self.model, "--set", "analysis.duration=300", "--set",
                             "analysis.step={driver: variable, rtol: 1e-13, atol: 1e-14}")
        steps = next(line for line in result.stdout.splitlines() if line.startswith("steps"))
        self.assertGreater(int(steps.split()[1]), 100000)
        self.assertEqual(result.stderr, "")


if __name__ == "__main__":
    main()
