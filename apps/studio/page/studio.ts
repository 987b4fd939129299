// The page of a running studio: document, runs, parameters.
import { Connection, Control, DocumentMessage, KeepMessage, Parameter, ServerMessage, StatusMessage } from "./connection";
import { find, make, short } from "./dom";
import { Forms } from "./forms";
import { Ghost } from "./ghost";
import { Header, Motion, readMotion } from "./message";
import { Outbox, Outgoing } from "./outbox";
import { Picking } from "./picking";
import { Pulling } from "./pulling";
import { SweepPane } from "./sweep";
import { TextPane } from "./text_pane";
import { Viewer } from "./viewer";

interface Slider {
  row: HTMLElement;
  range: HTMLInputElement;
  number: HTMLInputElement;
  shown: string; // what the page has written into it, or sent
  isHeld: boolean; // by the pointer
}

const LARGEST_TEXT = 4 << 20, LARGEST_FILE = 7 << 20; // bytes of a model and of a table, as messages
const CONFLICT = "What was typed has replaced another change at the same place; Undo has it.";
const TYPING_PAUSE = 2000; // ms
const LARGEST_DRAFT = 1 << 18; // letters of a text that is sent with each letter

export class Studio {
  private readonly connection = new Connection();
  private readonly pane = new TextPane();
  private readonly forms: Forms;
  private readonly picking: Picking;
  private header: Header | undefined;
  private ghost: { name: string; header: Header } | undefined; // whose block follows
  private kept: KeepMessage | undefined; // which the next rows obey
  private sweep: SweepPane | undefined;
  private told: string | undefined; // the selection that the server knows
  private document: DocumentMessage | undefined;
  private isLive = false;
  private isPaused = false;
  private resumeAt: number | undefined; // s, of a live run that goes on when the new motion is there
  private isFirst = true;
  private failure: string | undefined; // of the last run, which the page tells
  private isDue = false;
  private steppedFrom: number | undefined; // rows before a step that was asked for
  private isCopyFaultTold = false;
  private isQuestion = false; // in the bar over the scene
  private readonly postponed: Outgoing[] = []; // until the text that was typed before them is sent
  private readonly tables = new Map<string, () => void>(); // that are being written
  private isAboutFile = false; // what stands there, a question or not
  private isLiveAsked = false; // and it has not begun yet
  private isStrange = false; // another studio answers
  private isNew = true; // the state of the run is not known yet
  private wasPaused = false;
  private mayEdit = false;
  private step = 0; // of undo, for what is typed
  private isUnsent = false; // the text is too large
  private typedIn: EventTarget | null = null; // a field whose letters are not a change of the model yet
  private readonly outbox = new Outbox((message) => this.connection.send(message));
  private readonly sliders = new Map<string, Slider>();

