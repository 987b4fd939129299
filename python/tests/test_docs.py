"""The blocks of the documentation run, one after the other, as they are written."""

from __future__ import annotations

import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    "page",
    ["README.md", "docs/python.md", "docs/sampled_control.md", "docs/linearisation.md", "docs/analyses.md", "python/README.md"],
)
def test_blocks_of_the_page_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = (ROOT / page).read_text()
    if page == "README.md":
        (tmp_path / "pendulum.yaml").write_text(re.search(r"^```yaml\n(.*?)^```", text, re.MULTILINE | re.DOTALL).group(1))
    names: dict[str, object] = {}
    blocks = list(re.finditer(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL))
    assert blocks
    for block in blocks:
        line = text[: block.start(1)].count("\n")
        code = compile("\n" * line + block.group(1), page, "exec")
        exec(code, names)
