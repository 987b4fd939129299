// What the page has in every carrier: the scene, the tree, the plots and the time.
import { find, make, short } from "./dom";
import { Drawing, Layer, LAYERS } from "./drawing";
import { Ghost } from "./ghost";
import { Motion, Scene, Triple } from "./message";
import { PlotPanel, usualColumns } from "./plot";
import { Player } from "./player";
import { SelectionPage } from "./selection";
import { BodyTree } from "./tree";

const FEW_ROWS = 20;
const SPEEDS = [0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10];
const PLAY = '<svg viewBox="0 0 16 16"><path d="M4 2.5v11l9-5.5z"/></svg>';
const PAUSE = '<svg viewBox="0 0 16 16"><path d="M3.5 3h3v10h-3zM9.5 3h3v10h-3z"/></svg>';

export class Viewer {
  readonly drawing = new Drawing(find<HTMLCanvasElement>("canvas"));
  readonly player = new Player();
  readonly tree = new BodyTree(find("tree"));
  scene: Scene | undefined;
  motion: Motion | undefined;
  selected = -1;
  selectedItem = -1;
  private traced: string | undefined; // the point whose path is shown
  onSelect: (body: number) => void = () => undefined;
  onSelectItem: (item: number) => void = () => undefined;
  /** A click into the scene asks first; true: it does not select. */
  claimClick: (x: number, y: number) => boolean = () => false;
  /** The user goes to another instant. */
  onSeek: () => void = () => undefined;
  onSpeed: (speed: number) => void = () => undefined;
  /** Who goes on by rows asks first; true: somebody else makes them. */
  stepInstead: (rows: number) => boolean = () => false;
  /** The player asks first; true: somebody else plays. */
  playInstead: () => boolean = () => false;

  private readonly selectionPage: SelectionPage;
  private ghost: Ghost | undefined;
  private readonly pages = new Map<string, HTMLElement>();
  private chosen: string[] | undefined; // columns, by the user
  private plottedRows = 0; // when the columns were chosen
  private panels: PlotPanel[] = [];
  private energyPanels: PlotPanel[] = [];
  private largestReaction = 0;
  private readonly names: HTMLElement[] = [];

  constructor() {
    this.addTab("plots", "Plots");
    this.addTab("energy", "Energy");
    this.selectionPage = new SelectionPage(this.addTab("selection", "Selection"), (name) => this.tracePoint(name));
    this.openTab("plots");
    this.connectButtons();
    this.connectCanvas();
    this.tree.onSelect = (body) => this.select(body);
    this.tree.onSelectItem = (item) => this.selectItem(item);
    this.player.onChange = () => this.showInstant();
    this.player.onState = () => this.showPlaying();
    this.drawing.onDraw = () => this.placeNames();
    const prefers = window.matchMedia?.("(prefers-color-scheme: dark)").matches;
    this.setTheme(new URLSearchParams(location.search).get("theme") ?? (prefers ? "dark" : "light"));
    document.addEventListener("keydown", (event) => this.press(event));
    // A button that was clicked with the mouse does not keep the space bar, which plays and pauses.
    document.addEventListener("click", (event) => {
      const button = event.detail > 0 && (event.target as Element).closest?.("header button, footer button, #tabs button");
      if (button) (button as HTMLElement).blur();
    });
    new ResizeObserver(() => this.resize()).observe(find("stage"));
    new ResizeObserver(() => this.drawPlots()).observe(find("pages"));
    this.resize();
    this.showPlaying();
  }

