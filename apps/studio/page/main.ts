// The page: of a file, it shows the motion that it holds; otherwise it belongs to a server.
import { find } from "./dom";
import { Ghost } from "./ghost";
import { bytesOf, Header, readMotion } from "./message";
import { renderFrames } from "./render";
import { Studio } from "./studio";
import { Viewer } from "./viewer";

declare const SESTINA_ABOUT: string;

function start(): void {
  find("about").textContent = SESTINA_ABOUT;
  const viewer = new Viewer();
  // For programs that take pictures of the page.
  Object.assign(window, { sestina: { viewer } });
  const header = document.getElementById("sestina-header");
  const block = document.getElementById("sestina-block");
  if (!header || !block) {
    new Studio(viewer);
    return;
  }
  const parsed = JSON.parse(header.textContent ?? "") as Header;
  const bytes = bytesOf(block.textContent ?? "");
  viewer.setScene(parsed.scene, readMotion(parsed, bytes.buffer as ArrayBuffer));
  const ghost = document.getElementById("sestina-ghost-header");
  if (ghost) {
    const message = JSON.parse(ghost.textContent ?? "") as { name: string; header: Header };
    const data = bytesOf(document.getElementById("sestina-ghost-block")?.textContent ?? "");
    viewer.setGhost(new Ghost(message.name, message.header.scene, readMotion(message.header, data.buffer as ArrayBuffer)));
  }
  renderFrames(viewer, new URLSearchParams(location.search));
}

try {
  start();
} catch (error) {
  const status = find("status");
  status.textContent = String(error instanceof Error ? error.message : error);
  status.classList.add("bad");
}
