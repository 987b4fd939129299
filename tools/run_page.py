#!/usr/bin/env python3
"""Runs the code of a Markdown page, as the tests and the documentation's site do.

    run_page.py PAGE FOLDER

The blocks of a page run in their order in FOLDER:

    ```python            in one namespace, as in a notebook
    ```sh                only where every line begins with `sestina `, and SESTINA_PROGRAM says where that program is
    ```xml title="arm.urdf"    any language but diff: the text is written to the file of that name
    <!-- check           Python that a reader does not see: it checks the claims of the page
    -->

Writes a line of JSON to standard output for each block that ran: the line of the page where it ends, its printed text, its
pictures, drawn with matplotlib or saved, and the formula that a notebook would show.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import traceback
from collections.abc import Iterator
from typing import Any, NamedTuple

FENCE = re.compile(r"^```(\w+)?([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
CHECK = re.compile(r"^<!-- check\n(.*?)^-->$", re.MULTILINE | re.DOTALL)
TITLE = re.compile(r'title="([^"]+)"')
PICTURES = {".svg", ".png", ".gif"}


class Block(NamedTuple):
    language: str  # `check`: a check that the page does not show
    title: str
    code: str
    line: int  # of the page, where the code begins; the first is 0
    end_line: int  # one after the block's last


class Output(NamedTuple):
    end_line: int
    text: str
    pictures: list[str]  # in the folder
    formula: str  # LaTeX of the expression that the block ends with, where it has one, as in a notebook


def blocks(text: str) -> list[Block]:
    """The blocks of code of a page, in their order."""
    found = []
    for match in FENCE.finditer(text):
        title = TITLE.search(match.group(2))
        found.append((match, match.group(1) or "", title.group(1) if title else "", match.group(3), match.start(3)))
    for match in CHECK.finditer(text):
        found.append((match, "check", "", match.group(1), match.start(1)))
    found.sort(key=lambda one: one[0].start())
    return [
        Block(language, title, code, text.count("\n", 0, begin), text.count("\n", 0, match.end()) + 1)
        for match, language, title, code, begin in found
    ]


def _run_python(block: Block, page: str, names: dict[str, Any]) -> tuple[str, str]:
    tree = ast.parse("\n" * block.line + block.code, page)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed, value = io.StringIO(), None
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, page, "exec"), names)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), page, "eval"), names)
    formula = value._repr_latex_().strip("$ ") if hasattr(value, "_repr_latex_") else ""
    return printed.getvalue(), formula.removeprefix(r"\displaystyle").strip()


def _is_for_program(block: Block) -> bool:
    return block.language == "sh" and all(line.startswith("sestina ") for line in block.code.splitlines())


def _run_program(block: Block, page: str, program: str) -> str:
    printed = ""
    for command in block.code.splitlines():
        words, _, path = command.partition(" > ")
        arguments = shlex.split(words, comments=True)[1:]
        done = subprocess.run([program, *arguments], capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"{page}:{block.line + 1}: {command}: {done.stderr}")
        if path:
            pathlib.Path(path).write_text(done.stdout)
        else:
            printed += done.stdout
    return printed


def _save_figures(stem: str, first: int) -> list[str]:
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is None:
        return []
    saved = []
    for place, number in enumerate(pyplot.get_fignums(), first):
        name = f"{stem}-{place}.svg"
        pyplot.figure(number).savefig(name, metadata={"Date": None})
        saved.append(name)
    pyplot.close("all")
    return saved


def run_page(path: str | os.PathLike[str], folder: str | os.PathLike[str]) -> Iterator[Output]:
    """Run the blocks of a page in a folder, which becomes the working directory; return the output of each."""
    path = pathlib.Path(path).resolve()
    os.chdir(folder)
    names: dict[str, Any] = {"__name__": "__main__"}
    program = os.environ.get("SESTINA_PROGRAM")
    count = 0
    for block in blocks(path.read_text()):
        if block.title and block.language != "diff":
            pathlib.Path(block.title).write_text(block.code)
        before = {name for name in os.listdir() if pathlib.Path(name).suffix in PICTURES}
        formula = ""
        if block.language in ("python", "check"):
            text, formula = _run_python(block, path.name, names)
        elif program and _is_for_program(block):
            text = _run_program(block, path.name, program)
        else:
            continue
        figures = _save_figures(path.stem, count + 1)
        count += len(figures)
        saved = {name for name in os.listdir() if pathlib.Path(name).suffix in PICTURES} - before - set(figures)
        # A figure that is both shown and saved counts as one.
        yield Output(block.end_line, text, sorted(saved) or figures, formula)


def main() -> int:
    page, folder = sys.argv[1:]
    # Threads of numpy's library, which wait busily for small matrices, only get in each other's way.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    told = sys.stdout
    try:
        for output in run_page(page, folder):
            print(json.dumps(output._asdict()), file=told, flush=True)
    except Exception:
        traceback.print_exc()
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
