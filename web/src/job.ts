// A widget's job: one request to a runner, which a button starts. There is at most one at a time, and the widget shows
// its state.
//
//  idle, done, failed, stopped, stored ──start──▶ sent
//  sent, busy, queued, fetching, running, stage ──event──▶ busy, queued, fetching, running, stage
//  sent, busy, queued, fetching, running, stage ──answer──▶ streaming ──▶ done
//  sent, busy, queued, fetching, running, stage ──no answer──▶ failed, stopped
//  done ──▶ stored
//
// The states of the first line are settled: nothing is under way, and another job may start.

import type { CheckEvent } from "./responses.ts";
import { Fetching } from "./fetching.ts";
import { refusedNotice, unreachableNotice } from "./notice.ts";
import type { CallOptions, Outcome } from "./runner.ts";
import type { Stage } from "./go/runner.ts";

/** Why a job has no answer. */
export type Failure = Extract<Outcome<never>, { kind: "unreachable" | "offer" | "refused" }>;

/** The state of a job that is named by What, such as "Check" or "Run". */
export type JobState<What extends string> =
  /** Nothing has been started, or the last job failed because of a bug. */
  | { name: "idle" }
  /** The request was sent, and no event of it has arrived. */
  | { name: "sent"; what: What }
  /** The runner was busy. The request is sent again after some seconds. */
  | { name: "busy"; what: What; seconds: number }
  /** The request waits in a queue. The position counts from 1; 0 if it is not known. */
  | { name: "queued"; what: What; position: number }
  /**
   * The page fetches or starts Go's compiler. The words are shown, and also announced to screen readers if announce is
   * set.
   */
  | { name: "fetching"; what: What; words: string; announce: boolean }
  /** The wait in a queue or for the compiler is over. */
  | { name: "running"; what: What }
  /** A stage of a check is over. */
  | { name: "stage"; what: What; stage: Stage; ok: boolean }
  /** The answer is being shown, which may take some time: a program's output is played as it was printed. */
  | { name: "streaming"; what: What }
  | { name: "done"; what: What }
  | { name: "failed"; what: What; failure: Failure }
  /** The reader stopped it. */
  | { name: "stopped"; what: What }
  /**
   * Some time after a job, the browser has stored what the page needs to work without a network; or it has not, and why
   * says why.
   */
  | { name: "stored"; why: string };

/** A state in which a job waits for its answer. */
export type Progress<What extends string = string> = Extract<
  JobState<What>,
  { name: "busy" | "queued" | "fetching" | "running" | "stage" }
>;

/** Reports whether a job is under way. */
export function isActive<What extends string>(state: JobState<What>): state is Extract<JobState<What>, { what: What }> {
  return !["idle", "done", "failed", "stopped", "stored"].includes(state.name);
}

export class Jobs<What extends string> {
  readonly #show: (state: JobState<What>) => void;
  #state: JobState<What> = { name: "idle" };
  #stop = new AbortController();

  /** show is called with each new state. */
  constructor(show: (state: JobState<What>) => void) {
    this.#show = show;
  }

  get state(): JobState<What> {
    return this.#state;
  }

  get active(): boolean {
    return isActive(this.#state);
  }

  /** Stops the job that is under way, if there is one. */
  stop(): void {
    if (this.active) this.#stop.abort();
  }

  /**
   * Starts a job, unless one is under way: call sends the request, and show shows the answer. The signal that show gets
   * is aborted if the reader stops the job meanwhile.
   */
  async start<T>(
    what: What,
    call: (options: CallOptions) => Promise<Outcome<T>>,
    show: (value: T, signal: AbortSignal) => void | Promise<void>,
  ): Promise<void> {
    if (this.active) return;
    const stop = (this.#stop = new AbortController());
    const { signal } = stop;
    this.#enter({ name: "sent", what });
    try {
      const outcome = await call({
        signal,
        onBusy: (seconds) => this.#enter({ name: "busy", what, seconds }),
        onEvent: this.#eventsOf(what, stop),
      });
      if (outcome.kind === "ok") {
        this.#enter({ name: "streaming", what });
        await show(outcome.value, signal);
        this.#enter({ name: "done", what });
      } else if (outcome.kind === "canceled") {
        this.#enter({ name: "stopped", what });
      } else {
        this.#enter({ name: "failed", what, failure: outcome });
      }
    } finally {
      if (this.active) this.#enter({ name: "idle" });
    }
  }

  /** Turns the events of a job into states. Those after the job's end are ignored, except what the browser stores. */
  #eventsOf(what: What, job: AbortController): (event: CheckEvent) => void {
    const fetching = new Fetching();
    return (event) => {
      if (event.kind === "stored") {
        if (!this.active) this.#enter({ name: "stored", why: event.why });
        return;
      }
      if (!this.active || this.#state.name === "streaming" || this.#stop !== job) return;
      switch (event.kind) {
        case "queued":
          return this.#enter({ name: "queued", what, position: event.position });
        case "begun":
          return this.#enter({ name: "running", what });
        case "stage":
          return this.#enter({ name: "stage", what, stage: event.stage, ok: event.ok });
        case "fetching":
        case "starting":
          return this.#enter({ name: "fetching", what, ...fetching.words(event) });
      }
    };
  }

  #enter(state: JobState<What>): void {
    this.#state = state;
    this.#show(state);
  }
}

/** Returns the words for a runner that is busy. */
export function busyWords(seconds: number): string {
  return `The runner is busy, trying again in ${seconds} s`;
}

/**
 * Returns the notice for a job without an answer. retry is called when the reader accepts an offer, or asks the server
 * again.
 */
export function failureNotice(what: string, failure: Failure, retry: () => void): HTMLElement {
  switch (failure.kind) {
    case "unreachable":
      return unreachableNotice(what, failure.url);
    case "offer":
      return failure.offer.notice(failure.offer, what, retry);
    case "refused":
      return refusedNotice(failure.message, failure.headline);
  }
}
