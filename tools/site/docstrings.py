"""Docstrings list arguments as `name   what it is`, in columns; on the site they become lists."""

from __future__ import annotations

import re
from typing import Any

import griffe

ARGUMENT = re.compile(r"^(\w+(?:, \w+)*)\s{2,}(\S.*)$")


def _as_list(paragraph: str) -> str:
    """Converts a paragraph that lists arguments, possibly over several lines, to a Markdown list."""
    items: list[str] = []
    for line in paragraph.split("\n"):
        if match := ARGUMENT.match(line):
            names = ", ".join(f"`{name}`" for name in match.group(1).split(", "))
            items.append(f"- {names}: {match.group(2)}")
        elif items and re.match(r"\s{2,}\S", line):
            items[-1] += f" {line.strip()}"
        else:
            return paragraph
    return "\n".join(items)


class ArgumentLists(griffe.Extension):
    """Rewrites the docstrings of all objects."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        if obj.docstring:
            text = "\n\n".join(_as_list(paragraph) for paragraph in re.split(r"\n\s*\n", obj.docstring.value))
            obj.docstring.value = text
