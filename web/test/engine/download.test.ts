// Downloads of the engine over bad networks, from unusual hosts and in restricted browsers: the reader is told what is
// wrong, and can go on reading.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { launchChromium, UNOPTIMIZED } from "../browser/chromium.ts";
import { root } from "../e2e/site.ts";
import { exercisesOf, type Exercise } from "../e2e/workbook.ts";
import { filesOf } from "../stand-in/scripts.ts";
import { PATH, tree } from "../site/site-below.ts";
import { sampleOf } from "../sample.ts";
import { StaticHost } from "../static-host.ts";
import { checkIn, startEngine } from "./page-engine.ts";

const EXERCISE = "exercises/exercise6/";
const NO_RUNNER = "The server does not answer";

/** Returns the bytes of all parts of the engine, compressed. */
async function sizes(by: "br" | "gz"): Promise<number> {
  const { parts } = JSON.parse(await readFile(join(tree, "engine/manifest.json"), "utf8")) as {
    parts: Record<string, { br: number; gz: number }>;
  };
  return Object.values(parts).reduce((sum, part) => sum + part[by], 0);
}

describe("fetching the engine", () => {
  let host: StaticHost;
  let browser: Browser;
  let context: BrowserContext;
  let exercise: Exercise;
  /** Errors of scripts. There must be none, because failures are shown to the reader. */
  let errors: string[];
  before(async () => {
    exercise = (await exercisesOf(root))[0]!;
    browser = await launchChromium(UNOPTIMIZED);
  });
  after(() => browser?.close());

  beforeEach(async () => {
    host = await StaticHost.start(tree, PATH);
    context = await browser.newContext({ reducedMotion: "reduce", viewport: { width: 1100, height: 900 } });
    context.setDefaultTimeout(120_000);
    errors = [];
    context.on("weberror", (error) => errors.push(String(error.error())));
  });
  afterEach(async () => {
    await context.close();
    await host.stop();
    assert.deepEqual(errors, []);
  });

  const open = async (path = EXERCISE): Promise<Page> => {
    const page = await context.newPage();
    await page.goto(host.url + path);
    await page.locator(".ots-exercise .cm-content").first().waitFor();
    return page;
  };
  const check = (page: Page) => page.getByRole("button", { name: "Check", exact: true }).first().click();
  const agree = async (page: Page) => {
    await check(page);
    await page.getByRole("button", { name: /^Fetch .* MB and check$/ }).click();
  };
  /** Waits for the verdict on the starter, which passes its tests and allocates too much. */
  const verdict = (page: Page) =>
    page.locator(".ots-exercise .ots-headline", { hasText: "Not yet: " }).first().waitFor();
  const notice = async (page: Page): Promise<string> => {
    const notice = page.locator(".ots-exercise .ots-notice.is-problem").first();
    await notice.waitFor();
    return notice.innerText();
  };
  /** Returns how often a part was requested. */
  const asked = (part: string) => host.asked.filter((path) => path.startsWith(`${PATH}engine/${part}`)).length;
  const readsOn = async (page: Page) => {
    await page.goto(`${host.url}book/memory-profiling/program.html`);
    await page.getByRole("heading", { level: 1 }).first().waitFor();
  };

  test("shows the size and the progress of the download", async () => {
    const page = await open();
    await check(page);
    const offer = page.locator(".ots-notice", { hasText: "This page can check by itself" });
    await offer.waitFor();
    assert.match(
      await offer.innerText(),
      /No server answers here\. .* This fetches (2\d|1[89])\.\d MB once and, after the first answer, also the workbook's pages, at most \d+\.\d MB\./,
      "what a host sends that does not compress",
    );
    assert.ok(
      !host.sent.some(({ path, bytes }) => /engine\/.*\.(wasm|pack)/.test(path) && bytes > 0),
      "nothing is fetched before the reader agrees",
    );
    await page.evaluate(() => {
      const said: string[] = [];
      Object.assign(globalThis, { said });
      new MutationObserver(() => {
        const percent = /Fetching Go's compiler, (\d+) % of \d+\.\d MB/.exec(
          document.querySelector(".ots-exercise .ots-headline")?.textContent ?? "",
        )?.[1];
        if (percent && said.at(-1) !== percent) said.push(percent);
      }).observe(document.body, { subtree: true, childList: true, characterData: true });
    });
    await agree(page);
    assert.equal(
      await page.evaluate(() => document.activeElement?.textContent),
      "Checking…",
      "the focus is not lost with the notice",
    );
    await verdict(page);
    const said = await page.evaluate(() => (globalThis as unknown as { said: string[] }).said.map(Number));
    assert.ok(said.length > 5, `it said ${said.join(", ")}`);
    assert.deepEqual(
      said,
      [...said].sort((a, b) => a - b),
    );
    await page.locator(".ots-status", { hasText: "Kept in this browser" }).waitFor();
  });

  test("continues after the connection has broken once", async () => {
    let broken = false;
    host.breaks = (name) => {
      if (!name.startsWith("engine/link") || broken) return null;
      broken = true;
      return 500_000;
    };
    const page = await open();
    await agree(page);
    await verdict(page);
    assert.ok(broken && asked("link") >= 2);
  });

  test("reports a connection that always breaks, and fetches the missing parts when the network is back", async () => {
    // The connection breaks during the last part, when the others have arrived.
    host.breaks = (name) => (name.startsWith("engine/std") ? 8_000_000 : null);
    const page = await open();
    await agree(page);
    const words = await notice(page);
    assert.match(words, /^Go's compiler could not be fetched\s+The connection broke off/);
    host.breaks = () => null;
    const before = host.sent.length;
    await check(page);
    await verdict(page);
    const again = host.sent
      .slice(before)
      .filter(({ path, bytes }) => /engine\/.*\.gz/.test(path) && bytes > 0)
      .map(({ path }) => path.split("/").at(-1));
    assert.match(again.join(" "), /^std-[0-9a-f]+\.pack\.gz$/, "nothing that was there is fetched again");
  });

  test("gives up a connection that hangs, and continues when the network is back", async () => {
    const page = await open();
    await check(page);
    const fetching = page.getByRole("button", { name: /^Fetch .* MB and check$/ });
    await fetching.waitFor();
    host.network = "hangs";
    await fetching.click();
    await page.waitForTimeout(1000);
    // The reader need not wait for the download.
    await page.getByRole("button", { name: "Cancel", exact: true }).first().click();
    await page.getByRole("button", { name: "Check", exact: true }).first().waitFor();
    host.network = "up";
    await check(page);
    await verdict(page);
  });

  test("answers from the cache if the network hangs, also for the runner", async () => {
    const page = await open();
    await agree(page);
    await verdict(page);
    await page.locator(".ots-status", { hasText: "Kept in this browser" }).waitFor();
    host.network = "hangs";
    await page.reload({ waitUntil: "commit" });
    await page.locator(".ots-exercise .cm-content").first().waitFor();
    await check(page);
    await verdict(page);
    assert.equal(await page.locator(".ots-status", { hasText: "Kept" }).count(), 0, "it is told once");
  });

  test("is fetched once for two editors that start at the same time", async () => {
    const page = await open("book/memory-profiling/exercises.html");
    const editors = page.locator(".ots-exercise");
    const press = (name: RegExp) =>
      page.evaluate((name) => {
        for (const button of document.querySelectorAll<HTMLButtonElement>(".ots-exercise button"))
          if (new RegExp(name).test(button.textContent ?? "")) button.click();
      }, name.source);
    for (const i of [0, 1]) {
      await editors.nth(i).scrollIntoViewIfNeeded();
      await editors.nth(i).locator(".cm-content").first().waitFor();
    }
    await press(/^Check$/);
    for (const i of [0, 1])
      await editors
        .nth(i)
        .getByRole("button", { name: /^Fetch/ })
        .waitFor();
    await press(/^Fetch/);
    for (const i of [0, 1]) await editors.nth(i).locator(".ots-headline", { hasText: "Not yet: " }).waitFor();
    const parts = host.sent
      .filter(({ path, bytes }) => /engine\/.*\.gz/.test(path) && bytes > 0)
      .map(({ path }) => path);
    assert.equal(parts.length, new Set(parts).size, parts.join("\n"));
  });

  test("reports that the page's policy forbids the sandbox frame", async () => {
    const [script] = filesOf("engine", join(root, "book"));
    const engine = await readFile(join(tree, "book/widgets", script!), "utf8");
    const [hash] = /sha256-[\w+/]{43}=/.exec(engine) ?? [];
    assert.ok(hash);
    // As if the page were of an older version than the script.
    host.replaces = (file, bytes) =>
      file.endsWith(".html") ? Buffer.from(bytes.toString().replace(`'${hash}'`, "")) : bytes;
    const page = await open();
    await agree(page);
    assert.match(await notice(page), /The frame in which programs run could not be opened.*Reload the page\./);
    errors.length = 0;
  });

  test("reports that there is no network, and works when it is back", async () => {
    const page = await open();
    await check(page);
    const fetching = page.getByRole("button", { name: /^Fetch .* MB and check$/ });
    await fetching.waitFor();
    host.cut();
    await fetching.click();
    assert.match(await notice(page), /^Go's compiler could not be fetched\s+The connection broke off/);
    host.network = "up";
    await check(page);
    await verdict(page);
  });

  for (const [name, set, coding] of [
    ["by brotli", (host: StaticHost) => (host.negotiates = ["br", "gzip"]), "br"],
    ["by gzip", (host: StaticHost) => (host.negotiates = ["gzip"]), "gzip"],
    ["not at all", () => {}, ""],
    ["not at all, and sends .gz as gzipped", (host: StaticHost) => (host.unpacksGz = true), "gzip"],
  ] as const) {
    test(`works on a host that compresses ${name}`, async () => {
      set(host);
      const page = await open();
      // It starts only if each part has the hash that its name says.
      await startEngine(page);
      const parts = host.sent.filter(({ path, bytes }) => /engine\/(compile|link|page|std)/.test(path) && bytes > 0);
      const bytes = host.sent
        .filter(({ path }) => path.includes("/engine/"))
        .reduce((sum, sent) => sum + sent.bytes, 0);
      assert.deepEqual(parts.map((sent) => sent.coding), Array(4).fill(coding), JSON.stringify(parts));
      // Each part is sent once. How large they may be is a bar of "make bench".
      const most = (await sizes(coding === "br" ? "br" : "gz")) + 100e3;
      assert.ok(bytes < most, `${bytes} bytes were sent, of at most ${most}`);
    });
  }

  const garbage = (bytes: Buffer) => Buffer.alloc(bytes.length, 7);
  test("does not take a file that is not the expected one, and works when the right one comes", async () => {
    // The host compresses these files itself, so the browser decompresses them and the page cannot check the
    // compressed bytes.
    host.negotiates = ["gzip"];
    const page = await open();
    let asks = agree;
    for (const [what, replace, words] of [
      ["of other bytes", garbage, /is not the file that this page expects/],
      [
        "that was changed in the middle",
        (bytes: Buffer) => Buffer.concat([bytes.subarray(0, 5_000_000), Buffer.alloc(100), bytes.subarray(5_000_100)]),
        /is not the file that this page expects/,
      ],
      ["that is cut", (bytes: Buffer) => bytes.subarray(0, bytes.length >> 1), /broke off after/],
      ["that is too large", (bytes: Buffer) => Buffer.concat([bytes, bytes]), /larger than/],
      [
        "that is a page saying so",
        () => Buffer.from("<h1>Sign in to this network</h1>"),
        /broke off after|is not the file/,
      ],
    ] as const) {
      host.replaces = (file, bytes) =>
        /^engine\/link.*\.gz$/.test(file) ? gzipSync(replace(gunzipSync(bytes)), { level: 1 }) : bytes;
      const before = asked("link");
      await asks(page);
      // The button says "Checking…" from the click until the check is over.
      await page.getByRole("button", { name: "Check", exact: true }).first().waitFor();
      assert.match(await notice(page), words, what);
      assert.ok(asked("link") > before, `a file ${what} was not fetched`);
      asks = check;
    }
    host.replaces = (_, bytes) => bytes;
    await check(page);
    await verdict(page);
  });

  test("is not offered if the site has no engine", async () => {
    host.replaces = (file, bytes) => (file.startsWith("engine/") ? null : bytes);
    const page = await open();
    await check(page);
    assert.match(await notice(page), new RegExp(`^${NO_RUNNER}`));
    await readsOn(page);
  });

  test("asks for a reload if the site has changed meanwhile", async () => {
    const page = await open();
    await check(page);
    await page.getByRole("button", { name: /^Fetch .* MB/ }).waitFor();
    // The new version has a different compiler.
    host.replaces = (file, bytes) => (file.startsWith("engine/compile") ? null : bytes);
    await page.getByRole("button", { name: /^Fetch .* MB/ }).click();
    assert.match(await notice(page), /The site has changed since this page was opened\. Reload the page/i);
    await readsOn(page);
  });

  test("keeps a tab of an older version working", async () => {
    const page = await open();
    await startEngine(page);
    host.replaces = (file, bytes) => {
      if (/^engine\/(compile|link|page|std)-/.test(file) && !file.includes("-00000000")) return null;
      if (file !== "engine/manifest.json") return bytes;
      return Buffer.from(bytes.toString().replaceAll(/"page-[0-9a-f]{8}/g, '"page-00000000'));
    };
    const { outcome } = await checkIn(page, exercise.id, exercise.solution);
    assert.ok(outcome.kind === "ok" && outcome.value.pass);
    // The worker ends, and the engine starts again from the cache.
    await page.evaluate(() => {
      const stop = new AbortController();
      const running = testEngine.compile("package main\n\nfunc main() { for {} }\n", { signal: stop.signal });
      setTimeout(() => stop.abort(), 20);
      return running;
    });
    const again = await checkIn(page, exercise.id, exercise.solution);
    assert.ok(again.outcome.kind === "ok" && again.outcome.value.pass, JSON.stringify(again.outcome));
  });

  test("checks without storing the engine if the storage is full", async () => {
    const page = await open();
    const session = await context.newCDPSession(page);
    await session.send("Storage.overrideQuotaForOrigin", { origin: new URL(host.url).origin, quotaSize: 1_000_000 });
    await agree(page);
    await verdict(page);
    await page
      .locator(".ots-status", { hasText: "Not kept for a later visit. This browser's storage is full." })
      .waitFor();
  });

  test("checks without storing the engine if the page came over plain http", async () => {
    const insecure = await launchChromium("--host-resolver-rules=MAP workbook.test 127.0.0.1", UNOPTIMIZED);
    try {
      const page = await insecure.newPage();
      page.setDefaultTimeout(120_000);
      await page.goto(host.url.replace("127.0.0.1", "workbook.test") + EXERCISE);
      await page.locator(".ots-exercise .cm-content").first().waitFor();
      assert.equal(await page.evaluate(() => isSecureContext), false);
      await agree(page);
      await verdict(page);
      await page.locator(".ots-status", { hasText: "Not kept for a later visit." }).waitFor();
    } finally {
      await insecure.close();
    }
  });

  for (const [what, script, words] of [
    [
      "WebAssembly",
      "delete globalThis.WebAssembly",
      /^The server does not answer\s+Nothing is lost: .* This page could do it by itself, but this browser does not support WebAssembly/,
    ],
    [
      "workers",
      "delete globalThis.Worker",
      /^The server does not answer\s+Nothing is lost: .* This page could do it by itself, but this browser does not support web workers/,
    ],
  ] as const) {
    test(`says what is missing in a browser without ${what}`, async () => {
      await context.addInitScript(script);
      const page = await open();
      await check(page);
      assert.match(await notice(page), words);
      await readsOn(page);
    });
  }

  /** Parts of a browser without which the page checks all the same, with the script that removes them. */
  const REMOVED = [
    ["DecompressionStream", "delete globalThis.DecompressionStream"],
    [
      "a cache for the page",
      "Object.defineProperty(globalThis, 'caches', { get() { throw new DOMException('blocked', 'SecurityError') } })",
    ],
    [
      "caches that open",
      "if (globalThis.CacheStorage) CacheStorage.prototype.open = CacheStorage.prototype.match = " +
        "CacheStorage.prototype.has = () => Promise.reject(new DOMException('blocked', 'SecurityError'))",
    ],
    [
      "local storage",
      "Object.defineProperty(globalThis, 'localStorage', " +
        "{ get() { throw new DOMException('blocked', 'SecurityError') } })",
    ],
    ["service workers", "delete Navigator.prototype.serviceWorker"],
  ] as const;
  for (const [what, script] of sampleOf(REMOVED, 2, ([what]) => what)) {
    test(`checks in a browser without ${what}`, async () => {
      await context.addInitScript(script);
      const page = await open();
      await agree(page);
      await verdict(page);
    });
  }
});

declare const testEngine: import("../../src/engine/engine.ts").Engine;