  setScene(scene: Scene, motion: Motion, options: { keepView?: boolean; keepTime?: boolean } = {}): void {
    const before = this.scene?.bodies.length;
    const body = this.scene?.bodies[this.selected]?.name, item = this.scene?.items[this.selectedItem];
    this.scene = scene;
    this.motion = motion;
    this.enableLayers();
    find("title").textContent = find("title").title = scene.name || "Sestina";
    document.title = scene.name ? `${scene.name} – Sestina` : "Sestina";
    this.selected = scene.bodies.findIndex(({ name }) => name === body);
    this.drawing.setScene(scene, motion, options.keepView && scene.bodies.length === before);
    find("follow").setAttribute("aria-pressed", String(this.drawing.follower.isOn));
    this.tree.setScene(scene);
    this.findLargestReaction();
    this.makeNames();
    this.makePlots();
    this.makeEnergy();
    this.fillModes();
    const notes = find("notes");
    notes.hidden = scene.notes.length === 0;
    notes.replaceChildren(...scene.notes.map((note) => make("div", {}, note)));
    this.player.setMotion(motion, options.keepTime);
    this.select(this.selected);
    if (item) this.markItem(scene.items.findIndex(({ list, name }) => list === item.list && name === item.name));
  }
  /** Only what would be seen can be chosen; reactions are recorded by the next run. */
  private enableLayers(): void {
    const items = this.scene?.items ?? [];
    const isThere = {
      contacts: items.some(({ list }) => list === "contacts"), forces: items.some(({ list }) => list === "forces"), ghost: this.ghost !== undefined,
    };
    for (const [layer, has] of Object.entries(isThere)) {
      document.querySelector<HTMLInputElement>(`#layers input[value=${layer}]`)?.toggleAttribute("disabled", !has);
    }
  }
  /** A second run beside the first, in the scene and in the plots; undefined: none. */
  setGhost(ghost: Ghost | undefined): void {
    this.ghost = ghost;
    this.enableLayers();
    this.drawing.setGhost(ghost);
    if (!this.motion) return;
    this.makePlots();
    this.makeEnergy();
    this.showInstant();
  }
  /** The motion has more rows than before. */
  refresh(): void {
    const motion = this.motion as Motion;
    // What varies is seen only after some rows.
    if (this.plottedRows < FEW_ROWS && motion.rows >= FEW_ROWS && !this.chosen) this.makePlots();
    const x = motion.column(motion.x) ?? new Float64Array();
    for (const panel of [...this.panels, ...this.energyPanels]) {
      panel.setData(x, (name) => (name === DRIFT ? driftOf(motion) : (motion.column(name) as Float64Array)));
    }
    if (this.drawing.isShown("trace")) this.makeTrace();
    this.showInstant();
  }

  select(body: number): void {
    this.selected = body;
    this.selectedItem = -1;
    this.drawing.select(body);
    this.tree.select(body);
    this.tree.selectItem(-1);
    this.traced = undefined;
    this.makeTrace();
    this.showSelection();
    this.placeNames();
    this.showArrows();
    this.onSelect(body);
  }

  private makeTrace(): void {
    const point = this.scene?.points.find((one) => one.name === this.traced);
    if (this.motion && this.selected > 0) this.drawing.setTrace(this.motion, this.selected, point?.pose.slice(0, 3) as Triple | undefined);
  }
  /** The path of a point of the selected body, instead of that of its mass centre; again: the latter. */
  private tracePoint(name: string): void {
    this.traced = this.traced === name ? undefined : name;
    this.makeTrace();
    if (!this.drawing.isShown("trace")) this.toggleLayer("trace");
    this.showSelection();
  }

  selectItem(item: number): void {
    this.select(-1);
    this.markItem(item);
    this.openTab("selection");
    this.onSelectItem(item);
  }
  private markItem(item: number): void {
    this.selectedItem = item;
    this.tree.selectItem(item);
    this.showArrows();
    this.showSelection();
  }

