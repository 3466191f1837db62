// Draws a value as what it is in memory: a pointer, the words of a slice, a struct's fields.

import { el } from "../dom.ts";
import type { MemoryValue, PointerTarget } from "../go/step.ts";

/** The names of what pointers lead to, by id: "#3" for an object, "x of main" for a variable. */
export type Names = ReadonlyMap<number, string>;

/** Draws a value. */
export function drawValue(value: MemoryValue, names: Names): Node {
  switch (value.kind) {
    case "basic":
      return text(value.text);
    case "pointer":
      return pointer(value.to, names);
    case "string":
      return value.to && value.to.id > 0
        ? words(["ptr", pointer(value.to, names)], ["len", String(value.len)], ["bytes", quoted(value)])
        : text(quoted(value));
    case "slice":
      if (value.nil) return faint("nil slice");
      return words(["ptr", pointer(value.to, names)], ["len", String(value.len)], ["cap", String(value.cap)]);
    case "map":
      if (value.nil) return faint("nil map");
      return words(["ptr", pointer(value.to, names)], ["entries", String(value.len)]);
    case "chan":
      if (value.nil) return faint("nil channel");
      return words(["ptr", pointer(value.to, names)], ["len", String(value.len)], ["cap", String(value.cap)]);
    case "func":
      if (value.nil) return faint("nil func");
      if (value.to && value.to.id > 0) return pointer(value.to, names);
      return text(`func ${value.text.replace(/^main\./, "")}`);
    case "interface": {
      if (value.nil) return words(["type", "nil"], ["data", "nil"]);
      const [held] = value.elems;
      return words(["type", value.type], ["data", held ? drawValue(held, names) : pointer(value.to, names)]);
    }
    case "struct":
      if (value.elems.length === 0) return faint("no fields");
      return fields(value.elems.map((elem, i) => [value.names[i] ?? "", drawValue(elem, names)]));
    case "array":
      return array(value, names);
    case "entries":
      return entries(value, names);
    case "closure":
      return fields(
        value.captures.map((to, i) => {
          const by = value.by[i];
          const how = by === "value" || by === "reference" ? `, captured by ${by}` : "";
          return [value.names[i] ?? "captures", el("span", {}, pointer(to, names), how)];
        }),
      );
  }
  return faint("not read");
}

function text(value: string): HTMLElement {
  return el("code", {}, value);
}

function faint(value: string): HTMLElement {
  return el("span", { class: "ots-mem-faint" }, value);
}

function quoted({ text, len }: MemoryValue): string {
  // A string's length is in bytes, of which the document may have only the first.
  const whole = new TextEncoder().encode(text).length >= len;
  return JSON.stringify(text) + (whole ? "" : "…");
}

/** Draws a pointer: a label with the name of what it leads to. arrows.ts draws an arrow from it. */
function pointer(to: PointerTarget | undefined, names: Names): HTMLElement {
  if (!to) return faint("nil");
  if (to.id === 0) return faint("→ static data");
  const offset = to.offset ? `+${to.offset} B` : "";
  return el("span", { class: "ots-pointer", "data-to": to.id }, `→ ${names.get(to.id) ?? `#${to.id}`}${offset}`);
}

/** Draws the words of a value beside each other, each with its name. */
function words(...parts: [string, string | Node][]): HTMLElement {
  return el(
    "span",
    { class: "ots-words" },
    ...parts.map(([name, value]) =>
      el("span", { class: "ots-word" }, el("small", {}, `${name} `), typeof value === "string" ? text(value) : value),
    ),
  );
}

/** Draws fields below each other. */
function fields(parts: [string, Node][]): HTMLElement {
  return el(
    "span",
    { class: "ots-fields" },
    ...parts.map(([name, value]) => el("span", { class: "ots-field" }, el("small", {}, `${name} `), value)),
  );
}

function array({ elems, len }: MemoryValue, names: Names): HTMLElement {
  if (len === 0) return faint("no elements");
  const simple = elems.every((elem) => elem.kind === "basic");
  return el(
    "span",
    { class: simple ? "ots-cells" : "ots-fields" },
    ...elems.map((elem, i) =>
      simple
        ? el("span", { class: "ots-cell" }, text(elem.text))
        : el("span", { class: "ots-field" }, el("small", {}, `[${i}] `), drawValue(elem, names)),
    ),
    elems.length < len && faint(`… ${len} elements in all`),
  );
}

function entries({ elems, len }: MemoryValue, names: Names): HTMLElement {
  const parts: HTMLElement[] = [];
  for (let i = 0; i + 1 < elems.length; i += 2) {
    const key = drawValue(elems[i]!, names);
    parts.push(el("span", { class: "ots-field" }, key, ": ", drawValue(elems[i + 1]!, names)));
  }
  if (len === 0) return faint("no entries");
  return el("span", { class: "ots-fields" }, ...parts, parts.length < len && faint(`… ${len} entries in all`));
}
