// Several Go files in one text. Each is highlighted separately, and has line numbers of its own, as in compiler errors.

import { StateField, type EditorState, type Extension, type Text } from "@codemirror/state";
import { Decoration, EditorView, lineNumbers } from "@codemirror/view";
import { partAt, readParts, type Part } from "../archive.ts";
import { go, type Range } from "./go-language.ts";

/** The files in the text. */
const parts = StateField.define<readonly Part[]>({
  create: (state) => readParts(state.doc.iterLines()),
  update: (value, tr) => (tr.docChanged ? readParts(tr.newDoc.iterLines()) : value),
});

/** Returns the ranges of the Go files. */
function goFiles(state: EditorState): Range[] {
  return state
    .field(parts)
    .filter((p) => p.lines > 0 && p.name.endsWith(".go"))
    .map((p) => ({ from: state.doc.line(p.first).from, to: state.doc.line(p.first + p.lines - 1).to }));
}

/** Returns the style of the lines that begin a file. */
function heads(doc: Text, parts: readonly Part[]) {
  return Decoration.set(
    parts.slice(1).map((p) => Decoration.line({ class: "ots-file-head" }).range(doc.line(p.first - 1).from)),
  );
}

/** Go in several files, with line numbers. */
export const severalFiles: Extension = [
  parts,
  go(goFiles),
  EditorView.decorations.compute(["doc", parts], (state) => heads(state.doc, state.field(parts))),
  lineNumbers({
    formatNumber: (n, state) => {
      // CodeMirror also formats a number beyond the last line, to find the width of the gutter.
      if (n > state.doc.lines) return String(n);
      const part = partAt(state.field(parts), n);
      return part ? String(n - part.first + 1) : "";
    },
  }),
];

/** Go in one file, with line numbers. */
export const oneFile: Extension = [go((state) => [{ from: 0, to: state.doc.length }]), lineNumbers()];
