"""Everything that the command line does can be done from Python."""

from __future__ import annotations

import inspect
import pathlib
import re

import numpy as np
import pytest
import sestina

COMMANDS = pathlib.Path(__file__).resolve().parents[2] / "apps/cli"

# For each command its options: what does the same, as a function and its parameter, or why nothing has to.
ROBOT = {
    "--floating-base": (sestina.load_urdf, "floating_base"),
    "--mimic": (sestina.load_urdf, "mimic"),
    "--mimic-frequency": (sestina.load_urdf, "mimic_frequency"),
    "--shapes": (sestina.load_urdf, "shapes"),
}
SAME = {
    "run": {
        "MODEL": (sestina.load, "path"),
        "--set": (sestina.load, "set"),
        **ROBOT,
        "--out": (sestina.simulate, "out"),
        "--reactions": (sestina.simulate, "reactions"),
        "--threads": (sestina.simulate, "threads"),
        "--checkpoint": (sestina.simulate, "checkpoint"),
        "--every-wall": (sestina.simulate, "every_wall"),
        "--trace": (sestina.simulate, "trace"),
        "--real-time": (sestina.simulate, "real_time"),
        "--max-steps": (sestina.simulate, "max_steps"),
        "--max-wall": (sestina.simulate, "max_wall"),
        "--quiet": "nothing is printed",
    },
    "resume": {
        "CHECKPOINT": (sestina.resume, "checkpoint"),
        "--out": (sestina.resume, "out"),
        "--threads": (sestina.resume, "threads"),
        "--every-wall": (sestina.resume, "every_wall"),
        "--trace": (sestina.resume, "trace"),
        "--real-time": (sestina.resume, "real_time"),
        "--max-steps": (sestina.resume, "max_steps"),
        "--max-wall": (sestina.resume, "max_wall"),
        "--quiet": "nothing is printed",
    },
    "compare": {
        "MODEL": (sestina.load, "path"),
        "--set": (sestina.load, "set"),
        **ROBOT,
        "--states": (sestina.compare, "states"),
        "--trajectory": (sestina.compare, "trajectory"),
    },
    "sweep": {
        "MODEL": (sestina.load, "path"),
        "--set": (sestina.load, "set"),
        **ROBOT,
        "--vary": (sestina.sweep, "vary"),
        "--out": (sestina.sweep, "out"),
        "--record": (sestina.sweep, "record"),
        "--reactions": (sestina.sweep, "reactions"),
        "--threads": (sestina.sweep, "threads"),
        "--lanes": (sestina.sweep, "lanes"),
        "--resume": (sestina.sweep, "resume"),
        "--max-steps": (sestina.sweep, "max_steps"),
        "--max-wall": (sestina.sweep, "max_wall"),
        "--quiet": "nothing is printed",
    },
    "derive": {
        "MODEL": (sestina.load, "path"),
        "--set": (sestina.load, "set"),
        **ROBOT,
        "--format": (sestina.Equations.to_text, "format"),
        "--lagrange": (sestina.derive, "method"),
        "--linearize": "Equations.linearize",
        "--equilibrium": (sestina.Equations.linearize, "equilibrium"),
        "--simplify": (sestina.Equations.to_text, "simplify"),
        "--document": (sestina.Equations.to_text, "document"),
        "--width": (sestina.Equations.to_text, "width"),
        "--embedded": (sestina.Equations.to_text, "embedded"),
    },
    "info": {"MODEL": (sestina.load, "path"), "--set": (sestina.load, "set"), **ROBOT},
    "plot": {
        "RESULT": (sestina.read_result, "path"),
        "COLUMN": (sestina.Result.plot, "columns"),
        "--out": (sestina.Result.plot, "path"),
        "--x": (sestina.Result.plot, "x"),
        "--log": "a matplotlib axis takes a scale",
        "--title": "a matplotlib figure takes one",
        "--width": "a matplotlib figure takes one",
        "--height": "a matplotlib figure takes one",
    },
    "structure": {
        "MODEL": (sestina.load_particles, "file"),
        "--set": (sestina.load_particles, "set"),
        "--out": "on the command line alone",
        "--trajectory": "on the command line alone",
        "--from": "on the command line alone",
        "--to": "on the command line alone",
        "--every": "on the command line alone",
        "--reach": "on the command line alone",
    },
    "convert": {
        "ROBOT": (sestina.load_urdf, "path"),
        "--out": (sestina.System.save, "path"),
        **ROBOT,
    },
    "view": {
        "RESULT": (sestina.read_result, "path"),
        "--model": (sestina.load, "path"),
        "--set": (sestina.load, "set"),
        "--reactions": (sestina.simulate, "reactions"),
        "--out": (sestina.Result.show, "path"),
        "--ghost": (sestina.Result.show, "ghost"),
        "--max-size": (sestina.Result.show, "max_size"),
    },
    "render": {
        "RESULT": (sestina.read_result, "path"),
        "--model": (sestina.load, "path"),
        "--set": (sestina.load, "set"),
        "--reactions": (sestina.simulate, "reactions"),
        "--out": (sestina.Result.animate, "path"),
        "--time": (sestina.Result.draw, "t"),
        "--mode": "a page of Result.show chooses the mode",
        "--width": "a matplotlib figure takes one",
        "--height": "a matplotlib figure takes one",
        "--fps": (sestina.Result.animate, "fps"),
        "--speed": (sestina.Result.animate, "speed"),
        "--dark": "matplotlib has styles",
    },
    "studio": {
        "FILE": (sestina.studio, "what"),
        "--model": "the studio of Python edits models",
        "--set": (sestina.load, "set"),
        "--ghost": "the studio of Python edits models",
        "--port": (sestina.studio, "port"),
        "--no-browser": (sestina.studio, "open_browser"),
    },
    "schema": {},
}


