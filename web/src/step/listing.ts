// The program's text, with a mark at the current line of each frame.

import { el } from "../dom.ts";
import { goTokens } from "../editor/go-text.ts";
import type { AllocatingLine, ProgramStep, Steps } from "../go/step.ts";
import { inBytes } from "./memory.ts";

/** The listing of one file at a time. */
export class Listing {
  readonly root = el("div", { class: "ots-steps-code", role: "region", tabindex: 0, "aria-label": "The program" });
  #steps: Steps;
  readonly #files = new Map<string, HTMLElement[]>();
  #file: string | null = null;
  #now: HTMLElement | undefined;

  constructor(steps: Steps) {
    this.#steps = steps;
  }

  /** Takes other counts of the same program. They are drawn with the next step that is shown. */
  update(steps: Steps): void {
    this.#steps = steps;
    this.#files.clear();
    this.#file = null;
  }

  /** Shows the file of a step, and marks the line at which it is and the lines of the calls that led to it. */
  show(step: ProgramStep): void {
    const lines = this.#linesOf(step.file);
    if (this.#file !== step.file) {
      const { scrollTop } = this.root;
      const again = this.#file === null;
      this.#file = step.file;
      this.root.replaceChildren(...lines);
      if (again) this.root.scrollTop = scrollTop;
      this.root.setAttribute("aria-label", step.file);
    }
    for (const line of lines) {
      line.classList.remove("is-now", "is-caller");
      line.removeAttribute("aria-current");
    }
    for (const frame of step.stack)
      if (frame.file === step.file && frame.goroutine === step.goroutine)
        lines[frame.line - 1]?.classList.add("is-caller");
    const now = lines[step.line - 1];
    now?.classList.add("is-now");
    now?.setAttribute("aria-current", "true");
    this.#now = now;
    this.reveal();
  }

  /** Scrolls the listing, but not the page, to the line that is marked. */
  reveal(): void {
    const { root } = this;
    const line = this.#now;
    if (!line) return;
    const top = line.offsetTop;
    const room = 2 * line.offsetHeight;
    if (top < root.scrollTop + room || top + room > root.scrollTop + root.clientHeight)
      root.scrollTop = top - root.clientHeight / 2;
  }

  #linesOf(file: string): HTMLElement[] {
    const made = this.#files.get(file) ?? this.#draw(file);
    this.#files.set(file, made);
    return made;
  }

  #draw(file: string): HTMLElement[] {
    const text = (this.#steps.files[file] ?? "").replace(/\n$/, "");
    return coloredLines(text).map((content, i) => {
      const allocates = this.#steps.lines.find((l) => l.file === file && l.line === i + 1);
      return el(
        "div",
        { class: allocates ? "ots-steps-line is-heap" : "ots-steps-line" },
        el("span", { class: "ots-steps-number" }, String(i + 1)),
        el("code", {}, ...content),
        allocates && el("span", { class: "ots-steps-allocs", title: allocates.reason }, allocsWords(allocates)),
      );
    });
  }
}

function allocsWords({ allocs, bytes, shared }: AllocatingLine): string {
  return `${shared ? "about " : ""}${allocs === 1 ? "1 alloc" : `${allocs} allocs`}${inBytes(bytes)}`;
}

/** Splits Go source into lines of highlighted text. */
export function coloredLines(text: string): (Node | string)[][] {
  const lines: (Node | string)[][] = [[]];
  const put = (part: string, kind?: string) => {
    for (const [i, piece] of part.split("\n").entries()) {
      if (i > 0) lines.push([]);
      if (piece !== "") lines.at(-1)!.push(kind ? el("span", { class: `tok-${kind}` }, piece) : piece);
    }
  };
  let at = 0;
  for (const { kind, from, to } of goTokens(text)) {
    put(text.slice(at, from));
    put(text.slice(from, to), kind);
    at = to;
  }
  put(text.slice(at));
  return lines;
}
