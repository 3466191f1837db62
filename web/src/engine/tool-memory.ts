// The memory in which the compiler and the linker run, one after the other. A browser maps a new memory page by page as a run touches
// it, tens of megabytes each time; the linker, which touches the most, is the slower for it.

import { IMPORTED, IMPORTED_PAGES } from "./memory.ts";

/** One that a run had grown to more bytes than this is not kept: the next run seldom needs as much. */
const KEEP = 160 << 20;

export class ToolMemory {
  readonly #maximum: number;
  #memory: WebAssembly.Memory | null = null;
  /** So many bytes are not zero, maybe. */
  #used = 0;

  /** A memory may grow to maximum bytes. */
  constructor(maximum: number) {
    this.#maximum = maximum;
  }

  /** What a module that imports its memory is to be given; nothing for one that has its own. */
  take(module: WebAssembly.Module): WebAssembly.Imports {
    const [from, name] = IMPORTED;
    if (!WebAssembly.Module.imports(module).some((i) => i.module === from && i.name === name)) return {};
    this.clear();
    this.#memory ??= new WebAssembly.Memory({ initial: IMPORTED_PAGES, maximum: this.#maximum >> 16 });
    return { [from]: { [name]: this.#memory } };
  }

  /** Takes note that a run is over. Where it broke off, its timers may go on and write. */
  over(whole: boolean): void {
    const bytes = this.#memory?.buffer.byteLength ?? 0;
    if (!whole || bytes > KEEP) this.#memory = null;
    this.#used = this.#memory ? bytes : 0;
  }

  /** Makes it as new, as Go's runtime expects. Done while nothing else is, it costs the next run nothing. */
  clear(): void {
    if (this.#memory && this.#used > 0) new Uint8Array(this.#memory.buffer, 0, this.#used).fill(0);
    this.#used = 0;
  }
}
