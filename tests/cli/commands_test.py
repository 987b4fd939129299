"""Every command of the program: what it does, what it prints, and how it ends.

python3 commands_test.py SESTINA
"""

import json
import math
import pathlib
import re

import program
from program import EXPLOSION, PENDULUM, ProgramTest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
ROD = """\
sestina: 1
gravity: [0, 0, 0]
bodies:
  - {name: rod, mass: 1, center_of_mass: [0, -0.5, 0], inertia: {xx: 0.08, yy: 0.01, zz: 0.08}}
joints:
  - {name: hinge, type: revolute, parent: ground.origin, child: rod.origin, axis: [0, 0, 1], u: SPEED}
"""
CONTACTS = """\
sestina: 1
parameters: {z: 0.1}
ground:
  shapes:
    - {name: floor, type: plane}
    - {name: brick, type: box, size: [0.2, 1, 1], position: [0.5, 0, 0]}
bodies: [{name: ball, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}, shape: {type: sphere, radius: 0.1}}]
joints: [{name: fly, type: free, parent: ground.origin, child: ball.origin, q: [0, 0, z, 1, 0, 0, 0]}]
contacts:
  - {name: lane, between: [ball, floor], friction: 0.6, restitution: 0.8}
  - {name: wall, between: [ball, brick], friction: 0.1, stiffness: 1000, damping: 5}
analysis: {duration: 1}
"""

COMMANDS = ["run", "resume", "compare", "info", "derive", "plot", "structure", "convert", "schema"]


class Help(ProgramTest):
    def test_names_every_command(self):
        text = self.expect(0, "--help").stdout
        for command in COMMANDS:
            self.assertRegex(text, rf"(?m)^  {command} ")

    def test_of_every_command_fits_a_terminal_and_leaks_no_types(self):
        for command in COMMANDS:
            text = self.expect(0, command, "--help").stdout
            self.assertIn(f"sestina {command}", text)
            self.assertIn("Exit status", text)
            self.assertNotRegex(text, r"\b(INT|UINT|FLOAT)\b|\bin \[")
            for line in text.splitlines():
                self.assertLessEqual(len(line), 110, line)

    def test_is_what_one_gets_without_a_command(self):
        result = self.expect(2)
        self.assertIn("Usage: sestina", result.stderr)

    def test_version_names_program_and_compiler(self):
        self.assertRegex(self.expect(0, "--version").stdout, r"^sestina \d+\.\d+\.\d+ \(.+\)\n$")


