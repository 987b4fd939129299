"""A type checker finds nothing wrong with the package, and the types of the compiled part complete."""

from __future__ import annotations

import pathlib
import subprocess
import sys

import pytest
import sestina

ROOT = pathlib.Path(__file__).resolve().parents[2]


def test_package_passes_mypy(tmp_path):
    pytest.importorskip("mypy")
    package = pathlib.Path(sestina.__file__).parent
    user = tmp_path / "user.py"
    user.write_text(
        "import numpy as np\n"
        "import sestina\n"
        "system = sestina.System(gravity=(0, 0, -9.81))\n"
        "rod = system.add_rigid_body('rod', 'm', inertia={'xx': 1})\n"
        "joint: sestina.Joint = system.add_joint('h', 'revolute', system.ground['origin'], rod['origin'], axis=(0, 1, 0))\n"
        "udot = system.freeze().forward_dynamics([0.0], np.zeros(1))\n"
        "reveal_type(udot.shape)\n"
        "system.gravity[2], joint.q[0], rod.points['tip'] = -1, 'phi', (0, 0, 1)\n"
        "system.bodies.append(sestina.Body('head', 1))\n"
        "system.analysis.integrator, system.analysis.step = 'rk4', {'driver': 'fixed'}\n"
        "gravity: list[float | str] = system.gravity.copy()\n"
        "system.add_rigid_body(3, 'm')\n"
        "rod.mas = 3\n"
    )
    checked = subprocess.run(
        [sys.executable, "-m", "mypy", "--config-file", str(ROOT / "pyproject.toml"), "--cache-dir", str(tmp_path), str(package)],
        capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stdout
    used = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path), str(user)],
        capture_output=True, text=True, check=False, env={"MYPYPATH": str(package.parent), "PATH": ""})
    errors = [line for line in used.stdout.splitlines() if ": error:" in line]
    assert len(errors) == 2 and 'Argument 1 to "add_rigid_body" of "System"' in errors[0], used.stdout
    assert '"Body" has no attribute "mas"' in errors[1], used.stdout
