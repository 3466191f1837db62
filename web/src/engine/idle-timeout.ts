// A timeout for data that arrives in pieces: some networks neither send nor fail.

import { childOf } from "./abort.ts";

const IDLE_MS = 10_000;

/** Aborts its signal when nothing has arrived for IDLE_MS, or when the parent signal is aborted. */
export class IdleTimeout {
  readonly #controller: AbortController;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(parent?: AbortSignal) {
    this.#controller = childOf(parent);
    this.restart();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Starts the timeout anew, because something has arrived. */
  restart(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#controller.abort(), IDLE_MS);
  }

  /** Ends the timeout, because all has arrived. */
  clear(): void {
    clearTimeout(this.#timer);
    this.#controller.abort();
  }
}
