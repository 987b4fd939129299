// Forms that write a body, a joint, a force, a parameter or the analysis into the text of the model.
import { make } from "./dom";
import { Scene } from "./message";

type Send = (message: Record<string, unknown>) => void;

interface Field {
  key: string;
  label: string;
  value?: string;
  options?: string[];
  list?: string;
  /** Shown and used for these types alone. */
  types?: string[];
  isNeeded?: boolean;
}

const ANALYSIS: [string, string, string[]?][] = [
  ["analysis.type", "Type", ["dynamics", "kinematics", "statics", "modes"]],
  ["analysis.coordinates", "Coordinates", ["relative", "cartesian", "state_time"]],
  ["analysis.solver", "Solver", ["recursive", "kane", "divide_and_conquer", "hybrid", "compiled"]],
  ["analysis.integrator", "Rule", ["dormand_prince_54", "rk4", "adams_bashforth_moulton", "bdf", "velocity_verlet", "lobatto_iiia_iiib"]],
  ["analysis.step", "Step"],
  ["analysis.duration", "Duration, s"],
  ["output.every", "A row every, s"],
];
const WITH_AXIS = ["revolute", "prismatic", "screw", "cylindrical", "universal"];

export class Forms {
  private readonly points = make("datalist", { id: "points" });
  private readonly jointNames = make("datalist", { id: "joint-names" });
  private readonly selection = make("section", {});

  constructor(page: HTMLElement, private readonly send: Send) {
    page.append(this.points, this.jointNames, this.selection,
      this.form("Body", "bodies", bodyFields(), bodyText),
      this.form("Joint", "joints", jointFields(), itemText),
      this.form("Force", "forces", forceFields(), itemText),
      this.form("Parameter", "parameters", [
        { key: "name", label: "Name", isNeeded: true }, { key: "value", label: "Value", value: "1", isNeeded: true },
      ], (values) => `${values.name}: ${values.value}`),
      this.form("Gravity and name", "", [
        { key: "name", label: "Name" }, { key: "gravity", label: "Gravity, m/s²", value: "[0, 0, -9.81]" },
      ], () => "", (values) => {
        if (values.name) this.send({ type: "set", path: "name", value: values.name });
        if (values.gravity) this.send({ type: "set", path: "gravity", value: values.gravity });
      }),
      this.analysis());
  }

