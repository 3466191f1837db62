// The engine does one task at a time. Requests wait for its slot in the order in which they came.

import type { CheckEvent } from "../responses.ts";

interface Waiting {
  admit: () => void;
  tell: ((event: CheckEvent) => void) | undefined;
}

export class Queue {
  #taken = false;
  #waiting: Waiting[] = [];

  /** Whether a task is under way. */
  get isTaken(): boolean {
    return this.#taken;
  }

  /** Whether any request waits. */
  get hasWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  /**
   * Waits for the slot and returns a function that releases it; call it once. A request that has to wait is told its
   * position, from 1, and when its wait is over. Rejects with the signal's reason if the signal is aborted first.
   */
  async acquire(signal: AbortSignal, tell?: (event: CheckEvent) => void): Promise<() => void> {
    signal.throwIfAborted();
    if (this.#taken) {
      await this.#wait(signal, tell);
      tell?.({ kind: "begun" });
    }
    this.#taken = true;
    return () => this.#release();
  }

  #wait(signal: AbortSignal, tell: Waiting["tell"]): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiting: Waiting = { admit: resolve, tell };
      this.#waiting.push(waiting);
      tell?.({ kind: "queued", position: this.#waiting.length });
      signal.addEventListener("abort", () => {
        this.#waiting = this.#waiting.filter((other) => other !== waiting);
        reject(signal.reason as Error);
      });
    });
  }

  /** Hands the slot to the request that has waited longest. */
  #release(): void {
    const next = this.#waiting.shift();
    if (next) next.admit();
    else this.#taken = false;
    this.#waiting.forEach(({ tell }, i) => tell?.({ kind: "queued", position: i + 1 }));
  }
}
