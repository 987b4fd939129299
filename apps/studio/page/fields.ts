// The fields of the forms: the everyday keys of docs/model_file.md.

/** A way to give a value: as text, or as a map that has the key `by`. */
export interface Way {
  label: string;
  by?: string;
  parts?: Field[];
}
export interface Field {
  key: string;
  /** Of the control, where two fields have one key. */
  id?: string;
  label: string;
  /** What stands in the field of a new item at first. */
  value?: string;
  /** Shown in an empty field. */
  hint?: string;
  options?: string[];
  /** The value where the key is missing; it is not written into an item that lacks it. */
  usual?: string;
  /** The list of names to choose from. */
  list?: string;
  /** Shown and used for these values of the field `of` beside it (`type`) alone. */
  types?: string[];
  of?: string;
  isNeeded?: boolean;
  /** Numbers, which may be typed without their brackets. */
  isVector?: boolean;
  isRotation?: boolean;
  /** Another word for the key, kept where the model uses it. */
  synonym?: string;
  /** Fields within: the entries of a map. */
  parts?: Field[];
  /** The part that may stand alone instead of the map. */
  short?: string;
  isSmall?: boolean;
  /** There may be any number of maps with these parts, and this is what one is called. */
  row?: string;
  /** There are at least so many of them; then they are a list. */
  least?: number;
  /** They are entries of a map, by their names. */
  isNamed?: boolean;
  nameHint?: string;
  /** The value of an entry of which nothing is filled in. */
  none?: string;
  /** The first one is that of a new item. */
  ways?: Way[];
  /** The name of a file with a table over this column, which may be chosen on the computer of the browser. */
  tableOver?: string;
}

/** "initial_rates" as "Initial rates". */
const words = (key: string): string => key[0].toUpperCase() + key.slice(1).replace(/_/g, " ");
const NAME: Field = { key: "name", label: "Name", isNeeded: true };
/** The remaining keys, which have no field of their own. */
const MORE: Field = { key: "more", label: "Further keys", hint: "key: value, …" };
const YES_NO = ["", "true", "false"];

const RULES = [
  "", "dormand_prince_54", "rkf45", "rk4", "adams_bashforth_moulton", "munthe_kaas_4", "moreau", "time_stepping",
  "verlet", "velocity_verlet", "lobatto_iiia_iiib", "radau_iia", "generalized_alpha", "trapezoidal", "cvode_bdf", "cvode_adams", "forward_euler"];
