// A site below a path, as on a host with other sites: the real runner, a proxy, and a browser in which no page can call
// another host.

import { join } from "node:path";
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { launchChromium } from "../browser/chromium.ts";
import { startRunner, type Runner } from "../e2e/runner.ts";
import { root } from "../e2e/site.ts";
import { pagesIn, type SitePage } from "./kinds.ts";
import { below, type Proxy } from "./proxy.ts";

/** The site as it was built for PATH. */
export const tree = join(root, ".cache/below");
export const PATH = "/workbook/";

export class SiteBelow {
  private constructor(
    private readonly runner: Runner,
    private readonly proxy: Proxy,
    readonly browser: Browser,
    readonly pages: SitePage[],
    /** Errors of scripts and of the console, failed requests, and calls of other hosts. */
    readonly errors: string[] = [],
  ) {}

  static async start(): Promise<SiteBelow> {
    // The platform that verdicts name is then the same on every machine.
    const runner = await startRunner(join(root, ".cache/bin/runner"), tree, { args: ["-engine", "wasm"] });
    return new SiteBelow(runner, await below(PATH, runner.url), await launchChromium(), await pagesIn(tree));
  }

  address({ path }: { path: string }): string {
    return this.proxy.url + path;
  }

  async context(options: BrowserContextOptions): Promise<BrowserContext> {
    const context = await this.browser.newContext({ reducedMotion: "reduce", ...options });
    context.setDefaultTimeout(120_000);
    await context.route(
      (url) => /^(https?|wss?):$/.test(url.protocol) && !url.href.startsWith(this.proxy.url),
      (route) => {
        this.errors.push(`${route.request().frame().url()} calls ${route.request().url()}`);
        return route.abort();
      },
    );
    context.on("page", (page) => this.listen(page));
    return context;
  }

  private listen(page: Page): void {
    const missing = this.address({ path: "no/such/page" });
    page.on("pageerror", (error) => this.errors.push(`${page.url()}: ${error}`));
    page.on("console", (message) => {
      // The browser reports the status of the 404 page, which is expected.
      if (message.type() === "error" && message.location().url !== missing)
        this.errors.push(`${page.url()}: ${message.text()}`);
    });
    page.on("response", (answer) => {
      if (answer.status() >= 400 && answer.url() !== missing)
        this.errors.push(`${page.url()}: ${answer.status()} ${answer.url()}`);
    });
  }

  async stop(): Promise<void> {
    await this.browser.close();
    await this.proxy.close();
    await this.runner.stop();
  }
}

/** Calls work for each item, at most atOnce at a time, in order. */
export async function each<T>(
  items: T[],
  atOnce: number,
  work: (item: T, worker: number) => Promise<void>,
): Promise<void> {
  const next = items.values();
  await Promise.all(
    Array.from({ length: atOnce }, async (_, worker) => {
      for (const item of next) await work(item, worker);
    }),
  );
}

/** Opens the editor of a page that has one, which is loaded when the reader comes near it, and waits for it. */
export async function editorIn(page: Page): Promise<boolean> {
  const exercise = page.locator(".ots-exercise, .ots-play").first();
  if ((await exercise.count()) === 0) return false;
  await exercise.scrollIntoViewIfNeeded();
  // On a phone, the editor is behind the tab of the code.
  await exercise.locator(".cm-content").first().waitFor({ state: "attached" });
  return true;
}

/** Searches the book, and waits for the results. */
export async function searchBook(page: Page, word: string): Promise<void> {
  // Until the page's scripts have run, the button does nothing.
  await page.waitForLoadState("load");
  await page.locator("#mdbook-search-toggle").click();
  const field = page.locator("#mdbook-searchbar");
  await field.waitFor();
  await field.pressSequentially(word);
  await page.locator("#mdbook-searchresults a").first().waitFor();
}
