"""The studio in a notebook: its messages, and the page in a frame of a real browser."""

from __future__ import annotations

import base64
import json
import shutil
import struct
import threading
import time

import pytest
import sestina
from sestina import _core, notebook

GAS = """\
sestina: 1
particles:
  species: [{name: a, mass: 1}]
  box: {lengths: [4, 4, 4]}
  positions: {list: [[a, 0, 0, 0]]}
  velocities: [[0.5, 0, 0]]
analysis: {step: {dt: 0.125}, duration: 4}
output: {every: 0.5}
"""


def pendulum():
    system = sestina.System(name="pendulum", gravity=(0, 0, -9.81))
    rod = system.add_rigid_body("rod", 1.0, center_of_mass=(0, 0, -0.5), inertia={"xx": "1/12", "yy": "1/12"})
    system.add_joint("hinge", "revolute", system.ground["origin"], rod["origin"], axis=(0, 1, 0), q=1.0)
    return system


class Page:
    """What the page of a carrier does, without a browser."""

    def __init__(self, file):
        self.texts = []
        self.rows = 0
        self.blocks = 0
        self.changed = threading.Condition()
        self.carrier = notebook.Carrier(file, self.take)

    def take(self, content, buffers):
        with self.changed:
            if buffers:
                kind, rows = struct.unpack("<II", buffers[0][:8])
                self.rows = rows if kind == 1 else self.rows + rows
                self.blocks += 1
            else:
                message = json.loads(content["text"])
                self.rows = message["rows"] if message["type"] == "keep" else self.rows
                self.texts.append(message)
            self.changed.notify_all()

    def last(self, kind):
        found = [text for text in self.texts if text["type"] == kind]
        return found[-1] if found else None

    def wait(self, condition):
        with self.changed:
            assert self.changed.wait_for(condition, timeout=20), self.texts[-3:]


def test_a_page_receives_the_model_and_its_run_and_edits_it(tmp_path):
    file = tmp_path / "pendulum.yaml"
    pendulum().save(file)
    page = Page(file)
    page.carrier.take({"type": "join"})
    assert page.last("hello") == {"type": "hello", "editor": True, "document": True}
    assert "hinge" in page.last("document")["text"]
    page.wait(lambda: page.rows == 101)
    assert page.last("scene")["header"]["scene"]["name"] == "pendulum"
    page.carrier.take({"type": "set", "path": "bodies.rod.mass", "value": "2", "kind": ""})
    page.carrier.take({"type": "save"})
    assert sestina.load(file).bodies[0].mass == 2
    page.carrier.take({"type": "no"})
    assert "unknown type" in page.last("error")["text"]
    page.carrier.take({"type": "join"})  # the page has been loaded again: it still edits
    assert page.last("hello")["editor"]


def test_one_of_several_pages_edits(tmp_path):
    file = tmp_path / "pendulum.yaml"
    pendulum().save(file)
    sent = []
    carrier = notebook.Carrier(file, lambda content, buffers: sent.append((content["view"], json.loads(content.get("text", "{}")))))

    def last(view, kind):
        return next(text for name, text in reversed(list(sent)) if (name, text.get("type")) == (view, kind))

    mass = {"type": "set", "path": "bodies.rod.mass", "kind": ""}
    for view in ("a", "b"):
        carrier.take({"type": "join", "view": view})
    assert (last("a", "hello")["editor"], last("b", "hello")["editor"]) == (True, False)
    carrier.take({**mass, "value": "2", "view": "a"})
    carrier.take({**mass, "value": "3", "view": "b"})
    assert "mass: 2" in last("b", "document")["text"]
    assert "edits" in last("b", "error")["text"]
    for _ in range(notebook.MOST_SILENT + 1):  # the window of a has been closed
        carrier.take({"type": "alive", "view": "b"})
    assert last("b", "hello")["editor"]
    carrier.take({**mass, "value": "3", "view": "b"})
    assert "mass: 3" in last("b", "document")["text"]
    carrier.take({"type": "alive", "view": "a"})  # it was only slow
    assert not last("a", "hello")["editor"]
    assert "mass: 3" in last("a", "document")["text"]
    carrier.take({"type": "leave", "view": "b"})
    assert last("a", "hello")["editor"]


