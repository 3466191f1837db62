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
      // The properties that are missing. A page of the book has a card without a picture.
      card: ["og:title", "og:description"].filter((name) => meta(name) === ""),
      picture: ["og:url", "og:image"].filter((name) => meta(name) === ""),
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
    const texts = new Map<string, string>();
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
      // The first page of the book has two addresses.
      if (whole || at.path === "book/introduction.html") return;
      const missing = at.book ? f.card : [...f.card, ...f.picture];
      demand(missing.length === 0, `its card for social networks has no ${missing.join(", ")}`);
      for (const text of at.book ? [f.title, f.description] : [f.title]) {
        demand(!texts.has(text), `its title or description is the same as on ${texts.get(text)}`);
        texts.set(text, at.path);
      }
    });
    await context.close();
    none(faults);
  });

  test("calls no other host and has no error", () => none(site.errors));
});