class Derive(ProgramTest):
    def test_writes_the_equations_as_text_and_latex(self):
        text = self.expect(0, "derive", self.model).stdout
        self.assertIn("q_hinge' = u_hinge", text)
        self.assertIn("M(1, 1) = l^2*m/3", text)
        latex = self.expect(0, "derive", self.model, "--format", "latex").stdout
        self.assertIn(r"\dot{q}_{\mathrm{hinge}} &= u_{\mathrm{hinge}}", latex)
        self.assertEqual(latex.count(r"\begin{bmatrix}"), 3)

    def test_writes_a_document_on_request(self):
        document = self.expect(0, "derive", self.model, "--format", "latex", "--document", "--width", "400").stdout
        self.assertTrue(document.startswith("\\documentclass"))
        self.assertTrue(document.endswith("\\end{document}\n"))
        self.assertIn("textwidth=400pt", document)
        self.assertIn("l &= 1 & m &= 2", document)
        self.expect_bad_input("document: only of format latex", "derive", self.model, "--document")
        self.expect_bad_input("width: 20 points", "derive", self.model, "--format", "latex", "--width", "20")

    def test_writes_python_that_gives_the_accelerations(self):
        functions = {}
        exec(self.expect(0, "derive", self.model, "--format", "python").stdout, functions)
        # t, q, u, l, m of a rod of length 2: l theta'' = -3/2 g sin(theta)
        q_rate, u_rate = functions["calc_rates"]([0.0, 0.5, 0.7, 2.0, 3.0])
        self.assertEqual(q_rate, 0.7)
        self.assertAlmostEqual(u_rate, -1.5 * 9.81 / 2.0 * math.sin(0.5), places=13)

    def test_knows_its_formats(self):
        self.expect_bad_input("--format", "derive", self.model, "--format", "fortran")

    def test_writes_json_for_programs(self):
        result = json.loads(self.expect(0, "derive", self.model, "--format", "json").stdout)
        self.assertEqual(result["sestina"], 1)
        self.assertEqual(result["content"], "equations of motion")
        self.assertEqual(result["method"], "kane")
        self.assertEqual(result["coordinates"], [{"symbol": "q_hinge", "name": "hinge.q"}])
        self.assertEqual(result["mass_matrix"], [["l^2*m/3"]])
        self.assertEqual(result["coordinate_rates"], ["u_hinge"])
        self.assertEqual(result["shared"], [])
        values = {p["symbol"]: p["value"] for p in result["parameters"]}
        values.update(q_hinge=0.5, u_hinge=0.7, sin=math.sin)
        f = eval(result["forcing"][0].replace("^", "**"), values)
        self.assertAlmostEqual(f, -values["m"] * 9.81 * values["l"] / 2 * math.sin(0.5), places=12)

    def test_a_parameter_may_have_the_name_of_a_symbol(self):
        model = self.write("named.yaml", program.PENDULUM.replace("m: 2.0", "u_hinge: 2.0")
                           .replace("mass: m", "mass: u_hinge").replace("m*l^2", "u_hinge*l^2"))
        text = self.expect(0, "derive", model).stdout
        self.assertIn("q_hinge' = u_hinge_", text)
        self.assertIn("M(1, 1) = l^2*u_hinge/3", text)

    def test_derives_by_lagrange_the_same(self):
        text = self.expect(0, "derive", self.model, "--lagrange").stdout
        self.assertIn("by Lagrange's method", text)
        self.assertIn("M(1, 1) = l^2*m/3", text)

    def test_lagrange_needs_speeds_that_are_rates(self):
        self.expect_bad_input("'gimbal' are not: derive them by Kane's method", "derive", self.spherical_model(),
                              "--lagrange")

    def spherical_model(self):
        return self.write("spherical.yaml", """sestina: 1
parameters: {m: 2, l: 0.5, g: 10}
gravity: [0, 0, -g]
bodies:
  - {name: top, mass: m, center_of_mass: [0, 0, -l], inertia: {xx: 0.5, yy: 0.5, zz: 0.02}}
joints:
  - {name: gimbal, type: spherical, parent: ground.origin, child: top.origin}
""")

    def test_linearises_with_the_parameters_as_symbols(self):
        text = self.expect(0, "derive", self.model, "--linearize", "--equilibrium").stdout
        self.assertIn("linearised at rest", text)
        self.assertIn("A(1, 2) = 1", text)
        self.assertIn("A(2, 1) = -14.715", text)
        self.assertRegex(text, r"B\(2, 1\) = 3/\(l\^2\*m\)|B\(2, 1\) = 3/\(m\*l\^2\)")
        result = json.loads(self.expect(0, "derive", self.model, "--linearize", "--equilibrium", "--format",
                                        "json").stdout)
        values = {p["symbol"]: p["value"] for p in result["parameters"]}
        stiffness = eval(result["A"][1][0].replace("^", "**"), values)
        self.assertAlmostEqual(stiffness, -1.5 * 9.81 / values["l"], places=12)
        self.assertAlmostEqual(abs(result["eigenvalues"][0][1]), math.sqrt(-stiffness), places=10)
        functions = {}
        exec(self.expect(0, "derive", self.model, "--linearize", "--equilibrium", "--format", "python").stdout,
             functions)
        a = functions["calc_linearization"]([values["l"], values["m"]])
        self.assertAlmostEqual(a[2], stiffness, places=12)

    def test_leaves_out_the_largest_euler_parameter(self):
        result = json.loads(self.expect(0, "derive", self.spherical_model(), "--linearize", "--format",
                                        "json").stdout)
        self.assertEqual(result["states"][:3], ["q_gimbal1", "q_gimbal2", "q_gimbal3"])
        # The top hangs: it swings about both level axes.
        swing = math.sqrt(2 * 10 * 0.5 / (0.5 + 2 * 0.25))
        rates = sorted(abs(imaginary) for real, imaginary in result["eigenvalues"])
        self.assertEqual(len(rates), 6)
        for rate, expected in zip(rates, [0, 0, swing, swing, swing, swing]):
            self.assertAlmostEqual(rate, expected, places=7)
        self.assertLess(result["largest_acceleration"], 1e-12)

    def test_tells_that_a_state_is_no_equilibrium(self):
        text = self.expect(0, "derive", self.model, "--linearize", "--set", "joints.hinge.q=0.5").stdout
        self.assertIn("no equilibrium", text)
        self.expect_bad_input("--linearize", "derive", self.model, "--equilibrium")


