// All pages of the book with their scripts: they are complete, call no other host, and fit a wide screen and a phone.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { ExercisePage } from "../browser/exercise-page.ts";
import { root, Site } from "./site.ts";
import { exercisesOf, type Exercise } from "./workbook.ts";

describe("the book's pages", () => {
  let site: Site;
  let exercise6: Exercise;
  let built: Map<string, string>;

  before(async () => {
    site = await Site.start();
    exercise6 = (await exercisesOf(root)).find(({ id }) => id === "exercise6")!;
    built = await site.pages();
  });
  after(() => site?.stop());

  const address = (path: string) => `${site.runner.url}/book/${path}`;

  /** Reports whether the page is no wider than its window. */
  const fits = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth);

  /** On a wide screen, as pages are opened, and on a phone. */
  const WIDTHS = [1440, 390];

  test("no page shows a directive, calls another host, or scrolls sideways", async () => {
    assert.ok(built.size > 5, "SUMMARY.md lists the pages");
    const page = await site.open(await site.browser.newContext());
    const foreign: string[] = [];
    const note = (request: { url(): string }) => {
      if (!request.url().startsWith(site.runner.url) && !request.url().startsWith("data:")) foreign.push(request.url());
    };
    page.on("request", note);
    for (const name of built.keys()) {
      await page.goto(address(name));
      const text = (await page.locator("main").textContent()) ?? "";
      assert.ok(!text.includes("{{#"), `${name} shows a directive`);
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 900 });
        assert.ok(await fits(page), `${name} scrolls sideways at ${width} px`);
      }
    }
    await page.context().close();
    assert.deepEqual(foreign, []);
  });

  test("a report and a verdict of the runner make no page scroll sideways", async () => {
    const page = await site.open(await site.browser.newContext());
    const fitsBoth = async (what: string) => {
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 900 });
        assert.ok(await fits(page), `${what} scrolls sideways at ${width} px`);
      }
    };
    await page.goto(address("memory-profiling/program.html"));
    const program = page.locator(".ots-program").first();
    await program.getByRole("button", { name: "Report" }).click();
    await program.locator(".ots-said").first().waitFor();
    await program.getByText("why", { exact: true }).first().click();
    await fitsBoth("a report");
    const shown = await ExercisePage.open(page, address(exercise6.page), "exercise6");
    await shown.checked();
    await fitsBoth("the exercises");
    await page.context().close();
  });

  test("nothing went wrong in the pages", () => assert.deepEqual(site.errors, []));
});
