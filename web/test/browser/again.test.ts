// Predictions that were wrong come back once, on the last page of their chapter.

import assert from "node:assert/strict";
import { test } from "node:test";
import { QUESTION, UNTIMED, WITH_BYTES } from "../stand-in/blocks.ts";
import { inBrowser } from "./harness.ts";

inBrowser(
  "wrong predictions",
  () => undefined,
  (book) => {
    const END = '<div class="ots-again" id="again-profiling" data-chapter="profiling"></div>';
    const again = () => book.page.getByRole("region", { name: "Predictions again" });
    const answer = () => again().getByRole("spinbutton", { name: /^sort\.Strings: you said 2 allocs\/op\. How many is it\?/ });
    const asked = { page: "profiling/counting.html#predict-strings", title: QUESTION.title };
    const wrong = { allocs: 2, measured: QUESTION.now, asked };
    const NAME = "predict/profiling/listings/strings#BenchmarkSort";

    /** Opens the last page of the chapter after these predictions. */
    const open = async (predictions: Record<string, unknown>) => {
      book.edit = (html) => html.replace("<p>After the exercise.</p>", `$&${END}`);
      await book.page.goto(book.url);
      await book.page.evaluate((predictions) => {
        for (const [name, value] of Object.entries(predictions))
          localStorage.setItem(`onthestack/2/${name}`, JSON.stringify(value));
      }, predictions);
      await book.page.reload();
    };
    const stored = () =>
      book.page.evaluate((name) => JSON.parse(localStorage.getItem(`onthestack/2/${name}`) ?? "null"), NAME);

    test("a wrong prediction is asked once more, and then never", async () => {
      await open({ [NAME]: wrong });
      await answer().fill("");
      await again().getByRole("button", { name: "Commit", exact: true }).click();
      await again().getByText("A whole number from 0 to 999").waitFor();
      assert.equal(await answer().getAttribute("aria-invalid"), "true");
      await answer().fill("0");
      await book.page.keyboard.press("ArrowRight");
      assert.equal(await book.page.evaluate("pagesTurned"), 0);
      await book.page.keyboard.press("Enter");
      const words = again().getByText("sort.Strings: Measured 0 allocs/op, as you say now.");
      await words.waitFor();
      assert.equal(await words.evaluate((e) => e === document.activeElement), true);
      const link = again().getByRole("link", { name: "See where it was asked" });
      assert.match((await link.getAttribute("href"))!, /\/book\/profiling\/counting\.html#predict-strings$/);
      assert.deepEqual(await stored(), { ...wrong, again: true });
      await book.page.reload();
      await book.page.locator("#predict-strings.ots-upgraded").waitFor();
      assert.equal(await again().count(), 0);
    });

    test("it can be looked at without another answer, or answered wrongly again", async () => {
      await open({ [NAME]: wrong, "predict/x#1": { ...wrong, allocs: 3, asked: { ...asked, title: "another" } } });
      await answer().waitFor();
      assert.equal(await again().locator("li").count(), 2);
      await again().getByRole("button", { name: "Show", exact: true }).nth(1).click();
      await again().getByText("another: Measured 0 allocs/op.").waitFor();
      await answer().fill("1");
      await book.page.keyboard.press("Enter");
      await again().getByText("sort.Strings: Measured 0 allocs/op; now you said 1.").waitFor();
    });

    test("bytes that were predicted wrongly are asked, too", async () => {
      const box = { measured: WITH_BYTES.now, asked: { ...asked, title: WITH_BYTES.title } };
      const store = (name: string, allocs: number, bytes: number) => ({ [`predict/${name}`]: { ...box, allocs, bytes } });
      await open({ ...store("box#1", 1, 32), ...store("box#2", 1, 24), ...store("box#3", 2, 32) });
      const bytes = again().getByRole("spinbutton", { name: "a box: you said 32 B/op. How many is it?" });
      await bytes.waitFor();
      assert.equal(await again().locator("li").count(), 2, "one prediction is right");
      await again().getByRole("spinbutton", { name: "a box: you said 2 allocs/op. How many is it?" }).waitFor();
      await bytes.fill("1024");
      await book.page.keyboard.press("Enter");
      await again().getByText("a box: Measured 24 B/op; now you said 1024.").waitFor();
    });

    test("what was right, not predicted, asked elsewhere or here, or is of an earlier visit stays away", async () => {
      await open({
        "predict/a#1": { ...wrong, allocs: 0 },
        "predict/b#1": { ...wrong, allocs: null },
        "predict/c#1": { ...wrong, asked: { ...asked, page: "profiling-two/page.html#x" } },
        "predict/d#1": { ...wrong, asked: { ...asked, page: "profiling/index.html#x" } },
        "predict/e#1": { allocs: 2, measured: QUESTION.now },
        "predict/f#1": { ...wrong, again: true },
        "predict/g#1": "broken",
      });
      await book.page.locator("#predict-strings.ots-upgraded").waitFor();
      await book.page.waitForLoadState("networkidle");
      assert.equal(await book.page.locator(".ots-again").innerHTML(), "");
    });

    test("it can be switched off, and on again", async () => {
      await open({ [NAME]: wrong });
      const box = () => again().getByRole("checkbox", { name: /^Ask once more/ });
      await box().uncheck();
      await answer().waitFor({ state: "hidden" });
      await book.page.reload();
      await box().waitFor();
      assert.equal(await box().isChecked(), false);
      assert.equal(await answer().isVisible(), false);
      await box().check();
      await answer().waitFor();
      await book.page.reload();
      await answer().waitFor();
      assert.deepEqual(await stored(), wrong, "it was not answered");
    });

    test("a prediction stores where it was asked", async () => {
      await open({});
      await book.page.locator("#predict-rows input").first().fill("3");
      await book.page.keyboard.press("Enter");
      const rows = await book.page.evaluate(
        (name) => JSON.parse(localStorage.getItem(`onthestack/2/predict/${name}`)!),
        `${UNTIMED.listing}#${UNTIMED.benchmark}`,
      );
      assert.deepEqual(rows.asked, { page: "profiling/index.html#predict-rows", title: UNTIMED.title });
    });
  },
);