class Usage(ProgramTest):
    def test_unknown_command_is_met_with_the_nearest(self):
        self.expect_bad_input("there is no command 'rnu' (did you mean 'run'?)", "rnu", self.model)

    def test_unknown_option_is_named(self):
        for command in ["run", "compare", "info"]:
            self.expect_bad_input("--colour", command, self.model, "--colour")
        self.expect_bad_input("--colour", "schema", "--colour")

    def test_missing_argument_is_named(self):
        for command in ["run", "compare", "info"]:
            self.expect_bad_input("MODEL", command)
        self.expect_bad_input("--out", "plot", self.model)
        self.expect_bad_input("--out", "convert", self.model)

    def test_second_model_is_refused(self):
        self.expect_bad_input("other.yaml", "run", self.model, "other.yaml")

    def test_missing_file_is_named(self):
        for command in ["run", "compare", "info"]:
            self.expect_bad_input("nothing.yaml: cannot be opened", command, "nothing.yaml")
        self.expect_bad_input("nothing.urdf", "run", "nothing.urdf")
        self.expect_bad_input("nothing.csv", "plot", "nothing.csv", "-o", "x.png")
        self.expect_bad_input("nothing.urdf", "convert", "nothing.urdf", "-o", "x.yaml")

    def test_folder_is_no_model(self):
        self.expect_bad_input("is a folder", "run", self.folder)


