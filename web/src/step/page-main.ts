// The script of the page that "checkalloc step --html" writes.

import { el } from "../dom.ts";
import { StepsComparison, STEPS_COMPARED_SCHEMA } from "../go/step.ts";
import { read } from "../json.ts";
import { setStep, stepHere } from "./address.ts";
import { Pair } from "./pair.ts";
import { readSteps, Viewer } from "./viewer.ts";

const options = { at: stepHere() ?? 0, onStep: (_: unknown, at: number) => setStep(at) };

/** Returns what shows the page's steps: those of one program, or of two. */
function viewerOf(json: unknown): Viewer | Pair | null {
  const compared = read(StepsComparison, json, "schema", "programs");
  if (compared?.schema === STEPS_COMPARED_SCHEMA) {
    const [first, second] = compared.programs;
    if (!first?.steps || !second?.steps) return null;
    return new Pair({ ...first, steps: first.steps }, { ...second, steps: second.steps }, options);
  }
  const steps = readSteps(json);
  return steps && steps.steps.length > 0 ? new Viewer(steps, { code: true, ...options }) : null;
}

const place = document.getElementById("steps");
const viewer = viewerOf(JSON.parse(document.getElementById("steps-data")?.textContent ?? ""));
if (place && viewer) {
  place.replaceChildren(viewer.root);
  document.addEventListener("keydown", (event) => viewer.key(event));
  addEventListener("hashchange", () => viewer.show(stepHere() ?? viewer.at));
} else {
  place?.append(el("p", {}, "This page has no steps that its script can read."));
}