  // ---- pages on the right ----
  addTab(id: string, label: string): HTMLElement {
    const page = make("div", { class: "page", id: `page-${id}`, role: "tabpanel", "aria-label": label, hidden: true });
    const tab = make("button", {
      role: "tab", id: `tab-${id}`, "aria-controls": `page-${id}`, "aria-selected": "false", tabindex: -1, onclick: () => this.openTab(id),
      onkeydown: (event) => this.pressTab(event as KeyboardEvent),
    }, label);
    find("tabs").append(tab);
    find("pages").append(page);
    this.pages.set(id, page);
    return page;
  }
  openTab(id: string): void {
    for (const [name, page] of this.pages) {
      page.hidden = name !== id;
      find(`tab-${name}`).setAttribute("aria-selected", String(name === id));
      find(`tab-${name}`).tabIndex = name === id ? 0 : -1;
    }
    this.drawPlots();
    if (this.motion) this.showSelection();
  }
  /** Arrows go from tab to tab. */
  private pressTab(event: KeyboardEvent): void {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    const tabs = [...find("tabs").children].filter((tab) => !(tab as HTMLElement).hidden) as HTMLElement[];
    const next = tabs[(tabs.indexOf(event.target as HTMLElement) + step + tabs.length) % tabs.length];
    next.click();
    next.focus();
  }
  private page(id: string): HTMLElement {
    return this.pages.get(id) as HTMLElement;
  }

  private panelsOf(motion: Motion, names: string[], onRemove?: (name: string) => void): PlotPanel[] {
    const units = [...new Set(names.map((name) => motion.unit(name)))];
    return units.map((unit) => {
      const own = names.filter((name) => motion.unit(name) === unit);
      const title = own.length === 1 ? own[0] : titleOf(own);
      return this.panel(motion, own, title, unit, onRemove);
    });
  }
  private panel(motion: Motion, names: string[], title: string, unit: string, onRemove?: (name: string) => void): PlotPanel {
    const curves = names.map((name) => ({ name, values: motion.column(name) as Float64Array }));
    const x = motion.column(motion.x) ?? new Float64Array();
    const options = { title, unit, curves, onRemove };
    const panel = new PlotPanel(options, x, motion.x, (at) => this.seekFromPlot(at));
    const second = this.ghost?.motion;
    if (second && second.x === motion.x) {
      panel.compare(second.column(second.x) ?? new Float64Array(),
        names.map((name) => ({ name, values: second.column(name) ?? new Float64Array() })));
    }
    return panel;
  }
  private seekFromPlot(at: number): void {
    this.onSeek();
    if (this.player.areModes) this.player.seekRow(Math.round(at) - 1);
    else this.player.seek(at);
  }
  makePlots(): void {
    const motion = this.motion as Motion;
    if (!this.chosen?.every((name) => motion.has(name))) this.chosen = undefined;
    const chosen = this.chosen ?? usualColumns(motion, this.scene as Scene);
    this.plottedRows = motion.rows;
    const input = make("input", { list: "columns", placeholder: "add a column …", "aria-label": "Column to add to the plots", type: "text" });
    const list = make("datalist", { id: "columns" }, ...motion.columns.map((column) => make("option", { value: column.name })));
    const add = (): void => {
      const wanted = input.value.trim();
      const pattern = new RegExp(`^${wanted.replace(/[.[\]+?(){}^$|\\]/g, "\\$&").replace(/\*/g, ".*")}$`);
      const found = motion.columns.map((column) => column.name).filter((name) => pattern.test(name) && name !== motion.x);
      if (wanted === "" || found.length === 0) {
        input.setCustomValidity(`there is no column ${wanted}`);
        input.reportValidity();
        return;
      }
      this.chosen = [...new Set([...chosen, ...found.slice(0, 16)])];
      this.makePlots();
      this.showInstant();
    };
    input.addEventListener("input", () => input.setCustomValidity(""));
    input.addEventListener("change", add);
    const remove = (name: string): void => {
      this.chosen = chosen.filter((other) => other !== name);
      this.makePlots();
      this.showInstant();
    };
    this.panels = this.panelsOf(motion, chosen, remove);
    this.page("plots").replaceChildren(
      make("div", { class: "adder" }, input, list, make("button", { onclick: add }, "Add")),
      ...(this.ghost ? [make("p", { class: "second" }, make("span", { class: "dash" }), `second run: ${this.ghost.name} `,
        make("button", { class: "remove", "aria-label": "Remove the second run", title: "Remove", onclick: () => this.setGhost(undefined) }, "×"))] : []),
      ...(motion.columns.length > 1 ? [] : [make("p", { class: "hint" }, "There are positions, and no columns: a run of the studio has these.")]),
      ...this.panels.map((panel) => panel.element));
    this.drawPlots();
  }
  private makeEnergy(): void {
    const motion = this.motion as Motion;
    const page = this.page("energy");
    this.energyPanels = [];
    const has = (names: string[]): string[] => names.filter((name) => motion.has(name));
    const energies = has(["energy.kinetic", "energy.potential", "energy.total"]);
    if (energies.length === 0) {
      page.replaceChildren(make("p", { class: "hint" }, "These rows tell no energies."));
      return;
    }
    this.energyPanels.push(this.panel(motion, energies, "Energies", "J"));
    const flows = has(["energy.supplied", "energy.dissipated"]).filter((name) => motion.column(name)?.some((x) => x !== 0));
    if (flows.length > 0) this.energyPanels.push(this.panel(motion, flows, "Supplied and dissipated", "J"));
    this.energyPanels.push(this.driftPanel(motion));
    const errors = has(["constraints.position_error", "constraints.velocity_error"]);
    for (const name of errors) this.energyPanels.push(this.panel(motion, [name], name, motion.unit(name)));
    page.replaceChildren(...this.energyPanels.map((panel) => panel.element), make("p", { class: "hint" },
      "The drift is that of kinetic + potential − supplied + dissipated energy, which the exact motion keeps constant."));
  }
  private driftPanel(motion: Motion): PlotPanel {
    const x = motion.column(motion.x) ?? new Float64Array();
    const curves = [{ name: DRIFT, values: driftOf(motion) }];
    return new PlotPanel({ title: "Drift of the energy", unit: "J", curves }, x, motion.x, (at) => this.seekFromPlot(at));
  }
  drawPlots(): void {
    if (!this.motion) return;
    const now = this.player.areModes ? this.player.mode + 1 : this.player.now;
    const row = this.player.row;
    if (!this.page("plots").hidden) this.panels.forEach((panel) => panel.draw(now, row));
    if (!this.page("energy").hidden) this.energyPanels.forEach((panel) => panel.draw(now, row));
  }