  constructor(private readonly viewer: Viewer) {
    document.body.classList.add("studio");
    viewer.addTab("model", "Model").append(this.pane.element);
    find("page-model").classList.add("tall");
    this.picking = new Picking(viewer, (message) => this.change(message), (text) => this.tell(text));
    this.forms = new Forms(viewer.addTab("build", "Build"), (message) => this.change(message), (take) => this.picking.begin(take),
      (name, table, over) => this.upload(name, table, over), (text) => this.tell(text, true));
    this.addButtons();
    let [typed, count] = [0, 0]; // when, ms; a pause ends a step of undo
    this.pane.onEdit = (text) => {
      const now = performance.now();
      if (now - typed > TYPING_PAUSE) this.beginStep(++count);
      typed = now;
      this.change(this.textMessage(text));
    };
    this.pane.onLine = () => (this.step = ++count);
    this.pane.onConflict = () => {
      typed = performance.now(); // those letters are not typed on
      this.note(CONFLICT);
    };
    this.pane.onLetter = (text) => {
      if (this.mayEdit && !this.pane.isOlder && text.length < LARGEST_DRAFT) this.connection.send({ type: "draft", text });
    };
    this.connection.onMessage = (message) => this.take(message);
    this.connection.onBlock = (kind, rows, block) => this.takeBlock(kind, rows, block);
    this.connection.onState = (isOpen) => {
      if (!isOpen) this.outbox.close();
      else this.isNew = true;
      this.tell(isOpen ? "" : "The studio has ended or cannot be reached; the page tries again.", !isOpen);
    };
    this.connection.onStranger = () => this.tellStranger();
    this.outbox.onChange = () => this.lockText();
    this.outbox.onDoubt = ({ type }) => this.note(`The connection ended before the answer to the last change (${String(type)}) came. Look whether it was made.`);
    viewer.onSelect = (body) => {
      this.forms.select(viewer.scene, body);
      const name = viewer.scene?.bodies[body]?.name;
      if (name === this.told) return;
      this.told = name;
      this.connection.send({ type: "select", ...(name ? { body: name } : {}) });
    };
    viewer.onSelectItem = (i) => {
      const item = viewer.scene?.items[i];
      if (item) this.forms.openItem(item.list, item.name);
    };
    viewer.playInstead = () => this.playLive();
    const pulling = new Pulling(viewer.drawing, (message) => this.connection.send(message));
    viewer.drawing.orbit.claimDrag = (event) => {
      if (!this.isLive || !this.mayEdit || !(event.ctrlKey || event.altKey)) return false;
      pulling.begin(event);
      return true; // who misses a body does not turn the view
    };
    viewer.onSeek = () => this.pauseForSeek();
    viewer.stepInstead = (rows) => this.stepLive(rows);
    viewer.onSpeed = (speed) => {
      if (this.isLive && this.mayEdit) this.connection.send({ type: "speed", speed });
    };
    document.addEventListener("keydown", (event) => this.press(event));
    document.addEventListener("input", ({ target }) => (this.typedIn = (target as HTMLInputElement).type === "text" ? target : null));
    for (const end of ["change", "submit"]) document.addEventListener(end, () => (this.typedIn = null));
    window.addEventListener("beforeunload", (event) => {
      this.leaveField();
      this.pane.flush();
      if (this.mayEdit && this.outbox.hurry()) event.preventDefault(); // the browser asks; until then all has been sent
    });
    this.connection.open();
  }

  private textMessage(text: string): Outgoing {
    const { reloads = 0, programs = 0 } = this.document ?? {};
    return { type: "text", text, kind: `typing ${this.step}`, reloads, programs };
  }
  /** Who types on after a pause has seen what was told. */
  private beginStep(count: number): void {
    this.step = count;
    const bar = find("offer");
    if (!this.isQuestion && bar.firstChild?.textContent === CONFLICT) bar.hidden = true;
  }
  private addButtons(): void {
    const button = (id: string, label: string, title: string, f: () => void): HTMLElement =>
      make("button", { id, title, onclick: f }, label);
    const group = find("studio-buttons");
    group.append(
      button("run", "Run", "Run the model (Ctrl+Enter)", () => this.run()),
      button("live", "Live", "Run at the pace of the clock from here; drag bodies with Ctrl", () => this.toggleLive()),
      button("keep", "Keep", "Keep this run as a second one, to compare later runs with it", () => this.keep()),
      button("undo", "Undo", "Undo (Ctrl+Z)", () => this.change({ type: "undo" })),
      button("redo", "Redo", "Redo (Ctrl+Y)", () => this.change({ type: "redo" })),
      button("save", "Save", "Save the model (Ctrl+S)", () => this.save()));
    group.hidden = false;
  }

