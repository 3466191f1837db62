// The measured runs of a program under several settings of the garbage collector: <div class="ots-gctrace">. Two
// sliders choose one of the runs in the table, which stays readable below.

import { blockData, el } from "../dom.ts";
import { GctraceData, type GCRun } from "../go/book.ts";
import { read } from "../json.ts";

/** Adds the sliders above the table. Reports whether the block has the data for them. */
export function upgradeGctrace(block: HTMLElement): boolean {
  const data = read(GctraceData, blockData(block), "runs");
  if (!data || data.runs.length === 0) return false;
  block.prepend(new Sliders(data.runs).root);
  block.classList.add("ots-upgraded");
  return true;
}

/** A slider over a list of values. */
interface Slider {
  input: HTMLInputElement;
  values: readonly number[];
  row: HTMLElement;
  shown: HTMLElement;
  words: (value: number) => string;
}

class Sliders {
  readonly root: HTMLElement;
  readonly #runs: readonly GCRun[];
  readonly #gogc: Slider;
  readonly #limit: Slider;
  readonly #largest: number;
  readonly #max: number;
  readonly #collections = bar("collections");
  readonly #heap = bar("largest heap");
  readonly #live = el("p", { class: "ots-unseen", role: "status" });

  constructor(runs: readonly GCRun[]) {
    this.#runs = runs;
    this.#largest = Math.max(...runs.map((r) => r.heap));
    this.#max = Math.max(...runs.map((r) => r.collections));
    const gogcs = distinct(runs.map((r) => r.gogc)).sort((a, b) => a - b);
    // No limit is at the right, beside the largest one.
    const limits = distinct(runs.map((r) => r.limit)).sort((a, b) => (a || Infinity) - (b || Infinity));
    this.#gogc = this.#slider("GOGC", gogcs, gogcs.indexOf(100), String);
    this.#limit = this.#slider("GOMEMLIMIT", limits, limits.length - 1, (mib) => (mib ? `${mib} MiB` : "none"));
    this.root = el(
      "div",
      { class: "ots-gctrace-sliders" },
      this.#gogc.row,
      this.#limit.row,
      this.#collections.row,
      this.#heap.row,
      this.#live,
    );
    // On arrow keys, mdBook turns to another page.
    this.root.addEventListener("keydown", (e) => e.stopPropagation());
    this.#show();
  }

  #slider(name: string, values: readonly number[], at: number, words: (value: number) => string): Slider {
    const shown = el("output", {});
    const input = el("input", {
      type: "range",
      min: 0,
      max: values.length - 1,
      step: 1,
      value: Math.max(at, 0),
      "aria-label": name,
    });
    const slider = { input, values, shown, words, row: el("label", {}, el("code", {}, name), input, shown) };
    input.addEventListener("input", () => {
      this.#show();
      this.#live.textContent = `${this.#collections.shown.textContent}, ${this.#heap.shown.textContent}`;
    });
    return slider;
  }

  #show(): void {
    const [gogc, limit] = [this.#gogc, this.#limit].map((slider) => {
      const value = slider.values[Number(slider.input.value)]!;
      slider.shown.textContent = slider.words(value);
      slider.input.setAttribute("aria-valuetext", slider.words(value));
      return value;
    });
    const run = this.#runs.find((r) => r.gogc === gogc && r.limit === limit);
    if (!run) return;
    this.#collections.set(`${run.collections} collections`, run.collections / this.#max);
    this.#heap.set(`heap up to ${run.heap} MB`, run.heap / this.#largest);
  }
}

function bar(name: string) {
  const shown = el("span", { class: "ots-gctrace-figure" });
  const filled = el("span", { class: "ots-gctrace-bar", "aria-hidden": "true" });
  const row = el("p", { class: "ots-gctrace-row", title: name }, shown, filled);
  const set = (words: string, part: number) => {
    shown.textContent = words;
    filled.style.setProperty("--part", String(part));
  };
  return { row, shown, set };
}

const distinct = (values: readonly number[]) => [...new Set(values)];
