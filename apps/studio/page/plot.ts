// Curves over the time, a panel for each unit, with a cursor at the present instant.
import { niceStep } from "./drawing";
import { make, short } from "./dom";
import { Motion, Scene } from "./message";

const CURVES = ["#3f7fbf", "#e08a2e", "#4ea36b", "#c75450", "#8a6bb8", "#3aa6a6", "#c0699f", "#9a8f3c"];
const LEFT = 62; // CSS pixels, for the numbers of the vertical axis
const MOST_POINTS = 1600;

export interface Curve {
  name: string;
  values: Float64Array;
}
export interface PanelOptions {
  title: string;
  unit: string;
  curves: Curve[];
  /** Called to remove a curve; without it curves stay. */
  onRemove?: (name: string) => void;
  isLogarithmic?: boolean;
}

/** One panel: a legend with the present values, and a canvas. */
export class PlotPanel {
  readonly element: HTMLElement;
  private readonly canvas = make("canvas", { class: "plot", role: "slider", tabindex: 0 });
  private readonly legend = make("ul", { class: "legend" });
  private readonly values: HTMLElement[] = [];
  private compared: { x: Float64Array; curves: Curve[] } | undefined;

  constructor(
    private readonly options: PanelOptions, private x: Float64Array, private readonly xName: string,
    onSeek: (x: number) => void,
  ) {
    const heading = make("h3", {}, options.title, ...(unitText(options.unit) ? [make("span", { class: "unit" }, unitText(options.unit))] : []));
    this.element = make("section", { class: "panel" }, heading, this.legend, this.canvas);
    this.canvas.setAttribute("aria-label", `${options.title}: ${options.curves.map((c) => c.name).join(", ")} over ${xName}`);
    options.curves.forEach((curve, i) => this.addEntry(curve, i));
    const longest = Math.max(...options.curves.map((curve) => this.labelOf(curve).length));
    this.legend.style.setProperty("--entry", `${Math.max(158, 7 * longest + 114)}px`);
    const seek = (event: PointerEvent): void => {
      const place = this.xAt(event.offsetX);
      if (place !== undefined) onSeek(place);
    };
    this.canvas.addEventListener("pointerdown", (event) => {
      this.canvas.setPointerCapture(event.pointerId);
      seek(event);
    });
    this.canvas.addEventListener("pointermove", (event) => {
      if (event.buttons & 1) seek(event);
    });
  }

  setData(x: Float64Array, values: (name: string) => Float64Array): void {
    this.x = x;
    for (const curve of this.options.curves) curve.values = values(curve.name);
  }
  compare(x: Float64Array, curves: Curve[]): void {
    this.compared = { x, curves };
  }

