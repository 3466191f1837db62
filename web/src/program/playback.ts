// Plays a program's output in the time in which it was printed.

import type { ProgramRun, RunEvent } from "../go/runner.ts";
import { el, reducedMotion } from "../dom.ts";
import { wait } from "../runner-client.ts";

const LONGEST = 3;

/**
 * Returns when to show each event, in seconds from the start. A program that takes longer than LONGEST seconds is
 * played faster, in the same rhythm.
 */
export function schedule(events: readonly RunEvent[]): number[] {
  let at = 0;
  const times = events.map((e) => (at += Math.max(0, e.delay) / 1e9));
  return at > LONGEST ? times.map((t) => (t * LONGEST) / at) : times;
}

export interface Segment {
  kind: RunEvent["kind"];
  text: string;
}

/** Appends an event to the segments on the screen. A form feed clears the screen, as in the Go playground. */
export function append(shown: readonly Segment[], event: RunEvent): Segment[] {
  const clear = event.message.lastIndexOf("\f");
  const before = clear < 0 ? shown : [];
  const text = event.message.slice(clear + 1);
  if (text === "") return [...before];
  const last = before.at(-1);
  if (last && last.kind === event.kind) return [...before.slice(0, -1), { kind: last.kind, text: last.text + text }];
  return [...before, { kind: event.kind, text }];
}

/** Shows the events in their rhythm, or at once if the reader prefers reduced motion. Reports whether it finished. */
export async function play(run: ProgramRun, output: HTMLElement, signal: AbortSignal): Promise<boolean> {
  const times = reducedMotion() ? [] : schedule(run.events);
  const began = performance.now();
  let drawn: Segment[] = [];
  let shown = drawn;
  const show = () => {
    draw(drawn, shown, output);
    drawn = shown;
  };
  try {
    for (const [i, event] of run.events.entries()) {
      // The clock decides, not the sum of the waits: each timer is late by some milliseconds, and there may be
      // thousands of events.
      const left = (times[i] ?? 0) - (performance.now() - began) / 1000;
      if (left > 0) {
        show();
        await wait(left, signal);
      }
      shown = append(shown, event);
    }
  } catch (e) {
    if (signal.aborted) return false;
    throw e;
  }
  show();
  return true;
}

/** Updates the output. Elements that did not change stay, and with them the reader's selection. */
function draw(drawn: readonly Segment[], shown: readonly Segment[], output: HTMLElement): void {
  let same = 0;
  while (same < drawn.length && drawn[same] === shown[same]) same++;
  const atEnd = output.scrollHeight - output.scrollTop - output.clientHeight < 8;
  while (output.childNodes.length > same) output.lastChild!.remove();
  output.append(...shown.slice(same).map(segmentNode));
  if (atEnd) output.scrollTop = output.scrollHeight;
}

function segmentNode({ kind, text }: Segment): Node {
  if (kind === "stdout") return document.createTextNode(text);
  // The newline at the end stays outside of the inner element, whose bar would otherwise reach the next line.
  const end = text.endsWith("\n") ? 1 : 0;
  const printed = el("span", { class: "ots-stderr" }, text.slice(0, text.length - end));
  const name = "standard error";
  return el("span", { role: "group", "aria-label": name, title: name }, printed, end === 1 && "\n");
}
