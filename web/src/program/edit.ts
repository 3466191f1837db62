// The page's program in an editor, which is loaded when the reader opens it.

import { editorHelp, type CreateEditor } from "../code-editor.ts";
import { el, reducedMotion } from "../dom.ts";
import type { Finding } from "../errors.ts";
import type { Allocation } from "../go/runner.ts";
import type { Store } from "../store.ts";
import type { Source } from "../verdict/lines.ts";
import { ProgramEditor, type ProgramText } from "./program-editor.ts";

const SAVE_AFTER_MS = 300;
let helps = 0;

export interface EditParts {
  /**
   * Stores the edit until the tab is closed. A later visit begins with the original, which the text of the page
   * describes.
   */
  store: Store;
  key: string;
  onChange: () => void;
  onRun: () => void;
}

export class Edit implements ProgramText {
  readonly root = el("div", { class: "ots-edit" });
  readonly #block: HTMLElement;
  readonly #body: string;
  readonly #parts: EditParts;
  #editor: ProgramEditor | null = null;
  #loading = false;
  #isOpen = false;
  /** The text that close has removed and that reopen restores. */
  #away: string | null = null;
  #saveTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(block: HTMLElement, body: string, parts: EditParts) {
    this.#block = block;
    this.#body = body;
    this.#parts = parts;
    this.root.hidden = true;
    // Timers may not run any more once the reader has left the page.
    addEventListener("pagehide", () => this.#flush());
  }

  /** Returns the edit of this visit, or null if there is none. */
  stored(): string | null {
    return this.#parts.store.load(this.#parts.key, (json) => (typeof json === "string" ? json : null));
  }

  /** Returns the reader's program while the editor is open, and otherwise the page's. */
  text(): string {
    return this.#shown()?.text() ?? this.#body;
  }

  begin(): string {
    return this.#shown()?.begin() ?? this.#body;
  }

  replace(text: string): void {
    this.#editor?.replace(text);
  }

  mark(findings: readonly Finding[], severity?: "error" | "warning", allocations?: readonly Allocation[]): void {
    this.#editor?.mark(findings, severity, allocations);
  }

  source(): Source | undefined {
    return this.#shown()?.source();
  }

  #shown(): ProgramEditor | null {
    return this.#isOpen ? this.#editor : null;
  }

  /** Opens the editor in place of the listing. Reports whether it could be loaded. */
  async open(focus: boolean): Promise<boolean> {
    if (this.#loading) return true;
    this.#loading = true;
    try {
      const { createEditor } = await import("../editor/editor.ts");
      this.#editor ??= this.#create(createEditor);
    } catch {
      return false;
    } finally {
      this.#loading = false;
    }
    this.#show(true);
    if (!focus) return true;
    this.#editor.beginAt(this.#firstLine());
    // The reader may have scrolled down to a long report, so scroll to the editor.
    this.root.scrollIntoView({ block: "nearest", behavior: reducedMotion() ? "auto" : "smooth" });
    return true;
  }

  #create(createEditor: CreateEditor): ProgramEditor {
    const help = `ots-edit-help-${++helps}`;
    const code = el("div", { class: "ots-code" });
    const editor = new ProgramEditor(createEditor, {
      parent: code,
      text: this.stored() ?? this.#body,
      describedBy: help,
      onChange: () => {
        clearTimeout(this.#saveTimer);
        this.#saveTimer = setTimeout(() => this.#flush(), SAVE_AFTER_MS);
        this.#parts.onChange();
      },
      onRun: this.#parts.onRun,
    });
    this.root.append(code, el("p", { class: "ots-help", id: help }, editorHelp("runs")));
    return editor;
  }

  /** Shows the listing again and removes the edit. Reports whether there was one; reopen restores it. */
  close(): boolean {
    const text = this.text();
    this.#show(false);
    this.mark([]);
    this.#away = text === this.#body ? null : text;
    this.#editor?.adopt(this.#body);
    clearTimeout(this.#saveTimer);
    this.#saveTimer = undefined;
    this.#parts.store.remove(this.#parts.key);
    return this.#away !== null;
  }

  reopen(): void {
    this.#show(true);
    if (this.#away !== null) this.#editor?.replace(this.#away);
    this.#away = null;
    this.#editor?.focus();
  }

  #show(on: boolean): void {
    this.#isOpen = on;
    this.root.hidden = !on;
    this.#block.classList.toggle("is-editing", on);
  }

  #flush(): void {
    if (this.#saveTimer === undefined) return;
    clearTimeout(this.#saveTimer);
    this.#saveTimer = undefined;
    const { store, key } = this.#parts;
    const text = this.text();
    if (text === this.#body) store.remove(key);
    else store.save(key, text);
  }

  /** Returns the line of the program at which the listing begins: a page may show only a part of the program. */
  #firstLine(): number {
    // mdBook's highlighting replaces tabs by spaces.
    const untabbed = (text: string) => text.replaceAll("\t", "    ");
    const text = untabbed(this.text());
    const at = text.indexOf(untabbed(this.#block.querySelector("pre code")?.textContent ?? "").trim());
    return at < 0 ? 1 : text.slice(0, at).split("\n").length;
  }
}
