// Size and speed of a page's engine, with limits on both: "make bench". The page and the runner check the same files in
// turn, in one run, so that other work on the machine slows both alike.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test, type TestContext } from "node:test";
import type { Browser, BrowserContext } from "playwright-core";
import { launchChromium, launchProfile } from "../browser/chromium.ts";
import { ExercisePage } from "../browser/exercise-page.ts";
import { buildIn, checkIn, startEngine } from "../engine/page-engine.ts";
import { startRunner, type Runner } from "../e2e/runner.ts";
import { root } from "../e2e/site.ts";
import { exercisesOf, type Exercise } from "../e2e/workbook.ts";

const FETCHED_MB = 16;
/** The first verdict with an empty cache, over the runner's verdict on the same exercise. */
const COLD_RATIO = 6.5;
/** For the first check after a reload, once the reader has read for some seconds. */
const RELOADED_S = 2;
const READING_MS = 10_000;
/** How long the reader looks at a verdict. Chromium stores machine code once it has optimized none for two seconds. */
const VERDICT_MS = 4000;
/** A verdict after an edit, over the runner's: the median of all exercises, and the worst. */
const WARM_RATIO = 0.75;
const WORST_RATIO = 1.5;
/** A verdict on what was built while the reader paused, over a verdict right after an edit: the median. */
const PAUSED_RATIO = 0.75;
/** The tab at its highest in one exercise: the median of all exercises, and the worst, in a tab that has checked them all. */
const MEMORY_MB = 500;
const WORST_MEMORY_MB = 550;

const ROUNDS = 5;

const median = (values: number[]) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;
const seconds = (ms: number) => `${(ms / 1000).toFixed(2)} s`;

