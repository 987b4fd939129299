// The bodies as a tree, each with the joint that carries it; then joints that close loops, and contacts.
import { make } from "./dom";
import { colourOf } from "./drawing";
import { bytesOf, Scene, SceneParticles, sidesOf } from "./message";
import { SPECIES_COLOURS } from "./particles";

export class BodyTree {
  onSelect: (body: number) => void = () => undefined;
  onSelectContact: (contact: number) => void = () => undefined;
  private readonly contacts: HTMLElement[] = [];
  private readonly items: HTMLElement[] = [];
  private selected = -1;

  constructor(private readonly element: HTMLElement) {
    element.addEventListener("keydown", (event) => this.press(event));
  }

  setScene(scene: Scene): void {
    this.items.length = this.contacts.length = 0;
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
    scene.bodies.forEach((body, b) => {
      const parent = body.parent;
      if (parent >= 0) depth[b] = depth[parent] + (children[parent].length > 1 || parent === 0 ? 1 : 0);
      this.addItem(scene, b, depth[b], joints.get(b));
    });
    for (const joint of scene.joints) {
      if (joint.closes_loop) this.addLoop(scene, joint.name, joint.type, joint.parent, joint.child);
    }
    scene.contacts.forEach((contact, i) => this.addContact(contact.name, contact.between, i));
    if (scene.particles) this.addSpecies(scene.particles);
    this.select(Math.min(this.selected, scene.bodies.length - 1));
  }

  select(body: number): void {
    this.selected = body;
    this.items.forEach((item, b) => {
      item.setAttribute("aria-selected", String(b === body));
      item.tabIndex = b === body || (body < 0 && b === 0) ? 0 : -1;
    });
    if (body >= 0) this.items[body]?.scrollIntoView({ block: "nearest" });
  }

  selectContact(contact: number): void {
    this.contacts.forEach((item, i) => item.setAttribute("aria-selected", String(i === contact)));
  }

  private addItem(scene: Scene, b: number, depth: number, joint: string | undefined): void {
    const item = make("li", {
      role: "treeitem", "aria-level": depth + 1, "data-body": b, style: `--depth:${Math.min(depth, 6)}`,
      title: joint ? `${scene.bodies[b].name}, carried by ${joint}` : scene.bodies[b].name,
      onclick: () => this.onSelect(b === this.selected ? -1 : b),
    }, make("span", { class: "swatch", style: `background:${colourOf(b)}` }),
    make("span", { class: "name" }, scene.bodies[b].name));
    if (joint) item.append(make("span", { class: "joint" }, joint));
    this.items.push(item);
    this.element.append(item);
  }
  private addLoop(scene: Scene, name: string, type: string, parent: number, child: number): void {
    this.element.append(make("li", { class: "loop", role: "treeitem", "aria-level": 1 },
      make("span", { class: "name" }, `${name} · ${type}`),
      make("span", { class: "joint" }, `closes ${scene.bodies[parent].name} – ${scene.bodies[child].name}`)));
  }
  private addSpecies({ species, species_of }: SceneParticles): void {
    const counts = species.map(() => 0);
    for (const kind of bytesOf(species_of)) ++counts[kind];
    species.forEach((name, k) => this.element.append(make("li", { class: "loop", role: "treeitem", "aria-level": 1 },
      make("span", { class: "swatch", style: `background:${SPECIES_COLOURS[k % SPECIES_COLOURS.length]}` }),
      make("span", { class: "name" }, name), make("span", { class: "joint" }, `${counts[k]} particles`))));
  }
  private addContact(name: string, between: string[], i: number): void {
    const choose = (): void => this.onSelectContact(i);
    const item = make("li", {
      class: "contact", role: "treeitem", "aria-level": 1, "aria-selected": "false", tabindex: 0, onclick: choose,
      title: `contact of ${sidesOf(between)}`,
    }, make("span", { class: "swatch" }), make("span", { class: "name" }, name),
    make("span", { class: "joint" }, `contact ${between.length === 2 ? between.join(" – ") : `of ${between.length}`}`));
    item.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") {
        event.preventDefault();
        event.stopPropagation();
        choose();
      }
    });
    this.contacts.push(item);
    this.element.append(item);
  }
  private press(event: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    const next = Math.max(0, Math.min(this.items.length - 1, this.selected + step));
    this.onSelect(next);
    this.items[next]?.focus();
  }
}
