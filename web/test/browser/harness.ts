// A browser on a page such as mdBook builds, served by a static server. Tests provide only the runner's answers.

import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { page as bookPage } from "../stand-in/page.ts";
import { SharedPrograms } from "../stand-in/play.ts";
import { serve, type Answer, type Request, type Server } from "../stand-in/server.ts";
import { SOLUTION_FILE, TESTS } from "../stand-in/verdicts.ts";
import { findChromium, launchChromium, NO_CHROMIUM } from "./chromium.ts";

/** Returns the content of a file that tools/bookalloc writes beside the widgets. */
function companion(path: string): string | undefined {
  if (path === "/book/widgets/exercises/exercise1.tests.json") return JSON.stringify(TESTS);
  if (path === "/book/widgets/exercises/exercise1.solution.json") return JSON.stringify(SOLUTION_FILE);
  return undefined;
}

export type Post = (request: Request) => Answer | undefined;

export class BookInBrowser {
  browser!: Browser;
  server!: Server;
  context!: BrowserContext;
  page!: Page;
  /** The theme of the next page that is opened. */
  theme = "light";
  /** Edits the HTML of the next page that is opened. */
  edit = (html: string): string => html;
  /** Answers requests to the runner. */
  post: Post = () => undefined;
  shared = new SharedPrograms();
  errors: string[] = [];

  get url(): string {
    return `${this.server.origin}/book/profiling/index.html`;
  }

  html(): string {
    return this.edit(bookPage(this.theme));
  }

  /** Begins a new visit, with empty storage. */
  async fresh(options: Parameters<Browser["newContext"]>[0]): Promise<void> {
    await this.context?.close();
    this.context = await this.browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
    this.page = await this.context.newPage();
    this.page.setDefaultTimeout(120_000);
    this.errors = [];
    this.page.on("pageerror", (e) => this.errors.push(String(e)));
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
        page: (path) =>
          path === "/book/profiling/index.html" ? book.html() : (companion(path) ?? book.shared.page(path)),
        post: (request) => book.post(request),
      });
    });
    after(async () => {
      await book.browser?.close();
      await book.server?.close();
    });
    beforeEach(async () => {
      book.theme = "light";
      book.edit = (html) => html;
      book.post = post;
      book.shared = new SharedPrograms();
      await book.fresh({});
    });
    afterEach(async () => {
      await book.context.close();
      assert.deepEqual(book.errors, [], "errors in the page");
    });
    tests(book);
  });
}
