// "Use offline" keeps the pages and the compiler before anything was checked. The workbook can be installed, also below
// a path.

import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { launchChromium, UNOPTIMIZED } from "../browser/chromium.ts";
import { ExercisePage } from "../browser/exercise-page.ts";
import { PATH, tree } from "../site/site-below.ts";
import { StaticHost } from "../static-host.ts";

describe("use offline", () => {
  let host: StaticHost;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  before(async () => {
    browser = await launchChromium(UNOPTIMIZED, "--host-resolver-rules=MAP workbook.test 127.0.0.1");
  });
  after(() => browser?.close());
  beforeEach(async () => {
    host = await StaticHost.start(tree, PATH);
    context = await browser.newContext({ viewport: { width: 1280, height: 900 }, reducedMotion: "reduce" });
    page = await context.newPage();
    page.setDefaultTimeout(120_000);
  });
  afterEach(async () => {
    await context.close();
    await host.stop();
  });

  const block = () => page.locator(".ots-offline");
  const press = () => block().getByRole("button", { name: "Use offline", exact: true });
  const kept = () => block().getByText("Kept in this browser: the workbook now works without a network.").first();
  const parts = () =>
    host.sent.filter(({ path, bytes }) => /\/engine\/.*\.gz$/.test(path) && bytes > 0).map(({ path }) => path);

  test("says the weight, keeps everything when it is pressed, and then all works without a network", async () => {
    await page.goto(host.url);
    await press().waitFor();
    assert.match(await block().innerText(), /the pages and Go's compiler, at most \d\d\.\d MB/);
    assert.deepEqual(host.asked.filter((path) => /\/(engine|sw\.js)/.test(path)), [], "before it is pressed");
    await press().click();
    await block().getByText(/Fetching Go's compiler, \d+ % of/).first().waitFor();
    await kept().waitFor();
    assert.equal(await press().count(), 0);
    assert.equal(parts().length, 5, parts().join("\n"));
    assert.deepEqual(page.workers(), [], "nothing was started");

    host.cut();
    await page.goto(`${host.url}exercises/`);
    await kept().waitFor();
    const shown = await ExercisePage.open(page, `${host.url}exercises/exercise6/`, "exercise6");
    assert.match(await shown.checked(), /^Not yet/);
  });

  test("can be stopped, and goes on with what is missing", async () => {
    await page.goto(`${host.url}exercises/`);
    await press().click();
    await block().getByText(/Fetching Go's compiler, [1-9]\d* % of/).first().waitFor();
    host.network = "hangs";
    await block().getByRole("button", { name: "Stop", exact: true }).click();
    await block().getByText("Stopped. What has arrived is kept.").first().waitFor();
    host.network = "up";
    await press().click();
    await kept().waitFor();
  });

  test("says why it failed, and can be pressed again", async () => {
    await page.goto(`${host.url}exercises/`);
    await press().waitFor();
    host.cut();
    await press().click();
    await block().getByText(/The connection broke off/).first().waitFor();
    host.network = "up";
    await press().click();
    await kept().waitFor();
  });

  test("is not offered where the browser keeps nothing", async () => {
    await page.goto(host.url.replace("127.0.0.1", "workbook.test"));
    await page.locator(".ots-steps, .ots-stepped, .ots-upgraded").first().waitFor({ state: "attached" });
    assert.equal(await page.evaluate(() => isSecureContext), false);
    assert.equal(await block().innerText(), "");
  });

  test("the workbook can be installed", async () => {
    await page.goto(`${host.url}exercises/`);
    const session = await context.newCDPSession(page);
    const { errors, url, data } = (await session.send("Page.getAppManifest")) as {
      errors: unknown[];
      url: string;
      data: string;
    };
    assert.deepEqual(errors, []);
    assert.equal(url, `${host.url}manifest.json`);
    const manifest = JSON.parse(data) as { start_url: string; scope: string; icons: { src: string; sizes: string }[] };
    assert.deepEqual([manifest.start_url, manifest.scope].map((path) => new URL(path, url).href), [host.url, host.url]);
    for (const { src, sizes } of manifest.icons) {
      const size = await page.evaluate(async (src) => {
        const image = new Image();
        image.src = src;
        await image.decode();
        return `${image.naturalWidth}x${image.naturalHeight}`;
      }, new URL(src, url).href);
      if (sizes !== "any") assert.equal(size, sizes, src);
    }
    const { installabilityErrors } = (await session.send("Page.getInstallabilityErrors")) as {
      installabilityErrors: { errorId: string }[];
    };
    // A tab without a profile on disk cannot install anything.
    assert.deepEqual(installabilityErrors.map((e) => e.errorId).filter((id) => id !== "in-incognito"), []);
  });
});
