// Shows the steps of a program, one at a time: its code, its stack and its heap.

import { adoptStyle, button, el } from "../dom.ts";
import { Steps, StepsComparison, STEPS_COMPARED_SCHEMA, STEPS_SCHEMA, type ProgramStep } from "../go/step.ts";
import { read } from "../json.ts";
import { drawArrows, targetOf } from "./arrows.ts";
import { Listing } from "./listing.ts";
import { drawMemory, inBytes } from "./memory.ts";
import { stepOver } from "./step-over.ts";

export interface ViewerOptions {
  /** Whether the program's text is shown beside the memory. Without it, only the current line is. */
  code: boolean;
  /** The steps that are shown, as indexes; all of them if absent. */
  from?: number;
  to?: number;
  /** The step to begin with, as an index. */
  at?: number;
  /** Its accessible name. */
  label?: string;
  /**
   * Of one of two programs that step together: the last step of the longer one, as an index. After its own last step,
   * this one stands still. The caller shows the bar.
   */
  until?: number;
  onStep?: (step: ProgramStep, at: number) => void;
}

/** The time for which Play shows a step. */
const PLAY_MS = 900;
/** The steps of the strip that is printed in place of the one on screen. */
const MAX_PRINTED = 24;

/** Reads a document of steps, or returns null if the JSON is none. */
export function readSteps(json: unknown): Steps | null {
  const steps = read(Steps, json, "schema", "steps");
  return steps?.schema === STEPS_SCHEMA ? steps : null;
}

/** A program that is stepped through, and what tells it from another: "Before", a file's name, or a release of Go. */
export interface Side {
  name: string;
  steps: Steps;
}

/** Reads a document of steps as one side without a name, or a comparison; null if the JSON is neither. */
export function readSides(json: unknown): Side[] | null {
  const compared = read(StepsComparison, json, "schema", "programs");
  if (compared?.schema !== STEPS_COMPARED_SCHEMA) {
    const steps = readSteps(json);
    return steps && [{ name: "", steps }];
  }
  const sides: Side[] = [];
  for (const { name, steps } of compared.programs) if (steps?.schema === STEPS_SCHEMA) sides.push({ name, steps });
  return sides.length > 0 && sides.length === compared.programs.length ? sides : null;
}

/** Set by the build: the style of the viewer; "" for a page that has it already. */
declare const STEPS_STYLE: string;

