#!/usr/bin/env python3
"""changed_code.py BASE: of the names of files on standard input, those to print: C++ sources and headers whose code differs
from that at BASE, ignoring comments and blanks, and all other files. Checks of code then skip files in which only comments
changed."""

import pathlib
import re
import subprocess
import sys

# A string, a character, a raw string, or a comment; of these only comments go.
PIECES = re.compile(r'R"(\w*)\((?:.|\n)*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|//[^\n]*|/\*(?:.|\n)*?\*/')


def code_of(text):
    """The code without comments and blanks, which do not affect its compilation."""
    bare = PIECES.sub(lambda piece: " " if piece.group(0).startswith("/") else piece.group(0), text)
    return re.sub(r"\s+", "", bare)


def main():
    base = sys.argv[1]
    for name in sys.stdin.read().split("\n"):
        if not name:
            continue
        if re.search(r"\.(h|cpp)$", name):
            before = subprocess.run(["git", "show", f"{base}:{name}"], capture_output=True, check=False)
            now = pathlib.Path(name).read_text()
            if before.returncode == 0 and code_of(before.stdout.decode()) == code_of(now):
                continue
        print(name)


if __name__ == "__main__":
    main()
