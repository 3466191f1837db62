// Every page can be read without scripts and on a phone, and has a title, a description and a heading.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { none } from "./faults.ts";
import { each, SiteBelow } from "./site-below.ts";

/** Returns what a page shows to a reader without scripts. */
const facts = (page: Page) =>
  page.evaluate(() => {
    const meta = (name: string) =>
      document.querySelector(`meta[name="${name}"], meta[property="${name}"]`)?.getAttribute("content") ?? "";
    const main = document.querySelector("main");
    return {
      lang: document.documentElement.lang,
      title: document.title,
      description: meta("description"),
      card: ["og:title", "og:description", "og:url", "og:image"].filter((name) => meta(name) === "").join(", "),
      // mdBook's bar has the book's title as a heading, on every page.
      headings: document.querySelectorAll("h1:not(.menu-title)").length,
      words: (main?.innerText ?? "").split(/\s+/).length,
      ways:
        [...document.querySelectorAll("nav a[href], .nav-chapters")].length +
        document.querySelectorAll("iframe.sidebar-iframe-outer").length,
      wide: document.documentElement.scrollWidth - window.innerWidth,
    };
  });

describe("every page of the site", () => {
  let site: SiteBelow;
  before(async () => {
    site = await SiteBelow.start();
  });
  after(() => site?.stop());

  test("can be read without scripts, fits a phone, and has title, description and headings", async () => {
    assert.ok(site.pages.length > 100, `only ${site.pages.length} pages`);
    const context = await site.context({ viewport: { width: 390, height: 844 }, javaScriptEnabled: false });
    const tabs = await Promise.all([context.newPage(), context.newPage(), context.newPage()]);
    const faults: string[] = [];
    const titles = new Map<string, string>();
    await each(site.pages, tabs.length, async (at, worker) => {
      const page = tabs[worker]!;
      await page.goto(site.address(at));
      const f = await facts(page);
      const demand = (holds: boolean, what: string) => {
        if (!holds) faults.push(`${at.path || "front page"}: ${what}`);
      };
      const whole = at.path === "book/print.html";
      demand(f.lang === "en", `lang is "${f.lang}"`);
      demand(f.title !== "", "no title");
      demand(f.description !== "", "no description");
      demand(whole || f.headings === 1, `${f.headings} headings of the first level`);
      demand(f.words > (at.kind === "404" ? 5 : 20), `main has ${f.words} words`);
      demand(whole || f.ways > 0, "no navigation");
      demand(f.wide <= 0, `scrolls sideways by ${f.wide} px`);
      if (at.book) return;
      demand(f.card === "", `its card for social networks has no ${f.card}`);
      demand(!titles.has(f.title), `its title is that of ${titles.get(f.title)}`);
      titles.set(f.title, at.path);
    });
    await context.close();
    none(faults);
  });

  test("calls no other host and has no error", () => none(site.errors));
});
