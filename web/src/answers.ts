// What the runner answers, read from its JSON. Each reader gives null for what is not an answer of its kind.

import { isFields, readEscapes, STAGES, type Escape, type Stage } from "./verdict/schema.ts";

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
  /** What go vet found; "" for nothing. */
  vetErrors: string;
  events: RunEvent[];
  status: number;
  /** The program was tests, without a main function. */
  isTest: boolean;
  testsFailed: number;
}

/** What the compiler says of a program. */
export interface Report {
  escapes: Escape[];
  /** Build errors; "" when it built. */
  errors: string;
}

/** A program that the runner keeps. */
export interface Shared {
  id: string;
  /** The address of the page that shows it. */
  href: string;
}

/** What a check is at, while it is under way. */
export type CheckNews =
  | { kind: "queued"; position: number }
  /** What waited has its turn, or all that it takes. */
  | { kind: "begun" }
  | { kind: "stage"; stage: Stage; ok: boolean }
  /** The page fetches what it checks with: so much of all bytes, from 0 to 1. */
  | { kind: "fetching"; share: number; bytes: number }
  /** It is over, and the browser keeps what the page needs without a network; or it does not, and why. */
  | { kind: "kept"; why: string };

/** "13.9 MB". */
export function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

export function readFormatted(json: unknown): Formatted | null {
  if (!isFields(json) || typeof json["Body"] !== "string") return null;
  return { body: json["Body"], error: typeof json["Error"] === "string" ? json["Error"] : "" };
}

export function readRun(json: unknown): ProgramRun | null {
  if (!isFields(json) || typeof json["Errors"] !== "string") return null;
  const events = Array.isArray(json["Events"]) ? json["Events"].filter(isFields) : [];
  return {
    errors: json["Errors"],
    vetErrors: typeof json["VetErrors"] === "string" ? json["VetErrors"] : "",
    status: typeof json["Status"] === "number" ? json["Status"] : 0,
    isTest: json["IsTest"] === true,
    testsFailed: typeof json["TestsFailed"] === "number" ? json["TestsFailed"] : 0,
    events: events.map((e) => ({
      message: typeof e["Message"] === "string" ? e["Message"] : "",
      kind: e["Kind"] === "stderr" ? "stderr" : "stdout",
      delay: typeof e["Delay"] === "number" ? e["Delay"] : 0,
    })),
  };
}

export function readReport(json: unknown): Report | null {
  if (!isFields(json) || !Array.isArray(json["escapes"]) || typeof json["errors"] !== "string") return null;
  return { escapes: readEscapes(json["escapes"]), errors: json["errors"] };
}

/** The Go release that builds, such as "go1.26.8". */
export function readVersion(json: unknown): string | null {
  return isFields(json) && typeof json["Version"] === "string" ? json["Version"] : null;
}

/** The id of a shared program, as it stands in its address. */
export function isProgramId(text: string): boolean {
  return /^[\w-]{1,64}$/.test(text);
}

/** News of a check; null for events that a later runner may have. */
export function readNews(name: string, json: unknown): CheckNews | null {
  if (!isFields(json)) return null;
  if (name === "queued") {
    const position = json["position"];
    return { kind: "queued", position: typeof position === "number" ? position : 0 };
  }
  const stage = STAGES.find((s) => s === json["stage"]);
  // A stage is told when it is over; one that failed may say so before the verdict does.
  return name === "stage" && stage ? { kind: "stage", stage, ok: json["ok"] !== false } : null;
}

/** That the runner is busy, at the end of a stream. Its seconds are NaN where it does not tell them. */
export function readBusy(json: unknown): { seconds: number; message: string } {
  const seconds = isFields(json) ? json["seconds"] : null;
  return { seconds: typeof seconds === "number" ? seconds : NaN, message: readRefusal(json) ?? "the runner is busy" };
}

/** The runner's own words for why it did not do something, or null when it was not the runner. */
export function readRefusal(json: unknown): string | null {
  return isFields(json) && typeof json["error"] === "string" ? json["error"] : null;
}
