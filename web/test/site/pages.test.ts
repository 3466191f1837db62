// Every page can be read without scripts and on a phone, and has a title, a description and a heading.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { sampleOf } from "../sample.ts";
import { none } from "./faults.ts";
import { SiteBelow } from "./site-below.ts";

/** Returns what a page shows to a reader without scripts. Parsing a page takes a fraction of the time of drawing it. */
const facts = (page: Page, html: string) =>
  page.evaluate((html) => {
    const there = new DOMParser().parseFromString(html, "text/html");
    const meta = (name: string) =>
      there.querySelector(`meta[name="${name}"], meta[property="${name}"]`)?.getAttribute("content") ?? "";
    for (const data of there.querySelectorAll("script, style")) data.remove();
    const main = there.querySelector("main");
    return {
      lang: there.documentElement.lang,
      title: there.title,
      description: meta("description"),
      // The properties that are missing. A page of the book has a card without a picture.
      card: ["og:title", "og:description"].filter((name) => meta(name) === ""),
      picture: ["og:url", "og:image"].filter((name) => meta(name) === ""),
      // mdBook's bar has the book's title as a heading, on every page.
      headings: there.querySelectorAll("h1:not(.menu-title)").length,
      words: (main?.textContent ?? "").trim().split(/\s+/).length,
      ways:
        [...there.querySelectorAll("nav a[href], .nav-chapters")].length +
        there.querySelectorAll("iframe.sidebar-iframe-outer").length,
    };
  }, html);

describe("every page of the site", () => {
  let site: SiteBelow;
  before(async () => {
    site = await SiteBelow.start();
  });
  after(() => site?.stop());

  test("can be read without scripts, and has title, description and headings", async () => {
    assert.ok(site.pages.length > 100, `only ${site.pages.length} pages`);
    const context = await site.context({ javaScriptEnabled: false });
    const page = await context.newPage();
    const faults: string[] = [];
    const texts = new Map<string, string>();
    for (const at of site.pages) {
      const reply = await fetch(site.address(at));
      const f = await facts(page, await reply.text());
      const demand = (holds: boolean, what: string) => {
        if (!holds) faults.push(`${at.path || "front page"}: ${what}`);
      };
      demand(reply.ok || at.kind === "404", `status ${reply.status}`);
      const whole = at.path === "book/print.html";
      demand(f.lang === "en", `lang is "${f.lang}"`);
      demand(f.title !== "", "no title");
      demand(f.description !== "", "no description");
      demand(whole || f.headings === 1, `${f.headings} headings of the first level`);
      demand(f.words > (at.kind === "404" ? 5 : 20), `main has ${f.words} words`);
      demand(whole || f.ways > 0, "no navigation");
      // The first page of the book has two addresses.
      if (whole || at.path === "book/introduction.html") continue;
      demand(at.path === "" || f.title.endsWith(" · On the Stack"), `its title is "${f.title}"`);
      const missing = at.book ? f.card : [...f.card, ...f.picture];
      demand(missing.length === 0, `its card for social networks has no ${missing.join(", ")}`);
      for (const text of at.book ? [f.title, f.description] : [f.title]) {
        demand(!texts.has(text), `its title or description is the same as on ${texts.get(text)}`);
        texts.set(text, at.path);
      }
    }
    await context.close();
    none(faults);
  });

  test("fits a phone without scripts", async () => {
    const context = await site.context({ viewport: { width: 390, height: 844 }, javaScriptEnabled: false });
    const page = await context.newPage();
    const faults: string[] = [];
    // e2e/looks.test.ts looks at all chapters with their scripts.
    const many = (kind: string) => sampleOf(site.pages.filter((page) => page.kind === kind), 20, ({ path }) => path);
    const left = site.pages.filter(({ kind }) => kind !== "listing" && kind !== "book: chapter");
    for (const at of [...left, ...many("listing"), ...many("book: chapter")]) {
      await page.goto(site.address(at));
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      if (wide > 0) faults.push(`${at.path || "front page"}: scrolls sideways by ${wide} px`);
    }
    await context.close();
    none(faults);
  });

  test("calls no other host and has no error", () => none(site.errors));
});