class Run(ProgramTest):
    def test_prints_what_was_computed(self):
        text = self.expect(0, "run", self.model).stdout
        self.assertIn("pendulum: 1 body, 1 speed; recursive, dormand_prince_54, variable step", text)
        self.assertRegex(text, r"hinge\.q +-?\d")
        self.assertRegex(text, r"simulated +1 s of 1 s")
        self.assertIn("energy drift", text)
        self.assertIn("not kept", text)

    def test_quiet_prints_nothing(self):
        result = self.expect(0, "run", self.model, "--quiet", "--out", "r.csv")
        self.assertEqual(result.stdout + result.stderr, "")

    def test_writes_csv_with_a_row_every_hundredth(self):
        text = self.expect(0, "run", self.model, "--out", "r.csv").stdout
        self.assertIn("r.csv: 101 rows", text)
        names, rows = self.read_csv(self.folder / "r.csv")
        self.assertEqual(names[:3], ["t", "hinge.q", "hinge.u"])
        self.assertEqual([rows[0][:3], rows[-1][0], len(rows)], [[0.0, 1.0, 0.0], 1.0, 101])

    def test_reactions_are_columns_on_request(self):
        self.expect(0, "run", self.model, "--reactions", "--out", "r.csv")
        self.assertIn("hinge.reaction.force.y", self.read_csv(self.folder / "r.csv")[0])

    def test_writes_hdf5_that_plot_reads(self):
        self.expect(0, "run", self.model, "--out", "r.h5")
        self.assertEqual((self.folder / "r.h5").read_bytes()[:8], b"\x89HDF\r\n\x1a\n")
        self.expect_plottable("r.h5")

    def test_replaces_an_earlier_result(self):
        self.write("r.csv", "old\n" * 10000)
        self.expect(0, "run", self.model, "--out", "r.csv")
        self.assertNotIn("old", (self.folder / "r.csv").read_text())

    def test_takes_a_robot(self):
        robot = SOURCE / "examples/10_robot_arm.urdf"
        self.expect(0, "run", robot, "--set", "analysis.duration=0.01")
        self.expect_bad_input("analysis.durations", "run", robot, "--set", "analysis.durations=0.01")

    def test_finds_the_motion_all_at_once(self):
        options = ["--set=analysis.coordinates=state_time", "--set=analysis.integrator={elements: 12, windows: 3}"]
        text = self.expect(0, "run", self.model, *options, "--out", "r.csv", "--trace").stdout
        self.assertIn("state_time, 12 elements QC in 3 windows, natural tests", text)
        self.assertRegex(text, r"elements +12 solved, each 0.0833333 s long; \d+ iterations")
        self.assertRegex(text, r"solve .* 3 ")
        self.assertIn("12 elements QC in 3 windows", self.expect(0, "info", self.model, *options).stdout)
        self.expect_bad_input("checkpoints", "run", self.model, *options, "--checkpoint", "c")
        self.expect_bad_input("wall clock", "run", self.model, *options, "--real-time")

    def test_says_that_no_elements_have_been_solved(self):
        # Friction that jumps where the mass rests: no element has a solution.
        model = self.write("stick.yaml", """\
sestina: 1
bodies: [{name: mass, type: particle, mass: 1}]
joints: [{name: slide, type: prismatic, parent: ground.origin, child: mass.origin, axis: [1, 0, 0]}]
forces: [{name: friction, type: joint_force, joint: slide, value: "if(slide.u > 0, -10, 10)"}]
analysis: {coordinates: state_time, integrator: {elements: 4}}
""")
        self.assertRegex(self.expect(1, "run", model).stdout, r"elements +none; \d+ iterations of Newton's method\n")

    def test_refuses_a_rule_where_all_is_found_at_once(self):
        # The rule of a model that names none would be this one; given it is refused like any other.
        place = "analysis.integrator=dormand_prince_54: analysis.integrator: state_time has no integration rule such as"
        self.expect_bad_input(place, "run", SOURCE / "examples/15_state_time.yaml",
                              "--set", "analysis.integrator=dormand_prince_54")

    def test_examples_run(self):
        for example in sorted((SOURCE / "examples").glob("*.yaml")):
            self.expect(0, "run", example, "--quiet", "--set", "analysis.duration=0.02")

    def test_refuses_a_path_that_cannot_be_written(self):
        self.expect_bad_input("no directory", "run", self.model, "--out", "no/such/folder/r.csv")
        self.expect_bad_input("must end in .csv, .h5", "run", self.model, "--out", "r.txt")
        (self.folder / "folder.csv").mkdir()
        self.expect_bad_input("Is a directory", "run", self.model, "--out", "folder.csv")

    def test_writes_nothing_for_a_model_that_cannot_run(self):
        self.expect_bad_input("analysis.integrator: the rule rk4", "run", self.model, "--out", "r.csv",
                              "--set", "analysis.integrator=rk4")
        self.expect_bad_input("analysis.step.atol: 0 ", "run", self.model, "--out", "r.h5",
                              "--set", "analysis.step.atol=0")
        # ... and leaves an earlier result as it was.
        earlier = self.write("r.csv", "earlier")
        self.expect_bad_input("bodies[0].mass: -1", "run", self.model, "--out", "r.csv",
                              "--set", "bodies.rod.mass=-1")
        self.expect_bad_input("analysis.integrator", "run", self.model, "--out", "r.csv",
                              "--set", "analysis.integrator=rk4")
        self.assertEqual(earlier.read_text(), "earlier")

    def test_that_fails_says_why_and_keeps_its_rows(self):
        model = self.write("explosion.yaml", EXPLOSION)
        for result_file in ["r.csv", "r.h5"]:
            result = self.expect(1, "run", model, "--out", result_file)
            self.assertRegex(result.stderr, r"the computation failed: t = [\d.]+ s: .*slide")
            self.expect_plottable(result_file)
        rows = self.read_csv(self.folder / "r.csv")[1]
        self.assertAlmostEqual(rows[-1][0], 1.0, places=5)
        self.assertGreater(len(rows), 50)

    def test_that_fails_at_the_start_keeps_the_first_row(self):
        result = self.expect(1, "run", self.model, "--out", "r.csv", "--set", "parameters.m=0")
        self.assertIn("singular at joint hinge", result.stderr)
        self.assertEqual(len(self.read_csv(self.folder / "r.csv")[1]), 1)

    def test_modes_are_printed(self):
        text = self.expect(0, "run", self.model, "--set", "analysis.type=modes").stdout
        self.assertRegex(text, r"(?m)^ +1 +\S+ Hz +\S+ +\S+ +\S+i 1/s$")

    def test_title_stays_on_its_line(self):
        model = self.write("title.yaml", ROD.replace("SPEED", "1") + 'name: "a\\nb\\e[2J\\u202E"\n')
        text = self.expect(0, "run", model, "--out", "r.csv").stdout
        self.assertTrue(text.startswith("a\\x0ab\\x1b[2J\\u202e: 1 body"), text[:60])
        header = (self.folder / "r.csv").read_text().splitlines()[1]
        self.assertEqual(header, "# model: a b\\x1b[2J\\u202e")

    def test_without_duration_has_one_row(self):
        text = self.expect(0, "run", self.model, "--out", "r.csv", "--set", "analysis.duration=0").stdout
        self.assertRegex(text, r"hinge\.q +1 rad")
        self.assertEqual(len(self.read_csv(self.folder / "r.csv")[1]), 1)


