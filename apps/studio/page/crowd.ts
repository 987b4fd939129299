// Many meshes of equal shape and colour, drawn in one call: 1000 bodies cost the graphics card about as much as ten.
import * as THREE from "three";

/** Meshes of one shape and colour that are worth a call of their own. */
const FEW = 8;
/** The camera does not see this layer; picking does. */
const UNSEEN = 1;

interface Row {
  readonly meshes: THREE.Mesh[];
  readonly drawn: THREE.InstancedMesh;
}

export class Crowd {
  readonly holder = new THREE.Group();
  private readonly rows: Row[] = [];

  /** The meshes stay where they are, to be picked; their scale is one (normals do not stretch). */
  constructor(meshes: THREE.Mesh[]) {
    const alike = new Map<string, THREE.Mesh[]>();
    for (const mesh of meshes) {
      const { r, g, b } = (mesh.material as THREE.MeshStandardMaterial).color;
      const key = `${mesh.geometry.uuid} ${r} ${g} ${b} ${mesh.castShadow} ${mesh.receiveShadow}`;
      alike.set(key, [...(alike.get(key) ?? []), mesh]);
    }
    for (const list of alike.values()) {
      if (list.length >= FEW) this.add(list);
    }
  }
  private add(meshes: THREE.Mesh[]): void {
    const [first] = meshes;
    const material = (first.material as THREE.MeshStandardMaterial).clone();
    // This three.js binds the places of instances again only where the geometry is another one.
    const drawn = new THREE.InstancedMesh(first.geometry.clone(), material, meshes.length);
    [drawn.castShadow, drawn.receiveShadow] = [first.castShadow, first.receiveShadow];
    drawn.frustumCulled = false; // its bounds are those of one
    for (const mesh of meshes) mesh.layers.set(UNSEEN);
    this.holder.add(drawn);
    this.rows.push({ meshes, drawn });
  }
  dispose(): void {
    for (const { drawn } of this.rows) {
      drawn.geometry.dispose();
      (drawn.material as THREE.Material).dispose();
    }
  }
  /** Where the meshes are now; those of `alone`, a body that is selected, are drawn by themselves. */
  update(alone: number): void {
    for (const { meshes, drawn } of this.rows) {
      const { array } = drawn.instanceMatrix;
      meshes.forEach((mesh, i) => {
        const isAlone = mesh.userData.body === alone;
        mesh.layers.set(isAlone ? 0 : UNSEEN);
        if (isAlone) array.fill(0, 16 * i, 16 * i + 16);
        else array.set(mesh.matrixWorld.elements, 16 * i);
      });
      drawn.instanceMatrix.needsUpdate = true;
    }
  }
}
