#!/usr/bin/env python3
"""check_site.py FOLDER: every link of a built site leads to a file of it and to a place in that file, and no page fetches
anything from a host."""

from __future__ import annotations

import html.parser
import pathlib
import re
import sys
import urllib.parse

FETCHED = {"script": "src", "img": "src", "link": "href", "iframe": "src", "source": "src", "video": "src"}


class Page(html.parser.HTMLParser):
    """The links of a page, what it fetches, and the places that links may lead to."""

    def __init__(self, path: pathlib.Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.fetched: list[str] = []
        self.places: set[str] = {""}
        self.feed(path.read_text())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.places.update(filter(None, (given.get("id"), given.get("name") if tag == "a" else None)))
        if tag == "a" and given.get("href"):
            self.links.append(given["href"])
        if target := given.get(FETCHED.get(tag, "")):
            self.fetched.append(target)


def main() -> int:
    root = pathlib.Path(sys.argv[1]).resolve()
    reference = root / "cpp"  # Doxygen's own pages, of which only the existence matters
    pages = {path: Page(path) for path in root.rglob("*.html") if reference not in path.parents}
    faults = []
    for path, page in pages.items():
        name = path.relative_to(root)
        if name.name == "404.html":
            continue
        for target in page.links + page.fetched:
            if re.match(r"[a-z]+:|//", target):
                if target in page.fetched and not target.startswith("data:"):
                    faults.append(f"{name}: is fetched from a host: {target}")
                continue
            file, _, place = target.partition("#")
            goal = (path.parent / urllib.parse.unquote(file)).resolve() if file else path
            if goal.is_dir():
                goal /= "index.html"
            if not goal.exists():
                faults.append(f"{name}: {target}: no such file")
            elif goal in pages and urllib.parse.unquote(place) not in pages[goal].places:
                faults.append(f"{name}: {target}: no such place")
    for style in root.glob("assets/**/*.css"):
        if re.search(r"url\(\s*['\"]?(https?:)?//", style.read_text()):
            faults.append(f"{style.relative_to(root)}: fetches from a host")
    print("\n".join(sorted(set(faults))))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
