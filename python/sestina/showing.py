"""Motions as pages for a browser or a notebook, and the studio beside a program."""

from __future__ import annotations

import html
import os
import pathlib
import tempfile
import webbrowser
from typing import TYPE_CHECKING

from . import _core
from .errors import InputError
from .result import Result, as_system

if TYPE_CHECKING:
    from ._core import Model, System


class Page:
    """A page of HTML that needs nothing else; a notebook shows it where it is the last of a cell."""

    def __init__(self, text: str, height: int) -> None:
        self.text = text  #: the whole page
        self.height = height  #: pixels in a notebook

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page (.html)."""
        pathlib.Path(path).write_text(self.text, encoding="utf-8")

    def open(self) -> None:
        """Show it in the browser, from a file in the folder for temporary ones."""
        with tempfile.NamedTemporaryFile("w", suffix=".html", prefix="sestina_", delete=False, encoding="utf-8") as file:
            file.write(self.text)
        webbrowser.open(pathlib.Path(file.name).as_uri())

    def __repr__(self) -> str:
        return f"<sestina page, {len(self.text) / 1e6:.1f} MB: save(path), open()>"

    def _repr_html_(self) -> str:
        # In a frame of its own, without the rights of the notebook's page.
        return (
            f'<iframe srcdoc="{html.escape(self.text)}" sandbox="allow-scripts allow-downloads" '
            f'style="width: 100%; height: {self.height}px; border: 1px solid #8888; border-radius: 6px" '
            'title="Motion in three dimensions"></iframe>'
        )


def show(
    what: System | Model | Result,
    *,
    path: str | os.PathLike[str] | None = None,
    height: int = 560,
    max_size: float = 20.0,
) -> Page:
    """The motion of a result, or a description where it begins, as a page with the scene, plots and a time line.

    path      write it there (.html)
    height    of the page in a notebook, pixels
    max_size  megabytes; rows are left out, equally far apart, until the motion takes at most so many
    """
    if isinstance(what, Result):
        page = Page(_core._view_page(what.system, what.table, max_size), height)
    else:
        page = Page(_core._view_page(as_system(what), None, max_size), height)
    if path is not None:
        page.save(path)
    return page


class Studio:
    """A studio that runs beside the program, for a model file."""

    def __init__(self, file: pathlib.Path, port: int) -> None:
        if not hasattr(_core, "_StudioServer"):
            raise InputError("this package was built without the studio: Boost.Beast was missing")
        self.file = file  #: the model that is edited
        self._server = _core._StudioServer(str(file), port)

    @property
    def url(self) -> str:
        """The address with its token: who knows it can use the studio, from this machine alone."""
        return self._server.url

    @property
    def system(self) -> System:
        """The description as it was saved last."""
        from .files import load

        return load(self.file)

    def stop(self) -> None:
        """End it."""
        self._server.stop()

    def __repr__(self) -> str:
        return f"<sestina studio of {self.file}: {self.url}>"


def studio(
    what: System | Model | str | os.PathLike[str],
    *,
    path: str | os.PathLike[str] | None = None,
    port: int = 0,
    open_browser: bool = True,
) -> Studio:
    """Edit, run and look at a description in the browser, while this program goes on.

    what          a description, which is written to `path` first, or the name of a model file
    path          the file to edit (.yaml); unless given, a new one in the folder for temporary ones
    port          of the loopback address; 0: one that is free
    open_browser  False: the address is `url`
    """
    if isinstance(what, (str, os.PathLike)):
        if path is not None:
            raise InputError("path: the model has a file already")
        file = pathlib.Path(what)
    else:
        file = pathlib.Path(path) if path is not None else pathlib.Path(tempfile.mkdtemp(prefix="sestina_")) / "model.yaml"
        as_system(what).save(file)
    running = Studio(file, port)
    if open_browser:
        webbrowser.open(running.url)
    return running
