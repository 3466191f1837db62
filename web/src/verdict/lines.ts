// Line numbers in a verdict or a report, which lead into the code where there is an editor.

import { button, el } from "../dom.ts";

/** Where the lines lead. */
export interface Source {
  has(file: string): boolean;
  goTo(file: string, line: number, col?: number): void;
  /** Points out lines for as long as the reader looks at what is said about them. */
  emphasize(file: string, lines: readonly number[]): void;
}

/** Makes the line numbers of one verdict. */
export class Lines {
  readonly #source: Source | undefined;
  readonly #named: boolean;

  /** Without a source, line numbers are plain text. Where named, they have their file's name before them. */
  constructor(source: Source | undefined, named: boolean) {
    this.#source = source;
    this.#named = named;
  }

  /** A line number: a button where there is a source to go to. */
  place(file: string, line: number, col?: number): HTMLElement {
    const source = this.#source;
    const reachable = source?.has(file) ?? false;
    const foreign = this.#named || (source !== undefined && !reachable);
    const short = foreign ? `${baseName(file)}:${line}` : String(line);
    if (line === 0) return el("span", { class: "ots-at" }, baseName(file));
    if (!source || !reachable) return el("span", { class: "ots-at" }, short);
    const b = button("ots-at", () => source.goTo(file, line, col), short);
    b.setAttribute("aria-label", `line ${line}`);
    b.title = `Go to line ${line}`;
    return b;
  }

  /** While the pointer or the focus is on item, its lines are pointed out. */
  pointOut(item: HTMLElement, file: string, numbers: readonly number[]): void {
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

export function baseName(file: string): string {
  return file.slice(file.lastIndexOf("/") + 1);
}
