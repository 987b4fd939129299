// The text of the model with its line numbers, and the faults at their lines.
import { Fault } from "./connection";
import { make } from "./dom";

const REST = 250, LONGEST_WAIT = 1500; // ms, between letters and until they are sent

export class TextPane {
  readonly element: HTMLElement;
  onEdit: (text: string) => void = () => undefined;
  /** Each letter; onEdit follows when the typing rests. */
  onLetter: (text: string) => void = () => undefined;
  /** A line ends: what follows is another step of undo. */
  onLine: () => void = () => undefined;
  /** What was typed has undone another change. */
  onConflict: () => void = () => undefined;
  private readonly area = make("textarea", {
    id: "text", spellcheck: "false", autocapitalize: "off", wrap: "off", "aria-label": "Text of the model (YAML)",
    title: "Tab indents; Esc and then Tab leaves the text",
  });
  private readonly lines = make("div", { class: "lines", "aria-hidden": "true" });
  private readonly list = make("ul", { class: "faults", "aria-label": "Faults", "aria-live": "polite" });
  private expectsAnother = false;
  private base = ""; // the text of the server from which what is typed began
  private given = ""; // the last text of the server
  private waiting: number | undefined;
  private since = 0; // ms: when the first of the letters was typed that wait
  private faultLines = new Map<number, string>();
  private breaks: string[] = []; // the ends of its lines, which the area does not keep

  constructor() {
    this.element = make("div", { class: "pane" }, make("div", { class: "text" }, this.lines, this.area), this.list);
    this.area.addEventListener("input", (event) => {
      this.number();
      this.flushSoon();
      this.onLetter(this.text);
      if ((event as InputEvent).inputType !== "insertLineBreak") return;
      this.flush();
      this.onLine();
    });
    this.area.addEventListener("scroll", () => (this.lines.scrollTop = this.area.scrollTop));
    let leaves = false; // Escape, then Tab: to the next control
    this.area.addEventListener("keydown", (event) => {
      if (event.key !== "Tab" || event.shiftKey || leaves) {
        leaves = event.key === "Escape";
        return;
      }
      event.preventDefault();
      document.execCommand("insertText", false, "  ");
    });
  }

  /** Whether a change of the text is under way that the area does not have yet. */
  setExpecting(wanted: boolean): void {
    if (this.isOlder && !wanted) this.flushSoon();
    this.expectsAnother = wanted;
  }
  isIn(target: EventTarget | null): boolean {
    return target === this.area;
  }
  /** When the typing rests, or goes on for long. */
  private flushSoon(): void {
    const now = performance.now();
    if (this.waiting === undefined) this.since = now;
    window.clearTimeout(this.waiting);
    this.waiting = window.setTimeout(() => this.flush(), Math.max(0, Math.min(REST, this.since + LONGEST_WAIT - now)));
  }
  /** Whether something was typed into a text that another change, which is under way, has left behind. */
  get isOlder(): boolean {
    return this.waiting !== undefined && this.expectsAnother;
  }
  /** Sends what was typed last, if it has not been sent yet. */
  flush(): void {
    if (this.waiting === undefined || this.isOlder) return;
    window.clearTimeout(this.waiting);
    this.waiting = undefined;
    this.base = this.area.value;
    this.onEdit(this.text);
  }
  /** `keepText`: newer text is on its way to the server. */
  set(given: string, faults: Fault[], keepText: boolean): void {
    const text = this.take(given);
    if (!keepText && this.waiting === undefined) this.show(text, movedBy(changeOf(this.area.value, text)));
    else if (!keepText && text !== this.base) this.join(this.base, text);
    if (!keepText) this.base = text;
    this.faultLines = new Map(faults.filter((fault) => fault.line > 0).map((fault) => [fault.line, fault.text]));
    this.number();
    this.list.hidden = faults.length === 0;
    this.list.replaceChildren(...faults.map((fault) => make("li", {}, make("button", {
      onclick: () => this.goTo(fault.line, fault.column),
    }, `${fault.line > 0 ? `line ${fault.line}: ` : ""}${fault.path ? `${fault.path}: ` : ""}${fault.text}`))));
  }
  /** A text that the server does not take, since another change came before it, goes into that change's text. */
  takeInto(given: string): void {
    const before = this.given, text = this.take(given);
    window.clearTimeout(this.waiting);
    this.waiting = undefined;
    if (text !== before) this.join(before, text);
    this.base = this.area.value;
  }
  private show(text: string, moved: (place: number) => number): void {
    if (this.area.value === text) return;
    const [start, end, top] = [this.area.selectionStart, this.area.selectionEnd, this.area.scrollTop];
    this.area.value = text;
    this.area.setSelectionRange(Math.min(moved(start), text.length), Math.min(moved(end), text.length));
    this.area.scrollTop = top;
  }
  /** The other change goes into what is being typed; where both changed the same place, what is typed stays. */
  private join(base: string, theirs: string): void {
    const own = changesOf(base, this.area.value).map((one) => ({ ...one, letters: narrowed(base, one) }));
    let isWhole = true;
    for (const lines of changesOf(base, theirs).reverse()) {
      const other = narrowed(base, lines), mine = this.area.value;
      const isFree = own.every((one) => one.end <= lines.start || one.start >= lines.end || areApart(base, one.letters, other));
      const moved = own.filter(({ letters }) => letters.end <= other.start)
        .reduce((sum, { letters: { start, end, text } }) => sum + text.length - (end - start), 0);
      const start = isFree ? other.start + moved : placeOf(base, other, mine);
      isWhole &&= start !== undefined;
      if (start === undefined) continue;
      const length = other.end - other.start;
      this.show(mine.slice(0, start) + other.text + mine.slice(start + length), movedBy({ start, end: start + length, text: other.text }));
    }
    if (!isWhole) this.onConflict();
  }
  get text(): string {
    const { breaks } = this, [end = "\n"] = breaks;
    if (breaks.every((one) => one === end)) return this.area.value.replace(/\n/g, end);
    const count = (end: string): number => breaks.filter((one) => one === end).length;
    const usual = ["\n", "\r\n", "\r"].reduce((a, b) => (count(b) > count(a) ? b : a));
    let [all, at, line] = ["", 0, 0];
    const add = (text: string): void => {
      all += text.replace(/\n/g, () => breaks[line++] ?? usual);
    };
    for (const { start, end: stop, text } of changesOf(this.given, this.area.value)) {
      add(this.given.slice(at, start));
      const next = line + (this.given.slice(start, stop).match(/\n/g) ?? []).length;
      all += text.replace(/\n/g, () => (line < next ? breaks[line++] : usual));
      [at, line] = [stop, next];
    }
    add(this.given.slice(at));
    return all;
  }
  /** Takes a text of the server; returns it as the area has it. */
  private take(given: string): string {
    this.breaks = given.match(/\r\n|\n|\r/g) ?? [];
    return (this.given = given.replace(/\r\n|\r/g, "\n"));
  }
  setReadOnly(wanted: boolean): void {
    this.area.readOnly = wanted;
  }
  goTo(line: number, column: number): void {
    if (line < 1) return;
    const rows = this.area.value.split("\n");
    const start = rows.slice(0, line - 1).reduce((sum, row) => sum + row.length + 1, 0) + Math.max(0, column - 1);
    this.area.focus();
    this.area.setSelectionRange(start, start);
    const height = this.area.scrollHeight / Math.max(1, rows.length);
    this.area.scrollTop = Math.max(0, (line - 6) * height);
  }

