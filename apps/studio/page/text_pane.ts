// The text of the model with its line numbers, and the faults at their lines.
import { Fault } from "./connection";
import { make } from "./dom";

export class TextPane {
  readonly element: HTMLElement;
  onEdit: (text: string) => void = () => undefined;
  /** Each letter; onEdit follows when the typing rests. */
  onLetter: (text: string) => void = () => undefined;
  private readonly area = make("textarea", {
    id: "text", spellcheck: "false", autocapitalize: "off", wrap: "off", "aria-label": "Text of the model (YAML)",
    title: "Tab indents; Esc and then Tab leaves the text",
  });
  private readonly lines = make("div", { class: "lines", "aria-hidden": "true" });
  private readonly list = make("ul", { class: "faults", "aria-label": "Faults", "aria-live": "polite" });
  private expectsAnother = false;
  private base = ""; // the text of the server from which what is typed began
  private waiting: number | undefined;
  private faultLines = new Map<number, string>();
  private isCrlf = false; // the text's lines end as those of Windows do

  constructor() {
    this.element = make("div", { class: "pane" }, make("div", { class: "text" }, this.lines, this.area), this.list);
    this.area.addEventListener("input", () => {
      this.number();
      this.onLetter(this.text);
      this.flushSoon();
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
  private flushSoon(): void {
    window.clearTimeout(this.waiting);
    this.waiting = window.setTimeout(() => this.flush(), 250);
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
    this.isCrlf = given.includes("\r\n");
    const text = given.replace(/\r\n/g, "\n"); // as the area has it
    if (!keepText && this.waiting === undefined) this.show(text, (place) => place);
    else if (!keepText && text !== this.base) this.join(text);
    if (!keepText) this.base = text;
    this.faultLines = new Map(faults.filter((fault) => fault.line > 0).map((fault) => [fault.line, fault.text]));
    this.number();
    this.list.hidden = faults.length === 0;
    this.list.replaceChildren(...faults.map((fault) => make("li", {}, make("button", {
      onclick: () => this.goTo(fault.line, fault.column),
    }, `${fault.line > 0 ? `line ${fault.line}: ` : ""}${fault.path ? `${fault.path}: ` : ""}${fault.text}`))));
  }
  private show(text: string, moved: (place: number) => number): void {
    if (this.area.value === text) return;
    const [start, end, top] = [this.area.selectionStart, this.area.selectionEnd, this.area.scrollTop];
    this.area.value = text;
    this.area.setSelectionRange(Math.min(moved(start), text.length), Math.min(moved(end), text.length));
    this.area.scrollTop = top;
  }
  /** What is being typed goes into the text of another change; where both changed the same place, what is typed stays. */
  private join(theirs: string): void {
    const [own, other] = [changeOf(this.base, this.area.value), changeOf(this.base, theirs)];
    if (own.end > other.start && own.start < other.end) return;
    const shift = own.start >= other.end ? other.text.length - (other.end - other.start) : 0;
    const joined = theirs.slice(0, own.start + shift) + own.text + theirs.slice(own.end + shift);
    this.show(joined, (place) => place + (place >= own.start ? shift : 0));
  }
  get text(): string {
    return this.isCrlf ? this.area.value.replace(/\n/g, "\r\n") : this.area.value;
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

/** The one part of a text that differs in another one, and what stands there in that. */
function changeOf(from: string, to: string): { start: number; end: number; text: string } {
  const most = Math.min(from.length, to.length);
  let start = 0, rest = 0;
  while (start < most && from[start] === to[start]) ++start;
  while (rest < most - start && from[from.length - 1 - rest] === to[to.length - 1 - rest]) ++rest;
  return { start, end: from.length - rest, text: to.slice(start, to.length - rest) };
}