  setScene(scene: Scene): void {
    this.points.replaceChildren(...scene.points.map((point) => make("option", { value: point.name })));
    this.jointNames.replaceChildren(...scene.joints.map((joint) => make("option", { value: joint.name })));
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
  private form(
    title: string, list: string, fields: Field[], text: (values: Record<string, string>) => string,
    submit?: (values: Record<string, string>) => void,
  ): HTMLElement {
    const inputs = new Map<string, HTMLInputElement | HTMLSelectElement>();
    const rows = fields.map((field) => {
      const id = `add-${title.toLowerCase().split(" ")[0]}-${field.key}`;
      const input = field.options
        ? make("select", { id }, ...field.options.map((option) => make("option", { value: option }, option)))
        : make("input", { id, type: "text", value: field.value ?? "", ...(field.list ? { list: field.list } : {}), ...(field.isNeeded ? { required: true } : {}) });
      inputs.set(field.key, input);
      return { field, row: make("label", { class: "field", for: id }, make("span", {}, field.label), input) };
    });
    const type = inputs.get("type");
    const show = (): void => {
      for (const { field, row } of rows) row.hidden = field.types !== undefined && !field.types.includes(type?.value ?? "");
    };
    type?.addEventListener("change", show);
    show();
    const form = make("form", {
      onsubmit: (event) => {
        event.preventDefault();
        const values: Record<string, string> = {};
        for (const { field, row } of rows) {
          const value = inputs.get(field.key)?.value.trim() ?? "";
          if (!row.hidden && value !== "") values[field.key] = value;
        }
        if (submit) submit(values);
        else this.send({ type: "add", list, item: text(values) });
      },
    }, ...rows.map(({ row }) => row), make("div", { class: "adder" }, make("button", { type: "submit" }, submit ? "Set" : `Add ${title.toLowerCase()}`)));
    return make("details", { class: "form" }, make("summary", {}, title), form);
  }
}

function bodyFields(): Field[] {
  return [
    { key: "name", label: "Name", isNeeded: true },
    { key: "type", label: "Type", options: ["rigid", "particle"] },
    { key: "mass", label: "Mass, kg", value: "1", isNeeded: true },
    { key: "center_of_mass", label: "Mass centre, m", value: "[0, 0, 0]", types: ["rigid"] },
    { key: "inertia", label: "Inertia, kg m²", value: "{xx: 0.1, yy: 0.1, zz: 0.1}", types: ["rigid"] },
    { key: "points", label: "Points", value: "" },
    { key: "shape", label: "Shape", options: ["none", "box", "cylinder", "sphere", "capsule"] },
    { key: "size", label: "Size or radius, length, m", value: "[0.1, 0.1, 0.1]" },
    { key: "position", label: "Place of the shape, m", value: "[0, 0, 0]" },
    { key: "axes", label: "Axes of the shape", value: "" },
  ];
}
function bodyText(values: Record<string, string>): string {
  if (values.type === "rigid") delete values.type;
  if (values.center_of_mass === "[0, 0, 0]") delete values.center_of_mass;
  const parts = ["name", "type", "mass", "center_of_mass", "inertia", "points"].filter((key) => values[key]).map((key) => `${key}: ${values[key]}`);
  if (values.shape && values.shape !== "none") {
    const sizes = (values.size ?? "").replace(/[[\]]/g, "").split(",").map((part) => part.trim());
    let shape = `type: ${values.shape}`;
    if (values.shape === "box") shape += `, size: [${sizes.join(", ")}]`;
    else shape += `, radius: ${sizes[0]}${values.shape === "sphere" ? "" : `, length: ${sizes[1] ?? sizes[0]}`}`;
    for (const key of ["position", "axes"]) {
      if (values[key] && values[key] !== "[0, 0, 0]") shape += `, ${key}: ${values[key]}`;
    }
    parts.push(`shape: {${shape}}`);
  }
  return `{${parts.join(", ")}}`;
}
function jointFields(): Field[] {
  return [
    { key: "name", label: "Name", isNeeded: true },
    { key: "type", label: "Type", options: ["revolute", "prismatic", "spherical", "universal", "cylindrical", "screw", "planar", "xyz", "free", "weld"] },
    { key: "parent", label: "Parent point", value: "ground.origin", list: "points", isNeeded: true },
    { key: "child", label: "Child point", value: "", list: "points", isNeeded: true },
    { key: "axis", label: "Axis", value: "[0, 0, 1]", types: WITH_AXIS },
    { key: "second_axis", label: "Second axis", value: "[0, 1, 0]", types: ["universal"] },
    { key: "pitch", label: "Pitch, m/rad", value: "0.01", types: ["screw"] },
    { key: "q", label: "q at the start", value: "" },
    { key: "u", label: "u at the start", value: "" },
  ];
}
function forceFields(): Field[] {
  const joint = ["joint_spring", "joint_damper", "joint_force"];
  const point = ["point_force", "point_torque"];
  return [
    { key: "name", label: "Name", isNeeded: true },
    { key: "type", label: "Type", options: [...joint, "spring_damper", ...point] },
    { key: "joint", label: "Joint", list: "joint-names", types: joint },
    { key: "from", label: "From point", list: "points", types: ["spring_damper"] },
    { key: "to", label: "To point", list: "points", types: ["spring_damper"] },
    { key: "at", label: "At point", list: "points", types: point },
    { key: "stiffness", label: "Stiffness", value: "10", types: ["joint_spring", "spring_damper"] },
    { key: "damping", label: "Damping", value: "0.1", types: ["joint_damper", "spring_damper"] },
    { key: "reference", label: "Rest position", types: ["joint_spring"] },
    { key: "free_length", label: "Free length, m", types: ["spring_damper"] },
    { key: "value", label: "Value", types: ["joint_force", ...point] },
  ];
}
function itemText(values: Record<string, string>): string {
  return `{${Object.entries(values).map(([key, value]) => `${key}: ${/^[^[{"].*[*+^(,]/.test(value) ? JSON.stringify(value) : value}`).join(", ")}}`;
}
