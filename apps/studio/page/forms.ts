// Forms that write bodies, joints, forces, contacts, events, parameters and the analysis into the text of the model, and
// change them there: only what differs is sent, so that the rest of the text stays as it is.
import { make } from "./dom";
import {
  ANALYSIS, BODY, CONSTRAINT, CONTACT, EVENT, Field, FORCE, GENERAL, GROUND_POINTS, GROUND_SHAPE, JOINT, NUMBER, STATE,
} from "./fields";
import { differences, FlowMap, flowText, readFlow, shownText } from "./flow";
import { Scene } from "./message";
import { Context, GroupWidget, Pick, Upload } from "./widgets";

type Send = (message: Record<string, unknown>) => void;
/** The items of the lists of the model, their values as text. */
export type Items = Record<string, Record<string, string>[]>;

interface FormOptions {
  title: string;
  /** Of the model: a list of maps, or a map of names to numbers; empty: the keys of the model itself. */
  list: string;
  fields: Field[];
}
const MAPS = ["parameters", "variables"];

function mapOf(item: Record<string, string>): FlowMap {
  return new Map(Object.entries(item).map(([key, text]) => [key, readFlow(text)]));
}

/** A form that adds an item, or changes one; or one for keys of the model. */
class ItemForm {
  readonly element: HTMLDetailsElement;
  private readonly fields: GroupWidget;
  private readonly chooser = make("select", {});
  private readonly button = make("button", { type: "submit" });
  private readonly remover = make("button", { type: "button", hidden: true }, "Remove");
  private items: FlowMap[] = [];
  private given: FlowMap | undefined; // the item that is changed, in the model
  private sent: FlowMap | undefined; // as the answers that are still to come will make it
  private readonly unanswered = new Set<Record<string, unknown>>();
  private isTouched = false; // by the user, since the item was shown
  private isAdding = false; // until the item is there

  constructor(private readonly options: FormOptions, private readonly sender: Send, private readonly context: Context) {
    const word = options.title.toLowerCase().split(" ")[0];
    const { list } = options;
    this.fields = new GroupWidget({ key: "", label: options.title }, options.fields, `add-${word}`, context);
    this.chooser.id = `add-${word}-item`;
    this.chooser.setAttribute("aria-label", `${options.title}: a new one, or which one to change`);
    this.chooser.addEventListener("change", () => this.choose(this.chooser.value));
    this.remover.addEventListener("click", () => {
      const name = this.nameOf(this.sent ?? this.given);
      if (MAPS.includes(list)) this.send({ type: "edit", list: "", name: "", values: { [`${list}.${name}`]: "" } });
      else this.send({ type: "remove", list, name });
    });
    const chooser = make("label", { class: "field chooser", for: this.chooser.id }, make("span", {}, "Add or change"), this.chooser);
    chooser.hidden = list === "";
    const form = make("form", {
      oninput: () => (this.isTouched = true),
      onsubmit: (event) => {
        event.preventDefault();
        this.submit();
      },
    }, chooser, this.fields.element, make("div", { class: "adder" }, this.button, this.remover));
    // Keys of the model change at once.
    if (list === "") form.addEventListener("change", () => this.submit());
    this.button.hidden = list === "";
    this.element = make("details", { class: "form" }, make("summary", {}, options.title), form);
    this.chooser.append(make("option", { value: "" }, "a new one"));
    this.choose("");
    if (list === "") this.given = undefined;
  }