class Set(ProgramTest):
    def final_angle(self, *settings):
        options = [part for setting in settings for part in ("--set", setting)]
        self.expect(0, "run", self.model, "--quiet", "--out", "r.csv", *options)
        return self.read_csv(self.folder / "r.csv")[1][-1][1]

    def test_reaches_parameters_names_and_indices(self):
        plain = self.final_angle()
        self.assertEqual(self.final_angle("parameters.l=1"), plain)
        longer = self.final_angle("parameters.l=2.5")
        self.assertNotEqual(longer, plain)
        self.assertEqual(self.final_angle("bodies.rod.center_of_mass=[0, -1.25, 0]",
                                          "bodies[0].inertia={xx: m*2.5^2/12, zz: m*2.5^2/12}"), longer)
        self.assertEqual(self.final_angle("joints.hinge.q=0"), 0.0)
        self.assertEqual(self.final_angle("joints[0].q=0"), 0.0)

    def test_later_ones_win(self):
        self.assertEqual(self.final_angle("joints.hinge.q=2", "joints.hinge.q=0"), 0.0)

    def test_takes_yaml_and_adds_keys(self):
        self.final_angle("analysis.step={driver: fixed, dt: 1e-3}", "analysis.integrator=rk4",
                         "output.every=0.5")
        self.assertEqual([row[0] for row in self.read_csv(self.folder / "r.csv")[1]], [0.0, 0.5, 1.0])

    def test_is_also_written_with_an_equals_sign(self):
        self.expect(0, "run", self.model, "--set=parameters.l=2")

    def test_names_itself_as_the_place_of_a_fault(self):
        for setting, message in [
            ("parameters.l", "expected PATH=VALUE"),
            ("=3", "expected PATH=VALUE"),
            ("parameters.length=1", "no 'length'"),
            ("bodies.rood.mass=1", "did you mean 'rod'?"),
            ("bodies[7].mass=1", "1 items"),
            ("bodies.rod.masss=1", "did you mean 'mass'?"),
            ("bodies.rod.mass=-1", "is negative"),
            ("analysis.duration=[1", "the value"),
            ("analysis.duration=-1", "is negative"),
        ]:
            text = self.expect_bad_input(message, "run", self.model, "--set", setting)
            self.assertIn(f"--set {setting}", text)


class Info(ProgramTest):
    def test_shows_the_bristles_of_a_belt_as_one_entry(self):
        text = self.expect(0, "info", SOURCE / "examples/29_belt_drive.yaml").stdout
        self.assertIn("on_driver.bristle_0 to on_driver.bristle_119 (120 states from 0 to 0)", text)
        self.assertLess(max(map(len, text.splitlines())), 300)

    def test_shows_the_model(self):
        text = self.expect(0, "info", self.model).stdout
        for part in ["1 body, 1 speed", "rod", "hinge", "revolute", "parameters: l = 1 m = 2", "-9.81"]:
            self.assertIn(part, text)

    def test_lists_contacts_with_their_shapes_and_those_that_overlap(self):
        model = self.write("contacts.yaml", CONTACTS)
        text = self.expect(0, "info", model).stdout
        for line in [
            "contact lane: rigid, friction 0.6, restitution 0.8 (stronge)",
            "  ball.shapes[0] (sphere) with floor (plane): closed at the start",
            "contact wall: compliant, friction 0.1, stiffness 1000 N/m, damping 5 N s/m",
            "  ball.shapes[0] (sphere) with brick (box): gap 0.3 m",
        ]:
            self.assertIn(line + "\n", text)
        text = self.expect(0, "info", model, "--set", "parameters.z=0.09").stdout
        self.assertIn("with floor (plane): overlaps by 0.01 m at the start\n", text)

    def test_finds_what_run_would_refuse(self):
        self.expect_bad_input("analysis.integrator", "info", self.model, "--set", "analysis.integrator=rk4")


