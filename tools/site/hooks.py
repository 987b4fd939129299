"""Makes a site of the repository's Markdown files: see mkdocs.yml.

Every page keeps its path in the repository. A link to a file that is no page, such as a header, leads to a page that shows
the file. The code of tutorials is run, and its output and figures are shown below it.
"""

from __future__ import annotations

import ast
import concurrent.futures
import html
import json
import os
import pathlib
import posixpath
import re
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

from latex2mathml.converter import convert
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import gallery  # noqa: E402

SOURCE = "source"  # the folder of the site that shows files
RUN = ["docs/python.md", "docs/tutorials"]  # what is run: pages, and the pages of folders
FRONT = "README.md"  # the page that a repository opens with; the site has one of its own
REFERENCES = {"python_reference.md": "__init__", "python_symbolic.md": "symbolic"}  # pages, modules of the package
PICTURES = (".svg", ".png", ".gif", ".webp")
GALLERY = "docs/gallery.md"  # whose examples get live pages
LIVE = "live"  # their folder
LARGEST_LIVE = 1  # MB of a live page's motion; rows are left out until it fits
LANGUAGES = {".h": "cpp", ".cpp": "cpp", ".py": "python", ".sh": "bash", ".yaml": "yaml", ".json": "json", ".urdf": "xml"}
LINK = re.compile(r"(!?\[(?:[^\[\]]|\[[^\]]*\])*\]\()<?([^)\s>]+)>?((?:\s+\"[^\"]*\")?\))")
FENCED = re.compile(r"(^````.*?^````$|^```.*?^```$)", re.MULTILINE | re.DOTALL)
DISPLAY = re.compile(r"^\\begin\{(equation|flalign)\*\}\n(.*?)\n\\end\{\1\*\}$", re.MULTILINE | re.DOTALL)  # of derive
FUNCTION = r"(?:<mi>(?:a?(?:sin|cos|tan)h?|exp|log|ln)</mi>|<msup><mi>(?:sin|cos|tan)h?</mi><mrow>[^/]*</m[in]></mrow></msup>)"
THIN = '<mspace width="0.167em" />'
LINK_OR_CODE = re.compile(rf"{LINK.pattern}|`[^`\n]*`")  # code may be in a link's text

outputs: dict[str, list[dict[str, Any]]] = {}  # of the pages that were run
shown: set[str] = set()  # files that have a page
live: dict[str, int] = {}  # by example: bytes of its live page


def _repository_files(pattern: str) -> list[str]:
    listed = subprocess.run([ROOT / "tools/list_files.sh", pattern], check=True, capture_output=True).stdout.decode()
    return sorted(filter(None, listed.split("\0")))


def _pages() -> list[str]:
    own = pathlib.Path(__file__).parent.relative_to(ROOT).as_posix()
    return [name for name in _repository_files("*.md") if name != FRONT and not name.startswith(f"{own}/")]


# ---- links ---------------------------------------------------------------------------------------


def _goal(place: str, target: str) -> str | None:
    """The path in the repository that a link of the file `place` leads to; None where it leads elsewhere."""
    path = target.partition("#")[0]
    if not path or re.match(r"[a-z]+:", target):
        return None
    return posixpath.normpath(posixpath.join(posixpath.dirname(place), path))


def _links(text: str) -> Iterator[re.Match[str]]:
    """The links of a page: groups before the target, target, behind it."""
    for prose in FENCED.split(text)[::2]:
        yield from (match for match in LINK_OR_CODE.finditer(prose) if match.group(2))


def _place(src_uri: str) -> str:
    """The path in the repository of a page."""
    return src_uri if (ROOT / src_uri).exists() else f"tools/site/pages/{src_uri}"


def _page_of(goal: str) -> str:
    """The page of the site for a path in the repository."""
    if goal == FRONT:
        return "index.md"
    own = "tools/site/pages/"
    if goal.startswith(own):
        return goal[len(own) :]
    if goal.endswith((".md", *PICTURES)):
        return goal
    return f"{SOURCE}/{goal.lstrip('.')}.md"  # MkDocs leaves out names that begin with a dot