const IRK = ["lobatto_iiia_iiib", "radau_iia"];
const RULE: Field[] = [
  { key: "name", label: "Name", options: RULES },
  { key: "stages", label: "Stages", options: ["", "2", "3"], of: "name", types: IRK },
  { key: "form", label: "Form", options: ["", "velocity", "momentum"], of: "name", types: IRK.slice(0, 1) },
  { key: "spectral_radius", label: "Spectral radius", hint: "0.9", of: "name", types: ["generalized_alpha"] },
];
const RULE_OF_STATE_TIME: Field[] = [
  { key: "elements", label: "Elements", hint: "64" },
  { key: "pair", label: "Pair", options: ["", "LQ", "QC", "P3P4", "P4P5", "P5P6", "P6P7", "P7P8", "auto"] },
  { key: "tests", label: "Test functions", options: ["", "natural", "upwind"] },
  { key: "scheme", label: "Scheme", options: ["", "newton", "linear_quadratic"] },
  { key: "windows", label: "Windows", hint: "1" },
  { key: "tolerance", label: "Tolerance" },
  { key: "stretches", label: "Stretches" },
];
const STEP: Field[] = [
  { key: "driver", label: "Driver", options: ["variable", "fixed"], usual: "variable" },
  { key: "dt", label: "Step, s", of: "driver", types: ["fixed"] },
  { key: "rtol", label: "Relative tolerance", hint: "1e-8", of: "driver", types: ["variable"] },
  { key: "atol", label: "Absolute tolerance", hint: "1e-10", of: "driver", types: ["variable"] },
  { key: "max_step", label: "Longest step, s", of: "driver", types: ["variable"] },
  { key: "control", label: "Controller", options: ["", "pi", "pid"], of: "driver", types: ["variable"] },
  { key: "land_on_output", label: "Ends at rows", options: YES_NO },
];
export const ANALYSIS: Field[] = [
  { key: "analysis", label: "Analysis", parts: [
    { key: "type", label: "Type", options: ["dynamics", "kinematics", "statics", "modes", "frequency_response"], usual: "dynamics" },
    { key: "coordinates", label: "Coordinates", options: ["relative", "cartesian", "state_time"], usual: "relative" },
    { key: "solver", label: "Solver", options: ["recursive", "kane", "divide_and_conquer", "hybrid", "compiled"], usual: "recursive" },
    { key: "duration", label: "Duration, s", hint: "1" },
    { key: "load_steps", label: "Load steps", hint: "1", types: ["statics"] },
    { key: "arc_length", label: "Follow the path", options: YES_NO, types: ["statics"] },
    { key: "about", label: "About", options: ["", "equilibrium", "initial"], types: ["modes", "frequency_response"] },
    { key: "input", label: "Input", list: "parameter-names", types: ["frequency_response"] },
    { key: "frequencies", label: "Frequencies", isSmall: true, types: ["frequency_response"], parts: [
      { key: "from", label: "From, Hz" }, { key: "to", label: "To, Hz" }, { key: "points", label: "Points", hint: "200" }] },
    { key: "integrator", label: "Integration rule", short: "name", of: "coordinates", types: ["relative", "cartesian"], parts: RULE },
    { key: "integrator", label: "Elements in time", of: "coordinates", types: ["state_time"], parts: RULE_OF_STATE_TIME },
    { key: "step", label: "Step", parts: STEP },
    { key: "limits", label: "Limits of the run", isSmall: true, parts: [{ key: "steps", label: "Steps" }, { key: "wall_time", label: "Wall time, s" }] },
  ] },
  { key: "output", label: "Output", parts: [
    { key: "every", label: "A row every, s", hint: "duration/100" },
    { key: "max_rows", label: "Most rows", hint: "1e7" },
    { key: "columns", label: "Columns by expressions", row: "column", isNamed: true, nameHint: "tip.height", short: "value", parts: [
      { key: "value", label: "Value", hint: "drive.value*hip.u" }, { key: "unit", label: "Unit" },
      { key: "integrate", label: "Integrate", options: YES_NO }] },
  ] },
];
export const GENERAL: Field[] = [
  { key: "name", label: "Name" }, { key: "gravity", label: "Gravity, m/s²", hint: "[0, 0, -9.81]", isVector: true },
];

