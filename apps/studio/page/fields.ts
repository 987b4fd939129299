// The fields of the forms: the keys of docs/model_file.md, and the text of an item that they make.

export interface Field {
  key: string;
  label: string;
  /** What stands in the field at first. */
  value?: string;
  /** Shown in an empty field. */
  hint?: string;
  options?: string[];
  /** The list of names to choose from. */
  list?: string;
  /** Shown and used for these types alone. */
  types?: string[];
  isNeeded?: boolean;
  /** Written without quotes, as it is: a list or a map. */
  isRaw?: boolean;
}
export type Values = Record<string, string>;

const NAME: Field = { key: "name", label: "Name", isNeeded: true };
/** The remaining keys, which have no field of their own. */
const MORE: Field = { key: "more", label: "Further keys", hint: "key: value, …", isRaw: true };

export const ANALYSIS: [string, string, string[]?][] = [
  ["analysis.type", "Type", ["dynamics", "kinematics", "statics", "modes", "frequency_response"]],
  ["analysis.coordinates", "Coordinates", ["relative", "cartesian", "state_time"]],
  ["analysis.solver", "Solver", ["recursive", "kane", "divide_and_conquer", "hybrid", "compiled"]],
  ["analysis.integrator", "Rule", [
    "dormand_prince_54", "rkf45", "rk4", "adams_bashforth_moulton", "munthe_kaas_4", "moreau", "verlet", "velocity_verlet",
    "lobatto_iiia_iiib", "radau_iia", "generalized_alpha", "trapezoidal", "cvode_bdf", "cvode_adams", "forward_euler"]],
  ["analysis.step", "Step"],
  ["analysis.duration", "Duration, s"],
  ["analysis.load_steps", "Load steps (statics)"],
  ["analysis.about", "About (modes)", ["equilibrium", "initial"]],
  ["analysis.input", "Input (frequency response)"],
  ["output.every", "A row every, s"],
  ["output.columns", "Columns by expressions"],
];

