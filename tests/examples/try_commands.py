#!/usr/bin/env python3
"""Runs the commands that examples tell their readers to try: try_commands.py SESTINA FILE...

Lines `#   sestina ...` of model files and `    sestina ...` of Markdown, continued by a backslash. They run in
turn in a folder of their own; fails at the first that does not succeed.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
COMMAND = re.compile(r"^(?:#   |    )(sestina (?:[^\n]*\\\n(?:#)? *)*[^\n]*)$", re.MULTILINE)


def commands_of(text):
    for command in COMMAND.findall(text):
        yield re.sub(r"\\\n#? *", "", command)


def main():
    program, *files = sys.argv[1:]
    program = pathlib.Path(program).resolve()
    for file in files:
        commands = list(commands_of(pathlib.Path(file).read_text()))
        if not commands:
            sys.exit(f"{file}: tells no command to try")
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "examples").symlink_to(ROOT / "examples")
            for command in commands:
                # A shell, as the reader has: the commands contain quotes.
                script = f'sestina() {{ "{program}" "$@"; }}\n{command}'
                done = subprocess.run(["bash", "-c", script], cwd=folder, text=True,
                                      stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
                if done.returncode != 0:
                    sys.exit(f"{file}: '{command}' failed with {done.returncode}:\n{done.stdout}")
        print(f"  ok   {len(commands)} commands of {file}", flush=True)


if __name__ == "__main__":
    main()
