// The page's program in an editor, which is loaded when it is asked for.

import { editorHelp, type CodeEditor, type CreateEditor, type ErrorMark } from "../code-editor.ts";
import { el, reducedMotion } from "../dom.ts";
import { errorMarks } from "../errors.ts";
import { loadEditor } from "../load-editor.ts";
import type { Store } from "../store.ts";
import type { Source } from "../verdict/lines.ts";

/** What the runner calls the program. */
export const FILE = "prog.go";

const SAVE_AFTER_MS = 300;
let helps = 0;

export interface EditParts {
  /** Keeps the edit until the tab is closed: the text around the program speaks of the original. */
  store: Store;
  key: string;
  onChange: () => void;
  onRun: () => void;
}

export class Edit {
  readonly root = el("div", { class: "ots-edit" });
  readonly #block: HTMLElement;
  readonly #body: string;
  readonly #parts: EditParts;
  #editor: CodeEditor | null = null;
  #loading = false;
  #isOpen = false;
  /** What close put away. */
  #away: string | null = null;
  #saveTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(block: HTMLElement, body: string, parts: EditParts) {
    this.#block = block;
    this.#body = body;
    this.#parts = parts;
    this.root.hidden = true;
    // mdBook turns pages on arrow keys and opens its search on a slash, typed text included.
    this.root.addEventListener("keydown", (e) => e.stopPropagation());
    // A page that is left may never run another timer.
    addEventListener("pagehide", () => this.#flush());
  }

  /** The edit of this visit, or null when there is none. */
  kept(): string | null {
    return this.#parts.store.load(this.#parts.key, (json) => (typeof json === "string" ? json : null));
  }

  /** The program as it stands: the reader's, while that is on show, else the page's. */
  text(): string {
    const edited = this.#isOpen ? this.#editor?.files()[FILE] : undefined;
    return edited ?? this.#body;
  }

  /** The text, to be sent off: what is said of it finds its lines also after more edits. */
  begin(): string {
    if (this.#isOpen) this.#editor?.beginCheck();
    return this.text();
  }

  /** Puts the editor where the listing is. Reports whether it could be loaded. */
  async open(focus: boolean): Promise<boolean> {
    if (this.#loading) return true;
    this.#loading = true;
    try {
      const { createEditor } = await loadEditor();
      this.#editor ??= this.#create(createEditor);
    } catch {
      return false;
    } finally {
      this.#loading = false;
    }
    this.#show(true);
    if (!focus) return true;
    this.#editor.beginAt(FILE, this.#firstLine());
    // A reader who comes from a long report is still down there.
    this.root.scrollIntoView({ block: "nearest", behavior: reducedMotion() ? "auto" : "smooth" });
    return true;
  }

  #create(createEditor: CreateEditor): CodeEditor {
    const help = `ots-edit-help-${++helps}`;
    const code = el("div", { class: "ots-code" });
    const editor = createEditor({
      parent: code,
      files: { [FILE]: this.kept() ?? this.#body },
      file: FILE,
      label: () => "The program",
      describedBy: help,
      onChange: () => {
        clearTimeout(this.#saveTimer);
        this.#saveTimer = setTimeout(() => this.#flush(), SAVE_AFTER_MS);
        this.#parts.onChange();
      },
      onCheck: this.#parts.onRun,
    });
    this.root.append(code, el("p", { class: "ots-help", id: help }, editorHelp("runs")));
    return editor;
  }

  /** Puts the listing back and forgets the edit. Reports whether there was one, which reopen brings back. */
  close(): boolean {
    const text = this.text();
    this.#show(false);
    this.mark([]);
    this.#away = text === this.#body ? null : text;
    this.#editor?.adopt({ [FILE]: this.#body });
    clearTimeout(this.#saveTimer);
    this.#saveTimer = undefined;
    this.#parts.store.remove(this.#parts.key);
    return this.#away !== null;
  }

  reopen(): void {
    this.#show(true);
    if (this.#away !== null) this.#editor?.replace({ [FILE]: this.#away });
    this.#away = null;
    this.#editor?.focus();
  }

  replace(text: string): void {
    this.#editor?.replace({ [FILE]: text });
  }

  /** Shows errors at their lines; none clears them. */
  mark(errors: readonly ErrorMark[]): void {
    this.#editor?.mark({ [FILE]: { lines: errorMarks(errors), errors: errors.filter((e) => e.line > 0) } });
  }

  /** Where lines lead, or undefined where the program is not being edited. */
  source(): Source | undefined {
    const editor = this.#editor;
    if (!this.#isOpen || !editor) return undefined;
    return {
      has: (file) => file === FILE,
      goTo: (file, line, col) => editor.goTo(file, line, col),
      emphasize: (file, lines) => editor.emphasize(file, lines),
    };
  }

  goTo(): ((line: number, col: number) => void) | null {
    const source = this.source();
    return source ? (line, col) => source.goTo(FILE, line, col) : null;
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

  /** The program's line that the listing begins with: a page may show a part of it. */
  #firstLine(): number {
    // mdBook's highlighting puts spaces in the place of tabs.
    const untabbed = (text: string) => text.replaceAll("\t", "    ");
    const text = untabbed(this.text());
    const at = text.indexOf(untabbed(this.#block.querySelector("pre code")?.textContent ?? "").trim());
    return at < 0 ? 1 : text.slice(0, at).split("\n").length;
  }
}
