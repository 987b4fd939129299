// The page of the selected body or contact: what it is, and its values at the present instant.
import { make, short } from "./dom";
import { Motion, Scene, sidesOf } from "./message";
import { unitText } from "./plot";

export interface Selected {
  scene: Scene;
  motion: Motion;
  selected: number; // body
  contact: number;
  /** The point whose path is shown. */
  traced: string | undefined;
}

export class SelectionPage {
  private last: Selected | undefined;
  /** Bring what changes with the row up to date; buttons stay, so that they can be pressed while a motion plays. */
  private updates: ((row: number) => void)[] = [];

  constructor(private readonly page: HTMLElement, private readonly onTrace: (point: string) => void) {}

  show(now: Selected, row: number): void {
    const { last } = this;
    const isSame = last && (Object.keys(now) as (keyof Selected)[]).every((key) => now[key] === last[key]);
    if (!isSame) {
      const focused = this.page.contains(document.activeElement) ? document.activeElement?.getAttribute("aria-label") : undefined;
      this.last = now;
      this.updates = [];
      this.page.replaceChildren(...this.parts(now));
      if (focused) this.page.querySelector<HTMLElement>(`[aria-label="${focused}"]`)?.focus();
    }
    this.updates.forEach((update) => update(row));
  }

  private parts(now: Selected): HTMLElement[] {
    const { scene, motion, selected, contact } = now;
    if (contact >= 0 && contact < scene.contacts.length) return this.contactParts(scene, motion, contact);
    if (selected < 0) return [make("p", { class: "hint" }, "Click a body in the scene or in the tree, or a contact.")];
    const body = scene.bodies[selected];
    const rows: [string, string][] = [];
    if (selected > 0) {
      rows.push(["Mass", `${short(body.mass)} kg`], ["Mass centre", `${triple(body.mass_centre)} m`]);
      if (!body.particle) {
        const [xx, yy, zz, xy, xz, yz] = body.inertia;
        rows.push(["Inertia xx, yy, zz", `${triple([xx, yy, zz])} kg m²`], ["Inertia xy, xz, yz", `${triple([xy, xz, yz])} kg m²`]);
      }
    }
    const parts: HTMLElement[] = [make("h3", {}, body.name), tableOf(rows)];
    for (const joint of scene.joints) {
      if (joint.child !== selected && joint.parent !== selected) continue;
      const way = joint.child === selected ? `from ${scene.bodies[joint.parent].name}` : `to ${scene.bodies[joint.child].name}`;
      parts.push(make("h3", {}, `${joint.name} `, make("span", { class: "unit" }, `${joint.type}, ${way}`)), this.valuesOf(motion, joint.name));
    }
    return [...parts, make("h3", {}, "Points"), this.points(now)];
  }
  private points({ scene, selected, traced }: Selected): HTMLElement {
    const rows = scene.points.filter((point) => point.body === selected).map((point) => {
      const trace = make("button", {
        class: "small", "aria-label": `Path of ${point.name}`, "aria-pressed": String(traced === point.name), onclick: () => this.onTrace(point.name),
      }, "Path");
      return make("tr", {}, make("th", { scope: "row" }, point.name.split(".").slice(1).join(".")),
        make("td", {}, `${triple(point.pose.slice(0, 3))} m`, ...(selected > 0 ? [trace] : [])));
    });
    return make("table", {}, ...rows);
  }
  /** The present values of the columns NAME.*. */
  private valuesOf(motion: Motion, name: string): HTMLElement {
    const columns = motion.columns.filter((column) => column.name.startsWith(`${name}.`));
    const cells = columns.map(() => make("td", {}));
    this.updates.push((row) => columns.forEach((column, i) => {
      cells[i].textContent = `${short(motion.at(column.name, row) ?? NaN)} ${unitText(column.unit)}`;
    }));
    return make("table", {}, ...columns.map((column, i) => make("tr", {}, make("th", { scope: "row" }, column.name.slice(name.length + 1)), cells[i])));
  }
  private contactParts(scene: Scene, motion: Motion, contact: number): HTMLElement[] {
    const { name, between } = scene.contacts[contact];
    const list = make("div", {});
    this.updates.push((row) => {
      const points = (motion.contacts?.at(row) ?? []).filter((one) => one.contact === contact);
      if (points.length === 0) list.replaceChildren(make("p", { class: "hint" }, "No point carries load at this instant."));
      else list.replaceChildren(make("h3", {}, "Contact points"), tableOf(points.flatMap(({ at, force }, i): [string, string][] => [
        [`${i + 1}: place`, `${triple(at)} m`], [`${i + 1}: force`, `${triple(force, 1e-9 * Math.hypot(...force))} N`],
      ])));
    });
    return [make("h3", {}, `${name} `, make("span", { class: "unit" }, `contact of ${sidesOf(between)}`)), this.valuesOf(motion, name), list];
  }
}

/** Numbers below `least` are round-off. */
function triple(values: number[], least = 1e-12): string {
  return values.map((x) => short(Math.abs(x) < least ? 0 : x, 4)).join(", ");
}
function tableOf(rows: [string, string][]): HTMLElement {
  return make("table", {}, ...rows.map(([name, value]) => make("tr", {}, make("th", { scope: "row" }, name), make("td", {}, value))));
}
