// The format of scenes and motions (src/sestina/scene/scene_message.h), read.

export type Triple = [number, number, number];
/** x y z (m), e1 e2 e3 e0 */
export type Pose = [number, number, number, number, number, number, number];

export interface SceneBody {
  name: string;
  parent: number;
  particle: boolean;
  mass: number;
  mass_centre: Triple;
  inertia: [number, number, number, number, number, number];
  /** It carries a deformation alone, and is nowhere. */
  mode: boolean;
  /** Whose node it is; empty: none. */
  beam: string;
}
export interface SceneSolid {
  body: number;
  type: "box" | "sphere" | "cylinder" | "capsule" | "ellipsoid" | "plane" | "mesh";
  role: "shape" | "link" | "mass_centre" | "wall";
  size: Triple;
  pose: Pose;
  mesh?: number;
}
export interface SceneJoint {
  name: string;
  type: string;
  closes_loop: boolean;
  parent: number;
  child: number;
  parent_frame: Pose;
  child_frame: Pose;
  axis: Triple;
}
export interface SceneLink {
  name: string;
  spring: boolean;
  from_body: number;
  to_body: number;
  from: Triple;
  to: Triple;
}
export interface ScenePoint {
  name: string;
  body: number;
  pose: Pose;
}
export interface SceneItem {
  /** Of the model file: joints (those that close loops), constraints, forces, contacts, events. */
  list: string;
  name: string;
  type: string;
  /** Points, bodies, joints or shapes; of an event its condition. */
  between: string[];
}
export interface SceneParticles {
  species: string[];
  radii: number[]; // m
  species_of: string; // bytes in base64
  lower: Triple;
  length: Triple;
}
export interface Scene {
  name: string;
  up: Triple;
  extent: number;
  mark: number;
  bodies: SceneBody[];
  solids: SceneSolid[];
  meshes: { points: string; triangles: string }[];
  joints: SceneJoint[];
  links: SceneLink[];
  points: ScenePoint[];
  items: SceneItem[];
  particles?: SceneParticles;
  notes: string[];
}
export interface Column {
  name: string;
  unit: string;
}
export interface Header {
  format: string;
  version: number;
  scene: Scene;
  x: string;
  rows: number;
  frames: number;
  stride: number;
  frames_per_mode: number;
  forces?: number;
  columns: Column[];
  provenance: [string, string][];
}

export const POSE_SIZE = 7;
const VERSION = 1;

/** What an item relates, in words. */
export function sidesOf({ list, between }: SceneItem): string {
  if (list === "contacts" && between.length === 2) return between.join(" and ");
  return `${between.slice(0, 3).join(", ")}${between.length > 3 ? `, … (${between.length})` : ""}`;
}
export function bytesOf(base64: string): Uint8Array {
  const text = atob(base64.trim());
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; ++i) bytes[i] = text.charCodeAt(i);
  return bytes;
}

/** The force of a contact or a force element on a body; of a contact on the second shape, or on the first where that is
 * the ground's. m and N. */
export interface ItemForce {
  item: number; // in Scene.items
  at: Triple;
  force: Triple;
}

/** The forces in all rows. */
class ForceRows {
  private starts: number[] = [0];
  private forces: ItemForce[] = [];
  private readonly largest: number[] = []; // by item, N

  /** Adds rows: the first force of each and the number of all, then the forces. */
  append(block: ArrayBuffer, start: number, rows: number): void {
    const starts = new Uint32Array(block, start, rows + 1);
    const count = starts[rows];
    const numbers = new Uint32Array(block, start + 4 * (rows + 1), 7 * count);
    const places = new Float32Array(block, start + 4 * (rows + 1), 7 * count);
    const before = this.forces.length;
    for (let i = 0; i < count; ++i) {
      const p = places.subarray(7 * i, 7 * i + 7);
      const item = numbers[7 * i];
      this.forces.push({ item, at: [p[1], p[2], p[3]], force: [p[4], p[5], p[6]] });
      this.largest[item] = Math.max(this.largest[item] ?? 0, Math.hypot(p[4], p[5], p[6]));
    }
    for (let i = 1; i <= rows; ++i) this.starts.push(before + starts[i]);
  }
  keep(rows: number, stride: number): void {
    const [starts, forces]: [number[], ItemForce[]] = [[0], []];
    for (let i = 0; i < rows; i += stride) {
      forces.push(...this.at(i));
      starts.push(forces.length);
    }
    [this.starts, this.forces] = [starts, forces];
  }
  at(row: number): ItemForce[] {
    return this.forces.slice(this.starts[row] ?? 0, this.starts[row + 1] ?? 0);
  }
  /** The largest force of an item so far, N; 0: it has none. */
  largestOf(item: number): number {
    return this.largest[item] ?? 0;
  }
}

