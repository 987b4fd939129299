#!/usr/bin/env python3
"""docs/integration_rules.md says of every integration rule its order, stages, evaluations, estimate, dense output, whether it
is symplectic and reversible, and its drivers, and the drivers are those that the program takes: integration_rules_test.py SESTINA
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
COLUMNS = ["rule", "order", "stages", "evaluations a step", "error estimate", "dense output", "symplectic", "reversible",
           "drivers"]
MODEL = """\
sestina: 1
bodies: [{name: box, type: particle, mass: 1}]
joints: [{name: slide, type: prismatic, parent: ground.origin, child: box.origin, axis: [1, 0, 0], u: 1}]
analysis: {duration: 0.01}
"""
STEPS = {"fixed": "{driver: fixed, dt: 0.001}", "variable": "{driver: variable}"}


def takes(sestina, model, rule, step):
    done = subprocess.run(
        [sestina, "run", model, "-q", "--set", f"analysis.integrator={rule}", "--set", f"analysis.step={step}"],
        capture_output=True, text=True, check=False,
    )
    if done.returncode not in (0, 2):
        sys.exit(f"{rule} with {step}: {done.stderr}")
    return done.returncode == 0


def main():
    sestina = str(pathlib.Path(sys.argv[1]).resolve())
    schema = json.loads(subprocess.run([sestina, "schema"], capture_output=True, check=True).stdout)
    page = (ROOT / "docs/integration_rules.md").read_text()
    lines = [line for line in page.splitlines() if line.startswith("| ")]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    start = next(i for i, row in enumerate(rows) if row[0] == "rule")
    if rows[start] != COLUMNS:
        sys.exit(f"the columns of the table are {rows[start]}")
    table = {}
    for row in rows[start + 1:]:
        if len(row) != len(COLUMNS):
            break
        name = re.match(r"`(\w+)`", row[0])
        if name:
            table.setdefault(name.group(1), []).append(row)
    with tempfile.TemporaryDirectory() as folder:
        model = pathlib.Path(folder) / "model.yaml"
        model.write_text(MODEL)
        for rule in schema["$defs"]["integrator_name"]["enum"]:
            if rule not in table:
                sys.exit(f"{rule} is not in the table")
            drivers = [driver for driver, step in STEPS.items() if takes(sestina, str(model), rule, step)]
            for row in table[rule]:
                if not all(row) or row[-1] != ", ".join(drivers):
                    sys.exit(f"{rule} takes {drivers}, and the table has {row}")
            if not re.search(rf"^\*\*`(\{{name: )?{rule}\b", page, re.MULTILINE):
                sys.exit(f"{rule} has no paragraph of its own")


if __name__ == "__main__":
    main()
