// Choosing a point in the scene: one that is there, or a new one where a body is clicked.
import { find } from "./dom";
import { Triple } from "./message";
import { Viewer } from "./viewer";

const NEAR = 14; // CSS pixels

export class Picking {
  private take: ((name: string) => void) | undefined;
  private hidesPoints = false;

  constructor(
    private readonly viewer: Viewer, private readonly send: (message: Record<string, unknown>) => void,
    private readonly tell: (text: string) => void,
  ) {
    viewer.claimClick = (x, y) => this.click(x, y);
    document.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && this.take) this.end("");
    });
  }

  begin(take: (name: string) => void): void {
    this.take = take;
    this.hidesPoints = !this.viewer.drawing.isShown("points");
    this.viewer.drawing.show("points", true);
    find("canvas").classList.add("picking");
    this.tell("Click a point, or a body where a new point shall be; Esc: neither.");
  }

  private end(text: string): void {
    this.take = undefined;
    if (this.hidesPoints) this.viewer.drawing.show("points", false);
    find("canvas").classList.remove("picking");
    this.tell(text);
  }
  private click(x: number, y: number): boolean {
    const { take } = this;
    if (!take) return false;
    const name = this.pointAt(x, y) ?? this.newPoint(x, y);
    if (name) {
      take(name);
      this.end(`chosen: ${name}`);
    }
    return true;
  }
  private pointAt(x: number, y: number): string | undefined {
    const { scene, drawing } = this.viewer;
    let [nearest, least] = [undefined as string | undefined, NEAR];
    for (const { name, body, pose } of scene?.points ?? []) {
      const at = drawing.project(body, pose.slice(0, 3) as Triple);
      const distance = at ? Math.hypot(at.x - x, at.y - y) : Infinity;
      if (distance < least) [nearest, least] = [name, distance];
    }
    return nearest;
  }
  private newPoint(x: number, y: number): string | undefined {
    const { scene, drawing } = this.viewer;
    const { body, point } = drawing.pick(x, y);
    if (!scene || body < 0) return undefined;
    const local = drawing.groups[body].worldToLocal(point.clone());
    const step = 10 ** Math.floor(Math.log10(scene.extent || 1) - 2); // about a hundredth of the mechanism
    const place = [local.x, local.y, local.z].map((one) => String(Number((Math.round(one / step) * step).toPrecision(6)) + 0));
    const owner = scene.bodies[body].name;
    const taken = new Set(scene.points.map((one) => one.name));
    let count = 1;
    while (taken.has(`${owner}.p${count}`)) ++count;
    const path = body === 0 ? "ground.points" : "points";
    const target = body === 0 ? { list: "", name: "" } : { list: "bodies", name: owner };
    this.send({ type: "edit", ...target, values: { [`${path}.p${count}`]: `[${place.join(", ")}]` } });
    return `${owner}.p${count}`;
  }
}
