// The site without a network: a static host serves it below a path, and the service worker stores it.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { promisify } from "node:util";
import { after, before, beforeEach, describe, test } from "node:test";
import { build } from "esbuild";
import type { Browser, BrowserContext, Page } from "playwright-core";
import type * as Keep from "../../src/offline/keep.ts";
import { launchChromium } from "../browser/chromium.ts";
import { root } from "../e2e/site.ts";
import { filesOf } from "../stand-in/scripts.ts";
import { editorIn, PATH, searchBook, tree } from "./site-below.ts";
import { StaticHost } from "../static-host.ts";

declare const offline: typeof Keep;

const EXERCISE = "exercises/exercise6/";
const EDITOR = `book/widgets/${filesOf("editor", join(root, "book"))[0]}`;
const CHAPTER = "book/memory-profiling/program.html";
/** What the versions of the site do not need: compressed files, the engine, and most pages with their pictures. */
const LEFT_OUT = [
  /\.(br|gz|pdf)$/,
  /^engine\//,
  /^history\/.+\//,
  /^exercises\/(?!exercise6\/).+\//,
  /^book\/(?!memory-profiling\/).+\/[^/]+\.(html|svg|webp)$/,
];

describe("the site without a network", () => {
  let folder: string;
  /** keep.ts, bundled as a script that exports to the tests. */
  let script: string;
  let browser: Browser;
  let host: StaticHost;
  let context: BrowserContext;
  let errors: string[];

  const leavesOut = (path: string) => LEFT_OUT.some((pattern) => pattern.test(path));

  /** Makes a version of the site with the pages that these tests visit, in a folder of its own. */
  async function version(name: string, change: (dir: string) => Promise<void>): Promise<string> {
    const dir = join(folder, name);
    await cp(tree, dir, { recursive: true, filter: (path) => !leavesOut(relative(tree, path)) });
    await change(dir);
    await promisify(execFile)(process.execPath, [join(root, "web/offline.mjs"), dir]);
    return dir;
  }
  const edit = async (file: string, change: (text: string) => string) =>
    writeFile(file, change(await readFile(file, "utf8")));
  const titled = (title: string) => (page: string) => page.replace(/<title>/, `<title>${title} `);

  let first: string;
  let second: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "onthestack-offline-"));
    first = await version("first", (dir) => edit(join(dir, EXERCISE, "index.html"), titled("First")));
    second = await version("second", async (dir) => {
      await edit(join(dir, EXERCISE, "index.html"), titled("Second"));
      await edit(join(dir, EDITOR), (text) => `${text};`);
      await rm(join(dir, "book/credits.html"));
    });
    const contents = 'import * as keep from "./keep.ts"; globalThis.offline = keep;';
    const bundle = await build({
      stdin: { contents, resolveDir: join(root, "web/src/offline") },
      bundle: true,
      format: "iife",
      write: false,
    });
    script = bundle.outputFiles[0]!.text;
    browser = await launchChromium();
  });
  after(async () => {
    await browser?.close();
    await host?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  beforeEach(async () => {
    await context?.close();
    await host?.stop();
    host = await StaticHost.start(first, PATH);
    context = await browser.newContext({ reducedMotion: "reduce", viewport: { width: 1280, height: 900 } });
    context.setDefaultTimeout(120_000);
    errors = [];
    context.on("weberror", (error) => errors.push(String(error.error())));
  });

  async function open(path: string): Promise<Page> {
    const page = await context.newPage();
    await page.goto(host.url + path);
    await page.evaluate(script);
    return page;
  }

  const keep = (page: Page) => page.evaluate(() => offline.keepSite());

  async function kept(path = ""): Promise<Page> {
    const page = await open(path);
    assert.deepEqual(await keep(page), { stored: true, fetched: true });
    return page;
  }

  /** Makes the browser look for a new version, and waits until it is stored completely. */
  const updated = (page: Page) =>
    page.evaluate(async () => {
      const registration = (await navigator.serviceWorker.getRegistration())!;
      await registration.update();
      while (!registration.waiting) await new Promise((resolve) => setTimeout(resolve, 50));
    });

  /** Returns the URLs in all caches. */
  const cached = (page: Page) =>
    page.evaluate(async () => {
      const found = (await caches.keys()).map(async (name) =>
        (await (await caches.open(name)).keys()).map(({ url }) => url),
      );
      return (await Promise.all(found)).flat();
    });

  test("nothing is registered or stored before the reader asks", async () => {
    const page = await open(EXERCISE);
    assert.equal(await editorIn(page), true);
    await page.goto(host.url + CHAPTER);
    await page.waitForLoadState("networkidle");
    assert.deepEqual(
      await page.evaluate(async () => [
        (await navigator.serviceWorker.getRegistrations()).length,
        (await caches.keys()).length,
      ]),
      [0, 0],
    );
    assert.equal(host.asked.includes(`${PATH}sw.js`), false);
  });

  test("the whole site is stored, and can be read without a network", async (t) => {
    host.folder = tree;
    const page = await open("");
    const total = await page.evaluate(() => offline.pagesSize());
    assert.deepEqual(await keep(page), { stored: true, fetched: true });
    assert.deepEqual(await keep(page), { stored: true, fetched: false });
    const files = await cached(page);
    const bytes = await page.evaluate(async () => {
      const cache = await caches.open((await caches.keys())[0]!);
      const sizes = (await cache.matchAll()).map(async (reply) => (await reply.arrayBuffer()).byteLength);
      return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
    });
    assert.equal(bytes, total, "the site says how much it is");
    assert.ok(
      files.every((url) => url.startsWith(host.url)) &&
        !files.some((url) => /\.(br|gz|pdf|xml)\?|\/sw\.js|\/engine\//.test(url)),
      files.join("\n"),
    );
    t.diagnostic(`${files.length} files, ${(total / 1e6).toFixed(1)} MB`);

    host.cut();
    // Relative to the requested page, without a reload.
    await page.getByRole("navigation", { name: "Site" }).getByRole("link", { name: "Book" }).click();
    await page.waitForURL(`${host.url}book/`);
    await page.locator("#mdbook-sidebar .chapter a").nth(3).click();
    await page.locator("main h1").first().waitFor();
    await searchBook(page, "escape");
    await page.goto(host.url + EXERCISE);
    assert.equal(await editorIn(page), true);
    await page.goto(`${host.url}history/`);
    await page.locator("main a[href]").first().waitFor();
    await page.goto(`${host.url}play/`);
    await page.locator(".cm-content").waitFor();
    await page.goto(`${host.url}exercises`);
    assert.equal(page.url(), `${host.url}exercises/`);
    const missing = await page.goto(`${host.url}no/such/page.html`);
    assert.equal(missing!.status(), 404);
    await page.getByRole("heading", { name: "There is no such page" }).waitFor();
    assert.deepEqual(errors, []);
  });

  test("the page does not wait long for a network that hangs", async () => {
    const page = await kept();
    host.network = "hangs";
    const began = Date.now();
    await page.goto(host.url + CHAPTER, { waitUntil: "commit" });
    const took = Date.now() - began;
    assert.ok(took > 2500, `${took} ms: the page did not wait for the network`);
    await page.locator("main h1").first().waitFor();
  });

  test("requests to the runner's API and for the engine, and POST requests, go to the network", async () => {
    const page = await kept();
    host.cut();
    for (const path of [
      "version",
      "metrics",
      "p/abc",
      "p/abc.go",
      "engine/manifest.json",
      "engine/wasm_exec-0123abcd.js",
    ]) {
      const answered = await page.evaluate(
        (path) =>
          fetch(path).then(
            () => true,
            () => false,
          ),
        path,
      );
      assert.equal(answered, false, path);
    }
    assert.equal(await page.evaluate(() => fetch("index.html").then((reply) => reply.ok)), true);
    assert.equal(
      await page.evaluate(() =>
        fetch("index.html", { method: "POST" }).then(
          () => true,
          () => false,
        ),
      ),
      false,
    );
  });

  test("a new version takes over when the tabs of the old one are closed, and they work until then", async () => {
    const tab = await kept(EXERCISE);
    const lazy = await open(CHAPTER);
    host.folder = second;
    const before = host.asked.length;
    await updated(tab);
    // The browser may request the worker's script at any time.
    const askedSince = (start: number) => host.asked.slice(start).filter((path) => !path.endsWith("/sw.js"));
    const fetched = askedSince(before);
    assert.deepEqual(
      fetched.sort(),
      [PATH + EDITOR, PATH + EXERCISE].sort(),
      "only what changed is fetched",
    );

    // The old tab fetches its own version of the editor.
    const asked = host.asked.length;
    await lazy.locator(".ots-program").first().getByRole("button", { name: "Edit", exact: true }).click();
    await lazy.locator(".cm-content").first().waitFor();
    assert.deepEqual(askedSince(asked), []);

    // New pages come from the network, and files that it no longer has come from the cache.
    await tab.goto(host.url + EXERCISE);
    assert.match(await tab.title(), /^Second/);
    const gone = await tab.goto(`${host.url}book/credits.html`);
    assert.equal(gone!.status(), 200);
    host.cut();
    await tab.goto(host.url + EXERCISE);
    assert.match(await tab.title(), /^First/, "the old version is whole, with its own scripts");
    assert.equal(await editorIn(tab), true);

    await tab.close();
    await lazy.close();
    await new Promise((resolve) => setTimeout(resolve, 500));
    const anew = await context.newPage();
    await anew.goto(host.url + EXERCISE);
    assert.match(await anew.title(), /^Second/);
    assert.equal(await editorIn(anew), true);
    const files = await cached(anew);
    assert.equal(files.filter((url) => url.includes(`/${EXERCISE}index.html?`)).length, 1, "the old files are gone");
    assert.equal(
      files.some((url) => url.includes("credits")),
      false,
    );
    assert.deepEqual(errors, []);
  });

  test("an author sees an edit at once", async () => {
    const page = await kept(EXERCISE);
    host.folder = second;
    await page.reload();
    assert.match(await page.title(), /^Second/);
  });

  test("an interrupted installation leaves no incomplete version, and continues later", async () => {
    const page = await open(EXERCISE);
    host.left = 60;
    const keeping = await keep(page);
    assert.match(keeping.stored ? "" : keeping.why, /connection was lost/);
    assert.equal(await page.evaluate(() => offline.siteKept()), false);
    const have = (await cached(page)).length;
    assert.ok(have >= 40, `${have} files are there`);
    host.left = Infinity;
    const before = host.asked.length;
    assert.equal((await keep(page)).stored, true);
    const all = (await cached(page)).length;
    assert.ok(
      host.asked.length - before <= all - have + 5,
      `asked again for ${host.asked.length - before} of ${all}, though it had ${have}`,
    );
  });

  test("a site that changes during the download is not stored as a mixture", async () => {
    const page = await open("");
    const sw = await readFile(join(first, "sw.js"));
    const mixed = await version("mixed", (dir) => edit(join(dir, EXERCISE, "index.html"), titled("Mixed")));
    await writeFile(join(mixed, "sw.js"), sw);
    host.folder = mixed;
    const keeping = await keep(page);
    assert.match(keeping.stored ? "" : keeping.why, /site changed/);
  });

  test("full storage is reported", async () => {
    const page = await open("");
    const session = await context.newCDPSession(page);
    await session.send("Storage.overrideQuotaForOrigin", { origin: new URL(host.url).origin, quotaSize: 1_000_000 });
    const keeping = await keep(page);
    assert.match(keeping.stored ? "" : keeping.why, /storage is full: the pages take \d+ MB/);
    await session.send("Storage.overrideQuotaForOrigin", { origin: new URL(host.url).origin });
  });

  test("an insecure URL and a browser without service workers are reported", async () => {
    const page = await context.newPage();
    await page.route("http://classroom.invalid/**", (route) =>
      route.fulfill({ contentType: "text/html", body: "<p>Read on." }),
    );
    await page.goto("http://classroom.invalid/");
    await page.evaluate(script);
    const insecure = await keep(page);
    assert.match(insecure.stored ? "" : insecure.why, /https/);
    assert.equal(await page.evaluate(() => offline.siteKept()), false);

    const bare = await version("bare", async () => {});
    await rm(join(bare, "sw.js"));
    host.folder = bare;
    const without = await keep(await open(""));
    assert.match(without.stored ? "" : without.why, /cannot be kept/);
  });

  test("files that the browser removed are stored again, and other caches stay", async () => {
    const page = await kept(EXERCISE);
    assert.equal(await page.evaluate(() => offline.siteKept()), true);
    await page.evaluate(async () => {
      for (const name of await caches.keys()) await caches.delete(name);
      await (await caches.open("engine")).put("x", new Response("x"));
    });
    assert.equal(await page.evaluate(() => offline.siteKept()), false);
    host.left = 60;
    const cut = await keep(page);
    assert.match(cut.stored ? "" : cut.why, /connection was lost/);
    assert.equal(await page.evaluate(() => offline.siteKept()), false, "not all is there");
    host.left = Infinity;
    assert.equal((await keep(page)).stored, true);
    host.cut();
    await page.goto(host.url + CHAPTER);
    await page.locator("main h1").first().waitFor();
    assert.ok((await page.evaluate(() => caches.keys())).includes("engine"));
  });
});
