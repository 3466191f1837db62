// The line between two panes, which the reader drags with the pointer or moves with the arrow keys.

import { el } from "../dom.ts";

/** How far an arrow key moves it, in percent of the panes' width. */
const STEP = 2;

export interface DividerOptions {
  /** What it says to assistive technology: "Width of the task". */
  label: string;
  /** The ID of the pane that it makes wider or narrower. */
  controls: string;
  /** Where it may stand, in percent from the left edge. */
  range: () => [min: number, max: number];
  /** Moves it. The position is within the range. */
  move: (position: number) => void;
  /** The reader has moved it. */
  moved: () => void;
  /** Moves it back to where it stood first. */
  restore: () => void;
}

export class Divider {
  readonly root: HTMLElement;
  readonly #options: DividerOptions;
  #position = 0;

  constructor(options: DividerOptions) {
    this.#options = options;
    const { label, controls, restore, moved } = options;
    this.root = el("div", {
      class: "ots-divider",
      role: "separator",
      tabindex: 0,
      "aria-orientation": "vertical",
      "aria-label": label,
      "aria-controls": controls,
    });
    this.root.addEventListener("pointerdown", (e) => {
      if (e.button === 0) this.root.setPointerCapture(e.pointerId);
    });
    this.root.addEventListener("pointermove", (e) => {
      if (this.root.hasPointerCapture(e.pointerId)) this.#to(this.#under(e.clientX));
    });
    this.root.addEventListener("lostpointercapture", moved);
    this.root.addEventListener("dblclick", () => {
      restore();
      moved();
    });
    this.root.addEventListener("keydown", (e) => this.#key(e));
  }

  /** Tells where it stands. */
  at(position: number): void {
    this.#position = position;
    const [min, max] = this.#options.range();
    const values = { valuenow: position, valuemin: min, valuemax: max };
    for (const [name, value] of Object.entries(values)) this.root.setAttribute(`aria-${name}`, value.toFixed(0));
  }

  /** Returns the position, in percent, of a place in the window. */
  #under(clientX: number): number {
    const { left, width } = this.root.parentElement!.getBoundingClientRect();
    return (100 * (clientX - left)) / width;
  }

  #key(e: KeyboardEvent): void {
    const [min, max] = this.#options.range();
    const places: Record<string, number> = {
      ArrowLeft: this.#position - STEP,
      ArrowRight: this.#position + STEP,
      Home: min,
      End: max,
    };
    const place = places[e.key];
    if (place === undefined || e.ctrlKey || e.metaKey || e.altKey) return;
    e.preventDefault();
    this.#to(place);
    this.#options.moved();
  }

  #to(position: number): void {
    const [min, max] = this.#options.range();
    this.#options.move(Math.min(Math.max(position, min), max));
  }
}
