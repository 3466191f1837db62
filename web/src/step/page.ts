// The script of the page that "checkalloc step --html" writes.

import { el } from "../dom.ts";
import { setStep, stepHere } from "./address.ts";
import { Pair } from "./pair.ts";
import { readSides, Viewer } from "./viewer.ts";

const options = { at: stepHere() ?? 0, onStep: (_: unknown, at: number) => setStep(at) };

/** Returns what shows the page's steps: a Viewer for one program, a Pair for two. */
function viewerOf(json: unknown): Viewer | Pair | null {
  const [first, second] = readSides(json) ?? [];
  if (first && second) return new Pair(first, second, options);
  return first && first.steps.steps.length > 0 ? new Viewer(first.steps, { code: true, ...options }) : null;
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
