// An exercise and a program within a text, on a phone: the page scrolls and not the editor, and what one presses is in
// view.

import assert from "node:assert/strict";
import { test } from "node:test";
import { answerChecks } from "../stand-in/exercise-runner.ts";
import { PROGRAM_RUN } from "../stand-in/verdicts.ts";
import { ExercisePage } from "./exercise-page.ts";
import { inBrowser } from "./harness.ts";
import { inView, LAPTOP, PHONE, places, small, THREE, unmoved } from "./panes.ts";

inBrowser("an exercise in a text", answerChecks, (book) => {
  const open = () => ExercisePage.open(book.page, book.url, "exercise6");

  /** Scrolls the page so that a part of an element's height is above the middle of the window. */
  const scrollTo = (selector: string, part: number) =>
    book.page.locator(selector).evaluate(async (e, part) => {
      const { top, height } = e.getBoundingClientRect();
      scrollBy({ top: top + part * height - innerHeight / 2, behavior: "instant" });
      await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    }, part);

  for (const viewport of [THREE, LAPTOP, { width: 768, height: 1024 }, PHONE, { width: 320, height: 568 }]) {
    test(`Check is in view while its code is at ${viewport.width} px`, async () => {
      await book.page.setViewportSize(viewport);
      const exercise = await open();
      const faults: string[] = [];
      const look = async (when: string, where: string) => {
        for (const part of [0.1, 0.5, 0.9]) {
          await scrollTo(where, part);
          for (const [what, e] of Object.entries({ Check: exercise.check, Hint: exercise.button(/Hint/) }))
            if (!(await inView(e))) faults.push(`${what}, ${when}, ${part} of ${where}`);
        }
      };
      await look("at first", "#exercise6 .ots-code");
      await exercise.checked();
      await look("with a verdict", "#exercise6 .ots-code");
      if (viewport.width < 768) await look("with a verdict", "#exercise6 .ots-verdict-pane");
      assert.deepEqual(faults, []);
      const wide = await book.page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.equal(wide, 0, "nothing scrolls sideways");
    });
  }

  for (const viewport of [THREE, PHONE]) {
    test(`no button moves during a check at ${viewport.width} px`, async () => {
      await book.page.setViewportSize(viewport);
      const exercise = await open();
      await scrollTo("#exercise6 .ots-code", 0.5);
      const before = await places(book.page, "#exercise6");
      await exercise.check.click();
      await exercise.root.locator(".ots-summary").getByText("Not yet: 2 allocs/op, target 1").waitFor();
      unmoved(await places(book.page, "#exercise6"), before, "with the verdict");
      await exercise.button("Reset").scrollIntoViewIfNeeded();
      const scrolled = await places(book.page, "#exercise6");
      await exercise.button("Reset").click();
      await exercise.button("Put it back").waitFor();
      assert.equal(await inView(exercise.button("Put it back")), true);
      unmoved(await places(book.page, "#exercise6"), scrolled, "while Reset asks");
    });
  }

  test("under a finger the editor does not scroll, and everything is large enough", async () => {
    await book.fresh({ hasTouch: true, isMobile: true, viewport: PHONE });
    const exercise = await open();
    const inner = () => book.page.locator(".cm-scroller").first().evaluate((e) => e.scrollHeight - e.clientHeight);
    assert.ok((await inner()) <= 0, `the editor scrolls by ${await inner()} px`);
    const all = "#exercise6 :is(button, summary, select, .ots-link)";
    assert.deepEqual(await small(book.page, all), []);
    await exercise.checked();
    await exercise.button(/^Hint 1/).click();
    assert.deepEqual(await small(book.page, all), []);
  });

  test("under a finger Run stays in view while a program is edited", async () => {
    await book.fresh({ hasTouch: true, isMobile: true, viewport: PHONE });
    book.post = (request) => (request.path === "/compile" ? { body: PROGRAM_RUN } : answerChecks(request));
    await book.page.goto(book.url);
    const program = book.page.locator(".ots-program").first();
    await program.getByRole("button", { name: "Edit" }).click();
    const editor = program.locator(".cm-content");
    await editor.focus();
    await book.page.keyboard.press("ControlOrMeta+a");
    await book.page.keyboard.insertText(`package main\n\nfunc main() {\n${"\tprintln()\n".repeat(100)}}\n`);
    const inner = await program.locator(".cm-scroller").evaluate((e) => e.scrollHeight - e.clientHeight);
    assert.ok(inner <= 0, `the editor scrolls by ${inner} px`);
    const run = program.getByRole("button", { name: "Run", exact: true });
    for (const part of [0.2, 0.5, 0.8]) {
      await scrollTo(".ots-program .ots-code", part);
      assert.equal(await inView(run), true, `at ${part} of the program`);
    }
    await run.click();
    await program.locator(".ots-ending").waitFor();
    const all = ".ots-program :is(button, summary, select, .ots-link)";
    assert.deepEqual(await small(book.page, all), []);
  });
});
