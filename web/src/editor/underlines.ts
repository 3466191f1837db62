// Underlines errors and warnings. The marks in the gutter describe them.

import { StateEffect, StateField, type Extension } from "@codemirror/state";
import { Decoration, EditorView, type DecorationSet } from "@codemirror/view";

export interface Underline {
  from: number;
  to: number;
  severity: "error" | "warning";
  message: string;
}

export const underlineEffect = StateEffect.define<readonly Underline[]>();

const field = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(value, tr) {
    let shown = value.map(tr.changes);
    for (const effect of tr.effects) {
      if (effect.is(underlineEffect)) shown = Decoration.set(effect.value.flatMap(decoration), true);
    }
    return shown;
  },
  provide: (f) => EditorView.decorations.from(f),
});

/** Returns the decoration of an underline; none for an empty range, which CodeMirror does not allow. */
function decoration({ from, to, severity, message }: Underline) {
  return from < to
    ? [Decoration.mark({ class: `ots-underline is-${severity}`, attributes: { title: message } }).range(from, to)]
    : [];
}

export const underlines: Extension = field;
