// Questions to the reader and the grid of releases, in a real browser.

import assert from "node:assert/strict";
import { test } from "node:test";
import { QUESTION, RELEASES } from "../stand-in/blocks.ts";
import { faintInThemes, inEachTheme } from "./contrast.ts";
import { inBrowser } from "./harness.ts";

inBrowser(
  "predictions",
  () => undefined,
  (book) => {
    const ask = (id = "predict-strings") => book.page.locator(`#${id}`);
    const field = (id?: string) => ask(id).getByRole("spinbutton");
    /** Returns the texts of the table's cells, row by row. */
    const cells = async (id?: string) =>
      (await ask(id).locator("tbody td").allInnerTexts()).map((t) => t.replace(/\s+/g, " ").trim());
    /** Waits for the script of the questions, which is loaded after the page. */
    const asked = () => book.page.locator(".ots-question").nth(2).waitFor({ state: "attached" });
    const open = async () => {
      await book.page.goto(book.url);
      await asked();
    };
    const reload = async () => {
      await book.page.reload();
      await asked();
    };
    const focus = () => book.page.evaluate(() => document.activeElement?.textContent ?? "");

    test("a committed prediction is shown beside the measured figures", async () => {
      await open();
      assert.equal(await ask().locator("details").isVisible(), false);
      assert.equal(
        await field().evaluate((e: HTMLInputElement) => e.labels?.[0]?.textContent),
        "How many allocs/op? sort.Strings",
      );
      assert.doesNotMatch(await ask().locator("form").innerText(), /\b32\b/, "nothing is given away");
      const before = await ask().boundingBox();

      await field().focus();
      await book.page.keyboard.type("2");
      await book.page.keyboard.press("Enter");
      assert.deepEqual(await cells(), ["2", "0", "1", "", "0", "32"]);
      assert.deepEqual(
        (await ask().locator("thead th").allInnerTexts()).map((t) => t.replace(/\s+/g, " ")),
        ["your prediction", "measured now Go 1.26.8", "then Go 1.15.15"],
      );
      assert.equal(await focus(), "Measured 2 fewer than you predicted.");
      assert.match(
        (await ask().locator(".ots-unseen[role=status]").textContent()) ?? "",
        /Your prediction: 2 allocs\/op\. Go 1\.26\.8: 0 allocs\/op, 0 B\/op\./,
      );
      assert.equal((await ask().boundingBox())!.height, before!.height, "nothing on the page moves");

      // With the keyboard, from the sentence on.
      await book.page.keyboard.press("Tab");
      assert.equal(await focus(), "Predict again");
      await book.page.keyboard.press("Enter");
      assert.equal(await field().evaluate((e) => e === document.activeElement), true);
      assert.deepEqual((await cells())[1], "? not shown yet");
      await reload();
      assert.equal(await field().isVisible(), true, "the next group finds the question");
    });

    test("a prediction is stored, with the release that was measured", async () => {
      await open();
      await field().fill("0");
      await ask().getByRole("button", { name: "Commit" }).click();
      await reload();
      assert.deepEqual(await cells(), ["0", "0", "1", "", "0", "32"]);
      assert.equal(await ask().locator(".ots-agreement").textContent(), "Measured as you predicted.");
      assert.equal(await field("predict-rows").isVisible(), true, "other questions stay open");

      book.edit = (html) =>
        html.replace(
          JSON.stringify(QUESTION.now),
          JSON.stringify({ ...QUESTION.now, go: "go1.28.1", allocs_per_op: 1, bytes_per_op: 24 }),
        );
      await reload();
      assert.deepEqual(await cells(), ["0", "0", "1", "", "0", "32"]);
      assert.match(await ask().locator("thead").innerText(), /measured\s+Go 1\.26\.8/);
      assert.equal(
        await ask().locator(".ots-agreement").textContent(),
        "Measured as you predicted. Measured again since then, with Go 1.28.1: 1 alloc/op, 24 B/op.",
      );
    });

    test("input that is not a number of allocations is rejected", async () => {
      await open();
      const commit = ask().getByRole("button", { name: "Commit" });
      for (const typed of ["", "1000", "-1", "1.5"]) {
        await field().fill(typed);
        await commit.click();
        await ask().getByText("A whole number from 0 to 999").waitFor();
        assert.equal(await field().getAttribute("aria-invalid"), "true");
        assert.equal(await field().evaluate((e) => e === document.activeElement), true);
      }
      await field().fill("1");
      assert.equal(await field().getAttribute("aria-invalid"), null);
      await commit.click();
      assert.equal(
        await ask().locator(".ots-agreement").textContent(),
        "Measured 1 fewer than you predicted, and than Go 1.15.15 made.",
      );
    });

    test("the figures can be shown without a prediction", async () => {
      await open();
      await ask("predict-rows").getByRole("button", { name: "Show without predicting" }).click();
      assert.deepEqual(await cells("predict-rows"), ["–", "4", "", "512"]);
      assert.equal(await focus(), "Shown without a prediction.");
      await reload();
      assert.deepEqual(await cells("predict-rows"), ["–", "4", "", "512"]);
      await ask("predict-rows").getByRole("button", { name: "Predict", exact: true }).click();
      assert.equal(await field("predict-rows").isVisible(), true);
    });

    test("figures that show the answer are folded until the reader commits, or asks to see them", async () => {
      await open();
      const rows = book.page.getByText("A table of the four.");
      const box = book.page.getByText("A table of the box.");
      const word = book.page.locator("span.ots-folded");
      const show = () => book.page.getByText("Show the figures").filter({ visible: true });
      const hidden = () => word.evaluate((e) => getComputedStyle(e).visibility);
      assert.equal(await book.page.getByText("allocations are explained.").isVisible(), true);
      assert.equal(await hidden(), "hidden");
      assert.equal(await rows.isVisible(), false);
      await field("predict-rows").fill("4");
      await book.page.keyboard.press("Enter");
      assert.equal(await rows.isVisible(), true);
      assert.equal(await hidden(), "visible");
      assert.equal(await box.isVisible(), false, "the figures of the next question stay folded");
      assert.equal(await show().count(), 1);

      await show().focus();
      await book.page.keyboard.press("Enter");
      assert.equal(await box.isVisible(), true);
      assert.equal(await focus(), "Shown without a prediction.");
      assert.equal(await show().count(), 0);
      await reload();
      await box.waitFor();
      await ask("predict-rows").getByRole("button", { name: "Predict again" }).click();
      assert.equal(await rows.isVisible(), false);

      await book.page.emulateMedia({ media: "print" });
      assert.equal(await rows.isVisible(), true, "paper shows all");
      assert.equal(await hidden(), "visible");
      assert.equal(await show().count(), 0);
    });

    test("without a script, folded figures open like any details", async () => {
      await book.fresh({ javaScriptEnabled: false });
      await book.page.goto(book.url);
      const rows = book.page.getByText("A table of the four.");
      assert.equal(await rows.isVisible(), false);
      await book.page.getByText("Show the figures").first().click();
      assert.equal(await rows.isVisible(), true);
      assert.equal(await book.page.locator("span.ots-folded").isVisible(), true);
      assert.equal(await ask("predict-rows").locator("details").isVisible(), true);
    });

    test("a question about bytes has a field for bytes", async () => {
      await open();
      await ask("predict-rows").getByRole("button", { name: "Show without predicting" }).click();
      const number = (name: string) => ask("predict-bytes").getByLabel(name);
      await number("How many allocs/op?").fill("1");
      await book.page.keyboard.press("Enter");
      assert.equal(await number("And how many B/op?").getAttribute("aria-invalid"), "true");
      assert.equal(await number("How many allocs/op?").getAttribute("aria-invalid"), null);
      await ask("predict-bytes").getByText("A whole number from 0 to 99999").waitFor();
      await number("And how many B/op?").fill("32");
      await book.page.keyboard.press("Enter");
      assert.deepEqual(await cells("predict-bytes"), ["1", "1", "32", "24"]);
      assert.equal(await focus(), "allocs/op as you predicted. Measured 8 B/op fewer than you predicted.");
      await reload();
      assert.deepEqual(await cells("predict-bytes"), ["1", "1", "32", "24"]);
    });

    test("the hidden row cannot be focused", async () => {
      await open();
      await field().focus();
      for (const next of ["Commit", "Show without predicting"]) {
        await book.page.keyboard.press("Tab");
        assert.equal(await focus(), next);
      }
      await book.page.keyboard.press("Tab");
      assert.equal(await field("predict-rows").evaluate((e) => e === document.activeElement), true);
    });

    test("blocked storage is reported, and everything else works", async () => {
      await book.initially(() => {
        Object.defineProperty(window, "localStorage", {
          get() {
            throw new DOMException("blocked", "SecurityError");
          },
        });
      });
      await open();
      await field().fill("1");
      await book.page.keyboard.press("Enter");
      assert.match(await focus(), /Not saved: this browser's storage is blocked or full\./);
      assert.deepEqual(await cells(), ["1", "0", "1", "", "0", "32"]);
    });

    test("another tab's prediction, and its removal, arrive", async () => {
      await open();
      const other = await book.context.newPage();
      await other.goto(book.url);
      await other.locator("#predict-strings").getByRole("spinbutton").fill("3");
      await other.keyboard.press("Enter");
      await ask().getByText("Measured 3 fewer than you predicted.").waitFor();
      await other.getByRole("button", { name: "Predict again" }).click();
      await field().waitFor();
    });

    test("keys in the field do not turn pages", async () => {
      await open();
      await field().focus();
      for (const key of ["ArrowRight", "ArrowLeft", "s", "/"]) await book.page.keyboard.press(key);
      assert.equal(await book.page.evaluate("pagesTurned"), 0);
    });

    test("printing shows the question, or the answer if it was given", async () => {
      await open();
      await field().fill("2");
      await book.page.keyboard.press("Enter");
      await book.page.emulateMedia({ media: "print" });
      assert.equal(await ask().getByText("Measured 2 fewer than you predicted.").isVisible(), true);
      assert.equal(await ask().getByRole("button", { name: "Predict again" }).isVisible(), false);
      assert.equal(await field("predict-rows").isVisible(), true);
      assert.equal(await ask("predict-rows").locator("details").isVisible(), false, "nothing is given away");
    });

    test("a block without data stays unchanged and is reported", async () => {
      const words = "#predict-strings: no readable data block";
      const reported = book.page.waitForEvent("console", (message) => message.text().includes(words));
      book.edit = (html) => html.replace('"listing":"sorting', '"listing":1,"was":"sorting');
      await book.page.goto(book.url);
      await reported;
      assert.equal(await ask().locator("details").isVisible(), true);
    });
  },
);

inBrowser(
  "the grid of releases",
  () => undefined,
  (book) => {
    const grid = () => book.page.locator(".ots-history");
    const overflow = () => grid().evaluate((e) => e.scrollWidth - e.clientWidth);

    test("all releases fit the page's width, in columns of the same size", async () => {
      await book.page.goto(book.url);
      assert.equal(await grid().evaluate((e) => e.clientWidth), 750);
      assert.equal(await overflow(), 0);
      const boxes = await grid()
        .locator("tbody:nth-of-type(2) tr:first-child td")
        .evaluateAll((cells) =>
          cells.map((c) => ({
            left: c.getBoundingClientRect().left,
            right: c.getBoundingClientRect().right,
            height: c.clientHeight,
          })),
        );
      assert.equal(boxes.length, RELEASES.length);
      for (const [i, box] of boxes.entries()) {
        assert.ok(box.right - box.left > 22, `cell ${i} is ${box.right - box.left} px wide`);
        if (i > 0) assert.ok(Math.abs(box.left - boxes[i - 1]!.right) < 0.1, `a gap before cell ${i}`);
      }
    });

    test("mdBook's table styles do not apply", async () => {
      await book.page.goto(book.url);
      const styles = await grid()
        .locator("thead, tbody tr, tr.ots-why > td, td.ots-heat-2:not(.is-change)")
        .evaluateAll((elements) =>
          elements.map((e) => {
            const { backgroundColor, borderTopWidth, paddingLeft } = getComputedStyle(e);
            return [e.className.includes("heat") ? "" : backgroundColor, borderTopWidth, paddingLeft];
          }),
        );
      assert.ok(styles.length > 8);
      for (const style of styles)
        assert.ok(
          style[1] === "0px" && style[2] === "0px" && ["", "rgba(0, 0, 0, 0)"].includes(style[0]!),
          style.join(" "),
        );
      assert.equal(
        await grid()
          .locator(".table-wrapper")
          .evaluate((e) => getComputedStyle(e).overflowX),
        "visible",
      );
    });

    test("on a phone only the grid scrolls; listings and reasons stay visible", async () => {
      await book.page.setViewportSize({ width: 360, height: 740 });
      await book.page.goto(book.url);
      assert.ok((await overflow()) > 100);
      assert.equal(await book.page.evaluate(() => document.documentElement.scrollWidth - innerWidth), 0);
      await grid().focus();
      for (let i = 0; i < 3; i++) await book.page.keyboard.press("ArrowRight");
      await book.page.waitForFunction(() => document.querySelector(".ots-history")!.scrollLeft > 30);
      assert.equal(await book.page.evaluate("pagesTurned"), 0, "the arrows are the grid's");
      await grid().evaluate((e) => (e.scrollLeft = e.scrollWidth));
      const frame = (await grid().boundingBox())!;
      for (const stays of ["caption", "thead th:first-child", "tbody th[scope=row]", ".ots-chapter a", ".ots-why ul"]) {
        const box = (await grid().locator(stays).first().boundingBox())!;
        assert.ok(
          Math.abs(box.x - frame.x) < 1.5 && box.x + box.width <= frame.x + frame.width + 1,
          `${stays}: ${JSON.stringify(box)} in ${JSON.stringify(frame)}`,
        );
      }
    });

    test("if the whole grid is visible, the arrow keys turn pages", async () => {
      await book.page.goto(book.url);
      await grid().focus();
      await book.page.keyboard.press("ArrowRight");
      assert.equal(await book.page.evaluate("pagesTurned"), 1);
    });

    test("the article's figures are in a table that scrolls on its own", async () => {
      await book.page.goto(book.url);
      const articles = () => book.page.locator(".ots-articles");
      assert.equal(await articles().evaluate((e) => e.scrollWidth - e.clientWidth), 0);
      await book.page.setViewportSize({ width: 360, height: 740 });
      await book.page.goto(book.url);
      assert.ok((await articles().evaluate((e) => e.scrollWidth - e.clientWidth)) > 0);
      assert.equal(await book.page.locator(".content").evaluate((e) => e.scrollWidth - e.clientWidth), 0);
      await articles().focus();
      await book.page.keyboard.press("ArrowRight");
      assert.equal(await book.page.evaluate("pagesTurned"), 0);
    });

    test("the grid remains a table for screen readers", async () => {
      await book.page.goto(book.url);
      assert.equal(await grid().getByRole("table").count(), 1);
      assert.equal(await grid().getByRole("columnheader", { name: "1.15" }).count(), 1);
      assert.equal(await grid().getByRole("rowheader", { name: "bytes.Buffer, 1024 bytes" }).count(), 1);
      assert.equal((await grid().getByRole("row").count()) > 6, true);
    });

    test("in every theme digits can be read, shades told apart, and the article's release seen", async () => {
      await book.page.goto(book.url);
      await book.page.locator(".ots-question").nth(2).waitFor({ state: "attached" });
      const read = await faintInThemes(book.page, ".ots-history, .ots-articles, .ots-question");
      assert.deepEqual(read.faint, []);
      assert.ok(read.seen > 130, `only ${read.seen} texts were looked at`);
      await book.page.locator("#predict-strings").getByRole("spinbutton").fill("1");
      await book.page.keyboard.press("Enter");
      await book.page.locator("#predict-rows").getByRole("button", { name: "Commit" }).click();
      assert.deepEqual((await faintInThemes(book.page, ".ots-question")).faint, []);

      for (const media of ["screen", "print"] as const) {
        await book.page.emulateMedia({ media });
        await inEachTheme(book.page, async (theme) => {
          const looks = await grid().evaluate((e) => {
            const shade = (n: number) => getComputedStyle(e.querySelector(`.ots-heat-${n}`)!).backgroundColor;
            const article = getComputedStyle(e.querySelector(".is-article")!);
            const change = getComputedStyle(e.querySelector(".is-change")!);
            return {
              shades: new Set([0, 1, 2, 3, 4].map(shade)).size,
              outline: `${article.outlineStyle} ${article.outlineWidth}`,
              edge: `${change.borderLeftStyle} ${change.borderLeftWidth}`,
              adjust: article.printColorAdjust,
            };
          });
          const want = {
            shades: 5,
            outline: "solid 2px",
            edge: "solid 2px",
            adjust: media === "print" ? "exact" : "economy",
          };
          assert.deepEqual(looks, want, `${theme}, ${media}`);
        });
      }
    });
  },
);
