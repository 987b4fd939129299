#!/usr/bin/env python3
"""The model and the program of README.md: readme_test.py SESTINA EXAMPLE_PENDULUM

The program is the file examples/cpp/pendulum.cpp, word for word, and describes what the model file describes: run by
SESTINA and by itself, they leave the same numbers, to the last digit.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def only_block(text, language):
    blocks = re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    if len(blocks) != 1:
        sys.exit(f"README.md: {len(blocks)} blocks of {language}, expected one")
    return blocks[0]


def rows_of(path):
    return [line for line in path.read_text().splitlines() if not line.startswith("#")]


def main():
    sestina, program = (str(pathlib.Path(path).resolve()) for path in sys.argv[1:])
    readme = (ROOT / "README.md").read_text()
    if only_block(readme, "cpp") != (ROOT / "examples/cpp/pendulum.cpp").read_text():
        sys.exit("README.md: the program is not that of examples/cpp/pendulum.cpp")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "pendulum.yaml").write_text(only_block(readme, "yaml"))
        subprocess.run([sestina, "run", "pendulum.yaml", "--out", "by_model.csv", "--quiet"], cwd=folder, check=True)
        subprocess.run([program], cwd=folder, check=True)
        by_model, by_program = rows_of(folder / "by_model.csv"), rows_of(folder / "pendulum.csv")
    if len(by_model) < 50:
        sys.exit(f"the model's result has {len(by_model)} lines only")
    if by_model != by_program:
        different = [pair for pair in zip(by_model, by_program) if pair[0] != pair[1]]
        sys.exit(f"model and program differ: {different[:1] or (len(by_model), len(by_program))}")


if __name__ == "__main__":
    main()
