#!/usr/bin/env python3
"""gallery.py SESTINA [EXAMPLE...]: takes the pictures of docs/gallery.md, light and dark, in a browser, and writes the page.
gallery.py --check: whether the page and the pictures belong to the examples that there are.

The first needs playwright, Pillow and chromium (./dev test --all installs them).
"""

from __future__ import annotations

import pathlib
import posixpath
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/gallery.md"
PICTURES = ROOT / "docs/pictures/gallery"
SIZE = (1280, 720)
PART = 0.37  # of the duration: when the picture is taken
FRAMES = 20  # of particles, where the example does not say how many
QUALITY = 72  # of WebP
MOST_BYTES = 3_000_000  # of all pictures
HEAD = """# Gallery: every example in the page

Each picture is the page of the [studio](studio.md) at 1280 × 720. In the documentation's site every example has a live
page here: it plays, plots and turns in the browser. `sestina view examples/NAME.yaml -o motion.html` makes the same
page; of particles after `sestina run`, which writes their trajectory.

`tools/gallery.py SESTINA` takes the pictures again and writes this page.
"""


def examples() -> list[str]:
    """Models of bodies, and then of particles: `particles/08_hopper`."""
    found = [path.relative_to(ROOT / "examples").with_suffix("").as_posix()
             for pattern in ("*.yaml", "particles/*.yaml") for path in (ROOT / "examples").glob(pattern)]
    return sorted(found, key=lambda name: ("/" in name, name))


def picture_of(name: str, theme: str) -> str:
    return f"{name.replace('/', '_')}_{theme}.webp"


def make_page(program: str, name: str, file: pathlib.Path, *words: str) -> None:
    """The motion of an example as a page. Particles move where a run has written their trajectory, which is made first."""
    model, options = ROOT / f"examples/{name}.yaml", list(words)
    with tempfile.TemporaryDirectory() as folder:
        if name.startswith("particles/"):
            text = model.read_text()
            duration = float(re.search(r"duration: ([\d.e-]+)", text)[1])  # type: ignore[index]
            if "trajectory:" not in text:
                options += ["--set", f"particles.trajectory={{file: motion.h5, every: {duration / FRAMES}}}"]
            model = pathlib.Path(shutil.copy(model, folder))
            sets = options[len(words):]
            subprocess.run([program, "run", model, "--quiet", *sets], check=True, stdout=subprocess.DEVNULL)
        subprocess.run([program, "view", model, "-o", file, *options], check=True, stdout=subprocess.DEVNULL)


def _rows() -> dict[str, tuple[str, str]]:
    """By example: its title and what it shows, from the table of examples/README.md, with links as from docs/."""

    def move(match: re.Match[str]) -> str:
        goal = posixpath.normpath(posixpath.join("examples", match.group(1)))
        return f"]({posixpath.relpath(goal, 'docs')})"

    found = {}
    for line in (ROOT / "examples/README.md").read_text().splitlines():
        row = re.match(r"\| \[(.+?)\]\(([\w/]+)\.yaml\) \| (.*?) \|", line)
        if row:
            found[row.group(2)] = (row.group(1), re.sub(r"\]\(([^)]+)\)", move, row.group(3)))
    return found


def _page() -> str:
    rows = _rows()
    parts = [HEAD]
    for name in examples():
        title, shows = rows[name]
        if name.startswith("particles/") and not any("## Particles" in part for part in parts):
            parts.append("\n## Particles\n")
        text = textwrap.fill(f"[{name}.yaml](../examples/{name}.yaml): {shows}", 120, break_long_words=False,
                             break_on_hyphens=False)
        parts.append(f"""
{'###' if '/' in name else '##'} {title}

{text}

| light | dark |
|---|---|
| ![{title}, light](pictures/gallery/{picture_of(name, "light")}) | ![{title}, dark](pictures/gallery/{picture_of(name, "dark")}) |
""")
    return "".join(parts)


def check() -> list[str]:
    faults = []
    if missing := set(examples()) - set(_rows()):
        return [f"examples/README.md: has no row for {name}" for name in sorted(missing)]
    if not PAGE.exists() or PAGE.read_text() != _page():
        faults.append("docs/gallery.md: differs from the examples: run tools/gallery.py")
    wanted = {picture_of(name, theme) for name in examples() for theme in ("light", "dark")}
    there = {path.name for path in PICTURES.glob("*")}
    faults += [f"docs/pictures/gallery/{name}: {'is missing' if name in wanted else 'belongs to no example'}" for name in sorted(wanted ^ there)]
    size = sum(path.stat().st_size for path in PICTURES.glob("*"))
    if size > MOST_BYTES:
        faults.append(f"docs/pictures/gallery: {size} bytes, more than {MOST_BYTES}")
    return faults


def take(program: str, names: list[str]) -> None:
    import io

    from PIL import Image
    from playwright.sync_api import sync_playwright

    PICTURES.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"),
            args=["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"])
        for name in names:
            file = pathlib.Path(folder, "page.html")
            make_page(program, name, file)
            page = browser.new_page(viewport={"width": SIZE[0], "height": SIZE[1]})
            page.set_default_timeout(300_000)  # of a machine with other work
            page.goto(file.as_uri())
            page.evaluate(f"sestina.viewer.player.seek({PART} * sestina.viewer.player.end)")
            for theme in ("light", "dark"):
                page.evaluate(f"sestina.viewer.setTheme('{theme}')")
                page.wait_for_timeout(200)
                picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
                picture.save(PICTURES / picture_of(name, theme), quality=QUALITY, method=6)
            page.close()
            file.unlink()
        browser.close()


def main() -> int:
    if sys.argv[1:] == ["--check"]:
        faults = check()
    elif len(sys.argv) > 1:
        take(sys.argv[1], sys.argv[2:] or examples())
        PAGE.write_text(_page())
        faults = check()
    else:
        sys.exit(__doc__)
    print("\n".join(faults), end="\n" if faults else "")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