export const BODY: Field[] = [
  NAME,
  { key: "type", label: "Type", options: ["rigid", "particle", "beam", "reduced"] },
  { key: "mass", label: "Mass, kg", value: "1", types: ["rigid", "particle"] },
  { key: "center_of_mass", label: "Mass centre, m", value: "[0, 0, 0]", types: ["rigid"] },
  { key: "inertia", label: "Inertia, kg m²", value: "{xx: 0.1, yy: 0.1, zz: 0.1}", types: ["rigid"] },
  { key: "centerline", label: "Centre line, m", value: "{from: [0, 0, 0], to: [1, 0, 0]}", types: ["beam"] },
  { key: "elements", label: "Elements", value: "8", types: ["beam"] },
  { key: "section", label: "Section, m", value: "{rectangle: [0.02, 0.02]}", types: ["beam"] },
  { key: "material", label: "Material", value: "{E: 2e11, nu: 0.3, density: 7800}", types: ["beam"] },
  { key: "file", label: "File", types: ["reduced"] },
  { key: "points", label: "Points", value: "", hint: "{tip: [0, 0, 1]}" },
  { key: "shape", label: "Shape", options: ["none", "box", "cylinder", "sphere", "capsule", "ellipsoid"], types: ["rigid", "particle"] },
  { key: "size", label: "Size or radius, length, m", value: "[0.1, 0.1, 0.1]", types: ["rigid", "particle"] },
  { key: "position", label: "Place of the shape, m", value: "[0, 0, 0]", types: ["rigid", "particle"] },
  { key: "axes", label: "Axes of the shape", value: "", types: ["rigid", "particle"] },
  MORE,
];
export const GROUND_SHAPE: Field[] = [
  NAME,
  { key: "shape", label: "Type", options: ["plane", "box", "cylinder", "sphere", "capsule", "ellipsoid"] },
  { key: "size", label: "Size or radius, length, m", value: "[1, 1, 0.1]" },
  { key: "position", label: "Place, m", value: "[0, 0, 0]" },
  { key: "axes", label: "Axes", value: "", hint: "{rpy: [0, pi/8, 0]}" },
];
const WITH_AXIS = ["revolute", "prismatic", "screw", "cylindrical", "universal"];
const ONE_SPEED = ["revolute", "prismatic", "screw"];
export const JOINT: Field[] = [
  NAME,
  { key: "type", label: "Type", options: ["revolute", "prismatic", "spherical", "universal", "cylindrical", "screw", "planar", "xyz", "free", "weld"] },
  { key: "parent", label: "Parent point", value: "ground.origin", list: "points", isNeeded: true },
  { key: "child", label: "Child point", value: "", list: "points", isNeeded: true },
  { key: "axis", label: "Axis", value: "[0, 0, 1]", types: WITH_AXIS },
  { key: "second_axis", label: "Second axis", value: "[0, 1, 0]", types: ["universal"] },
  { key: "pitch", label: "Pitch, m/rad", value: "0.01", types: ["screw"] },
  { key: "q", label: "q at the start", value: "" },
  { key: "u", label: "u at the start", value: "" },
  { key: "limits", label: "Limits", hint: "{lower: -1, upper: 1, enforced: true}", types: ONE_SPEED },
  { key: "armature", label: "Armature, kg m² or kg", types: ONE_SPEED },
  { key: "cut", label: "Closes a loop", options: ["", "true", "false"] },
  MORE,
];
const OF_JOINT = ["joint_spring", "joint_damper", "joint_force", "coordinate_friction"];
const AT_POINT = ["point_force", "point_torque"];
const BETWEEN = ["spring_damper", "bushing", "cartesian_spring", "torsional_spring_damper", "gravity_between", "hydraulic_actuator"];
const STIFF = ["joint_spring", "spring_damper", "bushing", "cartesian_spring", "torsional_spring_damper", "rope", "belt_contact"];
export const FORCE: Field[] = [
  NAME,
  { key: "type", label: "Type", options: [...OF_JOINT.slice(0, 3), "spring_damper", ...AT_POINT, ...BETWEEN.slice(1), "coordinate_friction",
    "rope", "belt_contact", "line_force", "second_order"] },
  { key: "joint", label: "Joint", list: "joint-names", types: OF_JOINT },
  { key: "from", label: "From point", list: "points", types: BETWEEN },
  { key: "to", label: "To point", list: "points", types: BETWEEN },
  { key: "points", label: "Points", hint: "[a.tip, b.tip]", types: ["rope"] },
  { key: "at", label: "At point", list: "points", types: [...AT_POINT, "belt_contact"] },
  { key: "cable", label: "Cable", types: ["belt_contact"] },
  { key: "beam", label: "Beam or cable", types: ["line_force"] },
  { key: "axis", label: "Axis", value: "[0, 0, 1]", types: ["torsional_spring_damper", "belt_contact"] },
  { key: "radius", label: "Radius, m", types: ["belt_contact"] },
  { key: "stiffness", label: "Stiffness", value: "10", types: STIFF },
  { key: "rotational_stiffness", label: "Rotational stiffness", types: ["bushing"] },
  { key: "damping", label: "Damping", value: "0.1", types: [...STIFF, "joint_damper"].filter((type) => type !== "joint_spring") },
  { key: "reference", label: "Rest position", types: ["joint_spring", "cartesian_spring", "torsional_spring_damper"] },
  { key: "free_length", label: "Free length, m", types: ["spring_damper", "rope"] },
  { key: "friction", label: "Friction, N m or N", value: "1", types: ["coordinate_friction"] },
  { key: "creep_speed", label: "Creep speed", value: "0.001", types: ["coordinate_friction"] },
  { key: "strength", label: "Strength, N m²", types: ["gravity_between"] },
  { key: "value", label: "Value", types: ["joint_force", ...AT_POINT, "line_force", "hydraulic_actuator"] },
  { key: "axes", label: "Axes of the value", options: ["", "ground", "body", "section"], types: [...AT_POINT, "line_force"] },
  { key: "coordinates", label: "Coordinates", hint: "[s]", types: ["second_order"] },
  { key: "coupled_to", label: "Coupled to", hint: "[rail.q]", types: ["second_order"] },
  { key: "mass_matrix", label: "Mass matrix", hint: "[1]", types: ["second_order"] },
  { key: "stiffness_matrix", label: "Stiffness matrix", types: ["second_order"] },
  MORE,
];
const LEVELS = ["coupling", "motion", "expression"];
const OF_POINT = ["point_on_line", "point_on_plane", "point_on_curve", "point_on_beam", "tangent"];
export const CONSTRAINT: Field[] = [
  NAME,
  { key: "type", label: "Type", options: ["distance", ...LEVELS, ...OF_POINT, "rolling"] },
  { key: "from", label: "From point", list: "points", types: ["distance"] },
  { key: "to", label: "To point", list: "points", types: ["distance"] },
  { key: "length", label: "Length, m", types: ["distance"] },
  { key: "coefficients", label: "Coefficients", hint: "{j1.q: 2, j2.q: -1}", types: ["coupling"] },
  { key: "joint", label: "Joint", list: "joint-names", types: ["motion"] },
  { key: "value", label: "Value", types: ["coupling", "motion"] },
  { key: "zero", label: "Vanishes", hint: "j1.q - j2.q^2", types: ["expression"] },
  { key: "level", label: "Level", options: ["", "position", "velocity"], types: LEVELS },
  { key: "point", label: "Point", list: "points", types: OF_POINT },
  { key: "body", label: "Centre of the disc", list: "points", types: ["rolling"] },
  { key: "line", label: "Point of the line", list: "points", types: ["point_on_line", "tangent"] },
  { key: "curve", label: "Point of the curve", list: "points", types: ["point_on_curve"] },
  { key: "position", label: "Curve", hint: '["cos(s)", "sin(s)", 0]', types: ["point_on_curve"] },
  { key: "beam", label: "Beam or cable", types: ["point_on_beam"] },
  { key: "axis", label: "Axis", value: "[1, 0, 0]", types: ["point_on_line", "tangent", "rolling"] },
  { key: "radius", label: "Radius, m", types: ["rolling"] },
  { key: "plane", label: "Point of the plane", list: "points", types: ["point_on_plane", "rolling"] },
  { key: "normal", label: "Normal", value: "[0, 0, 1]", types: ["point_on_plane", "rolling"] },
  MORE,
];
export const CONTACT: Field[] = [
  NAME,
  { key: "first", label: "First shape or body", list: "shape-names", isNeeded: true },
  { key: "second", label: "Second shape or body", list: "shape-names", value: "ground", isNeeded: true },
  { key: "friction", label: "Friction", value: "0.5" },
  { key: "restitution", label: "Restitution, 0 to 1", hint: "0" },
  { key: "law", label: "Law of restitution", options: ["", "stronge", "poisson", "newton"] },
  { key: "stiffness", label: "Stiffness, N/m", hint: "0: rigid" },
  { key: "damping", label: "Damping, N s/m", hint: "0" },
];
export const EVENT: Field[] = [
  NAME,
  { key: "when", label: "Where this is zero", hint: "ball.q - 0.1", isNeeded: true },
  { key: "direction", label: "Direction", options: ["", "rising", "falling", "both"] },
  { key: "set", label: "New values", hint: "{ball.u: -0.8*ball.u}", isRaw: true },
  { key: "terminal", label: "Ends the run", options: ["", "true", "false"] },
  { key: "tolerance", label: "Tolerance, s", hint: "0" },
];
export const STATE: Field[] = [
  NAME,
  { key: "rate", label: "Rate", hint: "(v - z)/T", isNeeded: true },
  { key: "start", label: "At the start", hint: "0" },
  { key: "unit", label: "Unit", hint: "1" },
];
export const NUMBER: Field[] = [
  { key: "name", label: "Name", isNeeded: true }, { key: "value", label: "Value", value: "1", isNeeded: true },
];

