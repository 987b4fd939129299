// The controls of forms: each shows a value of the model and gives the value that the user has made of it.
import { make } from "./dom";
import { Field } from "./fields";
import { Flow, FlowMap, flowText, quoted, readFlow, shownText } from "./flow";

export interface Widget {
  readonly element: HTMLElement;
  get(): Flow | undefined;
  /** Undefined: the key is not there. `isUpdate`: what has been typed and not sent stays. */
  set(value: Flow | undefined, isUpdate?: boolean): void;
  /** The page has sent what stands there. */
  commit(): void;
  /** The server has refused it: it counts as typed and not sent again. */
  uncommit(): void;
  /** Whether something is typed that has not been sent. */
  isDirty(): boolean;
  /** Why what stands there cannot be sent. */
  fault?(): string | undefined;
}
/** Asks the user to choose a point in the scene; the answer is its name. */
export type Pick = (take: (name: string) => void) => void;
/** Writes a table beside the model; it ends, with the text, when the table is there. */
export type Upload = (name: string, table: File, over: string) => Promise<string>;
export interface Context {
  /** Tells the user why something is not sent. */
  tell?: (text: string) => void;
  pick?: Pick;
  upload?: Upload;
  /** Names from which the field of the key beside this one has to choose. */
  offer?: (key: string, names: string[]) => void;
}

function hasFocus(element: HTMLElement): boolean {
  return element.contains(document.activeElement);
}
function isEmpty(value: Flow | undefined): boolean {
  return value === undefined || value === "" || (value instanceof Map && value.size === 0);
}

class TextWidget implements Widget {
  readonly element: HTMLElement;
  private readonly input: HTMLInputElement;
  private given: Flow | undefined;
  private shown = ""; // what the page has written, or sent

  constructor(private readonly field: Field, id: string, context: Context) {
    this.input = make("input", {
      id, type: "text", placeholder: field.hint ?? "", "aria-label": field.label, autocomplete: "off", spellcheck: "false",
      ...(field.list ? { list: field.list } : {}), ...(field.isNeeded ? { required: true } : {}),
    });
    this.element = this.input;
    if (field.tableOver && context.upload) this.element = this.withFile(context, field.tableOver, context.upload);
    const { pick } = context;
    if (field.list !== "points" || !pick) return;
    const button = make("button", {
      type: "button", class: "pick", title: "Choose the point in the scene", "aria-label": `${field.label}: choose in the scene`,
      onclick: () => pick((name) => {
        this.input.value = name;
        this.input.dispatchEvent(new Event("input", { bubbles: true }));
      }),
    }, "Pick");
    this.element = make("div", { class: "with-pick" }, this.input, button);
  }
  get(): Flow | undefined {
    const text = this.input.value.trim();
    if (text === shownText(this.given)) return this.given;
    if (text === "") return undefined;
    return readFlow(this.field.isVector && isBareList(text) ? `[${text}]` : text);
  }
  set(value: Flow | undefined, isUpdate = false): void {
    this.given = value;
    if (isUpdate && this.isDirty()) return;
    this.shown = shownText(value);
    if (this.input.value === this.shown) return;
    this.input.value = this.shown;
    if (isUpdate && hasFocus(this.input)) this.input.select(); // as if one had come by Tab
  }
  commit(): void {
    this.shown = this.input.value;
  }
  uncommit(): void {
    this.shown = shownText(this.given);
  }
  isDirty(): boolean {
    return this.input.value !== this.shown;
  }
  /** A button that takes a table from the computer of the browser. */
  private withFile({ offer }: Context, over: string, upload: Upload): HTMLElement {
    const file = make("input", { type: "file", id: `${this.input.id}-file`, accept: ".csv,.txt", "aria-label": `${this.field.label}: choose`, hidden: true });
    file.addEventListener("change", async () => {
      const [table] = file.files ?? [];
      file.value = "";
      if (!table) return;
      const name = plainName(table.name);
      const text = await upload(name, table, over);
      this.input.value = name;
      const names = (text.split(/\r?\n/).find((line) => line.trim() !== "" && !line.startsWith("#")) ?? "").split(",").map((one) => one.trim());
      offer?.("columns", names.filter((one) => one !== over));
      this.input.dispatchEvent(new Event("input", { bubbles: true }));
    });
    const button = make("button", { type: "button", class: "pick", title: "Write a table from this computer beside the model", "aria-label": `${this.field.label}: choose on this computer`, onclick: () => file.click() }, "Choose");
    return make("div", { class: "with-pick" }, this.input, button, file);
  }
}

