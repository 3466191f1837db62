// A reader's first visit: front page, an exercise, a pass, the progress, the history, all below a path.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, describe, test } from "node:test";
import type { BrowserContext, Page } from "playwright-core";
import { ExercisePage } from "../browser/exercise-page.ts";
import { root } from "../e2e/site.ts";
import { exercisesOf } from "../e2e/workbook.ts";
import { none } from "./faults.ts";
import { SiteBelow } from "./site-below.ts";

describe("a first visit", () => {
  let site: SiteBelow;
  let context: BrowserContext;
  let page: Page;
  before(async () => {
    site = await SiteBelow.start();
    context = await site.context({ viewport: { width: 1280, height: 900 }, acceptDownloads: true });
    page = await context.newPage();
  });
  after(() => site?.stop());

  const section = (name: string) =>
    page.getByRole("navigation", { name: "Site" }).getByRole("link", { name, exact: true });
  const heading = (name: string | RegExp) => page.getByRole("heading", { level: 1, name }).waitFor();

  test("the front page has an annotated listing and an exercise that can be checked", async () => {
    await page.goto(site.address({ path: "" }));
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.locator("main .ots-verdict").first().waitFor();
    await page.locator(".ots-exercise").first().scrollIntoViewIfNeeded();
    const id = (await page.locator(".ots-exercise").first().getAttribute("id"))!;
    const shown = new ExercisePage(page, id);
    await shown.editor.waitFor();
    assert.match(await shown.checked(), /^Not yet/);
  });

  test("an exercise is found in the index, solved and passed", async () => {
    await section("Exercises").click();
    await heading("Exercises");
    await page
      .locator("main")
      .getByRole("link", { name: /Hand back the interface/ })
      .first()
      .click();
    await heading(/Hand back the interface/);
    assert.equal(page.url(), site.address({ path: "exercises/exercise6/" }));
    const shown = new ExercisePage(page, "exercise6");
    await shown.root.scrollIntoViewIfNeeded();
    await shown.editor.waitFor();
    const { solution } = (await exercisesOf(root)).find(({ id }) => id === "exercise6")!;
    await shown.type(Object.values(solution)[0]!);
    assert.match(await shown.checked(), /^Passed/);
  });

  test("the index shows the pass, which can be exported and imported", async () => {
    await section("Exercises").click();
    await heading("Exercises");
    const row = page
      .locator("main")
      .locator("li, tr, article")
      .filter({ has: page.getByRole("link", { name: /Hand back the interface/ }) })
      .first();
    await row
      .getByText(/passed/i)
      .first()
      .waitFor();

    const coming = page.waitForEvent("download");
    await page.getByRole("button", { name: /^Export/ }).click();
    const file = await (await coming).path();
    const progress = JSON.parse(await readFile(file, "utf8")) as {
      schema: string;
      exercises: Record<string, { passed?: string }>;
    };
    assert.equal(progress.schema, "checkalloc/progress/2");
    assert.ok(progress.exercises["exercise6"]?.passed, JSON.stringify(progress));

    // The file is imported in another browser.
    const other = await site.context({ viewport: { width: 1280, height: 900 } });
    const there = await other.newPage();
    await there.goto(site.address({ path: "exercises/" }));
    await there
      .locator("main input[type=file]")
      .setInputFiles({ name: "progress.json", mimeType: "application/json", buffer: await readFile(file) });
    await there.getByText("1 exercise more passed").waitFor();
    await other.close();
  });

  test("the history has a page of a listing, with its chart and table", async () => {
    await section("History").click();
    await heading(/history/i);
    const hrefs = await page
      .locator("main a[href]")
      .evaluateAll((links) => (links as HTMLAnchorElement[]).map(({ href }) => href));
    const one = hrefs.find((href) => /\/history\/[^/]+\/[^/]+\/$/.test(href));
    assert.ok(one, "the history links to no listing");
    await page.goto(one);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.locator("main svg[role=img]").first().waitFor();
    await page.locator("main summary").filter({ hasText: "as a table" }).first().click();
    await page.locator("main table").first().waitFor();
  });

  test("the 404 page and the book link to the front page", async () => {
    await page.goto(site.address({ path: "no/such/page" }));
    await page.locator("main").getByRole("link").first().click();
    await page.waitForURL(site.address({ path: "" }));
    await section("Book").click();
    await page.waitForURL(site.address({ path: "book/" }));
    await page.locator("main h1").first().waitFor();
  });

  test("nothing went wrong, and no other host was called", () => none(site.errors));
});
