// The engine of a page: it answers as a runner does, by Go's own compiler in a worker. All that ask on the page share one.

import type { Formatted, ProgramRun, Report, Verdict } from "../go/runner.ts";
import { readFormatted, readReport, readRun, readVerdict, type CheckNews } from "../responses.ts";
import type { CallOptions, Outcome } from "../runner.ts";
import { openSandboxFrame, type SandboxFrame } from "./sandbox-frame.ts";
import { startWorker } from "./start-worker.ts";
import type { Manifest } from "./manifest.ts";
import { fetchPart, FetchError } from "./parts.ts";
import type { FromEngine, Modules, Task, ToEngine } from "./protocol.ts";

/** Set by the build: the script of the engine's worker. */
declare const ENGINE_WORKER_SCRIPT: string;

/** A task takes some seconds at most; one that takes longer is the compiler's, on a program made to keep it busy. */
const LONGEST_MS = { check: 40_000, compile: 30_000, escape: 20_000, format: 5_000 };

/**
 * How long a worker may take to hear that nobody waits any more, before it is ended: the compiler hears nothing. Longer where what it
 * fetched is not kept yet, and would have to be fetched again.
 */
const HEARS_WITHIN_MS = { kept: 500, new: 5000 };

export interface EngineOptions extends CallOptions {
  /** Called while parts are fetched: so much of all there is, from 0 to 1. */
  onFetching?: (share: number) => void;
}

interface Running {
  id: number;
  settle: (outcome: Outcome<unknown>) => void;
  onStage: CallOptions["onNews"];
}

export interface Kept {
  /** Why it is not, in a sentence, "" where it is. */
  why: string;
  /** Not all was there before. */
  fetched: boolean;
}

interface Waiting {
  start: () => void;
  onNews: ((news: CheckNews) => void) | undefined;
}

const CANCELED: Outcome<never> = { kind: "canceled" };

