// A program's output over time.

import type { RunEvent } from "../runner-client.ts";

const LONGEST = 3;

/**
 * Seconds to wait before each event. A program that takes longer than a few seconds
 * is played faster, with its rhythm kept.
 */
export function schedule(events: readonly RunEvent[]): number[] {
  const delays = events.map((e) => Math.max(0, e.delay) / 1e9);
  const total = delays.reduce((sum, d) => sum + d, 0);
  return total > LONGEST ? delays.map((d) => (d * LONGEST) / total) : delays;
}

export interface Segment {
  kind: RunEvent["kind"];
  text: string;
}

/** Adds an event to what is on show. A form feed clears the screen, as in the Go playground. */
export function append(shown: readonly Segment[], event: RunEvent): Segment[] {
  const clear = event.message.lastIndexOf("\f");
  const before = clear < 0 ? shown : [];
  const text = event.message.slice(clear + 1);
  if (text === "") return [...before];
  const last = before.at(-1);
  if (last && last.kind === event.kind) return [...before.slice(0, -1), { kind: last.kind, text: last.text + text }];
  return [...before, { kind: event.kind, text }];
}
