// Particles as spheres: one point for each, which the graphics card shades as a sphere, and the box about them.
import * as THREE from "three";
import { bytesOf, SceneParticles } from "./message";

/** Colours of species in turn. */
export const SPECIES_COLOURS = ["#3f7fbf", "#e08a2e", "#4ea36b", "#c75450", "#8a6bb8", "#3aa6a6", "#c0699f", "#9a8f3c"];

const VERTEX = `
  attribute float radius;
  attribute vec3 colour;
  uniform float height; // pixels of the picture
  varying vec3 shade;
  void main() {
    shade = colour;
    gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
    gl_PointSize = max(1.0, radius * projectionMatrix[1][1] * height / gl_Position.w);
  }`;
const FRAGMENT = `
  varying vec3 shade;
  void main() {
    vec2 p = 2.0 * gl_PointCoord - 1.0;
    float r = dot(p, p);
    if (r > 1.0) discard;
    vec3 normal = vec3(p.x, -p.y, sqrt(1.0 - r));
    float light = 0.42 + 0.62 * max(0.0, dot(normal, normalize(vec3(-0.45, 0.65, 0.75))));
    gl_FragColor = vec4(shade * light * (1.0 - 0.25 * r * r), 1.0);
  }`;

export class Particles {
  readonly holder = new THREE.Group();
  readonly count: number;
  private readonly geometry = new THREE.BufferGeometry();
  private readonly places: THREE.BufferAttribute;
  private readonly material: THREE.ShaderMaterial;

  constructor({ species_of, radii, lower, length }: SceneParticles) {
    const kinds = bytesOf(species_of);
    this.count = kinds.length;
    const [radius, colours] = [new Float32Array(this.count), new Float32Array(3 * this.count)];
    const palette = radii.map((_, k) => new THREE.Color(SPECIES_COLOURS[k % SPECIES_COLOURS.length]));
    kinds.forEach((kind, i) => {
      radius[i] = radii[kind];
      colours.set([palette[kind].r, palette[kind].g, palette[kind].b], 3 * i);
    });
    this.places = new THREE.BufferAttribute(new Float32Array(3 * this.count), 3);
    this.geometry.setAttribute("position", this.places);
    this.geometry.setAttribute("radius", new THREE.BufferAttribute(radius, 1));
    this.geometry.setAttribute("colour", new THREE.BufferAttribute(colours, 3));
    this.material = new THREE.ShaderMaterial({ vertexShader: VERTEX, fragmentShader: FRAGMENT, uniforms: { height: { value: 1 } } });
    const points = new THREE.Points(this.geometry, this.material);
    points.frustumCulled = false;
    this.holder.add(points, boxLines(lower, length));
  }
  /** Positions (count x 3), m. */
  show(positions: Float32Array): void {
    this.places.array.set(positions);
    this.places.needsUpdate = true;
  }
  /** Pixels of the picture, which points are measured in. */
  setHeight(pixels: number): void {
    this.material.uniforms.height.value = pixels;
  }
}

function boxLines(lower: number[], length: number[]): THREE.LineSegments {
  const corners: number[] = [];
  for (let axis = 0; axis < 3; ++axis) {
    for (let k = 0; k < 4; ++k) {
      const corner = [0, 0, 0];
      corner[(axis + 1) % 3] = k & 1;
      corner[(axis + 2) % 3] = k >> 1;
      for (const end of [0, 1]) {
        corner[axis] = end;
        corners.push(...corner.map((part, i) => lower[i] + part * length[i]));
      }
    }
  }
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(corners), 3));
  return new THREE.LineSegments(geometry, new THREE.LineBasicMaterial({ color: new THREE.Color("#8a93a0").convertSRGBToLinear() }));
}
