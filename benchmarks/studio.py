#!/usr/bin/env python3
"""Figures of the studio: studio.py SESTINA [--only NAME]... [--seconds S]

Each prints a line: what is measured, and the figure. Those of the server need nothing but Python; those of the page need
playwright and chromium, whose pictures the processor draws (SwiftShader) where there is no graphics card.
"""

import argparse
import json
import math
import os
import pathlib
import re
import select
import shutil
import struct
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "studio"))

from server_test import Socket  # noqa: E402

FLUID = """\
sestina: 1
name: fluid
particles:
  species: [{{name: A, mass: 1}}]
  positions: {{lattice: {{type: fcc, cells: [{0}, {0}, {0}], density: 0.8442}}}}
  velocities: {{temperature: 1.44, seed: 5}}
  pairs: [{{type: lj, species: [A, A], epsilon: 1, sigma: 1, cutoff: 2.5, shift: true}}]
  trajectory: {{file: fluid.h5, every: {1}}}
analysis: {{step: {{dt: 0.004}}, duration: {2}}}
output: {{every: {1}}}
"""


def pendulums(count, joints_each, duration, every, dt=None):
    """`count` rods in chains of `joints_each`, which hang side by side in rows."""
    hooks, bodies, joints = [], [], []
    chains = -(-count // joints_each)
    side = math.ceil(math.sqrt(chains))
    for c in range(chains):
        hooks.append(f"h{c}: [{2 * (c % side)}, 0, {2 * (c // side)}]")
    for i in range(count):
        parent = f"ground.h{i // joints_each}" if i % joints_each == 0 else f"b{i - 1}.tip"
        bodies.append(f"  - {{name: b{i}, mass: 1, center_of_mass: [0, -0.5, 0], inertia: {{xx: 0.1, yy: 0.01, zz: 0.1}}, "
                      "points: {tip: [0, -1, 0]}}")
        joints.append(f"  - {{name: j{i}, type: revolute, parent: {parent}, child: b{i}.origin, axis: [0, 0, 1], q: 0.3}}")
    return "\n".join(["sestina: 1", "name: pendulums", "gravity: [0, -9.81, 0]", f"ground: {{points: {{{', '.join(hooks)}}}}}",
                      "bodies:", *bodies, "joints:", *joints,
                      f"analysis: {{integrator: rk4, step: {{driver: fixed, dt: {dt or every}}}, duration: {duration}}}",
                      f"output: {{every: {every}}}", ""])


def cpu_seconds(process):
    """Of the thread that serves, and of all others."""
    ticks = os.sysconf("SC_CLK_TCK")
    own, others = 0.0, 0.0
    for task in pathlib.Path(f"/proc/{process}/task").iterdir():
        fields = (task / "stat").read_text().rsplit(")", 1)[1].split()
        seconds = (int(fields[11]) + int(fields[12])) / ticks
        if int(task.name) == process:
            own += seconds
        else:
            others += seconds
    return own, others


class Studio:
    def __init__(self, program, file):
        self.began = time.perf_counter()
        self.process = subprocess.Popen([program, "studio", str(file), "--no-browser"], stdout=subprocess.PIPE, text=True)
        ready, _, _ = select.select([self.process.stdout], [], [], 300)
        if not ready:
            raise SystemExit("the studio tells no address")
        self.url = self.process.stdout.readline().strip()
        self.port, self.token = re.match(r"http://127\.0\.0\.1:(\d+)/\?token=([0-9a-f]+)$", self.url).groups()

    def connect(self):
        return Socket(int(self.port), self.token)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
        self.process.stdout.close()


def watch_live(program, file, seconds):
    """Rows and bytes a second that a window receives of a live run, and the shares of a core."""
    with Studio(program, file) as studio:
        window = studio.connect()
        window.wait_for("document")
        window.send(json.dumps({"type": "live", "speed": 1}))
        while not (status := window.wait_for("status"))["live"]:
            pass
        if status["failed"]:
            raise SystemExit(status["text"])
        before, start, rows, size, messages = cpu_seconds(studio.process.pid), time.perf_counter(), 0, 0, 0
        while time.perf_counter() - start < seconds:
            message = window.receive()
            if isinstance(message, bytes):
                kind, count = struct.unpack("<II", message[:8])
                rows += count if kind == 2 else 0
                messages += kind == 2
                size += len(message)
        wall = time.perf_counter() - start
        after = cpu_seconds(studio.process.pid)
        shares = [100 * (b - a) / wall for a, b in zip(before, after)]
        window.close()
    return (f"{rows / wall:.1f} rows/s in {messages / wall:.1f} messages/s, {size / wall / 1e6:.2f} MB/s; "
            f"server {shares[0]:.1f} % of a core, run {shares[1]:.0f} %")


def live_bodies(program, folder, seconds):
    for joints_each in (4, 100):
        file = folder / f"bodies{joints_each}.yaml"
        file.write_text(pendulums(100, joints_each, 0.1, 0.01, dt=1 / 960))
        print(f"live, 100 bodies in chains of {joints_each}: {watch_live(program, file, seconds)}")


def live_particles(program, folder, seconds):
    for cells in (6, 30):
        file = folder / f"fluid{cells}.yaml"
        file.write_text(FLUID.format(cells, 0.008, 1000))
        print(f"live, {4 * cells**3} particles: {watch_live(program, file, seconds)}")


def open_page(browser, url, wait_for="sestina.viewer.motion"):
    page = browser.new_page(viewport={"width": 1280, "height": 720})
    page.goto(url)
    while not page.evaluate(f"Boolean({wait_for})"):
        page.wait_for_timeout(20)
    return page


# The median time of a seek: all that follows in the page, and the picture, which reading a pixel waits for.
SEEK = """() => {
  const {viewer} = sestina, {player} = viewer, gl = document.getElementById("canvas").getContext("webgl2")
    || document.getElementById("canvas").getContext("webgl");
  const length = player.end - player.start, pixel = new Uint8Array(4), all = [], own = [];
  return new Promise((done) => {
    const seek = (i) => {
      if (i === 15) return done([own, all].map((list) => list.sort((a, b) => a - b)[7]));
      requestAnimationFrame(() => {
        const start = performance.now();
        player.seek(player.start + length * ((i * 7 + 3) % 15) / 15);
        own.push(performance.now() - start);
        requestAnimationFrame(() => {
          gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
          all.push(performance.now() - start);
          seek(i + 1);
        });
      });
    };
    seek(0);
  });
}"""


def browse(run):
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        arguments = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=arguments)
        try:
            run(browser)
        finally:
            browser.close()