class Compare(ProgramTest):
    def test_agrees(self):
        text = self.expect(0, "compare", self.model, "--states", "5", "--trajectory").stdout
        self.assertIn("all formulations agree", text)
        self.assertIn("6 states", text)
        self.assertIn("trajectories over 1 s", text)
        found = re.search(r"state_time differs from recursive by at most (\S+) rad", text)
        self.assertLess(float(found[1]), 1e-7, text)

    def test_tells_what_has_no_state_time_equations(self):
        text = self.expect(0, "compare", self.model, "--trajectory", "--set", "joints.hinge.armature=0.1").stdout
        self.assertIn("state_time does not apply", text)
        self.assertIn("joints[0].armature", text)

    def test_fails_where_no_state_can_be_solved(self):
        self.expect(1, "compare", self.model, "--set", "parameters.m=0")

    def test_tells_a_formulation_that_failed_from_one_that_differs(self):
        # The recursion finds no inertia against the first joint; the compiled function does not look.
        model = self.write("thin.yaml", """\
sestina: 1
bodies:
  - {name: a, mass: 0, points: {tip: [0, 0, 0]}}
  - {name: b, mass: 1, inertia: {xx: 1e-16, yy: 1e-16, zz: 1e-16}}
joints:
  - {name: j1, type: revolute, parent: ground.origin, child: a.origin, axis: [0, 0, 1]}
  - {name: j2, type: prismatic, parent: a.tip, child: b.origin, axis: [0, 0, 1]}
""")
        text = self.expect(1, "compare", model, "--states", "1").stdout
        self.assertRegex(text, r"failed in \d of the 2 states: t = 0 s: the mass matrix is singular at joint j1")
        self.assertRegex(text, "recursive.* FAILED; where they could be computed, the formulations agree")
        self.assertNotIn("DISAGREE", text)
        text = self.expect(1, "compare", self.model, "--set", "parameters.m=0").stdout
        self.assertIn("NOTHING IS COMPARED, since every formulation failed in every state", text)

    def test_fails_where_a_trajectory_does(self):
        model = self.write("explosion.yaml", EXPLOSION)
        self.assertIn("too short", self.expect(1, "compare", model, "--trajectory").stderr)

    def test_fails_where_the_elements_of_the_model_do(self):
        # One element of low order cannot follow fifty turns.
        model = self.write("turns.yaml", ROD.replace("SPEED", "30").replace("gravity: [0, 0, 0]", "gravity: [0, -9.81, 0]") + """\
analysis: {coordinates: state_time, integrator: {elements: 1, pair: LQ}, duration: 10}
""")
        self.assertIn("state_time failed: t = ", self.expect(1, "compare", model, "--trajectory").stdout)

    def test_round_off_beside_nothing_agrees(self):
        # A rod that spins freely is not accelerated: some formulations find 0, others 1e-14.
        model = self.write("spin.yaml", ROD.replace("SPEED", "30") + "analysis: {duration: 1}\n")
        self.assertIn("all formulations agree", self.expect(0, "compare", model).stdout)

    def test_refuses_a_number_of_states_that_is_none(self):
        self.expect_bad_input("--states", "compare", self.model, "--states", "many")
        self.expect_bad_input("--states", "compare", self.model, "--states", "-1")


MELT = """\
sestina: 1
particles:
  species: [{name: bead, mass: 1}]
  positions: {random_walk: {chains: 4, beads: 6, bond_length: 0.97, density: 0.3, seed: 2}}
  velocities: {temperature: 1, seed: 1}
  bonds: [{type: rigid, length: 0.97}]
  trajectory: {file: melt.h5, every: 0.1}
analysis: {step: {dt: 0.01}, duration: 2}
"""


class Structure(ProgramTest):
    def setUp(self):
        super().setUp()
        (self.folder / "melt.yaml").write_text(MELT)

    def test_writes_tables_that_can_be_drawn(self):
        self.expect(0, "run", "melt.yaml", "--quiet")
        text = self.expect(0, "structure", "melt.yaml", "-o", "m").stdout
        self.assertIn("24 particles, 4 molecules, 4 of them chains; 21 frames from t = 0 to 2", text)
        self.assertRegex(text, r"bond length +0.97 ")
        for table in ["displacement", "radial", "bond", "angle", "size"]:
            self.expect(0, "plot", f"m-{table}.csv", "*", "--log", "y", "-o", f"{table}.svg")
        self.expect(0, "plot", "m-displacement.csv", "g3", "--log", "xy", "-o", "log.png")
        text = self.expect(0, "structure", "melt.yaml", "--from", "1", "--to", "1.85", "--every", "2").stdout
        self.assertIn("5 frames from t = 1 to 1.8", text)

    def test_tells_what_is_missing(self):
        self.expect_bad_input("melt.h5", "structure", "melt.yaml")
        self.expect_bad_input("particles", "structure", self.model)
        self.expect(0, "run", "melt.yaml", "--quiet")
        self.expect_bad_input("has 1 frames", "structure", "melt.yaml", "--from", "2")
        self.expect_bad_input("distances up to 9", "structure", "melt.yaml", "--reach", "9")
        self.expect_bad_input("melt.yaml", "structure", "melt.yaml", "--trajectory", "melt.yaml")
        self.expect_bad_input("--every", "structure", "melt.yaml", "--every", "0")


