#!/usr/bin/env python3
"""The commands shown on pages work as described: commands_test.py SESTINA

Every line `sestina ...` of a block of shell runs, page by page in a folder of its own. There pendulum.yaml is the model that
the page, or the one that it refers to, shows; robots are those of the examples.
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
# Pages, and where they have their pendulum from.
PAGES = {
    "README.md": "README.md",
    "docs/running.md": "README.md",
    "docs/model_file.md": "docs/model_file.md",
    "docs/studio.md": "README.md",
    "docs/sweep.md": "docs/model_file.md",
    "docs/symbolic.md": "README.md",
    "docs/compiled.md": "README.md",
    "docs/linearisation.md": "README.md",
    "docs/urdf.md": "README.md",
}


def blocks(page, language):
    return re.findall(rf"^```{language}\n(.*?)^```$", (ROOT / page).read_text(), re.MULTILINE | re.DOTALL)


def prepare(folder, page):
    (folder / "examples").symlink_to(ROOT / "examples")
    model = next(block for block in blocks(PAGES[page], "yaml") if block.startswith("sestina: 1"))
    (folder / "pendulum.yaml").write_text(model)
    for suffix in ("yaml", "urdf"):
        shutil.copy(ROOT / f"examples/10_robot_arm.{suffix}", folder / f"robot.{suffix}")


def main():
    program = pathlib.Path(sys.argv[1]).resolve()
    failed = False
    for page in PAGES:
        commands = re.findall(r"^sestina .*$", "".join(blocks(page, "sh")), re.MULTILINE)
        if not commands:
            sys.exit(f"{page}: shows no command")
        with tempfile.TemporaryDirectory() as name:
            prepare(pathlib.Path(name), page)
            for command in commands:
                command = command.partition(" && pdflatex ")[0]
                script = f'sestina() {{ "{program}" "$@"; }}\n{command}'
                done = subprocess.run(["bash", "-c", script], cwd=name, text=True, check=False,
                                      stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
                if done.returncode != 0:
                    print(f"{page}: '{command}' failed with {done.returncode}:\n{done.stdout}")
                    failed = True
        print(f"  {len(commands)} commands of {page}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
