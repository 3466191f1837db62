// One engine for a page and all its editors: it is stopped at once, keeps the page smooth, serves in turn, and goes with the page.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { launchChromium } from "../browser/chromium.ts";
import { root } from "../e2e/site.ts";
import { exercisesOf, type Exercise } from "../e2e/workbook.ts";
import { PATH, tree } from "../site/site-below.ts";
import { StaticHost } from "../static-host.ts";
import { bombs } from "./hostile-programs.ts";
import { longestTask, watchTasks } from "./main-thread.ts";
import { checkIn, runIn, startEngine } from "./page-engine.ts";

/** Bounds for a machine that does nothing else; a busy one may take so many times as long. */
const STOP_MS = 100;
const TASK_MS = 50;
const BUSY = process.env["CI"] ? 4 : 2;

const ENDLESS = "package main\n\nfunc main() { for {} }\n";
const bomb = bombs.find(({ name }) => name === "generics that explode")!.body;

describe("one engine on a page", () => {
  let host: StaticHost;
  let browser: Browser;
  let context: BrowserContext;
  let exercise: Exercise;
  before(async () => {
    exercise = (await exercisesOf(root))[0]!;
    host = await StaticHost.start(tree, PATH);
    browser = await launchChromium();
    context = await browser.newContext({ reducedMotion: "reduce", viewport: { width: 1100, height: 900 } });
    context.setDefaultTimeout(30_000);
  });
  after(async () => {
    await browser?.close();
    await host?.stop();
  });

  const open = async (path: string): Promise<Page> => {
    const page = await context.newPage();
    await watchTasks(page);
    await page.goto(host.url + path);
    return page;
  };
  const works = async (page: Page) => {
    const { outcome } = await checkIn(page, exercise.id, exercise.solution);
    assert.ok(outcome.kind === "ok" && outcome.value.pass, JSON.stringify(outcome));
  };
  /** All workers of the browser. */
  const workers = async (): Promise<number> => {
    const session = await browser.newBrowserCDPSession();
    const { targetInfos } = await session.send("Target.getTargets");
    await session.detach();
    return targetInfos.filter(({ type, url }) => type === "worker" || url.startsWith("blob:")).length;
  };

  const gone = async (before: number) => {
    for (let i = 0; i < 50 && (await workers()) > before; i++) await new Promise((resolve) => setTimeout(resolve, 100));
    assert.equal(await workers(), before, "workers stay behind");
  };

  test("stops at once, and goes on with the next", async () => {
    const page = await open("book/introduction.html");
    await startEngine(page);
    for (const [what, body, after] of [
      ["a program", ENDLESS, 1500],
      ["the compiler", bomb, 1000],
      ["what has hardly begun", ENDLESS, 0],
    ] as const) {
      const { stopped, kind } = await page.evaluate(
        async ([body, after]) => {
          const stop = new AbortController();
          const running = testEngine.compile(body, { signal: stop.signal });
          await new Promise((resolve) => setTimeout(resolve, after));
          const began = performance.now();
          stop.abort();
          const { kind } = await running;
          return { stopped: performance.now() - began, kind };
        },
        [body, after] as const,
      );
      assert.equal(kind, "canceled");
      assert.ok(stopped < STOP_MS * BUSY, `${what}: ${stopped} ms`);
      // Without waiting for anything.
      await works(page);
    }
    await page.close();
  });

  test("has the button back at once", async () => {
    const kept = await open("book/introduction.html");
    await startEngine(kept);
    await kept.close();
    const page = await open("play/");
    const editor = page.locator(".cm-content").first();
    await editor.click();
    await page.keyboard.press("Control+a");
    await page.keyboard.insertText(ENDLESS);
    await page.getByRole("button", { name: "Run", exact: true }).click();
    const stop = page.getByRole("button", { name: "Stop", exact: true });
    await stop.waitFor();
    await page.getByText(/Running/).first().waitFor();
    const took = await stop.evaluate(async (button) => {
      const began = performance.now();
      (button as HTMLButtonElement).click();
      while (button.textContent !== "Run") await new Promise((resolve) => setTimeout(resolve, 1));
      return performance.now() - began;
    });
    assert.ok(took < STOP_MS * BUSY, `${took} ms`);
    await editor.click();
    await page.keyboard.press("Control+a");
    await page.keyboard.insertText('package main\n\nfunc main() { println("after it") }\n');
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await page.locator(".ots-play, main, body").first().getByText("after it\n", { exact: false }).last().waitFor();
    await page.close();
  });

  test("leaves the page smooth while it loads, compiles and runs", async () => {
    const page = await open("book/introduction.html");
    await page.waitForLoadState("networkidle");
    await longestTask(page);
    const longest: Record<string, number> = {};
    await startEngine(page);
    longest["loads"] = await longestTask(page);
    await works(page);
    longest["checks"] = await longestTask(page);
    await runIn(page, 'package main\n\nimport "os"\n\nfunc main() { for { os.Stdout.Write([]byte{1}); os.Stderr.Write([]byte{2}) } }\n');
    longest["prints"] = await longestTask(page);
    await runIn(page, bombs.find(({ name }) => name === "a constant that doubles")!.body);
    longest["runs out of memory"] = await longestTask(page);
    console.log("# longest tasks of the main thread, ms, 0 for none of 50", longest);
    assert.ok(Object.values(longest).every((ms) => ms <= TASK_MS * BUSY), JSON.stringify(longest));
    await page.close();
  });

  test("serves in turn", async () => {
    const page = await open("book/introduction.html");
    await startEngine(page);
    const order = await page.evaluate(async (endless) => {
      const said: string[] = [];
      const hello = (name: string, signal?: AbortSignal) =>
        testEngine
          .compile(`package main\n\nfunc main() { println("${name}") }\n`, {
            ...(signal && { signal }),
            onNews: (news) => news.kind === "queued" && said.push(`${name} waits, ${news.position}`),
          })
          .then((outcome) => said.push(outcome.kind === "ok" ? (outcome.value.events[0]?.message.trim() ?? "") : `${name} ${outcome.kind}`));
      const stop = new AbortController();
      const first = testEngine.compile(endless, { signal: stop.signal });
      const gone = new AbortController();
      const rest = [hello("a"), hello("b", gone.signal), hello("c")];
      await new Promise((resolve) => setTimeout(resolve, 300));
      gone.abort();
      stop.abort();
      await Promise.all([first, ...rest]);
      return said;
    }, ENDLESS);
    assert.deepEqual(order, ["a waits, 1", "b waits, 2", "c waits, 3", "b canceled", "c waits, 1", "a", "c"]);
    await page.close();
  });

  test("is one for two editors, and goes with the page, and comes back with it", async () => {
    const kept = await open("book/introduction.html");
    await startEngine(kept);
    await kept.close();
    const before = await workers();
    const page = await open("book/memory-profiling/exercises.html");
    const editors = page.locator(".ots-exercise");
    assert.ok((await editors.count()) >= 2);
    for (const i of [0, 1]) {
      await editors.nth(i).scrollIntoViewIfNeeded();
      await editors.nth(i).locator(".cm-content").first().waitFor();
    }
    const press = (i: number) => editors.nth(i).getByRole("button", { name: "Check", exact: true }).click();
    const verdict = (i: number) => editors.nth(i).locator(".ots-headline", { hasText: "Not yet: " }).first().waitFor();
    await press(0);
    await press(1);
    await Promise.all([verdict(0), verdict(1)]);
    const during = await workers();
    assert.equal(during - before, 3, "the engine's worker, the cell's keeper, and one for the next program");
    // What a browser tells a page that it keeps as it is, for the way back.
    await press(0);
    await page.evaluate(() => dispatchEvent(new PageTransitionEvent("pagehide", { persisted: true })));
    await gone(before);
    // Soon after it may say that all is kept.
    await editors.nth(0).getByText(/^(Canceled|Kept in this browser.*)$/).first().waitFor({ state: "attached" });
    await press(1);
    await editors.nth(1).locator(".ots-headline", { hasText: "Checking" }).waitFor();
    await verdict(1);
    assert.equal(await workers(), during);
    await press(0);
    await page.goto(`${host.url}book/introduction.html`);
    await gone(before);
    await page.close();
  });
});

declare const testEngine: import("../../src/engine/engine.ts").Engine;