def first_paint(program, folder, _seconds):
    def run(browser):
        times = []
        for _ in range(5):
            with Studio(program, ROOT / "examples" / "01_double_pendulum.yaml") as studio:
                page = open_page(browser, studio.url)
                while page.evaluate("performance.getEntriesByType('paint').length") == 0:
                    page.wait_for_timeout(50)
                times.append(page.evaluate("performance.getEntriesByType('paint')[0].startTime"))
                page.close()
        print(f"first paint of the page, five times: {', '.join(f'{t:.0f}' for t in times)} ms")

    browse(run)


def seek_bodies(program, folder, _seconds):
    file, result = folder / "many.yaml", folder / "many.h5"
    file.write_text(pendulums(1000, 4, 10, 0.001))
    subprocess.run([program, "run", file, "--out", result, "--quiet"], check=True)

    def run(browser):
        with Studio(program, result) as studio:
            page = open_page(browser, studio.url)
            loaded = time.perf_counter() - studio.began
            rows, columns = page.evaluate("[sestina.viewer.motion.rows, sestina.viewer.motion.columns.length]")
            own, drawn = page.evaluate(SEEK)
            print(f"1000 bodies, 10001 rows of {columns} columns ({result.stat().st_size / 1e6:.0f} MB): {rows} rows shown after "
                  f"{loaded:.1f} s; a seek takes {own:.1f} ms, with its picture {drawn:.0f} ms")
            page.close()

    browse(run)


def replay_particles(program, folder, _seconds):
    file = folder / "million.yaml"
    file.write_text(FLUID.format(63, 0.004, 0.02))
    subprocess.run([program, "run", file, "--quiet"], check=True)

    def run(browser):
        with Studio(program, file) as studio:
            page = open_page(browser, studio.url)
            loaded = time.perf_counter() - studio.began
            frames = page.evaluate("sestina.viewer.motion.frames")
            own, drawn = page.evaluate(SEEK)
            print(f"replay, {4 * 63**3} particles: {frames} frames shown after {loaded:.1f} s; a seek takes {own:.0f} ms, "
                  f"with its picture {drawn:.0f} ms")
            page.close()

    browse(run)


def live_page(program, folder, seconds):
    file = folder / "live.yaml"
    file.write_text(FLUID.format(30, 0.008, 1000))

    def run(browser):
        with Studio(program, file) as studio:
            page = open_page(browser, studio.url)
            page.click("#live")
            while not page.evaluate("sestina.viewer.motion.rows > 2"):
                page.wait_for_timeout(50)
            count = """(ms) => new Promise((done) => {
              const seen = new Set(), end = performance.now() + ms;
              const look = () => {
                seen.add(sestina.viewer.player.now);
                if (performance.now() < end) requestAnimationFrame(look); else done(seen.size);
              };
              look();
            })"""
            shown = page.evaluate(count, 1000 * seconds)
            print(f"live in the page, {4 * 30**3} particles: {shown / seconds:.1f} instants a second shown")
            page.close()

    browse(run)


FIGURES = {f.__name__: f for f in (live_bodies, live_particles, live_page, first_paint, seek_bodies, replay_particles)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--only", action="append", choices=list(FIGURES), metavar="NAME", help=f"of {', '.join(FIGURES)}")
    parser.add_argument("--seconds", type=float, default=5.0, help="of each live run")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="sestina-figures-") as folder:
        for name in given.only or FIGURES:
            FIGURES[name](given.program, pathlib.Path(folder), given.seconds)
            sys.stdout.flush()


if __name__ == "__main__":
    main()
