// The client of the runner: sends requests, and returns the answer or why there is none.

import type { Formatted, ProgramRun, Report, Verdict } from "./go/runner.ts";
import {
  isProgramId,
  readBusy,
  readFormatted,
  readEvent,
  readRefusal,
  readReport,
  readRun,
  readVerdict,
  readVersion,
  type Shared,
} from "./responses.ts";
import type { CallOptions, Outcome, Runner } from "./runner.ts";
import { siteRoot } from "./site-root.ts";

/** The runner has no room for the request now. It may have room after some seconds. */
interface Busy {
  kind: "busy";
  seconds: number;
  /** The runner's message, to be shown if no further attempt is made. */
  message: string;
}

/** The functions that the client calls, which tests replace. */
export interface Surroundings {
  fetch: typeof fetch;
  /** Resolves after seconds, or rejects when the signal aborts. */
  wait: (seconds: number, signal?: AbortSignal) => Promise<void>;
  /** The URL of the folder below which the runner answers: "http://127.0.0.1:8080/". */
  root: string;
}

const RETRIES = 3;
const LONGEST_WAIT = 30;

/** The status of a runner on a machine without Go, which cannot check or run anything. */
const NOT_IMPLEMENTED = 501;

const EVENT_STREAM = "text/event-stream";

/**
 * The streams that may answer a request, by the name of their last event: the button that sends the request, and the
 * longest event that is read, in UTF-16 units.
 */
const STREAMS = {
  verdict: { button: "Check", max: 8 << 20 },
  /** The steps have up to 8 MiB, besides the program's text. */
  steps: { button: "Step", max: 12 << 20 },
};
type Last = keyof typeof STREAMS;

export class RunnerClient implements Runner {
  readonly choice = null;
  readonly #around: Surroundings;

  constructor(around: Surroundings) {
    this.#around = around;
  }

  /**
   * Checks a solution. The runner reports stages as they finish, except for an old runner or one behind a buffering
   * proxy.
   */
  check(exercise: string, files: Record<string, string>, options: CallOptions = {}): Promise<Outcome<Verdict>> {
    const headers = { "Content-Type": "application/json", Accept: EVENT_STREAM };
    const request = { method: "POST", body: JSON.stringify({ exercise, files }), headers };
    return this.#ask("/check", request, options, (reply) => this.#stream(reply, "verdict", readVerdict, options));
  }

  format(body: string, options: CallOptions = {}): Promise<Outcome<Formatted>> {
    return this.#form("/fmt", { body, imports: "true" }, options, readFormatted);
  }

  compile(body: string, options: CallOptions = {}): Promise<Outcome<ProgramRun>> {
    return this.#form("/compile", { version: "2", body, withVet: "true" }, options, readRun);
  }

  escape(body: string, options: CallOptions = {}): Promise<Outcome<Report>> {
    return this.#form("/escape", { body }, options, readReport);
  }

  /** Steps through a program. The runner streams the picture first, with the exceptions that check names. */
  step(body: string, options: CallOptions = {}): Promise<Outcome<unknown>> {
    const form = new URLSearchParams(options.go ? { body, go: options.go } : { body });
    const request = { method: "POST", body: form, headers: { Accept: EVENT_STREAM } };
    // The viewer, which shows the document, reads it.
    return this.#ask("/step", request, options, (reply) => this.#stream(reply, "steps", (json) => json, options));
  }

  /** Stores a program on the runner, under a URL that shows it to others. */
  share(body: string, options: CallOptions = {}): Promise<Outcome<Shared>> {
    const headers = { "Content-Type": "text/plain; charset=utf-8" };
    return this.#ask("/share", { method: "POST", body, headers }, options, (reply) => this.#shared(reply));
  }

  async version(options: CallOptions = {}): Promise<Outcome<string>> {
    const outcome = await this.#ask("/version", {}, options, (reply) => this.#read(reply, readVersion));
    return outcome.kind === "ok" ? { kind: "ok", value: `${outcome.value} wasip1/wasm` } : outcome;
  }