  private number(): void {
    const count = this.area.value.split("\n").length;
    this.lines.replaceChildren(...Array.from({ length: count }, (_, i) => {
      const fault = this.faultLines.get(i + 1);
      return make("div", fault ? { class: "fault", title: fault } : {}, String(i + 1));
    }));
    this.lines.scrollTop = this.area.scrollTop;
  }
}

/** A part of a text, and what takes its place. */
interface Change {
  start: number;
  end: number;
  text: string;
}

/** Where a part of a text is in another one, by the letters around it; undefined: there is no such place, or more than one. */
function placeOf(from: string, part: { start: number; end: number }, to: string): number | undefined {
  for (const reach of [80, 40, 20, 10]) {
    const first = Math.max(0, part.start - reach);
    const around = from.slice(first, part.end + reach);
    const place = to.indexOf(around);
    if (place >= 0 && to.indexOf(around, place + 1) < 0) return place + part.start - first;
  }
  return undefined;
}
const MOST_COMPARED = 4e6; // lines times lines

/** The letters of changed lines that differ. */
function narrowed(from: string, { start, end, text }: Change): Change {
  const letters = changeOf(from.slice(start, end), text);
  return { start: start + letters.start, end: start + letters.end, text: letters.text };
}
/** Where a place of a text is after a change. */
function movedBy({ start, end, text }: Change): (place: number) => number {
  return (place) => (place >= end ? place + text.length - (end - start) : Math.min(place, start + text.length));
}
/** Whether changes of one line are of different words or numbers. */
function areApart(base: string, a: Change, b: Change): boolean {
  const [first, second] = a.end <= b.start ? [a, b] : [b, a];
  return first.end <= second.start && /[^\w.]/.test(base.slice(first.end, second.start));
}
/** The parts of a text that differ in another one, from the first to the last: lines between lines that stay. */
function changesOf(from: string, to: string): Change[] {
  const [a, b] = [from, to].map((text) => text.split(/(?<=\n)/));
  let first = 0;
  while (first < Math.min(a.length, b.length) && a[first] === b[first]) ++first;
  const width = b.length - first + 1;
  if ((a.length - first) * width > MOST_COMPARED) return [changeOf(from, to)];
  // The longest common sequence of lines from i in one text and k in the other.
  const longest = new Uint16Array((a.length - first + 1) * width);
  const place = (i: number, k: number): number => (i - first) * width + k - first;
  for (let i = a.length - 1; i >= first; --i) {
    for (let k = b.length - 1; k >= first; --k) {
      longest[place(i, k)] = a[i] === b[k] ? longest[place(i + 1, k + 1)] + 1 : Math.max(longest[place(i + 1, k)], longest[place(i, k + 1)]);
    }
  }
  const changes: Change[] = [];
  let [i, k, at] = [first, first, a.slice(0, first).join("").length];
  while (i < a.length || k < b.length) {
    if (i < a.length && k < b.length && a[i] === b[k]) {
      at += a[i++].length;
      ++k;
      continue;
    }
    const change = { start: at, end: at, text: "" };
    while ((i < a.length || k < b.length) && !(i < a.length && k < b.length && a[i] === b[k])) {
      if (k >= b.length || (i < a.length && longest[place(i + 1, k)] >= longest[place(i, k + 1)])) change.end += a[i++].length;
      else change.text += b[k++];
    }
    at = change.end;
    changes.push(change);
  }
  return changes;
}
/** The one part of a text that differs in another one, and what stands there in that. */
function changeOf(from: string, to: string): Change {
  const most = Math.min(from.length, to.length);
  let start = 0, rest = 0;
  while (start < most && from[start] === to[start]) ++start;
  while (rest < most - start && from[from.length - 1 - rest] === to[to.length - 1 - rest]) ++rest;
  return { start, end: from.length - rest, text: to.slice(start, to.length - rest) };
}
