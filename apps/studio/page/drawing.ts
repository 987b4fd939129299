// The scene as three.js draws it, moved by the frames of a motion.
import * as THREE from "three";
import { Arrows, Force } from "./arrows";
import { Crowd } from "./crowd";
import { Follower, TRIAD, viewOf } from "./follow";
import { Ghost } from "./ghost";
import { ItemForce, Motion, POSE_SIZE, Pose, Scene, SceneSolid, Triple } from "./message";
import { Links } from "./links";
import { Marks } from "./marks";
import { Orbit } from "./orbit";
import { Particles } from "./particles";
import { place, placeBetween } from "./placing";
import { isDisc, isStretched, Shapes, solidMesh, wallMaterial } from "./shapes";

/** Colours of bodies in turn; that of the ground and of joints comes first. */
export const COLOURS = [
  "#5b6470", "#3f7fbf", "#e08a2e", "#4ea36b", "#c75450", "#8a6bb8", "#3aa6a6", "#c0699f", "#9a8f3c", "#7d95ab",
  "#a9745b",
];
/** By body; the nodes of a beam have one colour. */
export function coloursOf(scene: Scene): string[] {
  const beams = new Map<string, string>();
  let count = 0;
  return scene.bodies.map(({ beam }, b) => {
    if (b === 0) return COLOURS[0];
    const colour = beams.get(beam) ?? COLOURS[1 + (count++ % (COLOURS.length - 1))];
    if (beam !== "") beams.set(beam, colour);
    return colour;
  });
}

export const LAYERS = {
  joints: "Joints",
  names: "Names",
  frames: "Frames of bodies",
  centres: "Mass centres",
  ellipsoids: "Inertia ellipsoids",
  points: "Points",
  trace: "Path of the selection",
  arrows: "Reactions",
  contacts: "Contact forces",
  forces: "Applied forces",
  ghost: "Second run",
  floor: "Floor and shadows",
} as const;
export type Layer = keyof typeof LAYERS;

const FEW_FRAMES = 20;
const FORCE_COLOUR = "#0c8a8a";

function vector(t: Triple | number[]): THREE.Vector3 {
  return new THREE.Vector3(t[0], t[1], t[2]);
}

export class Drawing {
  readonly orbit: Orbit;
  readonly follower: Follower;
  /** By body; the ground's does not move. */
  readonly groups: THREE.Group[] = [];
  onDraw: () => void = () => undefined;

  private readonly renderer: THREE.WebGLRenderer;
  private readonly world = new THREE.Scene();
  private readonly content = new THREE.Group();
  private readonly sky = new THREE.HemisphereLight(0xffffff, 0x8d8d99, 0.62);
  private readonly sun = new THREE.DirectionalLight(0xffffff, 0.72);
  private readonly layers = new Map<Layer, THREE.Object3D[]>();
  private readonly shown = new Set<Layer>(["joints", "floor", "contacts", "ghost"]);
  private readonly materials: THREE.MeshStandardMaterial[][] = [];
  private pickable: THREE.Mesh[] = [];
  private solids: THREE.Mesh[] = []; // opaque ones of their own size
  private crowds: Crowd[] = []; // of solids and of joints
  /** Marks that nobody has asked for yet. */
  private readonly unmade = new Map<Layer, () => THREE.Object3D[]>();
  private links: Links | undefined;
  private readonly plane = new THREE.MeshStandardMaterial({ roughness: 0.9, metalness: 0 }); // of the ground
  private trace: THREE.Line | undefined;
  private reactions: Arrows | undefined;
  private contacts: Arrows | undefined;
  private forces: Arrows | undefined;
  private grid: THREE.LineSegments | undefined;
  private scene: Scene | undefined;
  private colours: string[] = []; // by body
  private shapes: Shapes | undefined;
  private selected = -1;
  private dark = false;
  private marks: Marks | undefined;
  private gridReach = 1; // m
  private isDue = false;
  private ghost: Ghost | undefined;
  private particles: Particles | undefined;
  private overlay: { object: THREE.Object3D; update: () => void } | undefined;
  private bounds = { centre: new THREE.Vector3(), radius: 1 };