  draw(now: number, row: number): void {
    const box = this.canvas.getBoundingClientRect();
    if (box.width < 10) return;
    const ratio = window.devicePixelRatio || 1;
    const [width, height] = [Math.round(box.width), Math.round(box.height)];
    if (this.canvas.width !== Math.round(width * ratio) || this.canvas.height !== Math.round(height * ratio)) {
      this.canvas.width = Math.round(width * ratio);
      this.canvas.height = Math.round(height * ratio);
    }
    const c = this.canvas.getContext("2d");
    if (!c) return;
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    c.clearRect(0, 0, width, height);
    const area = { left: LEFT, right: width - 10, top: 8, bottom: height - 22 };
    const style = getComputedStyle(document.documentElement);
    const ink = style.getPropertyValue("--faint").trim();
    const line = style.getPropertyValue("--line").trim();
    c.font = `${window.innerWidth > 1900 ? 13 : 11}px ${style.getPropertyValue("--font").trim() || "sans-serif"}`;
    const [x0, x1] = this.xRange();
    const [y0, y1] = this.yRange();
    const px = (x: number): number => area.left + ((x - x0) / (x1 - x0)) * (area.right - area.left);
    const py = (y: number): number => area.bottom - ((y - y0) / (y1 - y0)) * (area.bottom - area.top);
    this.drawAxes(c, area, [x0, x1], [y0, y1], px, py, ink, line);
    c.save();
    c.beginPath();
    c.rect(area.left - 4, area.top - 4, area.right - area.left + 8, area.bottom - area.top + 8); // dots at the edge
    c.clip();
    if (this.compared) {
      c.globalAlpha = 0.45;
      c.setLineDash([5, 4]);
      const { x, curves } = this.compared;
      curves.forEach((curve, i) => this.drawCurve(c, x, curve.values, CURVES[i % CURVES.length], px, py));
      c.setLineDash([]);
      c.globalAlpha = 1;
    }
    this.options.curves.forEach((curve, i) => this.drawCurve(c, this.x, curve.values, CURVES[i % CURVES.length], px, py));
    this.drawCursor(c, area, now, row, px, py, style.getPropertyValue("--ink").trim());
    c.restore();
    this.options.curves.forEach((curve, i) => {
      const value = curve.values[row];
      this.values[i].textContent = value === undefined ? "" : short(value, 4);
    });
    this.tellInstant([x0, x1], now);
  }
  /** To screen readers, for which the plot is a slider of the time. */
  private tellInstant([x0, x1]: [number, number], now: number): void {
    const values = this.options.curves.map(({ name }, i) => `${name} ${this.values[i].textContent ?? ""}`);
    const told = { valuemin: x0, valuemax: x1, valuenow: now, valuetext: `${short(now, 4)}: ${values.join(", ")}` };
    for (const [key, value] of Object.entries(told)) this.canvas.setAttribute(`aria-${key}`, String(value));
  }

