// A browser on a page such as mdBook builds, served by a static server. Tests provide only the runner's answers.

import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";
import type { Browser, BrowserContext, Disposable, Page } from "playwright-core";
import { page as bookPage } from "../stand-in/page.ts";
import { SharedPrograms } from "../stand-in/play.ts";
import { serve, type Answer, type Request, type Server } from "../stand-in/server.ts";
import { SOLUTION_FILE, TESTS } from "../stand-in/verdicts.ts";
import { findChromium, launchChromium, NO_CHROMIUM } from "./chromium.ts";

/** Returns the content of a file that tools/bookalloc writes beside the widgets. */
function companion(path: string): string | undefined {
  if (path === "/book/widgets/exercises/exercise6.tests.json") return JSON.stringify(TESTS);
  if (path === "/book/widgets/exercises/exercise6.solution.json") return JSON.stringify(SOLUTION_FILE);
  return undefined;
}

/** An empty page of the book's origin, on which no script runs. */
const BLANK = "/blank.html";
const VIEWPORT = { width: 1440, height: 900 };

export type Post = (request: Request) => Answer | undefined;

/**
 * The browser of a test. Starting a tab takes more of a processor's time than most tests, so successive tests have the
 * same tab: after each test its storage, its settings and its routes are as at the beginning. Scripts that run first in
 * each page are added by initially, because the tab would keep others.
 */
export class BookInBrowser {
  browser!: Browser;
  server!: Server;
  context!: BrowserContext;
  page!: Page;
  /** Edits the HTML of the next page that is opened. */
  edit = (html: string): string => html;
  /** Answers requests to the runner. */
  post: Post = () => undefined;
  shared = new SharedPrograms();
  errors: string[] = [];
  /** Whether the next test can have the tab of this one. */
  private lasting = false;
  private scripts: Disposable[] = [];

  get url(): string {
    return `${this.server.origin}/book/profiling/index.html`;
  }

  html(): string {
    return this.edit(bookPage());
  }

  /** Begins a new visit in a new tab, with empty storage. A test with other options has it for itself. */
  async fresh(options: Parameters<Browser["newContext"]>[0] = {}): Promise<void> {
    await this.context?.close();
    this.context = await this.browser.newContext({ viewport: VIEWPORT, ...options });
    this.page = await this.context.newPage();
    this.page.setDefaultTimeout(120_000);
    this.page.on("pageerror", (e) => this.errors.push(String(e)));
    this.lasting = Object.keys(options).length === 0;
  }

  /** Runs a script in each page of this test, before the page's own scripts. */
  async initially(script: () => void): Promise<void> {
    this.scripts.push(await this.page.addInitScript(script));
  }

  /** Begins a test. */
  async begin(): Promise<void> {
    this.errors = [];
    if (!this.lasting) await this.fresh();
  }

  /** Ends a test. If the tab cannot be made as it was, the next test has another. */
  async end(): Promise<void> {
    if (this.lasting) this.lasting = await this.restore().then(() => true, () => false);
    if (!this.lasting) await this.context.close();
  }

  /** Leaves the page of a test, and makes the tab as it was. */
  private async restore(): Promise<void> {
    const { context, page } = this;
    for (const other of context.pages()) if (other !== page) await other.close();
    for (const script of this.scripts.splice(0)) await script.dispose();
    page.removeAllListeners("request");
    await page.unrouteAll();
    await context.unrouteAll();
    await context.clearPermissions();
    await context.setOffline(false);
    await page.emulateMedia({ media: null, colorScheme: null, reducedMotion: null });
    await page.mouse.move(0, 0);
    await page.goto(this.server.origin + BLANK);
    await page.setViewportSize(VIEWPORT);
    await page.evaluate(async () => {
      localStorage.clear();
      sessionStorage.clear();
      for (const name of await caches.keys()) await caches.delete(name);
    });
  }
}

/** Runs tests in Chromium, each with empty storage, and fails if a page reports an error. */
export function inBrowser(what: string, post: Post, tests: (book: BookInBrowser) => void): void {
  if (!findChromium()) {
    console.error(NO_CHROMIUM);
    test("a browser is there", { skip: process.env["CI"] === "true" ? false : NO_CHROMIUM }, () =>
      assert.fail(NO_CHROMIUM),
    );
  }
  describe(what, { skip: findChromium() === null }, () => {
    const book = new BookInBrowser();
    before(async () => {
      book.browser = await launchChromium();
      book.server = await serve({
        prefix: "/book/",
        dir: process.env["OTS_BOOK"]!,
        page: (path) => {
          if (path === BLANK) return "<!DOCTYPE html><title>Blank</title>";
          return path === "/book/profiling/index.html" ? book.html() : (companion(path) ?? book.shared.page(path));
        },
        post: (request) => book.post(request),
      });
    });
    after(async () => {
      await book.browser?.close();
      await book.server?.close();
    });
    beforeEach(async () => {
      book.edit = (html) => html;
      book.post = post;
      book.shared = new SharedPrograms();
      await book.begin();
    });
    afterEach(async () => {
      await book.end();
      assert.deepEqual(book.errors, [], "errors in the page");
    });
    tests(book);
  });
}
