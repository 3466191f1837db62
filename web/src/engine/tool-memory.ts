// The memory in which the compiler and the linker run, one after the other. It is reused because a browser maps a new
// memory page by page when a run first touches it: tens of megabytes each time, which slows down the linker most.

/**
 * The module and field name of the memory that the engine's own programs import, and the least that it may have at the
 * start, in pages of 64 KiB: see tools/engine/memory.go. Go's runtime reads its size before it grows it.
 */
const IMPORTED = ["onthestack", "memory"] as const;
const INITIAL_PAGES = 256;

/** A memory that a run has grown beyond this many bytes is not reused, because the next run seldom needs as much. */
const KEEP = 160 << 20;

export class ToolMemory {
  readonly #maximum: number;
  #memory: WebAssembly.Memory | null = null;
  /** How many bytes at the beginning may be nonzero. */
  #used = 0;

  /** The memory may grow to maximum bytes. */
  constructor(maximum: number) {
    this.#maximum = maximum;
  }

  /** Returns the imports for a run. */
  take(): WebAssembly.Imports {
    this.clear();
    this.#memory ??= new WebAssembly.Memory({ initial: INITIAL_PAGES, maximum: this.#maximum >> 16 });
    const [from, name] = IMPORTED;
    return { [from]: { [name]: this.#memory } };
  }

  /**
   * Records that a run is over. After an aborted run (whole is false) its timers may still write, so the memory is not
   * reused.
   */
  over(whole: boolean): void {
    const bytes = this.#memory?.buffer.byteLength ?? 0;
    if (!whole || bytes > KEEP) this.#memory = null;
    this.#used = this.#memory ? bytes : 0;
  }

  /** Frees the memory. No run may be under way. The next one gets a new memory. */
  free(): void {
    this.#memory = null;
    this.#used = 0;
  }

  /**
   * Zeroes the memory, as Go's runtime expects. If this is done while the worker is idle, the next run need not wait
   * for it.
   */
  clear(): void {
    if (this.#memory && this.#used > 0) new Uint8Array(this.#memory.buffer, 0, this.#used).fill(0);
    this.#used = 0;
  }
}
