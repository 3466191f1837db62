// Names the file in the editor, and switches between files where there are several.

import { button, el } from "../dom.ts";

export class FileTabs {
  readonly root = el("div", { class: "ots-files" });

  constructor(files: readonly string[], first: string, show: (file: string) => void) {
    if (files.length === 1) {
      this.root.append(el("span", { class: "ots-file" }, first));
      return;
    }
    const buttons = files.map((file) => {
      const b = button("ots-file", () => {
        for (const other of buttons) other.setAttribute("aria-pressed", String(other === b));
        show(file);
      }, file);
      b.setAttribute("aria-pressed", String(file === first));
      return b;
    });
    this.root.setAttribute("role", "group");
    this.root.setAttribute("aria-label", "Files");
    this.root.append(...buttons);
  }
}
