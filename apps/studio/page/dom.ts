// Elements of the page, made and found.

export function find<T extends HTMLElement>(id: string): T {
  const element = document.getElementById(id);
  if (!element) throw new Error(`the page has no element ${id}`);
  return element as T;
}

type Attributes = Record<string, string | number | boolean | ((event: Event) => void)>;

/** make("button", {class: "flat", onclick: f}, "Text", child) */
export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K, attributes: Attributes = {}, ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name.replace(/^on/, ""), value);
    else if (typeof value === "boolean") element.toggleAttribute(name, value);
    else element.setAttribute(name, String(value));
  }
  element.append(...children);
  return element;
}

/** A number as a person would write it, with at most `digits` significant digits. */
export function short(x: number, digits = 5): string {
  if (!Number.isFinite(x)) return String(x);
  if (x === 0) return "0";
  const size = Math.abs(x);
  if (size >= 1e6 || size < 1e-4) {
    return x.toExponential(digits - 1).replace(/\.?0+e/, "e").replace("e+", "e").replace(/-/g, "\u2212");
  }
  return String(Number(x.toPrecision(digits))).replace("-", "\u2212");
}
