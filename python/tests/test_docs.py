"""The blocks of the documentation run, one after the other, as they are written."""

from __future__ import annotations

import pathlib
import re

import pytest
import sestina

ROOT = pathlib.Path(__file__).resolve().parents[2]


def model_of_the_page_on_model_files() -> sestina.System:
    text = (ROOT / "docs/model_file.md").read_text()
    return sestina.loads(re.search(r"^```yaml\n(sestina: 1.*?)^```", text, re.MULTILINE | re.DOTALL).group(1))


@pytest.mark.parametrize(
    "page",
    [
        "README.md",
        "docs/particles.md",
        "docs/python.md",
        "docs/sampled_control.md",
        "docs/sweep.md",
        "docs/linearisation.md",
        "docs/analyses.md",
        "python/README.md",
    ],
)
def test_blocks_of_the_page_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = (ROOT / page).read_text()
    if page == "README.md":
        (tmp_path / "pendulum.yaml").write_text(re.search(r"^```yaml\n(.*?)^```", text, re.MULTILINE | re.DOTALL).group(1))
    if page == "docs/sweep.md":
        pytest.importorskip("h5py")
        sestina.sweep(model_of_the_page_on_model_files(), {"parameters.l1": "0.5:1.5:5"}, out="pendulum.sweep.h5")
    names: dict[str, object] = {}
    blocks = list(re.finditer(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL))
    assert blocks
    for block in blocks:
        line = text[: block.start(1)].count("\n")
        code = compile("\n" * line + block.group(1), page, "exec")
        exec(code, names)


def test_a_run_of_a_sweep_is_repeated_as_the_page_on_sweeps_says(tmp_path):
    h5py = pytest.importorskip("h5py")
    path = tmp_path / "pendulum.sweep.h5"
    sestina.sweep(model_of_the_page_on_model_files(), {"parameters.l1": "0.5:1.5:3"}, out=path, lanes=False)
    with h5py.File(path) as file:
        assert file.attrs["model_name"] == "double pendulum" and file.attrs["sestina_sweep"] > 0
        assert list(file.attrs["axes"]) == ["parameters.l1"]
        assert file["provenance"].attrs["program"] == f"sestina {sestina.__version__}"
        assert file["provenance"].attrs["lanes"] == "off" and file["provenance"].attrs["checksum"]
        again = sestina.loads(file.attrs["model"], set={"parameters.l1": file["axes/parameters.l1"][1]})
        names, last = list(file["names"].asstr()), file["final"][1]
    result = sestina.simulate(again)
    for name, value in zip(names, last, strict=True):
        assert result[name][-1] == value, name
