// Frames of the scene for a program that takes them out of the page: `sestina render`.
import { make } from "./dom";
import { Viewer } from "./viewer";

/**
 * `?frames=N&from=T&to=T&mode=M&width=W&height=H&kind=png|jpeg` of the page's address: N pictures, equally far apart in
 * time, as lines of text in the element `sestina-frames`. All of it happens before the page counts as loaded.
 */
export function renderFrames(viewer: Viewer, address: URLSearchParams): boolean {
  const count = Number(address.get("frames") ?? 0);
  if (!(count >= 1)) return false;
  const number = (key: string, otherwise: number): number => Number(address.get(key) ?? otherwise);
  const { drawing, player } = viewer;
  const from = number("from", player.start);
  const to = number("to", player.end);
  drawing.setSize(number("width", 960), number("height", 540));
  drawing.resetView();
  if (player.areModes) player.seekRow(number("mode", 1) - 1);
  const kind = address.get("kind") === "jpeg" ? "image/jpeg" : "image/png";
  const lines: string[] = [];
  for (let i = 0; i < count; ++i) {
    player.seek(count === 1 ? to : from + ((to - from) * i) / (player.areModes ? count : count - 1));
    lines.push(drawing.picture(kind));
  }
  document.body.append(make("pre", { id: "sestina-frames", hidden: true }, lines.join("\n")));
  return true;
}