export class Viewer {
  readonly root: HTMLElement;
  /** The buttons and the slider. */
  readonly bar: HTMLElement;
  #steps: Steps;
  readonly #options: ViewerOptions;
  readonly #first: number;
  #last: number;
  readonly #back = button("ots-button", () => this.show(this.#at - 1), "Back");
  readonly #next = button("ots-button is-main", () => this.show(this.#at + 1), "Next");
  readonly #over = button("ots-button", () => this.#stepOver(), "Over");
  readonly #play = button("ots-button", () => this.#togglePlay(), "Play");
  readonly #slider: HTMLInputElement;
  readonly #count = el("span", { class: "ots-steps-count" });
  readonly #sentence = el("p", { class: "ots-steps-sentence", "aria-live": "polite" });
  readonly #line = el("p", { class: "ots-steps-current" });
  readonly #listing: Listing | null;
  readonly #memory = el("div");
  readonly #notes = el("div");
  readonly #output = el("pre", { class: "ots-output", role: "region", tabindex: 0, "aria-label": "Printed so far" });
  /** The functions whose details are open. */
  readonly #open = new Set<number>();
  #at = -1;
  #timer: ReturnType<typeof setInterval> | undefined;
  #strip: HTMLElement | null = null;
  /** Its first call comes when the viewer is in the page, so that there is something to scroll and to measure. */
  readonly #resized = new ResizeObserver(() => {
    this.#arrows();
    this.#listing?.reveal();
  });

  constructor(steps: Steps, options: ViewerOptions) {
    if (STEPS_STYLE) adoptStyle(STEPS_STYLE);
    this.#steps = steps;
    this.#options = options;
    this.#first = bounded(options.from ?? 0, 0, steps.steps.length - 1);
    this.#last = this.#lastOf(options.until);
    this.#slider = el("input", {
      type: "range",
      min: this.#first + 1,
      max: this.#last + 1,
      "aria-label": "Step of the program",
    });
    this.#slider.addEventListener("input", () => this.show(Number(this.#slider.value) - 1));
    this.#over.title = "Step over calls";
    this.#listing = options.code ? new Listing(steps) : null;
    const together = options.until !== undefined;
    this.bar = el(
      "div",
      { class: "ots-steps-bar" },
      el("span", { class: "ots-steps-buttons" }, this.#back, this.#next, this.#over, this.#play),
      this.#slider,
      together ? null : this.#count,
    );
    this.root = el(
      "section",
      {
        class: options.code ? "ots-steps has-code" : "ots-steps",
        "aria-label": options.label ?? "Stack and heap, step by step",
      },
      together ? this.#count : this.bar,
      this.#sentence,
      el(
        "div",
        { class: "ots-steps-columns" },
        this.#listing ? this.#listing.root : this.#line,
        el("div", { class: "ots-steps-memory" }, this.#memory, this.#output),
      ),
      this.#notes,
    );
    this.#note();
    this.root.addEventListener("keydown", (event) => this.key(event));
    for (const [type, lit] of [["pointerover", true], ["pointerout", false]] as const)
      this.#memory.addEventListener(type, (event) => this.#light(event.target, lit));
    this.#resized.observe(this.#memory);
    addEventListener("beforeprint", this.#printing);
    addEventListener("afterprint", this.#printed);
    this.show(bounded(options.at ?? this.#first, this.#first, this.#last));
  }

  /** The step that is shown, as an index. */
  get at(): number {
    return this.#at;
  }

  /**
   * Takes other counts of the same program, and stays at the step that is shown. until is as in the options; the counts
   * may have changed it.
   */
  update(steps: Steps, until?: number): void {
    this.#steps = steps;
    this.#last = this.#lastOf(until);
    this.#slider.max = String(this.#last + 1);
    this.#listing?.update(steps);
    this.#note();
    const at = this.#at;
    this.#at = -1;
    this.show(at);
  }

  #lastOf(until: number | undefined): number {
    const last = this.#steps.steps.length - 1;
    return until ?? bounded(this.#options.to ?? last, this.#first, last);
  }

  /** Says below the picture what it lacks. */
  #note(): void {
    const { cut, unmeasured, pending } = this.#steps;
    const notes = [
      cut,
      unmeasured && `Allocations are not known: ${unmeasured}.`,
      pending && "The compiler decides what is drawn on the heap. What the program allocates is being counted.",
    ];
    const shown = notes.filter((note) => note !== "" && note !== false);
    this.#notes.replaceChildren(...shown.map((note) => el("p", { class: "ots-mem-note" }, note)));
  }

  /** Moves the focus to the button Next, so that the keys work at once. */
  focus(): void {
    this.#next.focus({ preventScroll: true });
  }

  /** Shows a step, or the nearest that there is. */
  show(at: number): void {
    at = bounded(at, this.#first, this.#last);
    if (at === this.#last) this.stop();
    if (at === this.#at) return;
    this.#at = at;
    const index = Math.min(at, this.#steps.steps.length - 1);
    const step = this.#steps.steps[index]!;
    this.#slider.value = String(at + 1);
    this.#slider.setAttribute("aria-valuetext", `step ${at + 1}, line ${step.line}`);
    const allocs = step.allocs === 1 ? "1 alloc" : `${step.allocs} allocs`;
    const counted = this.#steps.pending ? "counting the allocations…" : `${allocs}${inBytes(step.bytes)} so far`;
    this.#count.textContent = `${index + 1} of ${this.#steps.steps.length} · ${counted}`;
    this.#sentence.textContent = step.sentence;
    disable(this.#back, at === this.#first);
    for (const b of [this.#next, this.#over, this.#play]) disable(b, at === this.#last);
    this.#line.replaceChildren(...lineOf(this.#steps, step));
    this.#memory.replaceChildren(drawMemory(this.#steps, step, this.#open));
    this.#arrows();
    const printed = this.#steps.steps.slice(0, at + 1).map((s) => s.output).join("");
    this.#output.textContent = printed;
    this.#output.hidden = printed === "";
    this.#listing?.show(step);
    this.#options.onStep?.(step, at);
  }

  /** Handles a key, unless an element that has the focus needs it. */
  key(event: KeyboardEvent): void {
    const target = event.target instanceof Element ? event.target : null;
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    const pressed = target?.closest("button, summary, a");
    const act = {
      ArrowRight: () => this.show(this.#at + 1),
      ArrowLeft: () => this.show(this.#at - 1),
      n: () => this.show(this.#at + 1),
      p: () => this.show(this.#at - 1),
      o: () => this.#stepOver(),
      Home: () => this.show(this.#first),
      End: () => this.show(this.#last),
      " ": pressed ? undefined : () => this.#togglePlay(),
    }[event.key];
    if (act) {
      event.preventDefault();
      act();
    }
    // mdBook turns pages on arrow keys.
    if (act || event.key.startsWith("Arrow")) event.stopPropagation();
  }

  /** Stops playing. */
  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#play.textContent = "Play";
    this.#sentence.setAttribute("aria-live", "polite");
  }

  /** To be called when the viewer is removed from the page. */
  close(): void {
    this.stop();
    this.#resized.disconnect();
    removeEventListener("beforeprint", this.#printing);
    removeEventListener("afterprint", this.#printed);
    this.root.remove();
  }

  #stepOver(): void {
    this.show(this.#at < this.#steps.steps.length ? stepOver(this.#steps, this.#at) : this.#at + 1);
  }

  #togglePlay(): void {
    if (this.#timer !== undefined) return this.stop();
    if (this.#at === this.#last) return;
    this.#play.textContent = "Pause";
    // Screen readers would not keep up.
    this.#sentence.setAttribute("aria-live", "off");
    this.#timer = setInterval(() => this.show(this.#at + 1), PLAY_MS);
  }

  #arrows(): void {
    const memory = this.#memory.firstElementChild;
    if (memory instanceof HTMLElement) drawArrows(memory);
  }

  #light(at: EventTarget | null, lit: boolean): void {
    const pointer = at instanceof Element ? at.closest<HTMLElement>("[data-to]") : null;
    if (pointer) targetOf(this.#memory, pointer)?.classList.toggle("is-lit", lit);
  }

  /** Draws the strip of steps that is printed. */
  readonly #printing = (): void => {
    if (this.#strip) return;
    const all = this.#steps.steps.slice(this.#first, this.#last + 1);
    const from =
      all.length <= MAX_PRINTED ? 0 : bounded(this.#at - this.#first - MAX_PRINTED / 2, 0, all.length - MAX_PRINTED);
    this.#strip = el(
      "ol",
      { class: "ots-steps-strip", start: this.#first + from + 1 },
      ...all.slice(from, from + MAX_PRINTED).map((step) =>
        el(
          "li",
          {},
          el("p", { class: "ots-steps-current" }, ...lineOf(this.#steps, step)),
          drawMemory(this.#steps, step, new Set(this.#steps.functions.keys())),
        ),
      ),
    );
    this.root.append(this.#strip);
  };

  readonly #printed = (): void => {
    this.#strip?.remove();
    this.#strip = null;
  };
}

function lineOf(steps: Steps, { file, line }: ProgramStep): (Node | string)[] {
  const several = Object.keys(steps.files).length > 1;
  const text = (steps.files[file] ?? "").split("\n")[line - 1] ?? "";
  return [
    el("span", { class: "ots-steps-number" }, several ? `${file}:${line}` : String(line)),
    el("code", {}, text.trim()),
  ];
}

function bounded(n: number, min: number, max: number): number {
  return Math.min(Math.max(Math.trunc(n), min), max);
}

/** A button that cannot be pressed keeps the focus, so that the keys go on working. */
function disable(b: HTMLButtonElement, disabled: boolean): void {
  if (disabled) b.setAttribute("aria-disabled", "true");
  else b.removeAttribute("aria-disabled");
}
