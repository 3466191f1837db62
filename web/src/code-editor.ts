// The interface of the editor. Its implementation in editor/editor.ts is loaded when an exercise is nearly
// visible or a reader edits a program.

import type { Files } from "./files.ts";

/** A mark in the gutter beside a line. Lines count from 1. */
export interface LineMark {
  line: number;
  kind: "alloc" | "said" | "error" | "vet";
  /** The text of the mark, two to five characters. */
  label: string;
  /** Its accessible name. */
  name: string;
  /** Makes the content of the tooltip. */
  describe: () => HTMLElement;
}

/** An error or a warning at a position, which is underlined. Columns count bytes from 1; 0 is the whole line. */
export interface ErrorMark {
  line: number;
  col: number;
  message: string;
  severity?: "error" | "warning";
}

export interface FileMarks {
  lines: LineMark[];
  errors: ErrorMark[];
}

export interface EditorOptions {
  parent: HTMLElement;
  files: Files;
  /** The file to show first. */
  file: string;
  /** Whether each text may be several files, in the format of the Go playground. */
  archive?: boolean;
  /** Returns the accessible name of a file's text. */
  label: (file: string) => string;
  /** The ID of the element that explains how to leave the editor. */
  describedBy: string;
  /** Called when the reader has changed the text. */
  onChange: () => void;
  /** Called when the reader presses Ctrl-Enter or Cmd-Enter. */
  onCheck: () => void;
}

export interface CodeEditor {
  /** Returns the texts of the editable files. */
  files(): Files;
  /** Returns the name of the shown file. */
  current(): string;
  show(file: string): void;
  /** Adds a read-only file. files() does not return it. */
  addReadOnly(file: string, text: string): void;
  /** Scrolls the editor, but not the page, so that a line of the shown file is its first. */
  scrollTo(line: number): void;
  /** Replaces texts like an edit of the reader: it can be undone, and onChange is called. */
  replace(files: Files): void;
  /** Replaces texts with the texts that another tab saved. onChange is not called. */
  adopt(files: Files): void;
  /** Moves the cursor to a line of the shown file, and scrolls so that it is the first, without the focus or the page. */
  openAt(line: number): void;
  undo(): void;
  /** Begins a check of the current text. Later marks are for its lines, which may have moved since. */
  beginCheck(): void;
  mark(marks: Record<string, FileMarks>): void;
  /** Highlights lines of the checked text. */
  emphasize(file: string, lines: readonly number[]): void;
  /** Moves the cursor to a line of the checked text, and the focus into the editor. */
  goTo(file: string, line: number, col?: number): void;
  /** Moves the cursor to a line, and the focus into the editor, without scrolling the page. */
  beginAt(file: string, line: number): void;
  focus(): void;
  hasFocus(): boolean;
}

export type CreateEditor = (options: EditorOptions) => CodeEditor;

/** Returns the help on the keys of an editor. The verb is what Ctrl-Enter does. */
export function editorHelp(verb: "checks" | "runs"): string {
  const key = /Mac|iPhone|iPad/.test(navigator.platform) ? "Cmd" : "Ctrl";
  const stop = verb === "runs" ? ", Escape stops" : "";
  return `${key}+Enter ${verb}${stop}, ${key}+F finds. Tab indents; Escape, then Tab leaves the editor.`;
}