  private showSelection(): void {
    if (this.page("selection").hidden || !this.scene || !this.motion) return;
    const { scene, motion, selected, selectedItem: item, traced } = this;
    this.selectionPage.show({ scene, motion, selected, item, traced }, this.player.row);
  }

  // ---- the instant ----
  private showInstant(): void {
    const { motion, player } = this;
    if (!motion) return;
    if (motion.rows > 0) {
      const [a, b, part] = player.frames;
      this.drawing.setFrame(motion.frame(a), motion.frame(b), part);
      this.ghost?.show(player.now);
    }
    this.showArrows();
    const slider = find<HTMLInputElement>("time");
    const span = player.end - player.start;
    const part = player.areModes ? ((player.now % 1) + 1) % 1 : (player.now - player.start) / (span || 1);
    slider.value = String(Math.round(1000 * part));
    const text = this.instantText();
    find("clock").textContent = text;
    slider.setAttribute("aria-valuetext", text);
    this.drawPlots();
    this.showSelection();
  }
  private instantText(): string {
    const { motion, player } = this;
    if (!motion || motion.rows === 0) return "no rows";
    if (player.areModes) {
      const frequency = motion.at("frequency", player.mode);
      return frequency === undefined ? `mode ${player.mode + 1}` : `${short(frequency, 4)} Hz`;
    }
    const span = player.end - player.start;
    const digits = Math.max(0, Math.min(6, 3 - Math.floor(Math.log10(span || 1))));
    const unit = motion.x === "t" ? " s" : "";
    return `${player.now.toFixed(digits)} / ${short(Number(player.end.toFixed(digits)), 6)}${unit}`;
  }
  private reaction(joint: string, row: number): Triple | undefined {
    const motion = this.motion as Motion;
    const parts = ["x", "y", "z"].map((axis) => motion.at(`${joint}.reaction.force.${axis}`, row));
    return parts.some((x) => x === undefined) ? undefined : (parts as Triple);
  }
  private findLargestReaction(): void {
    const { scene, motion } = this;
    this.largestReaction = 0;
    for (const joint of scene?.joints ?? []) {
      for (let row = 0; row < (motion?.rows ?? 0); ++row) {
        const force = this.reaction(joint.name, row);
        if (!force) break;
        this.largestReaction = Math.max(this.largestReaction, Math.hypot(...force));
      }
    }
  }
  /** The forces of the present row that are shown, and those of the selected item, all on one scale. */
  private showArrows(): void {
    const { scene, motion, drawing, player } = this;
    if (!scene || !motion) return;
    const layerOf = (item: number): "contacts" | "forces" => (scene.items[item].list === "contacts" ? "contacts" : "forces");
    const isShown = (item: number): boolean => item === this.selectedItem || drawing.isShown(layerOf(item));
    let largest = drawing.isShown("arrows") ? this.largestReaction : 0;
    scene.items.forEach((_, item) => {
      if (isShown(item)) largest = Math.max(largest, motion.forces?.largestOf(item) ?? 0);
    });
    find("scale").hidden = !(largest > 0);
    find("scale").textContent = `longest arrow: ${short(largest, 3)} N`;
    const forces = (motion.forces?.at(player.row) ?? []).filter(({ item }) => isShown(item));
    for (const layer of ["contacts", "forces"] as const) {
      drawing.setForces(layer, forces.filter(({ item }) => layerOf(item) === layer), largest);
    }
    if (drawing.isShown("arrows")) drawing.setReactions((joint) => this.reaction(joint, player.row), largest);
    drawing.invalidate();
  }