  // ---- what goes to the server ----
  private change(message: Outgoing): void {
    if (message.type !== "text") this.pane.flush();
    // A text that was typed into an older one waits until it is joined with it, and what follows waits for the text.
    if (this.pane.isOlder) {
      if (message.type !== "text") this.postponed.push(message);
      return;
    }
    const { text } = message;
    const largest = message.type === "text" ? LARGEST_TEXT : LARGEST_FILE;
    const isTooLarge = typeof text === "string" && text.length > largest / 6 && new TextEncoder().encode(JSON.stringify(text)).length > largest;
    if (message.type === "text") this.isUnsent = isTooLarge;
    if (isTooLarge) {
      this.tell(`The ${message.type === "text" ? "text" : "file"} has more than ${largest >> 20} MiB, which the studio does not take.`, true);
      return;
    }
    this.outbox.add(message);
  }
  private sendPostponed(): void {
    if (!this.pane.isOlder) this.postponed.splice(0).forEach((one) => this.change(one));
  }
  private lockText(): void {
    const isReplaced = this.outbox.has(({ type }) => ["reload", "recover", "import"].includes(String(type)));
    this.pane.setReadOnly(!this.mayEdit || this.document?.recovered === true || isReplaced);
    this.pane.setExpecting(this.outbox.has(({ type }) => !["text", "run", "save", "table", "overwrite"].includes(String(type))));
  }
  /** The present run stays, translucent, beside those that follow. */
  private keep(): void {
    const { scene, motion } = this.viewer;
    if (scene && motion && motion.framesPerMode === 0) this.viewer.setGhost(new Ghost("the run that was kept", scene, motion.copy()));
  }
  /** Values change as one leaves their field. */
  private leaveField(): void {
    const field = document.activeElement;
    if (field instanceof HTMLInputElement) field.blur();
  }
  private run(): void {
    this.leaveField();
    this.setLive(false);
    this.resumeAt = undefined;
    this.change({ type: "run", reactions: this.viewer.drawing.isShown("arrows") });
  }
  private save(): void {
    this.leaveField();
    if (this.document && this.document.file === "") {
      const name = window.prompt("Name of the model file, without .yaml", "model");
      if (name) this.change({ type: "save", name });
    } else {
      this.change({ type: "save" });
    }
  }
  private setLive(live: boolean): void {
    this.isLive = live;
    this.isPaused = false;
    find("live").setAttribute("aria-pressed", String(live));
    this.viewer.player.isPlaying = false;
    this.viewer.showPlaying();
  }
  private toggleLive(): void {
    this.resumeAt = undefined;
    if (this.isLive) {
      this.connection.send({ type: "stop" });
      this.setLive(false);
    } else {
      const { player } = this.viewer;
      const place = player.now > player.start ? { t: player.rowTime } : {};
      this.setLive(true);
      this.isLiveAsked = true;
      this.connection.send({ type: "live", speed: player.speed, ...place });
      this.viewer.player.isPlaying = true;
      this.viewer.showPlaying();
    }
  }
  /** The button that plays pauses a live run, and goes on from the row that is shown. */
  private playLive(): boolean {
    if (!this.isLive) return false;
    const { player, motion } = this.viewer;
    const wantsPlay = this.isPaused;
    this.isPaused = !this.isPaused;
    if (!this.mayEdit) {
      // Who watches pauses what is shown.
    } else if (wantsPlay && motion && player.row < motion.rows - 1) {
      this.connection.send({ type: "live", t: player.rowTime, speed: player.speed });
    } else {
      this.connection.send({ type: "pause", pause: this.isPaused });
    }
    player.isPlaying = wantsPlay;
    this.viewer.showPlaying();
    return true;
  }
  /** Who goes to another instant while a live run goes on wants to see it: the run waits there. */
  private pauseForSeek(): void {
    if (!this.isLive || this.isPaused) return;
    this.isPaused = true;
    if (this.mayEdit) this.connection.send({ type: "pause", pause: true });
    this.viewer.player.isPlaying = false;
    this.viewer.showPlaying();
  }
  /** At its last row a live run that is paused makes another one. */
  private stepLive(rows: number): boolean {
    const { player, motion } = this.viewer;
    if (!this.mayEdit || !this.isLive || !this.isPaused || rows < 0 || !motion || player.row < motion.rows - 1) return false;
    this.steppedFrom = motion.rows;
    this.connection.send({ type: "step" });
    return true;
  }
  private press(event: KeyboardEvent): void {
    if (!(event.ctrlKey || event.metaKey)) return;
    // A text that cannot be sent, and a field that is typed in, are undone by the browser.
    const isText = this.pane.isIn(event.target) ? this.isUnsent : this.typedIn === event.target;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key; // with shift, or caps lock
    const actions: Record<string, () => void> = { s: () => this.save(), Enter: () => this.run() };
    if (!isText) {
      actions.z = () => this.change({ type: event.shiftKey ? "redo" : "undo" });
      actions.y = () => this.change({ type: "redo" });
    }
    const action = actions[key];
    if (!action) return;
    event.preventDefault();
    if (this.document && !this.mayEdit) this.tell("Another window edits; this one watches.");
    else action();
  }

