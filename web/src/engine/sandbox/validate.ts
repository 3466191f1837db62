// Messages are untrusted: a program can reach the JavaScript of its worker and call postMessage. Validate shape and
// limits here, so that nothing outside the frame needs to.

import { HEAD } from "./output.ts";
import type { FromProgram, SandboxLimits, SandboxStop } from "./protocol.ts";

/** More messages than any run within its limits sends. */
const MAX_MESSAGES = 50_000;

const STOPS: readonly unknown[] = ["time", "output", "deep", "loading"] satisfies SandboxStop[];

/** Validates the messages of one run. */
export class MessageValidator {
  #messages = MAX_MESSAGES;
  /** Bytes that may still come. */
  #output: number;
  #report: number;

  constructor(limits: SandboxLimits) {
    // The most that a program can cause is to print single bytes, each with its header.
    this.#output = limits.output * (1 + HEAD);
    this.#report = limits.report;
  }

  /**
   * Returns the message, or null if it is malformed. A message that exceeds a limit of messages or output becomes the
   * last one.
   */
  validate(data: unknown): FromProgram | null {
    if (--this.#messages < 0) return { kind: "ended", exit: -1, stop: "output" };
    if (typeof data !== "object" || data === null || !("kind" in data)) return null;
    switch (data.kind) {
      case "began":
        return { kind: "began" };
      case "printed":
        if (!("packed" in data) || !(data.packed instanceof Uint8Array)) return null;
        this.#output -= retained(data.packed);
        if (this.#output < 0) return { kind: "ended", exit: -1, stop: "output" };
        return { kind: "printed", packed: data.packed };
      case "reported":
        if (!("bytes" in data) || !(data.bytes instanceof Uint8Array)) return null;
        this.#report -= retained(data.bytes);
        return this.#report < 0 ? null : { kind: "reported", bytes: data.bytes };
      case "ended": {
        const exit = "exit" in data && Number.isInteger(data.exit) ? (data.exit as number) | 0 : 2;
        const stop = "stop" in data && STOPS.includes(data.stop) ? { stop: data.stop as SandboxStop } : {};
        const trap = "trap" in data && typeof data.trap === "string" ? { trap: data.trap.slice(0, 1000) } : {};
        return { kind: "ended", exit, ...stop, ...trap };
      }
    }
    return null;
  }
}

/** Returns the number of bytes that a view keeps in memory, which is the size of its whole buffer. */
function retained({ buffer }: Uint8Array): number {
  return buffer.byteLength;
}
