// Marks on bodies: their frames, mass centres, inertia ellipsoids and points.
import * as THREE from "three";
import { ellipsoidOf } from "./ellipsoid";
import { Scene, SceneBody } from "./message";
import { place } from "./placing";
import { Shapes } from "./shapes";

const AXIS_COLOURS = ["#d0453b", "#3f9b4f", "#3568c4"];
const AXIS_COLOURS_IN_THE_DARK = ["#f2786c", "#68c878", "#7ea6ff"];
const FRAME_SIZE = 0.084; // parts of the extent of the scene

function linear(colour: string): THREE.Color {
  return new THREE.Color(colour).convertSRGBToLinear();
}
function onTop(colour: string): THREE.MeshBasicMaterial {
  return new THREE.MeshBasicMaterial({ color: linear(colour), depthTest: false });
}

export class Marks {
  private readonly axes = AXIS_COLOURS.map((colour) => new THREE.MeshStandardMaterial({ color: linear(colour), roughness: 0.7 }));

  constructor(private readonly scene: Scene, private readonly shapes: Shapes, private readonly groups: THREE.Group[]) {}

  setDark(dark: boolean): void {
    const colours = dark ? AXIS_COLOURS_IN_THE_DARK : AXIS_COLOURS;
    this.axes.forEach((material, i) => {
      material.color.copy(linear(colours[i]));
      material.emissive.copy(linear("#000000").lerp(linear(colours[i]), dark ? 0.35 : 0));
    });
  }

  /** The axes x, y, z of a frame, `size` long (m). */
  triad(size: number): THREE.Group {
    const triad = new THREE.Group();
    const z = new THREE.Vector3(0, 0, 1);
    this.axes.forEach((material, i) => {
      const axis = new THREE.Vector3(i === 0 ? 1 : 0, i === 1 ? 1 : 0, i === 2 ? 1 : 0);
      const shaft = new THREE.Mesh(this.shapes.cylinder(0.022 * size, size), material);
      shaft.position.copy(axis).multiplyScalar(size / 2);
      const tip = new THREE.Mesh(this.shapes.cone(0.06 * size, 0.2 * size), material);
      tip.position.copy(axis).multiplyScalar(size);
      for (const part of [shaft, tip]) {
        part.quaternion.setFromUnitVectors(z, axis);
        triad.add(part);
      }
    });
    return triad;
  }
  frames(): THREE.Object3D[] {
    return this.onBodies(() => this.triad(FRAME_SIZE * this.scene.extent));
  }
  massCentres(): THREE.Object3D[] {
    const [ball, material] = [this.shapes.sphere(0.6 * this.scene.mark), onTop("#c23b5e")];
    return this.onBodies((body) => {
      const centre = new THREE.Mesh(ball, material);
      centre.position.set(...body.mass_centre);
      centre.renderOrder = 3;
      return centre;
    });
  }
  ellipsoids(): THREE.Object3D[] {
    const glass = new THREE.MeshStandardMaterial({ color: linear("#7fa7d8"), transparent: true, opacity: 0.32, depthWrite: false });
    return this.onBodies((body) => {
      const axes = ellipsoidOf(body.mass, body.inertia);
      if (!axes) return undefined;
      const ellipsoid = new THREE.Mesh(this.shapes.sphere(1), glass);
      ellipsoid.position.set(...body.mass_centre);
      ellipsoid.quaternion.copy(axes.turn);
      ellipsoid.scale.set(...axes.size);
      return ellipsoid;
    });
  }
  points(): THREE.Object3D[] {
    const [ball, material] = [this.shapes.sphere(0.45 * this.scene.mark), onTop("#d98a1f")];
    return this.scene.points.filter(({ name }) => !name.endsWith(".origin")).map((point) => {
      const mark = new THREE.Mesh(ball, material);
      place(mark, point.pose);
      mark.renderOrder = 3;
      this.groups[point.body].add(mark);
      return mark;
    });
  }

  /** One for each body that moves, modes of flexible bodies excepted. */
  private onBodies(make: (body: SceneBody) => THREE.Object3D | undefined): THREE.Object3D[] {
    return this.scene.bodies.flatMap((body, b) => {
      const mark = b > 0 && !body.mode ? make(body) : undefined;
      if (mark) this.groups[b].add(mark);
      return mark ? [mark] : [];
    });
  }
}
