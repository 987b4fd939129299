#!/usr/bin/env python3
"""Checks that every relative link of every Markdown file leads to a file, and to a heading of it."""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LINK = re.compile(r"\[[^\]]*\]\(<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\)")


def prose(file):
    """(line number, line) of the file, outside fenced code."""
    fenced = False
    for number, line in enumerate(file.read_text().splitlines(), 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not fenced:
            yield number, line


def anchors(file):
    """The anchors that the usual renderers give to the headings of a file."""
    found = set()
    for _, line in prose(file):
        heading = re.match(r"#+\s+(.*?)\s*#*$", line)
        if heading:
            text = re.sub(r"[^\w\- ]", "", heading.group(1).lower())
            found.add(text.replace(" ", "-"))
    return found


def fault(file, target):
    path, _, anchor = target.partition("#")
    if re.match(r"[a-z]+:", target):
        return None
    goal = (file.parent / path).resolve() if path else file
    if not goal.exists():
        return "no such file"
    if ROOT not in goal.parents and goal != ROOT:
        return "leads out of the repository"
    if anchor and goal.suffix == ".md" and anchor not in anchors(goal):
        return "no such heading"
    return None


def main():
    names = subprocess.run([ROOT / "tools/list_files.sh", "*.md"], check=True, capture_output=True).stdout
    breaches = 0
    for name in filter(None, names.decode().split("\0")):
        file = ROOT / name
        for number, line in prose(file):
            for target in LINK.findall(re.sub(r"`[^`]*`", "", line)):
                reason = fault(file, target)
                if reason:
                    breaches += 1
                    print(f"{name}:{number}: {target}: {reason}")
    return 1 if breaches else 0


if __name__ == "__main__":
    sys.exit(main())
