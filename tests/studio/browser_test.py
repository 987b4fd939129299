#!/usr/bin/env python3
"""The page in a real browser: browser_test.py SESTINA

Every example in light and dark, at two sizes: no error, no text over text, nothing cut off. A double pendulum, built from an
empty page with mouse and keyboard, runs as the example does. Pictures are left in the folder SESTINA_SHOTS, where it is set.
"""

import csv
import json
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import time
import unittest

import yaml
from playwright.sync_api import sync_playwright

PROGRAM = None
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SIZES = [(1280, 720), (2560, 1440)]
TEXT = "document.getElementById('text').value"  # the model's text in the studio
COMMENTED = """# A swing.
sestina: 1
parameters:
  l: 0.8   # m
  m: 1     # kg
gravity: [0, -9.81, 0]
ground: {points: {wall: [0, 0, 2]}}
bodies:
  # The one that swings.
  - name: rod
    mass: m   # all of it
    center_of_mass: [0, -l/2, 0]
    inertia: {xx: m*l^2/12, zz: m*l^2/12}
    points:
      tip: [0, -l, 0]   # the end
      eye: {position: [0, 1, 0], axes: {rpy: [0, 0, 1]}}
    shape: {type: box, position: [0, -l/2, 0], size: [0.1, 0.8, 0.1]}
joints:
  - {name: hip, type: revolute, parent: ground.wall, child: rod.origin, axis: [0, 0, 1], q: 1, limits: {upper: 3}}
forces:
  - {name: drive, type: joint_force, joint: hip, value: 0.1*sin(t)}   # weak
variables: {hits: 0}   # a count
events:
  - name: low
    when: hip.q
    set: {hip.u: -0.8*hip.u}
analysis: {duration: 1, step: {driver: fixed, dt: 1e-2}}   # short
output:
  columns:
    # What the drive does.
    work: {value: drive.value*hip.u, integrate: true}
"""


def data_of(model):
    """What a file says, with the defaults that the forms write and a person leaves out, or the other way round."""
    data = yaml.safe_load(model.read_text())
    for body in data["bodies"]:
        body.setdefault("type", "rigid")
    data["analysis"]["step"].setdefault("driver", "variable")
    return data


def comments(text):
    return [line.split("#")[1] for line in text.split("\n") if "#" in line]


# Leaves with text that are seen: outside of the window, cut off, or over each other. A bdi is cut to its parent.
FAULTS = """() => {
  const faults = [], leaves = [];
  for (const e of document.querySelectorAll("body *")) {
    const isField = e.matches("select, input:not([type=range], [type=checkbox])");
    if (e.closest("dialog, #names, script, datalist, textarea, .lines, svg") || (!isField && (e.closest("select") || e.children.length > 0))) continue;
    const text = isField ? `the field ${e.id}` : e.textContent.trim();
    if (!text || !e.checkVisibility()) continue;
    const own = (e.tagName === "BDI" ? e.parentElement : e).getBoundingClientRect(), scroller = e.closest(".pages, .left");
    const seen = scroller ? scroller.getBoundingClientRect() : own;
    const r = {left: own.left, right: own.right, top: Math.max(own.top, seen.top), bottom: Math.min(own.bottom, seen.bottom)};
    if (own.width === 0 || r.bottom <= r.top) continue;
    if (!scroller && (r.left < 0 || r.top < 0 || r.right > innerWidth + 0.5 || r.bottom > innerHeight + 0.5))
      faults.push(`outside: ${text}`);
    if (e.tagName === "BUTTON" && e.scrollWidth > e.clientWidth + 1) faults.push(`cut off: ${text}`);
    leaves.push([text, r]);
  }
  for (let i = 0; i < leaves.length; ++i) for (let k = 0; k < i; ++k) {
    const [a, p] = leaves[i], [b, q] = leaves[k];
    const w = Math.min(p.right, q.right) - Math.max(p.left, q.left), h = Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top);
    if (w > 1 && h > 2) faults.push(`'${a}' is over '${b}'`);
  }
  if (document.documentElement.scrollWidth > innerWidth) faults.push("the page is wider than the window");
  return faults;
}"""

# Canvases keep the numbers of their vertical axes, with their heights.
KEEP_TICKS = """
  const {clearRect, fillText} = CanvasRenderingContext2D.prototype;
  CanvasRenderingContext2D.prototype.clearRect = function (...box) { this.canvas.ticks = []; clearRect.apply(this, box); };
  CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
    if (this.textAlign === "right" && this.textBaseline === "middle") this.canvas.ticks.push([Number(text.replace(/\\u2212/g, "-")), y]);
    fillText.call(this, text, x, y);
  };
"""
# Messages to the server take window.lag milliseconds.
DELAY = """
  const {send} = WebSocket.prototype;
  WebSocket.prototype.send = function (text) { window.lag ? setTimeout(() => send.call(this, text), window.lag) : send.call(this, text); };
"""
# Axes whose numbers are not where they stand: a digit is missing.
WRONG_TICKS = """() => [...document.querySelectorAll("canvas.plot")].filter((c) => c.checkVisibility() && c.ticks?.length > 2).filter(({ticks}) => {
  const [[v0, y0]] = ticks, [v1, y1] = ticks[ticks.length - 1], step = Math.abs(v1 - v0) / (ticks.length - 1);
  return !ticks.every(([v, y]) => Math.abs(v0 + (v1 - v0) * (y - y0) / (y1 - y0) - v) < 0.2 * step);
}).map((c) => `${c.getAttribute("aria-label")}: ${c.ticks}`)"""


class BrowserTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.playwright = sync_playwright().start()
        cls.browser = cls.playwright.chromium.launch(
            executable_path=shutil.which("chromium"),
            args=["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"])

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        cls.playwright.stop()

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="sestina-page-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.errors = []

    def open(self, url, size=(1280, 720)):
        page = self.browser.new_page(viewport={"width": size[0], "height": size[1]})
        self.addCleanup(page.close)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("console", lambda message: self.errors.append(message.text) if message.type == "error" else None)
        # A software renderer takes long for its first picture where other work has the processors.
        page.set_default_timeout(180e3)
        page.add_init_script(KEEP_TICKS)
        page.add_init_script(DELAY)
        page.goto(url)
        return page

    def wait(self, page, expression):
        """Until it is true, from outside of the page, whose policy forbids it to evaluate text."""
        for _ in range(3600):
            if page.evaluate(expression):
                return
            page.wait_for_timeout(50)
        self.fail(f"{expression} did not come true; the page says: {page.locator('#status').text_content()}")

    def wait_for(self, page, condition):
        """The same for what is not of the page, such as a file."""
        for _ in range(600):
            if condition():
                return
            page.wait_for_timeout(50)

    def shoot(self, page, name):
        if os.environ.get("SESTINA_SHOTS"):
            page.screenshot(path=pathlib.Path(os.environ["SESTINA_SHOTS"], name + ".png"))

    def run_program(self, *words):
        done = subprocess.run([PROGRAM, *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout)
        return done.stdout

    def test_shows_every_example_without_faults(self):
        for model in sorted((ROOT / "examples").glob("*.yaml")):
            file = self.folder / f"{model.stem}.html"
            self.run_program("view", model, "-o", file)
            page = self.open(file.as_uri() + "?theme=light")
            for size in SIZES:  # one page for all: to open it takes longest
                page.set_viewport_size({"width": size[0], "height": size[1]})
                for theme in ("light", "dark"):
                    page.evaluate(f"sestina.viewer.setTheme('{theme}')")
                    page.evaluate("sestina.viewer.player.seek(sestina.viewer.player.end * 0.37)")
                    for tab in ("energy", "selection", "plots"):
                        page.evaluate(f"document.getElementById('tab-{tab}').click()")  # a mouse waits for two frames
                        self.assertEqual(page.evaluate(FAULTS) + page.evaluate(WRONG_TICKS), [], f"{model.stem}, {size}, {theme}, {tab}")
                    page.wait_for_timeout(50)
                    self.shoot(page, f"{model.stem}_{theme}_{size[0]}")
            page.close()
            self.assertEqual(self.errors, [], model.stem)
            file.unlink()

    def test_renders_a_picture_and_leaves_nothing_when_it_is_interrupted(self):
        folder = self.folder / "50% of #1"
        folder.mkdir()
        model, picture = ROOT / "examples" / "01_double_pendulum.yaml", self.folder / "picture.png"
        environment = {**os.environ, "TMPDIR": str(folder)}
        command = [PROGRAM, "render", model, "-o", picture, "--width", "320", "--height", "180"]
        subprocess.run(command, check=True, env=environment, stdout=subprocess.DEVNULL)
        self.assertEqual(picture.read_bytes()[:8], b"\x89PNG\r\n\x1a\n")
        self.assertEqual(struct.unpack(">II", picture.read_bytes()[16:24]), (320, 180))
        self.assertEqual(list(folder.iterdir()), [])
        modes = self.folder / "modes.yaml"  # of two masses, which move together and against each other
        modes.write_text("sestina: 1\nbodies: [{name: a, mass: 1}, {name: b, mass: 1}]\njoints:\n"
                         "  - {name: x, type: prismatic, parent: ground.origin, child: a.origin, axis: [1, 0, 0]}\n"
                         "  - {name: y, type: prismatic, parent: ground.origin, child: b.origin, axis: [0, 1, 0]}\nforces:\n"
                         "  - {name: soft, type: joint_spring, joint: x, stiffness: 1}\n"
                         "  - {name: hard, type: joint_spring, joint: y, stiffness: 9}\nanalysis: {type: modes}\n")
        pictures = [self.folder / f"{mode}.gif" for mode in (1, 2)]
        for mode, gif in enumerate(pictures, 1):
            subprocess.run([PROGRAM, "render", modes, "-o", gif, "--mode", str(mode), "--width", "160", "--height", "90"], check=True,
                           stdout=subprocess.DEVNULL)
        self.assertNotEqual(*(gif.read_bytes() for gif in pictures))
        refused = subprocess.run([PROGRAM, "render", modes, "-o", film := self.folder / "film.gif", "--mode", "3"], check=False,
                                 stderr=subprocess.PIPE, text=True)
        self.assertIn("modes 1 to 2", refused.stderr)
        drawing = subprocess.Popen([*command[:3], "-o", film], env=environment, stderr=subprocess.PIPE, text=True)
        for _ in range(600):
            if list(folder.glob("*/profile")) or drawing.poll() is not None:
                break
            time.sleep(0.05)
        drawing.terminate()
        self.assertEqual((drawing.communicate(timeout=60)[1], drawing.returncode), ("sestina: interrupted\n", 130))
        self.assertEqual((list(folder.iterdir()), film.exists()), ([], False))

    def test_puts_the_value_of_a_single_curve_at_the_right_edge(self):
        file = self.folder / "whip.html"
        self.run_program("view", ROOT / "examples/01_double_pendulum.yaml", "-o", file)
        page = self.open(file.as_uri())
        self.wait(page, "Boolean(window.sestina && sestina.viewer.motion)")
        page.evaluate("""() => {
          const legend = document.querySelector(".legend:has(.value)");
          [...legend.children].slice(1).forEach((one) => one.remove());
        }""")
        gap = """() => {
          const entry = document.querySelector(".legend:has(.value) li"), legend = entry.parentElement;
          return legend.getBoundingClientRect().right - entry.getBoundingClientRect().right;
        }"""
        self.assertGreater(page.evaluate("document.querySelector('.legend:has(.value)').clientWidth"), 330)  # two entries wide
        self.assertLess(page.evaluate(gap), 1)
        self.assertEqual(self.errors, [])

    def test_draws_what_rows_without_numbers_leave(self):
        result, file = self.folder / "swing.csv", self.folder / "swing.html"
        self.run_program("run", ROOT / "examples/01_double_pendulum.yaml", "--set", "analysis.duration=0.03", "--out", result)
        lines = result.read_text(encoding="utf-8").splitlines()
        rows = [i for i, line in enumerate(lines) if line[0].isdigit()]
        for i in rows[1:]:
            lines[i] = ",".join([lines[i].split(",")[0]] + ["nan"] * lines[i].count(","))
        result.write_text("\n".join(line for line in lines if "checksum" not in line) + "\n", encoding="utf-8")
        self.run_program("view", result, "--model", ROOT / "examples/01_double_pendulum.yaml", "-o", file)
        page = self.open(file.as_uri() + "?theme=dark")
        self.wait(page, "Boolean(window.sestina && sestina.viewer.motion)")
        self.assertGreater(page.evaluate("sestina.viewer.drawing.bounds.radius"), 0.1)

    def test_folds_the_nodes_of_a_beam(self):
        file = self.folder / "whip.html"
        self.run_program("view", ROOT / "examples/28_whip.yaml", "-o", file)
        page = self.open(file.as_uri())
        self.assertTrue(page.locator("#tree li[data-body]:has-text('rope_0')").first.is_hidden())
        self.assertEqual(page.locator("#tree li:has-text('slope')").count(), 0)  # what carries a deformation
        page.click("#tree li.beam")
        page.locator("#tree li[data-body]:has-text('rope_0')").first.click()
        page.keyboard.press("ArrowDown")
        self.assertEqual(page.locator("#tree li[aria-selected=true] .name").text_content(), "rope_1")
        self.assertEqual(self.errors, [])

    def test_draws_many_equal_rods_in_few_calls(self):
        names = [f"rod{i}" for i in range(100)]
        hooks = ", ".join(f"{name}: [{i % 10}, {1.5 * (i // 10)}, 0]" for i, name in enumerate(names))
        bodies = ", ".join(f"{{name: {n}, mass: 1, center_of_mass: [0, -0.5, 0], shape: {{type: box, size: [0.6, 1, 0.1], "
                           "position: [0, -0.5, 0]}}" for n in names)
        joints = ", ".join(f"{{name: j_{n}, type: revolute, parent: ground.{n}, child: {n}.origin, axis: [0, 0, 1]}}" for n in names)
        model, file = self.folder / "rods.yaml", self.folder / "rods.html"
        model.write_text(f"sestina: 1\nground: {{points: {{{hooks}}}}}\nbodies: [{bodies}]\njoints: [{joints}]\n")
        self.run_program("view", model, "-o", file)
        page = self.open(file.as_uri())
        self.wait(page, "Boolean(window.sestina && sestina.viewer.motion)")
        pixel = """(body) => {
          const {drawing} = sestina.viewer, canvas = document.getElementById("canvas"), rgba = new Uint8Array(4);
          drawing.render();
          const {x, y} = drawing.project(body, [0, -0.5, 0]), scale = canvas.width / canvas.clientWidth;
          const gl = drawing.renderer.getContext();
          gl.readPixels(x * scale, canvas.height - y * scale, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, rgba);
          return [...rgba];
        }"""
        calls = page.evaluate("(sestina.viewer.drawing.render(), sestina.viewer.drawing.renderer.info.render.calls)")
        self.assertLess(calls, 60)
        page.evaluate("sestina.viewer.drawing.show('joints', false)")  # they hide the rods
        first, eleventh, second = (page.evaluate(pixel, body) for body in (53, 63, 54))
        differ = lambda a, b: max(abs(i - k) for i, k in zip(a, b)) > 12  # the light falls a little differently
        self.assertFalse(differ(first, eleventh), (first, eleventh))  # ten colours in turn
        self.assertTrue(differ(first, second), (first, second))
        page.evaluate("sestina.viewer.drawing.select(53)")
        self.assertTrue(differ(page.evaluate(pixel, 53), first))  # the selected one is lighter
        self.assertEqual(page.evaluate(pixel, 63), eleventh)
        self.assertEqual(self.errors, [])

    def test_loses_no_letter_on_a_slow_connection(self):
        model = self.folder / "swing.yaml"
        model.write_text(COMMENTED)
        page = self.open(self.start_studio(model))
        self.wait(page, "sestina.viewer.motion && sestina.viewer.motion.rows > 100")
        page.locator("#canvas").focus()
        page.keyboard.press("Control+z")  # there is nothing to undo
        page.keyboard.press("Control+y")
        page.click("#tab-model")
        page.evaluate("window.lag = 700")
        page.locator("#text").focus()
        page.keyboard.press("Control+Home")
        page.keyboard.type("# the quick brown fox jumps over the lazy dog\n", delay=60)
        page.keyboard.press("Control+s")
        self.wait(page, "document.getElementById('status').textContent === 'Saved.'")
        self.assertEqual(model.read_text(), "# the quick brown fox jumps over the lazy dog\n" + COMMENTED)
        page.keyboard.type("# more\n", delay=20)
        page.locator(".parameter input[type=text]").first.fill("0.7")  # does not overtake what was typed
        page.keyboard.press("Enter")
        self.wait(page, f"{TEXT}.includes('l: 0.7') && {TEXT}.includes('# more')")
        self.wait(page, "document.getElementById('save').textContent === 'Save •'")
        self.assertEqual(self.errors, [])

    def test_leaves_the_field_alone_that_is_typed_in_when_answers_are_slow(self):
        page = self.open(self.start_studio())
        page.wait_for_selector("#page-build summary")
        page.evaluate("window.lag = 400")
        details = self.form(page, "Gravity and name")
        details.locator("#add-gravity-name").focus()
        for text in ("fork", "Tab", "12.5, 0, -9.81", "Tab"):
            page.keyboard.press(text) if text == "Tab" else page.keyboard.type(text, delay=60)
        self.wait(page, f"{TEXT}.includes('gravity: [12.5, 0, -9.81]') && {TEXT}.includes('name: fork')")
        details = self.form(page, "Points of the ground")
        details.locator("#add-points-ground-points-add").click()
        for text in ("right", "Tab", "0.3, 0, 2500", "Tab"):
            page.keyboard.press(text) if text == "Tab" else page.keyboard.type(text, delay=60)
        self.wait(page, f"{TEXT}.includes('points: {{right: [0.3, 0, 2500]}}')")
        details = self.form(page, "Analysis and output")
        details.locator("#add-analysis-output-every").focus()
        for text in ("0.02", "Tab", "2500", "Tab"):
            page.keyboard.press(text) if text == "Tab" else page.keyboard.type(text, delay=80)
        self.wait(page, f"{TEXT}.includes('every: 0.02') && {TEXT}.includes('max_rows: 2500')")
        page.evaluate("window.lag = 0")
        page.click("#undo")  # also of a field that was typed in
        self.wait(page, "document.getElementById('add-analysis-output-max_rows').value === ''")
        self.assertEqual(self.errors, [])

    def type_all(self, page, *texts):
        for text in texts:
            page.keyboard.press(text) if text in ("Tab", "Enter") else page.keyboard.type(text, delay=50)

    def test_keeps_rows_and_items_that_are_typed_before_the_answer_to_others(self):
        model = self.folder / "swing.yaml"
        model.write_text(COMMENTED)
        page = self.open(self.start_studio(model))
        page.wait_for_selector("#page-build summary", state="attached")
        page.click("#tab-build")
        page.evaluate("window.lag = 600")
        details = self.form(page, "Points of the ground")
        for name, place in (("left", "0.1, 0, 1"), ("right", "0.2, 0, 2")):
            details.locator("#add-points-ground-points-add").click()
            self.type_all(page, name, "Tab", place, "Tab")
        self.wait(page, f"{TEXT}.includes('{{wall: [0, 0, 2], left: [0.1, 0, 1], right: [0.2, 0, 2]}}')")
        # Columns: the value stays where its unit follows.
        details = self.form(page, "Analysis and output")
        details.locator("#add-analysis-output-columns-add").click()
        self.type_all(page, "c1", "Tab", "1+t", "Tab", "m", "Tab")
        self.wait(page, f"{TEXT}.includes('c1: {{value: 1+t, unit: m}}')")
        # A body whose change is under way, and the next parameter.
        details = self.form(page, "Body", "rod")
        details.locator("#add-body-mass").click()
        page.keyboard.press("Control+a")
        self.type_all(page, "2*m", "Enter", "Tab")
        page.keyboard.press("Control+a")
        self.type_all(page, "0, -0.7, 0")
        self.wait(page, f"{TEXT}.includes('mass: 2*m')")
        self.assertEqual(details.locator("#add-body-center_of_mass").input_value(), "0, -0.7, 0")
        self.press(page, details)
        self.wait(page, f"{TEXT}.includes('center_of_mass: [0, -0.7, 0]')")
        details = self.form(page, "Parameter")
        details.locator("#add-parameter-name").click()
        self.type_all(page, "a1", "Tab", "1", "Enter")
        details.locator("#add-parameter-name").click()
        page.keyboard.press("Control+a")
        self.type_all(page, "a2", "Tab")
        self.wait(page, f"{TEXT}.includes('a1: 1')")
        page.keyboard.press("Control+a")
        self.type_all(page, "2", "Enter")
        self.wait(page, f"{TEXT}.includes('a2: 2')")
        # What is undone stays undone; and Ctrl+S saves the field at hand.
        page.evaluate("window.lag = 0")
        details = self.form(page, "Gravity and name")
        gravity = details.locator("#add-gravity-gravity")
        gravity.click()
        page.keyboard.press("Control+a")
        self.type_all(page, "1, 2, 3", "Enter")
        self.wait(page, f"{TEXT}.includes('gravity: [1, 2, 3]')")
        page.click("#undo")
        self.wait(page, "document.getElementById('add-gravity-gravity').value.includes('-9.81')")
        details.locator("#add-gravity-name").click()
        self.type_all(page, "pend")
        page.keyboard.press("Control+s")
        self.wait(page, f"{TEXT}.includes('name: pend') && document.getElementById('save').textContent === 'Save'")
        self.assertIn("name: pend", model.read_text())
        self.assertIn("-9.81", model.read_text())
        self.assertEqual(self.errors, [])

    def test_knows_what_is_sent_and_not_answered(self):
        model = self.folder / "swing.yaml"
        model.write_text(COMMENTED)
        page = self.open(self.start_studio(model))
        page.wait_for_selector("#page-build summary", state="attached")
        page.click("#tab-build")
        # A value that is typed back before the answer to the first one.
        page.evaluate("window.lag = 600")
        details = self.form(page, "Body", "rod")
        details.locator("#add-body-mass").click()
        for text in ("2", "m"):
            page.keyboard.press("Control+a")
            self.type_all(page, text, "Enter")
        self.wait(page, f"{TEXT}.includes('mass: 2 ')")
        self.wait(page, f"{TEXT}.includes('mass: m ')")
        self.assertEqual(details.locator("#add-body-mass").input_value(), "m")
        # A new name, and a value before the item has it.
        details.locator("#add-body-name").click()
        for text in ("rud", "rod"):
            page.keyboard.press("Control+a")
            self.type_all(page, text, "Enter")
        self.wait(page, f"{TEXT}.includes('name: rud')")
        self.wait(page, f"{TEXT} === {json.dumps(COMMENTED)}")
        page.evaluate("window.lag = 0")
        # What is refused can be sent again, mended.
        details = self.form(page, "Body", "rod")
        mass = details.locator("#add-body-mass")
        details.locator("button[aria-label='Remove this point']").first.click()  # the tip
        mass.fill("[2")
        page.keyboard.press("Enter")
        self.wait(page, "document.getElementById('status').classList.contains('bad')")
        self.assertEqual(page.evaluate(TEXT), COMMENTED)
        self.assertEqual(mass.input_value(), "[2")
        mass.fill("2")
        self.press(page, details)
        self.assertIn("mass: 2 ", page.evaluate(TEXT))
        self.assertEqual(list(yaml.safe_load(page.evaluate(TEXT))["bodies"][0]["points"]), ["eye"])
        page.click("#undo")
        self.wait(page, f"{TEXT} === {json.dumps(COMMENTED)}")
        # Rows that are removed and added in the form, while another value is undone.
        self.change(page, "Body", "rod", mass="3")
        details = self.form(page, "Body", "rod")
        details.locator("button[aria-label='Remove this point']").first.click()  # the tip
        details.locator("#add-body-points-add").click()
        self.type_all(page, "nose", "Tab", "0, 1, 0")
        page.click("#undo")
        self.wait(page, f"{TEXT}.includes('mass: m ')")
        self.press(page, details)
        points = yaml.safe_load(page.evaluate(TEXT))["bodies"][0]["points"]
        self.assertEqual(sorted(points), ["eye", "nose"])
        self.assertEqual(points["eye"]["axes"], {"rpy": [0, 0, 1]})
        self.assertEqual(points["nose"], [0, 1, 0])
        page.click("#undo")  # of rows that the form has sent
        self.wait(page, f"{TEXT} === {json.dumps(COMMENTED)}")
        self.assertEqual([name.input_value() for name in details.locator(".entry-head input").all() if name.is_visible()], ["tip", "eye"])
        # A parameter whose field has the focus; redo with shift.
        number = page.locator(".parameter input[type=text]").first
        number.fill("0.5")
        page.keyboard.press("Enter")
        self.wait(page, f"{TEXT}.includes('l: 0.5')")
        page.keyboard.press("Control+z")
        self.wait(page, f"{TEXT} === {json.dumps(COMMENTED)}")
        self.assertEqual(number.input_value(), "0.8")
        page.keyboard.press("Control+Shift+Z")
        self.wait(page, f"{TEXT}.includes('l: 0.5')")
        self.assertEqual(number.input_value(), "0.5")
        # Another program puts another item in the place of the one that is typed in.
        page.keyboard.press("Control+s")
        self.wait(page, "document.getElementById('save').textContent === 'Save'")
        details = self.form(page, "Force", "drive")
        details.locator("#add-force-value").fill("0.7*t")
        model.write_text(model.read_text().replace("name: drive,", "name: other,").replace("0.1*sin(t)", "0.2").replace("drive.value", "other.value"))
        self.wait(page, f"{TEXT}.includes('name: other')")
        self.wait(page, "document.querySelector('#add-force-item').value === ''")
        self.assertEqual(self.errors, [])

    def test_keys_act_where_the_user_is(self):
        model = self.folder / "swing.yaml"
        model.write_text(COMMENTED)
        page = self.open(self.start_studio(model))
        self.wait(page, "sestina.viewer.motion && sestina.viewer.motion.rows > 100")
        # Letters after Ctrl+S, before the answer.
        page.click("#tab-model")
        page.evaluate("window.lag = 700")
        page.locator("#text").focus()
        page.keyboard.press("Control+Home")
        page.keyboard.type("# first\n")
        page.keyboard.press("Control+s")
        page.keyboard.type("# the second line goes on\n", delay=40)
        page.keyboard.press("Control+s")
        # Letters after another change, and Ctrl+S, before its answer.
        self.wait(page, "document.getElementById('save').textContent === 'Save'")
        number = page.locator(".parameter input[type=text]").first
        number.fill("0.7")
        page.keyboard.press("Enter")
        page.locator("#text").focus()
        page.keyboard.press("Control+Home")
        page.keyboard.type("# zero\n", delay=20)
        page.keyboard.press("Control+s")
        self.wait_for(page, lambda: "# zero" in model.read_text())
        self.assertEqual(model.read_text(), "# zero\n# first\n# the second line goes on\n" + COMMENTED.replace("0.8 ", "0.7 "))
        self.assertEqual(page.evaluate(TEXT), model.read_text())
        page.evaluate("window.lag = 0")
        # Letters at two places while another change is under way, and while one is undone.
        page.evaluate("window.lag = 900")
        number.fill("0.9")
        page.keyboard.press("Enter")
        page.locator("#text").focus()
        page.keyboard.press("Control+End")
        page.keyboard.type("# end\n")
        page.keyboard.press("Control+Home")
        page.keyboard.type("# top\n")
        self.wait(page, f"{TEXT}.startsWith('# top') && {TEXT}.endsWith('# end\\n') && {TEXT}.includes('l: 0.9 ')")
        self.wait(page, "document.getElementById('save').textContent === 'Save •' && !document.getElementById('text').readOnly")
        page.wait_for_timeout(2500)  # the text is there
        # A form changes two lines, and letters are typed between these.
        page.click("#tab-build")
        details = self.form(page, "Body", "rod")
        self.fill(details, "Body", {"mass": "7", "inertia__zz": "0.5"})
        details.locator("button[type=submit]").click()
        page.click("#tab-model")
        page.evaluate("""() => {
          const area = document.getElementById("text"), at = area.value.indexOf("    inertia");
          area.focus();
          area.setSelectionRange(at, at);
        }""")
        page.keyboard.type("    # between\n")
        self.wait(page, f"{TEXT}.includes('mass: 7 ') && {TEXT}.includes('zz: 0.5') && {TEXT}.includes('# between')")
        page.wait_for_timeout(2500)
        page.evaluate("window.lag = 0")
        number.fill("0.7")
        page.keyboard.press("Enter")
        self.wait(page, f"{TEXT}.includes('l: 0.7 ')")
        page.evaluate("window.lag = 900")
        page.click("#undo")
        page.locator("#text").focus()
        page.keyboard.press("Control+Home")
        page.keyboard.type("# letters\n", delay=20)
        self.wait(page, f"{TEXT}.startsWith('# letters\\n# top') && {TEXT}.includes('l: 0.9 ')")
        page.wait_for_timeout(2500)
        page.evaluate("window.lag = 0")
        # A change of another source is undone by the key in the text, too.
        number.fill("0.5")
        page.keyboard.press("Enter")
        self.wait(page, f"{TEXT}.includes('l: 0.5 ')")
        page.locator("#text").focus()
        page.keyboard.press("Control+z")
        self.wait(page, f"{TEXT}.includes('l: 0.9 ')")
        page.locator("#text").fill("# zero\n# first\n# the second line goes on\n" + COMMENTED)
        self.wait(page, f"{TEXT}.includes('l: 0.8 ')")
        # Esc closes the help.
        page.locator("#canvas").focus()
        page.keyboard.press("?")
        page.wait_for_selector("#help[open]")
        page.keyboard.press("Escape")
        page.wait_for_selector("#help:not([open])", state="attached")
        # The only force is changed after it was removed.
        page.click("#tab-build")
        page.evaluate("window.lag = 3000")
        details = self.form(page, "Force", "drive")
        details.locator("button:has-text('Remove')").first.click()
        details.locator("#add-force-value").click()
        page.keyboard.press("Control+a")
        self.type_all(page, "5*t", "Enter")
        self.wait(page, "document.getElementById('status').textContent.includes(\"there is no 'drive'\")")
        page.evaluate("window.lag = 0")
        page.click("#undo")
        self.wait(page, f"{TEXT}.includes('name: drive')")
        # Undo in a field that is being typed in is that of the field.
        page.click("#tab-build")
        details = self.form(page, "Gravity and name")
        name = details.locator("#add-gravity-name")
        name.click()
        page.keyboard.type("ab")
        page.keyboard.press("Control+z")
        page.wait_for_timeout(300)
        self.assertTrue(page.evaluate(TEXT).startswith("# zero\n# first\n# the second"))
        self.assertNotEqual(name.input_value(), "ab")
        name.fill("")
        # Keys that save and run take the field at hand along.
        number.fill("0.6")
        page.keyboard.press("Control+s")
        self.wait(page, f"{TEXT}.includes('l: 0.6 ') && document.getElementById('save').textContent === 'Save'")
        self.assertIn("l: 0.6 ", model.read_text())
        details.locator("#add-gravity-gravity").fill("0, -5, 0")
        page.keyboard.press("Control+Enter")
        self.wait(page, f"{TEXT}.includes('gravity: [0, -5, 0]')")
        # A name that is taken.
        details = self.form(page, "Force")
        self.fill(details, "Force", {"name": "drive", "type": "joint_damper", "joint": "hip", "damping": "1"})
        page.keyboard.press("Enter")
        self.wait(page, "document.getElementById('status').textContent.includes(\"there is a 'drive' already\")")
        # The space bar pauses a live run that was begun with the mouse; the run that is kept does not grow with it.
        page.locator("#canvas").focus()
        page.click("#to-start")
        page.click("#live")
        self.wait(page, "sestina.viewer.player.end > 0.2")
        page.click("#keep")
        kept = page.evaluate("sestina.viewer.ghost.motion.rows")
        page.keyboard.press("Space")
        self.wait(page, "document.getElementById('status').textContent.startsWith('paused')")
        page.keyboard.press("Space")
        self.wait(page, "sestina.viewer.player.end > 0.6")
        self.assertEqual(page.evaluate("sestina.viewer.ghost.motion.rows"), kept)
        self.assertEqual(page.evaluate("document.getElementById('live').getAttribute('aria-pressed')"), "true")
        # The view turns with gravity.
        page.click("#live")
        self.set(page, "Gravity and name", gravity="0, 0, -9.81")
        self.wait(page, "sestina.viewer.scene.up[2] === 1")
        self.assertGreater(page.evaluate("sestina.viewer.drawing.orbit.camera.up.z"), 0.9)
        self.assertEqual(self.errors, [])

    def test_undoes_in_the_text_what_any_source_changed_and_tells_conflicts(self):
        model = self.folder / "swing.yaml"
        model.write_text(COMMENTED)
        page = self.open(self.start_studio(model))
        self.wait(page, "sestina.viewer.motion && sestina.viewer.motion.rows > 50")
        page.click("#tab-model")
        number = page.locator(".parameter input[type=text]").first
        number.fill("0.55")
        page.keyboard.press("Enter")
        self.wait(page, f"{TEXT}.includes('l: 0.55 ')")
        page.locator("#text").focus()
        page.keyboard.press("Control+Home")
        page.keyboard.type("#")
        page.keyboard.press("Control+z")
        self.wait(page, f"{TEXT} === {json.dumps(COMMENTED.replace('0.8 ', '0.55 '))}")
        page.keyboard.press("Control+z")
        self.wait(page, f"{TEXT} === {json.dumps(COMMENTED)}")
        # A value, and a comment that is typed behind it before the answer; then the same value in both.
        page.evaluate("window.lag = 800")
        number.fill("0.5")
        page.keyboard.press("Enter")
        place = "at => { const area = document.getElementById('text'), i = area.value.indexOf(at) + at.length; area.focus(); area.setSelectionRange(i, i); }"
        page.evaluate(place, "# m\n  m: 1     # k")
        page.evaluate(place, "l: 0.8   # m")
        page.keyboard.type(" long")
        self.wait(page, f"{TEXT}.includes('l: 0.5   # m long')")
        page.wait_for_timeout(2000)
        number.fill("0.6")
        page.keyboard.press("Enter")
        page.evaluate(place, "l: 0.5")
        page.keyboard.type("5")
        self.wait(page, "document.getElementById('offer').textContent.startsWith('What was typed has replaced')")
        page.wait_for_timeout(1500)
        self.assertTrue(page.locator("#offer").is_visible())
        self.assertEqual(self.errors, [])

    def test_chooses_the_beam_of_a_selected_node(self):
        model = self.folder / "whip.yaml"
        shutil.copy(ROOT / "examples/28_whip.yaml", model)
        page = self.open(self.start_studio(model))
        self.wait(page, "Boolean(sestina.viewer.scene && sestina.viewer.scene.bodies.length > 5)")
        page.evaluate("sestina.viewer.select(3)")
        self.assertEqual(page.locator("#add-body-item").input_value(), "rope")
        self.assertEqual(self.errors, [])

    def test_refuses_names_that_are_taken(self):
        model = self.folder / "swing.yaml"
        model.write_text(COMMENTED)
        page = self.open(self.start_studio(model))
        page.wait_for_selector("#page-build summary", state="attached")
        page.click("#tab-build")
        status = page.locator("#status")
        details = self.form(page, "Body", "rod")
        name = details.locator(".entry-head input").first
        name.fill("eye")
        details.locator("button[type=submit]").click()
        self.assertEqual(status.text_content(), "points: there is an 'eye' already")
        self.assertEqual(name.input_value(), "eye")
        name.fill("toe")  # with another place; the comment stays
        self.fill(details, "Body", {"points__0__position": "0, -2*l, 0"})
        self.press(page, details)
        self.assertEqual(page.evaluate(TEXT), COMMENTED.replace("tip: [0, -l, 0]", "toe: [0, -2*l, 0]"))
        page.click("#undo")
        self.wait(page, f"{TEXT} === {json.dumps(COMMENTED)}")
        for item, value in (("l", "0.8"), ("", "7")):
            details = self.form(page, "Parameter", item)
            self.fill(details, "Parameter", {"name": "m", "value": value})
            page.evaluate("document.getElementById('status').textContent = ''")
            details.locator("button[type=submit]").click()
            self.wait(page, "document.getElementById('status').textContent === \"parameters: there is an 'm' already\"")
            self.assertEqual(details.locator("#add-parameter-name").input_value(), "m")
            self.assertEqual(page.evaluate(TEXT), COMMENTED)
        self.assertEqual(self.errors, [])

    def test_keeps_the_selection_by_name(self):
        model = self.folder / "swing.yaml"
        model.write_text(COMMENTED)
        page = self.open(self.start_studio(model))
        self.wait(page, "sestina.viewer.motion && sestina.viewer.motion.rows > 100")
        page.click("#tree li[data-body]:has-text('rod')")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("ArrowDown")  # past the heading
        selected = page.locator("#tree li[aria-selected=true] .name")
        self.assertEqual(selected.text_content(), "drive")
        page.click("#tab-build")
        self.change(page, "Force", "drive", value="0.2")
        self.wait(page, f"{TEXT}.includes('value: 0.2') && sestina.viewer.motion.rows > 100")
        self.assertEqual(selected.text_content(), "drive")
        page.click("#tree li[data-body]:has-text('rod')")
        page.click("#tab-model")
        other = "  - {name: first, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}\n"
        page.fill("#text", COMMENTED.replace("bodies:\n", "bodies:\n" + other).replace(
            "joints:\n", "joints:\n  - {name: fly, type: free, parent: ground.origin, child: first.origin}\n"))
        self.wait(page, "sestina.viewer.scene.bodies.length === 3 && sestina.viewer.motion.rows > 100")
        self.assertEqual(selected.text_content(), "rod")
        self.assertEqual(self.errors, [])

    def test_tells_why_a_run_failed(self):
        model = self.folder / "loose.yaml"
        model.write_text("sestina: 1\nparameters: {m: 0}\nbodies: [{name: a, mass: m}]\n"
                         "joints: [{name: j, type: prismatic, axis: [1, 0, 0], parent: ground.origin, child: a.origin}]\n"
                         "analysis: {duration: 1}\n")
        page = self.open(self.start_studio(model))
        page.wait_for_selector("#offer:has-text('the mass matrix is singular at joint j')")
        self.assertEqual(page.evaluate(FAULTS), [])
        page.fill(".parameter input[type=text]", "2")
        page.keyboard.press("Enter")
        self.wait(page, "sestina.viewer.motion.rows > 100 && document.getElementById('offer').hidden")
        self.assertEqual(self.errors, [])

    def test_a_second_window_watches_until_the_first_one_closes(self):
        model = self.folder / "swing.yaml"
        model.write_text(COMMENTED)
        url = self.start_studio(model)
        first, second = self.open(url), self.open(url)
        for page, is_editor in (first, True), (second, False):
            self.wait(page, "sestina.viewer.motion?.rows > 100 && document.querySelector('.parameter input')")
            self.assertEqual(page.locator(".parameter input[type=range]").first.is_enabled(), is_editor)
            self.assertEqual(page.locator("#tab-build").is_visible(), is_editor)
        first.close()
        self.wait(second, "!document.querySelector('.parameter input[type=text]').disabled")
        second.fill(".parameter input[type=text] >> nth=0", "0.5")
        second.keyboard.press("Enter")
        self.wait(second, f"{TEXT}.includes('l: 0.5')")
        self.assertEqual(self.errors, [])

    def test_a_window_that_watches_follows_the_live_run_and_takes_it_over(self):
        model = self.folder / "swing.yaml"
        model.write_text(COMMENTED)
        url = self.start_studio(model)
        first = self.open(url)
        self.wait(first, "sestina.viewer.motion?.rows > 100")
        second = self.open(url)
        self.wait(second, "sestina.viewer.motion?.rows > 100")
        second.keyboard.press("Control+s")
        self.assertIn("this one watches", second.locator("#status").text_content())
        first.click("#live")
        self.wait(second, "sestina.viewer.player.now > 0.3 && sestina.viewer.player.now > sestina.viewer.player.end - 0.2")
        second.keyboard.press("Home")  # it looks back, and the run goes on
        self.wait(second, "sestina.viewer.player.now < 0.1 && sestina.viewer.player.end > 1")
        first.close()
        self.wait(second, "!document.getElementById('studio-buttons').hidden")
        self.assertEqual(second.locator("#live").get_attribute("aria-pressed"), "true")
        second.reload()  # it comes back to its own run
        self.wait(second, "document.getElementById('live').getAttribute('aria-pressed') === 'true'")
        self.wait(second, "sestina.viewer.player.now > 2 && sestina.viewer.player.now > sestina.viewer.player.end - 0.2")
        second.keyboard.press("Space")
        second.wait_for_selector("#status:has-text('paused')")
        second.click("#live")
        self.wait(second, "document.getElementById('live').getAttribute('aria-pressed') === 'false'")
        self.assertEqual(self.errors, [])

    def test_keeps_what_was_typed_last_when_the_page_is_closed(self):
        model = self.folder / "swing.yaml"
        model.write_bytes(COMMENTED.replace("\n", "\r\n").encode())  # as Windows writes it
        page = self.open(self.start_studio(model))
        page.click("#tab-model")
        self.wait(page, f"{TEXT}.startsWith('# A swing')")
        page.on("dialog", lambda dialog: dialog.accept())  # "Leave the page?"
        page.locator("#text").click()
        page.keyboard.press("Control+Home")
        page.keyboard.type("# quick\n")
        page.close(run_before_unload=True)
        copy, other = self.folder / ".swing.yaml.studio", self.browser.new_page()
        self.addCleanup(other.close)
        self.wait_for(other, lambda: copy.exists())
        self.assertEqual(copy.read_bytes().split(b"\n", 1)[1], b"# quick\r\n" + model.read_bytes())
        self.server.kill()
        self.server.wait()  # its lock on the copy ends with it
        # The next page asks, and until it is answered nothing can be typed that would be lost.
        page = self.open(self.start_studio(model))
        page.wait_for_selector("#offer:has-text('was not saved')")
        self.assertFalse(page.locator("#text").is_editable())
        page.click("#offer button:has-text('Take it')")
        self.wait(page, f"{TEXT}.startsWith('# quick') && !document.getElementById('text').readOnly")
        self.assertEqual(self.errors, [])

    def test_keeps_the_end_of_each_line(self):
        model = self.folder / "mixed.yaml"
        lines = COMMENTED.split("\n")
        text = "\r\n".join(lines[:3]) + "\r\n" + "\n".join(lines[3:])
        model.write_bytes(text.encode())
        page = self.open(self.start_studio(model))
        page.click("#tab-model")
        self.wait(page, f"{TEXT}.startsWith('# A swing')")
        page.locator("#text").click()
        page.keyboard.press("Control+End")
        page.keyboard.type("# the end")
        page.keyboard.press("Control+Home")
        page.keyboard.type("#")
        page.keyboard.press("Control+s")
        self.wait_for(page, lambda: model.read_bytes() != text.encode())
        self.assertEqual(model.read_bytes().decode(), "#" + text + "# the end")
        self.assertEqual(self.errors, [])

    def test_goes_on_after_a_text_that_no_message_can_carry(self):
        model = self.folder / "swing.yaml"
        model.write_text(COMMENTED)
        page = self.open(self.start_studio(model))
        page.click("#tab-model")
        self.wait(page, f"{TEXT}.startsWith('# A swing')")
        page.locator("#text").fill("# \x7f\n" + COMMENTED)
        page.wait_for_selector("#status:has-text('0x7f')")
        page.locator("#text").fill("# mended\n" + COMMENTED)
        page.keyboard.press("Control+s")
        self.wait_for(page, lambda: model.read_text().startswith("# mended\n"))
        self.assertTrue(model.read_text().startswith("# mended\n"))
        self.assertEqual(self.errors, [])

    def test_asks_before_it_overwrites_what_another_program_wrote(self):
        model = self.folder / "swing.yaml"
        model.write_text(COMMENTED)
        page = self.open(self.start_studio(model))
        self.wait(page, "sestina.viewer.motion?.rows > 100")
        page.fill(".parameter input[type=text] >> nth=0", "0.5")
        page.keyboard.press("Enter")
        self.wait(page, f"{TEXT}.includes('l: 0.5')")
        theirs = COMMENTED.replace("A swing", "Another swing")
        model.write_text(theirs)
        page.keyboard.press("Control+s")  # at once
        page.wait_for_selector("#offer:has-text('another program')")
        self.assertEqual(model.read_text(), theirs)
        page.reload()
        page.wait_for_selector("#offer:has-text('another program')")
        page.click("#offer button:has-text('Keep mine')")
        page.keyboard.press("Control+s")
        page.wait_for_selector("#status:has-text('Saved')")
        self.assertIn("l: 0.5", model.read_text())
        model.unlink()
        page.wait_for_selector("#offer:has-text('removed')")
        page.keyboard.press("Control+s")
        page.wait_for_selector("#status:has-text('Saved')")
        self.assertIn("l: 0.5", model.read_text())

    def test_selects_both_ways_plays_and_plots(self):
        file = self.folder / "pendulum.html"
        self.run_program("view", ROOT / "examples/01_double_pendulum.yaml", "-o", file)
        page = self.open(file.as_uri())
        page.click("#tree li:has-text('lower')")
        self.assertEqual(page.evaluate("sestina.viewer.selected"), 2)
        page.keyboard.press("Escape")
        place = page.evaluate("sestina.viewer.drawing.project(1, [0, -0.4, 0])")
        box = page.locator("#canvas").bounding_box()
        page.mouse.click(box["x"] + place["x"], box["y"] + place["y"])
        self.assertEqual(page.locator("#tree li[aria-selected=true] .name").text_content(), "upper")
        page.fill("input[list=columns]", "pen.origin.*")
        page.keyboard.press("Enter")
        self.assertEqual(page.locator(".legend .name", has_text="pen.origin.x").count(), 1)
        page.keyboard.press("Tab")
        page.locator("#canvas").focus()
        page.keyboard.press("Space")
        self.wait(page, "sestina.viewer.player.now > 0.05")
        page.keyboard.press("Space")
        page.keyboard.press("End")
        self.assertEqual(page.evaluate("sestina.viewer.player.now"), 10)
        self.assertEqual(self.errors, [])

    def start_studio(self, *words):
        server = subprocess.Popen([PROGRAM, "studio", *words, "--no-browser"], stdout=subprocess.PIPE, text=True, cwd=self.folder)

        def end():
            server.terminate()
            server.wait()
            server.stdout.close()

        self.addCleanup(end)
        self.server = server
        return server.stdout.readline().strip()

    def form(self, page, form, item=None):
        """Opens a form of the page "Build", on an item of the model if one is given."""
        page.evaluate("document.querySelectorAll('#page-build details').forEach((d) => (d.open = false))")
        details = self.page_form(page, form)
        details.locator("summary").click()
        if item is not None:
            details.locator(".chooser select").select_option(item)
        return details

    def page_form(self, page, form):
        return page.locator("#page-build details", has=page.locator(f"summary:text-is('{form}')"))

    def fill(self, details, form, values):
        """Fills in fields by their keys: inertia__xx, points__0__name; the entry is added where it is missing."""
        word = form.lower().split(" ")[0]
        for key, value in values.items():
            name = f"#add-{word}-{key.replace('__', '-')}"
            if details.locator(name).count() == 0:
                details.locator(f"#add-{word}-{key.split('__')[0]}-add").click()
            field = details.locator(name)
            if field.evaluate("e => e.tagName") == "SELECT":
                field.select_option(value)
            else:
                field.fill(value)

    def press(self, page, details):
        text = page.evaluate(TEXT)
        details.locator("button[type=submit]").click()
        self.wait(page, f"{TEXT} !== {json.dumps(text)}")

    def add(self, page, form, **values):
        details = self.form(page, form)
        self.fill(details, form, values)
        self.press(page, details)

    def change(self, page, form, item, **values):
        details = self.form(page, form, item)
        self.fill(details, form, values)
        self.press(page, details)

    def set(self, page, form, **values):
        """Keys of the model, each of which changes at once."""
        details = self.form(page, form)
        for key, value in values.items():
            text = page.evaluate(TEXT)
            self.fill(details, form, {key: value})
            page.keyboard.press("Tab")
            self.wait(page, f"{TEXT} !== {json.dumps(text)}")

    def test_builds_the_double_pendulum_of_the_example(self):
        page = self.open(self.start_studio())
        page.wait_for_selector("#page-build summary")
        self.set(page, "Gravity and name", name="double pendulum", gravity="0, -2, 0")
        for name, value in {"l1": "0.8", "m1": "1.0", "l2": "1.0", "m2": "0.5"}.items():
            self.add(page, "Parameter", name=name, value=value)
        for name, k, point in (("upper", 1, "knee"), ("lower", 2, "tip")):
            self.add(page, "Body", name=name, type="rigid", mass=f"m{k}", center_of_mass=f"[0, -l{k}/2, 0]",
                     inertia__xx=f"m{k}*l{k}^2/12", inertia__yy="", inertia__zz=f"m{k}*l{k}^2/12",
                     points__0__name=point, points__0__position=f"0, -l{k}, 0", shape__0__type="cylinder", shape__0__radius="0.02",
                     shape__0__length=f"l{k}", shape__0__position=f"[0, -l{k}/2, 0]", **{
                         "shape__0__axes-kind": "rpy", "shape__0__axes-value": "pi/2, 0, 0"})
        self.add(page, "Body", name="pen", type="particle", mass="0")
        self.add(page, "Joint", name="hip", type="revolute", parent="ground.origin", child="upper.origin", axis="[0, 0, 1]", q="1", u="1")
        self.add(page, "Joint", name="knee", type="revolute", parent="upper.knee", child="lower.origin", axis="[0, 0, 1]", q="0.2", u="-2")
        self.add(page, "Joint", name="pen_holder", type="weld", parent="lower.tip", child="pen.origin")
        self.set(page, "Analysis and output", analysis__step__rtol="1e-10", analysis__step__atol="1e-12", analysis__duration="10",
                 output__every="0.01")
        page.on("dialog", lambda dialog: dialog.accept("double_pendulum"))
        page.click("#run")
        self.wait(page, "sestina.viewer.motion && sestina.viewer.motion.rows === 1001")
        page.click("#tab-plots")
        self.assertEqual(page.locator(".legend .name", has_text="knee.q").count(), 1)
        self.assertEqual(page.evaluate(FAULTS), [])
        for body, end in ((1, "[0, 0, 0]"), (2, "[0, -1, 0]")):  # the view has grown with the mechanism
            place, box = page.evaluate(f"sestina.viewer.drawing.project({body}, {end})"), page.locator("#canvas").bounding_box()
            self.assertTrue(0 < place["x"] < box["width"] and 0 < place["y"] < box["height"], place)
        self.shoot(page, "studio_built")
        page.click("#save")
        self.wait(page, "document.getElementById('save').textContent === 'Save'")
        saved = self.folder / "double_pendulum.yaml"
        example = ROOT / "examples/01_double_pendulum.yaml"
        self.assertEqual(data_of(saved), data_of(example))
        self.assertEqual(self.rows_of(saved), self.rows_of(example))
        self.assertEqual(self.errors, [])

    def rows_of(self, model):
        result = self.folder / "result.csv"
        self.run_program("run", model, "--out", result)
        with result.open() as file:
            return list(csv.reader(line for line in file if not line.startswith("#")))

    def test_shows_forces_constraints_and_events(self):
        model = self.folder / "windy.yaml"
        model.write_text(COMMENTED.replace("forces:\n", "forces:\n  - {name: wind, type: point_force, at: rod.tip, value: [3, 4, 0]}\n"))
        page = self.open(self.start_studio(model))
        self.wait(page, "sestina.viewer.motion?.forces && sestina.viewer.motion.rows === 101")
        self.assertEqual(page.locator("#tree li.heading").all_text_contents(), ["Forces2", "Events1"])
        self.assertTrue(page.locator("#scale").is_hidden())
        page.click("#tree li.forces:has-text('wind')")  # shows its arrow, its numbers and its form
        self.assertEqual(page.locator("#scale").text_content(), "longest arrow: 5 N")
        self.assertIn("3, 4, 0 N", page.locator("#page-selection").text_content())
        self.assertEqual(page.evaluate("document.querySelector('#add-force-item').value"), "wind")
        self.assertEqual(page.evaluate(FAULTS), [])
        self.shoot(page, "studio_force")
        page.click("#tree li.events")
        self.assertIn("hip.q", page.locator("#page-selection").text_content())
        self.assertTrue(page.locator("#scale").is_hidden())
        page.locator("#tree li.heading").first.press("Enter")
        self.assertTrue(page.locator("#tree li.forces").first.is_hidden())
        page.click("#layers-button")
        page.check("#layers input[value=forces]")
        self.assertTrue(page.locator("#scale").is_visible())
        # A live run that takes too much memory keeps every second row, with its forces.
        self.assertEqual(page.evaluate("""(() => {
          const { motion } = sestina.viewer, of = (i) => JSON.stringify([motion.at("t", i), [...motion.frame(i)], motion.forces.at(i)]);
          const before = [0, 4, 100].map(of);
          motion.keep(101, 2);
          return [motion.rows, [0, 2, 50].every((row, i) => of(row) === before[i])];
        })()"""), [51, True])
        self.assertEqual(self.errors, [])

    def test_builds_contacts_and_events_and_changes_them(self):
        page = self.open(self.start_studio())
        page.wait_for_selector("#page-build summary")
        self.set(page, "Gravity and name", gravity="[0, 0, -9.81]")
        self.add(page, "Ground shape", name="floor", type="plane")
        self.add(page, "Body", name="box", type="rigid", mass="2", shape__0__type="box", shape__0__size="[0.2, 0.2, 0.1]")
        self.add(page, "Joint", name="fly", type="free", parent="ground.origin", child="box.origin", q="[0, 0, 0.05, 1, 0, 0, 0]")
        self.add(page, "Contact", name="feet", between__0__name="box", between__1__name="floor", friction="0.5")
        self.wait(page, "sestina.viewer.motion?.forces && sestina.viewer.motion.rows === 101")
        self.assertEqual(page.evaluate("sestina.viewer.motion.forces.at(50).length"), 4)
        weight = page.evaluate("sestina.viewer.motion.forces.at(50).reduce((sum, one) => sum + one.force[2], 0)")
        self.assertAlmostEqual(weight, 2 * 9.81, 4)
        page.click("#tree li.contacts")
        self.assertIn("normal_force", page.locator("#page-selection").text_content())
        self.assertEqual(page.evaluate(FAULTS), [])
        self.shoot(page, "studio_contact")
        page.click("#tab-build")
        page.locator("#add-contact-friction").fill("0.2")
        page.locator("#add-contact-restitution").fill("0.7")
        page.click("button:text-is('Change feet')")
        self.wait(page, f"{TEXT}.includes('friction: 0.2, restitution: 0.7')")
        self.add(page, "Event", name="early", when="t - 0.5", direction="rising", terminal="true")
        self.wait(page, "sestina.viewer.player.end === 0.5")
        self.assertEqual(page.evaluate(FAULTS), [])
        page.select_option("#add-event-item", "early")
        self.shoot(page, "studio_event")
        page.locator("#page-build button:text-is('Remove')").locator("visible=true").click()
        self.wait(page, "sestina.viewer.player.end === 1")
        self.assertEqual(self.errors, [])

    def test_writes_the_laws_of_contacts_and_more_than_two_that_touch(self):
        model = self.folder / "balls.yaml"
        balls = "".join(f"  - {{name: b{i}, mass: 1, shape: {{type: sphere, radius: 0.1, name: s{i}}}}}\n" for i in range(3))
        joints = "".join(f"  - {{name: j{i}, type: prismatic, parent: ground.origin, child: b{i}.origin, axis: [0, 0, 1], q: {0.11 + 0.21 * i}}}\n"
                         for i in range(3))
        model.write_text(f"sestina: 1\ngravity: [0, 0, -9.81]\nground: {{shapes: [{{name: floor, type: plane}}]}}\nbodies:\n{balls}joints:\n{joints}"
                         "contacts:\n  - {name: all, between: [s0, s1, floor], friction: 0.3}   # every pair\nanalysis: {duration: 0.1}\n")
        page = self.open(self.start_studio(str(model)))
        self.wait(page, "sestina.viewer.motion && sestina.viewer.motion.rows > 10")
        page.click("#tab-build")
        details = self.form(page, "Contact", "all")
        self.assertEqual([details.locator(f"#add-contact-between-{i}-name").input_value() for i in range(3)], ["s0", "s1", "floor"])
        details.get_by_role("button", name="Add shape or body").click()
        self.fill(details, "Contact", {"between__3__name": "s2"})
        self.press(page, details)
        self.assertIn("between: [s0, s1, floor, s2], friction: 0.3}   # every pair", page.evaluate(TEXT))
        self.change(page, "Contact", "all", law="hunt_crossley", stiffness="1e6", restitution="0.7", impact_speed="1", creep_speed="0.01")
        self.assertIn("between: [s0, s1, floor, s2], friction: 0.3, law: hunt_crossley, creep_speed: 0.01, restitution: 0.7, impact_speed: 1, "
                      "stiffness: 1e6}   # every pair", page.evaluate(TEXT))
        self.wait(page, "document.querySelectorAll('.faults button').length === 0 && sestina.viewer.motion.rows > 10")
        self.change(page, "Contact", "all", law="hertz")
        self.assertNotIn("restitution", page.evaluate(TEXT))  # a key of the other law has gone with it
        self.assertEqual(page.evaluate(FAULTS), [])
        self.shoot(page, "studio_law")
        self.assertEqual(self.errors, [])

    def test_imports_a_robot(self):
        page = self.open(self.start_studio())
        page.wait_for_selector("#page-build summary")
        page.locator("#import-file").set_input_files(ROOT / "examples/10_robot_arm.urdf")
        self.wait(page, "sestina.viewer.motion && sestina.viewer.motion.rows === 101")
        self.assertGreater(page.locator("#tree li").count(), 5)
        self.assertEqual(page.evaluate(FAULTS), [])
        self.shoot(page, "studio_import")
        page.click("#undo")
        self.wait(page, f"{TEXT} === ''")
        self.assertEqual(self.errors, [])

    def test_takes_a_table_of_forces_and_a_centre_line(self):
        model = self.folder / "swing.yaml"
        model.write_text(COMMENTED)
        page = self.open(self.start_studio(str(model)))
        self.wait(page, "sestina.viewer.motion && sestina.viewer.motion.rows > 100")
        page.click("#tab-build")
        details = self.form(page, "Force", "drive")
        self.assertEqual(details.locator("#add-force-value").input_value(), "0.1*sin(t)")
        details.locator("#add-force-value-way").select_option("a table over time")
        table = self.folder / "of_the_user" / "push.csv"
        table.parent.mkdir()
        table.write_text("# measured\nt, tau\n0, 0\n0.5, 2\n1, 0\n")
        details.locator("#add-force-value-table-file").set_input_files(table)
        self.wait(page, "document.getElementById('add-force-value-columns').value === '[tau]'")
        details.locator("#add-force-value-interpolation").select_option("cubic")
        self.shoot(page, "studio_table")
        self.press(page, details)
        written = "value: {table: push.csv, columns: [tau], interpolation: cubic}}   # weak"
        self.wait(page, f"{TEXT}.includes({json.dumps(written)}) && document.querySelectorAll('.faults button').length === 0")
        self.assertEqual((self.folder / "push.csv").read_text(), table.read_text())
        self.wait(page, "sestina.viewer.motion.at('energy.supplied', 41) < -0.3")
        self.assertEqual(page.evaluate(FAULTS), [])
        table.write_text("t, tau\n0, 0\n1, 7\n")  # another one of the same name
        self.form(page, "Force", "drive").locator("#add-force-value-table-file").set_input_files(table)
        self.wait(page, "document.getElementById('status').textContent.includes('push.csv is there already with other values')")
        odd = self.folder / "of_the_user" / "Wind [N].CSV"
        odd.write_text("t,F [N]\n0,1\n1,2\n")
        self.form(page, "Force", "drive").locator("#add-force-value-table-file").set_input_files(odd)
        self.wait(page, "document.getElementById('add-force-value-table').value === 'Wind__N_.csv'")
        self.assertEqual(page.locator("#add-force-value-columns").input_value(), '["F [N]"]')
        self.press(page, self.page_form(page, "Force"))
        self.wait(page, f"{TEXT}.includes('table: Wind__N_.csv, columns: [\"F [N]\"]') && document.querySelectorAll('.faults button').length === 0")
        details = self.form(page, "Force", "drive")
        details.locator("#add-force-value-way").select_option("numbers or expressions")
        self.fill(details, "Force", {"value": "0.2*cos(t)"})
        self.press(page, details)
        self.wait(page, f"{TEXT}.includes('joint: hip, value: 0.2*cos(t)}}   # weak')")
        details = self.form(page, "Body")
        for width, height in SIZES:
            page.set_viewport_size({"width": width, "height": height})
            details.locator("#add-body-type").select_option("beam")
            details.locator("#add-body-section-circle").scroll_into_view_if_needed()
            self.assertEqual(page.evaluate(FAULTS), [], width)
            self.shoot(page, f"studio_beam_{width}")
        self.fill(details, "Body", {"name": "boom", "type": "beam", "centerline__from": "0, 0, 2", "centerline__to": "1, 0, 2"})
        self.press(page, details)
        self.wait(page, f"{TEXT}.includes('centerline: {{from: [0, 0, 2], to: [1, 0, 2]}}')")
        details = self.form(page, "Body", "boom")
        details.locator("#add-body-centerline-way").select_option("a curve through points")
        self.fill(details, "Body", {"centerline__points": "[0, 0, 2], [1, 0, 2], [2, 0, 2.5]"})
        self.press(page, details)
        self.wait(page, f"{TEXT}.includes('centerline: {{points: [[0, 0, 2], [1, 0, 2], [2, 0, 2.5]]}}')")
        self.assertEqual(self.errors, [])

    def test_changes_what_a_model_has_in_its_place_and_undoes_it(self):
        model = self.folder / "swing.yaml"
        model.write_text(COMMENTED)
        page = self.open(self.start_studio(str(model)))
        self.wait(page, "sestina.viewer.motion && sestina.viewer.motion.rows > 100")
        page.click("#tab-build")
        steps = [  # form, item, fields, what the line becomes: each is one step of undo
            ("Body", "rod", {"mass": "2*m"}, "    mass: 2*m   # all of it"),
            ("Body", "rod", {"inertia__yy": "0.1"}, "    inertia: {xx: m*l^2/12, zz: m*l^2/12, yy: 0.1}"),
            ("Body", "rod", {"points__0__position": "0, -2*l, 0"}, '      tip: [0, -2*l, 0]   # the end'),
            ("Body", "rod", {"points__1__axes-value": "0, pi/4, 0"}, "      eye: {position: [0, 1, 0], axes: {rpy: [0, pi/4, 0]}}"),
            ("Body", "rod", {"shape__0__type": "sphere", "shape__0__radius": "0.2"}, "    shape: {type: sphere, position: [0, -l/2, 0], radius: 0.2}"),
            ("Joint", "hip", {"q": "0.5", "limits__lower": "-2", "limits__enforced": "true"},
             "  - {name: hip, type: revolute, parent: ground.wall, child: rod.origin, axis: [0, 0, 1], q: 0.5, "
             "limits: {upper: 3, lower: -2, enforced: true}}"),
            ("Joint", "hip", {"type": "spherical", "q": "", "child": "rod.eye"}, "  - {name: hip, type: spherical, parent: ground.wall, child: rod.eye}"),
            ("Force", "drive", {"value": "0.2*sin(t)"}, '  - {name: drive, type: joint_force, joint: hip, value: 0.2*sin(t)}   # weak'),
            ("Event", "low", {"set__0__value": "-0.5*hip.u"}, '    set: {hip.u: -0.5*hip.u}'),
            ("Variable", "hits", {"value": "3"}, "variables: {hits: 3}   # a count"),
            ("Parameter", "m", {"value": "1.5"}, "  m: 1.5     # kg"),
            ("Points of the ground", None, {"ground__points__0__position": "[0, 0, 3]"}, "ground: {points: {wall: [0, 0, 3]}}"),
            ("Analysis and output", None, {"analysis__step__dt": "1e-3"}, "analysis: {duration: 1, step: {driver: fixed, dt: 1e-3}}   # short"),
            ("Analysis and output", None, {"output__columns__0__unit": "J"}, "    work: {value: drive.value*hip.u, integrate: true, unit: J}"),
        ]
        for form, item, fields, line in steps:
            if item is None:
                self.set(page, form, **fields)
            else:
                self.change(page, form, item, **fields)
            text = page.evaluate(TEXT)
            self.assertIn(line, text.split("\n"), f"{form} {item}")
            self.assertEqual([one for one in comments(COMMENTED) if one not in comments(text)], [])
            page.click("#undo")
            self.wait(page, f"{TEXT} === {json.dumps(COMMENTED)}")
            page.click("#redo")
            self.wait(page, f"{TEXT} === {json.dumps(text)}")
            page.click("#undo")
            self.wait(page, f"{TEXT} === {json.dumps(COMMENTED)}")
        self.assertEqual(page.evaluate(FAULTS), [])
        self.change(page, "Body", "rod", points__1__name="nose")
        for item in ("wall", "rope"):  # forms of what is added and removed
            self.add(page, "Parameter", name=item, value="2")
            self.form(page, "Parameter", item).locator("button:text-is('Remove')").click()
            self.wait(page, f"!{TEXT}.includes('{item}: 2')")
        self.assertEqual(self.errors, [])

    def test_picks_points_in_the_scene(self):
        model = self.folder / "swing.yaml"
        model.write_text(COMMENTED)
        page = self.open(self.start_studio(str(model)))
        self.wait(page, "sestina.viewer.motion && sestina.viewer.motion.rows > 100")
        page.click("#tab-build")
        details = self.form(page, "Joint", "hip")
        box = page.locator("#canvas").bounding_box()
        def click(local):
            place = page.evaluate(f"sestina.viewer.drawing.project(1, {local})")
            page.mouse.click(box["x"] + place["x"], box["y"] + place["y"])
        details.get_by_label("Child point: choose in the scene").click()
        click([0, -0.8, 0])
        self.wait(page, "document.getElementById('add-joint-child').value === 'rod.tip'")
        details.get_by_label("Child point: choose in the scene").click()
        click([0, -0.4, 0])  # in the middle of the rod there is no point yet
        self.wait(page, "document.getElementById('add-joint-child').value === 'rod.p1'")
        self.wait(page, f"{TEXT}.includes('      p1: [')")
        self.press(page, details)
        self.assertIn("child: rod.p1", page.evaluate(TEXT))
        self.assertEqual(self.errors, [])

    def walk(self, page):
        """By Tab through all controls: (element's id or text, role, name) as a screen reader has them."""
        session = page.context.new_cdp_session(page)
        page.evaluate("document.activeElement.blur()")
        found = []
        for _ in range(400):
            if page.evaluate("document.activeElement.tagName") == "TEXTAREA":
                page.keyboard.press("Escape")  # the next Tab leaves it
            page.keyboard.press("Tab")
            if page.evaluate("document.activeElement === document.body"):
                continue  # once around
            node = session.send("Runtime.evaluate", {"expression": "document.activeElement"})["result"]
            is_known = page.evaluate("""() => {
              const e = document.activeElement, is_known = e.dataset.walked === "1";
              e.dataset.walked = "1";
              return is_known;
            }""")
            if is_known:
                break
            told = session.send("Accessibility.getPartialAXTree", {"objectId": node["objectId"], "fetchRelatives": False})["nodes"][0]
            where = page.evaluate("document.activeElement.id || document.activeElement.outerHTML.slice(0, 80)")
            found.append((where, told.get("role", {}).get("value", ""), told.get("name", {}).get("value", "").strip()))
        left_out = page.evaluate("""() => [...document.querySelectorAll("button, input, select, textarea, summary, canvas")]
          .filter((e) => e.checkVisibility() && !e.disabled && e.dataset.walked !== "1" && e.getAttribute("role") !== "tab")
          .map((e) => e.id || e.outerHTML.slice(0, 80))""")
        page.evaluate("document.querySelectorAll('[data-walked]').forEach((e) => delete e.dataset.walked)")
        self.assertEqual(left_out, [], "not reached by Tab")
        self.assertEqual([one for one in found if one[2] == "" or one[1] in ("generic", "none", "")], [], "without a name or a role")
        return found

    def test_reaches_every_control_by_tab_and_names_it(self):
        file = self.folder / "lane.html"
        self.run_program("view", ROOT / "examples/21_bowling_ball.yaml", "-o", file)
        page = self.open(file.as_uri())
        page.click("#layers-button")
        found = self.walk(page)
        self.assertGreater(len(found), 35)
        self.assertIn(("time", "slider", "Time"), found)
        self.assertIn("Energies: energy.kinetic, energy.potential, energy.total over t", [name for _, role, name in found if role == "slider"])
        page.locator("#layers input").first.focus()
        page.keyboard.press("Escape")
        self.assertEqual(page.evaluate("document.activeElement.id"), "layers-button")
        page.locator("#tab-plots").focus()
        page.keyboard.press("ArrowRight")
        self.assertTrue(page.locator("#page-energy").is_visible())
        for tab in ("energy", "selection"):
            page.click(f"#tab-{tab}")
            self.walk(page)
        page.locator("#tree [tabindex='0']").first.focus()
        page.keyboard.press("ArrowDown")
        page.keyboard.press("ArrowDown")
        self.assertEqual(page.evaluate("sestina.viewer.selected"), 1)
        page.keyboard.press("?")
        self.assertEqual(page.get_by_role("dialog", name="Help").count(), 1)
        page.keyboard.press("Escape")
        model = self.folder / "swing.yaml"
        model.write_text(COMMENTED)
        page = self.open(self.start_studio(str(model)))
        self.wait(page, "sestina.viewer.motion && sestina.viewer.motion.rows > 100")
        page.click("#tab-build")
        count = page.locator("#page-build details").count()
        for i in range(count):
            page.evaluate(f"document.querySelectorAll('#page-build details').forEach((d, i) => (d.open = i === {i}))")
            items = page.locator("#page-build details").nth(i).locator(".chooser select option")
            if items.count() > 1:
                page.locator("#page-build details").nth(i).locator(".chooser select").select_option(index=1)
            self.assertGreater(len(self.walk(page)), 35)
        page.click("#tab-model")
        self.walk(page)
        self.assertEqual(self.errors, [])

    def test_lives_rewinds_goes_on_pulls_and_traces(self):
        model = self.folder / "pendulum.yaml"
        shutil.copy(ROOT / "examples/01_double_pendulum.yaml", model)
        page = self.open(self.start_studio(str(model)))
        self.wait(page, "sestina.viewer.motion && sestina.viewer.motion.rows === 1001")
        energy = "sestina.viewer.motion.at('energy.total', sestina.viewer.motion.rows - 1)"
        page.click("#live")
        self.wait(page, "sestina.viewer.motion.at('t', 1) < 0.1 && sestina.viewer.player.end > 1")
        before = page.evaluate(energy)
        box = page.locator("#canvas").bounding_box()
        for _ in range(8):  # a body in motion may be missed
            place = page.evaluate("sestina.viewer.drawing.project(2, [0, -0.5, 0])")
            page.keyboard.down("Control")
            page.mouse.move(box["x"] + place["x"], box["y"] + place["y"])
            page.mouse.down()
            for i in range(12):
                page.mouse.move(box["x"] + place["x"] + 10 * i, box["y"] + place["y"] - 8 * i)
                page.wait_for_timeout(40)
            self.shoot(page, "studio_pull")
            page.mouse.up()
            page.keyboard.up("Control")
            if abs(page.evaluate(energy) - before) > 1e-3:
                break
        self.wait(page, f"Math.abs({energy} - {before}) > 1e-3")
        page.locator("#time").fill("200")  # back, while it runs: it waits there
        self.wait(page, "document.getElementById('status').textContent.startsWith('paused')")
        now, end = page.evaluate("[sestina.viewer.player.now, sestina.viewer.player.end]")
        self.assertLess(now, end)
        page.keyboard.press("End")
        rows = page.evaluate("sestina.viewer.motion.rows")
        page.keyboard.press("ArrowRight")  # at the end of a run that waits: one more
        self.wait(page, f"sestina.viewer.motion.rows > {rows} && sestina.viewer.player.row === sestina.viewer.motion.rows - 1")
        page.locator("#time").fill("200")
        page.click("#play")
        self.wait(page, f"sestina.viewer.player.now > {now}")
        self.wait(page, "document.getElementById('status').textContent.startsWith('live')")
        page.select_option("#speed", "0.05")
        page.wait_for_timeout(300)
        pace = page.evaluate("""async () => {
          const [start, t] = [performance.now(), sestina.viewer.player.end];
          await new Promise((done) => setTimeout(done, 1500));
          return (sestina.viewer.player.end - t) / (performance.now() - start) * 1000;
        }""")
        self.assertLess(pace, 0.1)
        page.select_option("#speed", "1")
        page.get_by_label("l1, slider").focus()
        page.keyboard.press("ArrowRight")  # another model, from the same instant on
        self.wait(page, f"!{TEXT}.includes('l1: 0.8,')")
        self.wait(page, "document.getElementById('live').getAttribute('aria-pressed') === 'true' && sestina.viewer.motion.rows > 10")
        page.click("#live")
        page.click("#tree li:has-text('upper')")
        page.click("#tab-selection")
        page.get_by_label("Path of upper.knee").click()
        self.assertTrue(page.evaluate("sestina.viewer.drawing.isShown('trace')"))
        self.assertEqual(page.get_by_label("Path of upper.knee").get_attribute("aria-pressed"), "true")
        page.wait_for_timeout(200)
        self.shoot(page, "studio_trace")
        self.assertEqual(page.evaluate(FAULTS), [])
        page.keyboard.press("Control+z")
        self.wait(page, f"{TEXT}.includes('l1: 0.8,')")
        self.assertEqual(float(page.get_by_label("l1, slider").input_value()), 0.8)
        self.assertEqual(self.errors, [])

    def test_follows_a_mechanism_that_travels_far(self):
        file = self.folder / "bicycle.html"
        self.run_program("view", ROOT / "examples/20_bicycle.yaml", "-o", file)
        page = self.open(file.as_uri())
        place = "sestina.viewer.drawing.project(4, [0, 0, 0])"
        start = page.evaluate(place)
        page.evaluate("sestina.viewer.player.seek(8)")
        self.assertGreater(page.evaluate("sestina.viewer.motion.at('way.q[0]', sestina.viewer.player.row)"), 30)
        there = page.evaluate(place)
        self.assertLess(abs(there["x"] - start["x"]) + abs(there["y"] - start["y"]), 60)
        page.keyboard.press("w")
        self.assertEqual(page.locator("#follow").get_attribute("aria-pressed"), "false")
        page.evaluate("sestina.viewer.player.seek(0)")
        away = page.evaluate(place)
        self.assertTrue(away is None or abs(away["x"] - there["x"]) + abs(away["y"] - there["y"]) > 300)
        self.assertEqual(self.errors, [])

    def test_shows_a_second_run_in_the_scene_and_in_the_plots(self):
        model = ROOT / "examples/01_double_pendulum.yaml"
        for name, q in (("first", 1.0), ("second", 1.3)):
            self.run_program("run", model, "--set", f"joints.hip.q={q}", "--out", self.folder / f"{name}.h5")
        file = self.folder / "both.html"
        self.run_program("view", self.folder / "first.h5", "--ghost", self.folder / "second.h5", "-o", file)
        page = self.open(file.as_uri() + "?theme=light")
        self.assertIn("second.h5", page.locator(".second").text_content())
        page.evaluate("sestina.viewer.player.seek(1.2)")
        page.wait_for_timeout(200)
        self.assertEqual(page.evaluate(FAULTS), [])
        self.shoot(page, "ghost")
        page.click(".second button")
        self.assertEqual(page.locator(".second").count(), 0)
        self.assertEqual(self.errors, [])

    def test_chooses_runs_of_a_sweep_and_plots_a_column_over_them(self):
        sweep = self.folder / "pendulum.sweep.h5"
        self.run_program("sweep", ROOT / "examples/01_double_pendulum.yaml", "--vary", "parameters.l1=0.5:1.5:11",
                         "--vary", "joints.hip.q=[0.5, 1]", "--out", sweep, "--record", "none", "--quiet")
        page = self.open(self.start_studio(str(sweep)))
        self.wait(page, "sestina.viewer.motion && sestina.viewer.motion.rows === 1001")
        self.assertAlmostEqual(page.evaluate("sestina.viewer.motion.at('hip.q', 0)"), 0.5)
        page.select_option("#sweep-axis-1", label="1")
        self.wait(page, "sestina.viewer.motion.at('hip.q', 0) === 1")
        page.select_option("#sweep-column", "energy.total")
        page.wait_for_selector("#sweep-plot h3:text-is('energy.total')")
        box = page.locator("#sweep-plot canvas").bounding_box()
        page.mouse.click(box["x"] + box["width"] - 12, box["y"] + box["height"] / 2)
        self.wait(page, "document.getElementById('sweep-axis-0').value === '10'")
        self.wait(page, "sestina.viewer.motion.rows === 1001 && Math.abs(sestina.viewer.scene.bodies[1].mass_centre[1]) === 0.75")
        page.wait_for_timeout(200)
        self.assertEqual(page.evaluate(FAULTS), [])
        self.shoot(page, "sweep")
        self.assertEqual(self.errors, [])

    def test_shows_particles_and_their_box(self):
        model = self.folder / "salt.yaml"
        model.write_text("""sestina: 1
name: salt
particles:
  species: [{name: Na, mass: 1, charge: 1}, {name: Cl, mass: 1.5, charge: -1}]
  positions: {lattice: {type: rock_salt, cells: [4, 4, 4], density: 0.8, species: [Na, Cl]}}
  velocities: {temperature: 0.3, seed: 3}
  pairs:
    - {type: wca, species: [Na, Na], epsilon: 1, sigma: 0.8}
    - {type: wca, species: [Cl, Cl], epsilon: 1, sigma: 1.1}
  trajectory: {file: salt.h5, every: 0.5}
analysis: {step: {dt: 0.005}, duration: 5}
output: {every: 0.01}
""")
        page = self.open(self.start_studio(str(model)))
        self.wait(page, "sestina.viewer.motion && sestina.viewer.motion.rows === 1")
        self.assertIn("there is no salt.h5 yet", page.locator("#notes").text_content())
        page.close()
        self.run_program("run", model, "--quiet")
        page = self.open(self.start_studio(str(model)))
        self.wait(page, "sestina.viewer.motion && sestina.viewer.motion.rows === 11")
        self.assertIn("256 particles", page.locator("#tree").text_content())
        page.evaluate("sestina.viewer.player.seek(2.5)")
        page.wait_for_timeout(200)
        self.assertEqual(page.evaluate(FAULTS), [])
        self.shoot(page, "particles")
        before = page.evaluate("Array.from(sestina.viewer.motion.frame(0).slice(0, 3))")
        page.click("#live")  # from the start of the model, 501 rows at 60 a second
        self.wait(page, "sestina.viewer.motion.has('energy.total') && sestina.viewer.motion.rows > 5")
        page.click("#play")
        page.wait_for_timeout(500)
        rows = page.evaluate("sestina.viewer.motion.rows")
        self.assertLess(rows, 501)
        page.wait_for_timeout(300)
        self.assertEqual(page.evaluate("sestina.viewer.motion.rows"), rows)
        page.click("#play")
        self.wait(page, "sestina.viewer.motion.rows === 501")
        self.assertNotEqual(page.evaluate("Array.from(sestina.viewer.motion.frame(100).slice(0, 3))"), before)
        self.wait(page, "document.getElementById('live').getAttribute('aria-pressed') === 'false'")
        self.assertEqual(self.errors, [])

    def test_edits_the_text_undoes_and_shows_faults_at_their_lines(self):
        model = self.folder / "pendulum.yaml"
        shutil.copy(ROOT / "examples/01_double_pendulum.yaml", model)
        page = self.open(self.start_studio(str(model)))
        self.wait(page, "sestina.viewer.motion && sestina.viewer.motion.rows === 1001")
        page.click("#tab-model")
        text = page.locator("#text").input_value()
        page.locator("#text").fill(text.replace("mass: m1", "mass: -m1"))
        page.wait_for_selector(".faults button")
        self.assertIn("negative", page.locator(".faults button").first.text_content())
        self.assertEqual(page.locator(".lines .fault").count(), 1)
        self.shoot(page, "studio_fault")
        page.click("#undo")
        page.wait_for_selector(".faults button", state="detached")
        self.assertEqual(page.locator("#text").input_value(), text)
        slider = page.get_by_label("l1, slider")
        slider.focus()
        for _ in range(3):
            slider.press("ArrowRight")
        self.wait(page, "!document.getElementById('text').value.includes('l1: 0.8,')")
        page.click("#live")
        self.wait(page, "sestina.viewer.motion.rows > 5 && sestina.viewer.motion.at('t', 3) < 0.1")
        page.click("#live")
        self.shoot(page, "studio_model")
        self.assertEqual(page.evaluate(FAULTS), [])
        self.assertEqual(self.errors, [])


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    if shutil.which("chromium") is None:
        print("skipped: there is no chromium (./dev test --all installs it)")
        sys.exit(77)
    unittest.main()
