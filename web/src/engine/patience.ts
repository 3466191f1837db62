// How long something is waited for that may never come: some networks neither send nor fail.

const LONGEST_MS = 10_000;

/** Runs out when nothing has come for so long, or at once when nobody waits any more. */
export class Patience {
  readonly #over = new AbortController();
  readonly #left: AbortSignal | undefined;
  readonly #leave = () => this.#over.abort();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(left?: AbortSignal) {
    this.#left = left;
    if (left?.aborted) this.#leave();
    left?.addEventListener("abort", this.#leave);
    this.again();
  }

  /** Aborted when it has run out. */
  get signal(): AbortSignal {
    return this.#over.signal;
  }

  /** Something has come. */
  again(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#over.abort(), LONGEST_MS);
  }

  /** All has come. */
  end(): void {
    clearTimeout(this.#timer);
    this.#left?.removeEventListener("abort", this.#leave);
  }
}
