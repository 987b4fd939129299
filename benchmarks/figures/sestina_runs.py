"""Runs of the program `sestina` for the figures."""

import re
import subprocess
import tempfile
from pathlib import Path

import numpy as np

# Label, integrator and order of every rule that takes steps of fixed length.
LOBATTO = "{{name: lobatto_iiia_iiib, stages: {}, form: {}}}"
RULES = [
    ("forward_euler", "forward_euler", 1),
    ("verlet", "verlet", 2),
    ("velocity_verlet", "velocity_verlet", 2),
    ("lobatto 2, velocity", LOBATTO.format(2, "velocity"), 2),
    ("lobatto 2, momentum", LOBATTO.format(2, "momentum"), 2),
    ("rk4", "rk4", 4),
    ("munthe_kaas_4", "munthe_kaas_4", 4),
    ("adams_bashforth_moulton", "adams_bashforth_moulton", 4),
    ("lobatto 3, velocity", LOBATTO.format(3, "velocity"), 4),
    ("lobatto 3, momentum", LOBATTO.format(3, "momentum"), 4),
    ("rkf45", "rkf45", 5),
    ("dormand_prince_54", "dormand_prince_54", 5),
]
INTEGRATORS = {label: integrator for label, integrator, order in RULES}


class Run:
    """One run at a fixed step: the requested columns, and the number of evaluations of the forces."""

    def __init__(self, sestina, model, integrator, dt, duration, every, columns, settings=()):
        with tempfile.TemporaryDirectory() as folder:
            result = Path(folder) / "result.csv"
            command = [sestina, "run", str(model), "--out", str(result)]
            values = [f"analysis.step={{driver: fixed, dt: {dt!r}}}", f"analysis.integrator={integrator}",
                      f"analysis.duration={duration!r}", f"output.every={every!r}", *settings]
            for value in values:
                command += ["--set", value]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                raise RuntimeError(" ".join(command) + "\n" + done.stderr)
            self.evaluations = int(re.search(r"(\d+) evaluations", done.stdout).group(1))
            self.seconds = float(re.search(r"in (\S+) s of wall time", done.stdout).group(1))
            with open(result, encoding="utf-8") as file:
                lines = (line for line in file if not line.startswith("#"))
                names = next(lines).strip().split(",")
                wanted = [i for i, name in enumerate(names) if columns(name)]
                self.columns = np.loadtxt(lines, delimiter=",", usecols=wanted, ndmin=2)
