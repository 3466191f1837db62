// The engine is prepared while the reader reads: from the browser's cache alone, and only after the reader has agreed
// to fetch it. What the page says while it starts is true.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Browser, BrowserContext, Page, Worker } from "playwright-core";
import { launchChromium, UNOPTIMIZED } from "../browser/chromium.ts";
import { ExercisePage } from "../browser/exercise-page.ts";
import { PATH, tree } from "../site/site-below.ts";
import { StaticHost } from "../static-host.ts";

/** Begins the script of the worker that compiles the engine's programs: tells the page of each that came in a response. */
const COUNTING = `
  const streaming = WebAssembly.compileStreaming;
  WebAssembly.compileStreaming = async (reply) => {
    const program = await streaming(reply);
    new BroadcastChannel("compiled").postMessage(null);
    return program;
  };
`;

/** Begins the scripts of the workers that a page or worker starts with a text of its own. */
const beginning = (text: string) => `
  const Plain = Blob;
  globalThis.Blob = class extends Plain {
    constructor(parts = [], options) {
      super(options?.type === "text/javascript" ? [${JSON.stringify(text)}, ...parts] : parts, options);
    }
  };
`;

describe("an engine that is ready when it is asked", () => {
  let host: StaticHost;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  const errors: string[] = [];
  before(async () => {
    host = await StaticHost.start(tree, PATH);
    host.negotiates = ["br"];
    browser = await launchChromium(UNOPTIMIZED);
    context = await browser.newContext({ viewport: { width: 1280, height: 900 }, reducedMotion: "reduce" });
    context.setDefaultTimeout(120_000);
    context.on("weberror", (error) => errors.push(String(error.error())));
    await context.addInitScript(() => {
      const said: string[] = [];
      Object.assign(globalThis, { said });
      new MutationObserver(() => {
        for (const place of document.querySelectorAll(".ots-headline, .ots-status")) {
          const words = place.textContent ?? "";
          if (/compiler/.test(words) && said.at(-1) !== words) said.push(words);
        }
      }).observe(document, { subtree: true, childList: true, characterData: true });
    });
    await context.addInitScript(() => {
      Object.assign(globalThis, { compiled: 0 });
      new BroadcastChannel("compiled").onmessage = () => void (globalThis as unknown as { compiled: number }).compiled++;
    });
    // The page starts the engine's worker, which starts the one that compiles.
    await context.addInitScript({ content: `{${beginning(`{${beginning(COUNTING)}}`)}}` });
    page = await context.newPage();
  });
  after(async () => {
    await browser?.close();
    await host?.stop();
  });

  const open = () => ExercisePage.open(page, `${host.url}exercises/exercise6/`, "exercise6");
  const said = () => page.evaluate(() => (globalThis as unknown as { said: string[] }).said);
  /** Returns the parts that were fetched since an answer of the host. */
  const parts = (since: number) =>
    host.sent.slice(since).filter(({ path, bytes }) => /\/engine\/[^/]+\.(wasm|pack|js)(\.\w+)?$/.test(path) && bytes > 0);
  /** Waits until the page's worker can do tasks. */
  const ready = async () => {
    const worker: Worker = page.workers()[0] ?? (await page.waitForEvent("worker"));
    for (;;) {
      const is = await worker.evaluate(() => "onthestackPage" in globalThis && "onthestackHost" in globalThis);
      if (is) return;
      await page.waitForTimeout(50);
    }
  };
  const idle = () => page.evaluate(() => new Promise<void>((resolve) => requestIdleCallback(() => resolve())));

  test("nothing is fetched or started before the reader has agreed", async () => {
    await open();
    for (let i = 0; i < 3; i++) await idle();
    assert.deepEqual(host.asked.filter((path) => path.includes("/engine/")), []);
    assert.deepEqual(page.workers(), []);
  });

  test("once it is fetched, a page starts it by itself, from the cache", async () => {
    const shown = new ExercisePage(page, "exercise6");
    await shown.check.click();
    await shown.button(/^Fetch/).click();
    await shown.headline.filter({ hasText: /^Not yet/ }).waitFor();
    assert.match((await said()).join(), /Fetching Go's compiler, \d+ % of .*Starting Go's compiler/);
    await shown.root.locator(".ots-status", { hasText: "Kept in this browser" }).waitFor();

    const before = host.sent.length;
    await page.reload();
    await shown.editor.waitFor();
    await ready();
    assert.deepEqual(await said(), [], "nobody has asked for it");
    // Only then does the browser use the machine code that it stored on the first visit.
    const compiled = () => (globalThis as unknown as { compiled: number }).compiled;
    assert.equal(await page.evaluate(compiled), 3, "the programs are compiled from the HTTP cache");
    assert.match(await shown.checked(), /^Not yet/);
    assert.deepEqual(await said(), [], "it was ready");
    assert.deepEqual(parts(before), []);
  });

  test("a check during the start says that it starts, and fetches nothing", async () => {
    const before = host.sent.length;
    await page.reload();
    const shown = new ExercisePage(page, "exercise6");
    await shown.editor.waitFor();
    assert.match(await shown.checked(), /^Not yet/);
    const words = await said();
    assert.ok(words.length > 0 && words.every((w) => w.startsWith("Starting Go's compiler")), words.join("\n"));
    assert.deepEqual(parts(before), []);
  });

  test("a program's page starts it, too, and without a network", async () => {
    host.cut();
    await page.goto(`${host.url}play/`);
    await ready();
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await page.locator(".ots-output").first().waitFor();
    assert.deepEqual(await said(), []);
    host.network = "up";
  });

  test("while the reader types, lines get a mark that is not measured, and a check replaces it", async () => {
    const shown = await open();
    const text = await shown.text();
    await ready();
    assert.match(await shown.checked(), /^Not yet/);
    await shown.editor.focus();
    await page.keyboard.press("ControlOrMeta+End");
    await page.keyboard.insertText("\nfunc one() *int {\n\tn := 1\n\treturn &n\n}\n");
    const unmeasured = shown.root.locator(".ots-mark.is-said");
    await unmeasured.last().waitFor();
    const names = await unmeasured.evaluateAll((marks) => marks.map((mark) => mark.getAttribute("aria-label")));
    assert.ok(names.some((name) => /^Line \d+, not measured: the compiler says moved to heap: n$/.test(name!)), names.join());
    assert.equal(await shown.root.locator(".ots-mark.is-alloc").count(), 0, "what was measured was another text");
    assert.match(await shown.checked(), /^Not yet/);
    assert.equal(await unmeasured.count(), 0);
    assert.ok((await shown.root.locator(".ots-mark.is-alloc").count()) > 0);
    assert.notEqual(await shown.text(), text);
  });

  test("nothing went wrong", () => assert.deepEqual(errors, []));
});
