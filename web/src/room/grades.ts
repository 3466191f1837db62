// The section of the instructor's page that has the room's grades as files.

import { button, el } from "../dom.ts";

const FILES: [name: string, label: string][] = [
  ["grades-table.csv", "Grades as a table"],
  ["grades.csv", "Grades as CSV"],
  ["grades.json", "Grades as JSON"],
  ["archive.zip", "All submissions as ZIP"],
];

/** For other systems: a table for Moodle or Canvas, and a document for each participant for the others. */
const FORMATS: [name: string, label: string][] = [
  ["grades-moodle.csv", "Moodle"],
  ["grades-canvas.csv", "Canvas"],
  ["grades/junit.zip", "JUnit"],
  ["grades/gradescope.zip", "Gradescope"],
  ["grades/exercism.zip", "Exercism"],
];

/** Returns the section. download is called with the name of a file. */
export function gradesSection(download: (name: string) => void): HTMLElement {
  const buttons = (files: typeof FILES) =>
    files.map(([name, label]) => button("ots-button", () => download(name), label));
  return el(
    "section",
    { class: "room-section for-instructor", "aria-label": "Grades" },
    el("h2", {}, "Grades"),
    el("p", { class: "room-controls" }, ...buttons(FILES)),
    el("p", { class: "room-controls" }, el("span", {}, "For other systems:"), ...buttons(FORMATS)),
    el(
      "p",
      { class: "room-hint" },
      "The best submission counts, as graded by this server. A late pass counts before a failure on time. If two are " +
        "equally good, the one on time counts.",
    ),
  );
}

/** Saves a file of a room on the reader's disk, and returns the name that it has there. */
export function saveFile(file: Blob, code: string, name: string): string {
  const href = URL.createObjectURL(file);
  const download = `${code}-${name.replace("/", "-")}`;
  el("a", { href, download }).click();
  // The browser has begun to read it by then.
  setTimeout(() => URL.revokeObjectURL(href), 60_000);
  return download;
}
