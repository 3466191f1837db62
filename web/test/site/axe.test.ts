// Runs axe-core on a page of each kind and on the pages that checkalloc writes, in both themes and on a phone.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { after, before, describe, test } from "node:test";
import axe from "axe-core";
import type { Page } from "playwright-core";
import { faintInThemes, inEachTheme } from "../browser/contrast.ts";
import { root } from "../e2e/site.ts";
import { none } from "./faults.ts";
import { oneOfEach } from "./kinds.ts";
import { each, editorIn, searchBook, SiteBelow } from "./site-below.ts";

const WIDTHS = [1280, 390] as const;
/** The rules that depend on the theme. The dark theme is checked against these alone. */
const COLOURS = ["color-contrast", "link-in-text-block"];

async function violations(page: Page, rules?: string[]): Promise<string[]> {
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(axe.source);
  const found = await page.evaluate(
    (rules) =>
      (globalThis as unknown as { axe: typeof axe }).axe.run(document, {
        resultTypes: ["violations"],
        ...(rules && { runOnly: { type: "rule", values: rules } }),
      }),
    rules,
  );
  return found.violations.flatMap(({ id, nodes }) =>
    nodes.map((node) => `${id}: ${node.target.join(" ")}: ${node.failureSummary?.split("\n")[1]?.trim()}`),
  );
}

/**
 * Together these pages have everything that a page of the book can have: tables, code, quotations, drawings, programs,
 * questions, exercises.
 */
const BOOK_PAGES = [
  "book/memory-profiling/program.html",
  "book/memory-profiling/gains.html",
  "book/sorting-and-size-classes/size-classes.html",
  "book/sorting-and-size-classes/quiz.html",
  "book/heap-optimization/exercises.html",
  "book/what-changed/",
  "book/reading-the-compiler/flows.html",
  "book/credits.html",
];

describe("accessibility", () => {
  let site: SiteBelow;
  let faults: string[] = [];
  before(async () => {
    site = await SiteBelow.start();
  });
  after(() => site?.stop());

  /** Checks one page in both themes and widths. */
  async function look(page: Page, address: string, kind: string): Promise<void> {
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      // A page of the book chooses its theme when it is opened.
      if (colorScheme === "light" || address.includes("/book/")) {
        await page.goto(address);
        await editorIn(page);
      }
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 900 });
        // The page's scripts hear of the new width with the next frame.
        await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
        const fault = (what: string) => faults.push(`${kind}: ${width} px, ${colorScheme}: ${what}`);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
        if (wide > 0) fault(`scrolls sideways by ${wide} px`);
        for (const what of await violations(page, colorScheme === "light" ? undefined : COLOURS)) fault(what);
      }
    }
  }

  /** Checks pages, two at a time. */
  async function lookAt(pages: { address: string; kind: string }[]): Promise<void> {
    faults = [];
    const contexts = await Promise.all([site.context({}), site.context({})]);
    const tabs = await Promise.all(contexts.map((context) => context.newPage()));
    await each(pages, tabs.length, (page, worker) => look(tabs[worker]!, page.address, page.kind));
    await Promise.all(contexts.map((context) => context.close()));
    none(faults);
  }

  test("a page of each kind", async () => {
    const kinds = oneOfEach(site.pages).filter(({ kind }) => kind !== "book: all on one page");
    assert.ok(kinds.length >= 9, `only ${kinds.length} kinds of pages`);
    await lookAt(kinds.map((page) => ({ ...page, address: site.address(page) })));
  });

  // The book has the site's light and dark theme, under names of its own.
  test("the book in every theme: all kinds of text can be read", async () => {
    const faults: string[] = [];
    const context = await site.context({ viewport: { width: 1280, height: 900 } });
    const page = await context.newPage();
    let seen = 0;
    for (const path of BOOK_PAGES) {
      await page.goto(site.address({ path }));
      await editorIn(page);
      // Collapsed text is checked as well, and so is text that appears only on request: the list of themes, and
      // search results.
      await page.evaluate(() => {
        for (const details of document.querySelectorAll("details")) details.open = true;
      });
      const readable = (where: string) =>
        inEachTheme(page, async (theme) => {
          const found = await violations(page, ["color-contrast"]);
          faults.push(...found.map((what) => `${where} in the theme ${theme}: ${what}`));
        });
      await readable(path);
      // axe does not check the texts of drawings.
      const drawings = await faintInThemes(page, ".ots-drawing");
      seen += drawings.seen;
      for (const drawn of drawings.faint) faults.push(`${path}: a drawing has ${JSON.stringify(drawn)}`);
      if (path !== BOOK_PAGES[0]) continue;
      await page.locator("#mdbook-theme-toggle").click();
      await readable(`${path} with the list of themes`);
      await page.keyboard.press("Escape");
      await searchBook(page, "escape");
      await readable(`${path} with what is found`);
    }
    await context.close();
    assert.ok(seen > 20, `only ${seen} texts of drawings were looked at`);
    none(faults);
  });

  test("no page of these calls another host or has an error", () => none(site.errors));

  test("the page that checkalloc explain --html writes", async () => {
    const folder = await mkdtemp(join(tmpdir(), "onthestack-axe-"));
    try {
      const file = join(folder, "verdict.html");
      // The documents in testdata have no style sheet.
      const { stderr } = await promisify(execFile)(
        "go",
        ["run", "-trimpath", "./tools/checkalloc", "explain", "--html", file, "./exercises/exercise6"],
        { cwd: root },
      );
      const address = pathToFileURL(file).href;
      await lookAt([{ address, kind: `checkalloc's page ${stderr}` }]);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
