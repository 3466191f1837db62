// A session of the engine: one worker with Go's compiler, from its start to its end, and the sandbox frame in which
// programs run.

import type { CallOptions } from "../runner.ts";
import { untilAborted } from "./abort.ts";
import { openSandboxFrame } from "./sandbox-frame.ts";
import { startWorker } from "./start-worker.ts";
import type { Manifest } from "./manifest.ts";
import { fetchPart, FetchError } from "./parts.ts";
import type { Compilation, FromEngine, Loading, Modules, Task, ToEngine, ToolResult } from "./protocol.ts";
import { buffersOf } from "./second-compiler.ts";

/** Set by the build: the script of the engine's worker. */
declare const ENGINE_WORKER_SCRIPT: string;

/**
 * Time limits. An ordinary task takes some seconds; only a source that is made to keep the compiler busy takes longer.
 */
const TASK_LIMIT_MS: Record<Task["kind"], number> = {
  check: 40_000,
  compile: 30_000,
  escape: 40_000,
  format: 5_000,
  step: 40_000,
  build: 40_000,
};

/**
 * Grace period after a cancel, before the session is ended: a compile cannot be interrupted. It is longer while the
 * parts are not in the browser's cache, since a new session would have to fetch them again. A task for which
 * nobody has asked has none: it is canceled for the sake of one that needs the same session.
 */
const CANCEL_GRACE_MS = { cached: 500, uncached: 5000 };

/** Whether the browser stores the engine's parts for a later visit. */
export interface CacheStatus {
  /** Why it does not store them, in a sentence; "" if it stores them. */
  why: string;
  /** Some parts came from the network. */
  fetched: boolean;
}

export interface SessionOptions {
  /** The folder of the parts. */
  folder: string;
  manifest: Manifest;
  /** The modules of an earlier session, which need not be compiled again. */
  modules: Modules | null;
  /** Called when the parts are in the browser's cache, or cannot be. */
  onCached: (status: CacheStatus) => void;
}

/** The task that the worker has. */
interface Running {
  onEvent: CallOptions["onEvent"];
  resolve: (answer: unknown) => void;
  reject: (why: Error) => void;
}

export class Session {
  /** Resolves when the worker can do tasks. Rejects with the reason if the session ends before. */
  readonly loaded: Promise<void>;
  /** Go's programs as the browser compiled them, while the session is loaded. */
  modules: Modules | null = null;
  /** How far the start is; null before the worker has said so. */
  loading: Loading | null = null;
  /** Is told how far the start is. */
  onLoading: (loading: Loading) => void = () => {};
  readonly #onCached: (status: CacheStatus) => void;
  #isCached: boolean;
  #running: Running | null = null;
  readonly #ended = new AbortController();
  #worker: Worker | null = null;
  /** Runs the compiler while the first worker does something else. */
  #second: Worker | null = null;
  /** Whether the second worker is waiting for a compilation. */
  #idle = false;
  #resolveLoaded: () => void = () => {};

