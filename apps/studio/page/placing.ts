// Poses of bodies, put into the objects that draw them.
import * as THREE from "three";
import { POSE_SIZE, Pose } from "./message";

export function place(object: THREE.Object3D, pose: Pose | number[] | Float32Array, start = 0): void {
  object.position.set(pose[start], pose[start + 1], pose[start + 2]);
  object.quaternion.set(pose[start + 3], pose[start + 4], pose[start + 5], pose[start + 6]);
}

/** Places bodies, the ground excepted, between two frames; `part` is 0 at the first and 1 at the second. */
export function placeBetween(groups: THREE.Object3D[], a: Float32Array, b: Float32Array, part: number): void {
  const [p, q] = [new THREE.Vector3(), new THREE.Quaternion()];
  for (let k = 1; k < groups.length; ++k) {
    const s = (k - 1) * POSE_SIZE;
    place(groups[k], a, s);
    if (part === 0) continue;
    p.set(b[s], b[s + 1], b[s + 2]);
    q.set(b[s + 3], b[s + 4], b[s + 5], b[s + 6]);
    groups[k].position.lerp(p, part);
    groups[k].quaternion.slerp(q, part);
  }
}
