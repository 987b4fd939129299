// The ellipsoid of inertia of a body.
import * as THREE from "three";

/** Half-axes (m) of the solid ellipsoid with this mass and inertia, and the turn of its axes; undefined: there is none. */
export function ellipsoidOf(
  mass: number, [xx, yy, zz, xy, xz, yz]: number[],
): { size: [number, number, number]; turn: THREE.Quaternion } | undefined {
  if (!(mass > 0)) return undefined;
  // Jacobi's rotations of a symmetric matrix.
  const A = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]];
  const V = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
  for (let sweep = 0; sweep < 24; ++sweep) {
    for (const [p, q] of [[0, 1], [0, 2], [1, 2]]) {
      if (A[p][q] === 0) continue;
      const theta = (A[q][q] - A[p][p]) / (2 * A[p][q]);
      const t = Math.sign(theta || 1) / (Math.abs(theta) + Math.sqrt(theta * theta + 1));
      const c = 1 / Math.sqrt(t * t + 1);
      const s = t * c;
      for (let k = 0; k < 3; ++k) [A[k][p], A[k][q]] = [c * A[k][p] - s * A[k][q], s * A[k][p] + c * A[k][q]];
      for (let k = 0; k < 3; ++k) [A[p][k], A[q][k]] = [c * A[p][k] - s * A[q][k], s * A[p][k] + c * A[q][k]];
      for (let k = 0; k < 3; ++k) [V[k][p], V[k][q]] = [c * V[k][p] - s * V[k][q], s * V[k][p] + c * V[k][q]];
    }
  }
  const J = [A[0][0], A[1][1], A[2][2]];
  const half = (a: number, b: number, own: number): number => Math.sqrt(Math.max(0, (2.5 * (a + b - own)) / mass));
  const size: [number, number, number] = [half(J[1], J[2], J[0]), half(J[0], J[2], J[1]), half(J[0], J[1], J[2])];
  const largest = Math.max(...size);
  if (!(largest > 0)) return undefined;
  const column = (j: number): THREE.Vector3 => new THREE.Vector3(V[0][j], V[1][j], V[2][j]);
  const x = column(0);
  const y = column(1);
  const z = new THREE.Vector3().crossVectors(x, y);
  return { size: size.map((a) => Math.max(a, 0.01 * largest)) as [number, number, number], turn: turnOf(x, y, z) };
}

function turnOf(x: THREE.Vector3, y: THREE.Vector3, z: THREE.Vector3): THREE.Quaternion {
  const first = new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 0, 1), z);
  const across = new THREE.Vector3(1, 0, 0).applyQuaternion(first);
  const angle = Math.atan2(new THREE.Vector3().crossVectors(across, x).dot(z), across.dot(x));
  void y;
  return new THREE.Quaternion().setFromAxisAngle(z, angle).multiply(first);
}