  private addEntry(curve: Curve, i: number): void {
    const value = make("span", { class: "value" });
    this.values.push(value);
    const label = this.labelOf(curve);
    const swatch = make("span", { class: "swatch", style: `background:${CURVES[i % CURVES.length]}` });
    const entry = make("li", {}, swatch, make("span", { class: "name", title: curve.name }, make("bdi", {}, label)), value);
    const { onRemove } = this.options;
    if (onRemove) {
      entry.append(make("button", {
        class: "remove", "aria-label": `Remove ${curve.name} from the plot`, title: "Remove", onclick: () => onRemove(curve.name),
      }, "×"));
    }
    this.legend.append(entry);
  }
  private labelOf({ name }: Curve): string {
    return this.options.curves.every((curve) => curve.name.startsWith("energy.")) ? name.slice("energy.".length) : name;
  }
  private xAt(offset: number): number | undefined {
    const width = this.canvas.clientWidth - 10 - LEFT;
    if (width <= 0 || this.x.length === 0) return undefined;
    const [x0, x1] = this.xRange();
    return x0 + Math.max(0, Math.min(1, (offset - LEFT) / width)) * (x1 - x0);
  }
  private xRange(): [number, number] {
    const first = this.x[0] ?? 0;
    const last = this.x[this.x.length - 1] ?? 1;
    return last > first ? [first, last] : [first - 0.5, first + 0.5];
  }
  private yOf(value: number): number {
    return this.options.isLogarithmic ? Math.log10(Math.max(Math.abs(value), 1e-300)) : value;
  }
  private yRange(): [number, number] {
    let [low, high] = [Infinity, -Infinity];
    const lists = [...this.options.curves, ...(this.compared?.curves ?? [])];
    for (const { values } of lists) {
      for (const value of values) {
        if (!Number.isFinite(value) || (this.options.isLogarithmic && value === 0)) continue;
        const y = this.yOf(value);
        if (y < low) low = y;
        if (y > high) high = y;
      }
    }
    if (low > high) return [-1, 1];
    const spread = high - low;
    const isConstant = !(spread > 1e-12 * Math.max(Math.abs(low), Math.abs(high)));
    const margin = isConstant ? 0.5 * Math.abs(high) || 1 : 0.06 * spread;
    return [low - margin, high + margin];
  }
  private drawAxes(
    c: CanvasRenderingContext2D, area: { left: number; right: number; top: number; bottom: number },
    [x0, x1]: [number, number], [y0, y1]: [number, number],
    px: (x: number) => number, py: (y: number) => number, ink: string, line: string,
  ): void {
    c.strokeStyle = line;
    c.fillStyle = ink;
    c.lineWidth = 1;
    c.textAlign = "center";
    c.textBaseline = "top";
    const dx = niceStep((x1 - x0) / Math.max(2, Math.floor((area.right - area.left) / 70)));
    let lastEnd = -Infinity;
    for (let k = Math.ceil(x0 / dx); k * dx <= x1 + 1e-9 * dx; ++k) {
      const x = px(k * dx);
      const text = short(k * dx, 6);
      const half = c.measureText(text).width / 2;
      c.beginPath();
      c.moveTo(Math.round(x) + 0.5, area.top);
      c.lineTo(Math.round(x) + 0.5, area.bottom);
      c.stroke();
      const middle = Math.min(x, area.right + 8 - half);
      if (middle - half < lastEnd + 8) continue;
      c.fillText(text, middle, area.bottom + 6);
      lastEnd = middle + half;
    }
    c.textAlign = "right";
    const name = this.xName === "t" ? "s" : this.xName;
    if (lastEnd + 8 < area.right + 8 - c.measureText(name).width) c.fillText(name, area.right + 8, area.bottom + 6);
    c.textBaseline = "middle";
    let dy = niceStep((y1 - y0) / Math.max(2, Math.floor((area.bottom - area.top) / 26)));
    if (this.options.isLogarithmic) dy = Math.max(1, Math.round(dy));
    const largest = Math.max(Math.abs(y0), Math.abs(y1));
    for (let k = Math.ceil(y0 / dy); k * dy <= y1; ++k) {
      const y = Math.round(py(k * dy)) + 0.5;
      c.beginPath();
      c.moveTo(area.left, y);
      c.lineTo(area.right, y);
      c.stroke();
      const text = this.options.isLogarithmic ? `1e${k * dy}` : tickText(k * dy, dy, largest);
      c.fillText(text.replace(/-/g, "\u2212"), area.left - 6, Math.max(area.top + 4, Math.min(area.bottom - 3, y)));
    }
  }
  /** Of very many rows, the least and the greatest value of each pixel. */
  private drawCurve(
    c: CanvasRenderingContext2D, x: Float64Array, values: Float64Array, colour: string,
    px: (x: number) => number, py: (y: number) => number,
  ): void {
    c.strokeStyle = c.fillStyle = colour;
    c.lineWidth = 1.6;
    c.lineJoin = "round";
    c.beginPath();
    const count = Math.min(x.length, values.length);
    const step = Math.max(1, Math.floor(count / MOST_POINTS));
    let isDown = false;
    const point = (i: number): void => {
      const y = this.yOf(values[i]);
      if (!Number.isFinite(y)) {
        isDown = false;
        return;
      }
      if (isDown) c.lineTo(px(x[i]), py(y));
      else c.moveTo(px(x[i]), py(y));
      isDown = true;
    };
    for (let i = 0; i < count; i += step) {
      if (step === 1) {
        point(i);
        continue;
      }
      let [low, high] = [i, i];
      for (let k = i; k < Math.min(count, i + step); ++k) {
        if (values[k] < values[low]) low = k;
        if (values[k] > values[high]) high = k;
      }
      point(Math.min(low, high));
      if (low !== high) point(Math.max(low, high));
    }
    c.stroke();
    if (count < 24) {
      for (let i = 0; i < count; ++i) {
        c.beginPath();
        c.arc(px(x[i]), py(this.yOf(values[i])), 2.6, 0, 2 * Math.PI);
        c.fill();
      }
    }
  }
  private drawCursor(
    c: CanvasRenderingContext2D, area: { top: number; bottom: number }, now: number, row: number,
    px: (x: number) => number, py: (y: number) => number, ink: string,
  ): void {
    const x = px(now);
    c.strokeStyle = ink;
    c.lineWidth = 1;
    c.globalAlpha = 0.55;
    c.beginPath();
    c.moveTo(x, area.top);
    c.lineTo(x, area.bottom);
    c.stroke();
    c.globalAlpha = 1;
    this.options.curves.forEach((curve, i) => {
      const value = curve.values[row];
      if (value === undefined || !Number.isFinite(value)) return;
      c.fillStyle = CURVES[i % CURVES.length];
      c.beginPath();
      c.arc(x, py(this.yOf(value)), 3.2, 0, 2 * Math.PI);
      c.fill();
    });
  }
}

