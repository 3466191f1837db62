// Go for CodeMirror: highlighting, indentation and the syntax of comments.

import { indentOnInput, indentService, indentUnit, type IndentContext } from "@codemirror/language";
import { EditorState, RangeSetBuilder, type Extension } from "@codemirror/state";
import { Decoration, ViewPlugin, type DecorationSet, type EditorView, type ViewUpdate } from "@codemirror/view";
import { furtherIn, goTokens, type Kind } from "./go-text.ts";
import { leadingColumns } from "./positions.ts";

export interface Range {
  from: number;
  to: number;
}

const decorations = Object.fromEntries(
  (["keyword", "atom", "number", "string", "comment"] satisfies Kind[]).map((kind) => [
    kind,
    Decoration.mark({ class: `tok-${kind}` }),
  ]),
) as Record<Kind, Decoration>;

/**
 * Returns the highlighting of the visible text. Programs are short, so each change tokenizes the files from their
 * beginning.
 */
function highlighting(view: EditorView, files: readonly Range[]): DecorationSet {
  const builder = new RangeSetBuilder<Decoration>();
  const { from: top, to: bottom } = view.viewport;
  for (const file of files) {
    if (file.to < top || file.from > bottom) continue;
    const text = view.state.sliceDoc(file.from, Math.min(file.to, bottom));
    for (const { kind, from, to } of goTokens(text)) {
      if (file.from + to >= top) builder.add(file.from + from, file.from + to, decorations[kind]);
    }
  }
  return builder.finish();
}

/** Returns the indentation, in columns, of the line at a position, or of a new line that begins there. */
function indentation(context: IndentContext, pos: number): number {
  const { doc, tabSize } = context.state;
  const here = doc.lineAt(pos);
  let n = here.number;
  let before = here.text.slice(0, pos - here.from);
  while (before.trim() === "" && n > 1) before = doc.line(--n).text;
  const columns = leadingColumns(before, tabSize) + context.unit * furtherIn(before, context.textAfterPos(pos));
  return Math.max(0, columns);
}

/** Returns the extension for a text with Go in the given ranges. */
export function go(files: (state: EditorState) => readonly Range[]): Extension {
  return [
    ViewPlugin.fromClass(
      class {
        decorations: DecorationSet;

        constructor(view: EditorView) {
          this.decorations = highlighting(view, files(view.state));
        }

        update(u: ViewUpdate): void {
          if (u.docChanged || u.viewportChanged) this.decorations = highlighting(u.view, files(u.state));
        }
      },
      { decorations: (plugin) => plugin.decorations },
    ),
    indentUnit.of("\t"),
    indentService.of(indentation),
    indentOnInput(),
    EditorState.languageData.of(() => [
      {
        commentTokens: { line: "//", block: { open: "/*", close: "*/" } },
        indentOnInput: /^\s*(?:case\b|default\s*:|[})\]])$/,
      },
    ]),
  ];
}