  constructor({ folder, manifest, modules, onCached }: SessionOptions) {
    this.#onCached = onCached;
    this.#isCached = modules !== null;
    this.loaded = untilAborted(new Promise<void>((resolve) => (this.#resolveLoaded = resolve)), this.ended);
    // Nobody may be waiting when the session ends, and the rejection is then not an error.
    this.loaded.catch(() => {});
    this.#begin(folder, manifest, modules).catch((why: Error) => this.end(why));
  }

  /** The signal is aborted when the session ends, with an Error as the reason. */
  get ended(): AbortSignal {
    return this.#ended.signal;
  }

  /**
   * Has the worker do a task; it does one at a time. Resolves to the answer when the worker is free again, also after
   * the signal is aborted. Rejects with the reason if there is no answer.
   */
  async do(task: Task, signal: AbortSignal, onEvent: CallOptions["onEvent"]): Promise<unknown> {
    // A check takes the most memory, and needs no second worker.
    if (task.kind === "check" && this.#idle) this.#endSecond();
    const limit = TASK_LIMIT_MS[task.kind];
    let timer = this.#endAfter(limit, `It took longer than ${limit / 1000} s and was stopped.`);
    const stop = () => {
      if (task.kind !== "build") {
        clearTimeout(timer);
        timer = this.#endAfter(CANCEL_GRACE_MS[this.#isCached ? "cached" : "uncached"], "stopped");
      }
      if (!this.#idle) this.#endSecond();
      this.#send({ kind: "stop" });
    };
    signal.addEventListener("abort", stop);
    try {
      const answer = new Promise((resolve, reject) => (this.#running = { onEvent, resolve, reject }));
      this.#send({ kind: "do", task });
      return await untilAborted(answer, this.ended);
    } finally {
      this.#running = null;
      clearTimeout(timer);
      signal.removeEventListener("abort", stop);
    }
  }

  #send(message: ToEngine): void {
    this.#worker?.postMessage(message);
  }

  #endAfter(ms: number, why: string): ReturnType<typeof setTimeout> {
    return setTimeout(() => this.end(new Error(why)), ms);
  }

  /** Ends the worker and the frame. */
  end(why: Error): void {
    this.modules = null;
    this.#ended.abort(why);
  }

  /** Ends the session, but lets the worker store the parts that it has fetched. */
  leave(): void {
    const worker = this.#worker;
    this.#worker = null;
    if (worker) {
      worker.onmessage = ({ data }: MessageEvent<FromEngine>) => {
        if (data.kind === "cached" || data.kind === "failed") worker.terminate();
      };
      worker.onerror = () => worker.terminate();
      worker.postMessage({ kind: "leave" } satisfies ToEngine);
    }
    this.end(new Error("nobody waits for it"));
  }

  async #begin(folder: string, manifest: Manifest, modules: Modules | null): Promise<void> {
    const exec = await fetchPart(folder, manifest.parts.exec, () => {}, this.ended);
    this.ended.throwIfAborted();
    const execText = new TextDecoder().decode(exec.bytes);
    const workerScript = `${execText}\n${ENGINE_WORKER_SCRIPT}`;
    const frame = openSandboxFrame(execText);
    frame.opened.catch((why: Error) => this.end(why));
    const worker = startWorker(workerScript);
    this.#worker = worker;
    this.ended.addEventListener("abort", () => {
      this.#worker?.terminate();
      this.#endSecond();
      frame.remove();
    });
    worker.onmessage = ({ data }: MessageEvent<FromEngine>) => {
      if (data.kind === "compile" && this.modules) {
        this.#compile(workerScript, this.modules.compile, data.compilation, (result) => {
          this.#send({ kind: "compiled", result });
        });
      } else this.#handle(data);
    };
    worker.onerror = (event) => {
      event.preventDefault();
      this.end(new Error(event.message || "the browser ended the worker"));
    };
    worker.postMessage({ kind: "begin", folder, manifest, exec, modules } satisfies ToEngine, [frame.port]);
  }

  #handle(message: FromEngine): void {
    switch (message.kind) {
      case "fetching":
      case "starting":
        this.loading = message;
        return this.onLoading(message);
      case "ready":
        this.modules = message.modules;
        return this.#resolveLoaded();
      case "failed":
        return this.end(message.again ? new FetchError(message.message) : new Error(message.message));
      case "cached":
        this.#isCached = true;
        return this.#onCached(message);
      case "stage":
        return this.#running?.onEvent?.({ kind: "stage", stage: message.stage, ok: true });
      case "picture":
        return this.#running?.onEvent?.({ kind: "picture", steps: JSON.parse(message.picture) });
      case "done":
        return this.#running?.resolve(JSON.parse(message.answer));
      case "error":
        return this.#running?.reject(new Error(message.message));
    }
  }

  /**
   * Has a second worker run the compiler. The worker stays for the next compilation, which need not start one. A worker
   * that is still compiling is terminated, because nobody waits for its result any more.
   */
  #compile(
    script: string, compiler: WebAssembly.Module, compilation: Compilation, over: (result: ToolResult | Error) => void,
  ): void {
    if (!this.#idle) this.#endSecond();
    const worker = (this.#second ??= startWorker(script));
    this.#idle = false;
    worker.onmessage = ({ data }: MessageEvent<FromEngine>) => {
      if (data.kind !== "compiled") return;
      this.#idle = true;
      over(data.result);
    };
    worker.onerror = (event) => {
      event.preventDefault();
      const idle = this.#idle;
      this.#endSecond();
      if (!idle) over(new Error(event.message || "the browser ended a worker"));
    };
    worker.postMessage({ kind: "compile", compiler, compilation } satisfies ToEngine, buffersOf(compilation));
  }

  #endSecond(): void {
    this.#second?.terminate();
    this.#second = null;
    this.#idle = false;
  }
}