  #form<T>(
    path: string,
    fields: Record<string, string>,
    options: CallOptions,
    read: (json: unknown) => T | null,
  ): Promise<Outcome<T>> {
    return this.#ask(path, { method: "POST", body: new URLSearchParams(fields) }, options, (reply) =>
      this.#read(reply, read),
    );
  }

  /** Sends a request, repeats it if the runner is busy, and reads the answer. */
  async #ask<T>(
    path: string,
    request: RequestInit,
    { signal, onBusy }: CallOptions,
    read: (reply: Response) => Promise<Outcome<T> | Busy>,
  ): Promise<Outcome<T>> {
    const url = this.#around.root;
    if (signal) request.signal = signal;
    try {
      for (let attempt = 0; ; attempt++) {
        const reply = await this.#around.fetch(new URL(`.${path}`, url), request);
        const last = attempt === RETRIES;
        const outcome = (last ? null : await turnedAway(reply)) ?? (await read(reply));
        if (outcome.kind !== "busy") return outcome;
        if (last) return { kind: "refused", message: outcome.message };
        onBusy?.(outcome.seconds);
        await this.#around.wait(outcome.seconds, signal);
      }
    } catch (e) {
      if (signal?.aborted) return { kind: "canceled" };
      // fetch reports every failure of the network as a TypeError.
      if (e instanceof TypeError) return { kind: "unreachable", url };
      throw e;
    }
  }

  /** Reads JSON. An answer in any other format is not from a runner but from a static host or a proxy. */
  async #read<T>(reply: Response, read: (json: unknown) => T | null): Promise<Outcome<T>> {
    const json = parse(await reply.text());
    if (reply.ok) return this.#unless(read(json));
    const message = readRefusal(json);
    if (message === null) return this.#unreachable();
    return reply.status === NOT_IMPLEMENTED ? { kind: "refused", message, unable: true } : { kind: "refused", message };
  }

  /** Reads an answer that may be a stream, whose last event is then named. */
  #stream<T>(
    reply: Response, last: Last, read: (json: unknown) => T | null, options: CallOptions,
  ): Promise<Outcome<T> | Busy> {
    const streams = reply.ok && (reply.headers.get("Content-Type") ?? "").startsWith(EVENT_STREAM);
    return streams && reply.body ? this.#follow(reply.body, last, read, options) : this.#read(reply, read);
  }

  /** Reads a stream of events up to the last one, or to the event that ends the stream without an answer. */
  async #follow<T>(
    body: ReadableStream<Uint8Array>, last: Last, read: (json: unknown) => T | null, { onEvent }: CallOptions,
  ): Promise<Outcome<T> | Busy> {
    // Only a page that asks for a stream needs it.
    const { serverEvents } = await import("./event-stream.ts");
    try {
      for await (const { name, data } of serverEvents(body, STREAMS[last].max)) {
        const json = parse(data);
        if (name === last) return this.#unless(read(json));
        if (name === "busy") {
          const { seconds, message } = readBusy(json);
          return { kind: "busy", seconds: bounded(seconds), message };
        }
        if (name === "error") return { kind: "refused", message: readRefusal(json) ?? "the runner does not say why" };
        const event = readEvent(name, json);
        if (event) onEvent?.(event);
      }
    } catch (e) {
      if (!(e instanceof RangeError)) throw e;
      return { kind: "refused", message: "The runner's answer is too large for this page." };
    }
    return { kind: "refused", message: `The answer ended before its ${last}. Press ${STREAMS[last].button} again.` };
  }

  async #shared(reply: Response): Promise<Outcome<Shared>> {
    const text = await reply.text();
    if (reply.ok) {
      const id = text.trim();
      return this.#unless(isProgramId(id) ? { id, href: new URL(`./p/${id}`, this.#around.root).href } : null);
    }
    // The playground's errors are lines of plain text; a page of HTML is not from a runner.
    const kind = reply.headers.get("Content-Type") ?? "";
    if (kind.startsWith("text/html")) return this.#unreachable();
    const line = kind.startsWith("text/plain") ? text.trim().slice(0, LONGEST_LINE) : "";
    const message = NOT_SHARED[reply.status] ?? readRefusal(parse(text)) ?? line;
    return message === "" ? this.#unreachable() : { kind: "refused", message };
  }

  #unless<T>(value: T | null): Outcome<T> {
    return value === null ? this.#unreachable() : { kind: "ok", value };
  }

  #unreachable(): Outcome<never> {
    return { kind: "unreachable", url: this.#around.root };
  }
}

/** The maximum length of a line of an error that is shown, in UTF-16 units. */
const LONGEST_LINE = 200;

const KEEPS_NONE = "This runner stores no programs: it was started without a file for them.";

/**
 * Why a program was not shared, by the status of the answer. 429 and 507 are missing, because the runner's own text
 * names the limit.
 */
const NOT_SHARED: Record<number, string> = {
  404: KEEPS_NONE,
  501: KEEPS_NONE,
  413: "The program is too large to be shared.",
  503: "The runner is busy. Press Share again in a moment.",
};

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/**
 * Returns the wait if an answer's status says that the runner is busy, and discards the rest of the answer. Returns
 * null for any other answer, whose body is left unread.
 */
async function turnedAway(reply: Response): Promise<Busy | null> {
  const header = reply.headers.get("Retry-After");
  if (reply.status !== 503 || header === null) return null;
  await reply.body?.cancel();
  return { kind: "busy", seconds: retryAfter(header, Date.now()), message: "" };
}

/**
 * Parses a Retry-After header, which is a number of seconds or a date. Returns seconds, at least 1 and at most
 * LONGEST_WAIT.
 */
export function retryAfter(header: string | null, now: number): number {
  const value = (header ?? "").trim();
  return bounded(/^\d+$/.test(value) ? Number(value) : (Date.parse(value) - now) / 1000);
}

/** Limits a wait to what a reader can be expected to accept, in seconds. */
function bounded(seconds: number): number {
  if (!Number.isFinite(seconds)) return 1;
  return Math.min(LONGEST_WAIT, Math.max(1, Math.ceil(seconds)));
}

/** Resolves after seconds, or rejects when the signal aborts. */
export function wait(seconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, seconds * 1000);
    if (signal?.aborted) stop();
    else signal?.addEventListener("abort", stop, { once: true });
  });
}

/** Returns the client for the site that this page belongs to. */
export function siteRunner(): RunnerClient {
  return new RunnerClient({ fetch: fetch.bind(globalThis), wait, root: siteRoot() });
}
