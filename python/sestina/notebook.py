"""The studio in a cell of a notebook, without a port: its messages travel with those of the notebook."""

from __future__ import annotations

import json
import os
import pathlib
import threading
import weakref
from typing import TYPE_CHECKING, Any

from . import _core
from .errors import InputError
from .showing import file_of_model

if TYPE_CHECKING:
    from ._core import Model, System

PERIOD = 1 / 30  #: s between two looks at the run
MOST_WAITING = 8  #: blocks that a page has not taken yet
MOST_BLOCKED = 100  #: looks at the run for which a page may keep other pages waiting
MOST_SILENT = 3  #: signs of life of each other page without one of its own, after which a page is gone

# The page is in a frame of its own, without the rights of the notebook's page. What it has taken is told, so that a
# run waits for a page that draws slowly. A notebook may be open in several windows, and show a widget several times:
# each is a page with a name, and the first one edits. A window that is closed says nothing, and so is missed.
SCRIPT = """
export default {
  render({ model, el }) {
    const view = Array.from(crypto.getRandomValues(new Uint32Array(2)), (x) => x.toString(36)).join("");
    const send = (content) => model.send({ ...content, view });
    const frame = document.createElement("iframe");
    frame.setAttribute("sandbox", "allow-scripts allow-downloads");
    frame.title = "Studio of Sestina";
    frame.style.cssText = `width: 100%; height: ${model.get("height")}px; border: 1px solid #8888; border-radius: 6px`;
    const fromPage = (event) => {
      if (event.source === frame.contentWindow) send(event.data);
    };
    const toPage = (content, buffers) => {
      const target = frame.contentWindow;
      if (!target || content.view !== view) return;
      if (content.text !== undefined) return target.postMessage(content.text, "*");
      const { buffer, byteOffset, byteLength } = buffers[0];
      const bytes = buffer.slice(byteOffset, byteOffset + byteLength);
      target.postMessage(bytes, "*", [bytes]);
      send({ type: "taken" });
    };
    const life = setInterval(() => send({ type: "alive" }), 1000);
    window.addEventListener("message", fromPage);
    model.on("msg:custom", toPage);
    frame.srcdoc = model.get("page");
    el.append(frame);
    return () => {
      clearInterval(life);
      send({ type: "leave" });
      window.removeEventListener("message", fromPage);
      model.off("msg:custom", toPage);
    };
  },
};
"""


def studio_widget(what: System | Model | str | os.PathLike[str], *, path: str | os.PathLike[str] | None = None, height: int = 640) -> Any:
    """Return a widget that edits, runs and views a description in the cell of a notebook.

    It needs the package anywidget (pip install "sestina[notebook]"), and no port: it also works on a remote machine.
    The page is answered while the notebook executes no cell; a run that has begun is shown at all times.

    what    a description, which is written to `path` first, or the name of a model file
    path    the file to edit (.yaml); by default a new one in the folder for temporary files
    height  of the page, pixels
    Raises InputError if anywidget is missing, or this package was built without the page.
    """
    try:
        import anywidget
        import traitlets
    except ImportError:
        raise InputError('a studio in a notebook needs anywidget: pip install "sestina[notebook]"') from None
    page_text = _core._studio_page()
    if not page_text:
        raise InputError("this package was built without the page of the studio: esbuild or libjs-three was missing")

    class StudioWidget(anywidget.AnyWidget):  # type: ignore[misc]
        _esm = SCRIPT
        page = traitlets.Unicode().tag(sync=True)
        height = traitlets.Int().tag(sync=True)

    file = file_of_model(what, path)
    widget = StudioWidget(page=page_text, height=height)
    widget.carrier = Carrier(file, widget.send)
    widget.on_msg(lambda _, content, __: widget.carrier.take(content))
    return widget


class Carrier:
    """Carries the messages of pages to a session and back."""

    def __init__(self, file: pathlib.Path, send: Any) -> None:
        self.file = file  #: the model that is edited
        self._session = _core._StudioSession(str(file))
        self._send = send  # send(content, buffers)
        self._lock = threading.Lock()
        self._pages: dict[str, _Page] = {}
        self._made = 0  # pages, also those that are gone
        self._worker: threading.Thread | None = None

    def take(self, content: dict[str, object]) -> None:
        """Handle a message of a page."""
        message = dict(content)
        view = str(message.pop("view", ""))
        kind = message.get("type")
        if kind in ("join", "leave"):
            self._leave(view)  # the page has been loaded again
        if kind == "leave":
            return
        if view not in self._pages:  # or was missed, and is there again
            self._join(view)
        page = self._pages[view]
        if kind == "taken":
            page.waiting = max(0, page.waiting - 1)
            page.blocked = 0
        elif kind == "alive":
            self._miss_others(view)
        elif kind != "join":
            self._pass_on(lambda: self._session.handle(page.number, json.dumps(message)))

    def look(self) -> None:
        """Pass on what the run has computed, unless a page has much to take; one that takes nothing is given up."""
        blocked = [name for name, page in list(self._pages.items()) if page.waiting >= MOST_WAITING]
        if not blocked:
            self._pass_on(self._session.tick)
        for name in blocked:
            self._pages[name].blocked += 1
            if self._pages[name].blocked > MOST_BLOCKED and len(self._pages) > 1:
                self._leave(name)

    def _join(self, view: str) -> None:
        self._made += 1
        page = self._pages[view] = _Page(self._made)
        self._pass_on(lambda: self._session.join(page.number))
        self._watch()

    def _leave(self, view: str) -> None:
        page = self._pages.pop(view, None)
        if page is not None:
            self._pass_on(lambda: self._session.leave(page.number))

    def _miss_others(self, view: str) -> None:
        self._pages[view].silence = 0
        for other in [name for name in self._pages if name != view]:
            self._pages[other].silence += 1
            if self._pages[other].silence > MOST_SILENT * (len(self._pages) - 1):
                self._leave(other)

    def _pass_on(self, call: Any) -> None:
        with self._lock:  # messages leave in the order in which the session has made them
            for number, is_text, data in call():
                view = next((name for name, page in list(self._pages.items()) if page.number == number), None)
                if view is None:
                    continue
                if is_text:
                    self._send({"view": view, "text": data.decode()}, None)
                else:
                    self._pages[view].waiting += 1
                    self._send({"view": view}, [data])

    def _watch(self) -> None:
        if self._worker is None:
            self._worker = threading.Thread(target=_look_on, args=(weakref.ref(self),), daemon=True, name="sestina studio")
            self._worker.start()


class _Page:
    """A page, as its carrier knows it."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.waiting = 0  # blocks
        self.blocked = 0  # looks at the run since it took a block
        self.silence = 0  # signs of life of other pages since its last one


def _look_on(owner: weakref.ref[Carrier]) -> None:
    pause = threading.Event()
    while True:
        carrier = owner()
        if carrier is None:
            return
        carrier.look()
        del carrier
        pause.wait(PERIOD)