/** The number at a tick of an axis that reaches to `largest`: exactly as many digits as the step needs. */
export function tickText(value: number, step: number, largest: number): string {
  const powerOf = (x: number): number => Math.floor(Math.log10(x) + 1e-9);
  if (largest < 1e5 && step >= 1e-4) return value.toFixed(Math.max(0, -powerOf(step)));
  if (Math.abs(value) < 0.5 * step) return "0";
  return value.toExponential(Math.max(0, powerOf(Math.abs(value)) - powerOf(step))).replace("e+", "e");
}

const POWERS: Record<string, string> = { "2": "²", "3": "³", "-1": "⁻¹" };
export function unitText(unit: string): string {
  if (!unit || unit === "1") return "";
  return unit.replace(/\^(-?\d)/g, (_, power: string) => POWERS[power] ?? `^${power}`).replace(/\*| (?=\S)/g, " ");
}

const MOST_USUAL = 6; // coordinates

/** What a person would look at first: coordinates that vary, rather those of joints than of the nodes of beams. */
export function usualColumns(motion: Motion, scene: Scene): string[] {
  if (motion.x === "mode") return ["frequency", "damping_ratio"].filter((name) => motion.has(name));
  const range = (name: string): number => {
    let [low, high] = [Infinity, -Infinity];
    for (const value of motion.column(name) ?? []) {
      if (value < low) low = value;
      if (value > high) high = value;
    }
    return Math.max(0, high - low);
  };
  const names = motion.columns.map((column) => column.name);
  const coordinates = [...names.filter((name) => /\.q$/.test(name)), ...names.filter((name) => /\.q\[\d+\]$/.test(name))];
  const largest = new Map<string, number>(); // range by unit
  const ranges = new Map(coordinates.map((name) => [name, range(name)]));
  ranges.forEach((size, name) => largest.set(motion.unit(name), Math.max(size, largest.get(motion.unit(name)) ?? 0)));
  const varies = (name: string): boolean => (ranges.get(name) ?? 0) > 1e-7 * (largest.get(motion.unit(name)) ?? 0);
  const varying = motion.rows < 2 ? coordinates : coordinates.filter(varies);
  const isOfBeam = new Map(scene.joints.map(({ name, child }) => [name, scene.bodies[child].beam !== ""]));
  const kindOf = (name: string): boolean | undefined => isOfBeam.get(name.replace(/\.q(\[\d+\])?$/, ""));
  const chosen = varying.filter((name) => kindOf(name) === false).slice(0, MOST_USUAL);
  let nodes = varying.filter(kindOf);
  if (nodes.length === 0) nodes = varying.filter((name) => kindOf(name) === undefined); // amplitudes of modes
  const room = Math.min(nodes.length, MOST_USUAL - chosen.length);
  for (let i = 0; i < room; ++i) chosen.push(nodes[room > 1 ? Math.round((i * (nodes.length - 1)) / (room - 1)) : nodes.length - 1]);
  const energies = ["energy.kinetic", "energy.potential", "energy.total"].filter((name) => motion.has(name));
  return [...chosen, ...energies];
}
