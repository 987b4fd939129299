// A spring between a body and the pointer, which pulls while a live run goes on.
import * as THREE from "three";
import { find } from "./dom";
import { Drawing } from "./drawing";

const NEAR = 60; // CSS pixels: a body in motion is hard to hit

export class Pulling {
  private readonly line = new THREE.Line(new THREE.BufferGeometry(), new THREE.LineBasicMaterial({ depthTest: false }));

  constructor(private readonly drawing: Drawing, private readonly send: (message: Record<string, unknown>) => void) {
    this.line.frustumCulled = false;
    this.line.renderOrder = 4;
    (this.line.material as THREE.LineBasicMaterial).color.set("#d0453b").convertSRGBToLinear();
  }

  begin(event: PointerEvent): void {
    const { drawing } = this;
    const { body, point } = drawing.pickNear(event.offsetX, event.offsetY, NEAR);
    if (body < 1) return;
    const local = drawing.groups[body].worldToLocal(point.clone());
    const canvas = find<HTMLCanvasElement>("canvas");
    canvas.setPointerCapture(event.pointerId);
    const depth = point.clone().project(drawing.orbit.camera).z;
    const target = point.clone();
    const show = (): void => {
      const held = drawing.groups[body].localToWorld(local.clone());
      const ends = new Float32Array([held.x, held.y, held.z, target.x, target.y, target.z]);
      this.line.geometry.setAttribute("position", new THREE.BufferAttribute(ends, 3));
    };
    const move = (e: PointerEvent): void => {
      target.set((2 * e.offsetX) / canvas.clientWidth - 1, 1 - (2 * e.offsetY) / canvas.clientHeight, depth).unproject(drawing.orbit.camera);
      this.send({ type: "pull", body, point: [local.x, local.y, local.z], target: [target.x, target.y, target.z] });
      drawing.invalidate();
    };
    const end = (): void => {
      canvas.removeEventListener("pointermove", move);
      for (const name of ["pointerup", "pointercancel"] as const) canvas.removeEventListener(name, end);
      drawing.setOverlay(undefined);
      this.send({ type: "pull" });
    };
    canvas.addEventListener("pointermove", move);
    for (const name of ["pointerup", "pointercancel"] as const) canvas.addEventListener(name, end);
    drawing.setOverlay(this.line, show);
  }
}
