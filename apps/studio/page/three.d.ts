// The part of three.js (r111) that the page uses; the package has no declarations of its own.
declare module "three" {
  export class Vector2 {
    constructor(x?: number, y?: number);
    x: number;
    y: number;
  }
  export class Vector3 {
    constructor(x?: number, y?: number, z?: number);
    x: number;
    y: number;
    z: number;
    set(x: number, y: number, z: number): this;
    copy(v: Vector3): this;
    clone(): Vector3;
    add(v: Vector3): this;
    sub(v: Vector3): this;
    subVectors(a: Vector3, b: Vector3): this;
    crossVectors(a: Vector3, b: Vector3): this;
    cross(v: Vector3): this;
    dot(v: Vector3): number;
    addScaledVector(v: Vector3, s: number): this;
    multiplyScalar(s: number): this;
    normalize(): this;
    length(): number;
    distanceTo(v: Vector3): number;
    applyQuaternion(q: Quaternion): this;
    applyMatrix4(m: Matrix4): this;
    project(camera: Camera): this;
    unproject(camera: Camera): this;
    setFromMatrixColumn(m: Matrix4, index: number): this;
    setFromMatrixPosition(m: Matrix4): this;
    lerp(v: Vector3, t: number): this;
  }
  export class Quaternion {
    constructor(x?: number, y?: number, z?: number, w?: number);
    x: number;
    y: number;
    z: number;
    w: number;
    set(x: number, y: number, z: number, w: number): this;
    copy(q: Quaternion): this;
    clone(): Quaternion;
    setFromUnitVectors(a: Vector3, b: Vector3): this;
    setFromAxisAngle(axis: Vector3, angle: number): this;
    slerp(q: Quaternion, t: number): this;
    multiply(q: Quaternion): this;
    inverse(): this;
  }
  export class Matrix4 {
    elements: number[];
    makeBasis(x: Vector3, y: Vector3, z: Vector3): this;
    compose(p: Vector3, q: Quaternion, s: Vector3): this;
    getInverse(m: Matrix4): this;
  }
  export class Box3 {
    min: Vector3;
    max: Vector3;
    copy(box: Box3): this;
    clone(): Box3;
    expandByPoint(p: Vector3): this;
    isEmpty(): boolean;
    getCenter(to: Vector3): Vector3;
    getSize(to: Vector3): Vector3;
  }
  export class Color {
    constructor(value?: string | number);
    set(value: string | number): this;
    r: number;
    g: number;
    b: number;
    convertSRGBToLinear(): this;
    lerp(c: Color, t: number): this;
    clone(): Color;
    copy(c: Color): this;
  }
  export class Object3D {
    position: Vector3;
    quaternion: Quaternion;
    scale: Vector3;
    up: Vector3;
    matrixWorld: Matrix4;
    visible: boolean;
    layers: { set(layer: number): void };
    castShadow: boolean;
    receiveShadow: boolean;
    renderOrder: number;
    frustumCulled: boolean;
    userData: Record<string, unknown>;
    children: Object3D[];
    parent: Object3D | null;
    add(...objects: Object3D[]): this;
    remove(...objects: Object3D[]): this;
    lookAt(v: Vector3): void;
    updateMatrixWorld(force?: boolean): void;
    traverse(f: (o: Object3D) => void): void;
    localToWorld(v: Vector3): Vector3;
    worldToLocal(v: Vector3): Vector3;
  }
  export class Group extends Object3D {}
  export class Scene extends Object3D {
    background: Color | null;
  }
  export class Camera extends Object3D {
    matrixWorldInverse: Matrix4;
    projectionMatrix: Matrix4;
    updateProjectionMatrix(): void;
  }
  export class PerspectiveCamera extends Camera {
    constructor(fov: number, aspect: number, near: number, far: number);
    fov: number;
    aspect: number;
    near: number;
    far: number;
  }
  export class OrthographicCamera extends Camera {
    constructor(l: number, r: number, t: number, b: number, near: number, far: number);
    left: number;
    right: number;
    top: number;
    bottom: number;
    near: number;
    far: number;
  }
  export class BufferAttribute {
    constructor(array: Float32Array | Uint32Array, size: number);
    array: Float32Array;
    needsUpdate: boolean;
  }
  export class BufferGeometry {
    uuid: string;
    clone(): BufferGeometry;
    setAttribute(name: string, a: BufferAttribute): this;
    getAttribute(name: string): BufferAttribute;
    setIndex(a: BufferAttribute): this;
    setDrawRange(start: number, count: number): void;
    toNonIndexed(): BufferGeometry;
    computeVertexNormals(): void;
    translate(x: number, y: number, z: number): this;
    rotateX(a: number): this;
    dispose(): void;
  }
  export class BoxBufferGeometry extends BufferGeometry {
    constructor(x: number, y: number, z: number);
  }
  export class SphereBufferGeometry extends BufferGeometry {
    constructor(r: number, w: number, h: number, p0?: number, p?: number, t0?: number, t?: number);
  }
  export class CylinderBufferGeometry extends BufferGeometry {
    constructor(top: number, bottom: number, height: number, sides: number, pieces?: number, open?: boolean);
  }
  export class ConeBufferGeometry extends BufferGeometry {
    constructor(r: number, height: number, sides: number);
  }
  export class PlaneBufferGeometry extends BufferGeometry {
    constructor(width: number, height: number);
  }
  export class LatheBufferGeometry extends BufferGeometry {
    constructor(points: Vector2[], segments: number);
  }
  export class TubeBufferGeometry extends BufferGeometry {
    constructor(path: Curve, pieces: number, radius: number, sides: number, closed: boolean);
  }
  export class Curve {
    getPoint(t: number): Vector3;
  }
  export class CatmullRomCurve3 extends Curve {
    constructor(points: Vector3[]);
  }
  export class Material {
    transparent: boolean;
    opacity: number;
    depthTest: boolean;
    depthWrite: boolean;
    dispose(): void;
  }
  export class MeshStandardMaterial extends Material {
    vertexColors: number;
    constructor(options: Record<string, unknown>);
    color: Color;
    emissive: Color;
    emissiveIntensity: number;
    clone(): MeshStandardMaterial;
  }
  export class MeshBasicMaterial extends Material {
    constructor(options: Record<string, unknown>);
    color: Color;
  }
  export class ShaderMaterial extends Material {
    constructor(options: Record<string, unknown>);
    uniforms: Record<string, { value: number }>;
  }
  export class Points extends Object3D {
    constructor(geometry: BufferGeometry, material: Material);
  }
  export class ShadowMaterial extends Material {
    constructor(options: Record<string, unknown>);
  }
  export class LineBasicMaterial extends Material {
    constructor(options: Record<string, unknown>);
    color: Color;
  }
  export class Mesh extends Object3D {
    constructor(geometry: BufferGeometry, material: Material | Material[]);
    geometry: BufferGeometry;
    material: Material | Material[];
  }
  export class InstancedMesh extends Mesh {
    constructor(geometry: BufferGeometry, material: Material, count: number);
    instanceMatrix: BufferAttribute;
  }
  export class Line extends Object3D {
    constructor(geometry: BufferGeometry, material: Material);
    geometry: BufferGeometry;
    material: Material;
  }
  export class LineSegments extends Line {}
  export class Light extends Object3D {
    intensity: number;
    color: Color;
  }
  export class HemisphereLight extends Light {
    constructor(sky: number, ground: number, intensity: number);
    groundColor: Color;
  }
  export class DirectionalLight extends Light {
    constructor(color: number, intensity: number);
    target: Object3D;
    shadow: {
      mapSize: Vector2;
      bias: number;
      radius: number;
      camera: OrthographicCamera;
    };
  }
  export class Raycaster {
    setFromCamera(p: { x: number; y: number }, camera: Camera): void;
    intersectObjects(objects: Object3D[], deep?: boolean): { object: Object3D; point: Vector3 }[];
    ray: { origin: Vector3; direction: Vector3 };
  }
  export class WebGLRenderer {
    constructor(options: Record<string, unknown>);
    shadowMap: { enabled: boolean; type: number; needsUpdate: boolean };
    gammaOutput: boolean;
    gammaFactor: number;
    domElement: HTMLCanvasElement;
    setPixelRatio(r: number): void;
    setSize(w: number, h: number, style?: boolean): void;
    render(scene: Scene, camera: Camera): void;
  }
  export const PCFSoftShadowMap: number;
  export const DoubleSide: number;
  export const VertexColors: number;
  export const REVISION: string;
}
