#!/usr/bin/env python3
"""Writes the tables of numbers (joint_numbers.h, force_numbers.h) into the schema and the reference of the model
file: share/model.schema.json and docs/model_file.md.

  tools/update_fields.py           rewrites both
  tools/update_fields.py --check   says what is out of date, with exit status 1

A type has the numbers that are members of its struct, `T name{...};`, in src/sestina/joints/ or forces/.
"""

import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src" / "sestina"
SCHEMA = ROOT / "share" / "model.schema.json"
PAGE = ROOT / "docs" / "model_file.md"
WIDTH = 120

# Keys of the schema after which the numbers stand, and the words for what may be given.
PARTS = {
    "joint": {"table": SOURCE / "joints" / "joint_numbers.h", "after": ["axis", "second_axis"]},
    "force": {"table": SOURCE / "forces" / "force_numbers.h", "after": ["stiffness", "reference", "damping"]},
}
ALLOWED = {"kAny": "", "kNotNegative": ", not negative", "kPositive": ", positive"}


def numbers_in(table):
    """[(name, unit, allowed, explanation)] as the macro of the table lists them."""
    text = table.read_text().replace("\\\n", " ")
    lines = re.findall(r'X\((\w+),\s*"([^"]*)",\s*(k\w+),\s*((?:"[^"]*"\s*)+)\)', text)
    return [(name, unit, allowed, "".join(re.findall(r'"([^"]*)"', text))) for name, unit, allowed, text in lines]


def default_of(explanation):
    """(explanation, default): an explanation may end in "; required" or "; if not given, 1000 Pa"."""
    text, _, end = explanation.rpartition("; ")
    if end == "required":
        return text, "required"
    if end.startswith("if not given, "):
        return text, end.removeprefix("if not given, ")
    return explanation, "0"


def snake(name):
    return re.sub(r"(?<!^)([A-Z])", r"_\1", name).lower()


def members_of_types(part):
    """{type: set of members} of all structs `template <class T> struct Name`."""
    members = {}
    for header in (SOURCE / f"{part}s").glob("*.h"):
        for name, body in re.findall(r"template <class T>\nstruct (\w+)[^{;]*\{(.*?)\n\};", header.read_text(), re.S):
            found = set(re.findall(r"^  T (\w+)\{", body, re.M))
            keyword = re.search(r'kKeyword = "(\w+)"', body)
            members[keyword.group(1) if keyword else snake(name)] = found
    return members


def insert_after(keys, anchors, new):
    """Inserts `new` after the last anchor present."""
    keys = [key for key in keys if key not in new]
    at = max((keys.index(anchor) + 1 for anchor in anchors if anchor in keys), default=len(keys))
    return keys[:at] + new + keys[at:]


def text_of(value, indent=0, room=0):
    """JSON in the layout of the file: on one line if it fits, except for the outer levels."""
    if not isinstance(value, (dict, list)):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, dict):
        flat = "{" + ", ".join(f"{json.dumps(k)}: {text_of(v, 0, -1000)}" for k, v in value.items()) + "}"
    else:
        flat = "[" + ", ".join(text_of(v, 0, -1000) for v in value) + "]"
    if room == -1000 or (indent > 0 and indent + room + len(flat) <= WIDTH):
        return flat
    pad = " " * (indent + 2)
    if isinstance(value, dict):
        parts = [f"{pad}{json.dumps(k)}: {text_of(v, indent + 2, len(json.dumps(k)) + 3)}" for k, v in value.items()]
        return "{\n" + ",\n".join(parts) + "\n" + " " * indent + "}" if parts else "{}"
    parts = [f"{pad}{text_of(v, indent + 2, 1)}" for v in value]
    return "[\n" + ",\n".join(parts) + "\n" + " " * indent + "]" if parts else "[]"


def new_schema():
    schema = json.loads(SCHEMA.read_text())
    for part, of in PARTS.items():
        numbers = numbers_in(of["table"])
        names = [name for name, *_ in numbers]
        definition = schema["$defs"][part]
        properties = definition["properties"]
        for name, unit, allowed, explanation in numbers:
            words, default = default_of(explanation)
            end = "Required." if default == "required" else f"Default: {default}."
            text = f"{words}, {unit}{ALLOWED[allowed]}. {end}"
            properties[name] = {"$ref": "#/$defs/number", "description": text}
        definition["properties"] = {key: properties[key] for key in insert_after(list(properties), of["after"], names)}
        members = members_of_types(part)
        for rule in definition["allOf"]:
            kind = rule["if"]["properties"]["type"]["const"]
            own = [name for name in names if name in members.get(kind, ())]
            keys = [key for key in rule["then"]["propertyNames"]["enum"] if key not in names]
            rule["then"]["propertyNames"]["enum"] = insert_after(keys, of["after"], own)
    return text_of(schema) + "\n"


def new_page():
    """The rows of each part precede an anchor, in the table of its section; other sections have names of their own."""
    page = PAGE.read_text()
    for part, of in PARTS.items():
        anchor = "| `q` | number, or list |" if part == "joint" else "| `value` | numbers or expressions"
        at = page.index(anchor)
        start = page.rindex("\n## ", 0, at)
        rows, before = [], page[start:at]
        for name, unit, allowed, words in numbers_in(of["table"]):
            explanation, default = default_of(words)
            if part == "joint":
                rows.append(f"| `{name}` | number, {unit}{ALLOWED[allowed]} | {default} | {explanation[0].lower()}{explanation[1:]} |")
            else:
                rows.append(f"| `{name}` | number{ALLOWED[allowed]} ({explanation[0].lower()}{explanation[1:]}) | {unit} | {default} |")
            before = re.sub(rf"^\| `{name}` \|.*\n", "", before, flags=re.M)
        page = page[:start] + before + "".join(row + "\n" for row in rows) + page[at:]
    return page


def main():
    out_of_date = []
    for file, text in ((SCHEMA, new_schema()), (PAGE, new_page())):
        if file.read_text() == text:
            continue
        out_of_date.append(file.relative_to(ROOT))
        if "--check" not in sys.argv[1:]:
            file.write_text(text)
    for file in out_of_date if "--check" in sys.argv[1:] else []:
        print(f"{file}: is not what the tables of numbers say: run tools/update_fields.py", file=sys.stderr)
    return 1 if out_of_date and "--check" in sys.argv[1:] else 0


if __name__ == "__main__":
    sys.exit(main())
