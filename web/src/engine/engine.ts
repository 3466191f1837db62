// The engine of a page: it does what a runner does, with Go's own compiler in a worker. All requests of the page share
// one engine, which does one after the other: its queue is the only one between a button and the compiler.

import { readFormatted, readReport, readRun, readVerdict } from "../responses.ts";
import type { Formatted, ProgramRun, Report, Verdict } from "../go/runner.ts";
import type { CallOptions, Outcome } from "../runner.ts";
import { childOf, untilAborted } from "./abort.ts";
import type { Manifest } from "./manifest.ts";
import { FetchError } from "./parts.ts";
import type { Build, Loading, Modules, Solution, Task } from "./protocol.ts";
import { Queue } from "./queue.ts";
import { Session, type CacheStatus, type SessionOptions } from "./session.ts";

export interface EngineOptions extends CallOptions {
  /**
   * Called while parts are fetched. part is what they are of the bytes of all parts, and share how much of them has
   * arrived, both from 0 to 1.
   */
  onFetching?: (share: number, part: number) => void;
}

/** The part of a session that the engine uses. */
export type OpenedSession = Pick<
  Session, "loaded" | "ended" | "modules" | "loading" | "onLoading" | "do" | "end" | "leave"
>;

const CANCELED: Outcome<never> = { kind: "canceled" };

export class Engine {
  readonly #open: (options: SessionOptions) => OpenedSession;
  readonly #folder: string;
  readonly #manifest: Manifest;
  readonly #queue = new Queue();
  /** Null before the first request and after a session has ended: the next request opens one. */
  #session: OpenedSession | null = null;
  /** The task under way for which nobody has asked. It is canceled when the reader asks for something. */
  #unasked: AbortController | null = null;
  /** Is aborted when the reader leaves the page. */
  #left = new AbortController();
  /**
   * The modules for the next session. They are set once the parts are cached: until then a new worker needs the parts,
   * to store them.
   */
  #modules: Modules | null = null;
  #resolveCacheStatus: (status: CacheStatus) => void = () => {};
  /** Resolves when the parts are in the browser's cache, or cannot be. */
  readonly cacheStatus = new Promise<CacheStatus>((resolve) => (this.#resolveCacheStatus = resolve));

  /**
   * Creates an engine whose parts are in the folder. It fetches nothing before it is asked for something. Tests replace
   * the sessions.
   */
  constructor(
    folder: string, manifest: Manifest, open: (options: SessionOptions) => OpenedSession = (o) => new Session(o),
  ) {
    this.#folder = folder;
    this.#manifest = manifest;
    this.#open = open;
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
    await this.#opened().loaded;
  }

  /**
   * Starts the worker and builds what the reader is likely to ask for first, so that the answer comes sooner. To be
   * called only if all parts are in the cache. It never rejects: a request meets the same problem again, and tells it.
   */
  async prepare(build: Build): Promise<void> {
    if (!this.#session) await this.#offer({ kind: "build", of: build });
  }

  /**
   * Builds a solution, so that its check takes less time. Returns the verdict as far as to the build; null if it would
   * have to wait, or if there is none.
   */
  async build(of: Solution, signal: AbortSignal): Promise<Verdict | null> {
    if (!this.#session?.modules || this.#queue.isTaken) return null;
    return readVerdict(await this.#offer({ kind: "build", of }, signal));
  }

  /** Does a task for which nobody has asked, which gives way to what the reader asks for. Null if it has no answer. */
  async #offer(task: Task, signal?: AbortSignal): Promise<unknown> {
    const unasked = (this.#unasked = childOf(signal, this.#left.signal));
    try {
      const outcome = await this.#serve(task, unasked.signal, {});
      return outcome.kind === "ok" ? outcome.value : null;
    } catch {
      return null;
    } finally {
      unasked.abort();
      if (this.#unasked === unasked) this.#unasked = null;
    }
  }

  /** Ends the session if it does nothing, to free its memory. The next request starts another one. */
  rest(): void {
    if (!this.#queue.isTaken) this.#session?.end(new Error("it had nothing to do"));
  }

  /**
   * Cancels all requests and frees the engine's memory. The browser may keep a page in its back-forward cache, where the
   * memory must not stay allocated.
   */
  leave(): void {
    this.#left.abort(new Error("the page was left"));
    this.#left = new AbortController();
    this.#session?.end(new Error("the page was left"));
    this.#modules = null;
  }

  /** Does a task when its turn comes. The outcome is "canceled" as soon as the reader cancels. */
  async #request<T>(task: Task, options: EngineOptions, read: (json: unknown) => T | null): Promise<Outcome<T>> {
    this.#unasked?.abort(new Error("the reader has asked for something"));
    const request = childOf(options.signal, this.#left.signal);
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
      request.abort();
    }
  }

  async #serve(task: Task, signal: AbortSignal, { onEvent, onFetching }: EngineOptions): Promise<Outcome<unknown>> {
    const load = (at: Loading) => {
      if (signal.aborted) return;
      if (at.kind === "fetching") onFetching?.(at.share, at.part);
      else onEvent?.(at);
    };
    // A task for which nobody has asked is not a queue.
    const gives = this.#unasked !== null;
    const release = await this.#queue.acquire(signal, (event) => {
      if (!gives || event.kind !== "queued" || event.position > 1) onEvent?.(event);
    });
    let free: Promise<unknown> = Promise.resolve();
    try {
      const session = this.#opened();
      if (!session.modules) {
        session.onLoading = load;
        if (session.loading) load(session.loading);
        await this.#loaded(session, signal);
        onEvent?.({ kind: "begun" });
      }
      signal.throwIfAborted();
      const answer = session.do(task, signal, onEvent).then(
        (value): Outcome<unknown> => ({ kind: "ok", value }),
        (e: Error) => refused(e.message),
      );
      free = answer;
      return await untilAborted(answer, signal);
    } finally {
      // The slot is released when the worker is free, which may be some time after the reader has canceled.
      void free.then(release);
    }
  }

  /** Waits until a session can do tasks. If the reader cancels and nobody else waits, the session is left. */
  async #loaded(session: OpenedSession, signal: AbortSignal): Promise<void> {
    try {
      await untilAborted(session.loaded, signal);
    } catch (e) {
      if (signal.aborted && !this.#queue.hasWaiting) session.leave();
      throw e;
    }
  }

  /** Returns the session, or opens one. */
  #opened(): OpenedSession {
    if (this.#session) return this.#session;
    const session = this.#open({
      folder: this.#folder,
      manifest: this.#manifest,
      modules: this.#modules,
      onCached: (status) => {
        this.#modules = session.modules;
        this.#resolveCacheStatus(status);
      },
    });
    session.ended.addEventListener("abort", () => (this.#session = null));
    return (this.#session = session);
  }
}

function refused(message: string, headline = "The page refused the request"): Outcome<never> {
  return { kind: "refused", message, headline };
}
