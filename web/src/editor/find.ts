// Finds a text in the editor: a field over its corner, which Ctrl-F or Cmd-F opens. The browser's own search finds only
// the lines that the editor has drawn. It is loaded when the reader first opens it, and imports nothing of CodeMirror,
// which would then be loaded twice.

import type { EditorView } from "@codemirror/view";
import { adoptStyle, button, el } from "../dom.ts";

/** Set by the build. */
declare const FIND_STYLE: string;

const HIGHLIGHT = "ots-found";

/** A range of the text. */
interface Match {
  from: number;
  to: number;
}

class Find {
  readonly root: HTMLElement;
  readonly #view: EditorView;
  readonly #field = el("input", { class: "ots-find-field", type: "text", spellcheck: "false", "aria-label": "Find" });
  readonly #count = el("span", { class: "ots-find-count", role: "status" });
  #match: Match | null = null;

  constructor(view: EditorView) {
    adoptStyle(FIND_STYLE);
    this.#view = view;
    this.#field.addEventListener("input", () => this.#find(this.#match?.from ?? view.state.selection.main.from));
    const previous = button("ots-button is-quiet", () => this.#step(-1), "Previous");
    const next = button("ots-button is-quiet", () => this.#step(1), "Next");
    const close = button("ots-button is-quiet", () => this.close(), "Close");
    this.root = el("div", { class: "ots-find", role: "search" }, this.#field, this.#count, previous, next, close);
    this.root.addEventListener("keydown", (e) => {
      if (e.key === "Escape") this.close();
      else if (e.key === "Enter" && !e.ctrlKey && !e.metaKey && e.target === this.#field) this.#step(e.shiftKey ? -1 : 1);
      else return;
      e.preventDefault();
      e.stopPropagation();
    });
  }

  /** Opens the field with the selected text, and moves the focus there. */
  open(): void {
    const { main } = this.#view.state.selection;
    const selected = this.#view.state.sliceDoc(main.from, main.to);
    if (selected !== "" && !selected.includes("\n")) this.#field.value = selected;
    this.#view.dom.after(this.root);
    this.#field.select();
    this.#find(main.from);
  }

  /** Removes the field. The match stays selected. */
  close(): void {
    this.root.remove();
    CSS.highlights?.delete(HIGHLIGHT);
    this.#view.focus();
  }

  /** Returns all matches. Small letters match large ones too. */
  #matches(): Match[] {
    const sought = this.#field.value.toLowerCase();
    const text = this.#view.state.doc.toString().toLowerCase();
    const matches: Match[] = [];
    if (sought === "") return matches;
    for (let at = text.indexOf(sought); at >= 0; at = text.indexOf(sought, at + sought.length))
      matches.push({ from: at, to: at + sought.length });
    return matches;
  }

  /** Shows the first match at or after a position, or else the first of all. */
  #find(from: number): void {
    const matches = this.#matches();
    this.#show(matches, Math.max(0, matches.findIndex((match) => match.from >= from)));
  }

  /** Shows the match before the current one or after it. */
  #step(by: 1 | -1): void {
    const matches = this.#matches();
    const at = matches.findIndex(({ from }) => from >= (this.#match?.from ?? 0));
    // The text may have been edited, so that the match is gone.
    const isThere = matches[at]?.from === this.#match?.from;
    const next = by === 1 && !isThere ? at : at + by;
    this.#show(matches, (next + matches.length) % matches.length);
  }

  #show(matches: readonly Match[], at: number): void {
    const match = (this.#match = matches[at] ?? null);
    this.#count.textContent = match ? `${at + 1} of ${matches.length}` : this.#field.value === "" ? "" : "not found";
    CSS.highlights?.delete(HIGHLIGHT);
    if (!match) return;
    const view = this.#view;
    view.dispatch({ selection: { anchor: match.from, head: match.to }, scrollIntoView: true });
    // The lines of the match may be drawn only once the editor has scrolled there.
    view.requestMeasure({ read: () => match === this.#match && highlight(view, match) });
  }
}

/** Marks a range, because its selection is not seen while the focus is elsewhere. */
function highlight(view: EditorView, { from, to }: Match): void {
  if (!CSS.highlights) return;
  const [start, end] = [view.domAtPos(from), view.domAtPos(to)];
  const range = new StaticRange({
    startContainer: start.node,
    startOffset: start.offset,
    endContainer: end.node,
    endOffset: end.offset,
  });
  CSS.highlights.set(HIGHLIGHT, new Highlight(range));
}

const opened = new WeakMap<EditorView, Find>();

/** Opens the field over an editor. */
export function openFind(view: EditorView): void {
  const find = opened.get(view) ?? new Find(view);
  opened.set(view, find);
  find.open();
}