/** A motion in memory. It may grow while a run goes on. */
export class Motion {
  /** By column: the values of all rows. */
  readonly values: Float64Array[];
  /** Undefined: a model without forces that have arrows. */
  forces: ForceRows | undefined;
  private readonly places = new Map<string, number>();

  constructor(
    readonly columns: Column[],
    readonly x: string,
    public rows: number,
    readonly framesPerMode: number,
    readonly poseNumbers: number,
    public poses: Float32Array,
    values: Float64Array[],
  ) {
    this.values = values;
    columns.forEach((column, i) => this.places.set(column.name, i));
  }

  get frames(): number {
    return this.rows * Math.max(1, this.framesPerMode);
  }
  has(name: string): boolean {
    return this.places.has(name);
  }
  column(name: string): Float64Array | undefined {
    const place = this.places.get(name);
    return place === undefined ? undefined : this.values[place].subarray(0, this.rows);
  }
  unit(name: string): string {
    const place = this.places.get(name);
    return place === undefined ? "" : this.columns[place].unit;
  }
  at(name: string, row: number): number | undefined {
    return this.column(name)?.[row];
  }
  frame(i: number): Float32Array {
    return this.poses.subarray(i * this.poseNumbers, (i + 1) * this.poseNumbers);
  }

  /** Rows that a run has just made, and their frames. */
  append(count: number, block: ArrayBuffer): void {
    const width = this.columns.length;
    const poses = new Float32Array(block, 0, count * this.poseNumbers);
    const start = startOfRows(poses);
    const rows = new Float64Array(block, start, count * width);
    this.forces?.append(block, start + rows.byteLength, count);
    this.reserve(this.rows + count);
    for (let i = 0; i < count; ++i) {
      for (let k = 0; k < width; ++k) this.values[k][this.rows + i] = rows[i * width + k];
    }
    this.poses.set(poses, this.rows * this.poseNumbers);
    this.rows += count;
  }
  /** Of the first rows keeps every stride-th one, and drops all others. */
  keep(rows: number, stride: number): void {
    this.forces?.keep(Math.min(rows, this.rows), stride);
    const count = Math.ceil(Math.min(rows, this.rows) / stride);
    for (let i = 0; stride > 1 && i < count; ++i) {
      for (const column of this.values) column[i] = column[i * stride];
      this.poses.copyWithin(i * this.poseNumbers, i * stride * this.poseNumbers, (i * stride + 1) * this.poseNumbers);
    }
    this.rows = count;
  }

  /** The rows of now, which later ones do not join; without forces. */
  copy(): Motion {
    const { columns, x, rows, framesPerMode, poseNumbers } = this;
    const poses = this.poses.slice(0, this.frames * poseNumbers);
    return new Motion(columns, x, rows, framesPerMode, poseNumbers, poses, this.values.map((column) => column.slice(0, rows)));
  }

  private reserve(rows: number): void {
    if (this.poses.length >= rows * this.poseNumbers && (this.values[0]?.length ?? 0) >= rows) return;
    const room = Math.max(2 * rows, Math.min(256, Math.ceil(4e6 / (this.poseNumbers + 1))));
    const poses = new Float32Array(room * this.poseNumbers);
    poses.set(this.poses.subarray(0, this.rows * this.poseNumbers));
    this.poses = poses;
    this.values.forEach((old, k) => {
      const grown = new Float64Array(room);
      grown.set(old.subarray(0, this.rows));
      this.values[k] = grown;
    });
  }
}

/** Bytes from the start of a block to its rows. */
function startOfRows(poses: Float32Array): number {
  return Math.ceil(poses.byteLength / 8) * 8;
}

/** Throws Error for what is no such header, or does not fit the block. */
export function readMotion(header: Header, block: ArrayBuffer): Motion {
  if (header.format !== "sestina scene" || header.version !== VERSION) {
    throw new Error(`this page reads scenes of version ${VERSION}, not ${header.format} ${header.version}`);
  }
  const count = bytesOf(header.scene.particles?.species_of ?? "").length;
  const numbers = (header.scene.bodies.length - 1) * POSE_SIZE + 3 * count;
  const poses = new Float32Array(block, 0, header.frames * numbers);
  const start = startOfRows(poses);
  const width = header.columns.length;
  const rows = new Float64Array(block, start, header.rows * width);
  const values = header.columns.map((_, k) => {
    const column = new Float64Array(header.rows);
    for (let i = 0; i < header.rows; ++i) column[i] = rows[i * width + k];
    return column;
  });
  const motion = new Motion(header.columns, header.x, header.rows, header.frames_per_mode, numbers, poses, values);
  if (header.forces !== undefined) {
    motion.forces = new ForceRows();
    motion.forces.append(block, start + rows.byteLength, header.rows);
  }
  return motion;
}
