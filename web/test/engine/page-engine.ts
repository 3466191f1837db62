// Uses the engine of a page directly, without the page's buttons.

import { join } from "node:path";
import type { Page } from "playwright-core";
import type * as Find from "../../src/engine/find.ts";
import type { ProgramRun, Report, Verdict } from "../../src/go/runner.ts";
import type { Outcome } from "../../src/runner.ts";
import { root } from "../e2e/site.ts";
import { filesOf } from "../stand-in/scripts.ts";

/** Starts the engine in an open page of the book. Returns how many milliseconds that took. */
export function startEngine(page: Page): Promise<number> {
  return page.evaluate(async (script) => {
    const root = document.documentElement.dataset["root"] ?? `${path_to_root}../`;
    const site = new URL(root, document.baseURI);
    const { findEngine } = (await import(new URL(`book/widgets/${script}`, site).href)) as typeof Find;
    const began = performance.now();
    const folder = new URL("engine/", site).href;
    const engine = (await findEngine(folder, () => true))?.engine;
    if (!engine) throw new Error(`there is no engine in ${folder}`);
    Object.assign(globalThis, { testEngine: engine });
    await engine.start();
    return performance.now() - began;
  }, filesOf("engine", join(root, "book"))[0]!);
}

declare const path_to_root: string;
declare const testEngine: import("../../src/engine/engine.ts").Engine;

/** Checks files. Returns the outcome and how many milliseconds the check took. */
export function checkIn(
  page: Page,
  exercise: string,
  files: Record<string, string>,
): Promise<{ outcome: Outcome<Verdict>; took: number }> {
  return page.evaluate(
    async ([exercise, files]) => {
      const began = performance.now();
      const outcome = await testEngine.check(exercise, files);
      return { outcome, took: performance.now() - began };
    },
    [exercise, files] as const,
  );
}

/** Builds files, as the page does while the reader pauses. Returns the verdict until then. */
export function buildIn(page: Page, exercise: string, files: Record<string, string>): Promise<Verdict | null> {
  return page.evaluate(
    ([exercise, files]) => testEngine.build({ kind: "check", exercise, files }, new AbortController().signal),
    [exercise, files] as const,
  );
}

/** Runs a program. Returns the outcome and how many milliseconds the run took. */
export function runIn(page: Page, body: string): Promise<{ outcome: Outcome<ProgramRun>; took: number }> {
  return page.evaluate(async (body) => {
    const began = performance.now();
    const outcome = await testEngine.compile(body);
    return { outcome, took: performance.now() - began };
  }, body);
}

/** Returns the report on a program. */
export function escapeIn(page: Page, body: string): Promise<Outcome<Report>> {
  return page.evaluate((body) => testEngine.escape(body), body);
}

/** Steps through a program. */
export async function stepIn(page: Page, body: string): Promise<Outcome<unknown>> {
  return (await picturedIn(page, body)).outcome;
}

/** Steps through a program. Returns the pictures that came before the outcome, too. */
export function picturedIn(page: Page, body: string): Promise<{ outcome: Outcome<unknown>; pictures: unknown[] }> {
  return page.evaluate(async (body) => {
    const pictures: unknown[] = [];
    const outcome = await testEngine.step(body, {
      onEvent: (event) => event.kind === "picture" && pictures.push(event.steps),
    });
    return { outcome, pictures };
  }, body);
}
