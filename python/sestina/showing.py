"""Motions as pages for a browser or a notebook, and the studio next to a running program."""

from __future__ import annotations

import html
import math
import os
import pathlib
import queue
import tempfile
import threading
import traceback
import weakref
import webbrowser
from collections.abc import Callable
from typing import TYPE_CHECKING

from . import _core
from .errors import InputError
from .files import load, text_of_value
from .result import Result, as_system

if TYPE_CHECKING:
    from ._core import Model, System


class Page:
    """A self-contained page of HTML; a notebook shows it if it is the last value of a cell."""

    def __init__(self, text: str, height: int) -> None:
        self.text = text  #: the whole page
        self.height = height  #: pixels in a notebook

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page (.html)."""
        pathlib.Path(path).write_text(self.text, encoding="utf-8")

    def open(self) -> None:
        """Show it in the browser, from a file in the folder for temporary files."""
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
    ghost: Result | None = None,
    height: int = 560,
    max_size: float = 20.0,
) -> Page:
    """Return the motion of a result, or a description in its initial state, as a page with scene, plots and time line.

    path      write it there (.html)
    ghost     a second result, which is drawn translucent beside that of `what`; plots show both
    height    of the page in a notebook, pixels
    max_size  megabytes; rows are left out at equal intervals until the motion needs no more
    """
    system, table = (what.system, what.table) if isinstance(what, Result) else (as_system(what), None)
    second = (None, None) if ghost is None else (ghost.system, ghost.table)
    page = Page(_core._view_page(system, table, max_size, *second), height)
    if path is not None:
        page.save(path)
    return page


class Studio:
    """A studio that runs in parallel to the program, for a model file."""

    def __init__(self, file: pathlib.Path, port: int) -> None:
        if not hasattr(_core, "_StudioServer"):
            raise InputError("this package was built without the studio: Boost.Beast was missing")
        if not 0 <= port <= 65535:
            raise InputError(f"port: {port} is not a number from 0 to 65535")
        self.file = file  #: the model that is edited
        self._server = _core._StudioServer(str(file), port)
        self._actions: queue.SimpleQueue[tuple[str, str, float]] = queue.SimpleQueue()
        self._on_select: Callable[[str | None], object] | None = None
        self._controls: dict[str, Callable[[float], object]] = {}
        self._worker: threading.Thread | None = None

    @property
    def url(self) -> str:
        """The address with its token: anyone on this machine who knows it can use the studio."""
        return self._server.url

    @property
    def system(self) -> System:
        """The description as last saved."""
        return load(self.file)

    def set(self, path: str, value: object) -> None:
        """Change a value of the model in the studio, as its user would: `studio.set("parameters.l1", 0.5)`.

        path   a key of the model, as for load(set=...)
        value  number, list or mapping of these, or text of YAML, such as an expression
        A key that its item does not have yet is added. Raises InputError if there is no such item or parameter, if the
        text can only be edited as text there, and after stop().
        """
        fault = self._server.set_value(path, text_of_value(value))
        if fault:
            raise InputError(fault)

    def on_select(self, callback: Callable[[str | None], object]) -> None:
        """Call a function with the name of the body that is selected in the page; None: nothing is selected.

        Callbacks run one after the other on a thread of their own. What they raise is printed.
        """
        self._listen()
        self._on_select = callback

    def add_button(self, name: str, callback: Callable[[], object]) -> None:
        """Add a button to the page, which calls a function; a control of this name is replaced."""
        self._listen()
        self._controls[name] = lambda _: callback()
        self._server.add_control(name, False, 0.0, 1.0, 0.0)

    def add_slider(
        self, name: str, callback: Callable[[float], object], *, lower: float = 0.0, upper: float = 1.0, value: float = 0.0
    ) -> None:
        """Add a slider to the page, which calls a function with its value when it is moved.

        lower, upper  the ends of the slider
        value         where it begins
        """
        if not -math.inf < lower <= value <= upper < math.inf or not lower < upper:
            raise InputError(f"value: {value} is not between {lower} and {upper}, two numbers with lower below upper")
        self._listen()
        self._controls[name] = callback
        self._server.add_control(name, True, lower, upper, value)

    def _listen(self) -> None:
        if self._worker is not None:
            return
        self._server.on_action(_put_into(self._actions))
        self._worker = threading.Thread(target=_call, args=(self._actions, weakref.ref(self)), daemon=True, name="sestina studio")
        self._worker.start()

    def _act(self, kind: str, name: str, value: float) -> None:
        if kind == "select":
            if self._on_select is not None:
                self._on_select(name or None)
        else:
            self._controls[name](value)

    def stop(self) -> None:
        """End the studio."""
        self._server.stop()

    def __repr__(self) -> str:
        return f"<sestina studio of {self.file}: {self.url}>"


def _put_into(actions: queue.SimpleQueue[tuple[str, str, float]]) -> Callable[[str, str, float], None]:
    return lambda kind, name, value: actions.put((kind, name, value))


def _call(actions: queue.SimpleQueue[tuple[str, str, float]], owner: weakref.ref[Studio]) -> None:
    """Run the callbacks of a studio until there is none."""
    while True:
        try:
            action = actions.get(timeout=1.0)
        except queue.Empty:
            if owner() is None:
                return
            continue
        running = owner()
        if running is None:
            return
        try:
            running._act(*action)
        except BaseException:  # sys.exit() too: the next callback is still called
            traceback.print_exc()
        del running


def file_of_model(what: System | Model | str | os.PathLike[str], path: str | os.PathLike[str] | None) -> pathlib.Path:
    """Return the file of a model, which is written first if it is a description.

    what  a description, or the name of a model file
    path  the file to write (.yaml); by default a new one in the folder for temporary files
    """
    if isinstance(what, (str, os.PathLike)):
        if path is not None:
            raise InputError("path: the model has a file already")
        return pathlib.Path(what)
    file = pathlib.Path(path) if path is not None else pathlib.Path(tempfile.mkdtemp(prefix="sestina_")) / "model.yaml"
    as_system(what).save(file)
    return file


def studio(
    what: System | Model | str | os.PathLike[str],
    *,
    path: str | os.PathLike[str] | None = None,
    port: int = 0,
    open_browser: bool = True,
) -> Studio:
    """Edit, run and view a description in the browser while this program continues.

    what          a description, which is written to `path` first, or the name of a model file
    path          the file to edit (.yaml); by default a new one in the folder for temporary files
    port          of the loopback address; 0: a free one
    open_browser  False: the address is `url`
    """
    running = Studio(file_of_model(what, path), port)
    if open_browser:
        webbrowser.open(running.url)
    return running
