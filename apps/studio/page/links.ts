// Springs, ropes and cables: straight pieces between two moving points.
import * as THREE from "three";
import { Scene, SceneLink } from "./message";
import { Shapes } from "./shapes";

export class Links {
  private readonly moved: { link: SceneLink; object: THREE.Mesh }[] = [];

  /** Adds them to `holder`; `groups` are the bodies. */
  constructor(scene: Scene, shapes: Shapes, private readonly groups: THREE.Group[], holder: THREE.Object3D, material: THREE.Material) {
    const radius = 0.02 * scene.extent;
    const coil = shapes.coil(radius, 0.16 * radius), rod = shapes.cylinder(0.25 * radius, 1), end = shapes.sphere(0.25 * radius);
    for (const link of scene.links) {
      const object = new THREE.Mesh(link.spring ? coil : rod, material);
      object.castShadow = !material.transparent;
      holder.add(object);
      this.moved.push({ link, object });
      if (link.spring) continue;
      // Pieces of one cable meet in a ball.
      for (const [body, at] of [[link.from_body, link.from], [link.to_body, link.to]] as const) {
        const ball = new THREE.Mesh(end, material);
        ball.position.set(...at);
        groups[body].add(ball);
      }
    }
  }

  /** Stretches them from end to end; the matrices of the bodies are up to date. */
  update(): void {
    for (const { link, object } of this.moved) {
      const from = new THREE.Vector3(...link.from).applyMatrix4(this.groups[link.from_body].matrixWorld);
      const along = new THREE.Vector3(...link.to).applyMatrix4(this.groups[link.to_body].matrixWorld).sub(from);
      const length = along.length();
      object.visible = length > 1e-12;
      if (!object.visible) continue;
      along.multiplyScalar(1 / length);
      // A coil begins at z = 0, a rod is centred.
      object.position.copy(from).addScaledVector(along, link.spring ? 0 : 0.5 * length);
      object.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), along);
      object.scale.set(1, 1, length);
      object.updateMatrixWorld(true);
    }
  }
}