def test_a_run_of_particles_waits_for_a_page_that_takes_nothing(tmp_path):
    file = tmp_path / "gas.yaml"
    file.write_text(GAS.replace("duration: 4", "duration: 400"))
    page = Page(file)
    page.carrier.take({"type": "join"})
    page.carrier.take({"type": "live", "speed": 1})
    page.wait(lambda: page.blocks >= notebook.MOST_WAITING)
    time.sleep(0.3)
    assert page.blocks <= notebook.MOST_WAITING + 1
    for _ in range(page.blocks):
        page.carrier.take({"type": "taken"})
    page.wait(lambda: page.blocks > notebook.MOST_WAITING + 1)
    # Another page that takes nothing does not keep it waiting for ever.
    page.carrier.take({"type": "join", "view": "lazy"})
    page.wait(lambda: page.carrier._pages["lazy"].waiting >= notebook.MOST_WAITING or page.carrier.take({"type": "taken"}))
    page.wait(lambda: "lazy" not in page.carrier._pages or page.carrier.take({"type": "taken"}))
    page.carrier.take({"type": "stop"})


def test_the_widget_needs_anywidget_and_carries_the_page(tmp_path):
    pytest.importorskip("anywidget")
    widget = sestina.studio_widget(pendulum(), path=tmp_path / "pendulum.yaml", height=300)
    assert widget.page == _core._studio_page()
    assert widget.height == 300
    sent = []
    widget.carrier._send = lambda content, buffers: sent.append(content)
    widget._handle_custom_msg({"type": "join"}, [])
    assert json.loads(sent[0]["text"])["type"] == "hello"


# The notebook's side of the widget, with a model of it that this test carries.
HARNESS = """
<div id="cell"></div>
<script type="module">
const listeners = [];
window.sent = [];
window.deliver = (content, base64) => {
  const buffers = base64 ? [new DataView(Uint8Array.from(atob(base64), (c) => c.charCodeAt(0)).buffer)] : [];
  for (const f of listeners) f(content, buffers);
};
const model = {
  get: (name) => ({ page: window.pageText, height: 500 })[name],
  send: (content) => window.sent.push(content),
  on: (_, f) => listeners.push(f),
  off: () => undefined,
};
const source = new Blob([window.script], { type: "text/javascript" });
const { default: widget } = await import(URL.createObjectURL(source));
widget.render({ model, el: document.getElementById("cell") });
</script>
"""


def test_the_page_runs_in_the_cell_of_a_notebook(tmp_path):
    playwright = pytest.importorskip("playwright.sync_api")
    chromium = shutil.which("chromium")
    if chromium is None or not _core._studio_page():
        pytest.skip("there is no chromium, or no page")
    file = tmp_path / "gas.yaml"
    file.write_text(GAS)
    messages, lock = [], threading.Lock()

    def send(content, buffers):
        with lock:
            messages.append((content, base64.b64encode(buffers[0]).decode() if buffers else None))

    carrier = notebook.Carrier(file, send)
    with playwright.sync_playwright() as running:
        browser = running.chromium.launch(
            executable_path=chromium, args=["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
        )
        page = browser.new_page()
        page.add_init_script(f"if (window === top) [window.pageText, window.script] = {json.dumps([_core._studio_page(), notebook.SCRIPT])};")
        page.route("http://notebook.test/", lambda route: route.fulfill(body=HARNESS, content_type="text/html"))
        page.goto("http://notebook.test/")

        def carry_until(expression):
            for _ in range(400):
                for content in page.evaluate("window.sent.splice(0)"):
                    carrier.take(content)
                with lock:
                    due, messages[:] = messages[:], []
                for content, data in due:
                    page.evaluate("([content, data]) => deliver(content, data)", [content, data])
                frame = page.frames[1] if len(page.frames) > 1 else None
                if frame is not None and frame.evaluate(f"Boolean(window.sestina && sestina.viewer.motion && {expression})"):
                    return frame
                page.wait_for_timeout(50)
            raise AssertionError(f"{expression} did not come true")

        frame = carry_until("sestina.viewer.motion.rows === 1")
        frame.click("#live")
        frame = carry_until("sestina.viewer.motion.rows === 9")
        assert frame.evaluate("sestina.viewer.motion.frame(8)[0]") == pytest.approx(2)  # at 0.5 m/s
        browser.close()
