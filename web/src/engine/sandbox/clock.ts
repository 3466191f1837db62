// A program's own clock. It starts at the time when Go was announced, stands still while the program computes, and
// jumps ahead when all goroutines sleep. It replaces the functions of wasm_exec.js with which Go's runtime reads the
// time and sets timers.

import type { GoInstance } from "../go-program.ts";

/** 2009-11-10 23:00:00 UTC, in nanoseconds since 1970. */
const EPOCH = 1257894000_000000000n;

const MILLISECOND = 1_000_000n;

/** The largest time of Go's monotonic clock. */
const LAST = 2n ** 63n - 1n;

export class OwnClock {
  now = EPOCH;
  readonly #timeouts = new Map<number, bigint>();
  #id = 1;

  install(go: GoInstance): void {
    const calls: Record<string, (sp: number) => void> = {
      "runtime.nanotime1": (sp) => go.mem.setBigInt64(sp + 8, this.now, true),
      "runtime.walltime": (sp) => {
        go.mem.setBigInt64(sp + 8, this.now / 1_000_000_000n, true);
        go.mem.setInt32(sp + 16, Number(this.now % 1_000_000_000n), true);
      },
      "runtime.scheduleTimeoutEvent": (sp) => {
        const id = this.#id++;
        this.#timeouts.set(id, this.now + go.mem.getBigInt64(sp + 8, true) * MILLISECOND);
        go.mem.setInt32(sp + 16, id, true);
      },
      "runtime.clearTimeoutEvent": (sp) => void this.#timeouts.delete(go.mem.getInt32(sp + 8, true)),
    };
    const gojs = go.importObject["gojs"];
    if (!gojs) throw new Error("wasm_exec.js has no imports named gojs: this Go release is not known here");
    for (const [name, call] of Object.entries(calls)) gojs[name] = (sp: number) => call(sp >>> 0);
  }

  /** Advances to the next timer and wakes the program. Reports whether there was a timer. */
  jump(go: GoInstance): boolean {
    const next = [...this.#timeouts].sort(([, a], [, b]) => (a < b ? -1 : a > b ? 1 : 0))[0];
    if (!next) return false;
    const [id, at] = next;
    if (at > this.now) this.now = at < LAST ? at : LAST;
    // As in wasm_exec.js: resume until Go's runtime has cleared the timeout, which shows that it saw it.
    do go._resume();
    while (!go.exited && this.#timeouts.has(id) && (this.#timeouts.get(id) ?? 0n) <= this.now);
    return true;
  }
}
