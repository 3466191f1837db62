// Exercises and verdicts in a real browser. Edits are tested in exercise-edits.test.ts, the view during a check in
// exercise-checking.test.ts.

import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { page as bookPage } from "../stand-in/page.ts";
import { filesOf } from "../stand-in/scripts.ts";
import { answerChecks } from "../stand-in/exercise-runner.ts";
import {
  BROKEN,
  FAILED_TESTS,
  lineOf,
  MISTAKEN,
  PASS,
  POLICY_ERROR,
  SOLUTION,
  STARTER,
  TWO_ALLOCATIONS,
  UNUSED_IMPORT,
} from "../stand-in/verdicts.ts";
import { ExercisePage } from "./exercise-page.ts";
import { inBrowser } from "./harness.ts";

inBrowser("exercises and annotated listings", answerChecks, (book) => {
  const open = () => ExercisePage.open(book.page, book.url, "exercise6");

  test("a check shows stages, bars, marks and reasons", async () => {
    const exercise = await open();
    assert.equal(await exercise.checked(), "Not yet: 2 allocs/op, target 1");
    assert.deepEqual(await exercise.root.locator(".ots-stages .ots-state").allTextContents(), [
      "ok",
      "ok",
      "6 of 6",
      "not yet",
    ]);
    assert.match(
      (await exercise.root.locator(".ots-bar").first().textContent()) ?? "",
      /allocs\/op 2 .*target 1, starter 2/,
    );
    assert.deepEqual(await exercise.marks.allTextContents(), ["1×", "1×"]);
    assert.equal(
      await book.page.getByText("Bring Replace down to one allocation.").isVisible(),
      true,
      "the task stays",
    );
    assert.equal(
      await book.page.getByText("exercises/exercise6/stream.go").isVisible(),
      false,
      "the static listing goes",
    );
    assert.match(
      (await exercise.root.locator(".ots-allocs").textContent()) ?? "",
      /passed to io\.ReadAtLeast, which keeps it/,
    );
  });

  test("a mark shows its reason on hover and on focus, and Escape hides it", async () => {
    const exercise = await open();
    await exercise.checked();
    const tip = exercise.root.getByRole("tooltip");
    const mark = exercise.marks.first();
    await mark.hover();
    assert.match((await tip.textContent()) ?? "", /the bytes\.Buffer moves to the heap/);
    await tip.hover();
    await book.page.waitForTimeout(300);
    assert.equal(await tip.isVisible(), true, "the pointer may go onto the tooltip");
    await book.page.mouse.move(5, 5);
    await tip.waitFor({ state: "hidden" });

    // Backwards from Check: first the text, then its marks, the last one first.
    await exercise.check.focus();
    await book.page.keyboard.press("Shift+Tab");
    await book.page.keyboard.press("Escape");
    await book.page.keyboard.press("Shift+Tab");
    await book.page.keyboard.press("Shift+Tab");
    await tip.waitFor();
    assert.equal(await mark.getAttribute("aria-describedby"), await tip.getAttribute("id"));
    assert.match((await mark.getAttribute("aria-label")) ?? "", /^Line 15: 1 alloc\/op, 48 B\/op/);
    assert.equal(
      await mark.evaluate((e) => e.closest("[aria-hidden]")),
      null,
      "marks are there for assistive technology",
    );
    await tip.hover();
    await book.page.mouse.move(5, 5);
    await book.page.waitForTimeout(300);
    assert.equal(await tip.isVisible(), true, "the pointer takes nothing from the focus");
    await book.page.keyboard.press("Escape");
    await tip.waitFor({ state: "hidden" });
  });

  test("a build error leads to its line", async () => {
    const exercise = await open();
    await exercise.type(BROKEN);
    assert.equal(await exercise.checked(), "Does not compile");
    assert.deepEqual(await exercise.marks.allTextContents(), ["!"]);
    assert.equal(await exercise.root.locator(".ots-underline.is-error").textContent(), "missing");
    assert.equal(await exercise.root.locator(".ots-errors li").count(), 2);
    await exercise.root.locator(".ots-errors").getByRole("button").first().click();
    assert.equal(await exercise.editor.evaluate((e) => e === document.activeElement), true);
    await book.page.keyboard.insertText("HERE");
    assert.match(await exercise.text(), /held \+= n \+ HEREmissing/);
  });

  test("a failed test shows its input, got and want, and leads to its line; the log is collapsed", async () => {
    const exercise = await open();
    await exercise.type(STARTER.replace("return\n", "return // too early\n"));
    assert.equal(await exercise.checked(), "2 of 6 tests fail");
    const failed = exercise.root.locator(".ots-failures > li");
    assert.deepEqual(await failed.locator(".ots-failure-name").allTextContents(), ["TestNearMiss", "TestEnd"]);
    assert.deepEqual(await failed.first().locator("dt").allTextContents(), ["data", "find", "got", "want"]);
    assert.deepEqual(await failed.first().locator("dd").allTextContents(), ['"aaab"', '"aab"', '"aaab"', '"a-"']);
    assert.equal(await exercise.root.locator(".ots-output").isVisible(), false);
    assert.equal(await failed.nth(1).getByText("the last 3 bytes").isVisible(), false, "one is enough to begin with");
    await failed.first().getByRole("button", { name: "stream_test.go:58" }).click();
    await exercise.editor.getByText("func TestNearMiss").waitFor();
    assert.equal(
      await exercise.root.locator(".ots-file[aria-pressed=true]").textContent(),
      "stream_test.go, read only",
    );
    assert.equal(await exercise.marks.count(), 1, "the failed line of the test is marked");
    assert.match((await exercise.marks.getAttribute("aria-label"))!, /^Line 58: error: wrong output/);
    await exercise.root.getByText("Output of the tests").click();
    assert.match((await exercise.root.locator(".ots-output").textContent()) ?? "", /want: "a-"/);
  });

  test("the line that panicked is marked, and listed above the collapsed output", async () => {
    const output =
      "--- FAIL: TestEnd (0.00s)\npanic: runtime error: slice bounds out of range [9:3] [recovered, repanicked]\n\n" +
      "goroutine 7 [running]:\npanic({0x1?, 0x2?})\n\t/usr/local/go/src/runtime/panic.go:783 +0x132\n" +
      `onthestack/exercises/exercise6.Replace(...)\n\texercises/exercise6/stream.go:${lineOf(STARTER, "copy(window")}\n`;
    book.post = () => ({ body: { ...FAILED_TESTS, tests: { ...FAILED_TESTS.tests, output, incomplete: true } } });
    const exercise = await open();
    assert.equal(await exercise.checked(), "The tests did not finish");
    assert.equal(await exercise.marks.count(), 1);
    assert.match((await exercise.marks.getAttribute("aria-label"))!, /: error: panic: runtime error: slice bounds out of range \[9:3\]$/);
    assert.match((await exercise.root.locator(".ots-underline.is-error").first().textContent())!, /^held = copy\(/);
    const stops = exercise.root.locator(".ots-errors > li");
    assert.equal(await stops.count(), 1);
    await stops.getByRole("button", { name: `line ${lineOf(STARTER, "copy(window")}` }).click();
    assert.equal(await exercise.root.locator(".ots-output").isVisible(), false);
  });

  test("tests and benchmark can be read beside the code", async () => {
    const exercise = await open();
    await exercise.button("bench_test.go").click();
    await exercise.editor.getByText("func BenchmarkReplace").waitFor();
    await exercise.editor.focus();
    await book.page.keyboard.insertText("gone");
    assert.doesNotMatch(await exercise.text(), /gone/);
    // The check considers the reader's files only.
    assert.equal(await exercise.checked(), "Not yet: 2 allocs/op, target 1");
    await exercise.button("stream.go").click();
    assert.match(await exercise.text(), /io\.ReadFull/);
  });

  test("the editor opens at the function, and the page does not scroll", async () => {
    await book.page.setViewportSize({ width: 1440, height: 500 });
    const exercise = await open();
    const line = exercise.editor.getByText("// Replace appends data").first();
    await line.waitFor();
    const [editor, comment] = [
      (await exercise.root.locator(".cm-scroller").boundingBox())!,
      (await line.boundingBox())!,
    ];
    assert.ok(
      comment.y >= editor.y - 2 && comment.y < editor.y + 40,
      `the comment is at ${comment.y}, the editor at ${editor.y}`,
    );
    // The cursor is there too, and so is a screen reader.
    await exercise.editor.focus();
    await book.page.keyboard.press("Shift+End");
    assert.match(await book.page.evaluate(() => getSelection()!.toString()), /^\/\/ Replace appends data/);
  });

  test("a refused import shows no release, because no compiler ran", async () => {
    book.post = () => ({ body: POLICY_ERROR });
    const exercise = await open();
    assert.equal(await exercise.checked(), "Uses what this exercise does not allow");
    assert.equal(await exercise.root.locator(".ots-measured").count(), 0);
    assert.doesNotMatch((await exercise.root.locator(".ots-over").textContent()) ?? "", /\//);
  });

  test("the solution is fetched after the pass, and shown as a diff, with the likely mistakes", async () => {
    const fetched: string[] = [];
    book.page.on("request", (r) => fetched.push(new URL(r.url()).pathname));
    const exercise = await open();
    await exercise.checked();
    const solution = exercise.root.locator(".ots-solution");
    assert.equal(await solution.isVisible(), false);
    assert.ok(!fetched.some((path) => path.endsWith("solution.json")), fetched.join());
    await exercise.type(SOLUTION);
    await exercise.checked();
    await solution.getByText("One solution, compared with yours").waitFor();
    await solution.getByText("Your code is identical to the solution, apart from comments and blank lines.").waitFor();
    await exercise.root.locator(".ots-gains").getByText("A solution is below, with how it differs from yours.").waitFor();
    await solution.getByText("A value in place of the pointer").click();
    await solution.getByText("The variable goes where its address goes.").waitFor();
    assert.match((await exercise.root.locator(".ots-gains").textContent()) ?? "", /lets a value stay on the stack/);
    // It is compared with what was checked last, whether that passes or not.
    await exercise.type(BROKEN);
    await exercise.checked();
    await solution.getByText("Your code is identical to the solution").waitFor({ state: "detached" });
    await solution.getByText("One solution, compared with yours").waitFor();
  });

  test("a verdict that failed says what to do next, with a link to the line", async () => {
    const exercise = await open();
    await exercise.checked();
    const next = exercise.root.locator(".ots-next");
    const line = lineOf(STARTER, "io.ReadFull(");
    const end = `get to the heap on line ${line}: a change there helps all of them.`;
    assert.deepEqual(await next.locator("p").allTextContents(), [`Next: 2 of these values ${end}`]);
    await next.getByRole("button", { name: `line ${line}` }).click();
    await book.page.keyboard.insertText("HERE");
    assert.match(await exercise.text(), /HERE\t\tn, err := io\.ReadFull/);

    await exercise.type(STARTER.replace("return\n", "return // too early\n"));
    await exercise.checked();
    assert.deepEqual(
      await next.locator("p").allTextContents(),
      ["Next: make the tests pass again. The first one above shows what it wants."],
      "the page has no terminal",
    );

    book.post = () => ({ body: UNUSED_IMPORT });
    await exercise.type("package stream");
    await exercise.checked();
    assert.deepEqual(await next.locator("p").allTextContents(), [
      "Next: remove the import of io on line 5: the code does not use it any more. Format removes and adds imports.",
    ]);

    book.post = () => ({ body: PASS });
    await exercise.checked();
    assert.equal(await next.count(), 0);
  });

  test("a likely mistake is named while the check fails", async () => {
    book.post = () => ({ body: MISTAKEN });
    const exercise = await open();
    await exercise.checked();
    const said = exercise.root.locator(".ots-next p").first();
    assert.equal(
      await said.textContent(),
      "Likely mistake: A value in place of the pointer. The variable goes where its address goes: moved to heap.",
    );
    assert.equal(await said.locator("code").textContent(), "moved to heap");
    assert.equal(await exercise.root.locator(".ots-solution").isVisible(), false, "its change is not shown");
  });

  test("after the last hint the solution is shown on request, and the pass is marked", async () => {
    const exercise = await open();
    for (let n = 1; n <= 3; n++) await exercise.button(`Hint ${n} of 3`).click();
    const solution = exercise.root.locator(".ots-solution");
    const show = exercise.root.getByRole("button", { name: "Show the solution" });
    await show.click();
    await exercise.root.getByText("A pass is then marked as one after the solution.").waitFor();
    assert.equal(await solution.isVisible(), false);
    await exercise.button("Keep trying").click();
    assert.equal(await show.evaluate((e) => e === document.activeElement), true);
    await show.click();
    await exercise.button("Show it").click();
    await solution.getByText("One solution, compared with yours").waitFor();
    const saved = () =>
      book.page.evaluate(() => JSON.parse(localStorage.getItem("onthestack/2/exercise6")!) as Record<string, unknown>);
    assert.equal((await saved())["spoiled"], true);
    await exercise.type(SOLUTION);
    assert.equal(await exercise.checked(), "Passed");
    assert.equal(await exercise.root.locator(".ots-done").textContent(), "passed, after the solution");
    assert.equal((await saved())["spoiled"], true);
    const again = await open();
    assert.equal(await again.root.locator(".ots-done").textContent(), "passed, after the solution");
    await show.click();
    assert.equal(await exercise.button("Keep trying").isVisible(), false, "it costs nothing any more");
  });

  test("a solution that is shown after the pass does not mark it", async () => {
    const exercise = await open();
    await exercise.type(SOLUTION);
    await exercise.checked();
    for (let n = 1; n <= 3; n++) await exercise.button(`Hint ${n} of 3`).click();
    await exercise.root.getByRole("button", { name: "Show the solution" }).click();
    assert.equal(await exercise.root.locator(".ots-done").textContent(), "passed");
  });

  test("the pass of the last exercise says that all have passed", async () => {
    await book.initially(() =>
      localStorage.setItem("onthestack/2/exercise7", JSON.stringify({ starter: "", hints: 0, passed: true })),
    );
    const exercise = await open();
    await exercise.type(SOLUTION);
    await exercise.checked();
    await exercise.root.getByText("all exercises have passed").waitFor();
  });

  test("an improvement since the last check is shown", async () => {
    const [benchmark] = TWO_ALLOCATIONS.benchmarks;
    book.post = () => ({ body: { ...TWO_ALLOCATIONS, benchmarks: [{ ...benchmark!, allocs_per_op: 3 }] } });
    const exercise = await open();
    await exercise.checked();
    book.post = () => ({ body: TWO_ALLOCATIONS });
    await exercise.checked();
    await exercise.root
      .locator(".ots-progress")
      .getByText("1 alloc/op fewer than at the last check (3 → 2)", { exact: true })
      .waitFor();
  });

  test("a pass shows the savings, once, and the next exercise", async () => {
    const exercise = await open();
    await exercise.checked();
    await exercise.type(SOLUTION);
    await book.page.keyboard.press("Control+Enter");
    await exercise.headline.getByText("Passed").waitFor();
    const gains = exercise.root.locator(".ots-gains");
    assert.match((await gains.textContent()) ?? "", /2 → 1 allocs\/op, 112 → 64 B\/op/);
    assert.equal(await gains.getByRole("link", { name: "Know the size" }).getAttribute("href"), "#exercise7");
    assert.equal(await exercise.root.locator(".ots-progress").count(), 0);
    assert.equal(await exercise.root.locator(".ots-done").isVisible(), true);
  });

  test("a pass without the race detector that the exercise asks for is provisional", async () => {
    const tests = { ...PASS.tests, race: "not run", race_why: "the sandbox has no race detector" };
    book.post = () => ({ body: { ...PASS, tests, provisional: "the tests did not run with -race" } });
    const exercise = await open();
    await exercise.checked();
    await exercise.root.locator(".is-pass .ots-headline").getByText("Passed, provisionally").waitFor();
    await exercise.root
      .getByText(
        "Provisional pass. The tests did not run with -race: the sandbox has no race detector. " +
          "A data race may have gone unnoticed. In the clone, go run ./tools/checkalloc exercise6 runs them with it.",
      )
      .waitFor();
  });

  test("a pass says so if nothing had to be changed", async () => {
    book.post = () => ({ body: { ...PASS, note: "Nothing had to be changed." } });
    const exercise = await open();
    await exercise.checked();
    await exercise.root.locator(".is-pass .ots-note").getByText("Nothing had to be changed.").waitFor();
  });

  test("Format keeps the place of the cursor, and shows gofmt's errors", async () => {
    const exercise = await open();
    await exercise.type(STARTER.replace("held := 0", "held  := 0"));
    await exercise.button("Format").click();
    await exercise.root.getByText("Formatted", { exact: true }).first().waitFor();
    assert.match(await exercise.text(), /\theld := 0/);

    book.post = () => ({ body: { Body: "", Error: "prog.go:3:1: expected declaration" } });
    await exercise.button("Format").click();
    await exercise.notice.getByText("stream.go cannot be formatted").waitFor();
    await exercise.notice.getByRole("button", { name: "line 3" }).waitFor();
    assert.deepEqual(await exercise.marks.allTextContents(), ["!"]);
  });

  test("without the address of a repository, nothing is said about a clone", async () => {
    book.edit = (html) => html.replaceAll(" data-repository", "");
    const tests = { ...PASS.tests, race: "not run", race_why: "the sandbox has no race detector" };
    book.post = () => ({ body: { ...PASS, tests, provisional: "the tests did not run with -race" } });
    const exercise = await open();
    await exercise.checked();
    await exercise.root.getByText(/A data race may have gone unnoticed\. $/).waitFor();
    book.post = () => undefined;
    await exercise.checked();
    const notice = (await exercise.notice.textContent()) ?? "";
    assert.match(notice, /The server ran on this machine: start it again\. Then press Check again\./);
    assert.doesNotMatch((await exercise.root.textContent()) ?? "", /clone|make serve/);
  });

  test("a static host is not a runner, and editing continues", async () => {
    book.post = () => undefined;
    const exercise = await open();
    await exercise.checked();
    const notice = (await exercise.notice.textContent()) ?? "";
    assert.match(notice, /The server does not answer/);
    // The page came from this machine, so the notice need not name its URL.
    assert.match(notice, /In the clone, that is make serve\. Then press Check again\./);
    await exercise.type("package a\n");
    assert.match(await exercise.text(), /package a/);
  });

  test("a server that became unreachable is reported in the same words", async () => {
    const exercise = await open();
    await book.context.setOffline(true);
    await exercise.checked();
    assert.match((await exercise.notice.textContent()) ?? "", /The server does not answer/);
  });

  test("a page opened from a file is the static text, with the command that checks", async () => {
    const file = join(process.env["OTS_BOOK"]!, "from-disk.html");
    await writeFile(
      file,
      bookPage().replaceAll('"/book/widgets', '"widgets').replace('path_to_root = "../"', 'path_to_root = ""'),
    );
    await book.page.goto(`file://${file}`);
    await book.page.waitForLoadState("networkidle");
    for (const pre of await book.page.locator("pre").all()) assert.equal(await pre.isVisible(), true);
    const exercise = book.page.locator("#exercise6");
    assert.match((await exercise.textContent()) ?? "", /In the clone: go run \.\/tools\/checkalloc exercise6/);
    assert.equal(await book.page.locator(".ots-notice, .ots-widget, main button").count(), 0);
  });

  test("typing does not turn pages, Tab indents, and Escape followed by Tab leaves the editor", async () => {
    const exercise = await open();
    await exercise.editor.focus();
    await book.page.keyboard.press("ControlOrMeta+Home");
    await book.page.keyboard.press("Tab");
    await book.page.keyboard.type("s/");
    await book.page.keyboard.press("ArrowRight");
    assert.match(await exercise.text(), /^\ts\/package/);
    assert.equal(await book.page.evaluate("pagesTurned"), 0);
    await book.page.keyboard.press("Escape");
    await book.page.keyboard.press("Tab");
    assert.equal(await exercise.check.evaluate((e) => e === document.activeElement), true);
  });

  test("a verdict in the text is replaced by the annotated listing", async () => {
    await book.page.goto(book.url);
    const picture = book.page.locator("#checked");
    assert.match(
      (await picture.locator(".ots-code-line").first().textContent()) ?? "",
      /15input := bytes\.NewBuffer\(data\)/,
    );
    assert.equal(await picture.locator("pre").first().isVisible(), false);
    assert.equal(await picture.getByRole("button").count(), 0);

    const explained = book.page.locator("#explained");
    assert.equal(await explained.locator(".ots-headline").count(), 0, "nothing was asked of a listing");
    assert.equal(await explained.locator(".ots-stages").count(), 0);
    assert.match((await explained.locator(".ots-bench").textContent()) ?? "", /allocs\/op 2B\/op 112/);
  });

  test("without JavaScript everything static stays", async () => {
    await book.fresh({ javaScriptEnabled: false });
    await book.page.goto(book.url);
    for (const pre of await book.page.locator("pre").all()) assert.equal(await pre.isVisible(), true);
    assert.equal(await book.page.locator(".ots-exercise details").isVisible(), true);
  });

  test("the editor is fetched only when an exercise is nearly visible", async () => {
    const EDITOR = `/book/widgets/${filesOf("editor")[0]}`;
    const scripts: string[] = [];
    book.page.on("request", (r) => scripts.push(new URL(r.url()).pathname));
    await book.page.setViewportSize({ width: 1440, height: 300 });
    await book.initially(() => {
      document.addEventListener("DOMContentLoaded", () =>
        document.querySelector("h1")!.setAttribute("style", "margin-bottom: 3000px"),
      );
    });
    await book.page.goto(book.url);
    await book.page.waitForTimeout(300);
    assert.equal(scripts.includes(EDITOR), false);
    await book.page.locator("#exercise6").scrollIntoViewIfNeeded();
    await book.page.locator(".cm-content").waitFor();
    assert.equal(scripts.includes(EDITOR), true);
  });

  test("nothing makes the page scroll sideways at 360 px", async () => {
    await book.page.setViewportSize({ width: 360, height: 740 });
    const exercise = await open();
    const overflow = () => book.page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    const inner = () => book.page.locator(".content").evaluate((e) => e.scrollWidth - e.clientWidth);
    for (const text of [STARTER, BROKEN, SOLUTION]) {
      await exercise.type(text);
      await exercise.checked();
      await book.page.waitForTimeout(50);
      if ((await exercise.marks.count()) > 0) {
        // The editor draws the lines anew when the page has scrolled there.
        await exercise.marks.first().scrollIntoViewIfNeeded();
        await book.page.waitForTimeout(50);
        await exercise.marks.first().focus();
        await exercise.root.getByRole("tooltip").waitFor();
      }
      assert.equal(await overflow(), 0);
      assert.equal(await inner(), 0);
    }
  });

  test("the columns are side by side only if there is room", async () => {
    const exercise = await open();
    const sideBySide = async () => {
      const code = (await exercise.root.locator(".ots-code").boundingBox())!;
      const verdict = (await exercise.root.locator(".ots-verdict-pane").boundingBox())!;
      return verdict.y < code.y + code.height / 2 && verdict.x > code.x;
    };
    assert.equal(await sideBySide(), true);
    await book.page.setViewportSize({ width: 700, height: 900 });
    assert.equal(await sideBySide(), false);
  });
});
