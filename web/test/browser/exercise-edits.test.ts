// A reader's edits of an exercise: kept across visits and tabs, stale results, Reset.

import assert from "node:assert/strict";
import { test } from "node:test";
import { answerChecks } from "../stand-in/exercise-runner.ts";
import { SOLUTION, STARTER } from "../stand-in/verdicts.ts";
import { ExercisePage } from "./exercise-page.ts";
import { inBrowser } from "./harness.ts";

inBrowser("edits of an exercise", answerChecks, (book) => {
  const open = () => ExercisePage.open(book.page, book.url, "exercise6");

  test("two tabs with different edits: neither is lost, and the reader chooses", async () => {
    const exercise = await open();
    const other = await ExercisePage.open(await book.context.newPage(), book.url, "exercise6");
    // Both editors have the focus, so neither tab takes over what the other saves.
    await other.editor.focus();
    await exercise.type("package first\n");
    await other.type("package second\n");
    const notice = (e: ExercisePage) => e.root.locator(".is-aside");
    await notice(exercise).waitFor();
    await notice(other).waitFor();
    assert.match(await exercise.text(), /package first/);
    assert.match(await other.text(), /package second/);

    // Storage has both texts.
    const again = await ExercisePage.open(await book.context.newPage(), book.url, "exercise6");
    await notice(again).waitFor();
    const shown = await again.text();
    await again.button("Show the other edit").click();
    const swapped = await again.text();
    assert.deepEqual([shown, swapped].map((text) => /package (\w+)/.exec(text)?.[1]).sort(), ["first", "second"]);
    await again.button("Forget the other edit").click();
    await notice(again).waitFor({ state: "detached" });
  });

  test("an edit that another tab has overwritten unseen is stored again, beside the other tab's", async () => {
    const exercise = await open();
    await exercise.type("package first\n");
    const stored = (...texts: string[]) =>
      exercise.page.waitForFunction(
        (texts) => texts.every((text) => localStorage.getItem("onthestack/2/exercise6")?.includes(text)),
        texts,
      );
    await stored("package first");
    // As a tab saves that has not seen the first edit.
    const other = await book.context.newPage();
    await other.goto(book.url);
    await other.evaluate(() => {
      const saved = JSON.parse(localStorage.getItem("onthestack/2/exercise6")!);
      for (const name of Object.keys(saved.files)) saved.files[name] = "package second\n";
      localStorage.setItem("onthestack/2/exercise6", JSON.stringify(saved));
    });
    await stored("package first", "package second");
    // An edit that the other tab then forgets is not stored again.
    await other.evaluate(() => {
      const saved = JSON.parse(localStorage.getItem("onthestack/2/exercise6")!);
      localStorage.setItem("onthestack/2/exercise6", JSON.stringify({ ...saved, asides: [] }));
    });
    await exercise.page.waitForTimeout(500);
    const left = await exercise.page.evaluate(() => localStorage.getItem("onthestack/2/exercise6"));
    assert.doesNotMatch(left!, /package first/);
  });

  test("three different edits: none is lost", async () => {
    const first = await open();
    const second = await ExercisePage.open(await book.context.newPage(), book.url, "exercise6");
    await second.editor.focus();
    await first.type("package first\n");
    await second.type("package second\n");
    await second.root.locator(".is-aside").waitFor();
    await first.page.goto("about:blank");
    const third = await ExercisePage.open(await book.context.newPage(), book.url, "exercise6");
    await third.root.locator(".is-aside").waitFor();
    await third.editor.focus();
    // The second tab saves another edit while the third has one of its own.
    await second.editor.focus();
    await second.type("package fourth\n");
    await third.type("package third\n");
    await third.root.locator(".is-aside", { hasText: /\d different edits of this exercise were saved elsewhere/ }).waitFor();
    const seen = new Set<string>();
    for (let shown = 0; shown < 4; shown++) {
      seen.add(/package (\w+)/.exec(await third.text())![1]!);
      await third.button("Show the next edit").click();
    }
    for (const name of ["first", "third", "fourth"]) assert.ok(seen.has(name), `${name} is lost: ${[...seen].join()}`);
  });

  test("marks follow their lines and are stale while the text differs", async () => {
    const exercise = await open();
    await exercise.checked();
    const stale = exercise.root.getByText("from the last check", { exact: true }).first();
    assert.equal(await stale.isVisible(), false);
    await exercise.editor.focus();
    await book.page.keyboard.press("ControlOrMeta+Home");
    await book.page.keyboard.type("// one\n");
    assert.equal(await stale.isVisible(), true);
    await exercise.root.locator(".ots-allocs").getByRole("button", { name: "line 15" }).first().click();
    await book.page.keyboard.insertText("HERE");
    assert.match(await exercise.text(), /HERE\tinput := /);
    for (let undone = 0; undone < 4; undone++) await book.page.keyboard.press("ControlOrMeta+z");
    await stale.waitFor({ state: "hidden" });
  });

  test("edits, hints and the pass survive a reload", async () => {
    const exercise = await open();
    await exercise.type(SOLUTION);
    await exercise.checked();
    await exercise.button("Hint 1 of 3").click();
    await exercise.button("Hint 2 of 3").click();
    await book.page.keyboard.press("Shift+Tab");
    const again = await open();
    assert.match(await again.text(), /input\.Read\(/);
    assert.equal(await again.root.locator(".ots-hints li").count(), 2);
    assert.equal(await again.root.locator(".ots-done").isVisible(), true);
    assert.equal(await again.headline.textContent(), "Passed");
    assert.equal(await again.root.locator(".ots-before").textContent(), "before this visit");
    assert.match((await again.root.locator(".ots-gains").textContent()) ?? "", /2 → 1 allocs\/op/);
    assert.equal(await again.marks.count(), 1, "its lines are marked");
  });

  test("a stored verdict on another text is not shown", async () => {
    const exercise = await open();
    await exercise.type(SOLUTION);
    await exercise.checked();
    await exercise.type(STARTER);
    const again = await open();
    assert.equal(await again.headline.textContent(), "Before this visit: Passed");
    assert.equal(await again.root.locator(".ots-bench").count(), 0, "no figures of another text");
  });

  test("an edit made just before leaving is kept", async () => {
    const exercise = await open();
    await exercise.type("package late\n");
    await book.page.goto("about:blank");
    assert.match(await (await open()).text(), /package late/);
  });

  test("a changed starter leaves the reader's text", async () => {
    const exercise = await open();
    await exercise.type(SOLUTION);
    book.edit = (html) => html.replaceAll("near miss", "close call").replaceAll("fits anymore", "fits any longer");
    const changed = await open();
    assert.match(await changed.text(), /input\.Read\(/);
    await changed.root.getByText("The starter has changed since you began").waitFor();
  });

  test("Reset asks, can be declined, and can be undone", async () => {
    const exercise = await open();
    await exercise.type(SOLUTION);
    await exercise.button("Reset").click();
    await exercise.button("Keep mine").click();
    assert.match(await exercise.text(), /input\.Read\(/);
    await exercise.button("Reset").click();
    await exercise.button("Put it back").click();
    assert.match(await exercise.text(), /io\.ReadFull\(/);
    await exercise.button("Undo").click();
    assert.match(await exercise.text(), /input\.Read\(/);
  });

  test("blocked storage is reported, and everything else works", async () => {
    await book.initially(() => {
      Object.defineProperty(window, "localStorage", {
        get() {
          throw new DOMException("blocked", "SecurityError");
        },
      });
    });
    const exercise = await open();
    await exercise.root.getByText("storage is blocked or full").waitFor();
    assert.equal(await exercise.checked(), "Not yet: 2 allocs/op, target 1");
  });

  test("another tab's edit appears if the reader is not typing", async () => {
    const exercise = await open();
    const other = await ExercisePage.open(await book.context.newPage(), book.url, "exercise6");
    await other.type("package other\n");
    await exercise.editor.getByText("package other").waitFor();
    assert.match(await exercise.text(), /package other/);
  });
});