def _rewrite_links(text: str, src_uri: str) -> str:
    place, folder = _place(src_uri), posixpath.dirname(src_uri) or "."

    def rewrite(match: re.Match[str]) -> str:
        goal = _goal(place, match.group(2)) if match.group(2) else None
        if goal is None or not (ROOT / goal).exists():
            return match.group(0)  # MkDocs reports files that do not exist
        anchor = match.group(2).partition("#")[1:]
        return match.group(1) + posixpath.relpath(_page_of(goal), folder) + "".join(anchor) + match.group(3)

    parts = FENCED.split(text)
    parts[::2] = [LINK_OR_CODE.sub(rewrite, prose) for prose in parts[::2]]
    return "".join(parts)


def _linked_files(pages: list[str]) -> set[str]:
    """The files and folders without a page of their own that pages lead to."""
    found = set()
    for page in pages:
        for link in _links((ROOT / page).read_text()):
            goal = _goal(page, link.group(2))
            if goal and goal != FRONT and not goal.endswith((".md", *PICTURES)) and (ROOT / goal).exists():
                found.add(goal)
    for folder in [goal for goal in found if (ROOT / goal).is_dir()]:
        found.update(name for name in _repository_files(f"{folder}/*") if not name.endswith((".md", *PICTURES)))
    return found


# ---- live pages of examples ---------------------------------------------------------------------


def _make_live_pages(folder: pathlib.Path) -> None:
    """The motion of every example as a page of its own."""
    folder.mkdir(parents=True, exist_ok=True)

    def make(name: str) -> None:
        file = folder / _live_page(name)
        try:
            gallery.make_page(os.environ["SESTINA_PROGRAM"], name, file, "--max-size", str(LARGEST_LIVE))
        except subprocess.CalledProcessError as error:
            raise PluginError(f"{name}: there is no page of its motion\n{error}") from error
        live[f"examples/{name}.yaml"] = file.stat().st_size

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(make, gallery.examples()))


def _live_page(name: str) -> str:
    return f"{name.replace('/', '_')}.html"


def _name_of(path: str) -> str:
    return path.removeprefix("examples/").removesuffix(".yaml")


def _live_link(path: str, goal: str) -> str:
    return f"[Open the live page of this example]({goal}) ({live[path] / 1e6:.1f} MB)"


def _insert_live_links(text: str) -> str:
    """Below the line of each example of the gallery; its pictures lead to the page, too."""
    for path in live:
        name = _name_of(path)
        goal = posixpath.relpath(f"{LIVE}/{_live_page(name)}", posixpath.dirname(GALLERY))
        text = re.sub(rf"(?m)^\[{name}\.yaml\].*$", lambda line, p=path, g=goal: f"{line.group(0)}\n\n{_live_link(p, g)}", text)  # type: ignore[misc]
        text = re.sub(rf"!\[[^\]]*\]\(pictures/gallery/{name.replace('/', '_')}_\w+\.webp\)", rf"[\g<0>]({goal})", text)
    return text


# ---- pages that show files -----------------------------------------------------------------------


def _show(path: str) -> str:
    """The text of a page that shows a file, or lists a folder."""
    head = f"---\nsearch: {{exclude: true}}\nhide: [toc]\n---\n\n# `{path}`\n\n"
    if (ROOT / path).is_dir():
        names = [name for name in _repository_files(f"{path}/*")]
        here = posixpath.dirname(_page_of(path))
        lines = [f"- [{posixpath.relpath(name, path)}]({posixpath.relpath(_page_of(name), here)})" for name in names]
        return head + "\n".join(lines) + "\n"
    text = (ROOT / path).read_text()
    if path in live:
        name = pathlib.Path(path).stem
        goal = posixpath.relpath(f"{LIVE}/{_live_page(_name_of(path))}", posixpath.dirname(_page_of(path)))
        head += f'<iframe class="live" src="{goal}" title="{name}, live" loading="lazy"></iframe>\n\n{_live_link(path, goal)}\n\n'
    language = LANGUAGES.get(pathlib.Path(path).suffix, "text")
    return f"{head}{_reference_link(path)}{'`' * 5}{language}\n{text}{'`' * 5}\n"


