// Errors and warnings of the go command: parses them, and makes their list and the marks in the editor.

import type { ErrorMark, LineMark } from "./code-editor.ts";
import { button, el } from "./dom.ts";
import { byLine } from "./grouped.ts";

/** An error or a warning of the go command. Lines and columns count from 1; line 0 is no line in particular. */
export interface Finding {
  /** The name that the go command prints, without "./"; "" if it prints none. */
  file: string;
  line: number;
  col: number;
  message: string;
}

/**
 * Parses lines such as "./prog.go:3:1: expected declaration". A message without a position has line 0. A line that
 * begins with a tab continues the message above.
 */
export function readFindings(text: string): Finding[] {
  const findings: Finding[] = [];
  for (const line of text.split("\n")) {
    if (line.trim() === "") continue;
    const above = findings.at(-1);
    if (line.startsWith("\t") && above) {
      above.message += `\n${line.trim()}`;
      continue;
    }
    const at = /^(?:vet: )?(?:\.\/)?([^:\s]*):(\d+)(?::(\d+))?:\s*(.*)$/.exec(line);
    findings.push(
      at
        ? { file: at[1] ?? "", line: Number(at[2]), col: Number(at[3] ?? 0), message: at[4] ?? "" }
        : { file: "", line: 0, col: 0, message: line },
    );
  }
  return findings;
}

export interface NoticeOptions {
  kind: "error" | "vet";
  headline: string;
  findings: readonly Finding[];
  /** The file whose name is omitted from positions, because it is the program's main or only file. */
  only: string;
  /** Shows a finding in the editor; null if there is no editor. */
  goTo: ((at: Finding) => void) | null;
}

/** Returns the findings as a list. If there is an editor, their positions are buttons that lead there. */
export function findingsNotice({ kind, headline, findings, only, goTo }: NoticeOptions): HTMLElement {
  return el(
    "div",
    { class: `ots-notice ${kind === "error" ? "is-problem" : "is-vet"}` },
    el("p", { class: "ots-headline" }, headline),
    el(
      "ol",
      { class: "ots-errors" },
      ...findings.map((f) => {
        const message = el("span", { class: "ots-message" }, f.message);
        if (f.line === 0) return el("li", {}, message);
        const position = f.file === "" || f.file === only ? String(f.line) : `${f.file}:${f.line}`;
        if (!goTo) return el("li", {}, el("span", { class: "ots-at" }, position), " ", message);
        const b = button("ots-at", () => goTo(f), position);
        if (position === String(f.line)) b.setAttribute("aria-label", `line ${f.line}`);
        return el("li", {}, b, " ", message);
      }),
    ),
  );
}

/** Returns one mark for each line with errors or warnings. */
export function errorMarks(errors: readonly ErrorMark[]): LineMark[] {
  return [...byLine(errors.filter((e) => e.line > 0))].map(([line, here]) => {
    const messages = here.map((e) => e.message);
    const vet = here.every((e) => e.severity === "warning");
    return {
      line,
      kind: vet ? "vet" : "error",
      label: vet ? "vet" : "!",
      name: `Line ${line}: ${vet ? "go vet" : "error"}: ${messages.join("; ")}`,
      describe: () =>
        el("div", { class: "ots-tip-body" }, ...messages.map((m) => el("p", { class: "ots-message" }, m))),
    };
  });
}