  showPlaying(): void {
    const button = find("play");
    button.innerHTML = this.player.isPlaying ? PAUSE : PLAY;
    button.setAttribute("aria-label", this.player.isPlaying ? "Pause" : "Play");
  }

  // ---- names over the scene ----
  private makeNames(): void {
    this.names.length = 0;
    const scene = this.scene as Scene;
    scene.bodies.forEach((body, b) => {
      const name = make("span", { hidden: true }, body.name);
      this.names[b] = name;
    });
    find("names").replaceChildren(...this.names.slice(1));
  }
  /** Those that would cover another one are left out, the selected one first of all. */
  private placeNames(): void {
    const { scene, drawing } = this;
    if (!scene || this.names.length !== scene.bodies.length) return;
    const all = drawing.isShown("names");
    const taken: { x: number; y: number; w: number }[] = [];
    const order = scene.bodies.map((_, b) => b).filter((b) => b > 0).sort((a, b) => Number(b === this.selected) - Number(a === this.selected));
    for (const b of order) {
      const name = this.names[b];
      const wanted = (all || b === this.selected) && !scene.bodies[b].mode;
      const at = wanted ? drawing.project(b, scene.bodies[b].mass_centre) : undefined;
      const width = 8 * scene.bodies[b].name.length + 16;
      const isFree = at && !taken.some((o) => Math.abs(o.x - at.x) < (o.w + width) / 2 && Math.abs(o.y - at.y) < 24);
      name.hidden = !isFree;
      if (!at || !isFree) continue;
      taken.push({ ...at, w: width });
      name.style.left = `${at.x}px`;
      name.style.top = `${at.y}px`;
    }
  }