class SelectWidget implements Widget {
  readonly element: HTMLSelectElement;
  private given: Flow | undefined;
  private shown = "";

  constructor(private readonly field: Field, id: string) {
    this.element = make("select", { id, "aria-label": field.label },
      ...(field.options ?? []).map((option) => make("option", { value: option }, option || "–")));
    this.shown = this.element.value;
  }
  get(): Flow | undefined {
    const { value } = this.element;
    if (value === shownText(this.given)) return this.given;
    return value === "" || (this.given === undefined && value === this.field.usual) ? undefined : value;
  }
  set(value: Flow | undefined, isUpdate = false): void {
    this.given = value;
    if (isUpdate && this.isDirty()) return;
    const text = this.textOf(value);
    if (!this.field.options?.includes(text)) this.element.append(make("option", { value: text }, text));
    this.element.value = this.shown = text;
  }
  commit(): void {
    this.shown = this.element.value;
  }
  uncommit(): void {
    this.shown = this.textOf(this.given);
  }
  isDirty(): boolean {
    return this.element.value !== this.shown;
  }
  private textOf(value: Flow | undefined): string {
    return value === undefined ? this.field.usual ?? this.field.options?.[0] ?? "" : shownText(value);
  }
}

/** Fields with labels: the entries of a map, or the items of a list. */
export class GroupWidget implements Widget {
  readonly element: HTMLElement;
  private readonly rows: { field: Field; row: HTMLElement; widget: Widget }[];
  private given: Flow | undefined;

  constructor(private readonly owner: Field, fields: Field[], id: string, context: Context) {
    this.rows = fields.map((field) => {
      const own = `${id}-${field.id ?? field.key}`;
      const widget = makeWidget(field, own, { ...context, offer: (key, names) => this.offer(key, names) });
      const row = field.parts || field.ways !== undefined ? make("fieldset", { class: "parts" }, make("legend", {}, field.label), widget.element)
        : field.isRotation ? make("div", { class: "field", role: "group", "aria-label": field.label }, make("span", {}, field.label), widget.element)
        : make("label", { class: "field", for: own }, make("span", {}, field.label), widget.element);
      return { field, row, widget };
    });
    this.element = make("div", { class: owner.isSmall ? "small-fields" : "fields" }, ...this.rows.map(({ row }) => row));
    this.element.addEventListener("change", () => this.showFields());
    this.showFields();
  }
  get(): Flow | undefined {
    const { short } = this.owner;
    const map: FlowMap = new Map();
    for (const { field, row, widget } of this.rows) {
      const value = widget.get();
      if (row.hidden || isEmpty(value)) continue;
      if (field.key === "more") {
        if (value instanceof Map) value.forEach((one, key) => map.set(key, one));
      } else {
        map.set(this.keyOf(field), value as Flow);
      }
    }
    if (this.given instanceof Map && !this.rows.some(({ field }) => field.key === "more")) {
      const known = new Set(this.rows.map(({ field }) => this.keyOf(field)));
      this.given.forEach((one, key) => known.has(key) || map.set(key, one));
    }
    const alone = short ? map.get(short) : undefined;
    if (alone !== undefined && map.size === 1 && !(this.given instanceof Map)) return alone;
    return map.size > 0 ? map : undefined;
  }
  set(value: Flow | undefined, isUpdate = false): void {
    this.given = value;
    let map: FlowMap = value instanceof Map ? value : new Map();
    if (value !== undefined && !(value instanceof Map) && this.owner.short) map = new Map([[this.owner.short, value]]);
    const known = new Set(this.rows.map(({ field }) => this.keyOf(field)));
    const more: FlowMap = new Map([...map].filter(([key]) => !known.has(key)));
    for (const { field, widget } of this.rows) widget.set(field.key === "more" ? more : map.get(this.keyOf(field)), isUpdate);
    this.showFields();
  }
  commit(): void {
    for (const { widget } of this.rows) widget.commit();
  }
  uncommit(): void {
    for (const { widget } of this.rows) widget.uncommit();
  }
  isDirty(): boolean {
    return this.rows.some(({ widget }) => widget.isDirty());
  }
  fault(): string | undefined {
    return this.rows.filter(({ row }) => !row.hidden).map(({ widget }) => widget.fault?.()).find((one) => one);
  }
  /** What stands in the fields of a new item. */
  setNew(isUpdate = false): void {
    const start: FlowMap = new Map();
    for (const { field } of this.rows) if (field.value !== undefined && field.value !== "") start.set(field.key, readFlow(field.value));
    this.set(start, isUpdate);
    this.given = undefined;
    for (const { widget } of this.rows) if (widget instanceof GroupWidget) widget.setNew(isUpdate);
    this.showFields();
  }

