// An editor for one program, which may be several files in one text.

import { Archive, PROG } from "../archive.ts";
import type { CodeEditor, CreateEditor } from "../code-editor.ts";
import { errorMarks, type Finding } from "../errors.ts";
import type { Allocation } from "../go/runner.ts";
import type { Source } from "../verdict/lines.ts";
import { allocationMarks } from "../verdict/marks.ts";

/** The text of a program that a reader can run, share, and edit. */
export interface ProgramText {
  text(): string;
  /**
   * Returns the text for a request. Positions in the answer are mapped to the lines of this text, also after more
   * edits.
   */
  begin(): string;
  replace(text: string): void;
  /** Marks findings at their lines, and lines that allocate. Empty lists remove the marks. */
  mark(findings: readonly Finding[], severity?: "error" | "warning", allocations?: readonly Allocation[]): void;
  /** Returns the way to the lines of the text of begin; undefined if no editor is shown. */
  source(): Source | undefined;
}

export interface ProgramEditorOptions {
  parent: HTMLElement;
  text: string;
  /** Id of the element that says how to leave the editor. */
  describedBy: string;
  onChange: () => void;
  onRun: () => void;
  /** Called before the cursor is moved to a line that the result names: the editor may not be in view. */
  onGoTo?: () => void;
}

export class ProgramEditor implements ProgramText {
  readonly #editor: CodeEditor;
  readonly #parent: HTMLElement;
  readonly #onGoTo: (() => void) | undefined;
  /** The text of the last begin, split into its files. */
  #begun: Archive;

  constructor(create: CreateEditor, { parent, text, describedBy, onChange, onRun, onGoTo }: ProgramEditorOptions) {
    this.#begun = new Archive(text);
    this.#parent = parent;
    this.#onGoTo = onGoTo;
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

  mark(
    findings: readonly Finding[],
    severity: "error" | "warning" = "error",
    allocations: readonly Allocation[] = [],
  ): void {
    const errors = findings
      .map(({ file, line, col, message }) => ({ line: this.#begun.lineOf(file || PROG, line), col, message, severity }))
      .filter((e) => e.line > 0);
    const lines = allocationMarks(
      allocations.map((a) => ({ ...a, line: this.#begun.lineOf(a.file, a.line) })).filter((a) => a.line > 0),
    );
    this.#editor.mark({ [PROG]: { lines: [...lines, ...errorMarks(errors)], errors } });
  }

  source(): Source {
    const begun = this.#begun;
    const at = (file: string, line: number) => begun.lineOf(file || PROG, line);
    return {
      has: (file) => begun.has(file || PROG),
      goTo: (file, line, col) => {
        this.#onGoTo?.();
        this.#editor.goTo(PROG, at(file, line), col);
      },
      reveal: (file, line) => {
        if (!isVisible(this.#parent.querySelector(".ots-line-looked"), this.#parent.querySelector(".cm-scroller")))
          this.#editor.scrollTo(Math.max(1, at(file, line) - LINES_ABOVE));
      },
      emphasize: (file, lines) => {
        this.#editor.emphasize(PROG, lines.map((line) => at(file, line)).filter((line) => line > 0));
      },
    };
  }

  toTop(): void {
    this.#editor.openAt(1);
  }

  beginAt(line: number): void {
    this.#editor.beginAt(PROG, line);
  }

  focus(): void {
    this.#editor.focus();
  }
}

/** The lines that are shown above a line to which the editor is scrolled. */
const LINES_ABOVE = 5;

/** Reports whether a line is in the part of the text that its scroller shows. A line far away has no element. */
function isVisible(line: Element | null, scroller: Element | null): boolean {
  if (!line || !scroller) return false;
  const { top, bottom } = line.getBoundingClientRect();
  const shown = scroller.getBoundingClientRect();
  return top >= shown.top && bottom <= shown.bottom;
}