describe("the engine of a page", () => {
  let runner: Runner;
  let browser: Browser;
  let exercises: Exercise[];
  before(async () => {
    exercises = await exercisesOf(root);
    // The bar compares WebAssembly with WebAssembly.
    runner = await startRunner(join(root, ".cache/bin/runner"), join(root, "public"), { args: ["-engine", "wasm"] });
    // Chromium keeps a process ready for the next page, which is not a part of this one.
    browser = await launchChromium("--disable-features=SpareRendererForSitePerProcess");
  });
  after(async () => {
    await browser?.close();
    await runner?.stop();
  });

  const open = async (context: Browser | BrowserContext) => {
    const page = await context.newPage();
    await page.goto(`${runner.url}/book/introduction.html`);
    return page;
  };

  test("cold: from an empty cache to the first verdict", async (t) => {
    const took: number[] = [];
    const byRunner: number[] = [];
    let fetched = 0;
    const { starter } = exercises.find(({ id }) => id === "exercise6")!;
    for (let round = 0; round < ROUNDS; round++) {
      const fresh = await launchChromium();
      t.after(() => fresh.close()); // also after a failure, or the test's process would not end
      const page = await open(fresh);
      const began = Date.now();
      await startEngine(page);
      const { outcome } = await checkIn(page, "exercise6", starter);
      took.push(Date.now() - began);
      assert.equal(outcome.kind, "ok");
      byRunner.push(await checkByRunner(runner, "exercise6", edited(starter, `cold ${round} ${Date.now()}`)));
      fetched = await transferred(runner.url);
      await fresh.close();
    }
    say(t, `fetched once: ${(fetched / 1e6).toFixed(2)} MB, bar ${FETCHED_MB} MB`);
    const ratio = median(took) / median(byRunner);
    say(
      t,
      `cold, to the first verdict: median ${seconds(median(took))} of ${took.map(seconds).join(", ")}, ` +
        `${ratio.toFixed(1)} times the runner's ${seconds(median(byRunner))}; bar ${COLD_RATIO}`,
    );
    assert.ok(fetched <= FETCHED_MB * 1e6);
    assert.ok(ratio <= COLD_RATIO);
  });

  test("after a reload: from the button to the verdict, with the engine in the cache", async (t) => {
    const context = await launchProfile({ viewport: { width: 1280, height: 900 } });
    t.after(() => context.close());
    await context.addInitScript(() => {
      localStorage.setItem("onthestack/2/engine", JSON.stringify({ chosen: "page", agreed: true }));
    });
    const page = await context.newPage();
    page.setDefaultTimeout(120_000);
    const shown = await ExercisePage.open(page, `${runner.url}/exercises/exercise6/`, "exercise6");
    assert.match(await shown.checked(), /^Not yet/);
    await page.waitForFunction(async () => (await caches.match("/engine/manifest.json")) !== undefined);
    const { starter } = exercises.find(({ id }) => id === "exercise6")!;
    /** Returns how long the first checks after a reload and so many milliseconds took. */
    const first = async (reading: number) => {
      const took: number[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        await page.waitForTimeout(VERDICT_MS);
        await page.reload();
        await shown.editor.waitFor();
        await page.waitForTimeout(reading);
        await shown.type(Object.values(edited(starter, `${reading} ${round}`))[0]!);
        const began = Date.now();
        assert.match(await shown.checked(), /^Not yet/);
        took.push(Date.now() - began);
      }
      return took;
    };
    const atOnce = await first(0);
    const later = await first(READING_MS);
    say(t, `after a reload, at once: median ${seconds(median(atOnce))} of ${atOnce.map(seconds).join(", ")}; no bar`);
    say(
      t,
      `after a reload and ${seconds(READING_MS)} of reading: median ${seconds(median(later))} of ` +
        `${later.map(seconds).join(", ")}; bar ${RELOADED_S} s`,
    );
    assert.ok(median(later) <= RELOADED_S * 1000);
  });

  test("warm: from an edit to the verdict, beside the runner", async (t) => {
    // The engine's parts come from the browser's cache, as on a second visit: Chromium keeps a copy of what a page
    // fetches from the network while a test is attached to it.
    const context = await browser.newContext();
    t.after(() => context.close());
    const first = await open(context);
    await startEngine(first);
    assert.equal(await first.evaluate(async () => (await testEngine.cacheStatus).why), "");
    await first.close();
    const page = await open(context);
    const memory = await Memory.watch(browser);
    t.after(() => memory.end());
    await startEngine(page);
    const pages: number[] = [];
    const ratios: number[] = [];
    const paused: number[] = [];
    const peaks: number[] = [];
    for (const exercise of exercises) {
      const inPage: number[] = [];
      const afterPause: number[] = [];
      const byRunner: number[] = [];
      for (let round = 0; round <= ROUNDS; round++) {
        // Neither has seen these files: starter and solution in turn, each with a comment of its own.
        const files = edited(round % 2 ? exercise.starter : exercise.solution, `${exercise.id} ${round} ${Date.now()}`);
        const { outcome, took } = await checkIn(page, exercise.id, files);
        assert.equal(outcome.kind, "ok", JSON.stringify(outcome));
        const runs = await checkByRunner(runner, exercise.id, files);
        if (round === 0) continue; // what only the first takes: the archives of another exercise
        inPage.push(took);
        byRunner.push(runs);
        const next = edited(files, "and one more edit, after which the reader pauses");
        assert.notEqual(await buildIn(page, exercise.id, next), null);
        afterPause.push((await checkIn(page, exercise.id, next)).took);
      }
      const ratio = median(inPage) / median(byRunner);
      pages.push(median(inPage));
      ratios.push(ratio);
      paused.push(median(afterPause) / median(inPage));
      peaks.push(memory.peak());
      say(
        t,
        `${exercise.id.padEnd(11)} page ${seconds(median(inPage))}, after a pause ${seconds(median(afterPause))}, runner ${seconds(median(byRunner))}, ` +
          `ratio ${ratio.toFixed(2)}, memory ${Math.round(peaks.at(-1)! / 1e6)} MB`,
      );
    }
    say(
      t,
      `warm, edit to verdict: median ${seconds(median(pages))}, slowest ${seconds(Math.max(...pages))}; no bar`,
    );
    say(
      t,
      `of the runner's /check: median ${median(ratios).toFixed(2)}, worst ${Math.max(...ratios).toFixed(2)}; ` +
        `bars ${WARM_RATIO} and ${WORST_RATIO}`,
    );
    say(t, `after a pause: median ${median(paused).toFixed(2)} of a check at once; bar ${PAUSED_RATIO}`);
    const megabytes = peaks.map((bytes) => Math.round(bytes / 1e6));
    const worst = Math.max(...megabytes);
    say(
      t,
      `memory of the tab, all its processes at their highest: median ${median(megabytes)} MB, worst ${worst} MB; ` +
        `bars ${MEMORY_MB} and ${WORST_MEMORY_MB} MB`,
    );
    assert.ok(median(ratios) <= WARM_RATIO);
    assert.ok(Math.max(...ratios) <= WORST_RATIO);
    assert.ok(median(paused) <= PAUSED_RATIO);
    assert.ok(median(megabytes) <= MEMORY_MB);
    assert.ok(worst <= WORST_MEMORY_MB);
  });
});

