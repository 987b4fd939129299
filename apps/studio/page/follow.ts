// What the view is of: all of a motion, or, where a mechanism travels far, the mechanism, which the camera follows.
import * as THREE from "three";
import { cornersOf } from "./bounds";
import { Motion, POSE_SIZE, Scene } from "./message";
import { Orbit } from "./orbit";

export const TRIAD = 0.112; // length of the ground's axes, as a part of the extent
const FAR = 5; // a motion whose extent is so many times that of the mechanism is followed
const MOST_BODIES = 64; // whose median place is followed
const MOST_FRAMES = 120; // that are looked at

export interface View {
  centre: THREE.Vector3;
  radius: number; // m
  /** Of all places of the mechanism, which are followed, or of the first frame's. */
  box: THREE.Box3;
  /** Origins and mass centres: what moves in a plane is flat. */
  spread: THREE.Box3;
  isFar: boolean;
}

/** The box that bodies fill in some frames, which grows from what is given. */
function boxOf(scene: Scene, motion: Motion, frames: number[], box: THREE.Box3, spread: THREE.Box3): THREE.Box3 {
  const reach = scene.bodies.map((_, b) => cornersOf(scene, b));
  const [p, q] = [new THREE.Vector3(), new THREE.Quaternion()];
  for (const i of frames) {
    const poses = motion.frame(i);
    for (let b = 1; b < reach.length; ++b) {
      if (scene.bodies[b].mode) continue;
      const s = (b - 1) * POSE_SIZE;
      if (!poses.subarray(s, s + POSE_SIZE).every(Number.isFinite)) continue; // a row without numbers
      const origin = new THREE.Vector3(poses[s], poses[s + 1], poses[s + 2]);
      q.set(poses[s + 3], poses[s + 4], poses[s + 5], poses[s + 6]);
      for (const corner of reach[b]) box.expandByPoint(p.copy(corner).applyQuaternion(q).add(origin));
      spread.expandByPoint(p.set(...scene.bodies[b].mass_centre).applyQuaternion(q).add(origin));
    }
  }
  return box;
}

export function viewOf(scene: Scene, motion: Motion): View {
  const spread = new THREE.Box3();
  const step = Math.max(1, Math.ceil(motion.frames / MOST_FRAMES));
  const frames = Array.from({ length: Math.ceil(motion.frames / step) }, (_, i) => i * step);
  const fixed = new THREE.Box3();
  for (const corner of cornersOf(scene, 0)) fixed.expandByPoint(corner);
  if (scene.particles) {
    const lower = new THREE.Vector3(...scene.particles.lower);
    fixed.expandByPoint(lower).expandByPoint(lower.clone().add(new THREE.Vector3(...scene.particles.length)));
  }
  const whole = boxOf(scene, motion, frames, fixed.clone(), spread);
  if (whole.isEmpty()) whole.expandByPoint(new THREE.Vector3()).expandByPoint(new THREE.Vector3(1, 1, 1));
  // The frame of the ground, where it is near.
  const triad = TRIAD * scene.extent;
  if (!scene.particles && whole.min.distanceTo(whole.max) > whole.getCenter(new THREE.Vector3()).length()) {
    for (const tip of [[triad, 0, 0], [0, triad, 0], [0, 0, triad]]) whole.expandByPoint(new THREE.Vector3(...tip));
  }
  const radiusOf = (box: THREE.Box3): number => 0.5 * box.getSize(new THREE.Vector3()).length();
  const radius = Math.max(radiusOf(whole), 1e-3 * scene.extent, 1e-9);
  const first = boxOf(scene, motion, frames.slice(0, 1), new THREE.Box3(), new THREE.Box3());
  const own = first.isEmpty() ? radius : radiusOf(first);
  if (motion.framesPerMode > 0 || scene.particles || !(radius > FAR * own)) {
    return { centre: whole.getCenter(new THREE.Vector3()), radius, box: whole, spread, isFar: false };
  }
  const seen = Math.max(2.2 * own, radius / 12);
  // A floor far below would not be seen.
  if (whole.min.distanceTo(first.min) > FAR * seen) whole.copy(first);
  return { centre: first.getCenter(new THREE.Vector3()), radius: seen, box: whole, spread, isFar: true };
}

/** Moves the camera with a body, or with the median place of all. */
export class Follower {
  isOn = false;
  private last: THREE.Vector3 | undefined;
  private gone = new THREE.Vector3();
  private home: THREE.Vector3 | undefined; // the median place of the first frame

  constructor(private readonly orbit: Orbit) {}

  setScene(scene: Scene, motion: Motion, isFar: boolean): void {
    this.isOn = isFar;
    this.last = undefined;
    this.gone = new THREE.Vector3();
    const poses = motion.frames > 0 ? motion.frame(0) : new Float32Array();
    this.home = median(scene, (b) => new THREE.Vector3(...poses.subarray((b - 1) * POSE_SIZE, (b - 1) * POSE_SIZE + 3)));
  }
  /** Another body is followed from here on. */
  restart(): void {
    this.last = undefined;
  }
  /** The bodies have moved; where the mechanism has gone since the first frame. */
  update(scene: Scene, groups: THREE.Group[], selected: number): void {
    if (!this.isOn) return;
    const now = selected > 0 ? groups[selected].localToWorld(new THREE.Vector3(...scene.bodies[selected].mass_centre))
      : median(scene, (b) => groups[b].position);
    if (this.last) this.orbit.shift(now.clone().sub(this.last));
    this.last = now;
  }
  /** From the first frame to the present one, or the last one that was followed. */
  travelled(scene: Scene, groups: THREE.Group[]): THREE.Vector3 {
    if (this.isOn && this.home) this.gone = median(scene, (b) => groups[b].position).sub(this.home);
    return this.gone.clone();
  }
}

function median(scene: Scene, placeOf: (body: number) => THREE.Vector3): THREE.Vector3 {
  const bodies = scene.bodies.flatMap(({ mode }, b) => (b > 0 && !mode ? [b] : []));
  const step = Math.max(1, Math.ceil(bodies.length / MOST_BODIES));
  const places = bodies.filter((_, i) => i % step === 0).map(placeOf);
  const middle = (axis: "x" | "y" | "z"): number => {
    const sorted = places.map((p) => p[axis]).sort((a, b) => a - b);
    return sorted[sorted.length >> 1] ?? 0;
  };
  return new THREE.Vector3(middle("x"), middle("y"), middle("z"));
}
