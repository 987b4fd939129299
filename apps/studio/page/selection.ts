// The page of the selected body or item: what it is, and its values at the present instant.
import { make, short } from "./dom";
import { Motion, Scene, sidesOf } from "./message";
import { unitText } from "./plot";

export interface Selected {
  scene: Scene;
  motion: Motion;
  selected: number; // body
  item: number; // force, contact, ...
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
    const { scene, motion, selected, item } = now;
    if (item >= 0 && item < scene.items.length) return this.itemParts(scene, motion, item);
    if (selected < 0) return [make("p", { class: "hint" }, "Click a body in the scene, or anything in the tree.")];
    const body = scene.bodies[selected];
    const rows: [string, string][] = [];
    if (selected > 0) {
      rows.push(["Mass", `${short(body.mass)} kg`], ["Mass centre", `${triple(body.mass_centre)} m`]);
      if (!body.particle) {
        const [xx, yy, zz, xy, xz, yz] = body.inertia;
        rows.push(["Inertia xx, yy, zz", `${triple([xx, yy, zz])} kg\u00a0m²`], ["Inertia xy, xz, yz", `${triple([xy, xz, yz])} kg\u00a0m²`]);
      }
    }
    const parts: HTMLElement[] = [make("h3", {}, body.name), tableOf(rows)];
    for (const joint of scene.joints) {
      if (joint.child !== selected && joint.parent !== selected) continue;
      // Actuators measure along a line of their own.
      if (joint.closes_loop && !scene.items.some(({ list, name }) => list === "joints" && name === joint.name)) continue;
      const way = joint.child === selected ? `from ${scene.bodies[joint.parent].name}` : `to ${scene.bodies[joint.child].name}`;
      parts.push(make("h3", {}, `${joint.name} `, make("span", { class: "unit" }, `${joint.type}, ${way}`)), this.valuesOf(motion, joint.name));
    }
    return [...parts, ...this.points(now)];
  }
  private points({ scene, selected, traced }: Selected): HTMLElement[] {
    const rows = scene.points.filter((point) => point.body === selected).map((point) => {
      const trace = make("button", {
        class: "small", "aria-label": `Path of ${point.name}`, "aria-pressed": String(traced === point.name), onclick: () => this.onTrace(point.name),
      }, "Path");
      return make("tr", {}, make("th", { scope: "row" }, point.name.split(".").slice(1).join(".")),
        make("td", {}, `${triple(point.pose.slice(0, 3))} m`, ...(selected > 0 ? [trace] : [])));
    });
    return rows.length > 0 ? [make("h3", {}, "Points"), make("table", {}, ...rows)] : [];
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
  private itemParts(scene: Scene, motion: Motion, item: number): HTMLElement[] {
    const { list, name, type } = scene.items[item];
    const isContact = list === "contacts";
    const sides = sidesOf(scene.items[item]);
    const about = isContact ? `contact of ${sides}` : [type, sides].filter((text) => text !== "").join(", ");
    const parts = [make("h3", {}, `${name} `, make("span", { class: "unit" }, about)), this.valuesOf(motion, name)];
    if (isContact || (motion.forces?.largestOf(item) ?? 0) > 0) parts.push(this.forcesOf(motion, item, isContact));
    return parts;
  }
  /** The arrows of an item at the present instant, in numbers. */
  private forcesOf(motion: Motion, item: number, isContact: boolean): HTMLElement {
    const list = make("div", {});
    const title = make("h3", {}, isContact ? "Contact points" : "Forces on bodies");
    const none = make("p", { class: "hint" }, isContact ? "No point carries load at this instant." : "There is no force at this instant.");
    this.updates.push((row) => {
      const forces = (motion.forces?.at(row) ?? []).filter((one) => one.item === item);
      list.replaceChildren(...(forces.length === 0 ? [none] : [title, tableOf(forces.flatMap(({ at, force }, i): [string, string][] => [
        [`${i + 1}: place`, `${triple(at)} m`], [`${i + 1}: force`, `${triple(force, 1e-9 * Math.hypot(...force))} N`],
      ]))]));
    });
    return list;
  }
}

/** Numbers below `least` are round-off. */
function triple(values: number[], least = 1e-12): string {
  return values.map((x) => short(Math.abs(x) < least ? 0 : x, 4)).join(", ");
}
function tableOf(rows: [string, string][]): HTMLElement {
  return make("table", {}, ...rows.map(([name, value]) => make("tr", {}, make("th", { scope: "row" }, name), make("td", {}, value))));
}
