// The buttons that export and import the progress file.

import { button, el } from "../dom.ts";
import { FILE_NAME, MAX_BYTES, readAnswers, readProgress, writeProgress, WrongFile } from "./file.ts";
import type { Merged, ProgressStore } from "./progress-store.ts";

/** Returns the buttons and their status line. changed is called after an import. */
export function fileButtons(progress: ProgressStore, changed: () => void): HTMLElement[] {
  const status = el("p", { class: "ots-so-far-said", role: "status" });
  const say = (words: string, isProblem = false) => {
    status.textContent = words;
    status.classList.toggle("is-problem", isProblem);
  };
  const input = el("input", {
    type: "file",
    accept: ".json,application/json",
    "aria-label": "Progress file",
    hidden: true,
  });
  input.addEventListener("change", () => {
    const file = input.files?.[0];
    if (!file) return;
    void importFile(file, progress)
      .then(
        (words) => say(words),
        (e: unknown) => say(problem(file, e), true),
      )
      .then(() => {
        changed();
        // The browser reports a change also if the reader chooses the same file again.
        input.value = "";
      });
  });
  return [
    el(
      "div",
      { class: "ots-tools" },
      button("ots-button", () => say(exportFile(progress)), "Export"),
      button("ots-button", () => input.click(), "Import…"),
      input,
    ),
    status,
  ];
}

function exportFile(progress: ProgressStore): string {
  const exported = progress.progress(new Date());
  const answers = progress.answers();
  if (exported.size + answers.size === 0) return "There is nothing to export yet: no exercise has been checked here.";
  const file = new Blob([writeProgress(exported, answers)], { type: "application/json" });
  const href = URL.createObjectURL(file);
  el("a", { href, download: FILE_NAME }).click();
  // The URL must stay valid until the browser has begun to read it.
  setTimeout(() => URL.revokeObjectURL(href), 60_000);
  const given = answers.size === 0 ? "" : ` and ${answersGiven(answers.size)}`;
  return `${FILE_NAME} has ${exercises(exported.size)}${given}.`;
}

async function importFile(file: File, progress: ProgressStore): Promise<string> {
  if (file.size > MAX_BYTES) throw new WrongFile("it is larger than 1 MiB, and progress takes some kilobytes");
  const text = await file.text();
  const merged = progress.merge(readProgress(text), new Date(file.lastModified));
  const stored = progress.mergeAnswers(readAnswers(text)) && merged.stored;
  if (!stored) throw new WrongFile("this browser’s storage is full");
  return mergedWords(file.name, merged);
}

function mergedWords(name: string, { newlyPassed, unknown }: Merged): string {
  const words = [
    newlyPassed.length === 0
      ? `${name} is imported; no further exercise is passed.`
      : `${name} is imported: ${exercises(newlyPassed.length)} more passed.`,
  ];
  if (unknown.length > 0) {
    const named = unknown
      .slice(0, 5)
      .map((id) => id.slice(0, 80))
      .join(", ");
    const more = unknown.length > 5 ? ` and ${unknown.length - 5} more` : "";
    words.push(
      `This workbook does not have ${named}${more}; those entries are kept, and exported with the rest.`,
    );
  }
  return words.join(" ");
}

function problem(file: File, e: unknown): string {
  const why =
    e instanceof WrongFile ? e.message : `it could not be read (${e instanceof Error ? e.message : String(e)})`;
  return `${file.name} is not imported: ${why}.`;
}

const answersGiven = (n: number) => `${n} ${n === 1 ? "answer" : "answers"}`;
const exercises = (n: number) => `${n} ${n === 1 ? "exercise" : "exercises"}`;
