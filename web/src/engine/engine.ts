// The engine of a page: it does what a runner does, with Go's own compiler in a worker. All requests of the page share
// one engine. The time limits of its tasks are here.

import { readFormatted, readReport, readRun } from "../responses.ts";
import type { Formatted, ProgramRun, Report } from "../go/runner.ts";
import { readVerdict } from "../responses.ts";
import type { Verdict } from "../go/runner.ts";
import type { CallOptions, Outcome } from "../runner.ts";
import { childOf, untilAborted } from "./abort.ts";
import type { Manifest } from "./manifest.ts";
import { FetchError } from "./parts.ts";
import type { FromEngine, Modules, Task } from "./protocol.ts";
import { Queue } from "./queue.ts";
import { Session } from "./session.ts";
import { transition, type State, type StateEvent } from "./state.ts";

/**
 * Time limits. An ordinary task takes some seconds; only a source that is made to keep the compiler busy takes longer.
 */
const TASK_LIMIT_MS = { check: 40_000, compile: 30_000, escape: 40_000, format: 5_000, step: 40_000 };

/**
 * Grace period after a cancel, before the session is ended: a compile cannot be interrupted. It is longer while the
 * parts are not in the browser's cache, since a new session would have to fetch them again.
 */
const CANCEL_GRACE_MS = { cached: 500, uncached: 5000 };

export interface EngineOptions extends CallOptions {
  /** Called while parts are fetched, with the share of all bytes that is there, from 0 to 1. */
  onFetching?: (share: number) => void;
}

/** Whether the browser stores the engine's parts for a later visit. */
export interface CacheStatus {
  /** Why it does not store them, in a sentence; "" if it stores them. */
  why: string;
  /** Some parts came from the network. */
  fetched: boolean;
}

const CANCELED: Outcome<never> = { kind: "canceled" };

