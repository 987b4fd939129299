"""Motions as pages, and the studio beside a program."""

from __future__ import annotations

import importlib.util
import json
import math
import pathlib
import queue
import re
import sys
import urllib.error
import urllib.request

import numpy as np
import pytest
import sestina
from sestina import _core


def pendulum():
    system = sestina.System(name="a & b", gravity=(0, 0, -9.81))
    rod = system.add_rigid_body("rod", 1.0, center_of_mass=(0, 0, -0.5), inertia={"xx": "1/12", "yy": "1/12"})
    system.add_joint("hinge", "revolute", system.ground["origin"], rod["origin"], axis=(0, 1, 0), q=1.0)
    return system


def header_of(page):
    text = re.search(r'id="sestina-header">(.*?)</script>', page.text, re.DOTALL).group(1)
    return json.loads(text)


@pytest.fixture(autouse=True)
def needs_the_page():
    try:
        pendulum().show()
    except sestina.InputError as error:
        pytest.skip(str(error))


def test_a_result_has_a_frame_for_each_row(tmp_path):
    result = sestina.simulate(pendulum(), duration=1, every=0.1)
    page = result.show(path=tmp_path / "motion.html", height=300)
    header = header_of(page)
    assert header["frames"] == header["rows"] == len(result)
    assert [column["name"] for column in header["columns"]] == result.columns
    assert [joint["name"] for joint in header["scene"]["joints"]] == ["hinge"]
    assert (tmp_path / "motion.html").read_text() == page.text
    frame = page._repr_html_()
    assert 'sandbox="allow-scripts' in frame
    assert "height: 300px" in frame
    assert "<script" not in frame  # all of it is in the attribute


def test_a_second_result_is_shown_beside_the_first():
    first = sestina.simulate(pendulum(), duration=1, every=0.1)
    second = sestina.simulate(pendulum(), duration=2, every=0.1)
    text = first.show(ghost=second).text
    message = json.loads(re.search(r'id="sestina-ghost-header">(.*?)</script>', text, re.DOTALL)[1])
    assert message["type"] == "ghost"
    assert message["header"]["rows"] == len(second)
    assert "sestina-ghost-header" not in re.sub(r"<script>.*", "", first.show().text, flags=re.DOTALL)


def test_a_description_is_shown_where_it_begins():
    header = header_of(pendulum().show())
    assert (header["frames"], header["columns"]) == (1, [])
    assert header["scene"]["name"] == "a & b"
    assert header_of(sestina.show(pendulum().freeze()))["frames"] == 1


def test_rows_are_left_out_of_large_results():
    result = sestina.simulate(pendulum(), duration=10, every=0.001)
    header = header_of(result.show(max_size=0.5))
    assert header["stride"] > 1
    assert header["rows"] < len(result)


@pytest.mark.skipif(not hasattr(_core, "_StudioServer"), reason="built without the studio")
def test_a_studio_serves_the_description_to_who_knows_its_address(tmp_path):
    running = sestina.studio(pendulum(), path=tmp_path / "pendulum.yaml", open_browser=False)
    try:
        with urllib.request.urlopen(running.url) as answer:
            assert b"<!DOCTYPE html>" in answer.read(100)
        with pytest.raises(urllib.error.HTTPError, match="403"):
            urllib.request.urlopen(running.url.partition("?")[0])
        assert running.system.bodies[0].name == "rod"
    finally:
        running.stop()
    with pytest.raises(urllib.error.URLError):
        urllib.request.urlopen(running.url)
    with pytest.raises(sestina.InputError, match="has a file already"):
        sestina.studio(running.file, path=tmp_path / "other.yaml")


def socket_of(url):
    """A WebSocket to a studio, by the class of the tests of its server."""
    place = pathlib.Path(__file__).parents[2] / "tests/studio/server_test.py"
    module = importlib.util.module_from_spec(importlib.util.spec_from_file_location("server_test", place))
    module.__spec__.loader.exec_module(module)
    port, token = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/\?token=(\w+)", url).groups()
    return module.Socket(int(port), token)


@pytest.mark.skipif(not hasattr(_core, "_StudioServer"), reason="built without the studio")
def test_a_studio_calls_the_program_back(tmp_path):
    running = sestina.studio(pendulum(), path=tmp_path / "pendulum.yaml", open_browser=False)
    heard = queue.Queue()
    try:
        running.on_select(lambda name: heard.put(("selected", name)))
        running.add_button("shorten", lambda: running.set("bodies.rod.mass", 0.5))
        running.add_slider("gain", lambda value: heard.put(("gain", value)), lower=-1, upper=2)
        client = socket_of(running.url)
        while [one["name"] for one in client.wait_for("controls")["list"]] != ["shorten", "gain"]:
            pass
        client.send('{"type": "select", "body": "rod"}')
        client.send('{"type": "select"}')
        client.send('{"type": "control", "name": "gain", "value": 1.5}')
        assert [heard.get(timeout=20) for _ in range(3)] == [("selected", "rod"), ("selected", None), ("gain", 1.5)]
        client.send('{"type": "control", "name": "shorten"}')
        while "mass: 0.5" not in client.wait_for("document")["text"]:
            pass
        with pytest.raises(sestina.InputError, match="none"):
            running.set("bodies.none.mass", 1)
        with pytest.raises(sestina.InputError, match="not between"):
            running.add_slider("wide", print, lower=1, upper=0)
        with pytest.raises(sestina.InputError, match="two numbers"):
            running.add_slider("endless", print, upper=math.inf)
        running.set("gravity", np.array([0, 0, -np.int64(2)]))
        while "gravity: [0, 0, -2]" not in client.wait_for("document")["text"]:
            pass
        # Callbacks go on after one that wants to end the program, and a window that watches sees what is moved.
        running.add_button("end", lambda: sys.exit(1))
        watcher = socket_of(running.url)
        while len(watcher.wait_for("controls")["list"]) < 3:
            pass
        client.send('{"type": "control", "name": "end"}')
        client.send('{"type": "control", "name": "gain", "value": 2}')
        assert heard.get(timeout=20) == ("gain", 2)
        while watcher.wait_for("controls")["list"][1]["value"] != 2:
            pass
    finally:
        running.stop()
    with pytest.raises((ConnectionError, EOFError)):  # the window knows that it has ended
        while True:
            client.receive()
    with pytest.raises(sestina.InputError, match="has ended"):
        running.set("bodies.rod.mass", 1)
    with pytest.raises(sestina.InputError, match="65535"):
        sestina.studio(running.file, port=70000, open_browser=False)