class Plot(ProgramTest):
    def setUp(self):
        super().setUp()
        self.expect(0, "run", self.model, "--quiet", "--out", "r.csv")

    def test_draws_each_format(self):
        for name, magic in [("f.png", b"\x89PNG"), ("f.svg", b"<?xml"), ("f.pdf", b"%PDF")]:
            self.expect(0, "plot", "r.csv", "hinge.q", "energy.*", "-o", name, "--title", "A pendulum")
            self.assertTrue((self.folder / name).read_bytes().startswith(magic), name)

    def test_names_the_nearest_column(self):
        self.expect_bad_input("did you mean 'hinge.q'?", "plot", "r.csv", "hing.q", "-o", "f.png")

    def test_refuses_what_it_cannot_write(self):
        self.expect_bad_input(".gif", "plot", "r.csv", "-o", "f.gif")
        self.expect_bad_input("no/such", "plot", "r.csv", "-o", "no/such/f.png")
        self.expect_bad_input("--width", "plot", "r.csv", "-o", "f.png", "--width", "1")

    def test_refuses_what_is_no_result(self):
        self.expect_bad_input("pendulum.yaml", "plot", self.model, "-o", "f.png")
        self.write("bad.h5", "no HDF5")
        self.expect_bad_input("bad.h5", "plot", "bad.h5", "-o", "f.png")
        self.write("empty.csv", "")
        self.expect_bad_input("empty.csv", "plot", "empty.csv", "-o", "f.png")


class Convert(ProgramTest):
    def test_makes_a_model_that_moves_like_the_robot(self):
        robot = SOURCE / "examples/10_robot_arm.urdf"
        self.expect(0, "convert", robot, "-o", "robot.yaml")
        for source, result in [(robot, "a.csv"), ("robot.yaml", "b.csv")]:
            self.expect(0, "run", source, "-q", "--out", result, "--set", "analysis.duration=0.1")
        self.assertEqual(self.read_csv(self.folder / "a.csv"), self.read_csv(self.folder / "b.csv"))

    def test_floating_base_adds_six_speeds(self):
        robot = SOURCE / "examples/10_robot_arm.urdf"

        def count(text):
            return int(text.split(" speeds")[0].split()[-1])

        welded = self.expect(0, "convert", robot, "-o", "a.yaml").stdout
        floating = self.expect(0, "convert", robot, "-o", "b.yaml", "--floating-base").stdout
        self.assertEqual(count(floating), count(welded) + 6)

    def test_shapes_are_the_visual_or_the_collision_geometry(self):
        robot = SOURCE / "tests/io/urdf/every_joint.urdf"
        self.expect(0, "convert", robot, "-o", "drawn.yaml")
        text = self.expect(0, "convert", robot, "-o", "felt.yaml", "--shapes", "collision").stdout
        self.assertNotIn("collision", text)
        self.assertIn("type: mesh", (self.folder / "drawn.yaml").read_text())
        felt = (self.folder / "felt.yaml").read_text()
        self.assertIn("name: bumper", felt)
        self.assertNotIn("type: mesh", felt)

    def test_joints_that_mimic_others_are_told_and_converted_as_is_wanted(self):
        robot = SOURCE / "tests/io/urdf/gripper.urdf"
        run = ("run", robot, "-q", "--set", "analysis.duration=0.01")
        self.assertIn("gripper.urdf: joints that mimic others move by themselves", self.expect(0, *run).stderr)
        self.assertIn("the option mimic: couple makes them follow", self.expect(0, *run).stderr)
        # What the note offers is there.
        self.assertEqual(self.expect(0, *run, "--mimic", "couple").stderr, "")
        self.assertIn("4 speeds", self.expect(0, "info", robot).stdout)
        self.assertIn("1 speed,", self.expect(0, "info", robot, "--mimic", "weld").stdout)
        self.assertIn("10 speeds", self.expect(0, "info", robot, "--floating-base").stdout)
        self.write("rod.yaml", PENDULUM)
        self.expect_bad_input("--mimic is for robots (.urdf); 'rod.yaml' is none", "run", "rod.yaml", "--mimic", "couple")
        free = self.expect(0, "convert", robot, "-o", "free.yaml").stdout
        self.assertIn("slide_right, bend and bend_tip", free)
        self.assertIn("4 speeds", free)
        self.assertEqual(self.expect(0, "run", "free.yaml", *run[2:]).stderr, "")
        self.assertIn("1 speed\n", self.expect(0, "convert", robot, "-o", "weld.yaml", "--mimic", "weld").stdout)
        pulled = self.expect(0, "convert", robot, "-o", "force.yaml", "--mimic", "force", "--mimic-frequency", "500").stdout
        self.assertIn("500 rad/s", pulled)
        # The fingers fall together, since the forces between them do no more than that: relative to gravity's pull.
        change = ("--set", "gravity=[0, -9.81, 0]", "--set", "analysis.duration=0.1", "--out", "r.csv")
        self.expect(0, "run", "force.yaml", "-q", *change)
        names, rows = self.read_csv(self.folder / "r.csv")
        end = dict(zip(names, rows[-1], strict=True))
        self.assertGreater(abs(end["slide_left.q"]), 1e-3)
        self.assertLess(abs(end["slide_left.q"] - end["slide_right.q"]), 1e-2 * abs(end["slide_left.q"]))
        self.assertLess(abs(end["bend.q"] - 0.25 + 5 * end["slide_left.q"]), 5e-2 * abs(5 * end["slide_left.q"]))
        coupled = self.expect(0, "convert", robot, "-o", "couple.yaml", "--mimic", "couple").stdout
        self.assertIn("joints that mimic others are coupled to them: slide_right, bend and bend_tip", coupled)
        self.expect(0, "run", "couple.yaml", "-q", *change)
        names, rows = self.read_csv(self.folder / "r.csv")
        end = dict(zip(names, rows[-1], strict=True))
        self.assertGreater(abs(end["slide_left.q"]), 1e-3)
        self.assertLess(abs(end["slide_left.q"] - end["slide_right.q"]), 1e-14)
        self.expect_bad_input("frequency", "convert", robot, "-o", "x.yaml", "--mimic-frequency", "0")
        self.expect_bad_input("--mimic", "convert", robot, "-o", "x.yaml", "--mimic", "glue")

    def test_refuses_a_robot_that_is_none(self):
        self.write("robot.urdf", "<robot")
        self.expect_bad_input("robot.urdf", "convert", "robot.urdf", "-o", "robot.yaml")


