// Types the closing bracket or quotation mark together with the opening one. Typing it then moves past it, and
// Backspace between the two removes both.

import { MapMode, StateEffect, StateField, type EditorState, type Extension } from "@codemirror/state";
import { EditorView, keymap } from "@codemirror/view";
import { goTokens } from "./go-text.ts";

const CLOSING: ReadonlyMap<string, string> = new Map(["()", "[]", "{}", '""', "''", "``"].map((pair) => [pair[0]!, pair[1]!]));

/** A closing character was typed for the reader at this position of the new text. */
const closed = StateEffect.define<number>();

/** The positions of the closing characters that were typed for the reader. */
const closers = StateField.define<readonly number[]>({
  create: () => [],
  update(positions, { changes, effects }) {
    const rest = positions.map((at) => changes.mapPos(at, 1, MapMode.TrackAfter)).filter((at) => at !== null);
    return [...rest, ...effects.flatMap((effect) => (effect.is(closed) ? [effect.value] : []))];
  },
});

/** Reports whether a line ends within a comment or a string. */
function endsInText(line: string): boolean {
  const last = [...goTokens(line)].at(-1);
  if (!last || last.to < line.length) return false;
  const text = line.slice(last.from);
  return last.kind === "comment" || (last.kind === "string" && (text.length === 1 || !text.endsWith(text[0]!)));
}

/** Reports whether an opening character that is typed at a position gets its closing one. */
function opens(state: EditorState, at: number, open: string): boolean {
  const [before, after] = [state.sliceDoc(at - 1, at), state.sliceDoc(at, at + 1)];
  if (/[^\s)\]},;:]/.test(after)) return false;
  const isQuote = CLOSING.get(open) === open;
  const line = state.doc.lineAt(at);
  return !(isQuote && /[\w"'`]/.test(before)) && !endsInText(line.text.slice(0, at - line.from));
}

const typing = EditorView.inputHandler.of((view, from, to, text) => {
  const { state } = view;
  const { main, ranges } = state.selection;
  if (view.composing || state.readOnly || ranges.length > 1 || main.from !== from || main.to !== to) return false;
  const past = main.empty && state.field(closers).includes(to) && state.sliceDoc(to, to + 1) === text;
  if (past && state.sliceDoc(to - 1, to) !== "\\") {
    view.dispatch({ selection: { anchor: to + 1 }, userEvent: "select" });
    return true;
  }
  const close = CLOSING.get(text);
  if (close === undefined || (main.empty && !opens(state, from, text))) return false;
  view.dispatch({
    changes: [{ from, insert: text }, { from: to, insert: close }],
    selection: { anchor: from + 1, head: to + 1 },
    effects: main.empty ? closed.of(to + 1) : [],
    userEvent: "input.type",
  });
  return true;
});

/** Removes both characters of a pair, if the cursor is between them. */
function removePair(view: EditorView): boolean {
  const { state } = view;
  const { main } = state.selection;
  const at = main.head;
  const between = main.empty && at > 0 && state.field(closers).includes(at);
  if (!between || CLOSING.get(state.sliceDoc(at - 1, at)) !== state.sliceDoc(at, at + 1)) return false;
  view.dispatch({ changes: { from: at - 1, to: at + 1 }, userEvent: "delete.backward" });
  return true;
}

export const closing: Extension = [closers, typing, keymap.of([{ key: "Backspace", run: removePair }])];
