// Arrows of forces, all on one scale. They are seen through bodies, as forces between these have to be.
import * as THREE from "three";
import { Scene } from "./message";
import { Shapes } from "./shapes";

export interface Force {
  at: THREE.Vector3; // m, where the arrow begins
  force: THREE.Vector3; // N
}

const LARGEST = 0.32; // length of the largest force relative to the extent of the scene
const LEAST = 0.002; // smaller forces, relative to the largest one, have no arrow

export class Arrows {
  readonly holder = new THREE.Group();
  private readonly material: THREE.Material;
  private readonly extent: number; // m, of the scene
  private readonly shaft: THREE.BufferGeometry;
  private readonly tip: THREE.BufferGeometry;

  constructor(shapes: Shapes, scene: Scene, colour: string) {
    this.extent = scene.extent;
    const color = new THREE.Color(colour).convertSRGBToLinear();
    this.material = new THREE.MeshBasicMaterial({ color, depthTest: false, transparent: true });
    const width = widthOf(scene);
    this.shaft = shapes.shaft(width);
    this.tip = shapes.cone(2.6 * width, 7 * width);
  }

  /** Shows these forces; the `largest` (N) sets the scale. */
  show(forces: Force[], largest: number): void {
    while (this.holder.children.length < forces.length) this.holder.add(this.make());
    this.holder.children.forEach((object, i) => {
      const size = i < forces.length ? forces[i].force.length() : 0;
      object.visible = size > LEAST * largest;
      if (!object.visible) return;
      const { at, force } = forces[i];
      const length = Math.max(1e-9, (LARGEST * this.extent * size) / largest);
      object.position.copy(at);
      object.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), force.clone().multiplyScalar(1 / size));
      const [shaft, tip] = object.children;
      shaft.scale.set(1, 1, length);
      tip.position.set(0, 0, length);
    });
  }

  private make(): THREE.Group {
    const object = new THREE.Group();
    for (const geometry of [this.shaft, this.tip]) {
      const part = new THREE.Mesh(geometry, this.material);
      part.renderOrder = 4;
      object.add(part);
    }
    return object;
  }
}

/** Radius of the shafts, m: arrows do not hide the bodies on which they act. */
function widthOf({ solids, extent }: Scene): number {
  const sizes = solids.filter(({ body, role }) => body > 0 && role === "shape").map(({ size }) => Math.max(...size));
  return Math.max(0.0015 * extent, Math.min(0.006 * extent, ...sizes.map((size) => 0.12 * size)));
}
