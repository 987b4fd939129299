// A camera that turns about a point: by the mouse, by touch, and by the keyboard.
import * as THREE from "three";

const TURN = 0.006; // rad per pixel
const STEEPEST = 0.5 * Math.PI - 0.02;

export class Orbit {
  readonly perspective = new THREE.PerspectiveCamera(35, 1, 0.01, 1000);
  readonly orthographic = new THREE.OrthographicCamera(-1, 1, 1, -1, -1000, 1000);
  isOrthographic = false;
  /** The sphere of fit() is still seen whole: nobody has come nearer or gone aside. */
  isFitted = false;
  /** Called when the view has changed. */
  onChange: () => void = () => undefined;
  /** A drag that begins on a body may be somebody else's; true: it is. */
  claimDrag: (event: PointerEvent) => boolean = () => false;

  private target = new THREE.Vector3();
  private distance = 5;
  private radius = 1; // m, of what is to be seen
  private turn = 0.6; // rad, about the upward axis
  private tilt = 0.35; // rad, above the horizontal plane
  private aspect = 1;
  private up = new THREE.Vector3(0, 0, 1);
  private east = new THREE.Vector3(1, 0, 0);
  private north = new THREE.Vector3(0, 1, 0);
  private readonly held = new Map<number, { x: number; y: number }>();

  constructor(private readonly element: HTMLElement) {
    element.addEventListener("pointerdown", (event) => this.press(event));
    element.addEventListener("pointermove", (event) => this.move(event));
    for (const name of ["pointerup", "pointercancel"] as const) {
      element.addEventListener(name, (event) => this.held.delete(event.pointerId));
    }
    element.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    element.addEventListener("contextmenu", (event) => event.preventDefault());
  }

  get camera(): THREE.Camera {
    return this.isOrthographic ? this.orthographic : this.perspective;
  }
  /** m, about what a pixel shows near the target. */
  get metresPerPixel(): number {
    const height = 2 * this.distance * Math.tan((this.perspective.fov * Math.PI) / 360);
    return height / Math.max(1, this.element.clientHeight);
  }

  /** m, of the sphere of fit() */
  get fittedRadius(): number {
    return this.radius;
  }

  setUp(up: THREE.Vector3): void {
    this.up.copy(up);
    // The horizontal axis that comes first in the order x, y, z is to the right.
    this.east.set(Math.abs(up.x) > 0.5 ? 0 : 1, Math.abs(up.x) > 0.5 ? 1 : 0, 0);
    this.north.crossVectors(this.up, this.east);
  }
  setAspect(aspect: number): void {
    this.aspect = aspect;
    if (this.isFitted) this.fit(this.target.clone(), this.radius);
    else this.update();
  }
  /** Shows a sphere whole. */
  fit(centre: THREE.Vector3, radius: number): void {
    this.target.copy(centre);
    this.radius = Math.max(radius, 1e-9);
    const half = (this.perspective.fov * Math.PI) / 360;
    const narrow = Math.atan(Math.tan(half) * Math.min(1, this.aspect));
    this.distance = (1.08 * this.radius) / Math.sin(narrow);
    this.isFitted = true;
    this.update();
  }
  /** rad; the direction from which one looks: `turn` 0 is from the south. */
  lookFrom(turn: number, tilt: number): void {
    this.turn = turn;
    this.tilt = Math.max(-STEEPEST, Math.min(STEEPEST, tilt));
    this.update();
  }
  /** Looks along a direction of the ground. */
  lookAlong(direction: THREE.Vector3, tilt: number): void {
    const e = direction.dot(this.east);
    const n = direction.dot(this.north);
    const steep = Math.asin(Math.max(-1, Math.min(1, -direction.dot(this.up))));
    this.lookFrom(Math.hypot(e, n) > 1e-6 ? Math.atan2(-e, n) : 0, Math.abs(steep) > 1 ? steep : tilt);
  }
  rotate(turn: number, tilt: number): void {
    this.lookFrom(this.turn + turn, this.tilt + tilt);
  }
  zoom(factor: number): void {
    this.isFitted = false;
    this.distance = Math.max(1e-3 * this.radius, Math.min(200 * this.radius, this.distance * factor));
    this.update();
  }
  pan(right: number, upward: number): void {
    this.isFitted = false;
    const m = this.camera.matrixWorld;
    this.target.addScaledVector(new THREE.Vector3().setFromMatrixColumn(m, 0), right * this.metresPerPixel);
    this.target.addScaledVector(new THREE.Vector3().setFromMatrixColumn(m, 1), upward * this.metresPerPixel);
    this.update();
  }
  /** Moves the camera, which looks in the same direction. */
  shift(by: THREE.Vector3): void {
    if (by.length() === 0) return;
    this.target.add(by);
    this.update();
  }
  setOrthographic(wanted: boolean): void {
    this.isOrthographic = wanted;
    this.update();
  }

  private update(): void {
    const flat = Math.cos(this.tilt);
    const from = this.up.clone().multiplyScalar(Math.sin(this.tilt));
    from.addScaledVector(this.east, flat * Math.sin(this.turn));
    from.addScaledVector(this.north, -flat * Math.cos(this.turn));
    for (const camera of [this.perspective, this.orthographic]) {
      camera.position.copy(this.target).addScaledVector(from, this.distance);
      camera.up.copy(this.up);
      camera.lookAt(this.target);
      camera.updateMatrixWorld();
    }
    this.perspective.aspect = this.aspect;
    this.perspective.near = Math.max(0.005 * this.distance, this.distance - 50 * this.radius);
    this.perspective.far = this.distance + 60 * this.radius;
    const half = this.distance * Math.tan((this.perspective.fov * Math.PI) / 360);
    const o = this.orthographic;
    [o.left, o.right, o.top, o.bottom] = [-half * this.aspect, half * this.aspect, half, -half];
    [o.near, o.far] = [-50 * this.radius, this.distance + 60 * this.radius];
    this.perspective.updateProjectionMatrix();
    this.orthographic.updateProjectionMatrix();
    this.onChange();
  }

  private press(event: PointerEvent): void {
    if (this.held.size === 0 && this.claimDrag(event)) return;
    this.held.set(event.pointerId, { x: event.clientX, y: event.clientY });
    this.element.setPointerCapture(event.pointerId);
  }
  private move(event: PointerEvent): void {
    const last = this.held.get(event.pointerId);
    if (!last) return;
    const [dx, dy] = [event.clientX - last.x, event.clientY - last.y];
    const others = [...this.held].filter(([id]) => id !== event.pointerId).map(([, place]) => place);
    if (others.length > 0) {
      const before = Math.hypot(last.x - others[0].x, last.y - others[0].y);
      const now = Math.hypot(event.clientX - others[0].x, event.clientY - others[0].y);
      if (now > 0) this.zoom(before / now);
      this.pan(-dx / 2, dy / 2);
    } else if (event.buttons & 6 || event.shiftKey) {
      this.pan(-dx, dy);
    } else {
      this.rotate(-TURN * dx, TURN * dy);
    }
    this.held.set(event.pointerId, { x: event.clientX, y: event.clientY });
  }
  private wheel(event: WheelEvent): void {
    event.preventDefault();
    this.zoom(Math.exp(0.0012 * Math.max(-200, Math.min(200, event.deltaY))));
  }
}