def _reference_link(path: str) -> str:
    """To Doxygen's page of a header."""
    if not (path.startswith("src/") and path.endswith(".h")):
        return ""
    name = re.sub("_", "__", pathlib.Path(path).stem) + "_8h.html"
    if not (ROOT / "out/cpp_reference" / name).exists():
        return ""  # two headers of one name, which Doxygen distinguishes by their folders
    up = "../" * (path.count("/") + 1)
    return f'<a href="{up}cpp/{name}">In the C++ reference</a>\n\n'


# ---- the reference of Python -----------------------------------------------------------------------


def _public_names(module: str) -> tuple[list[str], set[str]]:
    """The public names of the module in python/sestina, and those from the extension."""
    tree = ast.parse((ROOT / f"python/sestina/{module}.py").read_text())
    assigned = (node for node in tree.body if isinstance(node, ast.Assign))
    names = next(ast.literal_eval(node.value) for node in assigned if ast.unparse(node.targets[0]) == "__all__")
    imports = (node for node in tree.body if isinstance(node, ast.ImportFrom) and node.module == "_core")
    return names, {alias.name for node in imports for alias in node.names}


def _append_missing_names(text: str, module: str) -> str:
    """A page of the reference, with the public names that it does not place itself at its end."""
    names, of_extension = _public_names(module)
    package = "sestina"
    if module != "__init__":
        package = f"sestina.{module}"
        elsewhere, of_extension_too = _public_names("__init__")
        names = [name for name in names if name not in of_extension & of_extension_too & set(elsewhere)]
    is_module = {path.stem for path in (ROOT / "python/sestina").glob("*.py")}
    missing = [name for name in names if name not in is_module and f"\n::: {package}.{name}\n" not in text + "\n"]
    return text + "".join(f"\n::: {package}.{name}\n" for name in missing)


# ---- pages that are run --------------------------------------------------------------------------


