// The link to a shared program.

import type { Shared } from "../responses.ts";
import { button, el } from "../dom.ts";

export class ShareLink {
  readonly root: HTMLElement;
  readonly #field: HTMLInputElement;
  readonly #open = el("a", { class: "ots-open" }, "Open");
  readonly #note = el("span", { class: "ots-note" });
  #text: string | null = null;

  /** announce reads words to screen readers. */
  constructor(announce: (words: string) => void) {
    // Several scripts of a page may have this module, so a counter would not be unique.
    const id = `ots-link-${Math.random().toString(36).slice(2)}`;
    this.#field = el("input", { class: "ots-link", id, type: "text", readonly: true, spellcheck: "false" });
    this.#field.addEventListener("focus", () => this.#field.select());
    const copy = button("ots-button", () => {
      void this.#copy().then((copied) => {
        this.#note.textContent = copied ? "Copied" : "Press Ctrl+C to copy it";
        announce(this.#note.textContent);
      });
    }, "Copy");
    const label = el("label", { for: id }, "Link");
    this.root = el("div", { class: "ots-shared", hidden: true }, label, this.#field, copy, this.#open, this.#note);
  }

  /** Shows the link to the text. */
  show({ href }: Shared, text: string, focus: boolean): void {
    this.#text = text;
    this.#field.value = href;
    this.#open.href = href;
    this.root.hidden = false;
    this.edited(text);
    if (focus) this.#field.focus();
  }

  /** Notes the program's current text. The link shows the text that was shared, which may be older. */
  edited(text: string): void {
    if (this.#text === null) return;
    this.#note.textContent = text === this.#text ? "" : "before the last edit";
    this.root.classList.toggle("is-old", text !== this.#text);
  }

  hide(): void {
    this.root.hidden = true;
  }

  /** Reports whether the link was copied. */
  async #copy(): Promise<boolean> {
    try {
      await navigator.clipboard.writeText(this.#field.value);
      return true;
    } catch {
      // The browser may forbid copying, and a page that came over plain HTTP has no clipboard API. execCommand still
      // works there.
      this.#field.focus();
      this.#field.select();
      return document.execCommand("copy");
    }
  }
}
