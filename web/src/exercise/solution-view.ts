// The view of a solution: the difference from the reader's own code to it, the whole of it, and likely mistakes.

import { diffArrays } from "diff";
import { adoptStyle, el, inlineCode } from "../dom.ts";
import type { Files } from "../files.ts";
import type { Mistake, SolutionData } from "../go/exercise.ts";
import { fromRoot } from "../site-root.ts";
import { codeLines } from "./code-lines.ts";

/** One line of a difference; "skip" stands for lines that are the same and left out. */
export interface DiffLine {
  kind: "same" | "gone" | "new" | "skip";
  text: string;
}

/** How many unchanged lines are shown around a change. */
const CONTEXT = 3;

/** Returns the difference between two Go files, line by line. Comments and blank lines make none, and are left out. */
export function difference(mine: string, theirs: string): DiffLine[] {
  const changes = diffArrays(codeLines(mine), codeLines(theirs), { comparator: (a, b) => a.code === b.code });
  const all = changes.flatMap(({ value, added, removed }) =>
    value.map(({ text }): DiffLine => ({ kind: added ? "new" : removed ? "gone" : "same", text })),
  );
  const near = all.map((_, i) => all.slice(Math.max(0, i - CONTEXT), i + CONTEXT + 1).some((l) => l.kind !== "same"));
  const shown: DiffLine[] = [];
  all.forEach((line, i) => {
    if (near[i]) shown.push(line);
    else if (shown.at(-1)?.kind !== "skip") shown.push({ kind: "skip", text: "" });
  });
  return shown;
}

/** Returns the lines of a unified diff. */
export function linesOf(unified: string): DiffLine[] {
  return unified
    .replace(/\n$/, "")
    .split("\n")
    .map((line) => {
      const kind = { "-": "gone", "+": "new", "@": "skip" }[line.charAt(0)] as DiffLine["kind"] | undefined;
      return { kind: kind ?? "same", text: kind === "skip" ? "" : line.slice(1) };
    });
}

/** Set by the build. */
declare const SOLUTION_STYLE: string;

/** Returns the view of an exercise's solution and of the reader's own files. */
export function solutionView(exercise: string, { files, mistakes }: SolutionData, mine: Files): HTMLElement[] {
  adoptStyle(SOLUTION_STYLE);
  const parts = Object.entries(files).flatMap(([file, text]) => [
    el("p", { class: "ots-solution-file" }, el("code", {}, file)),
    fileDifference(file, mine[file] ?? "", text),
    el(
      "details",
      { class: "ots-more" },
      el("summary", {}, "The whole file"),
      el("pre", { tabindex: 0 }, el("code", {}, text)),
    ),
  ]);
  return [
    el("p", { class: "ots-headline" }, "One solution, compared with yours"),
    el(
      "p",
      { class: "ots-lead" },
      "Lines marked − are yours, lines marked + are the solution's. The whole file has its comments, which say why.",
    ),
    ...parts,
    ...(mistakes.length === 0 ? [] : [mistakeList(exercise, mistakes)]),
  ];
}

function fileDifference(file: string, mine: string, text: string): HTMLElement {
  const lines = difference(mine, text);
  if (lines.some(({ kind }) => kind === "gone" || kind === "new")) {
    return diffView(lines, `From your ${file} to the solution`);
  }
  const apart = mine === text ? "" : ", apart from comments and blank lines";
  return el("p", {}, `Your code is identical to the solution${apart}.`);
}

function mistakeList(exercise: string, mistakes: readonly Mistake[]): HTMLElement {
  return el(
    "div",
    { class: "ots-mistakes" },
    el("p", { class: "ots-headline" }, "Likely mistakes"),
    ...mistakes.map((m) =>
      el(
        "details",
        { class: "ots-more" },
        el("summary", {}, ...inlineCode(m.title)),
        el("p", {}, ...inlineCode(m.why)),
        diffView(linesOf(m.diff), `The change: ${m.title}`),
        el("p", {}, ...inlineCode(m.say)),
        el("p", {}, el("a", { href: fromRoot(`/exercises/${exercise}/?try=${m.name}`) }, "Open in the editor")),
      ),
    ),
  );
}

const SIGN = { same: " ", gone: "−", new: "+", skip: "⋯" };
const SPOKEN = { gone: "yours: ", new: "the solution's: " };

function diffView(lines: readonly DiffLine[], label: string): HTMLElement {
  return el(
    "pre",
    { class: "ots-diff", tabindex: 0, role: "region", "aria-label": label },
    ...lines.map(({ kind, text }) =>
      el(
        "span",
        { class: `ots-diff-line is-${kind}` },
        el("span", { class: "ots-diff-sign", "aria-hidden": "true" }, SIGN[kind]),
        (kind === "gone" || kind === "new") && el("span", { class: "ots-unseen" }, SPOKEN[kind]),
        el("code", {}, `${text}\n`),
      ),
    ),
  );
}
