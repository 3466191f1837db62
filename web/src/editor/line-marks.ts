// Marks in a gutter of their own, which follow their lines through later edits.

import {
  ChangeSet,
  MapMode,
  RangeSet,
  StateEffect,
  StateField,
  type ChangeDesc,
  type EditorState,
  type Extension,
  type Text,
} from "@codemirror/state";
import { Decoration, EditorView, GutterMarker, gutter } from "@codemirror/view";
import type { LineMark } from "../code-editor.ts";
import type { Tip } from "./tip.ts";

export const beginCheckEffect = StateEffect.define<null>();
export const markEffect = StateEffect.define<readonly LineMark[]>();
export const emphasizeEffect = StateEffect.define<readonly number[]>();

/** An earlier text, and its changes since then. */
interface Snapshot {
  doc: Text;
  since: ChangeDesc;
}

interface Checked {
  /** The text at the beginning of a check whose marks have not arrived. */
  pending: Snapshot | null;
  /** The text that the marks are about. */
  shown: Snapshot | null;
  marks: readonly LineMark[];
  emphasized: readonly number[];
}

const checked = StateField.define<Checked>({
  create: () => ({ pending: null, shown: null, marks: [], emphasized: [] }),
  update(value, tr) {
    let { pending, shown, marks, emphasized } = value;
    if (tr.docChanged) {
      pending = pending && { doc: pending.doc, since: pending.since.composeDesc(tr.changes.desc) };
      shown = shown && { doc: shown.doc, since: shown.since.composeDesc(tr.changes.desc) };
    }
    for (const effect of tr.effects) {
      if (effect.is(beginCheckEffect)) pending = snapshot(tr.newDoc);
      if (effect.is(emphasizeEffect)) emphasized = effect.value;
      if (effect.is(markEffect)) {
        shown = pending ?? snapshot(tr.newDoc);
        pending = null;
        marks = effect.value;
        emphasized = [];
      }
    }
    return { pending, shown, marks, emphasized };
  },
});

function snapshot(doc: Text): Snapshot {
  return { doc, since: ChangeSet.empty(doc.length).desc };
}

/** Returns the current start of a line of the snapshot, or null if the line was deleted. */
function lineStart({ doc, since }: Snapshot, line: number, mode: MapMode): number | null {
  if (line < 1 || line > doc.lines) return null;
  return since.mapPos(doc.line(line).from, 1, mode);
}

/** Returns the current position of a line of the text that the shown marks are about. */
export function checkedPosition(state: EditorState, line: number): number {
  return position(state, state.field(checked).shown, line);
}

/** Returns the current position of a line of the text whose marks are about to be shown. */
export function pendingPosition(state: EditorState, line: number): number {
  return position(state, state.field(checked).pending, line);
}

function position(state: EditorState, snap: Snapshot | null, line: number): number {
  const at = snap && lineStart(snap, line, MapMode.Simple);
  return at ?? state.doc.line(Math.min(Math.max(1, line), state.doc.lines)).from;
}

class Mark extends GutterMarker {
  readonly mark: LineMark;
  readonly #tip: Tip;

  constructor(mark: LineMark, tip: Tip) {
    super();
    this.mark = mark;
    this.#tip = tip;
  }

  override eq(other: Mark): boolean {
    return other.mark === this.mark;
  }

  override toDOM(): HTMLElement {
    const b = document.createElement("button");
    b.type = "button";
    b.className = `ots-mark is-${this.mark.kind}`;
    b.textContent = this.mark.label;
    b.setAttribute("aria-label", this.mark.name);
    this.#tip.attach(b, this.mark.describe);
    return b;
  }
}

/** Makes the gutter as wide as the widest usual mark, so that the code does not move when marks appear. */
class Spacer extends GutterMarker {
  override toDOM(): HTMLElement {
    const s = document.createElement("span");
    s.className = "ots-mark";
    s.textContent = "2×";
    return s;
  }
}

/** Returns the gutter, and the background of marked and of emphasized lines. */
export function lineMarks(tip: Tip): Extension {
  const markedLines = (state: EditorState) => {
    const { shown, marks } = state.field(checked);
    if (!shown) return [];
    return marks.flatMap((mark) => {
      const at = lineStart(shown, mark.line, MapMode.TrackDel);
      return at === null ? [] : [{ mark, from: state.doc.lineAt(at).from }];
    });
  };
  return [
    checked,
    gutter({
      class: "ots-mark-gutter",
      markers: (view) =>
        RangeSet.of(
          markedLines(view.state).map((p) => new Mark(p.mark, tip).range(p.from)),
          true,
        ),
      initialSpacer: () => new Spacer(),
    }),
    EditorView.decorations.compute([checked], (state) => {
      const { shown, emphasized } = state.field(checked);
      const lines = markedLines(state).map((p) => Decoration.line({ class: `ots-line-${p.mark.kind}` }).range(p.from));
      const looked = shown
        ? emphasized.flatMap((line) => {
            const at = lineStart(shown, line, MapMode.TrackDel);
            return at === null ? [] : [Decoration.line({ class: "ots-line-looked" }).range(state.doc.lineAt(at).from)];
          })
        : [];
      return Decoration.set([...lines, ...looked], true);
    }),
  ];
}

/**
 * Exposes the marks to assistive technology, from which CodeMirror hides its gutters: marks are buttons. Line numbers
 * stay hidden.
 */
export function exposeMarks(view: EditorView): void {
  view.dom.querySelector(".cm-gutters")?.removeAttribute("aria-hidden");
  view.dom.querySelector(".cm-lineNumbers")?.setAttribute("aria-hidden", "true");
}
