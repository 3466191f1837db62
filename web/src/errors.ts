// What the go command says of a text, and where the page shows it.

import type { ErrorMark, LineMark } from "./code-editor.ts";
import { button, el } from "./dom.ts";
import { byLine } from "./grouped.ts";

/** One thing that the go command says. Lines and columns count from 1; line 0: of no line in particular. */
export interface Finding {
  /** As the go command names it, without "./"; "" where it names none. */
  file: string;
  line: number;
  col: number;
  message: string;
}

/**
 * Reads lines such as "./prog.go:3:1: expected declaration"; a line without a position counts as line 0.
 * Lines that begin with a tab go on with the finding above them.
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
  /** The name of the only file, which need not be told. */
  only: string;
  /** Leads to a finding in the editor; null where there is no editor. */
  goTo: ((at: Finding) => void) | null;
}

/** The findings as a list. Their lines lead into the editor, where there is one. */
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
        const place = f.file === "" || f.file === only ? String(f.line) : `${f.file}:${f.line}`;
        if (!goTo) return el("li", {}, el("span", { class: "ots-at" }, place), " ", message);
        const b = button("ots-at", () => goTo(f), place);
        b.setAttribute("aria-label", place === String(f.line) ? `line ${f.line}` : `${f.file} line ${f.line}`);
        return el("li", {}, b, " ", message);
      }),
    ),
  );
}

/** One mark for each line with errors, and one for each with what is no error but doubtful. */
export function errorMarks(errors: readonly ErrorMark[]): LineMark[] {
  return [...byLine(errors.filter((e) => e.line > 0))].map(([line, here]) => {
    const messages = here.map((e) => e.message);
    const vet = here.every((e) => e.severity === "warning");
    return {
      line,
      kind: vet ? "vet" : "error",
      label: vet ? "vet" : "!",
      name: `Line ${line}: ${vet ? "go vet" : "error"}: ${messages.join("; ")}`,
      describe: () => el("div", { class: "ots-tip-body" }, ...messages.map((m) => el("p", { class: "ots-message" }, m))),
    };
  });
}
