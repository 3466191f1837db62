// The editor, CodeMirror behind the interface CodeEditor.

import { defaultKeymap, history, historyKeymap, indentWithTab, undo } from "@codemirror/commands";
import { bracketMatching } from "@codemirror/language";
import { EditorState, Prec, type Extension, type TransactionSpec } from "@codemirror/state";
import { EditorView, keymap } from "@codemirror/view";
import type { CodeEditor, EditorOptions, FileMarks } from "../code-editor.ts";
import { adoptStyle } from "../dom.ts";
import { closing } from "./closing.ts";
import { hangingIndent } from "./hanging-indent.ts";
import { offsetOfColumn, replacement } from "./positions.ts";
import {
  beginCheckEffect,
  checkedPosition,
  emphasizeEffect,
  exposeMarks,
  lineMarks,
  markEffect,
  pendingPosition,
} from "./line-marks.ts";
import { oneFile, severalFiles } from "./several-files.ts";
import { Tip } from "./tip.ts";
import { underlineEffect, underlines } from "./underlines.ts";

/** Set by the build. */
declare const EDITOR_STYLE: string;

export function createEditor(options: EditorOptions): CodeEditor {
  adoptStyle(EDITOR_STYLE);
  return new Editor(options);
}

/** Set if the part that finds a text could not be loaded. The browser's own search opens then. */
let cannotFind = false;

/** Opens the field that finds a text. */
function find(view: EditorView): boolean {
  if (cannotFind) return false;
  void import("./find.ts").then(
    ({ openFind }) => openFind(view),
    () => (cannotFind = true),
  );
  return true;
}

class Editor implements CodeEditor {
  readonly #view: EditorView;
  readonly #states = new Map<string, EditorState>();
  readonly #readOnly = new Set<string>();
  readonly #onChange: () => void;
  readonly #addReadOnly: (file: string, text: string) => void;
  #file: string;
  /** The last marks, also of files that are added later. */
  #marks: Record<string, FileMarks> = {};
  /** Set while adopt changes texts, which is not reported. */
  #adopting = false;

  constructor(options: EditorOptions) {
    const tip = new Tip(options.parent);
    this.#onChange = options.onChange;
    this.#file = options.file;
    for (const [file, doc] of Object.entries(options.files)) {
      this.#states.set(file, EditorState.create({ doc, extensions: this.#extensions(options, file, tip) }));
    }
    this.#addReadOnly = (file, doc) => {
      const extensions = [this.#extensions(options, file, tip), EditorState.readOnly.of(true)];
      this.#states.set(file, EditorState.create({ doc, extensions }));
    };
    this.#view = new EditorView({ state: this.#stateOf(options.file), parent: options.parent });
    exposeMarks(this.#view);
  }

  #extensions({ label, describedBy, onCheck, archive }: EditorOptions, file: string, tip: Tip): Extension {
    const check = () => {
      onCheck();
      return true;
    };
    return [
      keymap.of([{ key: "Mod-f", run: find }]),
      // Above the default keys, where Mod-Enter inserts a blank line.
      Prec.high(
        keymap.of([
          { key: "Mod-Enter", run: check },
          { key: "Ctrl-Enter", run: check },
        ]),
      ),
      lineMarks(tip),
      underlines,
      archive ? severalFiles : oneFile,
      // Wrap long lines, because comments and test data have some.
      EditorView.lineWrapping,
      hangingIndent,
      history(),
      EditorState.tabSize.of(4),
      bracketMatching(),
      closing,
      keymap.of([...defaultKeymap, ...historyKeymap, indentWithTab]),
      EditorView.contentAttributes.of({ "aria-label": label(file), "aria-describedby": describedBy, tabindex: "0" }),
      EditorView.updateListener.of((u) => {
        if (!u.docChanged) return;
        tip.hide();
        if (!this.#adopting) this.#onChange();
      }),
    ];
  }

  /** Returns the state of a file. The view has the state of the shown file. */
  #stateOf(file: string): EditorState {
    const state = this.#view && file === this.#file ? this.#view.state : this.#states.get(file);
    if (!state) throw new Error(`no file ${file} in the editor`);
    return state;
  }

  /** Applies a transaction to a file, whether it is shown or not. */
  #dispatch(file: string, spec: TransactionSpec): void {
    if (file === this.#file) this.#view.dispatch(spec);
    else this.#states.set(file, this.#stateOf(file).update(spec).state);
  }

