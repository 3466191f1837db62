// The script of the page that "checkalloc step --html" writes.

import { el } from "../dom.ts";
import { setStep, stepHere } from "./address.ts";
import { readSteps, Viewer } from "./viewer.ts";

const place = document.getElementById("steps");
const data = document.getElementById("steps-data")?.textContent ?? "";
const steps = readSteps(JSON.parse(data));
if (place && steps && steps.steps.length > 0) {
  const viewer = new Viewer(steps, { code: true, at: stepHere() ?? 0, onStep: (_, at) => setStep(at) });
  place.replaceChildren(viewer.root);
  document.addEventListener("keydown", (event) => viewer.key(event));
  addEventListener("hashchange", () => viewer.show(stepHere() ?? viewer.at));
} else {
  place?.append(el("p", {}, "This page has no steps that its script can read."));
}
