// Multiple-choice questions, in a real browser.

import assert from "node:assert/strict";
import { test } from "node:test";
import { faintInThemes } from "./contrast.ts";
import { inBrowser } from "./harness.ts";

inBrowser(
  "multiple-choice questions",
  () => undefined,
  (book) => {
    const ask = () => book.page.locator("#question-memory-profiling-buffer");
    const radio = (i: number) => ask().getByRole("radio").nth(i);
    const words = () => ask().locator(".ots-agreement").textContent();
    const reasons = () => ask().locator(".ots-choice-why").filter({ visible: true });
    const open = async () => {
      await book.page.goto(book.url);
      await ask().getByRole("button", { name: "Answer", exact: true }).waitFor();
    };

    test("a right answer is shown with the reason for each choice, and stored", async () => {
      await open();
      const group = ask().getByRole("group", { name: /Which line sends the bytes.Buffer to the heap/ });
      assert.equal(await group.count(), 1);
      assert.equal(await ask().locator("details").count(), 0);
      assert.equal(await reasons().count(), 0, "nothing is given away");
      await radio(1).check();
      await ask().getByRole("button", { name: "Answer", exact: true }).click();
      assert.equal(await words(), "Right: B.");
      assert.equal(await reasons().count(), 3);
      assert.match(
        (await ask().locator(".ots-unseen[role=status]").textContent()) ?? "",
        /B: Right\. The call stores it in an io\.Reader\./,
      );
      await book.page.reload();
      await reasons().first().waitFor();
      assert.equal(await words(), "Right: B.");
      assert.equal(await radio(1).isChecked(), true);
      assert.equal(await radio(0).isDisabled(), true);
    });

    test("a wrong answer is told from the right one, by keyboard", async () => {
      await open();
      await ask().getByRole("button", { name: "Answer", exact: true }).click();
      await ask().getByText("Choose one first").waitFor();
      await book.page.keyboard.press("ArrowDown");
      await book.page.keyboard.press("ArrowDown");
      assert.equal(await radio(2).isChecked(), true);
      assert.equal(await book.page.evaluate("pagesTurned"), 0, "the arrows move between the choices");
      await book.page.keyboard.press("Enter");
      assert.equal(await words(), "Not that one. It is B.");
      assert.equal(await ask().locator(".is-chosen .ots-choice-mark").textContent(), "your answer");
      assert.match((await ask().locator(".ots-unseen[role=status]").textContent()) ?? "", /^C: No\. .* B: Right\. /);

      await book.page.keyboard.press("Tab");
      await book.page.keyboard.press("Enter");
      assert.equal(await reasons().count(), 0, "Answer again asks again");
      assert.equal(await radio(0).evaluate((e) => e === document.activeElement), true);
      await book.page.reload();
      await ask().getByRole("button", { name: "Answer", exact: true }).waitFor();
    });

    test("the answer can be shown without one of the reader's", async () => {
      await open();
      await ask().getByRole("button", { name: "Show the answer" }).click();
      assert.equal(await words(), "Shown without an answer: B.");
      await book.page.reload();
      await reasons().first().waitFor();
      assert.equal(await words(), "Shown without an answer: B.");
    });

    test("an answer that is no longer a choice is asked again", async () => {
      await open();
      await radio(0).check();
      await ask().getByRole("button", { name: "Answer", exact: true }).click();
      book.edit = (html) =>
        html.replace("<li><code>input := bytes.NewBuffer(data)</code></li>", "<li>another line</li>");
      await book.page.reload();
      await ask().getByRole("button", { name: "Answer", exact: true }).waitFor();
      assert.equal(await reasons().count(), 0);
    });

    test("another tab's answer arrives", async () => {
      await open();
      const other = await book.context.newPage();
      await other.goto(book.url);
      await other.getByRole("button", { name: "Show the answer" }).click();
      await reasons().first().waitFor();
    });

    test("without a script the question and its answer can be read", async () => {
      await book.fresh({ javaScriptEnabled: false });
      await book.page.goto(book.url);
      assert.equal(await ask().getByText("This is where it is made.").isVisible(), false);
      await ask().getByText("The answer, and why").click();
      assert.equal(await ask().getByText("This is where it is made.").isVisible(), true);
    });

    test("a block without data stays as it is", async () => {
      book.edit = (html) => html.replace('"right":1', '"right":9');
      await book.page.goto(book.url);
      await book.page.locator("#predict-strings form").waitFor();
      await book.page.waitForFunction(() => performance.getEntriesByType("resource").some(({ name }) => name.includes("/choices-")));
      assert.equal(await ask().locator("details").isVisible(), true);
    });

    test("in every theme every text can be read", async () => {
      await open();
      await radio(0).check();
      await ask().getByRole("button", { name: "Answer", exact: true }).click();
      assert.deepEqual((await faintInThemes(book.page, ".ots-choices")).faint, []);
    });
  },
);
