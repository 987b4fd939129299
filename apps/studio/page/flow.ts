// Values of a model as YAML in one line, read and written. A scalar stays the text that it is, with its quotes.

export type FlowMap = Map<string, Flow>;
export type Flow = string | Flow[] | FlowMap;

/** A text in quotes where YAML would read it as something else, or end it. */
export function quoted(value: string): string {
  if (/^[[{"']/.test(value)) return value;
  return /[,[\]{}]|:(\s|$)|\s#|^[*&!|>%@`#]|^[-?](\s|$)/.test(value) ? JSON.stringify(value) : value;
}
function unquoted(text: string): string {
  if (/^".*"$/.test(text)) {
    try {
      return JSON.parse(text) as string;
    } catch {
      return text;
    }
  }
  return /^'.*'$/.test(text) ? text.slice(1, -1).replace(/''/g, "'") : text;
}

class Reader {
  private at = 0;

  constructor(private readonly text: string) {}

  /** Throws Error where brackets or quotes are not closed. */
  whole(): Flow {
    const value = this.value(false);
    this.skip();
    if (this.at < this.text.length) throw new Error("text after the value");
    return value;
  }

  private skip(): void {
    while (/\s/.test(this.text[this.at] ?? "")) ++this.at;
  }
  private value(isInside: boolean): Flow {
    this.skip();
    const first = this.text[this.at];
    if (first === "[") return this.list();
    if (first === "{") return this.map();
    if (first === '"' || first === "'") return this.quotedScalar(first);
    return this.plain(isInside ? /[,\]}]/ : /$^/);
  }
  private list(): Flow[] {
    const items: Flow[] = [];
    for (++this.at; ; ++this.at) {
      this.skip();
      if (this.text[this.at] !== "]") items.push(this.value(true));
      if (this.isEnd("]")) return items;
    }
  }
  private map(): FlowMap {
    const map: FlowMap = new Map();
    for (++this.at; ; ++this.at) {
      this.skip();
      if (this.text[this.at] !== "}") {
        const quote = this.text[this.at];
        const key = quote === '"' || quote === "'" ? this.quotedScalar(quote) : this.plain(/[:}]/);
        this.skip();
        if (this.text[this.at++] !== ":") throw new Error("a key without a colon");
        map.set(unquoted(key), this.value(true));
      }
      if (this.isEnd("}")) return map;
    }
  }
  /** After an item: true at the end of the list; at a comma false. */
  private isEnd(close: string): boolean {
    this.skip();
    const mark = this.text[this.at];
    if (mark !== close && mark !== ",") throw new Error("brackets are not closed");
    if (mark === close) ++this.at;
    return mark === close;
  }
  private quotedScalar(quote: string): string {
    const start = this.at;
    for (++this.at; this.at < this.text.length; ++this.at) {
      if (this.text[this.at] === "\\" && quote === '"') ++this.at;
      else if (this.text[this.at] === quote) return this.text.slice(start, ++this.at);
    }
    throw new Error("quotes are not closed");
  }
  /** A comma between parentheses belongs to an expression. */
  private plain(end: RegExp): string {
    const start = this.at;
    let depth = 0;
    for (; this.at < this.text.length; ++this.at) {
      const c = this.text[this.at];
      if (depth === 0 && end.test(c)) break;
      if (c === "(") ++depth;
      if (c === ")") --depth;
    }
    return this.text.slice(start, this.at).trim();
  }
}

/** What cannot be read stays as it is; the server then tells what is wrong. */
export function readFlow(text: string): Flow {
  try {
    return new Reader(text.trim()).whole();
  } catch {
    return text;
  }
}
export function flowText(value: Flow): string {
  if (typeof value === "string") return quoted(value);
  if (Array.isArray(value)) return `[${value.map(flowText).join(", ")}]`;
  return `{${[...value].map(([key, one]) => `${/^[\w.]+$/.test(key) ? key : JSON.stringify(key)}: ${flowText(one)}`).join(", ")}}`;
}
/** As a person reads it: a scalar without quotes. */
export function shownText(value: Flow | undefined): string {
  if (value === undefined) return "";
  return typeof value === "string" ? unquoted(value) : flowText(value);
}

/** The least changes that make one value from another: new texts by paths, empty for keys that go. */
export function differences(before: Flow | undefined, after: Flow | undefined, path = "", found: Record<string, string> = {}): Record<string, string> {
  const [was, is] = [before === undefined ? "" : flowText(before), after === undefined ? "" : flowText(after)];
  if (was === is) return found;
  const keysOf = (map: Flow | undefined): string[] | undefined => {
    const keys = map instanceof Map ? [...map.keys()] : undefined;
    return keys && (keys.length > 0 || path === "") && keys.every((key) => /^\w+$/.test(key)) ? keys : undefined;
  };
  const [old, now] = [keysOf(before), keysOf(after)];
  if (old && now) {
    const [a, b] = [before as FlowMap, after as FlowMap];
    for (const key of new Set([...old, ...now])) differences(a.get(key), b.get(key), path ? `${path}.${key}` : key, found);
  } else if (Array.isArray(before) && Array.isArray(after) && before.length === after.length && after.every((one) => one instanceof Map)) {
    after.forEach((one, i) => differences(before[i], one, `${path}[${i}]`, found));
  } else {
    found[path] = is;
  }
  return found;
}
