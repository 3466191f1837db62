// The compiler's escape report while the reader types: after a pause, lines with something that the compiler sends to
// the heap get a mark in the margin. Nothing is measured, and nobody waits for it: an edit or a check cancels it. In the
// page's engine the solution is built for that, and a check of the same text begins with its tests.

import type { CodeEditor, FileMarks, LineMark } from "../code-editor.ts";
import { el } from "../dom.ts";
import { childOf } from "../engine/abort.ts";
import type { Files } from "../files.ts";
import type { ExerciseData, TestsData } from "../go/exercise.ts";
import type { Diagnostic } from "../go/runner.ts";
import { byLine } from "../grouped.ts";
import type { RunnerChoice } from "../runner.ts";
import { fetchFiles } from "./data.ts";

/** How long the reader pauses before a report is asked for. */
const PAUSE_MS = 1000;

/** A runner that takes longer than this is busy with other work. It is not asked again until the next check. */
const LONGEST_MS = 3000;

export class TypingReport {
  readonly #runner: RunnerChoice;
  readonly #editor: CodeEditor;
  readonly #exercise: string;
  readonly #tests: TestsData;
  /** The files of the package that the reader does not edit, but for the tests. */
  #rest: Promise<Files> | null = null;
  #pausing: ReturnType<typeof setTimeout> | undefined;
  #asking = new AbortController();
  /** Whether the server has refused a report, or was not there. It is not asked again. */
  #refused = false;
  /** Whether a report took too long since the last check. */
  #tooSlow = false;
  /** Whether the margin has marks of a report. */
  #shown = false;

  /** The data's tests name the files that the reader does not edit. */
  constructor(runner: RunnerChoice, editor: CodeEditor, { exercise, tests }: ExerciseData) {
    this.#runner = runner;
    this.#editor = editor;
    this.#exercise = exercise;
    this.#tests = tests;
  }

  /** Begins a pause anew. measured are the marks of the last check if it was of this text, and null otherwise. */
  edited(measured: Record<string, FileMarks> | null): void {
    this.#cancel();
    if (!measured) this.#pausing = setTimeout(() => void this.#ask(), PAUSE_MS);
    else if (this.#shown) {
      this.#shown = false;
      this.#editor.mark(measured);
    }
  }

  /** Makes way for a check, whose marks replace the report's. */
  checking(): void {
    this.#cancel();
    this.#tooSlow = false;
    this.#shown = false;
  }

  #cancel(): void {
    clearTimeout(this.#pausing);
    this.#asking.abort(new Error("the text has changed"));
  }

  async #ask(): Promise<void> {
    if (this.#tooSlow) return;
    const { signal } = (this.#asking = new AbortController());
    const limited = childOf(signal);
    const limit = setTimeout(() => {
      this.#tooSlow = true;
      limited.abort(new Error("it takes too long"));
    }, LONGEST_MS);
    try {
      const files = this.#editor.files();
      const escapes = await this.#escapes(files, limited.signal);
      // Most texts do not compile while somebody writes them. The marks before then stay, on their lines.
      if (!escapes || signal.aborted) return;
      this.#editor.mark(marksOf(escapes, Object.keys(files)));
      this.#shown = true;
    } catch {
      // The reader has not asked for it. Files that could not be fetched may come the next time.
      this.#rest = null;
    } finally {
      clearTimeout(limit);
      limited.abort();
    }
  }

  /** Returns the report on files; null if they do not compile, or if it would take a download, a start, or a wait. */
  async #escapes(files: Files, signal: AbortSignal): Promise<Diagnostic[] | null> {
    const server = this.#refused ? null : this.#runner.expected();
    if (!server) {
      const built = await this.#runner.build({ kind: "check", exercise: this.#exercise, files }, signal);
      return built && built.errors.length === 0 ? built.escapes : null;
    }
    const rest = await (this.#rest ??= this.#fetchRest());
    const outcome = await server.escape(programOf({ ...rest, ...files }), {
      signal,
      onBusy: () => (this.#refused = true),
    });
    if (outcome.kind === "ok") return outcome.value.errors === "" ? outcome.value.escapes : null;
    this.#refused ||= outcome.kind !== "canceled";
    return null;
  }

  /** Fetches the files of the package that the reader does not edit. Most exercises have none. */
  async #fetchRest(): Promise<Files> {
    const isTest = (name: string) => name.endsWith("_test.go");
    if (this.#tests.files.every(isTest)) return {};
    const all = Object.entries((await fetchFiles(this.#tests.href))?.files ?? {});
    return Object.fromEntries(all.filter(([name]) => !isTest(name)));
  }
}

/** Returns a package as a program of the same lines. A report needs no main function. */
export function programOf(files: Files): string {
  const parts = Object.entries(files).map(([name, text]) => {
    const program = text.replace(/^package[ \t]+\w+/m, "package main");
    return `-- ${name} --\n${program}${program.endsWith("\n") ? "" : "\n"}`;
  });
  return parts.join("");
}

/** A constant that escapes is in the program's read-only data. */
const CONSTANT = /^(?:"|`|'|-?\d|true |false |nil )/;

/** Returns the marks of a report for each of the named files. */
export function marksOf(escapes: readonly Diagnostic[], names: readonly string[]): Record<string, FileMarks> {
  const heap = escapes.filter(
    ({ kind, message }) => kind === "moved" || (kind === "escape" && !CONSTANT.test(message)),
  );
  return Object.fromEntries(
    names.map((name) => {
      const lines = [...byLine(heap.filter((e) => e.file === name))].map(([line, here]) => markOf(line, here));
      return [name, { lines, errors: [] }];
    }),
  );
}

function markOf(line: number, here: readonly Diagnostic[]): LineMark {
  const messages = [...new Set(here.map((e) => e.message))];
  return {
    line,
    kind: "said",
    label: "?×",
    name: `Line ${line}, not measured: the compiler says ${messages.join("; ")}`,
    describe: () =>
      el(
        "div",
        { class: "ots-said-body" },
        ...messages.map((message) => el("p", {}, el("code", {}, message))),
        el("p", { class: "ots-note" }, "The compiler says so of the text as it is. Not measured: Check counts."),
      ),
  };
}