  // ---- controls ----
  setTheme(theme: string): void {
    const isDark = theme === "dark";
    document.documentElement.dataset.theme = isDark ? "dark" : "light";
    find("theme").textContent = isDark ? "Light" : "Dark";
    this.drawing.setDark(isDark);
    this.drawPlots();
  }
  private toggleTheme(): void {
    this.setTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark");
  }
  private setFlat(wanted: boolean): void {
    this.drawing.orbit.setOrthographic(wanted);
    find("view-flat").setAttribute("aria-pressed", String(wanted));
  }
  private setFollowing(wanted: boolean): void {
    this.drawing.follower.isOn = wanted;
    this.drawing.follower.restart();
    find("follow").setAttribute("aria-pressed", String(wanted));
    this.showInstant();
  }
  private look(from: "front" | "side" | "top"): void {
    const turns = { front: [0, 0], side: [Math.PI / 2, 0], top: [0, Math.PI / 2] };
    this.drawing.orbit.lookFrom(turns[from][0], turns[from][1]);
  }
  toggleLayer(layer: Layer): void {
    const wanted = !this.drawing.isShown(layer);
    this.drawing.show(layer, wanted);
    const box = document.querySelector<HTMLInputElement>(`#layers input[value=${layer}]`);
    if (box) box.checked = wanted;
    if (layer === "trace" && wanted && this.motion && this.selected < 1 && this.scene) this.select(this.scene.bodies.length - 1);
    this.showInstant();
  }
  private seekTo(end: "start" | "end"): void {
    this.onSeek();
    this.player.seek(this.player[end]);
  }
  private step(rows: number): void {
    this.onSeek();
    if (this.stepInstead(rows)) return;
    this.player.pause();
    if (this.player.areModes) this.player.seekRow(this.player.mode + Math.sign(rows));
    else this.player.seekRow(this.player.row + rows);
    find<HTMLSelectElement>("mode").value = String(this.player.mode);
  }
  private toggleLoop(): void {
    this.player.loops = !this.player.loops;
    find("loop").setAttribute("aria-pressed", String(this.player.loops));
  }
  private play(): void {
    if (!this.playInstead()) this.player.toggle();
  }
  savePicture(): void {
    const name = (this.scene?.name || "scene").replace(/[^A-Za-z0-9]+/g, "_");
    make("a", { href: this.drawing.picture(), download: `${name}.png` }).click();
  }
  private fillModes(): void {
    const select = find<HTMLSelectElement>("mode");
    const motion = this.motion as Motion;
    select.hidden = motion.framesPerMode === 0;
    if (select.hidden) return;
    select.replaceChildren(...Array.from({ length: motion.rows }, (_, i) =>
      make("option", { value: i }, `Mode ${i + 1}`)));
  }

