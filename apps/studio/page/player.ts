// The present instant of a motion, and its playback.
import { Motion } from "./message";

/** The last of the increasing values that is not greater than `at`; 0 if there is none. */
export function rowAt(x: Float64Array, at: number): number {
  let [low, high] = [0, x.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (x[middle] <= at) low = middle;
    else high = middle - 1;
  }
  return Math.max(0, low);
}
/** The rows on both sides of an instant, and how far it is from the first to the second, 0 to 1. */
export function framesAt(x: Float64Array, at: number): [number, number, number] {
  const row = rowAt(x, at);
  const next = Math.min(row + 1, x.length - 1);
  const length = x[next] - x[row];
  return [row, next, length > 0 ? Math.max(0, Math.min(1, (at - x[row]) / length)) : 0];
}

export class Player {
  /** Called when the instant has changed. */
  onChange: () => void = () => undefined;
  onState: () => void = () => undefined;
  isPlaying = false;
  loops = true;
  speed = 1; // seconds of the motion in a second
  /** Of modes: which one is shown. */
  mode = 0;
  private at = 0; // s, or of modes periods
  private last = 0;
  private motion: Motion | undefined;

  setMotion(motion: Motion, keepTime = false): void {
    this.motion = motion;
    this.mode = Math.min(this.mode, Math.max(0, motion.rows - 1));
    this.at = keepTime ? Math.max(this.start, Math.min(this.end, this.at)) : this.start;
    this.onChange();
  }
  get areModes(): boolean {
    return (this.motion?.framesPerMode ?? 0) > 0;
  }
  private get x(): Float64Array {
    return this.motion?.column(this.motion.x) ?? new Float64Array();
  }
  get start(): number {
    return this.areModes ? 0 : this.x[0] ?? 0;
  }
  get end(): number {
    return this.areModes ? 1 : this.x[this.x.length - 1] ?? 0;
  }
  get now(): number {
    return this.at;
  }
  /** s, of the row that is shown. */
  get rowTime(): number {
    return this.x[this.row] ?? 0;
  }
  /** The last row that is not later than now. */
  get row(): number {
    return this.areModes ? this.mode : rowAt(this.x, this.at);
  }
  /** The frames on both sides of now, and how far it is from the first to the second, 0 to 1. */
  get frames(): [number, number, number] {
    if (!this.motion) return [0, 0, 0];
    if (this.areModes) {
      const count = this.motion.framesPerMode;
      const place = (((this.at % 1) + 1) % 1) * count;
      const first = Math.floor(place) % count;
      return [this.mode * count + first, this.mode * count + ((first + 1) % count), place - Math.floor(place)];
    }
    return framesAt(this.x, this.at);
  }

  seek(at: number): void {
    this.at = this.areModes ? at : Math.max(this.start, Math.min(this.end, at));
    this.onChange();
  }
  seekRow(row: number): void {
    if (this.areModes) {
      this.mode = Math.max(0, Math.min((this.motion?.rows ?? 1) - 1, row));
      this.onChange();
    } else {
      this.seek(this.x[Math.max(0, Math.min(this.x.length - 1, row))] ?? 0);
    }
  }
  toggle(): void {
    if (this.isPlaying) this.pause();
    else this.play();
  }
  play(): void {
    if (this.isPlaying) return;
    if (!this.areModes && this.at >= this.end) this.at = this.start;
    this.isPlaying = true;
    this.last = performance.now();
    this.onState();
    requestAnimationFrame((time) => this.tick(time));
  }
  pause(): void {
    this.isPlaying = false;
    this.onState();
  }

  private tick(time: number): void {
    if (!this.isPlaying) return;
    const passed = Math.max(0, Math.min(0.25, (time - this.last) / 1000));
    this.last = time;
    let at = this.at + passed * this.speed * (this.areModes ? 0.5 : this.pace);
    if (!this.areModes && at >= this.end) {
      if (this.loops && this.end > this.start) at = this.start + ((at - this.start) % (this.end - this.start));
      else {
        at = this.end;
        this.pause();
      }
    }
    this.seek(at);
    if (this.isPlaying) requestAnimationFrame((next) => this.tick(next));
  }
  /** Of a motion over the load, which has no time: through all of it in five seconds. */
  private get pace(): number {
    return this.motion?.x === "t" ? 1 : (this.end - this.start) / 5;
  }
}
