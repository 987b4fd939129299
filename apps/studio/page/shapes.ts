// Geometries of what is drawn. Equal ones are made once.
import * as THREE from "three";
import { bytesOf, Scene, SceneSolid } from "./message";
import { place } from "./placing";

/** Sides of what is round; fewer where there are many solids, so that a picture has not millions of triangles. */
const SIDES = 32;
const FEW_SIDES = 8;
const MANY = 300; // solids
const DARK_HALF = 0.21; // rad, of the dark sector of a disc

export class Shapes {
  private readonly made = new Map<string, THREE.BufferGeometry>();
  private readonly meshes: (THREE.BufferGeometry | undefined)[] = [];
  private readonly sides: number;

  constructor(private readonly scene: Scene) {
    this.sides = scene.solids.length > MANY ? FEW_SIDES : SIDES;
  }

  of(solid: SceneSolid): THREE.BufferGeometry {
    if (solid.type === "mesh") return this.mesh(solid.mesh ?? 0);
    const [x, y, z] = solid.size;
    if (solid.type === "box") return this.once(`box ${x} ${y} ${z}`, () => new THREE.BoxBufferGeometry(x, y, z));
    if (solid.type === "ellipsoid") return this.sphere(0.5); // is stretched
    if (solid.type === "plane") {
      const side = 6 * this.scene.extent;
      return this.once("plane", () => new THREE.PlaneBufferGeometry(side, side));
    }
    if (isDisc(solid)) return this.disc(x, z);
    if (solid.type === "cylinder") return this.cylinder(x, z);
    return this.capsule(x, solid.type === "sphere" ? 0 : z);
  }
  /** Along z. */
  cylinder(radius: number, length: number): THREE.BufferGeometry {
    return this.once(`cylinder ${radius} ${length}`, () =>
      new THREE.CylinderBufferGeometry(radius, radius, length, this.sides).rotateX(Math.PI / 2));
  }
  /** A cylinder of which a narrow sector is darker, so that one sees it turn. */
  private disc(radius: number, length: number): THREE.BufferGeometry {
    return this.once(`disc ${radius} ${length}`, () => {
      const geometry = this.cylinder(radius, length).toNonIndexed();
      const places = geometry.getAttribute("position").array;
      const shades = new Float32Array(places.length).fill(1);
      for (let i = 0; i < places.length; i += 9) {
        const [x, y] = [places[i] + places[i + 3] + places[i + 6], places[i + 1] + places[i + 4] + places[i + 7]];
        if (x > 0 && Math.abs(Math.atan2(y, x)) < DARK_HALF) shades.fill(0.35, i, i + 9);
      }
      geometry.setAttribute("color", new THREE.BufferAttribute(shades, 3));
      return geometry;
    });
  }
  sphere(radius: number): THREE.BufferGeometry {
    return this.capsule(radius, 0);
  }
  /** Along z; the length is that between the centres of its caps. */
  capsule(radius: number, length: number): THREE.BufferGeometry {
    return this.once(`capsule ${radius} ${length}`, () => {
      const profile: THREE.Vector2[] = [];
      const steps = this.sides / 4;
      for (let i = 0; i <= steps; ++i) {
        const a = -Math.PI / 2 + (i * Math.PI) / 2 / steps;
        profile.push(new THREE.Vector2(Math.max(0, radius * Math.cos(a)), -length / 2 + radius * Math.sin(a)));
      }
      for (let i = 0; i <= steps; ++i) {
        const a = (i * Math.PI) / 2 / steps;
        profile.push(new THREE.Vector2(Math.max(0, radius * Math.cos(a)), length / 2 + radius * Math.sin(a)));
      }
      return new THREE.LatheBufferGeometry(profile, this.sides).rotateX(Math.PI / 2);
    });
  }
  /** A cone on z = 0 with its tip at z = height. */
  cone(radius: number, height: number): THREE.BufferGeometry {
    return this.once(`cone ${radius} ${height}`, () =>
      new THREE.ConeBufferGeometry(radius, height, 20).translate(0, height / 2, 0).rotateX(Math.PI / 2));
  }
  /** A rod along z from 0 to 1, to be stretched. */
  shaft(radius: number): THREE.BufferGeometry {
    return this.once(`shaft ${radius}`, () =>
      new THREE.CylinderBufferGeometry(radius, radius, 1, 16).rotateX(Math.PI / 2).translate(0, 0, 0.5));
  }
  /** A spring along z from 0 to 1, to be stretched; radius and wire in m. */
  coil(radius: number, wire: number): THREE.BufferGeometry {
    return this.once(`coil ${radius} ${wire}`, () => {
      const turns = 8;
      const points = [new THREE.Vector3(0, 0, 0), new THREE.Vector3(0, 0, 0.08)];
      for (let i = 0; i <= 16 * turns; ++i) {
        const a = (2 * Math.PI * i) / 16;
        const z = 0.1 + (0.8 * i) / (16 * turns);
        points.push(new THREE.Vector3(radius * Math.cos(a), radius * Math.sin(a), z));
      }
      points.push(new THREE.Vector3(0, 0, 0.92), new THREE.Vector3(0, 0, 1));
      return new THREE.TubeBufferGeometry(new THREE.CatmullRomCurve3(points), 24 * turns, wire, 6, false);
    });
  }

  private once(key: string, make: () => THREE.BufferGeometry): THREE.BufferGeometry {
    let geometry = this.made.get(key);
    if (!geometry) {
      geometry = make();
      this.made.set(key, geometry);
    }
    return geometry;
  }
  private mesh(place: number): THREE.BufferGeometry {
    let geometry = this.meshes[place];
    if (!geometry) {
      const { points, triangles } = this.scene.meshes[place];
      const indexed = new THREE.BufferGeometry();
      const corners = new Float32Array(bytesOf(points).buffer);
      indexed.setAttribute("position", new THREE.BufferAttribute(corners, 3));
      indexed.setIndex(new THREE.BufferAttribute(new Uint32Array(bytesOf(triangles).buffer), 1));
      geometry = indexed.toNonIndexed();
      geometry.computeVertexNormals();
      this.meshes[place] = geometry;
    }
    return geometry;
  }
}

/** Whether a solid is a wheel rather than a rod. */
export function isDisc({ type, size: [radius, , length] }: SceneSolid): boolean {
  return type === "cylinder" && length < radius;
}
/** Of a wall of grains, which are seen through it. */
export function wallMaterial(colour: string): THREE.MeshStandardMaterial {
  return new THREE.MeshStandardMaterial({
    color: new THREE.Color(colour).convertSRGBToLinear(), roughness: 0.8, metalness: 0, side: THREE.DoubleSide, transparent: true,
    opacity: 0.22, depthWrite: false,
  });
}

/** Its geometry is scaled, by a different amount along each axis. */
export function isStretched({ type, size }: SceneSolid): boolean {
  return (type === "mesh" || type === "ellipsoid") && size.some((s) => s !== 1);
}
/** A solid in the frame of its body. */
export function solidMesh(shapes: Shapes, solid: SceneSolid, material: THREE.Material): THREE.Mesh {
  const mesh = new THREE.Mesh(shapes.of(solid), material);
  place(mesh, solid.pose);
  if (isStretched(solid)) mesh.scale.set(...solid.size);
  return mesh;
}
