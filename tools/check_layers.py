#!/usr/bin/env python3
"""Checks that a folder of src/sestina includes only folders that it depends on.

The DEPENDS of each folder's CMakeLists.txt are the architecture, but all folders share one include
path, so that neither the compiler nor, often, the linker would notice an include that goes upward.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src" / "sestina"
KEYWORDS = {"DEPENDS", "EXTERNAL"}


def direct_dependencies():
    """{folder: set of folders} as the sestina_library() calls state them."""
    graph = {}
    for file in SOURCE.glob("*/CMakeLists.txt"):
        call = re.search(r"sestina_library\(([^)]*)\)", file.read_text())
        if not call:
            continue
        name, *words = call.group(1).split()
        depends, keyword = set(), None
        for word in words:
            if word in KEYWORDS:
                keyword = word
            elif keyword == "DEPENDS":
                depends.add(word)
        graph[name] = depends
    return graph


def below(folder, graph, path=()):
    """All folders on which `folder` depends, including itself."""
    if folder in path:
        sys.exit(f"{SOURCE}: the folders {' -> '.join(path + (folder,))} depend on each other in a circle")
    found = {folder}
    for dependency in graph.get(folder, ()):
        found |= below(dependency, graph, path + (folder,))
    return found


def main():
    graph = direct_dependencies()
    breaches = 0
    for folder in graph:
        allowed = below(folder, graph)
        for file in sorted((SOURCE / folder).rglob("*")):
            if file.suffix not in {".h", ".cpp"}:
                continue
            for number, line in enumerate(file.read_text().splitlines(), 1):
                include = re.match(r'\s*#include "sestina/([^/"]+)/', line)
                if include and include.group(1) not in allowed:
                    breaches += 1
                    print(f"{file.relative_to(ROOT)}:{number}: {folder} does not depend on "
                          f"{include.group(1)} (src/sestina/{folder}/CMakeLists.txt)")
    return 1 if breaches else 0


if __name__ == "__main__":
    sys.exit(main())