  /** Names that stand there already are kept, if they are among these. */
  private offer(key: string, names: string[]): void {
    const widget = this.rows.find(({ field }) => field.key === key)?.widget;
    const chosen = [widget?.get() ?? []].flat().map(shownText);
    if (chosen.length === 0 || !chosen.every((one) => names.includes(one))) widget?.set(names.map(quoted));
  }
  private keyOf(field: Field): string {
    return field.synonym && this.given instanceof Map && this.given.has(field.synonym) ? field.synonym : field.key;
  }
  private showFields(): void {
    for (const { field, row } of this.rows) {
      const chooser = this.rows.find((one) => one.field.key === (field.of ?? "type"))?.widget;
      const type = chooser ? shownText(chooser.get()) || (chooser.element as HTMLSelectElement).value : "";
      row.hidden = field.types !== undefined && !field.types.includes(type);
    }
  }
}

/** "Further keys" as text. */
class MoreWidget implements Widget {
  readonly element: HTMLInputElement;
  private given = "";
  private shown = "";

  constructor(field: Field, id: string) {
    this.element = make("input", { id, type: "text", placeholder: field.hint ?? "", "aria-label": field.label });
  }
  get(): Flow | undefined {
    const text = this.element.value.trim();
    return text === "" ? undefined : readFlow(`{${text}}`);
  }
  set(value: Flow | undefined, isUpdate = false): void {
    this.given = value instanceof Map && value.size > 0 ? flowText(value).slice(1, -1) : "";
    if (isUpdate && this.isDirty()) return;
    this.element.value = this.shown = this.given;
  }
  commit(): void {
    this.shown = this.element.value;
  }
  uncommit(): void {
    this.shown = this.given;
  }
  isDirty(): boolean {
    return this.element.value !== this.shown;
  }
}

const ROTATIONS: Record<string, string> = {
  "": "not turned", rpy: "roll, pitch, yaw", axis: "about an axis", euler_parameters: "Euler parameters", matrix: "matrix",
};
const ROTATION_HINTS: Record<string, string> = {
  rpy: "[0, pi/2, 0]", axis: "[0, 0, 1]", euler_parameters: "[1, 0, 0, 0]", matrix: "[[1, 0, 0], [0, 1, 0], [0, 0, 1]]",
};

class RotationWidget implements Widget {
  readonly element: HTMLElement;
  private readonly kind: HTMLSelectElement;
  private readonly value: HTMLInputElement;
  private readonly angle: HTMLInputElement;
  private given: Flow | undefined;
  private shown = "\n\n";

  constructor(field: Field, id: string) {
    const input = (key: string, label: string): HTMLInputElement => make("input", { id: `${id}-${key}`, type: "text", "aria-label": `${field.label}: ${label}` });
    this.kind = make("select", { id: `${id}-kind`, "aria-label": `${field.label}: how it is given` },
      ...Object.entries(ROTATIONS).map(([key, label]) => make("option", { value: key }, label)));
    this.value = input("value", "numbers");
    this.angle = input("angle", "angle, rad");
    this.angle.placeholder = "angle, rad";
    this.kind.addEventListener("change", () => this.show());
    this.element = make("div", { class: "rotation" }, this.kind, this.value, this.angle);
  }
  get(): Flow | undefined {
    const kind = this.kind.value;
    const text = this.value.value.trim();
    if (kind === "" || text === "") return undefined;
    const is: FlowMap = new Map([[kind, readFlow(/^[^[]*,/.test(text) ? `[${text}]` : text)]]);
    if (kind === "axis") is.set("angle", readFlow(this.angle.value.trim() || "0"));
    return this.given !== undefined && flowText(is) === flowText(this.given) ? this.given : is;
  }
  set(value: Flow | undefined, isUpdate = false): void {
    this.given = value;
    if (isUpdate && this.isDirty()) return;
    this.shown = this.textOf(value);
    [this.kind.value, this.value.value, this.angle.value] = this.shown.split("\n");
    this.show();
  }
  commit(): void {
    this.shown = this.typed();
  }
  uncommit(): void {
    this.shown = this.textOf(this.given);
  }
  isDirty(): boolean {
    return this.typed() !== this.shown;
  }
  private typed(): string {
    return [this.kind.value, this.value.value, this.angle.value].join("\n");
  }
  private textOf(value: Flow | undefined): string {
    const map = value instanceof Map ? value : new Map<string, Flow>();
    const kind = Object.keys(ROTATIONS).find((key) => map.has(key)) ?? "";
    return [kind, shownText(map.get(kind)), shownText(map.get("angle"))].join("\n");
  }
  private show(): void {
    const kind = this.kind.value;
    this.value.hidden = kind === "";
    this.value.placeholder = ROTATION_HINTS[kind] ?? "";
    this.angle.hidden = kind !== "axis";
  }
}

/** A value that can be given in several ways: a choice of the way, and its fields. */
class WaysWidget implements Widget {
  readonly element: HTMLElement;
  private readonly chooser: HTMLSelectElement;
  private readonly ways: { by: string; widget: Widget }[];
  private given: Flow | undefined;
  private shown: WaysWidget["ways"][number] | undefined; // the way of `given`