const POINT: Field[] = [
  { key: "position", label: "Position, m", hint: "[0, 0, 0]", isVector: true },
  { key: "axes", label: "Axes", isRotation: true },
];
const POINTS: Field = {
  key: "points", label: "Points: frames for joints and forces", row: "point", isNamed: true, nameHint: "tip", none: "[0, 0, 0]",
  short: "position", parts: POINT,
};
const SHAPE_TYPES = ["box", "cylinder", "sphere", "capsule", "ellipsoid", "plane", "mesh", "height_field"];
const OF_FILE = ["mesh", "height_field"];
const ROUND = ["cylinder", "sphere", "capsule"];
const SHAPE: Field[] = [
  { key: "type", label: "Type", options: SHAPE_TYPES, value: "box" },
  { key: "name", label: "Name", hint: "for contacts" },
  { key: "size", label: "Size, m", value: "[0.1, 0.1, 0.1]", types: ["box", "ellipsoid"], isVector: true },
  { key: "radius", label: "Radius, m", value: "0.05", types: ROUND },
  { key: "length", label: "Length, m", value: "0.2", types: ["cylinder", "capsule"] },
  { key: "file", label: "File", hint: "STL, OBJ; heights as text", types: OF_FILE },
  { key: "scale", label: "Scale", hint: "[1, 1, 1]", types: OF_FILE, isVector: true },
  { key: "position", label: "Position, m", hint: "[0, 0, 0]", isVector: true },
  { key: "axes", label: "Axes", isRotation: true },
];
const numbers = (keys: string, value?: string): Field[] => keys.split(" ").map((key) => ({ key, label: key, value }));
const MASSIVE = ["rigid", "particle"];
const CENTERLINE: Way[] = [
  { label: "a straight line", by: "from", parts: [
    { key: "from", label: "From, m", hint: "[0, 0, 0]", isVector: true }, { key: "to", label: "To, m", hint: "[1, 0, 0]", isVector: true }] },
  { label: "a curve through points", by: "points", parts: [{ key: "points", label: "Points, m", hint: "[0, 0, 0], [1, 0, 0], [2, 1, 0]", isVector: true }] },
  { label: "expressions of the arc length s", by: "curve", parts: [
    { key: "curve", label: "x, y, z, m", hint: "[2*sin(s/2), 0, 2*cos(s/2)]", isVector: true }, { key: "length", label: "Length, m" }] },
];
export const BODY: Field[] = [
  NAME,
  { key: "type", label: "Type", options: ["rigid", "particle", "beam", "reduced"], usual: "rigid" },
  { key: "mass", label: "Mass, kg", value: "1", types: MASSIVE },
  { key: "center_of_mass", label: "Mass centre, m", hint: "[0, 0, 0]", types: ["rigid"], isVector: true },
  { key: "inertia", label: "Inertia about the mass centre, kg m²", types: ["rigid"], isSmall: true,
    parts: [...numbers("xx yy zz", "0.1"), ...numbers("xy xz yz")] },
  { key: "inertia_check", label: "Check of the inertia", options: ["", "full", "none"], types: ["rigid"] },
  { key: "formulation", label: "Formulation", options: ["", "geometrically_exact", "ancf_cable"], types: ["beam"] },
  { key: "centerline", label: "Centre line", value: "{from: [0, 0, 0], to: [1, 0, 0]}", ways: CENTERLINE, types: ["beam"] },
  { key: "up", label: "Upwards", hint: "[0, 0, 1]", types: ["beam"], isVector: true },
  { key: "twist", label: "Twist, rad", hint: "0.3*s", types: ["beam"] },
  { key: "elements", label: "Elements", value: "8", types: ["beam"] },
  { key: "section", label: "Section, m", types: ["beam"], parts: [
    { key: "rectangle", label: "Rectangle: width, height", value: "[0.02, 0.02]", isVector: true }, { key: "circle", label: "Circle: radius" },
    { key: "tube", label: "Tube: inner, outer", isVector: true }, { ...MORE, hint: "EA: …, EIy: …" }] },
  { key: "material", label: "Material", types: ["beam"], parts: [
    { key: "E", label: "E, Pa", value: "2e11" }, { key: "nu", label: "nu", value: "0.3" },
    { key: "density", label: "Density, kg/m³", value: "7800" }, { key: "damping", label: "Damping, s", value: "0.001" }, MORE] },
  { key: "velocity", label: "Velocity of its start, m/s", types: ["beam"], isVector: true },
  { key: "angular_velocity", label: "Angular velocity at the start, rad/s", types: ["beam"], isVector: true },
  { key: "pretension", label: "Pretension, N", types: ["beam"], hint: "of a cable" },
  ...["precurved", "closed"].map((key): Field => ({ key, label: words(key), options: YES_NO, types: ["beam"] })),
  { key: "file", label: "File", types: ["reduced"] },
  { key: "damping", label: "Damping of modes", hint: "0", types: ["reduced"] },
  { key: "position", label: "Position at the start, m", types: ["reduced"], isVector: true },
  { key: "axes", label: "Axes at the start", types: ["reduced"], isRotation: true },
  { ...POINTS, types: MASSIVE },
  { key: "points", id: "places", label: "Points", row: "point", isNamed: true, nameHint: "mid", types: ["beam"], none: "{at: 0.5}",
    parts: [{ key: "at", label: "At, 0 to 1", hint: "0.5" }] },
  { key: "shape", label: "Shapes", synonym: "shapes", row: "shape", types: MASSIVE, parts: SHAPE },
  MORE,
];
export const GROUND_POINTS: Field[] = [
  { key: "ground", label: "Ground", parts: [{ ...POINTS, nameHint: "wall" }] },
];
export const GROUND_SHAPE: Field[] = [NAME, { ...SHAPE[0], value: "plane" }, ...SHAPE.slice(2)];
const WITH_AXIS = ["revolute", "prismatic", "screw", "cylindrical", "universal"];
const ONE_SPEED = ["revolute", "prismatic", "screw"];
const MOVING = ["revolute", "prismatic", "spherical", "universal", "cylindrical", "screw", "planar", "xyz", "free"];
export const JOINT: Field[] = [
  NAME,
  { key: "type", label: "Type", options: [...MOVING, "weld"] },
  { key: "parent", label: "Parent point", value: "ground.origin", list: "points", isNeeded: true },
  { key: "child", label: "Child point", value: "", list: "points", isNeeded: true },
  { key: "axis", label: "Axis in the parent's point", value: "[0, 0, 1]", types: WITH_AXIS, isVector: true, list: "axis-directions" },
  { key: "second_axis", label: "Second axis in the child's point", value: "[0, 1, 0]", types: ["universal"], isVector: true, list: "axis-directions" },
  { key: "pitch", label: "Pitch, m/rad", value: "0.01", types: ["screw"] },
  { key: "q", label: "q at the start", hint: "0", types: MOVING, isVector: true },
  { key: "u", label: "u at the start", hint: "0", types: MOVING, isVector: true },
  { key: "hold", label: "Keeps q and u when loops close", options: YES_NO, types: MOVING },
  { key: "cut", label: "Closes a loop", options: YES_NO },
  { key: "armature", label: "Armature, kg m² or kg", types: ONE_SPEED },
  { key: "limits", label: "Limits", types: ONE_SPEED, isSmall: true, parts: [
    { key: "lower", label: "Lower" }, { key: "upper", label: "Upper" }, { key: "velocity", label: "Velocity" }, { key: "effort", label: "Effort" },
    { key: "enforced", label: "Stops there", options: YES_NO },
    { key: "restitution", label: "Restitution", of: "enforced", types: ["true"] },
    { key: "stiffness", label: "Stiffness", of: "enforced", types: ["true"] },
    { key: "damping", label: "Damping", of: "enforced", types: ["true"] }] },
  MORE,
];
const OF_JOINT = ["joint_spring", "joint_damper", "joint_force", "coordinate_friction", "lugre_friction"];
const HYDRAULIC = [
  "head_area", "rod_area", "retracted_length", "stroke", "head_volume", "rod_volume", "bulk_modulus", "valve_flow", "supply_pressure",
  "tank_pressure", "laminar_pressure", "leakage", "initial_p1", "initial_p2"];