  files(): Record<string, string> {
    const editable = [...this.#states.keys()].filter((file) => !this.#readOnly.has(file));
    return Object.fromEntries(editable.map((file) => [file, this.#stateOf(file).doc.toString()]));
  }

  current(): string {
    return this.#file;
  }

  show(file: string): void {
    if (file === this.#file) return;
    this.#states.set(this.#file, this.#view.state);
    const state = this.#stateOf(file);
    this.#file = file;
    this.#view.setState(state);
    exposeMarks(this.#view);
  }

  addReadOnly(file: string, text: string): void {
    if (this.#states.has(file)) return;
    this.#readOnly.add(file);
    this.#addReadOnly(file, text);
    this.#dispatch(file, { effects: beginCheckEffect.of(null) });
    this.#markFile(file);
  }

  scrollTo(line: number): void {
    const { doc } = this.#view.state;
    const at = doc.line(Math.min(Math.max(1, line), doc.lines)).from;
    // The view only estimates the positions of lines until it has measured them.
    this.#view.requestMeasure({
      read: (view) => (line < 2 ? 0 : Math.ceil(view.lineBlockAt(at).top + view.documentPadding.top)),
      write: (top, view) => (view.scrollDOM.scrollTop = top),
    });
  }

  replace(files: Record<string, string>): void {
    let hidden = false;
    for (const [file, text] of Object.entries(files)) {
      const state = this.#stateOf(file);
      const change = replacement(state.doc.toString(), text);
      if (!change) continue;
      // The cursor keeps its line and column although the text around it is replaced.
      hidden ||= file !== this.#file;
      const head = state.doc.lineAt(state.selection.main.head);
      const column = state.selection.main.head - head.from;
      const after = state.changes(change).apply(state.doc);
      const line = after.line(Math.min(head.number, after.lines));
      this.#dispatch(file, {
        changes: change,
        selection: { anchor: line.from + Math.min(column, line.length) },
        userEvent: "input.replace",
      });
    }
    // The view's listener reports changes of the shown file only.
    if (hidden) this.#onChange();
  }

  adopt(files: Record<string, string>): void {
    this.#adopting = true;
    for (const [file, text] of Object.entries(files)) {
      const change = replacement(this.#stateOf(file).doc.toString(), text);
      if (change) this.#dispatch(file, { changes: change });
    }
    this.#adopting = false;
  }

  openAt(line: number): void {
    const { doc } = this.#view.state;
    this.#view.dispatch({ selection: { anchor: doc.line(Math.min(Math.max(1, line), doc.lines)).from } });
    this.scrollTo(line);
  }

  undo(): void {
    undo(this.#view);
  }

  beginCheck(): void {
    for (const file of this.#states.keys()) this.#dispatch(file, { effects: beginCheckEffect.of(null) });
  }

  mark(marks: Record<string, FileMarks>): void {
    this.#marks = marks;
    for (const file of this.#states.keys()) this.#markFile(file);
    const marked = marks[this.#file]?.lines.map((mark) => mark.line) ?? [];
    if (marked.length > 0) this.#reveal(Math.min(...marked));
  }

  #markFile(file: string): void {
    const { lines, errors } = this.#marks[file] ?? { lines: [], errors: [] };
    const state = this.#stateOf(file);
    const wrong = errors.map((e) => {
      const at = pendingPosition(state, e.line);
      const line = state.doc.lineAt(at);
      const start = line.from + /^\s*/.exec(line.text)![0].length;
      const from = e.col > 0 ? Math.min(line.to, line.from + offsetOfColumn(line.text, e.col)) : start;
      const word = /^(\w+|.)/u.exec(line.text.slice(from - line.from));
      const to = e.col > 0 ? from + (word?.[0].length ?? 0) : line.to;
      return { from, to, severity: e.severity ?? ("error" as const), message: e.message };
    });
    this.#dispatch(file, { effects: [underlineEffect.of(wrong), markEffect.of(lines)] });
  }

  /** Scrolls the editor, but not the page, to a line that is not visible. */
  #reveal(line: number): void {
    const { scrollDOM } = this.#view;
    const block = this.#view.lineBlockAt(checkedPosition(this.#view.state, line));
    const room = scrollDOM.clientHeight;
    if (block.top >= scrollDOM.scrollTop && block.bottom <= scrollDOM.scrollTop + room) return;
    scrollDOM.scrollTop = Math.max(0, block.top - room / 4);
  }

  emphasize(file: string, lines: readonly number[]): void {
    if (this.#states.has(file)) this.#dispatch(file, { effects: emphasizeEffect.of(lines) });
  }

  goTo(file: string, line: number, col = 0): void {
    this.show(file);
    const { state } = this.#view;
    const target = state.doc.lineAt(checkedPosition(state, line));
    const anchor = Math.min(target.to, target.from + offsetOfColumn(target.text, col));
    this.#view.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y: "center" }) });
    this.#view.focus();
  }

  beginAt(file: string, line: number): void {
    this.show(file);
    const { doc } = this.#view.state;
    this.#view.dispatch({ selection: { anchor: doc.line(Math.min(Math.max(1, line), doc.lines)).from } });
    this.#reveal(line);
    this.#view.focus();
  }

  focus(): void {
    this.#view.focus();
  }

  hasFocus(): boolean {
    return this.#view.hasFocus;
  }
}
