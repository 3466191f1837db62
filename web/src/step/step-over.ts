// Stepping over calls.

import type { ProgramStep, Steps } from "../go/step.ts";

/** Returns the next step in which the goroutine of step at is in the same frame or in one that called it. */
export function stepOver({ steps }: Steps, at: number): number {
  const { goroutine } = steps[at]!;
  const depth = (step: ProgramStep) => step.stack.filter((frame) => frame.goroutine === goroutine).length;
  const level = depth(steps[at]!);
  for (let n = at + 1; n < steps.length; n++) {
    const step = steps[n]!;
    if (step.event === "end" || (step.goroutine === goroutine && depth(step) <= level)) return n;
  }
  return steps.length - 1;
}
