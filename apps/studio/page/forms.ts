// Forms that write a body, a joint, a force, a contact, an event, a parameter or the analysis into the text of the model.
import { make } from "./dom";
import {
  ANALYSIS, BODY, bodyText, CONSTRAINT, CONTACT, contactFields, contactValues, EVENT, Field, FORCE, GROUND_SHAPE, groundShapeText,
  itemText, JOINT, NUMBER, quoted, STATE, Values,
} from "./fields";
import { Scene } from "./message";

type Send = (message: Record<string, unknown>) => void;
/** The items of the lists of the model. */
export type Items = Record<string, Values[]>;

interface FormOptions {
  title: string;
  list: string;
  fields: Field[];
  /** The item of these fields. */
  text?: (values: Values) => string;
  submit?: (values: Values) => void;
  /** Items of the list can be changed: their values as those of the fields, and back. */
  edit?: { fields: (item: Values) => Values; values: (fields: Values) => Values };
}

const SAME = { fields: (item: Values): Values => item, values: (fields: Values): Values => fields };

/** A form that adds an item, or changes one. */
class ItemForm {
  readonly element: HTMLElement;
  private readonly inputs = new Map<string, HTMLInputElement | HTMLSelectElement>();
  private readonly rows: { field: Field; row: HTMLElement }[];
  private readonly chooser = make("select", {});
  private readonly button = make("button", { type: "submit" });
  private readonly remover = make("button", { type: "button", hidden: true }, "Remove");
  private items: Values[] = [];
  private given: Values = {}; // of the item that is changed

  constructor(private readonly options: FormOptions, private readonly send: Send) {
    const word = options.title.toLowerCase().split(" ")[0];
    this.rows = options.fields.map((field) => {
      const id = `add-${word}-${field.key}`;
      const input = field.options
        ? make("select", { id }, ...field.options.map((option) => make("option", { value: option }, option)))
        : make("input", {
          id, type: "text", value: field.value ?? "", placeholder: field.hint ?? "",
          ...(field.list ? { list: field.list } : {}), ...(field.isNeeded ? { required: true } : {}),
        });
      this.inputs.set(field.key, input);
      return { field, row: make("label", { class: "field", for: id }, make("span", {}, field.label), input) };
    });
    this.inputs.get("type")?.addEventListener("change", () => this.showFields());
    this.chooser.id = `add-${word}-item`;
    this.chooser.addEventListener("change", () => this.choose(this.chooser.value));
    this.remover.addEventListener("click", () => this.send({ type: "remove", list: options.list, name: this.given.name }));
    const chooser = make("label", { class: "field", for: this.chooser.id }, make("span", {}, "Add or change"), this.chooser);
    chooser.hidden = !options.edit;
    const form = make("form", {
      onsubmit: (event) => {
        event.preventDefault();
        this.submit();
      },
    }, chooser, ...this.rows.map(({ row }) => row), make("div", { class: "adder" }, this.button, this.remover));
    this.element = make("details", { class: "form" }, make("summary", {}, options.title), form);
    this.setItems([]);
  }

  setItems(items: Values[]): void {
    if (JSON.stringify(items) === JSON.stringify(this.items) && this.chooser.options.length > 0) return;
    this.items = items;
    const chosen = this.given.name;
    this.chooser.replaceChildren(make("option", { value: "" }, "a new one"),
      ...items.map((item) => make("option", { value: item.name }, item.name)));
    this.choose(items.some((item) => item.name === chosen) ? chosen : "", chosen === undefined);
  }
  /** Opens the form on an item. */
  open(name: string): void {
    this.element.setAttribute("open", "");
    this.choose(name);
  }

  private choose(name: string, keepsFields = false): void {
    this.chooser.value = name;
    const item = this.items.find((one) => one.name === name);
    this.given = item && this.options.edit ? this.options.edit.fields(item) : {};
    for (const field of keepsFields ? [] : this.options.fields) {
      const input = this.inputs.get(field.key) as HTMLInputElement | HTMLSelectElement;
      input.value = item ? this.given[field.key] ?? (field.options?.[0] ?? "") : field.value ?? (field.options?.[0] ?? "");
    }
    this.button.textContent = item ? `Change ${name}` : this.options.submit ? "Set" : `Add ${this.options.title.toLowerCase()}`;
    this.remover.hidden = !item;
    this.showFields();
  }
  private showFields(): void {
    const type = this.inputs.get("type")?.value ?? "";
    for (const { field, row } of this.rows) {
      row.hidden = field.types !== undefined && !field.types.includes(type);
      if (field.key === "more") row.hidden = this.given.name !== undefined;
    }
  }
  private values(): Values {
    const values: Values = {};
    for (const { field, row } of this.rows) {
      const value = this.inputs.get(field.key)?.value.trim() ?? "";
      if (!row.hidden && value !== "") values[field.key] = value;
    }
    return values;
  }
  private submit(): void {
    const { list, edit, text, submit } = this.options;
    if (submit) submit(this.values());
    else if (edit && this.given.name !== undefined) this.change(list, edit);
    else this.send({ type: "add", list, item: (text ?? itemText)(this.values()) });
  }
  /** Sends what differs from the item; a new name comes last, since the others are found by the old one. */
  private change(list: string, edit: typeof SAME): void {
    const [before, after] = [edit.values(this.given), edit.values(this.values())];
    const changed = Object.entries(after).filter(([key, value]) => key !== "name" && key !== "more" && value !== before[key]);
    const values = Object.fromEntries(changed.map(([key, value]) => [key, quoted(value)]));
    if (after.name !== before.name) values.name = after.name;
    if (Object.keys(values).length > 0) this.send({ type: "edit", list, name: before.name, values });
  }
}

