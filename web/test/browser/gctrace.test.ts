// The sliders over measured runs, in a real browser.

import assert from "node:assert/strict";
import { test } from "node:test";
import { faintInThemes } from "./contrast.ts";
import { inBrowser } from "./harness.ts";

inBrowser(
  "the runs under settings of the collector",
  () => undefined,
  (book) => {
    const slider = (name: string) => book.page.getByRole("slider", { name });
    const figures = () => book.page.locator(".ots-gctrace-figure").allInnerTexts();
    const open = async () => {
      await book.page.goto(book.url);
      await slider("GOGC").waitFor();
    };

    test("two sliders choose a run, by keyboard", async () => {
      await open();
      assert.deepEqual(await figures(), ["32 collections", "heap up to 32 MB"], "the default settings come first");
      await slider("GOGC").focus();
      await book.page.keyboard.press("ArrowRight");
      assert.deepEqual(await figures(), ["16 collections", "heap up to 48 MB"]);
      assert.equal(await slider("GOGC").getAttribute("aria-valuetext"), "200");
      await slider("GOMEMLIMIT").focus();
      assert.equal(await slider("GOMEMLIMIT").getAttribute("aria-valuetext"), "none");
      await book.page.keyboard.press("ArrowLeft");
      assert.deepEqual(await figures(), ["87 collections", "heap up to 30 MB"]);
      assert.equal(
        await book.page.locator(".ots-gctrace [role=status]").textContent(),
        "87 collections, heap up to 30 MB",
      );
      assert.equal(await book.page.evaluate("pagesTurned"), 0, "the arrows are the sliders'");
      const width = (i: number) =>
        book.page.locator(".ots-gctrace-bar").nth(i).evaluate((e) => e.clientWidth / e.parentElement!.clientWidth);
      assert.ok((await width(0)) > (await width(1)), "87 of 90 collections, 30 of 48 MB");
    });

    test("without a script the table can be read", async () => {
      await book.fresh({ javaScriptEnabled: false });
      await book.page.goto(book.url);
      assert.equal(await book.page.getByText("64, 24 MB").isVisible(), true);
    });

    test("on a phone the sliders fit", async () => {
      await book.page.setViewportSize({ width: 360, height: 740 });
      await open();
      assert.equal(await book.page.evaluate(() => document.documentElement.scrollWidth - innerWidth), 0);
    });

    test("in every theme every text can be read", async () => {
      await open();
      assert.deepEqual((await faintInThemes(book.page, ".ots-gctrace-sliders")).faint, []);
    });
  },
);
