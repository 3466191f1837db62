// Reads the responses of the runner and of the engine in the page, which have the same form. Each reader returns null
// for JSON that is not a response of its kind.

import {
  BusyAnswer,
  ErrorAnswer,
  Formatted,
  ProgramRun,
  QueuedData,
  GoRelease,
  Report,
  STAGES,
  StageData,
  Verdict,
  VERDICT_SCHEMA,
  type Stage,
} from "./go/runner.ts";
import { isFields, read } from "./json.ts";

/** A program that the runner stores. */
export interface Shared {
  id: string;
  /** The URL of the page that shows it. */
  href: string;
}

/** The progress of a check, or of the steps of a program. */
export type CheckEvent =
  | { kind: "queued"; position: number }
  /** The request has left the queue, or the download is complete. */
  | { kind: "begun" }
  | { kind: "stage"; stage: Stage; ok: boolean }
  /** The steps of a program whose allocations are still being counted. step/viewer.ts reads them. */
  | { kind: "picture"; steps: unknown }
  /** The page downloads its engine: share is the part that has arrived of the bytes to fetch, from 0 to 1. */
  | { kind: "fetching"; share: number; bytes: number }
  /** The page has all parts of its engine, and starts it. */
  | { kind: "starting" }
  /** The check is over, and the browser stores what the page needs to work offline, or does not: why is the reason. */
  | { kind: "stored"; why: string };

/** "13.9 MB". */
export function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

export function readVerdict(json: unknown): Verdict | null {
  const verdict = read(Verdict, json, "schema");
  if (verdict?.schema !== VERDICT_SCHEMA) return null;
  return verdict.stage === "" || STAGES.includes(verdict.stage) ? verdict : null;
}

export function readFormatted(json: unknown): Formatted | null {
  return read(Formatted, json, "Body");
}

export function readRun(json: unknown): ProgramRun | null {
  const run = read(ProgramRun, json, "Errors");
  for (const event of run?.events ?? []) if (event.kind !== "stderr") event.kind = "stdout";
  return run;
}

export function readReport(json: unknown): Report | null {
  return read(Report, json, "escapes", "errors");
}

/** Returns the Go release that builds, such as "go1.26.8"; null if the runner has none and the page has to build. */
export function readVersion(json: unknown): string | null {
  return read(GoRelease, json, "Version")?.version || null;
}

/** Reports whether a text may be the id of a shared program, which is part of its URL. */
export function isProgramId(text: string): boolean {
  return /^[\w-]{1,64}$/.test(text);
}

/** Reads an event of a request; null for events that only a later runner sends. */
export function readEvent(name: string, json: unknown): CheckEvent | null {
  if (name === "queued") {
    const queued = read(QueuedData, json);
    return queued && { kind: "queued", position: queued.position };
  }
  if (name === "picture") return { kind: "picture", steps: json };
  const data = name === "stage" ? read(StageData, json, "stage") : null;
  const stage = STAGES.find((s) => s === data?.stage);
  // The event is sent when the stage is over. Runners send none for a stage that failed; one may, with "ok": false.
  return stage ? { kind: "stage", stage, ok: !isFields(json) || json["ok"] !== false } : null;
}

/** Reads the event with which a busy runner ends a stream. Its seconds are NaN if the runner does not name them. */
export function readBusy(json: unknown): { seconds: number; message: string } {
  const busy = read(BusyAnswer, json, "seconds");
  return { seconds: busy?.seconds ?? NaN, message: readRefusal(json) ?? "the runner is busy" };
}

/** Returns the runner's reason for declining a request, or null if the JSON is not from the runner. */
export function readRefusal(json: unknown): string | null {
  return read(ErrorAnswer, json, "error")?.error ?? null;
}
