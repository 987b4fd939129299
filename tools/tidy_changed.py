#!/usr/bin/env python3
"""tidy_changed.py BUILD JOBS: clang-tidy on the sources that changed (tools/changed_files.sh reads their names).

A changed header is checked within one source that includes it. BUILD is a folder that has been built: it tells how each
source is compiled and what it includes.
"""
import concurrent.futures
import json
import os
import shlex
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))


def read_commands(build):
    """For each source of the repository the folder, the object and the arguments of its compilation."""
    with open(os.path.join(build, "compile_commands.json")) as file:
        entries = json.load(file)
    commands = {}
    for entry in entries:
        source = os.path.relpath(os.path.join(entry["directory"], entry["file"]), ROOT)
        if not source.startswith(("..", "build")):
            arguments = shlex.split(entry["command"])
            commands.setdefault(source, (entry["directory"], arguments[arguments.index("-o") + 1], arguments))
    return commands


def read_includes(build):
    """The repository's files that each object was made of, by object."""
    text = subprocess.run(["ninja", "-C", build, "-t", "deps"], check=True, capture_output=True, text=True).stdout
    includes = {}
    for line in text.splitlines():
        if line.startswith(" "):
            path = os.path.relpath(os.path.join(build, line.strip()), ROOT)
            if not path.startswith(".."):
                files.add(path)
        elif ":" in line:
            files = includes.setdefault(line.split(":")[0], set())
    return includes


def choose_sources(changed, commands, includes):
    """The changed sources, and for each changed header that none of them includes one that does."""
    chosen = {source for source in changed if source in commands}
    made_of = {source: includes.get(output, set()) for source, (_, output, _) in commands.items()}
    seen = set().union(*(made_of[source] for source in chosen)) if chosen else set()
    for header in sorted(path for path in changed if path.endswith(".h")):
        if header in seen:
            continue
        users = sorted((source for source, files in made_of.items() if header in files),
                       key=lambda source: (os.path.splitext(source)[0] != os.path.splitext(header)[0],
                                           len(made_of[source]), source))
        if users:
            chosen.add(users[0])
            seen |= made_of[users[0]]
    return sorted(chosen)


def check(source, command):
    directory, _, arguments = command
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
    sources = choose_sources(changed, commands, read_includes(build))
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
