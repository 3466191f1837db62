// What the go command says of a text that it does not take, and where the page shows it.

import type { ErrorMark, LineMark } from "./code-editor.ts";
import { button, el } from "./dom.ts";

/**
 * Reads lines such as "./prog.go:3:1: expected declaration"; a line without a position counts as line 0.
 * Lines that begin with a tab go on with the error above them.
 */
export function readErrors(text: string): ErrorMark[] {
  const errors: ErrorMark[] = [];
  for (const line of text.split("\n")) {
    if (line.trim() === "") continue;
    const above = errors.at(-1);
    if (line.startsWith("\t") && above) {
      above.message += `\n${line.trim()}`;
      continue;
    }
    const at = /^[^:\s]*:(\d+)(?::(\d+))?:\s*(.*)$/.exec(line);
    errors.push(at ? { line: Number(at[1]), col: Number(at[2] ?? 0), message: at[3] ?? "" } : { line: 0, col: 0, message: line });
  }
  return errors;
}

/** The errors as a list. Their lines lead into the editor, where there is one. */
export function errorNotice(
  headline: string,
  errors: readonly ErrorMark[],
  goTo: ((line: number, col: number) => void) | null,
): HTMLElement {
  return el(
    "div",
    { class: "ots-notice is-problem" },
    el("p", { class: "ots-headline" }, headline),
    el(
      "ol",
      { class: "ots-errors" },
      ...errors.map((e) => {
        const message = el("span", { class: "ots-message" }, e.message);
        if (e.line === 0) return el("li", {}, message);
        if (!goTo) return el("li", {}, el("span", { class: "ots-at" }, String(e.line)), " ", message);
        const b = button("ots-at", () => goTo(e.line, e.col), String(e.line));
        b.setAttribute("aria-label", `line ${e.line}`);
        return el("li", {}, b, " ", message);
      }),
    ),
  );
}

/** One mark for each line with errors. */
export function errorMarks(errors: readonly ErrorMark[]): LineMark[] {
  return [...byLine(errors.filter((e) => e.line > 0))].map(([line, here]) => {
    const messages = here.map((e) => e.message);
    return {
      line,
      kind: "error",
      label: "!",
      name: `Line ${line}: error: ${messages.join("; ")}`,
      describe: () => el("div", { class: "ots-tip-body" }, ...messages.map((m) => el("p", { class: "ots-message" }, m))),
    };
  });
}

/** Groups what is said by the lines that it is said of, in the order of their first item. */
export function byLine<T extends { line: number }>(items: readonly T[]): Map<number, T[]> {
  const lines = new Map<number, T[]>();
  for (const item of items) {
    const here = lines.get(item.line);
    if (here) here.push(item);
    else lines.set(item.line, [item]);
  }
  return lines;
}