  setItems(items: Record<string, string>[]): void {
    const now = items.map(mapOf);
    const { sent } = this;
    this.sent = undefined;
    this.unanswered.clear();
    const isSame = sent === undefined && JSON.stringify(now.map(flowText)) === JSON.stringify(this.items.map(flowText));
    if (isSame && (this.given || this.options.list !== "") && this.chooser.options.length > 0) return;
    if (this.options.list === "") {
      this.items = now;
      this.given = now[0];
      this.fields.set(this.given, true);
      return;
    }
    const count = this.items.length;
    const found = this.given && this.find(this.given, sent, now);
    this.items = now;
    this.chooser.replaceChildren(make("option", { value: "" }, "a new one"),
      ...now.map((item) => make("option", { value: this.nameOf(item) }, this.nameOf(item))));
    const isAdded = this.isAdding && now.length > count;
    if (isAdded) this.isAdding = false;
    // The user types the next item, or this one, while the answer comes.
    if (isAdded && this.isTouched) this.fields.setNew(true);
    else if (isAdded) this.choose("");
    else if (found) this.take(found);
    else if (!this.given) this.chooser.value = "";
    else this.choose("");
  }
  /** The item among those of now: by its name, the one that was sent, or at its place with another name alone. */
  private find(item: FlowMap, sent: FlowMap | undefined, now: FlowMap[]): FlowMap | undefined {
    const named = [sent, item].map((one) => one && now.find((other) => this.nameOf(other) === this.nameOf(one))).find((one) => one);
    const at = this.items.findIndex((one) => this.nameOf(one) === this.nameOf(item));
    if (named || at < 0 || now.length !== this.items.length) return named;
    const rest = (one: FlowMap): string => flowText(new Map([...one].filter(([key]) => key !== "name")));
    return !this.fields.isDirty() || rest(now[at]) === rest(item) ? now[at] : undefined;
  }
  /** The server refuses a change: what was typed stands, and can be sent again. */
  refuse(message: Record<string, unknown>): void {
    if (!this.unanswered.has(message)) return;
    this.isAdding = false;
    this.isTouched = true;
    this.fields.uncommit();
  }
  /** Shows an item, unless the user is at work on another one; true if it has it. */
  show(name: string): boolean {
    if (!this.items.some((item) => this.nameOf(item) === name)) return false;
    if (!this.isTouched || !this.element.open) this.choose(name);
    return true;
  }
  open(): void {
    this.element.open = true;
  }

  private nameOf(item: FlowMap | undefined): string {
    return shownText(item?.get("name"));
  }
  private choose(name: string): void {
    this.chooser.value = name;
    this.sent = undefined;
    this.given = name === "" ? undefined : this.items.find((item) => this.nameOf(item) === name);
    if (this.given) this.fields.set(this.given);
    else this.fields.setNew();
    this.isTouched = false;
    this.button.textContent = this.given ? `Change ${name}` : `Add ${this.options.title.toLowerCase()}`;
    this.remover.hidden = !this.given;
    this.remover.setAttribute("aria-label", `Remove ${name}`);
  }
  /** The item as it is now, in a form at work. */
  private take(item: FlowMap): void {
    this.given = item;
    this.fields.set(item, true);
    this.chooser.value = this.nameOf(item);
    this.button.textContent = `Change ${this.nameOf(item)}`;
  }
  private submit(): void {
    const { list } = this.options;
    const fault = this.fields.fault();
    if (fault !== undefined) return this.context.tell?.(fault);
    const now = this.fields.get() as FlowMap | undefined;
    const before = this.given && (this.sent ?? this.given);
    if (!now || (this.isAdding && this.sent && flowText(this.sent) === flowText(now))) return;
    this.isTouched = false;
    this.fields.commit();
    this.sent = now;
    if (MAPS.includes(list)) this.submitNumber(list, before, now);
    else if (before) this.change(list, before, now);
    else this.add(flowText(now));
  }
  private send(message: Record<string, unknown>): void {
    this.unanswered.add(message);
    this.sender(message);
  }
  private add(item: string): void {
    this.isAdding = true;
    this.send({ type: "add", list: this.options.list, item });
  }
  private submitNumber(list: string, item: FlowMap | undefined, now: FlowMap): void {
    const [name, before] = [this.nameOf(now), this.nameOf(item)];
    const value = flowText(now.get("value") ?? "0");
    if (name === before) this.send({ type: "edit", list: "", name: "", values: { [`${list}.${name}`]: value } });
    else if (before === "") this.add(`${name}: ${value}`);
    // The new one first, since a map does not remain empty.
    else this.send({ type: "edit", list: "", name: "", values: { [`${list}.${name}`]: value, [`${list}.${before}`]: "" } });
  }
  private change(list: string, before: FlowMap, now: FlowMap): void {
    const { name, ...values } = differences(before, now) as Record<string, string>;
    // A new name comes last, since the other keys are found by the old one.
    const sent = name === undefined || list === "" ? { ...(name === undefined ? {} : { name }), ...values } : { ...values, name };
    if (Object.keys(sent).length > 0) this.send({ type: "edit", list, name: list === "" ? "" : this.nameOf(before), values: sent });
  }
}

export class Forms {
  private readonly points = make("datalist", { id: "points" });
  private readonly jointNames = make("datalist", { id: "joint-names" });
  private readonly shapeNames = make("datalist", { id: "shape-names" });
  private readonly parameterNames = make("datalist", { id: "parameter-names" });
  private readonly forms: { list: string; form: ItemForm }[];

