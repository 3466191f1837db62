// The setup of these tests: the real runner with the built book, and a browser whose pages record errors.

import { join } from "node:path";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { launchChromium } from "../browser/chromium.ts";
import { startRunner, type Runner } from "./runner.ts";
import { pagesOf } from "./workbook.ts";

export const root = process.env["OTS_ROOT"]!;

export class Site {
  private constructor(
    readonly runner: Runner,
    readonly browser: Browser,
    /** Errors of scripts and of the console, and failed requests, in all pages that open has made. */
    readonly errors: string[] = [],
  ) {}

  static async start(): Promise<Site> {
    const runner = await startRunner(join(root, ".cache/bin/runner"), join(root, "public"));
    return new Site(runner, await launchChromium());
  }

  async open(context: BrowserContext): Promise<Page> {
    const page = await context.newPage();
    page.setDefaultTimeout(300_000); // only so that a test ends: machines are busy
    page.on("pageerror", (error) => this.errors.push(String(error)));
    page.on("console", (message) => {
      // The response handler reports a failed status together with the URL.
      if (message.type() === "error" && !/with a status of \d+/.test(message.text())) this.errors.push(message.text());
    });
    page.on("response", (response) => {
      if (response.status() >= 400) this.errors.push(`${response.status()} ${response.url()}`);
    });
    return page;
  }

  /** Returns the HTML of the pages in SUMMARY.md, by their path below /book/. */
  async pages(): Promise<Map<string, string>> {
    const pages = new Map<string, string>();
    for (const path of await pagesOf(root)) {
      const reply = await fetch(`${this.runner.url}/book/${path}`);
      if (reply.ok) pages.set(path, await reply.text());
      else this.errors.push(`${reply.status} ${path}, which SUMMARY.md lists`);
    }
    return pages;
  }

  async stop(): Promise<void> {
    await this.browser.close();
    await this.runner.stop();
  }
}