  constructor(private readonly canvas: HTMLCanvasElement) {
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true, preserveDrawingBuffer: true });
    this.renderer.gammaOutput = true;
    this.renderer.gammaFactor = 2.2;
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = THREE.PCFSoftShadowMap;
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.x = this.sun.shadow.mapSize.y = 2048;
    this.sun.shadow.radius = 3;
    this.world.add(this.sky, this.sun, this.sun.target, this.content);
    this.orbit = new Orbit(canvas);
    this.follower = new Follower(this.orbit);
    this.orbit.onChange = () => this.invalidate();
  }

  /** Draws before the next picture of the screen. */
  invalidate(): void {
    if (this.isDue) return;
    this.isDue = true;
    requestAnimationFrame(() => {
      this.isDue = false;
      this.render();
    });
  }
  render(): void {
    this.moveFloor();
    this.overlay?.update();
    this.crowds.forEach((crowd) => crowd.update(this.selected));
    this.sun.position.copy(this.sunPlace());
    this.particles?.setHeight(this.canvas.height);
    this.renderer.render(this.world, this.orbit.camera);
    this.onDraw();
  }
  /** For pictures of exactly so many pixels. */
  setSize(width: number, height: number): void {
    this.renderer.setPixelRatio(1);
    this.renderer.setSize(width, height, false);
    this.orbit.setAspect(width / height);
  }
  resize(width: number, height: number): void {
    this.renderer.setPixelRatio(Math.min(2, window.devicePixelRatio || 1));
    this.renderer.setSize(width, height, false);
    this.orbit.setAspect(width / Math.max(1, height));
  }
  setDark(dark: boolean): void {
    this.dark = dark;
    this.marks?.setDark(dark);
    this.world.background = new THREE.Color(dark ? "#171a20" : "#f2f4f8"); // is shown as it is
    this.plane.color.set(dark ? "#3a424e" : "#cfd6de").convertSRGBToLinear();
    this.sky.intensity = dark ? 0.5 : 0.62;
    this.colourGrid();
    this.invalidate();
  }
  /** The grid fades into the background. */
  private colourGrid(): void {
    if (!this.grid) return;
    const near = new THREE.Color(this.dark ? "#3d4553" : "#c3cbd6").convertSRGBToLinear();
    const far = new THREE.Color(0).copy(this.world.background as THREE.Color).convertSRGBToLinear();
    const places = this.grid.geometry.getAttribute("position").array;
    const colours = this.grid.geometry.getAttribute("color");
    for (let i = 0; i < places.length; i += 3) {
      const part = Math.min(1, Math.hypot(places[i], places[i + 1]) / this.gridReach);
      const colour = near.clone().lerp(far, part);
      colours.array.set([colour.r, colour.g, colour.b], i);
    }
    colours.needsUpdate = true;
  }

  /** Replaces all that is drawn. */
  setScene(scene: Scene, motion: Motion, keepView = false): void {
    this.content.children.slice().forEach((child) => this.content.remove(child));
    this.groups.length = this.materials.length = 0;
    this.pickable = [];
    this.solids = [];
    this.crowds.forEach((crowd) => crowd.dispose());
    this.trace = undefined;
    this.layers.clear();
    this.unmade.clear();
    const hasTurned = this.scene !== undefined && String(this.scene.up) !== String(scene.up);
    this.scene = scene;
    this.shapes = new Shapes(scene);
    this.colours = coloursOf(scene);
    scene.bodies.forEach((_, b) => {
      const group = new THREE.Group();
      this.groups.push(group);
      this.materials.push(this.materialsOf(b));
      this.content.add(group);
    });
    scene.solids.forEach((solid) => this.addSolid(solid));
    this.particles = scene.particles ? new Particles(scene.particles) : undefined;
    if (this.particles) this.content.add(this.particles.holder);
    const joints = this.addJoints(scene, motion);
    this.crowds = [new Crowd(this.solids), new Crowd(joints)];
    this.content.add(...this.crowds.map(({ holder }) => holder));
    this.layer("joints", this.crowds[1].holder);
    const metal = new THREE.Color("#8a93a0").convertSRGBToLinear();
    this.links = new Links(scene, this.shapes, this.groups, this.content, new THREE.MeshStandardMaterial({ color: metal, roughness: 0.4, metalness: 0.35 }));
    this.addMarks(scene);
    this.addArrows(scene);
    if (motion.frames > 0) placeBetween(this.groups, motion.frame(0), motion.frame(0), 0);
    this.measure(motion);
    this.addFloor(scene);
    this.addTrace();
    this.applyLayers();
    this.content.updateMatrixWorld(true);
    this.select(this.selected < scene.bodies.length ? this.selected : -1);
    const growth = this.bounds.radius / this.orbit.fittedRadius;
    const mayShrink = motion.frames > FEW_FRAMES; // a live run has hardly begun
    if (!keepView || hasTurned || growth > 2 || (growth < 0.4 && mayShrink)) this.resetView();
    else if (this.orbit.isFitted && (growth > 1.2 || (growth < 0.7 && mayShrink))) this.fit();
    this.setDark(this.dark);
  }

  /** What lies between two frames; `part` is 0 at the first. */
  setFrame(a: Float32Array, b = a, part = 0): void {
    placeBetween(this.groups, a, b, part);
    this.particles?.show(a.subarray((this.groups.length - 1) * POSE_SIZE));
    this.content.updateMatrixWorld(true);
    if (this.scene) this.follower.update(this.scene, this.groups, this.selected);
    this.links?.update();
    this.invalidate();
  }
  /** The force that each joint exerts on its child, in ground axes, N; undefined: it is not known. */
  setReactions(force: (joint: string) => Triple | undefined, largest: number): void {
    const forces: Force[] = [];
    for (const joint of this.scene?.joints ?? []) {
      const f = force(joint.name);
      if (!f) continue;
      const at = vector(joint.child_frame).applyMatrix4(this.groups[joint.child].matrixWorld);
      forces.push({ at, force: vector(f) });
    }
    this.reactions?.show(forces, largest);
  }
  /** All arrows of contacts, or of force elements. */
  setForces(layer: "contacts" | "forces", forces: ItemForce[], largest: number): void {
    this[layer]?.show(forces.map(({ at, force }) => ({ at: vector(at), force: vector(force) })), largest);
  }

  select(body: number): void {
    if (body !== this.selected) this.follower.restart();
    this.selected = body;
    this.materials.forEach((list, b) => {
      for (const material of list) {
        material.emissive.set(b === body ? (this.dark ? "#5d86b8" : "#7aa7dd") : "#000000").convertSRGBToLinear();
        material.emissiveIntensity = b === body ? 0.55 : 0;
      }
    });
    this.invalidate();
  }
  /** The body under a place of the canvas (CSS pixels), and where it is touched; -1: none. */
  pick(x: number, y: number): { body: number; point: THREE.Vector3 } {
    const ray = new THREE.Raycaster();
    const p = { x: (2 * x) / this.canvas.clientWidth - 1, y: 1 - (2 * y) / this.canvas.clientHeight };
    ray.setFromCamera(p, this.orbit.camera);
    const [hit] = ray.intersectObjects(this.pickable.filter((mesh) => mesh.visible));
    return hit ? { body: hit.object.userData.body as number, point: hit.point } : { body: -1, point: new THREE.Vector3() };
  }
  /** Like pick(); where no body is, the one whose mass centre is seen nearest, within `reach` pixels. */
  pickNear(x: number, y: number, reach: number): { body: number; point: THREE.Vector3 } {
    const found = this.pick(x, y);
    if (found.body > 0) return found;
    let least = reach;
    (this.scene?.bodies ?? []).forEach(({ mass_centre }, b) => {
      const at = b > 0 ? this.project(b, mass_centre) : undefined;
      const distance = at ? Math.hypot(at.x - x, at.y - y) : Infinity;
      if (distance >= least) return;
      least = distance;
      found.body = b;
      found.point = vector(mass_centre).applyMatrix4(this.groups[b].matrixWorld);
    });
    return found;
  }
  /** Something that is drawn too, and brought up to date before. */
  setOverlay(object: THREE.Object3D | undefined, update: () => void = () => undefined): void {
    if (this.overlay) this.world.remove(this.overlay.object);
    this.overlay = object && { object, update };
    if (object) this.world.add(object);
    this.invalidate();
  }
  /** The place in CSS pixels where a point of a body is seen; undefined: behind the camera. */
  project(body: number, local: Triple): { x: number; y: number } | undefined {
    const p = vector(local).applyMatrix4(this.groups[body].matrixWorld).project(this.orbit.camera);
    if (Math.abs(p.z) > 1) return undefined;
    return { x: ((p.x + 1) / 2) * this.canvas.clientWidth, y: ((1 - p.y) / 2) * this.canvas.clientHeight };
  }
  isShown(layer: Layer): boolean {
    return this.shown.has(layer);
  }
  show(layer: Layer, wanted: boolean): void {
    if (wanted) this.shown.add(layer);
    else this.shown.delete(layer);
    this.applyLayers();
    this.invalidate();
  }
  /** The path of a point of a body, or of its mass centre, over all frames, as far as the motion goes. */
  setTrace(motion: Motion, body: number, point?: Triple): void {
    if (!this.trace || !this.scene || body < 1) return;
    const centre = vector(point ?? this.scene.bodies[body].mass_centre);
    const frames = motion.framesPerMode > 0 ? 0 : motion.frames;
    const points = new Float32Array(3 * frames);
    const [p, q] = [new THREE.Vector3(), new THREE.Quaternion()];
    for (let i = 0; i < frames; ++i) {
      const s = i * motion.poseNumbers + (body - 1) * POSE_SIZE;
      const at = motion.poses;
      q.set(at[s + 3], at[s + 4], at[s + 5], at[s + 6]);
      p.copy(centre).applyQuaternion(q);
      points.set([p.x + at[s], p.y + at[s + 1], p.z + at[s + 2]], 3 * i);
    }
    this.trace.geometry.dispose();
    this.trace.geometry = new THREE.BufferGeometry();
    this.trace.geometry.setAttribute("position", new THREE.BufferAttribute(points, 3));
    (this.trace.material as THREE.LineBasicMaterial).color.set(this.colours[body]).convertSRGBToLinear();
    this.trace.frustumCulled = false;
    this.invalidate();
  }
  /** The second run; it stays when the scene changes. */
  setGhost(ghost: Ghost | undefined): void {
    if (this.ghost) this.world.remove(this.ghost.holder);
    this.ghost = ghost;
    if (ghost) {
      this.world.add(ghost.holder);
      this.applyLayers();
    }
    this.invalidate();
  }
  resetView(): void {
    if (!this.scene) return;
    this.orbit.setUp(vector(this.scene.up));
    this.fit();
    const flat = this.flatDirection;
    if (flat) this.orbit.lookAlong(flat, 0.16);
    else this.orbit.lookFrom(0.62, 0.36);
  }
  private fit(): void {
    if (!this.scene) return;
    this.orbit.fit(this.bounds.centre.clone().add(this.follower.travelled(this.scene, this.groups)), this.bounds.radius);
  }
  picture(kind = "image/png"): string {
    this.render();
    return this.canvas.toDataURL(kind, 0.95);
  }

  private flatDirection: THREE.Vector3 | undefined;

  private materialsOf(body: number): THREE.MeshStandardMaterial[] {
    const make = (colour: string, roughness = 0.62): THREE.MeshStandardMaterial =>
      new THREE.MeshStandardMaterial({
        color: new THREE.Color(colour).convertSRGBToLinear(), roughness, metalness: 0.05,
      });
    return [make(this.colours[body]), make(body === 0 ? "#8b94a1" : "#4b535e", 0.5)];
  }
  private addSolid(solid: SceneSolid): void {
    const isPlane = solid.type === "plane" && solid.body === 0, isWall = solid.role === "wall";
    const plain = this.materials[solid.body][0];
    const own = isWall ? wallMaterial(solid.body === 0 ? "#8a93a0" : this.colours[solid.body]) : isDisc(solid) ? plain.clone() : plain;
    if (isDisc(solid)) own.vertexColors = THREE.VertexColors;
    if (own !== plain) this.materials[solid.body].push(own);
    const mesh = solidMesh(this.shapes as Shapes, solid, isPlane ? this.plane : own);
    mesh.castShadow = solid.type !== "plane" && !isWall;
    mesh.receiveShadow = !isWall;
    mesh.userData.body = solid.body;
    this.groups[solid.body].add(mesh);
    if (!isWall && !isPlane && !isStretched(solid)) this.solids.push(mesh);
    if (!isWall || solid.body > 0) this.pickable.push(mesh);
  }
  private layer(name: Layer, object: THREE.Object3D): void {
    const list = this.layers.get(name) ?? [];
    list.push(object);
    this.layers.set(name, list);
  }
  private applyLayers(): void {
    for (const [name, make] of this.unmade) {
      if (!this.shown.has(name)) continue;
      this.unmade.delete(name);
      this.layers.set(name, make());
    }
    for (const [name, objects] of this.layers) {
      for (const object of objects) object.visible = this.shown.has(name);
    }
    if (this.ghost) this.ghost.holder.visible = this.shown.has("ghost");
  }

  /** A pin along the axis of what turns, a rail along what slides, a ball, on the parent. */
  private addJoints(scene: Scene, motion: Motion): THREE.Mesh[] {
    const shapes = this.shapes as Shapes;
    const z = new THREE.Vector3(0, 0, 1);
    const meshes: THREE.Mesh[] = [];
    scene.joints.forEach((joint) => {
      const holder = new THREE.Group();
      place(holder, joint.parent_frame);
      const r = scene.mark * (scene.solids.some((s) => s.role === "shape") ? 1.25 : 1);
      let geometry: THREE.BufferGeometry | undefined;
      const mesh = new THREE.Mesh(shapes.sphere(r), this.materials[joint.parent][1]);
      const axis = vector(joint.axis);
      const turned = ["revolute", "screw", "cylindrical"].includes(joint.type);
      if (turned) geometry = shapes.cylinder(1.05 * r, 3.6 * r);
      if (joint.type === "spherical" || joint.type === "universal") geometry = shapes.sphere(1.35 * r);
      if (joint.type === "prismatic") {
        const [low, high] = this.range(joint.parent, joint.child, joint.parent_frame, joint.child_frame, axis, motion);
        const length = high - low + 0.12 * scene.extent;
        geometry = shapes.cylinder(0.4 * r, length);
        mesh.position.copy(axis).multiplyScalar((low + high) / 2);
      }
      if (!geometry) return;
      mesh.geometry = geometry;
      if (turned || joint.type === "prismatic") mesh.quaternion.setFromUnitVectors(z, axis);
      mesh.castShadow = true;
      mesh.userData.body = joint.parent;
      holder.add(mesh);
      this.groups[joint.parent].add(holder);
      this.layer("joints", holder);
      meshes.push(mesh);
    });
    return meshes;
  }
  /** How far the child's frame goes along an axis of the parent's, m. */
  private range(parent: number, child: number, F: Pose, M: Pose, axis: THREE.Vector3, motion: Motion): [number, number] {
    let [low, high] = [0, 0];
    const p = new THREE.Group();
    const c = new THREE.Group();
    const f = new THREE.Group();
    place(f, F);
    p.add(f);
    const step = Math.max(1, Math.ceil(motion.frames / 200));
    for (let i = 0; i < motion.frames; i += step) {
      const poses = motion.frame(i);
      if (parent > 0) place(p, poses, (parent - 1) * POSE_SIZE);
      if (child > 0) place(c, poses, (child - 1) * POSE_SIZE);
      p.updateMatrixWorld(true);
      c.updateMatrixWorld(true);
      const along = f.worldToLocal(c.localToWorld(vector(M))).dot(axis);
      [low, high] = [Math.min(low, along), Math.max(high, along)];
    }
    return [low, high];
  }

  /** The marks of a layer are made when it is shown first. */
  private addMarks(scene: Scene): void {
    const marks = this.marks = new Marks(scene, this.shapes as Shapes, this.groups);
    this.groups[0].add(marks.triad(TRIAD * scene.extent));
    this.unmade.set("frames", () => marks.frames());
    this.unmade.set("centres", () => marks.massCentres());
    this.unmade.set("ellipsoids", () => marks.ellipsoids());
    this.unmade.set("points", () => marks.points());
  }
  private addArrows(scene: Scene): void {
    const shapes = this.shapes as Shapes;
    this.reactions = new Arrows(shapes, scene, "#c7364f");
    this.contacts = new Arrows(shapes, scene, "#b535ad");
    this.forces = new Arrows(shapes, scene, FORCE_COLOUR);
    this.content.add(this.reactions.holder, this.contacts.holder, this.forces.holder);
    this.layer("arrows", this.reactions.holder);
  }
  private addTrace(): void {
    this.trace = new THREE.Line(new THREE.BufferGeometry(), new THREE.LineBasicMaterial({ color: 0 }));
    this.content.add(this.trace);
    this.layer("trace", this.trace);
  }

  /** Where everything is over the whole motion. */
  private measure(motion: Motion): void {
    const scene = this.scene as Scene;
    const { centre, radius, box, spread, isFar } = viewOf(scene, motion);
    this.bounds = { centre, radius };
    this.floorHeight = this.lowest(box, vector(scene.up));
    this.flatDirection = isFar ? undefined : this.findFlat(spread);
    this.follower.setScene(scene, motion, isFar);
  }
  private floorHeight = 0;
  private floor: { holder: THREE.Group; centre: THREE.Vector3; cell: number } | undefined;
  private lowest(box: THREE.Box3, up: THREE.Vector3): number {
    const size = box.getSize(new THREE.Vector3());
    const centre = box.getCenter(new THREE.Vector3());
    const half = 0.5 * (Math.abs(up.x) * size.x + Math.abs(up.y) * size.y + Math.abs(up.z) * size.z);
    return centre.dot(up) - half - 0.02 * this.bounds.radius;
  }
  private findFlat(spread: THREE.Box3): THREE.Vector3 | undefined {
    const size = spread.getSize(new THREE.Vector3());
    const sizes = [size.x, size.y, size.z];
    const largest = Math.max(...sizes);
    const thin = sizes.indexOf(Math.min(...sizes));
    if (!(largest > 1e-6 * this.bounds.radius) || sizes[thin] > 0.02 * largest) return undefined;
    const others = sizes.filter((_, i) => i !== thin);
    if (Math.min(...others) < 0.02 * largest) return undefined; // along a line
    // One looks against x or z, and along y, so that the first axis is to the right.
    return new THREE.Vector3(thin === 0 ? -1 : 0, thin === 1 ? 1 : 0, thin === 2 ? -1 : 0);
  }
  private addFloor(scene: Scene): void {
    const up = vector(scene.up);
    const turn = new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 0, 1), up);
    const centre = this.bounds.centre.clone().addScaledVector(up, this.floorHeight - this.bounds.centre.dot(up));
    const radius = this.bounds.radius;
    const cell = niceStep((2 * radius) / 8);
    const holder = new THREE.Group();
    holder.position.copy(centre);
    holder.quaternion.copy(turn);
    const half = 14;
    const lines: number[] = [];
    for (let i = -half; i <= half; ++i) {
      for (let k = -half; k < half; ++k) {
        lines.push(i * cell, k * cell, 0, i * cell, (k + 1) * cell, 0);
        lines.push(k * cell, i * cell, 0, (k + 1) * cell, i * cell, 0);
      }
    }
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(lines), 3));
    geometry.setAttribute("color", new THREE.BufferAttribute(new Float32Array(lines.length), 3));
    this.grid = new THREE.LineSegments(geometry, new THREE.LineBasicMaterial({ vertexColors: THREE.VertexColors }));
    this.gridReach = half * cell;
    this.colourGrid();
    const floor = new THREE.Mesh(new THREE.PlaneBufferGeometry(28 * cell, 28 * cell), new THREE.ShadowMaterial({ opacity: 0.22 }));
    floor.position.set(0, 0, -0.002 * radius);
    floor.receiveShadow = true;
    holder.add(floor, this.grid);
    this.content.add(holder);
    this.floor = { holder, centre, cell };
    this.layer("floor", holder);
    const camera = this.sun.shadow.camera;
    [camera.left, camera.right, camera.top, camera.bottom] = [-1.5 * radius, 1.5 * radius, 1.5 * radius, -1.5 * radius];
    [camera.near, camera.far] = [0.1 * radius, 8 * radius];
    this.sun.shadow.bias = -0.0006;
    camera.updateProjectionMatrix();
  }
  /** Floor and light go with a mechanism that is followed; the lines of the floor seem to stay. */
  private moveFloor(): void {
    if (!this.floor || !this.scene) return;
    const { holder, centre, cell } = this.floor;
    const travelled = this.follower.travelled(this.scene, this.groups);
    this.sun.target.position.copy(this.bounds.centre).add(travelled);
    this.sun.target.updateMatrixWorld();
    const turned = travelled.clone().applyQuaternion(holder.quaternion.clone().inverse());
    turned.set(cell * Math.round(turned.x / cell), cell * Math.round(turned.y / cell), 0).applyQuaternion(holder.quaternion);
    holder.position.copy(centre).add(turned);
  }
  /** The light comes over the viewer's left shoulder, but always from above. */
  private sunPlace(): THREE.Vector3 {
    const up = this.scene ? vector(this.scene.up) : new THREE.Vector3(0, 0, 1);
    const m = this.orbit.camera.matrixWorld;
    const right = new THREE.Vector3().setFromMatrixColumn(m, 0);
    const towards = new THREE.Vector3().setFromMatrixColumn(m, 2);
    const from = up.clone().multiplyScalar(1.35).addScaledVector(right, -0.5).addScaledVector(towards, 0.55);
    return from.normalize().multiplyScalar(3.2 * this.bounds.radius).add(this.sun.target.position);
  }
}

/** 1, 2 or 5 times a power of ten. */
export function niceStep(x: number): number {
  const power = Math.pow(10, Math.floor(Math.log10(x)));
  const rest = x / power;
  return power * (rest < 1.5 ? 1 : rest < 3.5 ? 2 : rest < 7.5 ? 5 : 10);
}
