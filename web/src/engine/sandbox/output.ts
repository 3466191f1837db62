// Packs what a program prints into few messages: a program may print a million times, and messages go through the
// page's thread.

import type { FromProgram } from "./protocol.ts";

/** The number of pieces that are sent at once, so that output appears early. Later pieces are sent together. */
const AT_ONCE = 256;
const TOGETHER_BYTES = 16 << 10;
const TOGETHER_MS = 20;

/** The size of a piece's header in bytes: descriptor (1), nanoseconds since 1970 (8), length (4), little-endian. */
export const HEAD = 13;

/**
 * Sends what a program prints, up to a limit in bytes. The program may be ended at any moment, so little is buffered.
 */
export class Output {
  readonly #now: () => bigint;
  readonly #send: (message: FromProgram) => void;
  #left: number;
  #sent = 0;
  #packed = new Uint8Array(2 * TOGETHER_BYTES);
  #view = new DataView(this.#packed.buffer);
  #size = 0;
  /** The index at which the last piece begins. */
  #last = 0;
  #since = 0;

  constructor(limit: number, now: () => bigint, send: (message: FromProgram) => void) {
    this.#left = limit;
    this.#now = now;
    this.#send = send;
  }

  print(descriptor: number, bytes: Uint8Array): void {
    if (this.#left < 0 || bytes.length === 0) return;
    const over = bytes.length > this.#left;
    for (let at = 0; at < bytes.length && this.#left > 0; at += TOGETHER_BYTES) {
      this.#add(descriptor, bytes.subarray(at, Math.min(at + TOGETHER_BYTES, at + this.#left, bytes.length)));
    }
    if (!over) return;
    this.#left = -1;
    this.flush();
    // The supervisor then ends this worker.
    this.#send({ kind: "ended", exit: -1, stop: "output" });
  }

  #add(descriptor: number, part: Uint8Array): void {
    const now = this.#now();
    if (this.#size === 0) this.#since = performance.now();
    const sameDescriptor = this.#view.getUint8(this.#last) === descriptor;
    if (this.#size === 0 || !sameDescriptor || this.#view.getBigInt64(this.#last + 1, true) !== now) {
      this.#last = this.#size;
      this.#view.setUint8(this.#last, descriptor);
      this.#view.setBigInt64(this.#last + 1, now, true);
      this.#view.setUint32(this.#last + 9, 0, true);
      this.#size += HEAD;
    }
    this.#view.setUint32(this.#last + 9, this.#view.getUint32(this.#last + 9, true) + part.length, true);
    this.#packed.set(part, this.#size);
    this.#size += part.length;
    this.#left -= part.length;
    const full = this.#size + HEAD >= TOGETHER_BYTES;
    if (this.#sent < AT_ONCE || full || performance.now() - this.#since >= TOGETHER_MS) this.flush();
  }

  flush(): void {
    if (this.#size === 0) return;
    this.#sent++;
    this.#send({ kind: "printed", packed: this.#packed.slice(0, this.#size) });
    this.#size = 0;
  }
}