export class Engine {
  readonly #folder: string;
  readonly #manifest: Manifest;
  readonly #queue = new Queue();
  /** The requests that have not been answered. */
  readonly #requests = new Set<AbortController>();
  #state: State = { name: "stopped" };
  /**
   * The modules for the next session. They are set once the parts are cached: until then a new worker needs the parts,
   * to store them.
   */
  #modules: Modules | null = null;
  #tasks = 0;
  #resolveCacheStatus: (status: CacheStatus) => void = () => {};
  /** Resolves when the parts are in the browser's cache, or cannot be. */
  readonly cacheStatus = new Promise<CacheStatus>((resolve) => (this.#resolveCacheStatus = resolve));

  /** Creates an engine whose parts are in the folder. It fetches nothing before it is asked for something. */
  constructor(folder: string, manifest: Manifest) {
    this.#folder = folder;
    this.#manifest = manifest;
    // The browser may keep the page in its back-forward cache. The engine's memory must not stay allocated there.
    addEventListener("pagehide", () => {
      for (const request of this.#requests) request.abort();
      if (this.#state.name !== "stopped") this.#state.session.end(new Error("the page was left"));
      this.#modules = null;
    });
  }

  check(exercise: string, files: Record<string, string>, options: EngineOptions = {}): Promise<Outcome<Verdict>> {
    return this.#request({ kind: "check", exercise, files }, options, readVerdict);
  }

  compile(body: string, options: EngineOptions = {}): Promise<Outcome<ProgramRun>> {
    return this.#request({ kind: "compile", body }, options, readRun);
  }

  escape(body: string, options: EngineOptions = {}): Promise<Outcome<Report>> {
    return this.#request({ kind: "escape", body }, options, readReport);
  }

  format(body: string, options: EngineOptions = {}): Promise<Outcome<Formatted>> {
    return this.#request({ kind: "format", body }, options, readFormatted);
  }

  step(body: string, options: EngineOptions = {}): Promise<Outcome<unknown>> {
    return this.#request({ kind: "step", body }, options, (json) => json);
  }

  /** Fetches the missing parts and starts the worker. Rejects with a FetchError, or if this browser cannot run it. */
  async start(): Promise<void> {
    await this.#start().loaded;
  }

  /** Does a task when its turn comes. The outcome is "canceled" as soon as the reader cancels. */
  async #request<T>(task: Task, options: EngineOptions, read: (json: unknown) => T | null): Promise<Outcome<T>> {
    const request = childOf(options.signal);
    this.#requests.add(request);
    try {
      const outcome = await this.#serve(task, request.signal, options);
      if (outcome.kind !== "ok") return outcome;
      const value = read(outcome.value);
      return value === null ? refused("The engine's answer cannot be read: reload the page.") : { kind: "ok", value };
    } catch (e) {
      if (request.signal.aborted) return CANCELED;
      const headline =
        e instanceof FetchError ? "Go's compiler could not be fetched" : "This page could not finish the request";
      return refused(e instanceof Error ? e.message : String(e), headline);
    } finally {
      this.#requests.delete(request);
      request.abort();
    }
  }

  async #serve(task: Task, signal: AbortSignal, { onEvent, onFetching }: EngineOptions): Promise<Outcome<unknown>> {
    const release = await this.#queue.acquire(signal, onEvent);
    let free: Promise<unknown> = Promise.resolve();
    try {
      const cold = this.#state.name === "stopped" || this.#state.name === "loading";
      const session = await this.#load(signal, onFetching);
      if (cold) onEvent?.({ kind: "begun" });
      const answer = this.#do(task, session, signal, onEvent);
      free = answer;
      return await untilAborted(answer, signal);
    } finally {
      // The slot is released when the worker is free, which may be some time after the reader has canceled.
      void free.then(release);
    }
  }

  /**
   * Returns a session that is ready. If all requests that wait for a loading session are canceled, the session is left.
   */
  async #load(signal: AbortSignal, onFetching?: (share: number) => void): Promise<Session> {
    const session = this.#start();
    session.onFetching = (share) => signal.aborted || onFetching?.(share);
    try {
      await untilAborted(session.loaded, signal);
      return session;
    } catch (e) {
      const nobodyWaits = [...this.#requests].every((request) => request.signal.aborted);
      if (this.#state.name === "loading" && nobodyWaits) session.leave();
      throw e;
    }
  }

  #start(): Session {
    if (this.#state.name !== "stopped") return this.#state.session;
    const receive = (message: FromEngine) => this.#receive(session, message);
    const session = new Session(this.#folder, this.#manifest, this.#modules, receive);
    session.ended.addEventListener("abort", () => this.#sessionEnded(session.ended.reason as Error));
    this.#apply({ name: "start", session });
    void session.loaded.then(() => session.ended.aborted || this.#apply({ name: "loaded" }), () => {});
    return session;
  }

  /** Has the worker do a task. Resolves when the worker is free again, also after a cancel. */
  #do(task: Task, session: Session, signal: AbortSignal, onEvent: CallOptions["onEvent"]): Promise<Outcome<unknown>> {
    signal.throwIfAborted();
    if (session.ended.aborted) return Promise.resolve(refused("The engine was stopped. Press the button again."));
    const id = ++this.#tasks;
    return new Promise((settle) => {
      this.#apply({ name: "task", task: { id, onEvent, settle } });
      const limit = TASK_LIMIT_MS[task.kind];
      this.#endAfter(limit, `It took longer than ${limit / 1000} s and was stopped.`);
      signal.addEventListener("abort", () => this.#cancel(id));
      session.send({ kind: "do", id, task });
    });
  }

  #cancel(id: number): void {
    if (this.#state.name !== "busy" || this.#state.task.id !== id) return;
    this.#state.session.send({ kind: "stop", id });
    this.#apply({ name: "cancel" });
    this.#endAfter(CANCEL_GRACE_MS[this.#modules ? "cached" : "uncached"], "stopped");
  }

  #receive(session: Session, message: FromEngine): void {
    if (message.kind === "cached") {
      this.#modules = session.modules;
      return this.#resolveCacheStatus(message);
    }
    if (!("id" in message) || !("task" in this.#state) || this.#state.task.id !== message.id) return;
    const { task } = this.#state;
    if (message.kind === "stage") return task.onEvent?.({ kind: "stage", stage: message.stage, ok: true });
    if (message.kind === "picture") return task.onEvent?.({ kind: "picture", steps: JSON.parse(message.picture) });
    const outcome: Outcome<unknown> =
      message.kind === "done" ? { kind: "ok", value: JSON.parse(message.answer) } : refused(message.message);
    this.#apply({ name: "answered" });
    task.settle(outcome);
  }

  #sessionEnded(why: Error): void {
    const before = this.#state;
    this.#apply({ name: "ended" });
    if ("task" in before) before.task.settle(refused(why.message));
  }

  #apply(event: StateEvent): void {
    this.#state = transition(this.#state, event);
  }

  /** Ends the session if the engine is still in its present state after a time. */
  #endAfter(ms: number, why: string): void {
    const state = this.#state;
    AbortSignal.timeout(ms).addEventListener("abort", () => {
      if (this.#state === state && "session" in state) state.session.end(new Error(why));
    });
  }
}

function refused(message: string, headline = "The page refused the request"): Outcome<never> {
  return { kind: "refused", message, headline };
}
