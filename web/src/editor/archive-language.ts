// Several Go files in one text: each is colored by itself, and counts its own lines, as the compiler does.

import { goLanguage } from "@codemirror/lang-go";
import { defineLanguageFacet, Language, languageDataProp } from "@codemirror/language";
import { StateField, type Extension, type Text } from "@codemirror/state";
import { Decoration, EditorView, lineNumbers } from "@codemirror/view";
import { NodeType, parseMixed, Parser, Tree, type Input, type PartialParse } from "@lezer/common";
import { markerName, partAt, readParts, type Part } from "../archive.ts";

const data = defineLanguageFacet();
const top = NodeType.define({ id: 1, name: "Archive", top: true, props: [[languageDataProp, data]] });
const goFile = NodeType.define({ id: 2, name: "GoFile" });

/** Finds the files; those of Go are left to Go's parser. */
class ArchiveParser extends Parser {
  readonly #mixed = parseMixed((node) => (node.type === goFile ? { parser: goLanguage.parser } : null));

  createParse(input: Input, fragments: Parameters<Parser["createParse"]>[1], ranges: Parameters<Parser["createParse"]>[2]): PartialParse {
    return this.#mixed(new FindFiles(input), input, fragments, ranges);
  }
}

/** Reads all of the text at once: it is a program, and short. */
class FindFiles implements PartialParse {
  readonly #input: Input;
  parsedPos = 0;
  stoppedAt: number | null = null;

  constructor(input: Input) {
    this.#input = input;
  }

  advance(): Tree {
    const { length } = this.#input;
    const text = this.#input.read(0, length);
    const files: Tree[] = [];
    const positions: number[] = [];
    let from = 0;
    let isGo = true;
    const add = (to: number) => {
      if (!isGo || to === from) return;
      files.push(new Tree(goFile, [], [], to - from));
      positions.push(from);
    };
    for (let at = 0; at < length; ) {
      const newline = text.indexOf("\n", at);
      const next = newline < 0 ? length : newline + 1;
      const name = markerName(text.slice(at, newline < 0 ? length : newline));
      if (name !== null) {
        add(at);
        from = next;
        isGo = name.endsWith(".go");
      }
      at = next;
    }
    add(length);
    this.parsedPos = length;
    return new Tree(top, files, positions, length);
  }

  stopAt(): void {}
}

/** The files of the text. */
const parts = StateField.define<readonly Part[]>({
  create: (state) => readParts(state.doc.iterLines()),
  update: (value, tr) => (tr.docChanged ? readParts(tr.newDoc.iterLines()) : value),
});

function heads(doc: Text, parts: readonly Part[]) {
  return Decoration.set(parts.slice(1).map((p) => Decoration.line({ class: "ots-file-head" }).range(doc.line(p.first - 1).from)));
}

/** Go in several files, with line numbers. */
export const archiveLanguage: Extension = [
  new Language(data, new ArchiveParser(), [], "archive"),
  parts,
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
