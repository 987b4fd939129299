// How far bodies reach.
import * as THREE from "three";
import { bytesOf, Scene } from "./message";
import { place } from "./placing";

/** Corners of what a body carries, in its frame (m). */
export function cornersOf(scene: Scene, body: number): THREE.Vector3[] {
  const corners: THREE.Vector3[] = [];
  for (const solid of scene.solids) {
    if (solid.body !== body || solid.type === "plane") continue;
    let half = [solid.size[0] / 2, solid.size[1] / 2, solid.size[2] / 2];
    if (solid.type !== "box" && solid.type !== "ellipsoid") half = [solid.size[0], solid.size[0], solid.size[2] / 2];
    if (solid.type === "capsule" || solid.type === "sphere") half[2] += solid.size[0];
    if (solid.type === "mesh") {
      const points = new Float32Array(bytesOf(scene.meshes[solid.mesh ?? 0].points).buffer);
      const step = 3 * Math.max(1, Math.floor(points.length / 3 / 64));
      const mesh = new THREE.Group();
      place(mesh, solid.pose);
      mesh.scale.set(...solid.size);
      mesh.updateMatrixWorld(true);
      for (let i = 0; i + 2 < points.length; i += step) {
        corners.push(mesh.localToWorld(new THREE.Vector3(points[i], points[i + 1], points[i + 2])));
      }
      continue;
    }
    const turn = new THREE.Quaternion(solid.pose[3], solid.pose[4], solid.pose[5], solid.pose[6]);
    for (let k = 0; k < 8; ++k) {
      const corner = new THREE.Vector3(
        k & 1 ? half[0] : -half[0], k & 2 ? half[1] : -half[1], k & 4 ? half[2] : -half[2]);
      corners.push(corner.applyQuaternion(turn).add(new THREE.Vector3(...solid.pose.slice(0, 3))));
    }
  }
  for (const joint of scene.joints) {
    if (joint.parent === body) corners.push(new THREE.Vector3(...joint.parent_frame.slice(0, 3)));
  }
  for (const link of scene.links) {
    if (link.from_body === body) corners.push(new THREE.Vector3(...link.from));
    if (link.to_body === body) corners.push(new THREE.Vector3(...link.to));
  }
  return corners;
}
