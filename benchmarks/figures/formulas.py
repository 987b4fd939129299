#!/usr/bin/env python3
"""Typesets the formulas of the documentation as the programs print them.

formulas.py SESTINA ROLLING_DISC [--check]

Draws docs/pictures/symbolic_cart_pole.svg from what `SESTINA derive` writes, and symbolic_rolling_disc.svg from what the
example of the rolling disc (build/release/examples/cpp/example_symbolic_rolling_disc) prints; needs latex and dvisvgm. A
picture holds the LaTeX that it was made of. With --check nothing is drawn: the status is 1, and the names are printed, where
a program prints something else than what a picture was made of.
"""

import argparse
import html
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PICTURES = ROOT / "docs/pictures"
ZOOM = 1.36  # letters of 10 points are then as large as a page's own
MARGIN = "4pt"


def printed(*command):
    done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT)
    return done.stdout


def of_the_cart_and_pole(program):
    return printed(program, "derive", "examples/08_cart_pole.yaml", "--format", "latex", "--simplify")


def of_the_rolling_disc(program):
    equations = [line for line in printed(program).splitlines() if line.startswith(r"\dot{u}")]
    rows = " \\\\\n".join(line.replace(" = ", " &= ", 1) for line in equations)
    return "\\begin{align*}\n" + rows + "\n\\end{align*}\n"


def typeset(latex):
    """An SVG picture of it, whose letters are outlines."""
    page = f"\\documentclass{{article}}\\usepackage{{amsmath}}\\pagestyle{{empty}}\n\\begin{{document}}\n{latex}\\end{{document}}\n"
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "page.tex").write_text(page, encoding="utf-8")
        quiet = {"cwd": folder, "check": True, "capture_output": True}
        subprocess.run(["latex", "-interaction=batchmode", "-halt-on-error", "page.tex"], **quiet)
        subprocess.run(["dvisvgm", "--no-fonts", "--exact-bbox", f"--bbox={MARGIN}", f"--zoom={ZOOM}", "--optimize=all",
                        "-o", "page.svg", "page.dvi"], **quiet)
        text = (Path(folder) / "page.svg").read_text(encoding="utf-8")
    text = re.sub(r"<!--.*?-->\n", "", text)  # the version of dvisvgm
    text = text.replace("<svg ", '<svg style="background:white" ', 1)
    return re.sub(r"(<svg [^>]*>)", lambda tag: f"{tag.group(1)}\n<desc>{html.escape(latex, quote=False)}</desc>", text, count=1)


def source_of(picture):
    """The LaTeX that a picture was made of."""
    found = re.search(r"<desc>(.*?)</desc>", picture.read_text(encoding="utf-8"), re.DOTALL)
    return html.unescape(found.group(1)) if found else ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sestina", type=lambda name: Path(name).resolve())
    parser.add_argument("rolling_disc", type=lambda name: Path(name).resolve())
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    formulas = {"symbolic_cart_pole.svg": of_the_cart_and_pole(options.sestina),
                "symbolic_rolling_disc.svg": of_the_rolling_disc(options.rolling_disc)}
    if options.check:
        stale = [name for name, latex in formulas.items() if source_of(PICTURES / name) != latex]
        for name in stale:
            print(f"docs/pictures/{name} shows what its program does not print any more: "
                  "redraw it with benchmarks/figures/formulas.py")
        return 1 if stale else 0
    for name, latex in formulas.items():
        (PICTURES / name).write_text(typeset(latex).rstrip() + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
