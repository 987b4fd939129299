#!/usr/bin/env python3
"""Does what docs/tutorials/adding_a_joint.md and adding_an_integration_rule.md say, word for word, to a copy of the
sources, builds the program and runs the pages' models.

  adding_parts_test.py FOLDER CXX [CMAKE_ARGUMENT...]    the copy and its build are in FOLDER
  adding_parts_test.py FOLDER                            only edits the copy
"""

import csv
import math
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
JOINT = ROOT / "docs" / "tutorials" / "adding_a_joint.md"
RULE = ROOT / "docs" / "tutorials" / "adding_an_integration_rule.md"
COPIED = ["CMakeLists.txt", "cmake", "src", "apps/cli", "apps/studio", "share", "LICENSE", "README.md", "CHANGELOG.md"]
# Where the new files of the pages stand.
NEW_FILES = {
    "gondola.h": "src/sestina/joints",
    "symplectic_euler.h": "src/sestina/integrate",
    "symplectic_euler.cpp": "src/sestina/integrate",
}

PENDULUM = """
sestina: 1
gravity: [0, 0, -9.81]
bodies:
  - {name: bob, type: particle, mass: 3, points: {pivot: [0, 0, 5]}}
joints:
  - {name: wheel, type: revolute, parent: ground.origin, child: bob.pivot, axis: [0, -1, 0], q: 0.628}
analysis: {duration: 5}
"""


def blocks(page, language):
    """(title, text) of the page's blocks of code that have a title."""
    return re.findall(rf'^```{language} title="([^"]+)"\n(.*?)^```$', page.read_text(), re.S | re.M)


def commands(page):
    """The commands of the page's block of shell that begins with `sestina run`."""
    block = re.search(r"^```bash\n(sestina run .*?)^```$", page.read_text(), re.S | re.M).group(1)
    return [shlex.split(command)[1:] for command in block.splitlines()]