STICKING = """\
sestina: 1
parameters: {f: 10}
bodies: [{name: mass, type: particle, mass: 1}]
joints: [{name: slide, type: prismatic, parent: ground.origin, child: mass.origin, axis: [1, 0, 0], u: 0.1}]
forces: [{name: friction, type: joint_force, joint: slide, value: "if(slide.u > 0, -f, f)"}]
analysis: {duration: 1e4}
output: {every: 0.002}
"""


class Limits(ProgramTest):
    def test_end_a_run_with_what_it_has(self):
        model = self.write("sticking.yaml", STICKING)
        result = self.expect(1, "run", model, "--max-steps", 500, "-o", "r.csv")
        self.assertIn("the run has reached its limit of 500 steps; analysis.limits.steps (--max-steps", result.stderr)
        _, rows = self.read_csv(self.folder / "r.csv")
        self.assertGreater(len(rows), 5)
        self.assertAlmostEqual(rows[-1][0], 0.01, delta=1e-3)
        result = self.expect(1, "run", model, "--set", "analysis.limits.wall_time=0.1")
        self.assertIn("its limit of 0.1 s of wall time", result.stderr)

    def test_of_a_sweep_are_for_each_run(self):
        model = self.write("sticking.yaml", STICKING)
        for lanes in ["auto", "off"]:
            result = self.expect(1, "sweep", model, "--vary", "parameters.f=[0, 10, 0]", "--set", "output.every=1e3",
                                 "--max-steps", 500, "--lanes", lanes, "-o", f"{lanes}.h5")
            self.assertIn("runs           2 complete, 1 failed", result.stdout)
            self.assertIn("parameters.f=10: t = 0.0", result.stderr)
            self.assertIn("its limit of 500 steps", result.stderr)

    def test_a_run_goes_on_from_its_checkpoint(self):
        model = self.write("sticking.yaml", STICKING)
        self.expect(1, "run", model, "--max-steps", 50, "--checkpoint", "c", "-o", "r.csv")
        result = self.expect(1, "resume", "c", "--max-steps", 100)
        self.assertIn("its limit of 100 steps", result.stderr)

    def test_of_rows_are_found_before_the_run(self):
        message = self.expect_bad_input("output.every: rows every 1e-09 s of 1 s are 1000000001, which take", "run", self.model,
                                        "--set", "output.every=1e-9", "-o", "r.csv")
        self.assertIn("GB; allowed are 10000000 (output.max_rows)", message)
        self.expect(0, "run", self.model, "--set", "output.every=1e-3", "--set", "output.max_rows=1001")
        self.expect_bad_input("are 1001, which take", "run", self.model, "--set", "output.every=1e-3", "--set",
                              "output.max_rows=1000")

    def test_must_be_positive(self):
        self.expect_bad_input("--max-steps: 0 is not 1 or more", "run", self.model, "--max-steps", 0)
        self.expect_bad_input("--max-wall: 0 s is not a positive time", "sweep", self.model,
                              "--vary", "parameters.l=1:2:2", "--max-wall", 0)


class Schema(ProgramTest):
    def test_is_json_and_the_one_that_is_shared(self):
        schema = json.loads(self.expect(0, "schema").stdout)
        self.assertEqual(schema, json.loads((SOURCE / "share/model.schema.json").read_text()))
        self.assertIn("bodies", schema["properties"])


if __name__ == "__main__":
    program.main()
