#!/usr/bin/env python3
"""docs/columns.md names every column that results have, with its unit, and none that they have not:
columns_test.py SESTINA
"""

import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
# Between them these have every joint and constraint, a loop, events, a discrete variable, a contact, a beam, a cable,
# a belt, a reduced body, a state and an actuator.
EXAMPLES = ["07_every_joint_and_force", "12_bouncing_pendulum", "16_four_bar", "19_every_constraint",
            "21_bowling_ball", "22_spin_up", "23_stick_slip", "24_hydraulic_boom",
            "25_sloshing_tank", "27_flexible_slider_crank", "28_whip", "29_belt_drive"]
# What no example has: a joint with dry friction and a limit that holds.
STOPPED_SLIDER = """sestina: 1
bodies: [{name: block, mass: 2, inertia: {xx: 0.1, yy: 0.1, zz: 0.1}}]
joints:
  - {name: slider, type: prismatic, parent: ground.origin, child: block.origin, axis: [0, 0, 1],
     limits: {lower: 0, enforced: true}}
forces: [{name: guide, type: coordinate_friction, joint: slider, friction: 0.5}]
analysis: {duration: 0.01, integrator: {name: moreau}, step: {dt: 1e-3}}
"""
# What no example has: a beam whose section is a shape, and a force along it on a point that slides.
SLIDING_BEAD = """sestina: 1
bodies:
  - {name: rail, type: beam, centerline: {from: [0, 0, 0], to: [1, 0, 0]}, elements: 2, section: {circle: 0.02},
     material: {E: 2.1e11, nu: 0.3, density: 7850}}
  - {name: bead, type: particle, mass: 1}
joints:
  - {name: clamp, type: weld, parent: ground.origin, child: rail.start}
  - {name: place, type: xyz, parent: ground.origin, child: bead.origin, q: [0.5, 0, 0]}
constraints: [{name: slide, type: point_on_beam, point: bead.origin, beam: rail}]
forces: [{name: rub, type: sliding_force, constraint: slide, damping: 1}]
analysis: {duration: 0.01}
"""
# The reduced body of the examples has no stresses in its file (python/tests/test_reducing.py has one with them).
OPTIONAL = {"REDUCED.stress.mises", "REDUCED.stress.node"}
NAME = "[A-Za-z_][A-Za-z0-9_]*"


def read_page():
    """The units of each column, by a pattern of its names."""
    columns = {}
    for line in (ROOT / "docs/columns.md").read_text().splitlines():
        row = re.match(r"\| `([^`]+)` \| ([^|]+) \|", line)
        if not row:
            continue
        if row.group(1) in OPTIONAL:
            continue
        pattern = re.escape(row.group(1))
        pattern = re.sub("BODY|BEAM|REDUCED|INTERFACE|POINT|JOINT|CONSTRAINT|CONTACT|VARIABLE|STATE|ACTUATOR|FRICTION|FORCE", NAME, pattern)
        pattern = pattern.replace("bristle_k", r"bristle_\d+")
        pattern = pattern.replace("COORDINATE", "(?:first|third)")  # of example 25: NAME would be any column
        pattern = re.sub(r"\\\[[ik]\\\]", r"\\[\\d+\\]", pattern)
        pattern = re.sub(r"\\\.x$", r"\\.[xyz]", pattern)
        columns.setdefault(pattern, []).extend(row.group(2).strip().split(", "))
    return columns


def read_columns(sestina, model, folder):
    result = pathlib.Path(folder) / f"{model.stem}.csv"
    subprocess.run([sestina, "run", str(model), "--reactions", "-q", "--set",
                    "analysis.duration=0.01", "--set", "output.columns={}", "--out", str(result)], check=True)
    lines = result.read_text().splitlines()
    units = next(line for line in lines if line.startswith("# units: "))[len("# units: "):].split(",")
    names = next(line for line in lines if not line.startswith("#")).split(",")
    return zip(names, units, strict=True)


def main():
    sestina = str(pathlib.Path(sys.argv[1]).resolve())
    page = read_page()
    # A variable may have any name, so its row is the last to be asked.
    patterns = sorted(page, key=lambda pattern: pattern == NAME)
    used = set()
    with tempfile.TemporaryDirectory() as folder:
        slider = pathlib.Path(folder) / "stopped_slider.yaml"
        slider.write_text(STOPPED_SLIDER)
        bead = pathlib.Path(folder) / "sliding_bead.yaml"
        bead.write_text(SLIDING_BEAD)
        for model in [*(ROOT / f"examples/{example}.yaml" for example in EXAMPLES), slider, bead]:
            for name, unit in read_columns(sestina, model, folder):
                pattern = next((p for p in patterns if re.fullmatch(p, name)), None)
                if pattern is None or (unit not in page[pattern] and "as given" not in page[pattern]):
                    sys.exit(f"the page has no column {name} in {unit}")
                used.add(pattern)
    if used != set(page):
        sys.exit(f"no result has the columns {sorted(set(page) - used)}")


if __name__ == "__main__":
    main()
