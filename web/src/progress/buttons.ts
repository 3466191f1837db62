// Export and import of the progress file.

import { button, el } from "../dom.ts";
import { FILE_NAME, MAX_BYTES, readProgress, writeProgress, WrongFile } from "./file.ts";
import type { Kept, Taken } from "./kept.ts";

/** The buttons, and where it is said what they did. changed is called when more is kept than before. */
export function fileButtons(kept: Kept, changed: () => void): HTMLElement[] {
  const status = el("p", { class: "ots-so-far-said", role: "status" });
  const say = (words: string, isProblem = false) => {
    status.textContent = words;
    status.classList.toggle("is-problem", isProblem);
  };
  const input = el("input", { type: "file", accept: ".json,application/json", "aria-label": "Progress file", hidden: true });
  input.addEventListener("change", () => {
    const file = input.files?.[0];
    if (!file) return;
    void importFile(file, kept).then((words) => say(words), (e: unknown) => say(problem(file, e), true)).then(() => {
      changed();
      // The same file, chosen again, should count as a change.
      input.value = "";
    });
  });
  return [
    el(
      "div",
      { class: "ots-tools" },
      button("ots-button", () => say(exportFile(kept)), "Export"),
      button("ots-button", () => input.click(), "Import…"),
      input,
    ),
    status,
  ];
}

function exportFile(kept: Kept): string {
  const progress = kept.progress(new Date());
  if (progress.size === 0) return "There is nothing to export yet: no exercise was checked here.";
  const href = URL.createObjectURL(new Blob([writeProgress(progress)], { type: "application/json" }));
  el("a", { href, download: FILE_NAME }).click();
  // Only after the browser has begun to read it.
  setTimeout(() => URL.revokeObjectURL(href), 60_000);
  return `${FILE_NAME} has ${exercises(progress.size)}.`;
}

async function importFile(file: File, kept: Kept): Promise<string> {
  if (file.size > MAX_BYTES) throw new WrongFile("it is larger than 1 MiB, and progress takes some kilobytes");
  const taken = kept.take(readProgress(await file.text()), new Date(file.lastModified));
  if (!taken.kept) throw new WrongFile("this browser’s storage is full");
  return takenWords(file.name, taken);
}

function takenWords(name: string, { newly, others }: Taken): string {
  const words = [
    newly.length === 0 ? `${name} is imported; no exercise is passed that was not before.` : `${name} is imported: ${exercises(newly.length)} more passed.`,
  ];
  if (others.length > 0) {
    const named = others.slice(0, 5).map((id) => id.slice(0, 80)).join(", ");
    const more = others.length > 5 ? ` and ${others.length - 5} more` : "";
    words.push(`This workbook does not have ${named}${more}; what the file says of it is kept, and exported with the rest.`);
  }
  return words.join(" ");
}

function problem(file: File, e: unknown): string {
  const why = e instanceof WrongFile ? e.message : `it could not be read (${e instanceof Error ? e.message : String(e)})`;
  return `${file.name} is not imported: ${why}.`;
}

const exercises = (n: number) => `${n} ${n === 1 ? "exercise" : "exercises"}`;