  private connectButtons(): void {
    const on = (id: string, f: () => void): void => find(id).addEventListener("click", f);
    on("play", () => this.play());
    on("to-start", () => this.seekTo("start"));
    on("back", () => this.step(-1));
    on("forth", () => this.step(1));
    on("loop", () => this.toggleLoop());
    on("view-fit", () => this.drawing.resetView());
    on("view-front", () => this.look("front"));
    on("view-side", () => this.look("side"));
    on("view-top", () => this.look("top"));
    on("view-flat", () => this.setFlat(!this.drawing.orbit.isOrthographic));
    on("follow", () => this.setFollowing(!this.drawing.follower.isOn));
    on("picture", () => this.savePicture());
    on("theme", () => this.toggleTheme());
    on("help-button", () => find<HTMLDialogElement>("help").showModal());
    const layers = find("layers");
    layers.append(...(Object.keys(LAYERS) as Layer[]).map((layer) => {
      const box = make("input", { type: "checkbox", value: layer, checked: this.drawing.isShown(layer) });
      box.addEventListener("change", () => this.toggleLayer(layer));
      return make("label", {}, box, LAYERS[layer]);
    }));
    const showLayers = (wanted: boolean): void => {
      layers.hidden = !wanted;
      find("layers-button").setAttribute("aria-expanded", String(wanted));
    };
    on("layers-button", () => showLayers(layers.hidden));
    layers.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      showLayers(false);
      find("layers-button").focus();
    });
    const time = find<HTMLInputElement>("time");
    time.addEventListener("input", () => {
      this.onSeek();
      const part = Number(time.value) / 1000;
      this.player.seek(this.player.start + part * (this.player.end - this.player.start));
    });
    const speed = find<HTMLSelectElement>("speed");
    speed.append(...SPEEDS.map((s) => make("option", { value: s, selected: s === 1 }, `${s}×`)));
    speed.addEventListener("change", () => this.setSpeed(Number(speed.value)));
    const mode = find<HTMLSelectElement>("mode");
    mode.addEventListener("change", () => this.player.seekRow(Number(mode.value)));
  }
  private changeSpeed(step: number): void {
    const speed = find<HTMLSelectElement>("speed");
    speed.selectedIndex = Math.max(0, Math.min(SPEEDS.length - 1, speed.selectedIndex + step));
    this.setSpeed(Number(speed.value));
  }
  private setSpeed(speed: number): void {
    this.player.speed = speed;
    this.onSpeed(speed);
  }
  private connectCanvas(): void {
    const canvas = find<HTMLCanvasElement>("canvas");
    let start: { x: number; y: number } | undefined;
    canvas.addEventListener("pointerdown", (event) => (start = { x: event.offsetX, y: event.offsetY }));
    canvas.addEventListener("pointerup", (event) => {
      if (start && Math.hypot(event.offsetX - start.x, event.offsetY - start.y) < 4 && event.button === 0
        && !this.claimClick(event.offsetX, event.offsetY)) {
        this.select(this.drawing.pick(event.offsetX, event.offsetY).body);
      }
      start = undefined;
    });
  }
  private press(event: KeyboardEvent): void {
    const target = event.target as HTMLElement;
    if (document.querySelector("dialog[open]")) return;
    const isSlider = (target as HTMLInputElement).type === "range"; // it has no use for the space bar
    if (/^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName) && target.id !== "time" && !(isSlider && event.key === " ")) return;
    if (event.ctrlKey || event.metaKey || event.altKey || target.isContentEditable) return;
    const rows = event.shiftKey ? 10 : 1;
    const actions: Record<string, () => void> = {
      " ": () => this.play(),
      ArrowLeft: () => this.step(-rows),
      ArrowRight: () => this.step(rows),
      Home: () => this.seekTo("start"),
      End: () => this.seekTo("end"),
      "+": () => this.changeSpeed(1),
      "-": () => this.changeSpeed(-1),
      f: () => this.drawing.resetView(),
      "1": () => this.look("front"),
      "2": () => this.look("side"),
      "3": () => this.look("top"),
      o: () => this.setFlat(!this.drawing.orbit.isOrthographic),
      w: () => this.setFollowing(!this.drawing.follower.isOn),
      Escape: () => this.select(-1),
      n: () => this.toggleLayer("names"),
      j: () => this.toggleLayer("joints"),
      a: () => this.toggleLayer("frames"),
      c: () => this.toggleLayer("centres"),
      t: () => this.toggleLayer("trace"),
      p: () => this.savePicture(),
      d: () => this.toggleTheme(),
      l: () => this.toggleLoop(),
      "?": () => find<HTMLDialogElement>("help").showModal(),
    };
    const action = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!action) return;
    if (event.key === " " && /^(BUTTON|SUMMARY)$/.test(target.tagName)) return; // presses it
    event.preventDefault();
    action();
  }
  private resize(): void {
    const stage = find("stage");
    this.drawing.resize(stage.clientWidth, stage.clientHeight);
    this.drawing.invalidate();
  }
}

const DRIFT = "drift";
function driftOf(motion: Motion): Float64Array {
  const zero = new Float64Array(motion.rows);
  const [k, p, s, d] = ["kinetic", "potential", "supplied", "dissipated"].map((name) => motion.column(`energy.${name}`) ?? zero);
  const start = k[0] + p[0] - s[0] + d[0];
  return zero.map((_, i) => k[i] + p[i] - s[i] + d[i] - start);
}
/** "hip.q, knee.q" as "q". */
function titleOf(names: string[]): string {
  const ends = new Set(names.map((name) => name.replace(/^.*?\.(?=[a-z])/, "").replace(/\[\d+\]$/, "")));
  if (names.every((name) => name.startsWith("energy."))) return "Energies";
  if (ends.size > 1) return "Columns";
  const [end] = ends;
  return end === "q" ? "Coordinates" : end === "u" ? "Speeds" : end;
}
