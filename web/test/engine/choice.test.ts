// If both a server and the page can answer, the reader chooses between them.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { BrowserContext, Page } from "playwright-core";
import { ExercisePage } from "../browser/exercise-page.ts";
import { none } from "../site/faults.ts";
import { SiteBelow } from "../site/site-below.ts";

describe("page or server", () => {
  let site: SiteBelow;
  let context: BrowserContext;
  let page: Page;
  let shown: ExercisePage;
  before(async () => {
    site = await SiteBelow.start();
    context = await site.context({ viewport: { width: 1280, height: 900 } });
    page = await context.newPage();
    page.setDefaultTimeout(120_000);
    shown = await ExercisePage.open(page, site.address({ path: "exercises/exercise6/" }), "exercise6");
  });
  after(() => site?.stop());

  const choice = () => shown.root.getByRole("combobox", { name: "Checks run" });
  const platform = (words: string) => shown.root.getByText(words).waitFor();

  test("without a choice the server answers, and then offers a choice", async () => {
    assert.equal(await choice().isVisible(), false, "nothing has answered yet");
    assert.match(await shown.checked(), /^Not yet/);
    await platform("wasip1/wasm");
    await choice().waitFor();
    assert.equal(await choice().inputValue(), "server");
  });

  test("the page answers once the reader lets it fetch the engine", async () => {
    await choice().selectOption("page");
    await shown.check.click();
    await shown.button(/^Fetch/).click();
    await platform("js/wasm");
    assert.match((await shown.headline.textContent())!, /^Not yet/);
  });

  test("the choice is stored for all pages, and can be changed", async () => {
    await page.goto(site.address({ path: "play/" }));
    await page.getByText("js/wasm").first().waitFor();
    const run = page.getByRole("combobox", { name: "Programs run" });
    assert.equal(await run.inputValue(), "page");
    await run.selectOption("server");
    await page.reload();
    await page.getByText("wasip1/wasm").first().waitFor();
  });

  test("nothing went wrong, and no other host was called", () => none(site.errors));
});
