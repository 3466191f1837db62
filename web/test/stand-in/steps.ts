// A document of steps, which package step of Go made and keeps for tests.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Steps } from "../../src/go/step.ts";

const root = process.env["OTS_ROOT"]!;

export const STEPS = JSON.parse(readFileSync(join(root, "internal/step/testdata/document.json"), "utf8")) as Steps;

/** The program that was stepped through. */
export const STEPPED = STEPS.files["prog.go"]!;

/** Returns the page that "checkalloc step --html" writes, for one program or for a comparison of two. */
export function stepPage(data: unknown = STEPS): string {
  const folder = join(root, "internal/present/html");
  const page = (name: string) => readFileSync(join(folder, name), "utf8");
  return `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"/>
<meta name="viewport" content="width=device-width, initial-scale=1"/><title>prog.go: stack and heap</title>
<style>${page("steps.css")}</style></head><body><h1>prog.go: stack and heap</h1><main id="steps"></main>
<script type="application/json" id="steps-data">${JSON.stringify(data).replaceAll("<", "\\u003c")}</script>
<script>${page("steps.js")}</script></body></html>`;
}
