// Shown after the pass: the difference from the reader's own code to the solution, the whole solution, and likely mistakes.

import { diffLines } from "diff";
import { button, el } from "../dom.ts";
import { fetchJSON } from "../fetch-json.ts";
import type { Files } from "../files.ts";
import { isFields } from "../verdict/schema.ts";
import { inlineCode } from "./hints.ts";

/** A likely mistake: a change to the starter that does not pass. */
export interface Mistake {
  name: string;
  title: string;
  why: string;
  say: string;
  /** A unified diff, from its first "@@" on. */
  diff: string;
}

export interface SolutionData {
  files: Files;
  mistakes: Mistake[];
}

/** Reads a solution that the book's build wrote; null if the JSON is something else. */
export function readSolution(json: unknown): SolutionData | null {
  if (!isFields(json) || !isFields(json["files"])) return null;
  const files = Object.entries(json["files"]).filter((f): f is [string, string] => typeof f[1] === "string");
  const mistakes = Array.isArray(json["mistakes"]) ? json["mistakes"].filter(isFields) : [];
  return {
    files: Object.fromEntries(files),
    mistakes: mistakes.map((m) => ({
      name: String(m["name"] ?? ""),
      title: String(m["title"] ?? ""),
      why: String(m["why"] ?? ""),
      say: String(m["say"] ?? ""),
      diff: String(m["diff"] ?? ""),
    })),
  };
}

/** One line of a difference; "skip" stands for lines that are the same and left out. */
export interface DiffLine {
  kind: "same" | "gone" | "new" | "skip";
  text: string;
}

/** How many unchanged lines are shown around a change. */
const CONTEXT = 3;

/** Returns the difference between two texts, line by line. */
export function difference(mine: string, theirs: string): DiffLine[] {
  const all = diffLines(mine, theirs).flatMap(({ value, added, removed }) =>
    value
      .replace(/\n$/, "")
      .split("\n")
      .map((text): DiffLine => ({ kind: added ? "new" : removed ? "gone" : "same", text })),
  );
  const near = all.map((_, i) => all.slice(Math.max(0, i - CONTEXT), i + CONTEXT + 1).some((l) => l.kind !== "same"));
  const kept: DiffLine[] = [];
  all.forEach((line, i) => {
    if (near[i]) kept.push(line);
    else if (kept.at(-1)?.kind !== "skip") kept.push({ kind: "skip", text: "" });
  });
  return kept;
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

/** Fetches the solution when it may be shown, and shows it. */
export class Solution {
  readonly root = el("section", { class: "ots-solution", "aria-label": "The solution", hidden: true });
  readonly #href: string;
  readonly #mine: () => Files;
  #data: Promise<SolutionData> | null = null;

  /** mine is the reader's code, as it is when the solution is shown. */
  constructor(href: string, mine: () => Files) {
    this.#href = href;
    this.#mine = mine;
  }

  /** Fetches and shows the solution. */
  async show(): Promise<void> {
    if (this.#href === "") return;
    this.root.hidden = false;
    this.#data ??= fetchJSON(this.#href).then((json) => {
      const data = readSolution(json);
      if (!data) throw new Error(`${this.#href} holds no solution`);
      return data;
    });
    try {
      this.#draw(await this.#data);
    } catch {
      // The next call tries again.
      this.#data = null;
      this.root.replaceChildren(
        el("p", { class: "ots-note" }, "The solution could not be fetched. ", button("ots-button", () => void this.show(), "Try again")),
      );
    }
  }

  #draw({ files, mistakes }: SolutionData): void {
    const mine = this.#mine();
    const parts = Object.entries(files).flatMap(([file, text]) => [
      el("p", { class: "ots-solution-file" }, el("code", {}, file)),
      mine[file] === text ? el("p", {}, "Yours is the solution, to the letter.") : diffView(difference(mine[file] ?? "", text), `From your ${file} to the solution`),
      el("details", { class: "ots-more" }, el("summary", {}, "The whole file"), el("pre", { tabindex: 0 }, el("code", {}, text))),
    ]);
    this.root.replaceChildren(
      el("p", { class: "ots-headline" }, "One solution, beside yours"),
      el("p", { class: "ots-lead" }, "Lines marked − are yours, lines marked + are the solution's. Its comments say why."),
      ...parts,
      ...(mistakes.length === 0 ? [] : [mistakeList(mistakes)]),
    );
  }
}

function mistakeList(mistakes: readonly Mistake[]): HTMLElement {
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
