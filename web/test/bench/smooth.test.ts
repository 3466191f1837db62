// How soon a page's engine stops, and how responsive the page stays meanwhile, with limits on both: "make bench".

import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { launchChromium } from "../browser/chromium.ts";
import { bombs } from "../engine/hostile-programs.ts";
import { longestTask, watchTasks } from "../engine/main-thread.ts";
import { checkIn, runIn, startEngine } from "../engine/page-engine.ts";
import { reaches } from "../engine/reaching.ts";
import { root } from "../e2e/site.ts";
import { exercisesOf, type Exercise } from "../e2e/workbook.ts";
import { StaticHost } from "../static-host.ts";

const STOP_MS = 200;
const TASK_MS = 100;

const ENDLESS = "package main\n\nfunc main() { for {} }\n";
const bomb = bombs.find(({ name }) => name === "generics that explode")!.body;

describe("the engine of a page, and the reader", () => {
  let host: StaticHost;
  let browser: Browser;
  let context: BrowserContext;
  let exercise: Exercise;
  before(async () => {
    exercise = (await exercisesOf(root))[0]!;
    host = await StaticHost.start(join(root, "public"), "/");
    browser = await launchChromium();
    context = await browser.newContext();
  });
  after(async () => {
    await browser?.close();
    await host?.stop();
  });

  const open = async (path: string): Promise<Page> => {
    const page = await context.newPage();
    await watchTasks(page);
    await page.goto(`${host.url}${path}`);
    return page;
  };
  /**
   * Waits until the browser has stored the engine, which it does after the engine has started. A page uses a stored
   * engine without asking the reader.
   */
  const keep = async () => {
    const page = await open("book/introduction.html");
    await startEngine(page);
    assert.equal((await page.evaluate(() => testEngine.cacheStatus)).why, "");
    await page.close();
  };
  const works = async (page: Page) => {
    const { outcome } = await checkIn(page, exercise.id, exercise.solution);
    assert.ok(outcome.kind === "ok" && outcome.value.pass, JSON.stringify(outcome));
  };

  test("stops a task at once", async (t) => {
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
      t.diagnostic(`${what} is stopped after ${stopped.toFixed(0)} ms; bar ${STOP_MS} ms`);
      assert.ok(stopped <= STOP_MS);
    }
    await page.close();
  });

  test("restores the button at once", async (t) => {
    await keep();
    const page = await open("play/");
    await page.locator(".cm-content").first().click();
    await page.keyboard.press("Control+a");
    await page.keyboard.insertText(ENDLESS);
    await page.getByRole("button", { name: "Run", exact: true }).click();
    const stop = page.getByRole("button", { name: "Stop", exact: true });
    await stop.waitFor();
    await page
      .getByText(/Running/)
      .first()
      .waitFor();
    const took = await stop.evaluate(async (button) => {
      const began = performance.now();
      (button as HTMLButtonElement).click();
      while (button.textContent !== "Run") await new Promise((resolve) => setTimeout(resolve, 1));
      return performance.now() - began;
    });
    t.diagnostic(`the button is back after ${took.toFixed(0)} ms; bar ${STOP_MS} ms`);
    assert.ok(took <= STOP_MS);
    await page.close();
  });

  test("leaves the page smooth while it loads, compiles and runs", async (t) => {
    const page = await open("book/introduction.html");
    await page.waitForLoadState("networkidle");
    await longestTask(page);
    const longest: Record<string, number> = {};
    await startEngine(page);
    longest["loads"] = await longestTask(page);
    await works(page);
    longest["checks"] = await longestTask(page);
    await runIn(
      page,
      'package main\n\nimport "os"\n\nfunc main() { for { os.Stdout.Write([]byte{1}); os.Stderr.Write([]byte{2}) } }\n',
    );
    longest["prints"] = await longestTask(page);
    await runIn(page, bombs.find(({ name }) => name === "a constant that doubles")!.body);
    longest["runs out of memory"] = await longestTask(page);
    await runIn(page, reaches('\tfor {\n\tcall(global, "postMessage", number(1))\n\t}'));
    longest["floods its worker with messages"] = await longestTask(page);
    t.diagnostic(
      `longest tasks of the main thread, 0 for none of 50 ms: ${JSON.stringify(longest)}; bar ${TASK_MS} ms`,
    );
    assert.ok(
      Object.values(longest).every((ms) => ms <= TASK_MS),
      JSON.stringify(longest),
    );
    await page.close();
  });
});

declare const testEngine: import("../../src/engine/engine.ts").Engine;
