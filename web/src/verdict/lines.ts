// Line numbers in a verdict or a report, which link to the code if the page has an editor.

import { button, el } from "../dom.ts";

/** The code that line numbers link to. */
export interface Source {
  has(file: string): boolean;
  goTo(file: string, line: number, col?: number): void;
  /** Highlights lines; none to end it. */
  emphasize(file: string, lines: readonly number[]): void;
  /** Scrolls to the highlighted line if it is not visible, but leaves the focus where it is. */
  reveal?(file: string, line: number): void;
}

/** Makes the line numbers of one verdict or report. */
export class Lines {
  readonly #source: Source | undefined;
  readonly #named: boolean;

  /** Without a source, line numbers are plain text. If named is true, they begin with the name of the file. */
  constructor(source: Source | undefined, named: boolean) {
    this.#source = source;
    this.#named = named;
  }

  /** Returns a line number: a button if the source has the file, otherwise plain text. */
  link(file: string, line: number, col?: number): HTMLElement {
    const source = this.#source;
    const reachable = source?.has(file) ?? false;
    const foreign = this.#named || (source !== undefined && !reachable);
    const short = foreign ? `${baseName(file)}:${line}` : String(line);
    if (line === 0) return el("span", { class: "ots-at" }, baseName(file));
    if (!source || !reachable) return el("span", { class: "ots-at" }, short);
    const b = button("ots-at", () => source.goTo(file, line, col), short);
    if (!foreign) b.setAttribute("aria-label", `line ${line}`);
    b.title = `Go to line ${line}`;
    return b;
  }

  /** Highlights the lines of an item while the pointer or the focus is on it. */
  emphasizeFor(item: HTMLElement, file: string, numbers: readonly number[]): void {
    const source = this.#source;
    if (!source?.has(file)) return;
    const on = () => source.emphasize(file, numbers);
    const off = () => source.emphasize(file, []);
    item.addEventListener("pointerenter", on);
    item.addEventListener("pointerleave", off);
    item.addEventListener("focusin", on);
    item.addEventListener("focusout", off);
  }
}

/** Returns the last element of a path. */
export function baseName(file: string): string {
  return file.slice(file.lastIndexOf("/") + 1);
}
