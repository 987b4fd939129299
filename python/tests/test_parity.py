"""Each public C++ name has a Python name or a written reason why there is none (parity.txt)."""

from __future__ import annotations

import functools
import pathlib
import re

import sestina
from sestina import _core

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src"
CLASSES_WITH_METHODS = ("System", "Workspace", "Simulator", "BatchSimulator", "SymbolicSystem")
# Internal headers that the public headers of symbolic mechanics include.
INTERNAL = {
    "frame_tree.h",
    "kane_sums.h",
    "latex_letters.h",
    "latex_printer.h",
    "latex_text.h",
    "latex_tokens.h",
    "pieces.h",
    "point_tree.h",
}


def bodies_and_declarations(text: str, depth_wanted: int) -> list[tuple[str, str]]:
    """What is declared at a depth of braces: pairs of the declaration and what stands in its braces."""
    found, buffer, inside, depth = [], "", "", 0
    for letter in text:
        if letter == "{":
            depth += 1
            if depth == depth_wanted:
                buffer = ""
                continue
        if letter == "}":
            depth -= 1
            if depth == depth_wanted:
                found.append((buffer.strip(), inside))
                buffer, inside = "", ""
                continue
        if depth == depth_wanted:
            if letter == ";":
                found.append((buffer.strip(), ""))
                buffer = ""
            else:
                buffer += letter
        elif depth > depth_wanted:
            inside += letter
    return found


def clean(header: str) -> str:
    text = re.sub(r"//[^\n]*", "", (SOURCE / header).read_text())
    text = re.sub(r"^#.*$", "", text, flags=re.MULTILINE)
    return text.replace("= {}", "").replace("{}", "")


def function_name(declaration: str) -> str | None:
    found = re.search(r"(~?\w+)\s*\((?:[^()]|\([^()]*\))*\)\s*(?:const|override|\s)*(?:=\s*\w+)?$", declaration)
    if not found or "operator" in declaration or declaration.startswith(("using", "static_assert")):
        return None
    return found.group(1)


def names_of(header: str) -> set[str]:
    names: set[str] = set()
    for declared, body in bodies_and_declarations(clean(header), 1):
        declaration = re.sub(r"^template\s*<[^>]*>\s*", "", declared)
        kind = re.search(r"\b(?:class|struct|enum class)\s+(\w+)[^;()]*$", declaration)
        if kind:
            if not body:
                continue  # declared for what follows
            names.add(kind.group(1))
            if kind.group(1) in CLASSES_WITH_METHODS:
                public = body.split("private:")[0]
                for method, _ in bodies_and_declarations(public, 1):
                    name = function_name(re.sub(r"^\s*public:", "", method).strip())
                    if name and name.lstrip("~") != kind.group(1):
                        names.add(f"{kind.group(1)}::{name}")
            continue
        name = function_name(declaration)
        if name:
            names.add(name)
    return names


def public_names() -> set[str]:
    headers = re.findall(r'#include "(sestina/[^"]+)"', (SOURCE / "sestina/sestina.h").read_text())
    headers += ["sestina/model/system.h", "sestina/model/model.h", "sestina/simulation/symbolic_system.h"]
    headers += [
        f"sestina/symbolic/{path.name}" for path in (SOURCE / "sestina/symbolic").glob("*.h") if path.name not in INTERNAL
    ]
    headers += [f"sestina/derivation/{name}.h" for name in ("equation_text", "model_equations", "model_linearization")]
    names: set[str] = set()
    for header in headers:
        if header == "sestina/numerics/dual.h":
            names |= {"Dual", "dual.h"}
        else:
            names |= names_of(header)
    return names


def table() -> dict[str, tuple[str, str]]:
    rows = {}
    for line in (pathlib.Path(__file__).parent / "parity.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            name, sign, what = line.split(" ", 2)
            assert sign in "=-" and what, line
            rows[name] = (sign, what)
    return rows


def test_each_public_name_is_in_the_table():
    names, rows = public_names(), table()
    assert len(names) > 100 and {"System", "freeze", "Workspace::run", "run_sweep", "calc_properties", "SymbolicSystem::set"} <= names
    assert sorted(names - rows.keys()) == [], "C++ names without a Python name or a reason in parity.txt"
    assert sorted(rows.keys() - names) == [], "parity.txt has names that C++ does not have"


def test_each_python_name_of_the_table_is_there():
    for name, (sign, what) in table().items():
        if sign == "=":
            start = {"_core": _core}.get(what.split(".")[0])
            parts = what.split(".")[1:] if start else what.split(".")
            assert functools.reduce(getattr, parts, start or sestina) is not None, name


def test_all_that_is_public_is_documented():
    for name in sestina.__all__:
        assert getattr(sestina, name).__doc__, name
    symbolic = (sestina.symbolic.SymbolicSystem, sestina.symbolic.KanesMethod, sestina.symbolic.LagrangesMethod)
    for kind in (sestina.Model, sestina.System, sestina.Result, sestina.SweepResult, *symbolic):
        for name, member in vars(kind).items():
            if not name.startswith("_") and callable(member):
                assert member.__doc__, f"{kind.__name__}.{name}"
    for name in sestina.symbolic.__all__:
        if name != "pi":
            assert getattr(sestina.symbolic, name).__doc__, f"symbolic.{name}"


def test_all_that_compiled_types_do_is_told_beyond_its_signature():
    told = {name: getattr(sestina.symbolic, name) for name in sestina.symbolic.__all__ if name != "pi"}
    told |= {name: getattr(sestina, name) for name in sestina.__all__}
    count = 0
    for kind_name, kind in told.items():
        if not isinstance(kind, type) or kind.__module__ != "sestina._core":
            continue
        for name, member in vars(kind).items():
            if name.startswith("_") or isinstance(member, property) or not callable(member):
                continue
            text = "\n".join(line for line in member.__doc__.splitlines() if not line.startswith(f"{name}("))
            assert text.strip(), f"{kind_name}.{name}"
            count += 1
    assert count > 100
