// What the worker of a program says may be the program's saying: a program can reach its worker's JavaScript. It is heard as far as
// it has the shape and the size that it should have, so that nobody behind the frame needs to doubt it.

import { HEAD } from "./output.ts";
import type { CellLimits, CellStop, FromCell } from "./protocol.ts";

/** More than any run within its limits takes. */
const MOST_MESSAGES = 50_000;

const STOPS: readonly unknown[] = ["time", "output", "deep", "loading"] satisfies CellStop[];

export class Heard {
  #messages = MOST_MESSAGES;
  #output: number;
  #report: number;

  constructor(limits: CellLimits) {
    // As much as single bytes take, each with its head.
    this.#output = limits.output * (1 + HEAD);
    this.#report = limits.report;
  }

  /** Reads a message; null for what is none. One beyond the limits is the last. */
  read(data: unknown): FromCell | null {
    if (--this.#messages < 0) return { kind: "ended", exit: -1, stop: "output" };
    if (typeof data !== "object" || data === null || !("kind" in data)) return null;
    switch (data.kind) {
      case "began":
        return { kind: "began" };
      case "printed":
        if (!("packed" in data) || !(data.packed instanceof Uint8Array)) return null;
        this.#output -= weight(data.packed);
        return this.#output < 0 ? { kind: "ended", exit: -1, stop: "output" } : { kind: "printed", packed: data.packed };
      case "reported":
        if (!("bytes" in data) || !(data.bytes instanceof Uint8Array)) return null;
        this.#report -= weight(data.bytes);
        return this.#report < 0 ? null : { kind: "reported", bytes: data.bytes };
      case "ended": {
        const exit = "exit" in data && Number.isInteger(data.exit) ? (data.exit as number) | 0 : 2;
        const stop = "stop" in data && STOPS.includes(data.stop) ? { stop: data.stop as CellStop } : {};
        const trap = "trap" in data && typeof data.trap === "string" ? { trap: data.trap.slice(0, 1000) } : {};
        return { kind: "ended", exit, ...stop, ...trap };
      }
    }
    return null;
  }
}

/** What a view of bytes brings along: all that it is a view of. */
function weight({ buffer }: Uint8Array): number {
  return buffer.byteLength;
}
