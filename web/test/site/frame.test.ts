// The frame of every page: the skip link and the navigation.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { root } from "../e2e/site.ts";
import { sampled } from "../sample.ts";
import { none } from "./faults.ts";
import { oneOfEach } from "./kinds.ts";
import { PATH, SiteBelow } from "./site-below.ts";

/** The sections of the site, in the order of the navigation. */
const SECTIONS = ["Book", "Recipes", "Exercises", "Play", "History", "Instructors", "Authors"];

describe("the frame of a page", () => {
  let site: SiteBelow;
  before(async () => {
    site = await SiteBelow.start();
  });
  after(() => site?.stop());

  for (const javaScriptEnabled of [true, false]) {
    const scripts = javaScriptEnabled ? "with scripts" : "without scripts";
    test(`the first Tab reaches a link that skips to the text, ${scripts}`, async () => {
      const faults: string[] = [];
      const context = await site.context({ viewport: { width: 1280, height: 900 }, javaScriptEnabled });
      const page = await context.newPage();
      // The 404 page has hardly any text. The page with the whole book takes longer than all others, so that only
      // make nightly has it.
      const skipped = new Set(sampled ? ["404", "book: all on one page"] : ["404"]);
      for (const at of oneOfEach(site.pages).filter(({ kind }) => !skipped.has(kind))) {
        const demand = (met: boolean, what: string) => met || faults.push(`${at.path || "front page"}: ${what}`);
        // The page of rooms has nothing to focus before the server has answered it.
        await page.goto(site.address(at), { waitUntil: "networkidle" });
        const skip = page.getByRole("link", { name: /^Skip to the (text|program)$/ });
        if ((await skip.count()) !== 1) {
          demand(false, `${await skip.count()} links skip to the text`);
          continue;
        }
        const hidden = (await skip.boundingBox())!;
        await page.keyboard.press("Tab");
        demand(
          await holds(page, () => document.activeElement?.textContent?.startsWith("Skip to the ")),
          "the first Tab goes elsewhere",
        );
        demand(
          await holds(page, () => getComputedStyle(document.activeElement!).clipPath === "none"),
          "it is not seen while it has the focus",
        );
        const box = (await skip.boundingBox())!;
        demand(
          box.x >= 0 && box.y >= 0 && box.width > 60,
          `it stands at ${box.x}, ${box.y}, and before at ${hidden.x}, ${hidden.y}`,
        );
        await page.keyboard.press("Enter");
        // The browser follows the link after the key, so another key at once could come before it.
        await page.waitForURL(/#/);
        await page.keyboard.press("Tab");
        demand(await holds(page, inText), "the Tab after it leaves the text");
      }
      await context.close();
      none(faults);
    });
  }

  test("the link that skips to the text leaves what was typed", async () => {
    const context = await site.context({});
    const page = await context.newPage();
    for (const [path, label] of [
      ["join/", "Your name"],
      ["room/", "The instructor's token"],
    ] as const) {
      await page.goto(site.address({ path }));
      const field = page.getByLabel(label).first();
      await field.fill("Ada");
      await page.getByRole("link", { name: "Skip to the text" }).press("Enter");
      await page.waitForURL(/#/);
      await page.evaluate(() => new Promise((resolve) => setTimeout(resolve)));
      assert.equal(await field.inputValue(), "Ada", path);
    }
    await context.close();
  });

  test("the navigation is the same everywhere, marks the current section, and leads to each section", async () => {
    const faults: string[] = [];
    const context = await site.context({ viewport: { width: 390, height: 844 } });
    const page = await context.newPage();
    for (const at of oneOfEach(site.pages).filter(({ kind }) => kind !== "book: all on one page")) {
      await page.goto(site.address(at));
      const links = page.getByRole("navigation", { name: "Site" }).getByRole("link");
      const names = (await links.allTextContents())
        .map((name) => name.trim())
        .filter((name) => name !== "On the Stack");
      if (names.join() !== SECTIONS.join())
        faults.push(`${at.path || "front page"}: the navigation has ${names.join(", ")}`);
      const here = await links.evaluateAll((links) =>
        links.filter((link) => link.hasAttribute("aria-current")).map((link) => link.textContent),
      );
      const section = at.book ? "Book" : SECTIONS.find((name) => at.path.startsWith(`${name.toLowerCase()}/`));
      if (here.join() !== (section ?? ""))
        faults.push(`${at.path || "front page"}: it says that one is at "${here.join(", ")}"`);
    }
    await page.goto(site.address({ path: "" }));
    await page.getByRole("link", { name: "Play", exact: true }).click();
    await page.getByRole("heading", { level: 1, name: "Play" }).waitFor();
    await context.close();
    none(faults);
  });

  test("the editor's page has the site's theme and its theme menu", async () => {
    const context = await site.context({ colorScheme: "dark" });
    const page = await context.newPage();
    await page.goto(site.address({ path: "play/" }));
    const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const dark = await ground();
    await page.getByRole("button", { name: "Wear the light theme" }).click();
    assert.notEqual(await ground(), dark);
    await page.goto(site.address({ path: "exercises/" }));
    await page.getByRole("button", { name: "Wear the dark theme" }).click();
    // The reader went back to the system's theme, so the page follows it again.
    await page.emulateMedia({ colorScheme: "light" });
    await page.getByRole("button", { name: "Wear the dark theme" }).waitFor();
    assert.notEqual(await ground(), dark);
    await context.close();
  });

  test("at 200 % zoom the header is one line, and on a phone there is room for a finger", async () => {
    const faults: string[] = [];
    const kinds = oneOfEach(site.pages).filter(({ kind }) => kind !== "book: all on one page");
    const zoomed = await site.context({ viewport: { width: 720, height: 450 } });
    const phone = await site.context({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
    const [small, touched] = [await zoomed.newPage(), await phone.newPage()];
    for (const at of kinds) {
      await small.goto(site.address(at));
      const header = small.locator(".top, .ots-site");
      // The header of a site that was built with REPO has one link more.
      await header.evaluate((e) => {
        if (e.querySelector("[data-repository]")) return;
        const link = Object.assign(document.createElement("a"), { href: "#", textContent: "Source" });
        link.className = e.matches(".top") ? "source" : "ots-repository";
        e.insertBefore(link, e.querySelector(":scope > .theme"));
      });
      for (const width of [720, 640]) {
        await small.setViewportSize({ width, height: 450 });
        const { height } = (await header.boundingBox())!;
        if (height > 52) faults.push(`${at.path || "front page"}: the header is ${height} px high at ${width} px`);
      }
      await touched.goto(site.address(at));
      const links = touched.locator(":is(.top, .ots-site) :is(a, button):visible");
      for (const { words, width, height } of await links.evaluateAll((all) =>
        all.map((e) => {
          const { width, height } = e.getBoundingClientRect();
          return { words: e.textContent, width, height };
        }),
      ))
        if (width < 44 || height < 44) faults.push(`${at.path || "front page"}: "${words}" is ${width} × ${height} px`);
    }
    await zoomed.close();
    await phone.close();
    none(faults);
  });

  test("the page for a wrong address leads to each section, and to what is found in the book", async () => {
    const context = await site.context({});
    const page = await context.newPage();
    await page.goto(site.address({ path: "no/such/page" }));
    const ways = await page.locator("main li a").evaluateAll((links) => links.map((a) => (a as HTMLAnchorElement).href));
    for (const name of SECTIONS.filter((name) => name !== "Book"))
      assert.ok(ways.includes(site.address({ path: `${name.toLowerCase()}/` })), name);
    await page.getByLabel("Search the book").fill("size class");
    await page.keyboard.press("Enter");
    await page.locator("#mdbook-searchresults a").first().waitFor();
    await context.close();
  });

  test("a likely mistake is opened from its page", async () => {
    const context = await site.context({});
    const page = await context.newPage();
    await page.goto(site.address({ path: "instructors/likely-mistakes/" }));
    await page.getByRole("link", { name: "Open in the editor: A value in place of the pointer" }).click();
    await page.getByText("A likely mistake: A value in place of the pointer").waitFor();
    await page.locator(".ots-widget .cm-content").waitFor();
    assert.equal(new URL(page.url()).pathname, `${PATH}exercises/exercise6/`);
    await context.close();
  });

  test("the book's programs are examples of the editor's", async () => {
    const context = await site.context({});
    const page = await context.newPage();
    await page.goto(site.address({ path: "play/" }));
    await page.locator("summary", { hasText: "Examples" }).click();
    await page.getByRole("button", { name: "Stack frames" }).click();
    await page.locator(".cm-line", { hasText: "package main" }).waitFor();
    await context.close();
  });

  test("instructions for a clone are shown only if the site was built with REPO", async () => {
    // The repository that this site was built with, which make records there.
    const repository = (await readFile(join(root, ".cache/repo"), "utf8").catch(() => "")).trim();
    const faults: string[] = [];
    const context = await site.context({ javaScriptEnabled: false });
    const page = await context.newPage();
    for (const path of [
      "",
      "exercises/",
      "exercises/exercise6/",
      "instructors/likely-mistakes/",
      "book/introduction.html",
      "book/memory-profiling/program.html",
    ]) {
      await page.goto(site.address({ path }));
      const words = await page.locator("main").innerText();
      const advice = /.*(in (a|the|your) clone|git (clone|apply)).*/i.exec(words)?.[0] ?? "";
      if ((advice !== "") !== (repository !== "")) faults.push(`${path || "front page"}: its advice is "${advice}"`);
      const links = await page
        .getByRole("link", { name: "Source", exact: true })
        .evaluateAll((links) => links.map((link) => link.getAttribute("href")));
      if (links.join() !== repository)
        faults.push(`${path || "front page"}: its link to the repository is "${links.join()}"`);
    }
    await context.close();
    none(faults);
  });

  test("no page of these calls another host or has an error", () => none(site.errors));
});

/** Whether something is true in the page, at once or when a busy browser has dealt with the last key. */
const holds = (page: Page, condition: () => unknown) =>
  page.waitForFunction(condition, undefined, { timeout: 120_000 }).then(
    () => true,
    () => false,
  );

function inText(): boolean {
  const at = document.activeElement;
  return at !== document.body && Boolean(at?.closest("main, #mdbook-content, footer"));
}