/** Returns how long the runner takes to check files, in milliseconds. */
async function checkByRunner(runner: Runner, exercise: string, files: Record<string, string>): Promise<number> {
  const began = Date.now();
  const reply = await fetch(`${runner.url}/check`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ exercise, files }),
  });
  assert.equal(reply.status, 200);
  await reply.json();
  return Date.now() - began;
}

declare const testEngine: import("../../src/engine/engine.ts").Engine;

/**
 * Returns the bytes that the runner sends for the engine. The test cannot read the runner's log, but knows that it
 * sends each part as its brotli copy.
 */
async function transferred(url: string): Promise<number> {
  const { parts } = JSON.parse(await readFile(join(root, "public/engine/manifest.json"), "utf8")) as {
    parts: Record<string, { file: string }>;
  };
  let bytes = 0;
  for (const { file } of Object.values(parts)) {
    const reply = await fetch(`${url}/engine/${file}`, { headers: { "Accept-Encoding": "br" } });
    assert.equal(reply.headers.get("content-encoding"), "br");
    await reply.body?.cancel();
    bytes += (await readFile(join(root, "public/engine", `${file}.br`))).length;
  }
  return bytes;
}

/** Adds a comment behind the package's code, which changes the files as an edit in the last function does. */
function edited(files: Record<string, string>, comment: string): Record<string, string> {
  return Object.fromEntries(Object.entries(files).map(([name, text]) => [name, `${text}\n// ${comment}\n`]));
}

/**
 * The peak memory of the browser's renderers while it watches: of the page and, if it has a process of its own, of the
 * sandbox frame.
 */
class Memory {
  private constructor(
    private readonly timer: NodeJS.Timeout,
    private most: number,
  ) {}

  static async watch(browser: Browser): Promise<Memory> {
    const session = await browser.newBrowserCDPSession();
    let renderers: number[] = [];
    const look = async () => {
      const { processInfo } = (await session.send("SystemInfo.getProcessInfo")) as {
        processInfo: { type: string; id: number }[];
      };
      renderers = processInfo.filter(({ type, id }) => type === "renderer" && !isWindow(id)).map(({ id }) => id);
    };
    await look();
    const timer = setInterval(() => {
      void look().catch(() => {});
      // Memory that processes share, above all the browser's own code, does not count as a page's.
      const sum = renderers.reduce((bytes, id) => bytes + anonymous(id), 0);
      memory.most = Math.max(memory.most, sum);
    }, 50);
    const memory = new Memory(timer, 0);
    return memory;
  }

  /** Returns the peak in bytes since it was last asked for. */
  peak(): number {
    const { most } = this;
    assert.ok(most > 0, "the memory of the browser's processes cannot be read here");
    this.most = 0;
    return most;
  }

  end(): void {
    clearInterval(this.timer);
  }
}

/** Reports whether a renderer draws the browser's own window: Chromium's address bar is a page, too. */
function isWindow(id: number): boolean {
  try {
    return readFileSync(`/proc/${id}/cmdline`, "utf8").includes("--top-chrome-webui");
  } catch {
    return false; // it has ended
  }
}

function anonymous(id: number): number {
  try {
    return Number(/^RssAnon:\s*(\d+) kB/m.exec(readFileSync(`/proc/${id}/status`, "utf8"))?.[1] ?? 0) * 1024;
  } catch {
    return 0; // it has ended
  }
}

function say(t: TestContext, words: string): void {
  t.diagnostic(words);
}