def write_if_new(path, text):
    """So that a second run builds only what has changed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def apply(diff, text, name):
    lines = diff.splitlines()
    before = "".join(line[1:] + "\n" for line in lines if line[:1] in " -")
    after = "".join(line[1:] + "\n" for line in lines if line[:1] in " +")
    assert text.count(before) == 1, f"{name}: the lines of the page stand {text.count(before)} times in the file:\n{before}"
    return text.replace(before, after)


def copy_sources(copy):
    diffs = blocks(JOINT, "diff") + blocks(RULE, "diff")
    new = dict(blocks(JOINT, "cpp") + blocks(RULE, "cpp"))
    assert len(diffs) == 9 and set(new) == set(NEW_FILES), (len(diffs), sorted(new))
    changed = {name: (ROOT / name).read_text() for name, _ in diffs}
    for name, diff in diffs:
        changed[name] = apply(diff, changed[name], name)
    wanted = set()
    for top in COPIED:
        source = ROOT / top
        files = [source] if source.is_file() else [file for file in source.rglob("*") if file.is_file()]
        for file in files:
            name = file.relative_to(ROOT).as_posix()
            wanted.add(name)
            if name in changed:
                write_if_new(copy / name, changed.pop(name))
            elif not (copy / name).exists() or (copy / name).read_bytes() != file.read_bytes():
                (copy / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(file, copy / name)
    assert not changed, f"the pages change what is not copied: {sorted(changed)}"
    for title, text in new.items():
        name = f"{NEW_FILES[title]}/{title}"
        wanted.add(name)
        write_if_new(copy / name, text)
    for file in [file for file in copy.rglob("*") if file.is_file()]:
        if file.relative_to(copy).as_posix() not in wanted:
            file.unlink()


def build(copy, folder, compiler, arguments):
    jobs = os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL", str(os.cpu_count()))
    options = ["-G", "Ninja", f"-DCMAKE_CXX_COMPILER={compiler}", "-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_CXX_FLAGS_DEBUG=-O0",
               "-DSESTINA_TESTS=OFF", "-DSESTINA_MPI=OFF", "-DSESTINA_PRECOMPILE=ON", "-DSESTINA_UNITY=0", *arguments]
    subprocess.run(["cmake", "-S", copy, "-B", folder, *options], check=True, stdout=subprocess.DEVNULL)
    built = subprocess.run(["cmake", "--build", folder, "--target", "sestina", "-j", jobs], capture_output=True, text=True)
    assert built.returncode == 0, "\n".join(line for line in built.stdout.splitlines() if "error" in line or "FAILED" in line)
    return folder / "apps/cli/sestina"


def last_row(file):
    rows = list(csv.reader(line for line in file.read_text().splitlines() if not line.startswith("#")))
    return dict(zip(rows[0], map(float, rows[-1])))


def run(program, work, *arguments, status=0):
    result = subprocess.run([program, *arguments], cwd=work, capture_output=True, text=True)
    assert result.returncode == status, f"{arguments}: {result.returncode}\n{result.stdout}{result.stderr}"
    return result.stdout + result.stderr


def check_joint(program, work):
    (work / "ferris.yaml").write_text(dict(blocks(JOINT, "yaml"))["ferris.yaml"])
    (work / "pendulum.yaml").write_text(PENDULUM)
    said = [run(program, work, *command) for command in commands(JOINT)]
    run(program, work, "run", "pendulum.yaml", "--out", "pendulum.csv")
    cabin, bob = last_row(work / "ferris.csv"), last_row(work / "pendulum.csv")
    assert abs(cabin["t"] - 5) < 1e-12
    # A cabin that keeps its orientation swings like a mass on a rod of 5 m.
    for column in ("wheel.q", "wheel.u"):
        assert abs(cabin[column] - bob[column]) < 1e-6, (column, cabin[column], bob[column])
    assert "does not apply: wheel: the compiled solver does not support gondola joints" in said[1], said[1]
    for name in ("recursive", "kane", "divide_and_conquer", "hybrid"):
        assert re.search(rf"^{name} +\S*e-1\d", said[1], re.M) or re.search(rf"^{name} +0\.0e\+00", said[1], re.M), said[1]

    # Its own number is checked, and parts that do not support the joint report this.
    negative = run(program, work, "run", "ferris.yaml", "--set", "joints.wheel.radius=-5", status=2)
    assert "joints[0].radius: -5 is negative" in negative, negative
    zero = run(program, work, "run", "ferris.yaml", "--set", "joints.wheel.radius=0", status=2)
    assert "radius: 0 is not positive" in zero, zero
    refused = run(program, work, "run", "ferris.yaml", "--set", "analysis.solver=compiled", status=2)
    assert "does not support gondola joints" in refused, refused
    refused = run(program, work, "run", "ferris.yaml", "--set", "analysis={coordinates: state_time, duration: 5}", status=2)
    assert "gondola" in refused, refused
    refused = run(program, work, "derive", "ferris.yaml", status=2)
    assert "do not support gondola joints" in refused, refused


def check_rule(program, work):
    (work / "swing.yaml").write_text(dict(blocks(RULE, "yaml"))["swing.yaml"])
    for command in commands(RULE):
        run(program, work, *command)

    def angle(rule, dt):
        step = f"analysis.step={{driver: fixed, dt: {dt}}}"
        run(program, work, "run", "swing.yaml", "--out", "angle.csv", "--set", f"analysis.integrator={rule}", "--set", step)
        return last_row(work / "angle.csv")["hinge.q"]

    exact = angle("dormand_prince_54", 1e-3)
    for name, tolerance in (("variable", 1e-6), ("fixed", 1e-2)):
        end = last_row(work / f"{name}.csv")
        assert abs(end["t"] - 5) < 1e-12 and 0 < abs(end["hinge.q"] - exact) < tolerance, (name, end["hinge.q"], exact)
    for rule, order, dt in (("bogacki_shampine_32", 3, 0.01), ("symplectic_euler", 1, 1e-3)):
        errors = [abs(angle(rule, h) - exact) for h in (dt, dt / 2)]
        observed = math.log2(errors[0] / errors[1])
        assert abs(observed - order) < 0.1, (rule, observed)
    refused = run(program, work, "run", "swing.yaml", "--set", "analysis.integrator=symplectic_euler", status=2)
    assert "symplectic_euler" in refused and "bogacki_shampine_32" in refused, refused
    # In the lanes of a sweep, which only rules given by a tableau take.
    sweep = ["sweep", "swing.yaml", "--vary", "bodies.rod.mass=1:2:3", "--set", "analysis.integrator=bogacki_shampine_32"]
    said = run(program, work, *sweep, "--out", "swing.h5")
    assert re.search(r"^lanes +3 runs in", said, re.M), said


def main():
    folder = pathlib.Path(sys.argv[1]).resolve()
    copy_sources(folder / "source")
    if len(sys.argv) == 2:
        return 0
    program = build(folder / "source", folder / "build", sys.argv[2], sys.argv[3:])
    work = folder / "work"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir()
    check_joint(program, work)
    check_rule(program, work)
    return 0


if __name__ == "__main__":
    sys.exit(main())