def options_in(text: str) -> set[str]:
    """`-o,--out` counts as `--out`."""
    return {name.split(",")[-1] for name in re.findall(r'add_(?:option|flag)(?:_function<[\w:]+>|_callback)?\(\s*"([^"]+)"', text)}


SHARED = ("simulate", "model_options", "robot_options", "replay_options")


def commands() -> dict[str, set[str]]:
    found = {}
    shared = {name: options_in((COMMANDS / f"{name}.cpp").read_text()) for name in SHARED}
    for path in sorted(COMMANDS.glob("*.cpp")):
        text = path.read_text()
        for name in re.findall(r'add_subcommand\("([^"]+)"', text):
            found[name] = options_in(text)
            if "ModelOptions" in text and "add_to(" in text:
                found[name] |= shared["model_options"] | shared["robot_options"]
            if "robot.add_to(" in text:
                found[name] |= shared["robot_options"]
            if "replay.add_to" in text:
                found[name] |= shared["replay_options"] | {"--set"}
            if "model.add_set_to(" in text:
                found[name].add("--set")
            if "SimulateOptions" in text:
                found[name] |= shared["simulate"]
            if "LimitOptions" in text:
                found[name] |= {"--max-steps", "--max-wall"} & shared["simulate"]
    return found


def test_each_option_has_its_like():
    found = commands()
    assert len(found) >= 9 and "--set" in found["run"] and "--out" in found["run"]
    assert set(found) == set(SAME)
    for command, options in found.items():
        assert options == set(SAME[command]), command


def test_what_does_the_same_is_there():
    for options in SAME.values():
        for what in options.values():
            if isinstance(what, str):
                continue
            function, parameter = what
            try:
                names = set(inspect.signature(function).parameters)
            except ValueError:  # of the compiled part: the signature is in the docstring
                names = set(re.findall(r"(\w+)(?=[:=,)])", function.__doc__.split("->")[0]))
            assert parameter in names, (function, parameter)


def test_the_trajectories_of_all_solvers_agree(pendulum):
    pendulum.analysis.duration = 0.5
    told = sestina.compare(pendulum, states=5, trajectory=True)
    assert told["agrees"] and set(told["trajectories"]) == set(sestina.solver_names())
    assert max(told["trajectories"].values()) < 1e-6


def test_a_sweep_is_drawn(pendulum, tmp_path):
    pendulum.analysis.duration = 0.1
    swept = sestina.sweep(pendulum, {"parameters.l": [0.5, 1.0], "parameters.m1": [1.0, 2.0]}, out=tmp_path / "sweep.h5")
    swept.draw(tmp_path / "sweep.svg", "hinge.q")
    assert "hinge.q" in (tmp_path / "sweep.svg").read_text()
    with pytest.raises(sestina.InputError, match="no file"):
        sestina.sweep(pendulum, {"parameters.l": np.array([0.5])}).draw(tmp_path / "sweep.svg")