/** An expression in quotes where YAML would read it as something else. */
export function quoted(value: string): string {
  if (/^[[{"']/.test(value)) return value;
  return /[*+^(),[\]{}#:&!|>'"%@`]/.test(value) ? JSON.stringify(value) : value;
}
export function itemText(values: Values): string {
  return `{${[...Object.entries(values).filter(([key]) => key !== "more").map(([key, value]) => `${key}: ${quoted(value)}`),
    ...(values.more ? [values.more] : [])].join(", ")}}`;
}
function shapeText(values: Values): Values {
  const sizes = (values.size ?? "").replace(/[[\]]/g, "").split(",").map((part) => part.trim());
  const shape: Values = { type: values.shape };
  if (values.shape === "box" || values.shape === "ellipsoid") shape.size = `[${sizes.join(", ")}]`;
  else if (values.shape !== "plane") shape.radius = sizes[0];
  if (values.shape === "cylinder" || values.shape === "capsule") shape.length = sizes[1] ?? sizes[0];
  for (const key of ["position", "axes"]) {
    if (values[key] && values[key] !== "[0, 0, 0]") shape[key] = values[key];
  }
  return shape;
}
export function bodyText({ shape, size, position, axes, ...values }: Values): string {
  const written: Values = { ...values };
  if (written.type === "rigid") delete written.type;
  if (written.center_of_mass === "[0, 0, 0]") delete written.center_of_mass;
  if (shape && shape !== "none") written.shape = itemText(shapeText({ shape, size, position, axes }));
  return itemText(written);
}
export function groundShapeText(values: Values): string {
  return itemText({ name: values.name, ...shapeText(values) });
}
/** `first` and `second` as the key `between`. */
export function contactValues({ name, first, second, ...values }: Values): Values {
  return { name, between: `[${first}, ${second}]`, ...values };
}
/** The other way round. */
export function contactFields({ between, ...values }: Values): Values {
  const [first, second] = (between ?? "").replace(/[[\]]/g, "").split(",").map((part) => part.trim());
  return { ...values, first: first ?? "", second: second ?? "" };
}