export class Forms {
  private readonly points = make("datalist", { id: "points" });
  private readonly jointNames = make("datalist", { id: "joint-names" });
  private readonly shapeNames = make("datalist", { id: "shape-names" });
  private readonly selection = make("section", {});
  private readonly forms: { list: string; form: ItemForm }[];

  constructor(page: HTMLElement, private readonly send: Send) {
    const gravity = [
      { key: "name", label: "Name" }, { key: "gravity", label: "Gravity, m/s²", value: "[0, 0, -9.81]" },
    ];
    const contact = { fields: contactFields, values: contactValues };
    const number = (values: Values): string => `${values.name}: ${quoted(values.value)}`;
    const options: FormOptions[] = [
      { title: "Body", list: "bodies", fields: BODY, text: bodyText },
      { title: "Ground shape", list: "ground.shapes", fields: GROUND_SHAPE, text: groundShapeText },
      { title: "Joint", list: "joints", fields: JOINT, edit: SAME },
      { title: "Force", list: "forces", fields: FORCE, edit: SAME },
      { title: "Constraint", list: "constraints", fields: CONSTRAINT, edit: SAME },
      { title: "Contact", list: "contacts", fields: CONTACT, edit: contact, text: (values) => itemText(contactValues(values)) },
      { title: "Event", list: "events", fields: EVENT, edit: SAME },
      { title: "Variable", list: "variables", fields: NUMBER, text: number },
      { title: "State", list: "states", fields: STATE, edit: SAME },
      { title: "Parameter", list: "parameters", fields: NUMBER, text: number },
      { title: "Gravity and name", list: "", fields: gravity, submit: (values) => {
        if (values.name) this.send({ type: "set", path: "name", value: values.name });
        if (values.gravity) this.send({ type: "set", path: "gravity", value: values.gravity });
      } },
    ];
    this.forms = options.map((one) => ({ list: one.list, form: new ItemForm(one, send) }));
    page.append(this.points, this.jointNames, this.shapeNames, this.selection, ...this.forms.map(({ form }) => form.element),
      this.analysis());
  }

  setScene(scene: Scene): void {
    this.points.replaceChildren(...scene.points.map((point) => make("option", { value: point.name })));
    this.jointNames.replaceChildren(...scene.joints.map((joint) => make("option", { value: joint.name })));
  }
  setItems(items: Items): void {
    for (const { list, form } of this.forms) form.setItems(items[list] ?? []);
    const names = ["ground", ...(items.bodies ?? []).map((body) => body.name)];
    const shapes = [...(items.bodies ?? []).map((body) => `${body.shape ?? ""} ${body.shapes ?? ""}`),
      ...(items["ground.shapes"] ?? []).map((shape) => `name: ${shape.name}`)];
    for (const text of shapes) names.push(...[...text.matchAll(/\bname: (\w+)/g)].map((found) => found[1]));
    this.shapeNames.replaceChildren(...names.map((name) => make("option", { value: name })));
  }
  /** Opens the form of a contact of the model. */
  openContact(name: string): void {
    this.forms.find(({ list }) => list === "contacts")?.form.open(name);
  }
  /** What of the selected body can be changed in its place. */
  select(scene: Scene | undefined, body: number): void {
    if (!scene || body < 1 || !scene.bodies[body]) {
      this.selection.replaceChildren();
      return;
    }
    const { name } = scene.bodies[body];
    const joint = scene.joints.find((one) => one.child === body && !one.closes_loop);
    const rows = [this.setter(`bodies.${name}.mass`, "Mass, kg"), this.setter(`bodies.${name}.center_of_mass`, "Mass centre, m"),
      this.setter(`bodies.${name}.inertia`, "Inertia, kg m²")];
    if (joint && joint.name !== name) {
      rows.push(this.setter(`joints.${joint.name}.q`, `${joint.name}: q at the start`), this.setter(`joints.${joint.name}.u`, `${joint.name}: u at the start`));
      if (joint.axis.some((x) => x !== 0)) rows.push(this.setter(`joints.${joint.name}.axis`, `${joint.name}: axis`));
    }
    const remove = (list: string, item: string): HTMLElement => make("button", {
      type: "button", onclick: () => this.send({ type: "remove", list, name: item }),
    }, `Remove ${item}`);
    const buttons = make("div", { class: "adder" }, remove("bodies", name));
    if (joint && joint.name !== name) buttons.append(remove("joints", joint.name));
    this.selection.replaceChildren(make("h3", {}, `Change ${name}`), ...rows, buttons);
  }

  private setter(path: string, label: string, options?: string[]): HTMLElement {
    const input = options
      ? make("select", { "aria-label": label }, ...["", ...options].map((option) => make("option", { value: option }, option)))
      : make("input", { type: "text", "aria-label": label, placeholder: "new value" });
    const apply = (): void => {
      if (input.value.trim() !== "") this.send({ type: "set", path, value: input.value.trim() });
    };
    input.addEventListener("change", apply);
    return make("label", { class: "field" }, make("span", {}, label), input);
  }
  private analysis(): HTMLElement {
    return make("details", { class: "form" }, make("summary", {}, "Analysis and output"),
      ...ANALYSIS.map(([path, label, options]) => this.setter(path, label, options)));
  }
}
