#!/usr/bin/env python3
"""tidy_changed.py BUILD JOBS: clang-tidy on the sources that changed (tools/changed_files.sh reads their names).

A changed header is checked within one source that includes it. BUILD is a configured build folder, which defines how
each source is compiled.
"""
import concurrent.futures
import json
import os
import re
import shlex
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))


def read_commands(build):
    """For each source of the repository the folder and the arguments of its compilation."""
    with open(os.path.join(build, "compile_commands.json")) as file:
        entries = json.load(file)
    commands = {}
    for entry in entries:
        source = os.path.relpath(os.path.join(entry["directory"], entry["file"]), ROOT)
        if not source.startswith(("..", "build")):
            arguments = shlex.split(entry["command"])
            commands.setdefault(source, (entry["directory"], arguments))
    return commands


def read_includes(sources):
    """The repository's headers that each source includes, directly or through others."""
    direct = {}

    def included_by(path):
        if path not in direct:
            with open(os.path.join(ROOT, path), encoding="utf-8") as file:
                names = re.findall(r'^#include "([^"]+)"', file.read(), re.MULTILINE)
            places = [os.path.join(folder, name) for name in names
                      for folder in (os.path.dirname(path), "src", "apps", "tests")]
            direct[path] = {os.path.normpath(place) for place in places if os.path.isfile(os.path.join(ROOT, place))}
        return direct[path]

    includes = {}
    for source in sources:
        found, new = set(), {source}
        while new:
            found |= new
            new = set().union(*(included_by(path) for path in new)) - found
        includes[source] = found - {source}
    return includes


def choose_sources(changed, includes):
    """The changed sources, and for each changed header that none of them includes one that does."""
    chosen = {source for source in changed if source in includes}
    seen = set().union(*(includes[source] for source in chosen))
    for header in sorted(path for path in changed if path.endswith(".h")):
        if header in seen:
            continue
        users = sorted((source for source, files in includes.items() if header in files),
                       key=lambda source: (os.path.splitext(source)[0] != os.path.splitext(header)[0],
                                           len(includes[source]), source))
        if users:
            chosen.add(users[0])
            seen |= includes[users[0]]
    return sorted(chosen)


def check(source, command):
    directory, arguments = command
    if arguments[0].endswith("ccache"):
        arguments = arguments[1:]
    tidy = [os.path.join(ROOT, "tools/clang_tidy.sh"), "--quiet", "--extra-arg-before=--driver-mode=g++",
            os.path.join(ROOT, source), "--", *arguments]
    return subprocess.run(tidy, cwd=directory, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def main():
    build, jobs = os.path.abspath(sys.argv[1]), int(sys.argv[2])
    changed = set(subprocess.run([os.path.join(ROOT, "tools/changed_files.sh")], check=True, capture_output=True,
                                 text=True).stdout.splitlines())
    commands = read_commands(build)
    sources = choose_sources(changed, read_includes(commands))
    failed = []
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for source, result in zip(sources, pool.map(lambda s: check(s, commands[s]), sources)):
            if result.returncode:
                failed.append(source)
                print(result.stdout)
    print(f"clang-tidy: {len(sources)} sources, {len(failed)} with findings")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
