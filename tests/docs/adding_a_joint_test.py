#!/usr/bin/env python3
"""Does what docs/tutorials/adding_a_joint.md says, word for word, to a copy of the sources, builds the program and runs
the page's model.

  adding_a_joint_test.py FOLDER CXX [CMAKE_ARGUMENT...]    the copy and its build stand in FOLDER
"""

import csv
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "tutorials" / "adding_a_joint.md"
COPIED = ["CMakeLists.txt", "cmake", "src", "apps/cli", "share", "LICENSE", "README.md", "CHANGELOG.md"]

PENDULUM = """
sestina: 1
gravity: [0, 0, -9.81]
bodies:
  - {name: bob, type: particle, mass: 3, points: {pivot: [0, 0, 5]}}
joints:
  - {name: wheel, type: revolute, parent: ground.origin, child: bob.pivot, axis: [0, -1, 0], q: 0.628}
analysis: {duration: 5}
"""


def blocks(language):
    """{title: text} of the page's blocks of code that have a title."""
    return dict(re.findall(rf'^```{language} title="([^"]+)"\n(.*?)^```$', PAGE.read_text(), re.S | re.M))


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
    changed = {f"{name}": diff for name, diff in blocks("diff").items()}
    assert len(changed) == 3, sorted(changed)
    header = blocks("cpp")["gondola.h"]
    wanted = set()
    for top in COPIED:
        source = ROOT / top
        files = [source] if source.is_file() else [file for file in source.rglob("*") if file.is_file()]
        for file in files:
            name = file.relative_to(ROOT).as_posix()
            wanted.add(name)
            if name in changed:
                write_if_new(copy / name, apply(changed.pop(name), file.read_text(), name))
            elif not (copy / name).exists() or (copy / name).read_bytes() != file.read_bytes():
                (copy / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(file, copy / name)
    assert not changed, f"the page changes what is not there: {sorted(changed)}"
    wanted.add("src/sestina/joints/gondola.h")
    write_if_new(copy / "src/sestina/joints/gondola.h", header)
    for file in [file for file in copy.rglob("*") if file.is_file()]:
        if file.relative_to(copy).as_posix() not in wanted:
            file.unlink()


def build(copy, folder, compiler, arguments):
    jobs = os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL", str(os.cpu_count()))
    options = ["-G", "Ninja", f"-DCMAKE_CXX_COMPILER={compiler}", "-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_CXX_FLAGS_DEBUG=-O0",
               "-DSESTINA_TESTS=OFF", "-DSESTINA_MPI=OFF", *arguments]
    subprocess.run(["cmake", "-S", copy, "-B", folder, *options], check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", folder, "--target", "sestina", "-j", jobs], check=True, stdout=subprocess.DEVNULL)
    return folder / "apps/cli/sestina"


def last_row(file):
    rows = list(csv.reader(line for line in file.read_text().splitlines() if not line.startswith("#")))
    return dict(zip(rows[0], map(float, rows[-1])))


def main():
    folder = pathlib.Path(sys.argv[1]).resolve()
    copy_sources(folder / "source")
    program = build(folder / "source", folder / "build", sys.argv[2], sys.argv[3:])
    work = folder / "work"
    work.mkdir(exist_ok=True)
    model = blocks("yaml")["ferris.yaml"]
    (work / "ferris.yaml").write_text(model)
    (work / "pendulum.yaml").write_text(PENDULUM)

    def run(*arguments, status=0):
        result = subprocess.run([program, *arguments], cwd=work, capture_output=True, text=True)
        assert result.returncode == status, f"{arguments}: {result.returncode}\n{result.stdout}{result.stderr}"
        return result.stdout + result.stderr

    commands = re.search(r"^```bash\n(sestina run ferris.*?)^```$", PAGE.read_text(), re.S | re.M).group(1)
    said = [run(*command.split()[1:]) for command in commands.splitlines()]
    run("run", "pendulum.yaml", "--out", "pendulum.csv")
    cabin, bob = last_row(work / "ferris.csv"), last_row(work / "pendulum.csv")
    assert abs(cabin["t"] - 5) < 1e-12
    # A cabin that keeps its orientation swings like a mass on a rod of 5 m.
    for column in ("wheel.q", "wheel.u"):
        assert abs(cabin[column] - bob[column]) < 1e-6, (column, cabin[column], bob[column])
    assert "does not apply: wheel: the compiled solver does not know gondola joints" in said[1], said[1]
    for name in ("recursive", "kane", "divide_and_conquer", "hybrid"):
        assert re.search(rf"^{name} +\S*e-1\d", said[1], re.M) or re.search(rf"^{name} +0\.0e\+00", said[1], re.M), said[1]

    # The number of its own is checked, and the parts that do not know the joint say so.
    assert "joints[0].radius: -5 is negative" in run("run", "ferris.yaml", "--set", "joints.wheel.radius=-5", status=2)
    assert "radius: 0 is not positive" in run("run", "ferris.yaml", "--set", "joints.wheel.radius=0", status=2)
    refused = run("run", "ferris.yaml", "--set", "analysis.solver=compiled", status=2)
    assert "does not know gondola joints" in refused, refused
    refused = run("run", "ferris.yaml", "--set", "analysis={coordinates: state_time, duration: 5}", status=2)
    assert "gondola" in refused, refused
    refused = run("derive", "ferris.yaml", status=2)
    assert "do not know gondola joints" in refused, refused
    return 0


if __name__ == "__main__":
    sys.exit(main())
