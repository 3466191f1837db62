// Tabs that name the files in the editor and switch between them. The read-only files come last.

import { button, el } from "../dom.ts";

export class FileTabs {
  readonly root = el("div", { class: "ots-files" });
  readonly #tabs = new Map<string, HTMLButtonElement>();

  /** show is called when the reader selects a file. Its implementation calls selected once the file is shown. */
  constructor(files: readonly string[], readOnly: readonly string[], first: string, show: (file: string) => void) {
    if (files.length + readOnly.length === 1) {
      this.root.append(el("span", { class: "ots-file" }, first));
      return;
    }
    for (const file of [...files, ...readOnly]) {
      const fixed = readOnly.includes(file);
      const tab = button(`ots-file${fixed ? " is-read-only" : ""}`, () => show(file), file);
      if (fixed) tab.append(el("span", { class: "ots-unseen" }, ", read only"));
      this.#tabs.set(file, tab);
      this.root.append(tab);
    }
    this.root.setAttribute("role", "group");
    this.root.setAttribute("aria-label", "Files");
    this.selected(first);
  }

  /** Marks the tab of the shown file. */
  selected(file: string): void {
    for (const [name, tab] of this.#tabs) tab.setAttribute("aria-pressed", String(name === file));
  }
}