  // ---- what comes from the server ----
  private take(message: ServerMessage): void {
    switch (message.type) {
      case "hello":
        this.mayEdit = message.editor && message.document;
        this.lockText();
        this.askRecovery();
        find("studio-buttons").hidden = !message.document || !message.editor;
        find("tab-model").hidden = !message.document;
        find("tab-build").hidden = !this.mayEdit;
        if (this.document) this.showParameters(this.document.parameters, this.document.faults.length > 0);
        if (message.document && !message.editor) this.tell("Another window edits; this one watches.");
        break;
      case "document":
        this.takeDocument(message);
        break;
      case "scene":
        this.header = message.header;
        break;
      case "ghost":
        this.ghost = message;
        break;
      case "keep":
        this.kept = message;
        break;
      case "controls":
        find("program").hidden = message.list.length === 0;
        find("program").replaceChildren(make("h2", {}, "Program"), ...message.list.map((control) => this.control(control)));
        break;
      case "sweep":
        if (this.sweep) break; // the page has come back
        this.sweep = new SweepPane(this.viewer.addTab("sweep", "Sweep"), message, (request) => this.connection.send(request));
        this.viewer.openTab("sweep");
        break;
      case "members":
        this.sweep?.take(message);
        break;
      case "status":
        this.takeStatus(message);
        break;
      case "error":
        if (this.isLiveAsked) this.setLive(false);
        this.isLiveAsked = false;
        this.forms.refuse(this.outbox.answered(message.answers) ?? {});
        this.sendPostponed();
        this.showItems();
        this.tell(message.text, true);
        break;
      case "changed":
        if (message.same) this.withdraw();
        else if (this.mayEdit) this.tellChanged(message.gone === true);
        break;
      case "table":
        this.tables.get(message.name)?.();
        this.tables.delete(message.name);
        this.tell(`${message.name} is beside the model.`);
        break;
      case "saved":
        this.withdraw();
        this.tell("Saved.");
        break;
    }
  }
  /** Shows the items once all answers are there; until then they are those before the next change. */
  private showItems(): void {
    if (this.document && !this.outbox.has(() => true)) this.forms.setItems(this.document.items);
  }
  private async upload(name: string, table: File, over: string): Promise<string> {
    let text = "";
    try {
      text = new TextDecoder("utf-8", { fatal: true }).decode(await table.arrayBuffer());
    } catch {
      this.tell(`${table.name} is not a text in UTF-8.`, true);
      return new Promise(() => undefined);
    }
    return new Promise((done) => {
      this.tables.set(name, () => done(text));
      this.change({ type: "table", name, text, over });
    });
  }
  private takeDocument(message: DocumentMessage): void {
    const isNew = this.document === undefined;
    // The live run of a model that changes goes on from the same instant of the new one.
    if (this.mayEdit && this.isLive && !this.isPaused && this.document?.text !== message.text && message.faults.length === 0) {
      this.resumeAt = this.viewer.player.now;
      this.setLive(false);
    }
    const hasProgram = message.programs > (this.document?.programs ?? message.programs);
    this.document = message;
    this.outbox.answered(message.answers);
    // The server takes no text that is older than a change by a program.
    if (hasProgram && this.outbox.has(({ type }) => type === "text")) {
      this.pane.takeInto(message.text);
      this.outbox.replaceTexts(this.textMessage(this.pane.text));
    }
    this.outbox.open();
    this.pane.set(message.text, message.faults, this.outbox.has(({ type }) => type === "text"));
    this.sendPostponed();
    this.showItems();
    find<HTMLButtonElement>("undo").disabled = message.undo === 0;
    find<HTMLButtonElement>("redo").disabled = message.redo === 0;
    find("save").textContent = message.dirty ? "Save •" : "Save";
    if (message.faults.length > 0) {
      this.tell(message.faults.length === 1 ? "The model has a fault." : `The model has ${message.faults.length} faults.`, true);
    }
    this.showParameters(message.parameters, message.faults.length > 0);
    this.askRecovery();
    if (isNew && this.mayEdit && (message.text.trim() === "" || message.faults.length > 0)) this.viewer.openTab(message.text.trim() === "" ? "build" : "model");
    if (message.copy_fault && !this.isCopyFaultTold) this.note(`Unsaved work is not kept: ${message.copy_fault}`);
    this.isCopyFaultTold = message.copy_fault !== "";
  }
  private askRecovery(): void {
    if (!this.document?.recovered || !this.mayEdit || this.isQuestion) return;
    this.offer("There is work on this model that was not saved.", [
      ["Take it", () => this.change({ type: "recover", take: true })],
      ["Throw it away", () => this.change({ type: "recover", take: false })],
    ]);
  }
  /** The file is again as the studio knows it. */
  private withdraw(): void {
    if (!this.isAboutFile) return;
    find("offer").hidden = true;
    this.isQuestion = this.isAboutFile = false;
  }
  private tellChanged(isGone: boolean): void {
    if (isGone) {
      this.note("The file of the model has been removed by another program. Save writes it again.");
      this.isAboutFile = !this.isQuestion;
      return;
    }
    this.offer("The file has been changed by another program.", [
      ["Take its text", () => this.change({ type: "reload" })],
      ["Keep mine", () => this.change({ type: "overwrite" })],
    ]);
    this.isAboutFile = true;
  }
  private tellStranger(): void {
    this.tell("Another studio was started here. Open the address that it told.", true);
    if (this.isStrange) return;
    this.isStrange = true;
    const text = this.document && this.outbox.has(({ type }) => type === "text") ? this.pane.text : undefined;
    if (text === undefined || this.isQuestion) return;
    this.offer("What was typed last is only in this page.", [
      ["Copy the text", () => void navigator.clipboard.writeText(text)], ["Close", () => undefined],
    ]);
  }
  private takeStatus(message: StatusMessage): void {
    const isGoing = message.live && message.running;
    // Who watches, or has just come, follows.
    const follows = !this.mayEdit || this.isNew;
    if (follows && (isGoing !== this.isLive || message.paused !== this.wasPaused)) {
      this.setLive(isGoing);
      this.isPaused = isGoing && message.paused;
      this.viewer.player.isPlaying = isGoing && !this.isPaused;
      this.viewer.showPlaying();
    }
    this.isNew = false;
    this.wasPaused = message.paused;
    if (message.live) this.isLiveAsked = false;
    if (this.isLive && !this.isLiveAsked && !(message.live && message.running)) this.setLive(false);
    if (this.document && this.document.faults.length > 0) return;
    const time = `t = ${short(message.t, 4)} s`;
    const pace = message.live && message.running && message.text ? `, ${message.text}` : "";
    if (message.running) this.tell(message.live ? (this.isPaused ? `paused, ${time}` : `live, ${time}${pace}`) : `running, ${time}${message.text ? `, ${message.text}` : ""}`);
    else if (this.resumeAt !== undefined && !message.failed) {
      this.viewer.player.seek(this.resumeAt);
      this.resumeAt = undefined;
      this.toggleLive();
    } else if (message.failed) {
      this.tell("The run failed.", true);
      if (this.failure !== message.text) this.note(message.text);
      this.failure = message.text;
      return;
    } else if (message.live) this.tell(message.text === "stopped" ? "" : message.text);
    else this.tell(message.text || `computed in ${short(message.wall, 3)} s`);
    if (this.failure !== undefined && !this.isQuestion) find("offer").hidden = true;
    this.failure = undefined;
  }
  private takeBlock(kind: number, rows: number, block: ArrayBuffer): void {
    const { viewer } = this;
    if (kind === 1 && this.header) {
      this.kept = undefined;
      const motion = readMotion(this.header, block);
      const keep = !this.isFirst;
      this.isFirst = false;
      viewer.setScene(this.header.scene, motion, { keepView: keep && !this.sweep, keepTime: keep && !this.isLive });
      if (this.isLive) viewer.player.seek(viewer.player.end);
      this.forms.setScene(this.header.scene);
      this.forms.select(viewer.scene, viewer.selected);
    } else if (kind === 3 && this.ghost) {
      viewer.setGhost(new Ghost(this.ghost.name, this.ghost.header.scene, readMotion(this.ghost.header, block)));
    } else if (kind === 2 && viewer.motion) {
      this.append(viewer.motion, rows, block);
    }
  }
  private append(motion: Motion, rows: number, block: ArrayBuffer): void {
    if (this.kept) {
      motion.keep(this.kept.rows, this.kept.stride);
      if (this.steppedFrom !== undefined) this.steppedFrom = Math.min(this.steppedFrom, motion.rows);
      this.kept = undefined;
    }
    motion.append(rows, block);
    if (this.isDue) return;
    this.isDue = true;
    requestAnimationFrame(() => {
      this.isDue = false;
      const hasStepped = this.steppedFrom !== undefined && motion.rows > this.steppedFrom;
      if (this.isLive && (!this.isPaused || hasStepped)) this.viewer.player.seek(this.viewer.player.end);
      if (hasStepped) this.steppedFrom = undefined;
      this.viewer.refresh();
    });
  }