export class Engine {
  readonly #folder: string;
  readonly #manifest: Manifest;
  readonly #onProgress = new Set<(share: number) => void>();
  #starting: Promise<void> | null = null;
  /** Ends the start that is under way. */
  #fail: (why: Error) => void = () => {};
  #worker: Worker | null = null;
  #warming: Worker | null = null;
  /** The text of wasm_exec.js. */
  #exec = "";
  #cell: SandboxFrame | null = null;
  /** For the worker after one that had to be ended. */
  #modules: Modules | null = null;
  /** All who wait for an answer, and what stops each. */
  readonly #asking = new Set<AbortController>();
  /** Somebody has the turn. */
  #taken = false;
  #queue: Waiting[] = [];
  #running: Running | null = null;
  #next = 1;
  /** Those of the worker at work, until what they were made of is kept. */
  #ready: Modules | null = null;
  #tellKept: (kept: Kept) => void = () => {};
  /** Resolves when it is settled whether all that was fetched is kept for a later visit. */
  readonly kept = new Promise<Kept>((resolve) => (this.#tellKept = resolve));

  /** The engine whose parts are in the folder. Nothing is fetched before it is asked for something. */
  constructor(folder: string, manifest: Manifest) {
    this.#folder = folder;
    this.#manifest = manifest;
    // The browser may keep a page that is left, as it is: it is not to keep the engine's memory.
    addEventListener("pagehide", () => {
      for (const asking of this.#asking) asking.abort();
      this.#close(new Error("the page was left"));
      this.#modules = null;
    });
  }

  check(exercise: string, files: Record<string, string>, options: EngineOptions = {}): Promise<Outcome<Verdict>> {
    return this.#ask({ kind: "check", exercise, files }, options, readVerdict);
  }

  compile(body: string, options: EngineOptions = {}): Promise<Outcome<ProgramRun>> {
    return this.#ask({ kind: "compile", body }, options, readRun);
  }

  escape(body: string, options: EngineOptions = {}): Promise<Outcome<Report>> {
    return this.#ask({ kind: "escape", body }, options, readReport);
  }

  format(body: string, options: EngineOptions = {}): Promise<Outcome<Formatted>> {
    return this.#ask({ kind: "format", body }, options, readFormatted);
  }

  /** Fetches what is missing and makes ready. Rejects with a FetchError, or where this browser cannot. */
  start(onProgress?: (share: number) => void): Promise<void> {
    if (onProgress) this.#onProgress.add(onProgress);
    this.#starting ??= new Promise<void>((resolve, reject) => {
      let over = false;
      this.#fail = (why) => {
        over = true;
        reject(why);
      };
      this.#start(() => over).then(resolve, (e: Error) => {
        if (!over) this.#close(e);
        reject(e);
      });
    });
    return this.#starting.finally(() => onProgress && this.#onProgress.delete(onProgress));
  }

  async #start(isOver: () => boolean): Promise<void> {
    const exec = await fetchPart(this.#folder, this.#manifest.parts.exec, () => {});
    if (isOver()) return;
    this.#exec = new TextDecoder().decode(exec.bytes);
    const cell = (this.#cell = openSandboxFrame(this.#exec));
    const worker = (this.#worker = this.#newWorker());
    await new Promise<void>((resolve, reject) => {
      cell.opened.catch((why: Error) => {
        if (this.#cell !== cell) return;
        reject(why);
        this.#close(why);
      });
      worker.onmessage = ({ data }: MessageEvent<FromEngine>) => this.#heard(data, resolve, reject);
      worker.onerror = (event) => {
        event.preventDefault();
        const why = new Error(event.message || "the browser ended the worker");
        reject(why);
        this.#close(why);
      };
      const begin: ToEngine = { kind: "begin", folder: this.#folder, manifest: this.#manifest, exec, modules: this.#modules };
      worker.postMessage(begin, [cell.port]);
    });
  }

  /** Has a second worker do what of the first answer's work can be done meanwhile. */
  #warm(compiler: WebAssembly.Module): void {
    const worker = this.#newWorker();
    this.#warming = worker;
    worker.onmessage = worker.onerror = () => worker.terminate();
    worker.postMessage({ kind: "warm", compiler } satisfies ToEngine);
  }

  #newWorker(): Worker {
    return startWorker(`${this.#exec}\n${ENGINE_WORKER_SCRIPT}`);
  }

  #heard(message: FromEngine, ready: () => void, failed: (e: Error) => void): void {
    switch (message.kind) {
      case "fetching":
        for (const tell of this.#onProgress) tell(message.share);
        return;
      case "compiler":
        return this.#warm(message.module);
      case "warmed":
        return; // another worker's
      case "ready":
        this.#ready = message.modules;
        return ready();
      case "kept":
        // The next worker has no use of the parts that it need not fetch, and could not keep them.
        this.#modules = this.#ready;
        return this.#tellKept(message);
      case "failed": {
        const why = message.again ? new FetchError(message.message) : new Error(message.message);
        failed(why);
        return this.#close(why);
      }
    }
    const running = this.#running;
    if (running?.id !== message.id) return;
    if (message.kind === "stage") return running.onStage?.({ kind: "stage", stage: message.stage, ok: true });
    running.settle(message.kind === "done" ? { kind: "ok", value: JSON.parse(message.answer) as unknown } : refused(message.message));
  }

  /** Answers in turn, or at once where the reader stops waiting. */
  async #ask<T>(task: Task, options: EngineOptions, read: (json: unknown) => T | null): Promise<Outcome<T>> {
    const asking = new AbortController();
    const { signal } = asking;
    const stopped = new Promise<Outcome<never>>((resolve) => signal.addEventListener("abort", () => resolve(CANCELED)));
    const stop = () => asking.abort();
    if (options.signal?.aborted) stop();
    options.signal?.addEventListener("abort", stop);
    this.#asking.add(asking);
    try {
      return await Promise.race([stopped, this.#serve(task, { ...options, signal }, stopped, read)]);
    } finally {
      options.signal?.removeEventListener("abort", stop);
      this.#asking.delete(asking);
    }
  }

  async #serve<T>(
    task: Task, options: EngineOptions & { signal: AbortSignal }, stopped: Promise<Outcome<never>>, read: (json: unknown) => T | null,
  ): Promise<Outcome<T>> {
    const waited = this.#taken;
    if (!(await this.#turn(options))) return CANCELED;
    if (waited) options.onNews?.({ kind: "begun" });
    try {
      // In its own turn: whoever came before may have brought the worker down.
      const cold = !this.#ready;
      const over = await Promise.race([stopped, this.start((share) => options.signal.aborted || options.onFetching?.(share))]);
      if (over) {
        if (!this.#ready && ![...this.#asking].some(({ signal }) => !signal.aborted)) this.#leave();
        return over;
      }
      if (cold) options.onNews?.({ kind: "begun" });
      const outcome = await this.#do(task, options);
      if (outcome.kind !== "ok") return outcome;
      const value = read(outcome.value);
      return value === null ? refused("The engine's answer cannot be read: reload the page.") : { kind: "ok", value };
    } catch (e) {
      return refused(e instanceof Error ? e.message : String(e), e instanceof FetchError ? "Go's compiler could not be fetched" : "This page cannot do it");
    } finally {
      const next = this.#queue.shift();
      if (next) next.start();
      else this.#taken = false;
      this.#queue.forEach((waiting, i) => waiting.onNews?.({ kind: "queued", position: i + 1 }));
    }
  }

  /** Waits until nobody who came before is served; false where the reader stopped waiting. */
  #turn({ signal, onNews }: EngineOptions & { signal: AbortSignal }): Promise<boolean> {
    if (signal.aborted) return Promise.resolve(false);
    if (!this.#taken) {
      this.#taken = true;
      return Promise.resolve(true);
    }
    return new Promise((resolve) => {
      const waiting: Waiting = { start: () => resolve(true), onNews };
      this.#queue.push(waiting);
      onNews?.({ kind: "queued", position: this.#queue.length });
      signal.addEventListener("abort", () => {
        if (!this.#queue.includes(waiting)) return;
        this.#queue = this.#queue.filter((w) => w !== waiting);
        resolve(false);
      });
    });
  }

  /** Settles when the worker is free again, which may be later than the reader stops waiting. */
  #do(task: Task, { signal, onNews }: EngineOptions & { signal: AbortSignal }): Promise<Outcome<unknown>> {
    const worker = this.#worker;
    if (!worker) return Promise.resolve(refused("The engine was ended. Press the button again."));
    const id = this.#next++;
    return new Promise((resolve) => {
      const longest = LONGEST_MS[task.kind];
      let timer = setTimeout(() => this.#close(new Error(`It took longer than ${longest / 1000} s and was stopped.`)), longest);
      const settle = (outcome: Outcome<unknown>) => {
        clearTimeout(timer);
        this.#running = null;
        resolve(outcome);
      };
      this.#running = { id, settle, onStage: onNews };
      signal.addEventListener("abort", () => {
        if (this.#running?.id !== id) return;
        worker.postMessage({ kind: "stop", id });
        clearTimeout(timer);
        timer = setTimeout(() => this.#close(new Error("stopped")), HEARS_WITHIN_MS[this.#modules ? "kept" : "new"]);
      });
      worker.postMessage({ kind: "do", id, task });
    });
  }

  /** Leaves a start that nobody waits for to its worker, which keeps what has come. Whoever asks next starts anew. */
  #leave(): void {
    const worker = this.#worker;
    this.#worker = null;
    if (worker) {
      worker.onmessage = ({ data }: MessageEvent<FromEngine>) => void (/^(kept|failed)$/.test(data.kind) && worker.terminate());
      worker.onerror = () => worker.terminate();
      worker.postMessage({ kind: "leave" } satisfies ToEngine);
    }
    this.#close(new Error("nobody waits for it"));
  }

  /** Ends worker and cell. Whoever asks next starts anew. */
  #close(why: Error): void {
    this.#starting = null;
    this.#ready = null;
    this.#fail(why);
    this.#worker?.terminate();
    this.#warming?.terminate();
    this.#worker = null;
    this.#cell?.remove();
    this.#cell = null;
    this.#running?.settle(refused(why.message));
  }
}

function refused(message: string, headline = "The page did not take it"): Outcome<never> {
  return { kind: "refused", message, headline };
}