const TABLE: Field[] = [
  { key: "table", label: "CSV file", hint: "gust.csv, with a column t", tableOver: "t" },
  { key: "columns", label: "Its columns", hint: "[fx, fy, fz]", isVector: true },
  { key: "interpolation", label: "Between the rows", options: ["", "linear", "cubic"] },
];
const VALUE: Way[] = [{ label: "numbers or expressions" }, { label: "a table over time", by: "table", parts: TABLE }];
const AT_POINT = ["point_force", "point_torque"];
const BETWEEN = ["spring_damper", "bushing", "cartesian_spring", "torsional_spring_damper", "gravity_between", "hydraulic_actuator"];
const STIFF = ["joint_spring", "spring_damper", "bushing", "cartesian_spring", "torsional_spring_damper", "rope", "belt_contact"];
export const FORCE: Field[] = [
  NAME,
  { key: "type", label: "Type", options: [...OF_JOINT.slice(0, 3), "spring_damper", ...AT_POINT, ...BETWEEN.slice(1), "coordinate_friction",
    "lugre_friction", "rope", "belt_contact", "line_force", "sliding_force", "second_order"] },
  { key: "joint", label: "Joint", list: "joint-names", types: OF_JOINT },
  { key: "from", label: "From point", list: "points", types: BETWEEN },
  { key: "to", label: "To point", list: "points", types: BETWEEN },
  { key: "points", label: "Points", hint: "[a.tip, b.tip]", types: ["rope"] },
  { key: "at", label: "At point", list: "points", types: [...AT_POINT, "belt_contact"] },
  { key: "cable", label: "Cable", types: ["belt_contact"] },
  { key: "beam", label: "Beam or cable", types: ["line_force"] },
  { key: "constraint", label: "Sliding point", types: ["sliding_force"] },
  { key: "axis", label: "Axis", value: "[0, 0, 1]", types: ["torsional_spring_damper", "belt_contact"], isVector: true, list: "axis-directions" },
  { key: "radius", label: "Radius, m", types: ["belt_contact"] },
  { key: "stiffness", label: "Stiffness", value: "10", types: STIFF, isVector: true },
  { key: "rotational_stiffness", label: "Rotational stiffness", types: ["bushing"], isVector: true },
  { key: "damping", label: "Damping", value: "0.1", types: [...STIFF, "joint_damper", "hydraulic_actuator", "sliding_force"].filter((type) => type !== "joint_spring"), isVector: true },
  { key: "rotational_damping", label: "Rotational damping", types: ["bushing"], isVector: true },
  { key: "reference", label: "Rest position", types: ["joint_spring", "cartesian_spring", "torsional_spring_damper"], isVector: true },
  { key: "free_length", label: "Free length, m", types: ["spring_damper", "rope"] },
  { key: "friction", label: "Friction, N m or N", value: "1", types: ["coordinate_friction", "sliding_force"] },
  { key: "creep_speed", label: "Creep speed, rad/s or m/s", hint: "none: it sticks", types: ["coordinate_friction", "sliding_force"] },
  ...["lower", "upper", "stop_stiffness", "stop_damping"].map((key): Field => ({ key, label: words(key), types: ["coordinate_friction", "sliding_force"] })),
  ...["sigma0", "sigma1", "sigma2", "coulomb_friction", "static_friction", "stribeck_speed"].map((key): Field =>
    ({ key, label: words(key), types: ["lugre_friction"] })),
  ...["segments", "groove_radius", "friction_coefficient", "bristle_stiffness", "bristle_damping"].map((key): Field =>
    ({ key, label: words(key), types: ["belt_contact"] })),
  ...HYDRAULIC.map((key): Field => ({ key, label: words(key), types: ["hydraulic_actuator"] })),
  { key: "strength", label: "Strength, N m²", types: ["gravity_between"] },
  { key: "value", label: "Value", types: ["joint_force", ...AT_POINT, "line_force", "sliding_force",
    "hydraulic_actuator", "second_order"], isVector: true, hint: "0.1*sin(3*t)",
    ways: VALUE },
  { key: "axes", label: "Axes of the value", options: ["", "ground", "body", "section"], types: [...AT_POINT, "line_force"] },
  { key: "coordinates", label: "Coordinates", hint: "[s]", types: ["second_order"], isVector: true },
  { key: "coupled_to", label: "Coupled to", hint: "[rail.q]", types: ["second_order"], isVector: true },
  { key: "unit", label: "Unit", types: ["second_order"] },
  { key: "mass_matrix", label: "Mass matrix", hint: "[1]", types: ["second_order"], isVector: true },
  ...["stiffness_matrix", "damping_matrix"].map((key): Field => ({ key, label: words(key), types: ["second_order", "bushing"], isVector: true })),
  ...["initial", "initial_rates"].map((key): Field => ({ key, label: words(key), types: ["second_order"], isVector: true })),
  MORE,
];
const CURVE: Way[] = [{ label: "expressions of s" }, { label: "a table over s", by: "table", parts: [
  { ...TABLE[0], hint: "track.csv, with a column s", tableOver: "s" }, { ...TABLE[1], hint: "[x, y, z]" }] }];
