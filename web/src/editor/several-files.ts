// Several Go files in one text: each is colored by itself, and counts its own lines, as the compiler does.

import { StateField, type EditorState, type Extension, type Text } from "@codemirror/state";
import { Decoration, EditorView, lineNumbers } from "@codemirror/view";
import { partAt, readParts, type Part } from "../archive.ts";
import { go, type Range } from "./go-language.ts";

/** The files of the text. */
const parts = StateField.define<readonly Part[]>({
  create: (state) => readParts(state.doc.iterLines()),
  update: (value, tr) => (tr.docChanged ? readParts(tr.newDoc.iterLines()) : value),
});

function goFiles(state: EditorState): Range[] {
  return state
    .field(parts)
    .filter((p) => p.lines > 0 && p.name.endsWith(".go"))
    .map((p) => ({ from: state.doc.line(p.first).from, to: state.doc.line(p.first + p.lines - 1).to }));
}

function heads(doc: Text, parts: readonly Part[]) {
  return Decoration.set(parts.slice(1).map((p) => Decoration.line({ class: "ots-file-head" }).range(doc.line(p.first - 1).from)));
}

/** Go in several files, with line numbers. */
export const severalFiles: Extension = [
  parts,
  go(goFiles),
  EditorView.decorations.compute(["doc", parts], (state) => heads(state.doc, state.field(parts))),
  lineNumbers({
    formatNumber: (n, state) => {
      // A gutter as wide as the whole text's asks for lines that are not there.
      if (n > state.doc.lines) return String(n);
      const part = partAt(state.field(parts), n);
      return part ? String(n - part.first + 1) : "";
    },
  }),
];

/** Go in one file, with line numbers. */
export const oneFile: Extension = [go((state) => [{ from: 0, to: state.doc.length }]), lineNumbers()];
