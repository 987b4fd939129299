// A second run, drawn translucent at the same time as the first.
import * as THREE from "three";
import { Links } from "./links";
import { Motion, Scene } from "./message";
import { placeBetween } from "./placing";
import { framesAt } from "./player";
import { Shapes, solidMesh } from "./shapes";

export class Ghost {
  readonly holder = new THREE.Group();
  private readonly groups: THREE.Group[] = [];
  private readonly links: Links;

  constructor(readonly name: string, scene: Scene, readonly motion: Motion) {
    const shapes = new Shapes(scene);
    const pale = new THREE.MeshStandardMaterial({
      color: new THREE.Color("#8fa3bf").convertSRGBToLinear(), transparent: true, opacity: 0.38, roughness: 0.8, depthWrite: false,
    });
    scene.bodies.forEach(() => {
      const group = new THREE.Group();
      this.groups.push(group);
      this.holder.add(group);
    });
    for (const solid of scene.solids) {
      if (solid.body > 0) this.groups[solid.body].add(solidMesh(shapes, solid, pale));
    }
    this.links = new Links(scene, shapes, this.groups, this.holder, pale);
  }
  /** Shows the instant (s), or of a motion over something else its value. */
  show(at: number): void {
    if (this.motion.rows === 0) return;
    const [a, b, part] = framesAt(this.motion.column(this.motion.x) ?? new Float64Array(), at);
    placeBetween(this.groups, this.motion.frame(a), this.motion.frame(b), part);
    this.holder.updateMatrixWorld(true);
    this.links.update();
  }
}