const LEVELS = ["coupling", "motion", "expression"];
const OF_POINT = ["point_on_line", "point_on_plane", "point_on_curve", "point_on_beam", "tangent"];
export const CONSTRAINT: Field[] = [
  NAME,
  { key: "type", label: "Type", options: ["distance", ...LEVELS, ...OF_POINT, "rolling"] },
  { key: "from", label: "From point", list: "points", types: ["distance"] },
  { key: "to", label: "To point", list: "points", types: ["distance"] },
  { key: "length", label: "Length, m", types: ["distance"] },
  { key: "coefficients", label: "Coefficients", types: ["coupling"], row: "coefficient", isNamed: true, nameHint: "j1.q", short: "value",
    parts: [{ key: "value", label: "Times", value: "1" }] },
  { key: "joint", label: "Joint", list: "joint-names", types: ["motion"] },
  { key: "value", label: "Value", types: ["coupling", "motion"], isVector: true },
  { key: "zero", label: "Vanishes", hint: "j1.q - j2.q^2", types: ["expression"] },
  { key: "level", label: "Level", options: ["", "position", "velocity"], types: LEVELS },
  { key: "point", label: "Point", list: "points", types: OF_POINT },
  { key: "body", label: "Centre of the disc", list: "points", types: ["rolling"] },
  { key: "line", label: "Point of the line", list: "points", types: ["point_on_line", "tangent"] },
  { key: "curve", label: "Point of the curve", list: "points", types: ["point_on_curve"] },
  { key: "position", label: "Curve", hint: "[cos(s), sin(s), 0]", types: ["point_on_curve"], isVector: true, ways: CURVE },
  { key: "beam", label: "Beam or cable", types: ["point_on_beam"] },
  { key: "axis", label: "Axis", value: "[1, 0, 0]", types: ["point_on_line", "tangent", "rolling"], isVector: true, list: "axis-directions" },
  { key: "radius", label: "Radius, m", types: ["rolling"] },
  { key: "plane", label: "Point of the plane", list: "points", types: ["point_on_plane", "rolling"] },
  { key: "normal", label: "Normal", value: "[0, 0, 1]", types: ["point_on_plane", "rolling"], isVector: true, list: "axis-directions" },
  { key: "range", label: "Range of s", hint: "[0, 1]", types: ["point_on_curve"], isVector: true },
  { key: "periodic", label: "Periodic", options: YES_NO, types: ["point_on_curve"] },
  { key: "start", label: "s at the start", types: ["point_on_curve", "point_on_beam"] },
  MORE,
];
const RIGID = ["", "stronge", "poisson", "newton"];
const FORCE_LAWS = ["linear", "hertz", "hunt_crossley"];
export const CONTACT: Field[] = [
  NAME,
  { key: "between", label: "Between (every pair)", row: "shape or body", short: "name", least: 2, parts: [
    { key: "name", label: "Shape or body", list: "shape-names", isNeeded: true }] },
  { key: "law", label: "Law", options: [...RIGID, ...FORCE_LAWS] },
  { key: "friction", label: "Friction", value: "0.5" },
  { key: "creep_speed", label: "Creep speed, m/s", hint: "needed with friction", of: "law", types: FORCE_LAWS },
  { key: "bristle_stiffness", label: "Bristle stiffness, 1/m", hint: "instead of the creep speed", of: "law", types: FORCE_LAWS },
  { key: "bristle_damping", label: "Bristle damping, s/m", of: "law", types: FORCE_LAWS },
  { key: "static_friction", label: "Static friction", hint: "with bristles", of: "law", types: FORCE_LAWS },
  { key: "stribeck_speed", label: "Stribeck speed, m/s", of: "law", types: FORCE_LAWS },
  { key: "restitution", label: "Restitution, 0 to 1", hint: "0", of: "law", types: [...RIGID, "hunt_crossley"] },
  { key: "impact_speed", label: "Impact speed, m/s", hint: "that has the restitution", of: "law", types: ["hunt_crossley"] },
  { key: "stiffness", label: "Stiffness, N/mᵖ", hint: "0: rigid" },
  { key: "damping", label: "Damping, N s/m", hint: "0", of: "law", types: [...RIGID, "linear"] },
  { key: "exponent", label: "Exponent p", hint: "1.5", of: "law", types: ["hunt_crossley"] },
  { key: "dissipation", label: "Dissipation, s/m", hint: "0", of: "law", types: ["hunt_crossley"] },
  { key: "young", label: "Young's modulus, Pa", hint: "instead of the stiffness", of: "law", types: ["hertz"], isVector: true },
  { key: "poisson", label: "Poisson's ratio", hint: "0.3", of: "law", types: ["hertz"], isVector: true },
  MORE,
];
export const EVENT: Field[] = [
  NAME,
  { key: "when", label: "Where this is zero", hint: "ball.q - 0.1", isNeeded: true },
  { key: "direction", label: "Direction", options: ["", "rising", "falling", "both"] },
  { key: "set", label: "New values", row: "value", isNamed: true, nameHint: "ball.u", short: "value",
    parts: [{ key: "value", label: "Becomes", hint: "-0.8*ball.u" }] },
  { key: "terminal", label: "Ends the run", options: YES_NO },
  { key: "tolerance", label: "Tolerance, s", hint: "0" },
  MORE,
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
