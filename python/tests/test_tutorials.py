"""The tutorials run as they are written, and what they say of the results holds."""

from __future__ import annotations

import importlib.util
import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TUTORIALS = ROOT / "docs/tutorials"
PAGES = sorted(path.name for path in TUTORIALS.glob("*.md") if "```python" in path.read_text())


@pytest.mark.parametrize("page", PAGES)
def test_tutorial_runs(page, tmp_path):
    text = (TUTORIALS / page).read_text()
    for library, word in (("scipy", "from scipy"), ("matplotlib", "from matplotlib"), ("cma", "sestina.minimize(")):
        if word in text and importlib.util.find_spec(library) is None:
            pytest.skip(f"{library} is not installed")
    if "\nsestina " in text and "SESTINA_PROGRAM" not in os.environ:
        pytest.skip("SESTINA_PROGRAM does not say where the program is")
    command = [sys.executable, ROOT / "tools/run_page.py", TUTORIALS / page, tmp_path]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "MPLBACKEND": "agg"}, check=False)
    assert not done.returncode, done.stderr


def test_the_joint_of_the_tutorial_is_the_one_that_is_compiled():
    sys.path.insert(0, str(ROOT / "tools"))
    from run_page import blocks

    compiled = "".join((ROOT / "tests/joints" / name).read_text() for name in ("gondola.h", "gondola_test.cpp"))
    page = blocks((TUTORIALS / "adding_a_joint.md").read_text())
    shown = [block.code for block in page if block.language == "cpp"]  # tests/docs/adding_parts_test.py has the rest
    assert len(shown) == 3
    for code in shown:
        assert code in compiled
