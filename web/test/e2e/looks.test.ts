// Screenshots of the book's pages for a person to look at: on a wide screen and on a phone, light and dark.

import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { ExercisePage } from "../browser/exercise-page.ts";
import { root, shots, Site } from "./site.ts";
import { exercisesOf, firstWith, type Exercise } from "./workbook.ts";

describe("the book's pages", () => {
  let site: Site;
  let exercise1: Exercise;
  let built: Map<string, string>;

  before(async () => {
    site = await Site.start();
    exercise1 = (await exercisesOf(root)).find(({ id }) => id === "exercise1")!;
    built = await site.pages();
  });
  after(() => site?.stop());

  const address = (path: string) => `${site.runner.url}/book/${path}`;
  const pageWith = (mark: string) => firstWith(built, mark);

  test("no page shows a directive, and none calls another host", async () => {
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
    }
    await page.context().close();
    assert.deepEqual(foreign, []);
  });

  for (const [name, width, theme] of [
    ["light", 1440, "light"],
    ["dark", 1440, "navy"],
    ["phone", 390, "light"],
    ["phone-dark", 390, "coal"],
  ] as const) {
    test(`the page fits, and a screenshot is made: ${name}`, async () => {
      const context = await site.browser.newContext({ viewport: { width, height: 900 } });
      await context.addInitScript((theme) => localStorage.setItem("mdbook-theme", theme), theme);
      const page = await site.open(context);
      const kinds = {
        opening: "introduction.html",
        profile: "memory-profiling/profile.html",
        drawing: "memory-profiling/stack-frames.html",
        question: pageWith('<div class="ots-predict"'),
        bytes: pageWith('<div class="ots-predict asks-bytes"'),
        choices: pageWith('<div class="ots-choices"'),
        history: pageWith('<div class="ots-history"'),
        releases: pageWith('<tbody class="ots-chapter"'),
        articles: pageWith('<div class="ots-articles"'),
      };
      for (const [kind, path] of Object.entries(kinds)) {
        await page.goto(address(path));
        assert.ok(await fits(page), `${path} scrolls sideways at ${width} px`);
        await page.screenshot({ path: join(shots, `${kind}-${name}.png`), fullPage: true });
      }
      const ask = page.locator(".ots-predict:not(.asks-bytes)").first();
      await page.goto(address(kinds.question));
      await ask.getByRole("spinbutton").fill("2");
      await page.keyboard.press("Enter");
      await ask.screenshot({ path: join(shots, `question-answered-${name}.png`) });

      const choices = page.locator(".ots-choices").first();
      await page.goto(address(kinds.choices));
      await choices.getByRole("radio").first().check();
      await choices.getByRole("button", { name: "Answer", exact: true }).click();
      await choices.screenshot({ path: join(shots, `choices-answered-${name}.png`) });

      await page.goto(address("memory-profiling/program.html"));
      const program = page.locator(".ots-program").first();
      await program.getByRole("button", { name: "Report" }).click();
      await program.locator(".ots-said").first().waitFor();
      await program.getByText("why", { exact: true }).first().click();
      assert.ok(await fits(page), `a report scrolls sideways at ${width} px`);
      await program.screenshot({ path: join(shots, `report-${name}.png`) });

      const shown = await ExercisePage.open(page, address(exercise1.page), "exercise1");
      await shown.checked();
      assert.ok(await fits(page), `the exercises scroll sideways at ${width} px`);
      await shown.root.screenshot({ path: join(shots, `exercise1-${name}.png`) });
      await context.close();
    });
  }

  /** Reports whether the page is no wider than its window. */
  const fits = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth);

  test("nothing went wrong in the pages", () => assert.deepEqual(site.errors, []));
});
