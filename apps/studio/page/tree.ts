// The bodies as a tree, each with the joint that carries it; then joints that close loops, constraints, forces,
// contacts and events.
import { make } from "./dom";
import { coloursOf } from "./drawing";
import { bytesOf, Scene, SceneItem, SceneParticles, sidesOf } from "./message";
import { SPECIES_COLOURS } from "./particles";

const TITLES: Record<string, string> = {
  joints: "Joints that close loops", constraints: "Constraints", forces: "Forces", contacts: "Contacts", events: "Events",
};
const MANY = 30; // items of a list that is folded at first

export class BodyTree {
  onSelect: (body: number) => void = () => undefined;
  onSelectItem: (item: number) => void = () => undefined;
  private readonly others: HTMLElement[] = []; // by item
  private readonly items: HTMLElement[] = []; // by body; bodies that carry a deformation have none
  private readonly beams = new Map<string, { nodes: HTMLElement[]; fold: (folded: boolean) => void }>();
  private colours: string[] = []; // by body
  private selected = -1;

  constructor(private readonly element: HTMLElement) {
    element.addEventListener("keydown", (event) => this.press(event));
  }

  setScene(scene: Scene): void {
    this.items.length = this.others.length = 0;
    this.beams.clear();
    const children = scene.bodies.map(() => [] as number[]);
    scene.bodies.forEach((body, b) => {
      if (body.parent >= 0) children[body.parent].push(b);
    });
    const joints = new Map<number, string>();
    for (const joint of scene.joints) {
      const isNamedLikeBody = joint.name === scene.bodies[joint.child].name;
      if (!joint.closes_loop) joints.set(joint.child, isNamedLikeBody ? joint.type : `${joint.name} · ${joint.type}`);
    }
    this.element.replaceChildren();
    // Bodies are in depth-first order; a chain is not indented without end.
    const depth = scene.bodies.map(() => 0);
    this.colours = coloursOf(scene);
    scene.bodies.forEach((body, b) => {
      const parent = body.parent;
      if (parent >= 0) depth[b] = depth[parent] + (children[parent].length > 1 || parent === 0 ? 1 : 0);
      if (body.mode) return;
      const item = this.makeItem(scene, b, depth[b], joints.get(b));
      if (body.beam) this.beams.get(body.beam)?.nodes.push(item);
      if (body.beam && !this.beams.has(body.beam)) this.beams.set(body.beam, { nodes: [item], fold: () => undefined });
    });
    this.items.forEach((item, b) => this.place(item, scene.bodies[b].beam));
    for (const list of Object.keys(TITLES)) this.addList(scene, list);
    if (scene.particles) this.addSpecies(scene.particles);
    this.select(-1); // who sets the scene selects
  }

  select(body: number): void {
    this.selected = body;
    this.items.forEach((item, b) => {
      item.setAttribute("aria-selected", String(b === body));
      item.tabIndex = b === body || (body < 0 && b === 0) ? 0 : -1;
    });
    for (const { nodes, fold } of this.beams.values()) {
      if (nodes.includes(this.items[body])) fold(false);
    }
    if (body >= 0) this.items[body]?.scrollIntoView({ block: "nearest" });
  }

  selectItem(item: number): void {
    this.others.forEach((one, i) => one.setAttribute("aria-selected", String(i === item)));
  }

  private makeItem(scene: Scene, b: number, depth: number, joint: string | undefined): HTMLElement {
    const item = make("li", {
      role: "treeitem", "aria-level": depth + 1, "data-body": b, style: `--depth:${Math.min(depth, 6)}`,
      title: joint ? `${scene.bodies[b].name}, carried by ${joint}` : scene.bodies[b].name,
      onclick: () => this.onSelect(b === this.selected ? -1 : b),
    }, make("span", { class: "swatch", style: `background:${this.colours[b]}` }),
    make("span", { class: "name" }, scene.bodies[b].name));
    if (joint) item.append(make("span", { class: "joint" }, joint));
    this.items[b] = item;
    return item;
  }
  /** The nodes of a beam stand together under its name, folded. */
  private place(item: HTMLElement, beam: string): void {
    const own = this.beams.get(beam);
    if (!own) this.element.append(item);
    if (!own || own.nodes[0] !== item) return;
    const [heading, fold] = makeHeading(beam, `beam, ${own.nodes.length} nodes`, own.nodes, true);
    heading.classList.add("beam");
    own.fold = fold;
    this.element.append(heading, ...own.nodes);
  }
  /** A heading that folds its items, and the items of this list of the model. */
  private addList(scene: Scene, list: string): void {
    const own = scene.items.flatMap((item, i) => (item.list === list ? [this.makeOther(item, i)] : []));
    if (own.length === 0) return;
    const [heading] = makeHeading(TITLES[list], String(own.length), own, own.length > MANY);
    this.element.append(heading, ...own);
  }
  private addSpecies({ species, species_of }: SceneParticles): void {
    const counts = species.map(() => 0);
    for (const kind of bytesOf(species_of)) ++counts[kind];
    species.forEach((name, k) => this.element.append(make("li", { class: "species", role: "treeitem", "aria-level": 1 },
      make("span", { class: "swatch", style: `background:${SPECIES_COLOURS[k % SPECIES_COLOURS.length]}` }),
      make("span", { class: "name" }, name), make("span", { class: "joint" }, `${counts[k]} particles`))));
  }
  private makeOther(item: SceneItem, i: number): HTMLElement {
    const { list, name, type, between } = item;
    const choose = (): void => this.onSelectItem(i);
    const sides = between.length > 2 ? `of ${between.length}` : between.join(" – ");
    const about = list === "contacts" || list === "events" ? sides : type;
    const other = make("li", {
      class: list, role: "treeitem", "aria-level": 2, "aria-selected": "false", tabindex: -1, onclick: choose,
      title: `${name}: ${type === "event" ? "when" : `${type} of`} ${sidesOf(item)}`,
    }, make("span", { class: "swatch" }), make("span", { class: "name" }, name), make("span", { class: "joint" }, about));
    onPress(other, choose);
    this.others[i] = other;
    return other;
  }
  /** Arrows go from line to line, and select. */
  private press(event: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    const shown = ([...this.element.children] as HTMLElement[]).filter((line) => !line.hidden && line.hasAttribute("tabindex"));
    const at = shown.indexOf(document.activeElement as HTMLElement);
    const next = shown[(at < 0 ? shown.indexOf(this.items[this.selected]) : at) + step];
    next?.focus();
    if (next && !next.classList.contains("heading") && next.getAttribute("aria-selected") !== "true") next.click();
  }
}

/** Enter and space do what a click does. */
function onPress(element: HTMLElement, act: () => void): void {
  element.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    event.stopPropagation();
    act();
  });
}

/** A line that folds its items, and the function that does so. */
function makeHeading(title: string, about: string, own: HTMLElement[], folded: boolean): [HTMLElement, (folded: boolean) => void] {
  const fold = (wanted: boolean): void => {
    heading.setAttribute("aria-expanded", String(!wanted));
    own.forEach((item) => (item.hidden = wanted));
  };
  const toggle = (): void => fold(heading.getAttribute("aria-expanded") === "true");
  const heading = make("li", { class: "heading", role: "treeitem", "aria-level": 1, tabindex: 0, onclick: toggle },
    make("span", { class: "name" }, title), make("span", { class: "joint" }, about));
  onPress(heading, toggle);
  fold(folded);
  return [heading, fold];
}
