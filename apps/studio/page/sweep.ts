// A sweep: the choice of a run, its values, and a column over the runs.
import { find, make, short } from "./dom";
import { Column } from "./message";
import { PlotPanel, unitText } from "./plot";

export interface SweepMessage {
  type: "sweep";
  name: string;
  axes: { path: string; values: string[] }[];
  columns: Column[];
  status: number[];
}
export interface MembersMessage {
  type: "members";
  column: string;
  values: (number | null)[];
}

const STATUS = ["not computed", "complete", "failed"];

export class SweepPane {
  private readonly selects: HTMLSelectElement[];
  private readonly state = make("p", { class: "hint", role: "status" });
  private readonly axis = make("select", { id: "sweep-axis", "aria-label": "Axis of the plot" });
  private readonly column = make("select", { id: "sweep-column", "aria-label": "Column over the runs" });
  private readonly plot = make("div", { id: "sweep-plot" });
  private readonly index: number[];
  private panel: PlotPanel | undefined;
  private members: MembersMessage | undefined;

  constructor(page: HTMLElement, private readonly sweep: SweepMessage, private readonly send: (message: Record<string, unknown>) => void) {
    const first = Math.max(0, sweep.status.indexOf(1));
    this.index = this.indexOf(first);
    this.selects = sweep.axes.map((axis, k) => {
      const select = make("select", { "aria-label": axis.path, id: `sweep-axis-${k}` },
        ...axis.values.map((value, i) => make("option", { value: i }, label(value))));
      select.addEventListener("change", () => this.choose(k, Number(select.value)));
      return select;
    });
    this.axis.append(...sweep.axes.map((axis, k) => make("option", { value: k }, axis.path)));
    this.axis.addEventListener("change", () => this.draw());
    this.column.append(...sweep.columns.filter(({ name }) => name !== "t").map(({ name }) => make("option", { value: name }, name)));
    this.column.addEventListener("change", () => this.ask());
    const field = (text: string, control: HTMLElement): HTMLElement => make("label", { class: "field" }, make("span", {}, text), control);
    page.replaceChildren(make("h3", {}, "Run of the sweep"), ...sweep.axes.map((axis, k) => field(axis.path, this.selects[k])), this.state,
      make("h3", {}, "Over the runs"), field("Last value of", this.column), ...(sweep.axes.length > 1 ? [field("Over", this.axis)] : []), this.plot,
      make("p", { class: "hint" }, "A click into the plot shows that run."));
    this.showChoice();
    const usual = sweep.columns.find(({ name }) => /\.q(\[0\])?$/.test(name));
    if (usual) this.column.value = usual.name;
    this.ask();
    new ResizeObserver(() => this.drawNow()).observe(find("pages"));
  }

  take(message: MembersMessage): void {
    this.members = message;
    this.draw();
  }
  /** After the page has become visible. */
  drawNow(): void {
    if (!this.panel || this.plot.offsetParent === null) return;
    const k = Number(this.axis.value);
    this.panel.draw(this.xOf(k)[this.index[k]], this.index[k]);
  }

  private get run(): number {
    return this.sweep.axes.reduce((run, axis, k) => run * axis.values.length + this.index[k], 0);
  }
  private indexOf(run: number): number[] {
    const index: number[] = [];
    for (let k = this.sweep.axes.length; k-- > 0; run = Math.floor(run / this.sweep.axes[k].values.length)) {
      index[k] = run % this.sweep.axes[k].values.length;
    }
    return index;
  }
  private choose(axis: number, value: number): void {
    if (this.index[axis] === value) return;
    this.index[axis] = value;
    this.showChoice();
    this.send({ type: "member", run: this.run });
    this.draw();
  }
  private showChoice(): void {
    this.selects.forEach((select, k) => (select.value = String(this.index[k])));
    this.state.textContent = `Run ${this.run + 1} of ${this.sweep.status.length}, ${STATUS[this.sweep.status[this.run]]} in the file. ` +
      "Its motion is computed again.";
  }
  private ask(): void {
    this.send({ type: "members", column: this.column.value });
  }
  /** Values of an axis; places, if they are not numbers. */
  private xOf(k: number): Float64Array {
    const numbers = this.sweep.axes[k].values.map(Number);
    return Float64Array.from(numbers.every(Number.isFinite) ? numbers : numbers.map((_, i) => i + 1));
  }
  /** The column along one axis, the others as chosen. */
  private draw(): void {
    if (!this.members) return;
    const k = Number(this.axis.value);
    const { column, values } = this.members;
    const x = this.xOf(k);
    const own = [...this.index];
    const curve = Float64Array.from(x, (_, i) => {
      own[k] = i;
      const run = this.sweep.axes.reduce((sum, axis, j) => sum * axis.values.length + own[j], 0);
      return values[run] ?? NaN;
    });
    const unit = this.sweep.columns.find(({ name }) => name === column)?.unit ?? "";
    const options = { title: column, unit, curves: [{ name: column, values: curve }] };
    this.panel = new PlotPanel(options, x, this.sweep.axes[k].path, (at) => this.choose(k, nearest(x, at)));
    this.plot.replaceChildren(this.panel.element);
    this.plot.setAttribute("aria-label", `${column} ${unitText(unit)} over ${this.sweep.axes[k].path}`);
    this.drawNow();
  }
}

function nearest(x: Float64Array, at: number): number {
  return x.reduce((best, value, i) => (Math.abs(value - at) < Math.abs(x[best] - at) ? i : best), 0);
}
function label(value: string): string {
  const number = Number(value);
  return Number.isFinite(number) ? short(number, 6) : value;
}