  constructor(field: Field, id: string, context: Context) {
    const ways = field.ways ?? [];
    this.chooser = make("select", { id: `${id}-way`, "aria-label": `${field.label}: how it is given` },
      ...ways.map(({ label, by }) => make("option", { value: by ?? "" }, label)));
    this.chooser.addEventListener("change", () => this.show());
    this.ways = ways.map(({ by, parts }) => ({
      by: by ?? "", widget: parts ? new GroupWidget({ key: field.key, label: field.label }, parts, id, context) : new TextWidget(field, id, context),
    }));
    this.element = make("div", { class: "rotation" }, this.chooser, ...this.ways.map(({ widget }) => widget.element));
    this.show();
  }
  /** Another way of which nothing is filled in changes nothing. */
  get(): Flow | undefined {
    const chosen = this.chosen(), value = chosen.widget.get();
    return isEmpty(value) && chosen !== this.shown ? this.given : value;
  }
  set(value: Flow | undefined, isUpdate = false): void {
    this.given = value;
    if (isUpdate && this.isDirty()) return;
    const way = this.shown = this.wayOf(value);
    for (const one of this.ways) one.widget.set(one === way ? value : undefined, isUpdate);
    this.chooser.value = way.by;
    this.show();
  }
  commit(): void {
    this.shown = this.chosen();
    for (const { widget } of this.ways) widget.commit();
  }
  uncommit(): void {
    this.shown = this.wayOf(this.given);
    for (const { widget } of this.ways) widget.uncommit();
  }
  fault(): string | undefined {
    return this.chosen().widget.fault?.();
  }
  isDirty(): boolean {
    return this.chosen() !== (this.shown ?? this.ways[0]) || this.chosen().widget.isDirty();
  }
  private wayOf(value: Flow | undefined): WaysWidget["ways"][number] {
    return this.ways.find(({ by }) => value instanceof Map && value.has(by)) ?? this.ways.find(({ by }) => by === "") ?? this.ways[0];
  }
  private chosen(): WaysWidget["ways"][number] {
    return this.ways.find(({ by }) => by === this.chooser.value) ?? this.ways[0];
  }
  private show(): void {
    for (const one of this.ways) one.widget.element.hidden = one !== this.chosen();
  }
}

interface Row {
  element: HTMLElement;
  name: HTMLInputElement | undefined;
  givenName: string | undefined; // in the model
  shownName: string | undefined;
  group: GroupWidget;
}
/** An entry of the model as it is known, or as it has been sent: by its name, or in a list by its text. */
interface Known {
  key: string;
  row: Row | undefined; // undefined: the user has removed it
}

/** Entries that can be added and removed: of a map by their names, or of a list. */
class RowsWidget implements Widget {
  readonly element: HTMLElement;
  private readonly list = make("div", {});
  private rows: Row[] = [];
  private known: Known[] = [];
  private before: Known[] | undefined; // what was known before it was sent
  private isSingle = false; // one map, as `shape: {...}` is
  private made = 0; // rows, also those that have been removed: their ids differ

