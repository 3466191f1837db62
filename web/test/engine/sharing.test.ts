// One engine serves a page and all its editors: it can be stopped, does one task after another, and ends with the page.
// How soon it stops, and how responsive the page stays, is measured in bench/smooth.test.ts.

import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { launchChromium, UNOPTIMIZED } from "../browser/chromium.ts";
import { root } from "../e2e/site.ts";
import { exercisesOf, type Exercise } from "../e2e/workbook.ts";
import { PATH, tree } from "../site/site-below.ts";
import { StaticHost } from "../static-host.ts";
import { bombs } from "./hostile-programs.ts";
import { checkIn, startEngine } from "./page-engine.ts";

const ENDLESS = "package main\n\nfunc main() { for {} }\n";
/** The engine's own worker, the sandbox frame's supervisor, the last program's compiler, and the next one's two. */
const ENGINE_WORKERS = 5;

const bomb = bombs.find(({ name }) => name === "generics that explode")!.body;

describe("one engine on a page", () => {
  let host: StaticHost;
  let browser: Browser;
  let context: BrowserContext;
  let exercise: Exercise;
  before(async () => {
    exercise = (await exercisesOf(root))[0]!;
    host = await StaticHost.start(tree, PATH);
    browser = await launchChromium(UNOPTIMIZED);
  });
  // Each test has a new browser profile, with empty storage.
  beforeEach(async () => {
    context = await browser.newContext({ reducedMotion: "reduce", viewport: { width: 1100, height: 900 } });
    context.setDefaultTimeout(120_000);
  });
  afterEach(async () => {
    await context.close();
    await workersAre(0);
  });
  after(async () => {
    await browser?.close();
    await host?.stop();
  });

  const open = async (path: string): Promise<Page> => {
    const page = await context.newPage();
    await page.goto(host.url + path);
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
  /** Returns the number of workers in the browser. */
  const workers = async (): Promise<number> => {
    const session = await browser.newBrowserCDPSession();
    const { targetInfos } = await session.send("Target.getTargets");
    await session.detach();
    return targetInfos.filter(({ type, url }) => type === "worker" || url.startsWith("blob:")).length;
  };

  /** Waits until there are that many workers. A busy browser takes some time to end one. */
  const workersAre = async (count: number) => {
    for (let i = 0; i < 1200 && (await workers()) !== count; i++)
      await new Promise((resolve) => setTimeout(resolve, 100));
    assert.equal(await workers(), count, "workers");
  };

  test("stops a task and does the next", async () => {
    const page = await open("book/introduction.html");
    await startEngine(page);
    for (const [what, task, body, after] of [
      ["a program", "compile", ENDLESS, 1500],
      ["the compiler", "compile", bomb, 1000],
      ["what has hardly begun", "compile", ENDLESS, 0],
      ["the compiler in two workers", "step", bomb, 1000],
    ] as const) {
      const kind = await page.evaluate(
        async ([task, body, after]) => {
          const stop = new AbortController();
          const running = testEngine[task](body, { signal: stop.signal });
          await new Promise((resolve) => setTimeout(resolve, after));
          stop.abort();
          return (await running).kind;
        },
        [task, body, after] as const,
      );
      assert.equal(kind, "canceled", what);
      // The next check does not wait for anything.
      await works(page);
      await workersAre(ENGINE_WORKERS);
    }
    await page.close();
  });

  test("restores the button", async () => {
    await keep();
    const page = await open("play/");
    const editor = page.locator(".cm-content").first();
    await editor.click();
    await page.keyboard.press("Control+a");
    await page.keyboard.insertText(ENDLESS);
    await page.getByRole("button", { name: "Run", exact: true }).click();
    const stop = page.getByRole("button", { name: "Stop", exact: true });
    await stop.waitFor();
    await page
      .getByText(/Running/)
      .first()
      .waitFor();
    await stop.click();
    await page.getByRole("button", { name: "Run", exact: true }).waitFor();
    await editor.click();
    await page.keyboard.press("Control+a");
    await page.keyboard.insertText('package main\n\nfunc main() { println("after it") }\n');
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await page.locator(".ots-play, main, body").first().getByText("after it\n", { exact: false }).last().waitFor();
    await page.close();
  });

  test("does tasks in turn", async () => {
    const page = await open("book/introduction.html");
    await startEngine(page);
    const order = await page.evaluate(async (endless) => {
      const said: string[] = [];
      const hello = (name: string, signal?: AbortSignal) =>
        testEngine
          .compile(`package main\n\nfunc main() { println("${name}") }\n`, {
            ...(signal && { signal }),
            onEvent: (event) => event.kind === "queued" && said.push(`${name} waits, ${event.position}`),
          })
          .then((outcome) =>
            said.push(
              outcome.kind === "ok" ? (outcome.value.events[0]?.message.trim() ?? "") : `${name} ${outcome.kind}`,
            ),
          );
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

  test("serves two editors, ends when the page is left, and starts again when it is restored", async () => {
    await keep();
    await workersAre(0);
    // If the server were asked first, the time of its answer would decide when the engine gets a check.
    await context.addInitScript(() => localStorage.setItem("onthestack/2/engine", JSON.stringify({ chosen: "page" })));
    const page = await open("book/memory-profiling/exercises.html");
    const editors = page.locator(".ots-exercise");
    assert.ok((await editors.count()) >= 2);
    for (const i of [0, 1]) {
      await editors.nth(i).scrollIntoViewIfNeeded();
      await editors.nth(i).locator(".cm-content").first().waitFor();
    }
    const check = (i: number) => editors.nth(i).getByRole("button", { name: "Check", exact: true });
    // The button says "Checking…" from the click until the check is over.
    const verdict = async (i: number) => {
      await check(i).waitFor();
      await editors.nth(i).locator(".ots-headline", { hasText: "Not yet: " }).first().waitFor();
    };
    await check(0).click();
    await check(1).click();
    await Promise.all([verdict(0), verdict(1)]);
    await workersAre(ENGINE_WORKERS);
    await page.evaluate(leaveDuringChecks);
    await workersAre(0);
    await check(1).click();
    await verdict(1);
    await workersAre(ENGINE_WORKERS);
    await check(0).click();
    await page.goto(`${host.url}book/introduction.html`);
    await workersAre(0);
    await page.close();
  });
});

/**
 * Checks in the page's first two editors and, when the second check waits for the first, sends the page the event with
 * which a browser puts it into the back-forward cache. Resolves when both editors say that the check was canceled.
 */
async function leaveDuringChecks(): Promise<void> {
  const [first, second] = document.querySelectorAll(".ots-exercise");
  const seen = (condition: () => boolean) =>
    new Promise<void>((resolve, reject) => {
      const observer = new MutationObserver(() => {
        if (!condition()) return;
        observer.disconnect();
        resolve();
      });
      setTimeout(() => reject(new Error(`not within two minutes: ${condition}`)), 120_000);
      observer.observe(document.body, { subtree: true, childList: true, characterData: true });
    });
  const says = (editor: Element | undefined, words: string) => editor?.textContent?.includes(words) ?? false;
  const waits = seen(() => says(second, "Waiting, number 1 in the queue"));
  // Soon afterwards the editor may say instead that everything is stored.
  const canceled = Promise.all([first, second].map((editor) => seen(() => says(editor, "Canceled"))));
  for (const editor of [first, second])
    [...(editor?.querySelectorAll("button") ?? [])].find(({ textContent }) => textContent === "Check")?.click();
  await waits;
  dispatchEvent(new PageTransitionEvent("pagehide", { persisted: true }));
  await canceled;
}

declare const testEngine: import("../../src/engine/engine.ts").Engine;