  // ---- parameters ----
  private showParameters(parameters: Parameter[], hasFaults: boolean): void {
    const section = find("parameters");
    if (hasFaults) return; // those before stay until the text is right again
    section.hidden = parameters.length === 0;
    const names = parameters.map((parameter) => parameter.name);
    if ([...this.sliders.keys()].join() !== names.join()) {
      this.sliders.clear();
      section.replaceChildren(make("h2", {}, "Parameters"), ...parameters.map((parameter) => this.addSlider(parameter)));
    }
    for (const parameter of parameters) {
      const slider = this.sliders.get(parameter.name);
      if (slider) slider.range.disabled = slider.number.disabled = !this.mayEdit || parameter.value === undefined;
      if (!slider || parameter.value === undefined) continue;
      if (this.outbox.has(({ path }) => path === `parameters.${parameter.name}`)) continue;
      if (slider.number.value === slider.shown) this.showNumber(slider, String(Number(parameter.value.toPrecision(8))));
      if (!slider.isHeld) slider.range.value = String(parameter.value);
    }
  }
  private showNumber(slider: Slider, text: string): void {
    slider.number.value = slider.number.title = slider.shown = text;
  }
  private addSlider(parameter: Parameter): HTMLElement {
    const { name } = parameter;
    const value = parameter.value;
    const given = String(value ?? parameter.expression ?? "");
    const number = make("input", { type: "text", "aria-label": name, title: given, value: given });
    const size = value ? Math.abs(value) : 1;
    const range = make("input", {
      type: "range", "aria-label": `${name}, slider`, step: "any", min: value ? Math.min(0, 2 * value) : -size, max: value ? Math.max(0, 2 * value) : size,
    });
    range.value = String(value ?? 0);
    const set = (text: string, kind: string): void => this.change({ type: "set", path: `parameters.${name}`, value: text, kind });
    range.addEventListener("input", () => set(String(Number(Number(range.value).toPrecision(4))), `slider ${name}`));
    number.addEventListener("change", () => {
      slider.shown = number.value;
      set(number.value.trim(), "");
    });
    const row = make("div", { class: "parameter" }, make("span", { class: "name", title: name }, name), number, range);
    const slider = { row, range, number, shown: given, isHeld: false };
    range.addEventListener("pointerdown", () => (slider.isHeld = true));
    for (const end of ["pointerup", "pointercancel"]) range.addEventListener(end, () => (slider.isHeld = false));
    this.sliders.set(name, slider);
    return row;
  }