  constructor(private readonly field: Field, private readonly id: string, private readonly context: Context) {
    const adder = make("button", { type: "button", id: `${id}-add` }, `Add ${field.row ?? "one"}`);
    adder.addEventListener("click", () => {
      const row = this.add();
      row.group.setNew();
      this.showRemovers();
      row.element.querySelector<HTMLElement>("input, select")?.focus();
      adder.dispatchEvent(new Event("input", { bubbles: true }));
    });
    this.element = make("div", { class: "rows" }, this.list, adder);
  }
  get(): Flow | undefined {
    const { isNamed } = this.field;
    const entries = this.rows.map((row) => this.entryOf(row));
    if (isNamed) {
      const named = entries.filter(([name]) => name !== "");
      return named.length > 0 ? new Map(named.map(([name, value]) => [name, value ?? this.field.none ?? "0"])) : undefined;
    }
    const values = entries.map(([, value]) => value).filter((value): value is Flow => !isEmpty(value));
    if (values.length === 1 && this.isSingle && !this.field.least) return values[0];
    return values.length > 0 ? values : undefined;
  }
  set(value: Flow | undefined, isUpdate = false): void {
    this.isSingle = !Array.isArray(value);
    const entries: [string, Flow][] = value === undefined ? [] : Array.isArray(value) ? value.map((one) => ["", one])
      : this.field.isNamed && value instanceof Map ? [...value] : [["", value]];
    this.before = undefined;
    if (isUpdate) {
      this.update(entries);
    } else {
      this.rows = [];
      this.made = 0;
      this.list.replaceChildren();
      this.known = entries.map((entry) => ({ key: this.keyOf(entry), row: this.addEntry(entry) }));
    }
    while (this.rows.length < (this.field.least ?? 0)) this.add().group.setNew();
    this.showRemovers();
  }
  commit(): void {
    this.before ??= this.known;
    this.known = this.rows.filter((row) => this.isFilled(row)).map((row) => ({ key: this.keyOf(this.entryOf(row)), row }));
    for (const row of this.rows) {
      row.shownName = row.name?.value;
      row.group.commit();
    }
  }
  uncommit(): void {
    this.known = (this.before ?? this.known).map(({ key, row }) => ({ key, row: row && this.rows.includes(row) ? row : undefined }));
    this.before = undefined;
    for (const row of this.rows) {
      row.shownName = row.givenName;
      row.group.uncommit();
    }
  }
  isDirty(): boolean {
    return this.known.some(({ row }) => row === undefined) || this.rows.some((row) => this.isTyped(row));
  }
  /** Of two rows with one name a map would keep the last alone. */
  fault(): string | undefined {
    const names = this.field.isNamed ? this.rows.map((row) => this.entryOf(row)[0]).filter((name) => name !== "") : [];
    const twice = names.find((name, i) => names.indexOf(name) < i);
    if (twice !== undefined) return `${this.field.key}: there is ${articleOf(twice)} '${twice}' already`;
    return this.rows.map(({ group }) => group.fault()).find((one) => one);
  }
  private isTyped({ name, shownName, group }: Row): boolean {
    return name?.value !== shownName || group.isDirty();
  }
  private isFilled({ name, group }: Row): boolean {
    return name ? name.value.trim() !== "" : !isEmpty(group.get());
  }
  private entryOf({ name, group }: Row): [string, Flow | undefined] {
    return [name?.value.trim() ?? "", group.get()];
  }
  private keyOf([name, value]: [string, Flow | undefined]): string {
    return this.field.isNamed ? name : value === undefined ? "" : flowText(value);
  }
  /** The rows of entries that have changed, come or gone in the model; what the user has typed or removed and not sent stays so. */
  private update(entries: [string, Flow][]): void {
    const found = this.pairs(entries);
    const own = this.rows.filter((row) => !this.known.some((one) => one.row === row));
    const orphans = this.known.filter((one) => !found.includes(one)).flatMap(({ row }) => (row ? [row] : []));
    this.known = entries.map((entry, i) => {
      const one = found[i];
      return { key: this.keyOf(entry), row: one ? this.refresh(one, entry) : this.addEntry(entry) };
    });
    const isNeeded = (row: Row): boolean => !this.field.least || this.isTyped(row) || hasFocus(row.element);
    const kept = [...orphans.filter((row) => this.isTyped(row)), ...own.filter(isNeeded)];
    this.rows.filter((row) => [...orphans, ...own].includes(row) && !kept.includes(row)).forEach(({ element }) => element.remove());
    this.rows = [...this.known.flatMap(({ row }) => (row ? [row] : [])), ...kept];
    let next = this.list.firstChild; // elements that are in their places are not moved: they would lose the focus
    for (const { element } of this.rows) {
      if (element === next) next = next.nextSibling;
      else this.list.insertBefore(element, next);
    }
  }
  /** What was known of each entry; undefined: it is new. */
  private pairs(entries: [string, Flow][]): (Known | undefined)[] {
    const { known } = this;
    const isEqualCount = known.length === entries.length;
    let from = 0; // a list keeps its order
    const found = entries.map((entry) => {
      const at = known.findIndex(({ key }, i) => key === this.keyOf(entry) && (this.field.isNamed || i >= from));
      if (at >= 0) from = at + 1;
      return known[at] as Known | undefined;
    });
    // An entry with a new name, or of a list with a new value, is the one at the same place.
    return found.map((one, i) => one ?? (isEqualCount && known[i].row && !found.includes(known[i]) ? known[i] : undefined));
  }
  private refresh({ row }: Known, [name, value]: [string, Flow]): Row | undefined {
    if (!row) return undefined;
    if (row.name && row.name.value === row.shownName) row.name.value = row.shownName = name;
    row.givenName = row.name && name;
    row.group.set(value, true);
    return row;
  }
  private showRemovers(): void {
    const isFree = this.rows.length > (this.field.least ?? 0);
    for (const { element } of this.rows) (element.querySelector(".remove") as HTMLElement).hidden = !isFree;
  }
  private addEntry([name, value]: [string, Flow]): Row {
    const row = this.add();
    if (row.name) row.name.value = row.shownName = row.givenName = name;
    row.group.set(value);
    return row;
  }
  private add(): Row {
    const { field } = this;
    const id = `${this.id}-${this.made++}`;
    const word = field.row ?? "item";
    const group = new GroupWidget(field, field.parts ?? [], id, this.context);
    const name = field.isNamed ? make("input", { id: `${id}-name`, type: "text", "aria-label": `Name of the ${word}`, placeholder: field.nameHint ?? "name" }) : undefined;
    const element = make("div", { class: "entry", role: "group", "aria-label": word });
    const remover = make("button", {
      type: "button", class: "remove", title: "Remove", "aria-label": `Remove this ${word}`,
      onclick: () => {
        this.rows = this.rows.filter((row) => row.element !== element);
        for (const one of this.known) if (one.row?.element === element) one.row = undefined;
        this.element.dispatchEvent(new Event("input", { bubbles: true }));
        this.element.dispatchEvent(new Event("change", { bubbles: true }));
        element.remove();
        this.showRemovers();
      },
    }, "×");
    // Tab leads from the name to the fields, and only then to the button.
    element.append(make("div", { class: "entry-head" }, name ?? make("span", {}, word)), group.element, remover);
    this.list.append(element);
    const row: Row = { element, name, givenName: name?.value, shownName: name?.value, group };
    this.rows.push(row);
    return row;
  }
}

export function makeWidget(field: Field, id: string, context: Context): Widget {
  if (field.key === "more") return new MoreWidget(field, id);
  if (field.isRotation) return new RotationWidget(field, id);
  if (field.ways) return new WaysWidget(field, id, context);
  if (field.parts && field.row) return new RowsWidget(field, id, context);
  if (field.parts) return new GroupWidget(field, field.parts, id, context);
  return field.options ? new SelectWidget(field, id) : new TextWidget(field, id, context);
}

/** As the server writes it: letters alone are read by their names, an m. */
function articleOf(name: string): string {
  return (name.length === 1 ? /[aefhilmnorsx]/ : /^[aeio]/).test(name) ? "an" : "a";
}
/** The name of a file as the server takes it. */
function plainName(name: string): string {
  const plain = name.replace(/[^\w.-]/g, "_").replace(/^\.+/, "").replace(/\.(csv|txt)$/i, (end) => end.toLowerCase());
  return /\.(csv|txt)$/.test(plain) ? plain : `${plain}.csv`;
}
/** Whether a text is a list without its brackets, `cos(s), sin(s), 0`: commas within parentheses separate nothing. */
function isBareList(text: string): boolean {
  if (/^\[[^[\]]*\]\s*,/.test(text)) return true; // of lists
  if (/^[[{"']/.test(text)) return false;
  const parts = text.split(",");
  const isWhole = (part: string): boolean => part.split("(").length === part.split(")").length;
  return parts.length > 1 && parts.every(isWhole);
}
