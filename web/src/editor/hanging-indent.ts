// Indents the continuation of a wrapped line as its beginning, and by at least one tab, so that it does not look like
// the next line.

import { RangeSetBuilder } from "@codemirror/state";
import { Decoration, ViewPlugin, type DecorationSet, type EditorView, type ViewUpdate } from "@codemirror/view";
import { leadingColumns } from "./positions.ts";

export const hangingIndent = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;

    constructor(view: EditorView) {
      this.decorations = indents(view);
    }

    update(u: ViewUpdate): void {
      if (u.docChanged || u.viewportChanged) this.decorations = indents(u.view);
    }
  },
  { decorations: (plugin) => plugin.decorations },
);

function indents(view: EditorView): DecorationSet {
  const { doc, tabSize } = view.state;
  const builder = new RangeSetBuilder<Decoration>();
  for (const { from, to } of view.visibleRanges) {
    for (let at = from; at <= to;) {
      const line = doc.lineAt(at);
      // Only whole tabs, because tab stops are counted from the padding and a leading tab must end on one.
      const tabs = Math.max(1, Math.floor(leadingColumns(line.text, tabSize) / tabSize));
      builder.add(line.from, line.from, Decoration.line({ attributes: { style: `--ots-hang: ${tabs * tabSize}ch` } }));
      at = line.to + 1;
    }
  }
  return builder.finish();
}
