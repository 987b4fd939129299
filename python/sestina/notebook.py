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
MOST_WAITING = 8  #: blocks that the page has not taken yet

# The page is in a frame of its own, without the rights of the notebook's page. What it has taken is told, so that a
# run waits for a page that draws slowly.
SCRIPT = """
export default {
  render({ model, el }) {
    const frame = document.createElement("iframe");
    frame.setAttribute("sandbox", "allow-scripts allow-downloads");
    frame.title = "Studio of Sestina";
    frame.style.cssText = `width: 100%; height: ${model.get("height")}px; border: 1px solid #8888; border-radius: 6px`;
    const fromPage = (event) => {
      if (event.source === frame.contentWindow) model.send(event.data);
    };
    const toPage = (content, buffers) => {
      const target = frame.contentWindow;
      if (!target) return;
      if (content.text !== undefined) return target.postMessage(content.text, "*");
      const { buffer, byteOffset, byteLength } = buffers[0];
      const bytes = buffer.slice(byteOffset, byteOffset + byteLength);
      target.postMessage(bytes, "*", [bytes]);
      model.send({ type: "taken" });
    };
    window.addEventListener("message", fromPage);
    model.on("msg:custom", toPage);
    frame.srcdoc = model.get("page");
    el.append(frame);
    return () => {
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
    """Carries the messages of one page to a session and back."""

    def __init__(self, file: pathlib.Path, send: Any) -> None:
        self.file = file  #: the model that is edited
        self._session = _core._StudioSession(str(file))
        self._send = send  # send(content, buffers)
        self._lock = threading.Lock()
        self._waiting = 0  # blocks
        self._worker: threading.Thread | None = None

    def take(self, content: dict[str, object]) -> None:
        """Handle a message of the page."""
        if content.get("type") == "taken":
            self._waiting = max(0, self._waiting - 1)
        elif content.get("type") == "join":
            self._waiting = 0
            self._pass_on(self._session.join)
            self._watch()
        else:
            self._pass_on(lambda: self._session.handle(json.dumps(content)))

    def look(self) -> None:
        """Pass on what the run has computed, unless the page has much to take."""
        if self._waiting < MOST_WAITING:
            self._pass_on(self._session.tick)

    def _pass_on(self, call: Any) -> None:
        with self._lock:  # messages leave in the order in which the session has made them
            for is_text, data in call():
                if is_text:
                    self._send({"text": data.decode()}, None)
                else:
                    self._waiting += 1
                    self._send({}, [data])

    def _watch(self) -> None:
        if self._worker is None:
            self._worker = threading.Thread(target=_look_on, args=(weakref.ref(self),), daemon=True, name="sestina studio")
            self._worker.start()


def _look_on(owner: weakref.ref[Carrier]) -> None:
    pause = threading.Event()
    while True:
        carrier = owner()
        if carrier is None:
            return
        carrier.look()
        del carrier
        pause.wait(PERIOD)
