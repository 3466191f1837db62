// A program's output over time.

import { el, reducedMotion } from "../dom.ts";
import { wait, type ProgramRun, type RunEvent } from "../runner-client.ts";

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

/** Shows the events in their rhythm, or at once for a reader who wants no motion. Reports whether it got to the end. */
export async function play(run: ProgramRun, output: HTMLElement, signal: AbortSignal): Promise<boolean> {
  const delays = reducedMotion() ? [] : schedule(run.events);
  let shown: Segment[] = [];
  try {
    for (const [i, event] of run.events.entries()) {
      const delay = delays[i] ?? 0;
      if (delay > 0) await wait(delay, signal);
      shown = append(shown, event);
      if (delay > 0 || i === run.events.length - 1 || (delays[i + 1] ?? 0) > 0) draw(shown, output);
    }
  } catch (e) {
    if (signal.aborted) return false;
    throw e;
  }
  return true;
}

function draw(shown: readonly Segment[], output: HTMLElement): void {
  output.replaceChildren(
    ...shown.map((s) =>
      s.kind === "stdout" ? document.createTextNode(s.text) : el("span", { class: "ots-stderr", title: "standard error" }, s.text),
    ),
  );
}
