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
}
export interface SceneSolid {
  body: number;
  type: "box" | "sphere" | "cylinder" | "capsule" | "ellipsoid" | "plane" | "mesh";
  role: "shape" | "link" | "mass_centre";
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
  columns: Column[];
  provenance: [string, string][];
}

export const POSE_SIZE = 7;
const VERSION = 1;

export function bytesOf(base64: string): Uint8Array {
  const text = atob(base64.trim());
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; ++i) bytes[i] = text.charCodeAt(i);
  return bytes;
}

/** A motion in memory. It may grow while a run goes on. */
export class Motion {
  /** By column: the values of all rows. */
  readonly values: Float64Array[];
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
  append(rows: Float64Array, poses: Float32Array): void {
    const width = this.columns.length;
    const count = width > 0 ? rows.length / width : 0;
    this.reserve(this.rows + count);
    for (let i = 0; i < count; ++i) {
      for (let k = 0; k < width; ++k) this.values[k][this.rows + i] = rows[i * width + k];
    }
    this.poses.set(poses, this.rows * this.poseNumbers);
    this.rows += count;
  }
  /** What comes after a row was another future. */
  truncate(rows: number): void {
    this.rows = Math.min(this.rows, rows);
  }

  private reserve(rows: number): void {
    if (this.poses.length >= rows * this.poseNumbers && (this.values[0]?.length ?? 0) >= rows) return;
    const room = Math.max(256, 2 * rows);
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

/** Throws Error for what is no such header, or does not fit the block. */
export function readMotion(header: Header, block: ArrayBuffer): Motion {
  if (header.format !== "sestina scene" || header.version !== VERSION) {
    throw new Error(`this page reads scenes of version ${VERSION}, not ${header.format} ${header.version}`);
  }
  const numbers = (header.scene.bodies.length - 1) * POSE_SIZE;
  const poses = new Float32Array(block, 0, header.frames * numbers);
  const start = Math.ceil(poses.byteLength / 8) * 8;
  const width = header.columns.length;
  const rows = new Float64Array(block, start, header.rows * width);
  const values = header.columns.map((_, k) => {
    const column = new Float64Array(header.rows);
    for (let i = 0; i < header.rows; ++i) column[i] = rows[i * width + k];
    return column;
  });
  return new Motion(header.columns, header.x, header.rows, header.frames_per_mode, numbers, poses, values);
}
