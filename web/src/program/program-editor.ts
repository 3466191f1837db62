// An editor for one program, which may be several files in one text.

import { Archive, PROG } from "../archive.ts";
import type { CodeEditor, CreateEditor } from "../code-editor.ts";
import { errorMarks, type Finding } from "../errors.ts";
import type { Source } from "../verdict/lines.ts";

/** The program that something is done with. */
export interface ProgramText {
  text(): string;
  /** The text, to be sent off: what is said of it finds its lines also after more edits. */
  begin(): string;
  replace(text: string): void;
  /** Shows what was found at its lines; nothing clears them. */
  mark(findings: readonly Finding[], severity?: "error" | "warning"): void;
  /** Where lines of the text that was sent off lead, or undefined where there is no editor on show. */
  source(): Source | undefined;
}

export interface ProgramEditorOptions {
  parent: HTMLElement;
  text: string;
  /** Id of the element that says how to leave the editor. */
  describedBy: string;
  onChange: () => void;
  onRun: () => void;
}

export class ProgramEditor implements ProgramText {
  readonly #editor: CodeEditor;
  /** The text that was sent off, by its files. */
  #begun: Archive;

  constructor(create: CreateEditor, { parent, text, describedBy, onChange, onRun }: ProgramEditorOptions) {
    this.#begun = new Archive(text);
    this.#editor = create({
      parent,
      files: { [PROG]: text },
      file: PROG,
      archive: true,
      label: () => "The program",
      describedBy,
      onChange,
      onCheck: onRun,
    });
  }

  text(): string {
    return this.#editor.files()[PROG] ?? "";
  }

  begin(): string {
    this.#editor.beginCheck();
    const text = this.text();
    this.#begun = new Archive(text);
    return text;
  }

  replace(text: string): void {
    this.#editor.replace({ [PROG]: text });
  }

  /** Shows another text, without reporting a change. */
  adopt(text: string): void {
    this.#editor.adopt({ [PROG]: text });
  }

  mark(findings: readonly Finding[], severity: "error" | "warning" = "error"): void {
    const errors = findings
      .map(({ file, line, col, message }) => ({ line: this.#begun.lineOf(file || PROG, line), col, message, severity }))
      .filter((e) => e.line > 0);
    this.#editor.mark({ [PROG]: { lines: errorMarks(errors), errors } });
  }

  source(): Source {
    const begun = this.#begun;
    const at = (file: string, line: number) => begun.lineOf(file || PROG, line);
    return {
      has: (file) => begun.has(file || PROG),
      goTo: (file, line, col) => this.#editor.goTo(PROG, at(file, line), col),
      emphasize: (file, lines) => this.#editor.emphasize(PROG, lines.map((line) => at(file, line)).filter((line) => line > 0)),
    };
  }

  toTop(): void {
    this.#editor.toTop();
  }

  beginAt(line: number): void {
    this.#editor.beginAt(PROG, line);
  }

  focus(): void {
    this.#editor.focus();
  }
}