def _run(page: str, files: pathlib.Path) -> list[dict[str, Any]]:
    folder = files / pathlib.Path(page).with_suffix("").name
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    command = [sys.executable, ROOT / "tools/run_page.py", ROOT / page, folder]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "MPLBACKEND": "agg"}, check=False)
    if done.returncode:
        raise PluginError(f"{page}: its code fails\n{done.stderr}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def _formulas(printed: str) -> list[str]:
    """The printed equations in environments that latex2mathml supports."""
    lines = []
    for environment, body in DISPLAY.findall(printed):
        if environment == "flalign":  # whose last && fills the line
            body = "\\begin{align*}\n" + re.sub(r" *&&(?= *(\\\\)?$)", "", body, flags=re.MULTILINE) + "\n\\end{align*}"
        lines += ["", "$$", *body.replace("{aligned}", "{split}").splitlines(), "$$"]
    if not lines and re.search(r"^\\begin\{", printed, re.MULTILINE):
        raise PluginError(f"no equations are found in what was printed:\n{printed}")
    return lines


def _insert_outputs(page: str, text: str) -> str:
    lines = text.split("\n")
    for output in reversed(outputs[page]):
        new = []
        if output["text"].strip():
            new += ["", '<div class="output" markdown>', "", "````text", output["text"].rstrip(), "````", "", "</div>"]
            new += _formulas(output["text"])
        if output["formula"]:
            new += ["", "$$", output["formula"], "$$"]
        for name in output["pictures"]:
            new += ["", f"![]({pathlib.Path(page).stem}/{name}){{ .output }}"]
        lines[output["end_line"] : output["end_line"]] = [*new, ""] if new else []
    return "\n".join(lines)


# ---- what MkDocs calls ---------------------------------------------------------------------------


def _section(nav: list[Any], name: str) -> list[Any]:
    for entry in nav:
        if isinstance(entry, dict) and name in entry:
            return entry[name]
        if isinstance(entry, dict):
            for inner in entry.values():
                if isinstance(inner, list) and (found := _section(inner, name)) is not None:
                    return found
    return None  # type: ignore[return-value]


def _named(nav: Any) -> set[str]:
    if isinstance(nav, str):
        return {nav}
    values = nav.values() if isinstance(nav, dict) else nav
    return set().union(*(_named(value) for value in values))


def on_config(config: Any) -> Any:
    """Adds pages that the navigation does not list."""
    sections = {"docs/decisions/": "Decisions", "docs/tutorials/": "Tutorials", "docs/": "Guide", "": "Contributing"}
    named = _named(config.nav)
    for page in _pages():
        if page not in named:
            name = next(name for folder, name in sections.items() if page.startswith(folder))
            _section(config.nav, name).append(page)
    return config


def on_files(files: Files, config: Any) -> Files:
    """The pages of the repository, what they lead to, their pictures, and what the run of tutorials draws."""
    pages = _pages()
    for page in pages:
        files.append(File.generated(config, page, abs_src_path=str(ROOT / page)))
    for picture in _repository_files("docs/pictures/*"):
        files.append(File.generated(config, picture, abs_src_path=str(ROOT / picture)))
    _make_live_pages(ROOT / "out/live")
    for name in map(lambda path: _live_page(_name_of(path)), sorted(live)):
        files.append(File.generated(config, f"{LIVE}/{name}", abs_src_path=str(ROOT / "out/live" / name)))
    own = [f"tools/site/pages/{page.name}" for page in pathlib.Path(__file__).parent.glob("pages/*.md")]
    for path in sorted(_linked_files(pages + own)):
        files.append(File.generated(config, _page_of(path), content=_show(path)))
        shown.add(_page_of(path))

    folder = ROOT / "out/tutorials"
    to_run = [page for page in pages if page in RUN or posixpath.dirname(page) in RUN]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for page, told in zip(to_run, pool.map(lambda page: _run(page, folder), to_run), strict=True):
            outputs[page] = told
            for name in [name for output in told for name in output["pictures"]]:
                stem = pathlib.Path(page).stem
                uri = f"{posixpath.dirname(page)}/{stem}/{name}"
                files.append(File.generated(config, uri, abs_src_path=str(folder / stem / name)))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    uri = page.file.src_uri
    if uri in shown:
        return markdown
    if uri in REFERENCES:
        markdown = _append_missing_names(markdown, REFERENCES[uri])
    if uri in outputs:
        markdown = _insert_outputs(uri, markdown)
    if uri == GALLERY:
        return _insert_live_links(_rewrite_links(markdown, uri))
    return _rewrite_links(markdown, uri)


def _mathml(latex: str, display: str) -> str:
    found = convert(re.sub(r"\\\\\[\w+\]", r"\\\\", latex), display=display)  # rows have one distance
    if re.search(r"<mi>(&(amp;)?|\\.*?)</mi>", found):
        raise PluginError(f"latex2mathml does not support all of\n{latex}")
    # A function's name keeps a thin space from factors and from what it is of, unless that has parentheses.
    found = re.sub(rf"(</(?!mo>|mtd>)\w+>)(?={FUNCTION})", rf"\1{THIN}", found)
    return re.sub(rf"({FUNCTION})(?!(<mrow>)*<mo [^>]*form=\"prefix\")", rf"\1{THIN}", found)


def on_page_content(content: str, page: Any, config: Any, files: Files) -> str:
    """Formulas become MathML, which browsers draw by themselves."""

    def formula(match: re.Match[str]) -> str:
        latex = html.unescape(match.group(2)).strip()
        is_display = latex.startswith(r"\[")
        return _mathml(latex[2:-2].strip(), "block" if is_display else "inline")

    return re.sub(r'<(span|div) class="arithmatex">(.*?)</\1>', formula, content, flags=re.DOTALL)
