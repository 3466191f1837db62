// Speaks to the runner, and says what it answered or why it did not.

import { isFields, readEscapes, readVerdict, type Escape, type Verdict } from "./verdict/schema.ts";

export type Outcome<T> =
  | { kind: "ok"; value: T }
  /** No runner answers here. */
  | { kind: "unreachable"; place: string }
  /** The runner answered that it will not do this. */
  | { kind: "refused"; message: string }
  | { kind: "canceled" };

export interface Formatted {
  body: string;
  /** "" when the body was formatted. */
  error: string;
}

export interface RunEvent {
  message: string;
  kind: "stdout" | "stderr";
  /** Nanoseconds to wait before this event. */
  delay: number;
}

export interface ProgramRun {
  /** Compile errors; "" when it compiled. */
  errors: string;
  vetErrors: string;
  events: RunEvent[];
  status: number;
}

/** What the compiler says of a program. */
export interface Report {
  escapes: Escape[];
  /** Build errors; "" when it built. */
  errors: string;
}

export interface CallOptions {
  signal?: AbortSignal;
  /** Called before each wait of a busy runner. */
  onBusy?: (seconds: number) => void;
}

/** What the client needs of its surroundings, so that a test can stand in for them. */
export interface Surroundings {
  fetch: typeof fetch;
  /** Resolves after seconds, or rejects when the signal aborts. */
  wait: (seconds: number, signal?: AbortSignal) => Promise<void>;
  origin: string;
}

const RETRIES = 3;
const LONGEST_WAIT = 30;

export class RunnerClient {
  readonly #around: Surroundings;

  constructor(around: Surroundings) {
    this.#around = around;
  }

  check(exercise: string, files: Record<string, string>, options: CallOptions = {}): Promise<Outcome<Verdict>> {
    const body = JSON.stringify({ exercise, files });
    return this.#post("/check", body, "application/json", readVerdict, options);
  }

  format(body: string, options: CallOptions = {}): Promise<Outcome<Formatted>> {
    return this.#post("/fmt", new URLSearchParams({ body, imports: "true" }), null, readFormatted, options);
  }

  compile(body: string, options: CallOptions = {}): Promise<Outcome<ProgramRun>> {
    const form = new URLSearchParams({ version: "2", body, withVet: "true" });
    return this.#post("/compile", form, null, readRun, options);
  }

  escape(body: string, options: CallOptions = {}): Promise<Outcome<Report>> {
    return this.#post("/escape", new URLSearchParams({ body }), null, readReport, options);
  }

  async #post<T>(
    path: string,
    body: BodyInit,
    contentType: string | null,
    read: (json: unknown) => T | null,
    { signal, onBusy }: CallOptions,
  ): Promise<Outcome<T>> {
    const place = this.#around.origin;
    if (!/^https?:/.test(place)) return { kind: "unreachable", place: "" };
    const request: RequestInit = { method: "POST", body };
    if (contentType) request.headers = { "Content-Type": contentType };
    if (signal) request.signal = signal;
    try {
      for (let attempt = 0; ; attempt++) {
        const reply = await this.#around.fetch(new URL(path, place), request);
        if (reply.status === 503 && reply.headers.has("Retry-After") && attempt < RETRIES) {
          const seconds = retryAfter(reply.headers.get("Retry-After"), Date.now());
          await reply.body?.cancel();
          onBusy?.(seconds);
          await this.#around.wait(seconds, signal);
          continue;
        }
        return answer(reply.ok, await reply.text(), read, place);
      }
    } catch (e) {
      if (signal?.aborted) return { kind: "canceled" };
      // fetch reports every failure of the network as a TypeError.
      if (e instanceof TypeError) return { kind: "unreachable", place };
      throw e;
    }
  }
}

/** Only JSON is the runner's: a static host or a proxy answers in something else. */
function answer<T>(ok: boolean, reply: string, read: (json: unknown) => T | null, place: string): Outcome<T> {
  let json: unknown;
  try {
    json = JSON.parse(reply);
  } catch {
    return { kind: "unreachable", place };
  }
  if (ok) {
    const value = read(json);
    return value === null ? { kind: "unreachable", place } : { kind: "ok", value };
  }
  if (isFields(json) && typeof json["error"] === "string") return { kind: "refused", message: json["error"] };
  return { kind: "unreachable", place };
}

/** Seconds to wait, from a Retry-After header: a number or a date. At least 1, at most 30. */
export function retryAfter(header: string | null, now: number): number {
  const value = (header ?? "").trim();
  const seconds = /^\d+$/.test(value) ? Number(value) : (Date.parse(value) - now) / 1000;
  if (!Number.isFinite(seconds)) return 1;
  return Math.min(LONGEST_WAIT, Math.max(1, Math.ceil(seconds)));
}

function readFormatted(json: unknown): Formatted | null {
  if (!isFields(json) || typeof json["Body"] !== "string") return null;
  return { body: json["Body"], error: typeof json["Error"] === "string" ? json["Error"] : "" };
}

function readRun(json: unknown): ProgramRun | null {
  if (!isFields(json) || typeof json["Errors"] !== "string") return null;
  const events = Array.isArray(json["Events"]) ? json["Events"].filter(isFields) : [];
  return {
    errors: json["Errors"],
    vetErrors: typeof json["VetErrors"] === "string" ? json["VetErrors"] : "",
    status: typeof json["Status"] === "number" ? json["Status"] : 0,
    events: events.map((e) => ({
      message: typeof e["Message"] === "string" ? e["Message"] : "",
      kind: e["Kind"] === "stderr" ? "stderr" : "stdout",
      delay: typeof e["Delay"] === "number" ? e["Delay"] : 0,
    })),
  };
}

function readReport(json: unknown): Report | null {
  if (!isFields(json) || !Array.isArray(json["escapes"]) || typeof json["errors"] !== "string") return null;
  return { escapes: readEscapes(json["escapes"]), errors: json["errors"] };
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

/** The client for the page that this runs in. */
export function pageRunner(): RunnerClient {
  return new RunnerClient({ fetch: fetch.bind(globalThis), wait, origin: location.protocol + "//" + location.host });
}