  constructor(page: HTMLElement, send: Send, pick: Pick, upload: Upload, tell: (text: string) => void) {
    const options: FormOptions[] = [
      { title: "Body", list: "bodies", fields: BODY },
      { title: "Joint", list: "joints", fields: JOINT },
      { title: "Force", list: "forces", fields: FORCE },
      { title: "Constraint", list: "constraints", fields: CONSTRAINT },
      { title: "Contact", list: "contacts", fields: CONTACT },
      { title: "Event", list: "events", fields: EVENT },
      { title: "Variable", list: "variables", fields: NUMBER },
      { title: "State", list: "states", fields: STATE },
      { title: "Parameter", list: "parameters", fields: NUMBER },
      { title: "Ground shape", list: "ground.shapes", fields: GROUND_SHAPE },
      { title: "Points of the ground", list: "", fields: GROUND_POINTS },
      { title: "Gravity and name", list: "", fields: GENERAL },
      { title: "Analysis and output", list: "", fields: ANALYSIS },
    ];
    this.forms = options.map((one) => ({ list: one.list, form: new ItemForm(one, send, { pick, upload, tell }) }));
    const directions = make("datalist", { id: "axis-directions" },
      ...["[1, 0, 0]", "[0, 1, 0]", "[0, 0, 1]"].map((value) => make("option", { value })));
    page.append(this.points, this.jointNames, this.shapeNames, this.parameterNames, directions, ...this.forms.map(({ form }) => form.element),
      importer(send));
  }

  setScene(scene: Scene): void {
    this.points.replaceChildren(...scene.points.map((point) => make("option", { value: point.name })));
    this.jointNames.replaceChildren(...scene.joints.map((joint) => make("option", { value: joint.name })));
  }
  setItems(items: Items): void {
    const model = items.model?.[0] ?? {};
    for (const { list, form } of this.forms) {
      if (list === "") form.setItems([model]);
      else if (MAPS.includes(list)) form.setItems(numbersOf(model[list]));
      else form.setItems(items[list] ?? []);
    }
    const names = ["ground", ...(items.bodies ?? []).map((body) => body.name)];
    const shapes = [...(items.bodies ?? []).map((body) => `${body.shape ?? ""} ${body.shapes ?? ""}`),
      ...(items["ground.shapes"] ?? []).map((shape) => `name: ${shape.name}`)];
    for (const text of shapes) names.push(...[...text.matchAll(/\bname: (\w+)/g)].map((found) => found[1]));
    this.shapeNames.replaceChildren(...names.map((name) => make("option", { value: name })));
    this.parameterNames.replaceChildren(...numbersOf(model.parameters).map(({ name }) => make("option", { value: name })));
  }
  refuse(message: Record<string, unknown>): void {
    for (const { form } of this.forms) form.refuse(message);
  }
  /** Opens the form of an item of the model. */
  openItem(list: string, name: string): void {
    const form = this.formOf(list);
    if (form.show(name)) form.open();
  }
  /** The form of the selected body, and that of the joint that carries it, show them. */
  select(scene: Scene | undefined, body: number): void {
    if (!scene || body < 1 || !scene.bodies[body]) return;
    const form = this.formOf("bodies");
    const { name, beam } = scene.bodies[body];
    if (form.show(name) || (beam !== "" && form.show(beam))) form.open();
    const joint = scene.joints.find((one) => one.child === body && !one.closes_loop);
    if (joint) this.formOf("joints").show(joint.name);
  }

  private formOf(list: string): ItemForm {
    return (this.forms.find((one) => one.list === list) as { form: ItemForm }).form;
  }
}

/** Chooses a robot in URDF, which takes the place of the model. */
function importer(send: Send): HTMLElement {
  const file = make("input", { type: "file", id: "import-file", accept: ".urdf,.xml", "aria-label": "Robot in URDF", hidden: true });
  file.addEventListener("change", async () => {
    const [robot] = file.files ?? [];
    file.value = "";
    if (robot) send({ type: "import", name: robot.name, text: await robot.text() });
  });
  const button = make("button", { type: "button", id: "import", onclick: () => file.click() }, "Import a robot (URDF) …");
  return make("div", { class: "adder importer" }, button, file);
}

/** `{l: 1, m: 2}` as items. */
function numbersOf(text: string | undefined): Record<string, string>[] {
  const map = text === undefined ? undefined : readFlow(text);
  return map instanceof Map ? [...map].map(([name, value]) => ({ name, value: flowText(value) })) : [];
}
