// What the page asks of its editor. The editor itself is a bundle of its own, loaded when
// an exercise comes near or a program is edited.

import type { Files } from "./files.ts";

/** Something said about a line, shown in the gutter. Lines count from 1. */
export interface LineMark {
  line: number;
  kind: "alloc" | "error" | "vet";
  /** The mark itself, two to five characters. */
  label: string;
  /** Its accessible name. */
  name: string;
  /** Makes what the tooltip shows. */
  describe: () => HTMLElement;
}

/** What is wrong, or doubtful, at a place: it is underlined. Columns count bytes from 1; 0: the whole line. */
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
  /** The texts may be several files each, as the Go playground takes them. */
  archive?: boolean;
  /** Accessible name for a file's text. */
  label: (file: string) => string;
  /** Id of the element that says how to leave the editor. */
  describedBy: string;
  /** The reader changed the text. */
  onChange: () => void;
  /** The reader pressed Ctrl-Enter or Cmd-Enter. */
  onCheck: () => void;
}

export interface CodeEditor {
  /** The text of every file. */
  files(): Files;
  /** The file on show. */
  current(): string;
  show(file: string): void;
  /** Adds a file that can be read and not changed. It is not among files(). */
  addReadOnly(file: string, text: string): void;
  /** Scrolls the editor, and not the page, so that a line of the file on show is its first. */
  scrollTo(line: number): void;
  /** Replaces texts as an edit of the reader's: it can be undone, and is reported. */
  replace(files: Files): void;
  /** Takes over texts that another tab saved, without reporting a change. */
  adopt(files: Files): void;
  /** Shows the text from its beginning, and moves the cursor there. */
  toTop(): void;
  undo(): void;
  /** Remembers the text as it is now; later marks are about it, wherever its lines went since. */
  beginCheck(): void;
  mark(marks: Record<string, FileMarks>): void;
  /** Points out lines of the checked text. */
  emphasize(file: string, lines: readonly number[]): void;
  /** Moves the cursor to a line of the checked text, and the focus into the editor. */
  goTo(file: string, line: number, col?: number): void;
  /** Begins editing at a line: the cursor and the focus go there, and the page stays where it is. */
  beginAt(file: string, line: number): void;
  focus(): void;
  hasFocus(): boolean;
}

export type CreateEditor = (options: EditorOptions) => CodeEditor;

/** What editor.js has. */
export interface EditorBundle {
  createEditor: CreateEditor;
}

/** How an editor is used and left by keyboard. The verb says what its Enter does. */
export function editorHelp(verb: "checks" | "runs"): string {
  const key = /Mac|iPhone|iPad/.test(navigator.platform) ? "Cmd" : "Ctrl";
  const stop = verb === "runs" ? ", Escape stops" : "";
  return `${key}+Enter ${verb}${stop}. Tab indents; Escape, then Tab leaves the editor.`;
}