  /** A button or a slider of the program. */
  private control({ name, slider, lower, upper, value }: Control): HTMLElement {
    const send = (to: number): void => this.connection.send({ type: "control", name, value: to });
    if (!slider) return make("button", { onclick: () => send(0) }, name);
    const number = make("output", {}, short(value));
    const range = make("input", { type: "range", "aria-label": name, step: "any", min: lower, max: upper });
    range.value = String(value);
    range.addEventListener("input", () => {
      number.textContent = short(Number(range.value), 4);
      send(Number(range.value));
    });
    return make("div", { class: "parameter" }, make("span", { class: "name", title: name }, name), number, range);
  }

  // ---- words ----
  private tell(text: string, isBad = false): void {
    const status = find("status");
    status.textContent = text;
    status.title = text;
    status.classList.toggle("bad", isBad);
  }
  /** A long text, unless a question stands in its place. */
  private note(text: string): void {
    if (!this.isQuestion) this.showBar(text, [["Close", () => undefined]]);
  }
  /** A question, which stays until it is answered. */
  private offer(text: string, answers: [string, () => void][]): void {
    this.isQuestion = true;
    this.showBar(text, answers);
  }
  private showBar(text: string, answers: [string, () => void][]): void {
    const bar = find("offer");
    bar.hidden = this.isAboutFile = false;
    bar.replaceChildren(make("span", {}, text), ...answers.map(([label, f]) => make("button", {
      onclick: () => {
        bar.hidden = true;
        this.isQuestion = false;
        f();
      },
    }, label)));
  }
}
