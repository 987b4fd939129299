// The page: of a file, it shows the motion that it holds.
import { find } from "./dom";
import { bytesOf, Header, readMotion } from "./message";
import { Viewer } from "./viewer";

declare const SESTINA_ABOUT: string;

function start(): void {
  find("about").textContent = SESTINA_ABOUT;
  const viewer = new Viewer();
  // For programs that take pictures of the page.
  Object.assign(window, { sestina: { viewer } });
  const header = document.getElementById("sestina-header");
  const block = document.getElementById("sestina-block");
  if (!header || !block) return;
  const parsed = JSON.parse(header.textContent ?? "") as Header;
  const bytes = bytesOf(block.textContent ?? "");
  viewer.setScene(parsed.scene, readMotion(parsed, bytes.buffer as ArrayBuffer));
}

try {
  start();
} catch (error) {
  const status = find("status");
  status.textContent = String(error instanceof Error ? error.message : error);
  status.classList.add("bad");
}
