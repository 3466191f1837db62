// What gofmt says when it cannot format.

import { button, el } from "../dom.ts";
import type { ErrorMark } from "./code-editor.ts";

/** Reads lines such as "prog.go:3:1: expected declaration"; a line without a position counts as line 0. */
export function readFormatErrors(error: string): ErrorMark[] {
  return error
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => {
      const at = /^[^:\s]*:(\d+)(?::(\d+))?:\s*(.*)$/.exec(line);
      return at
        ? { line: Number(at[1]), col: Number(at[2] ?? 0), message: at[3] ?? "" }
        : { line: 0, col: 0, message: line };
    });
}

/** The errors as a list whose lines lead into the editor. */
export function formatNotice(
  file: string,
  errors: readonly ErrorMark[],
  goTo: (line: number, col: number) => void,
): HTMLElement {
  return el(
    "div",
    { class: "ots-notice is-problem" },
    el("p", { class: "ots-headline" }, `${file} cannot be formatted`),
    el(
      "ol",
      { class: "ots-errors" },
      ...errors.map((e) => {
        if (e.line === 0) return el("li", {}, el("span", { class: "ots-message" }, e.message));
        const b = button("ots-at", () => goTo(e.line, e.col), String(e.line));
        b.setAttribute("aria-label", `line ${e.line}`);
        return el("li", {}, b, " ", el("span", { class: "ots-message" }, e.message));
      }),
    ),
  );
}
