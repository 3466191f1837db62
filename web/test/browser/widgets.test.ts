// Exercises and verdicts in a real browser.

import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { page as bookPage, THEME_NAMES } from "../stand-in/page.ts";
import { event, type Answer, type Request } from "../stand-in/server.ts";
import {
  BROKEN,
  BUILD_ERROR,
  FAILED_TESTS,
  PASS,
  POLICY_ERROR,
  SOLUTION,
  STARTER,
  TWO_ALLOCATIONS,
} from "../stand-in/verdicts.ts";
import { faintTexts } from "./contrast.ts";
import { ExercisePage } from "./exercise-page.ts";
import { inBrowser } from "./harness.ts";

/** Answers as a runner that knows these texts. */
function runner({ path, body }: Request): Answer | undefined {
  if (path === "/fmt")
    return { body: { Body: new URLSearchParams(body).get("body")!.replace("  :=", " :="), Error: "" } };
  if (path !== "/check") return undefined;
  const text = (JSON.parse(body) as { files: Record<string, string> }).files["stream.go"]!;
  if (text === SOLUTION) return { body: PASS };
  if (text === BROKEN) return { body: BUILD_ERROR };
  if (text.includes("return // too early")) return { body: FAILED_TESTS };
  return { body: TWO_ALLOCATIONS };
}

inBrowser("exercises and pictures", runner, (book) => {
  const open = () => ExercisePage.open(book.page, book.url, "exercise1");

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
      await book.page.getByText("exercises/exercise1/stream.go").isVisible(),
      false,
      "the static listing goes",
    );
    assert.match(
      (await exercise.root.locator(".ots-allocs").textContent()) ?? "",
      /passed to io\.ReadAtLeast, which keeps it/,
    );
  });

  test("a mark gives its reason on hover and on focus, and Escape puts it away", async () => {
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

  test("a failed test shows its input, what it got and what it wants, and leads to its line; the log is folded", async () => {
    const exercise = await open();
    await exercise.type(STARTER.replace("return\n", "return // too early\n"));
    assert.equal(await exercise.checked(), "2 of 6 tests fail");
    const failed = exercise.root.locator(".ots-failures > li");
    assert.deepEqual(await failed.locator(".ots-failure-name").allTextContents(), ["TestNearMiss", "TestEnd"]);
    assert.deepEqual(await failed.first().locator("dt").allTextContents(), ["data", "find", "got", "want"]);
    assert.deepEqual(await failed.first().locator("dd").allTextContents(), ['"aaab"', '"aab"', '"aaab"', '"a-"']);
    assert.equal(await exercise.root.locator(".ots-output").isVisible(), false);
    assert.equal(await failed.nth(1).getByText("the last 3 bytes").isVisible(), false, "one is enough to begin with");
    await failed.first().getByRole("button", { name: "line 58" }).click();
    await exercise.editor.getByText("func TestNearMiss").waitFor();
    assert.equal(
      await exercise.root.locator(".ots-file[aria-pressed=true]").textContent(),
      "stream_test.go, read only",
    );
    await exercise.root.getByText("Output of the tests").click();
    assert.match((await exercise.root.locator(".ots-output").textContent()) ?? "", /want: "a-"/);
  });

  test("tests and benchmark stand beside the code, to read", async () => {
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

  test("the editor opens with the function in view, and the page stays where it is", async () => {
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
  });

  test("a refused import names no release, since no compiler was asked", async () => {
    book.post = () => ({ body: POLICY_ERROR });
    const exercise = await open();
    assert.equal(await exercise.checked(), "Uses what this exercise does not allow");
    assert.equal(await exercise.root.locator(".ots-measured").count(), 0);
    assert.doesNotMatch((await exercise.root.locator(".ots-over").textContent()) ?? "", /\//);
  });

  test("the solution is fetched after the pass, and shown as a difference with the likely mistakes", async () => {
    const fetched: string[] = [];
    book.page.on("request", (r) => fetched.push(new URL(r.url()).pathname));
    const exercise = await open();
    await exercise.checked();
    const solution = exercise.root.locator(".ots-solution");
    assert.equal(await solution.isVisible(), false);
    assert.ok(!fetched.some((path) => path.endsWith("solution.json")), fetched.join());
    await exercise.type(SOLUTION);
    await exercise.checked();
    await solution.getByText("One solution, beside yours").waitFor();
    assert.deepEqual(await solution.locator(".ots-diff").first().locator(".is-new code").allTextContents(), [
      "\t// The solution's own words.\n",
    ]);
    assert.equal(await solution.locator(".ots-diff").first().locator(".is-gone").count(), 0);
    await solution.getByText("A value in place of the pointer").click();
    await solution.getByText("The variable goes where its address goes.").waitFor();
    assert.match((await exercise.root.locator(".ots-gains").textContent()) ?? "", /lets a value stay on the stack/);
  });

  test("after the last one that was open, the pass says so", async () => {
    await book.page.addInitScript(() =>
      localStorage.setItem("onthestack/1/exercise2", JSON.stringify({ starter: "", hints: 0, passed: true })),
    );
    const exercise = await open();
    await exercise.type(SOLUTION);
    await exercise.checked();
    await exercise.root.getByText("all exercises have passed").waitFor();
  });

  test("two tabs with different edits: neither is lost, and the reader chooses", async () => {
    const exercise = await open();
    const other = await ExercisePage.open(await book.context.newPage(), book.url, "exercise1");
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
    const again = await ExercisePage.open(await book.context.newPage(), book.url, "exercise1");
    await notice(again).waitFor();
    const shown = await again.text();
    await again.button("Show the other edit").click();
    const swapped = await again.text();
    assert.deepEqual([shown, swapped].map((text) => /package (\w+)/.exec(text)?.[1]).sort(), ["first", "second"]);
    await again.button("Forget the other edit").click();
    await notice(again).waitFor({ state: "detached" });
  });

  test("a pass says what was saved and leads on; fewer than last time is said", async () => {
    const exercise = await open();
    await exercise.checked();
    await exercise.type(SOLUTION);
    await book.page.keyboard.press("Control+Enter");
    await exercise.headline.getByText("Passed").waitFor();
    const gains = exercise.root.locator(".ots-gains");
    assert.match((await gains.textContent()) ?? "", /2 → 1 allocs\/op, 112 → 64 B\/op/);
    assert.equal(await gains.getByRole("link", { name: "Know the size" }).getAttribute("href"), "#exercise2");
    assert.equal(
      await exercise.root.locator(".ots-progress").textContent(),
      "1 alloc/op fewer than at the last check (2 → 1)",
    );
    assert.equal(await exercise.root.locator(".ots-done").isVisible(), true);
  });

  test("a pass without the race detector that the exercise asks for is provisional", async () => {
    const tests = { ...PASS.tests, race: "not run: the sandbox has no race detector" };
    book.post = () => ({ body: { ...PASS, tests, provisional: "the tests did not run with -race" } });
    const exercise = await open();
    await exercise.checked();
    await exercise.root.locator(".is-pass .ots-headline").getByText("Passed, provisionally").waitFor();
    await exercise.root
      .getByText(
        "Provisional pass. Not run with -race: the sandbox has no race detector. A data race may be left. In the clone, go run ./tools/checkalloc exercise1 runs the tests with it.",
      )
      .waitFor();
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

  test("a verdict on another text is not shown again", async () => {
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

  test("a static host is not a runner, and editing goes on", async () => {
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

  test("a server that went away is said in the same words", async () => {
    const exercise = await open();
    await book.context.setOffline(true);
    await exercise.checked();
    assert.match((await exercise.notice.textContent()) ?? "", /The server does not answer/);
  });

  test("a page opened from disk has an editor, and says what a check needs", async () => {
    const file = join(process.env["OTS_BOOK"]!, "from-disk.html");
    await writeFile(
      file,
      bookPage().replaceAll('"/book/widgets', '"widgets').replace('path_to_root = "../"', 'path_to_root = ""'),
    );
    const exercise = await ExercisePage.open(book.page, `file://${file}`, "exercise1");
    await exercise.checked();
    assert.match((await exercise.notice.textContent()) ?? "", /opened from a file.*make serve/);
  });

  test("a busy runner is waited for, and what it refuses is shown", async () => {
    let asked = 0;
    book.post = (request) =>
      asked++ === 0 ? { status: 503, headers: { "Retry-After": "1" }, body: { error: "busy" } } : runner(request);
    const exercise = await open();
    await exercise.check.click();
    await exercise.root.locator(".ots-status").getByText("The runner is busy, trying again in 1 s").waitFor();
    await exercise.headline.getByText("Not yet").waitFor();
    assert.equal(asked, 2);

    book.post = () => ({ status: 413, body: { error: "the files are over 64 KiB" } });
    await exercise.check.click();
    await exercise.notice.getByText("the files are over 64 KiB").waitFor();
  });

  /** Returns the stages of the rail, such as "policy ok". */
  const stages = (exercise: ExercisePage) =>
    exercise.root.locator(".ots-stages > li").evaluateAll((items) => items.map((li) => li.textContent!.trim()));
  const untilStages = (exercise: ExercisePage, want: string[]) =>
    exercise.page.waitForFunction(
      (want) =>
        [...document.querySelectorAll("#exercise1 .ots-stages > li")].map((li) => li.textContent!.trim()).join() ===
        want,
      want.join(),
    );

  test("stages come in as they finish, where the verdict will have them, and nothing moves", async () => {
    let accept = "";
    book.post = (request) => {
      accept = request.accept;
      const over = (stage: string) => event("stage", { stage });
      return {
        stream: [
          event("queued", { position: 2 }),
          400,
          over("policy"),
          400,
          over("build"),
          over("tests"),
          400,
          event("verdict", TWO_ALLOCATIONS),
        ],
      };
    };
    const exercise = await open();
    const places = async () => {
      const box = (selector: string) => exercise.root.locator(selector).first().boundingBox();
      return { headline: await box(".ots-headline"), rail: await box(".ots-stages") };
    };
    assert.deepEqual(await stages(exercise), ["policy", "build", "tests", "benchmark"]);
    assert.equal(await exercise.headline.textContent(), "Not checked yet");
    const before = await places();
    await exercise.check.click();
    await exercise.headline.getByText("Waiting, number 2 in the queue").waitFor();
    assert.deepEqual(await places(), before);
    await untilStages(exercise, ["policy ok", "build building…", "tests", "benchmark"]);
    assert.equal(await exercise.headline.textContent(), "Checking…");
    assert.deepEqual(await places(), before);
    await untilStages(exercise, ["policy ok", "build ok", "tests ok", "benchmark measuring…"]);
    assert.deepEqual(await places(), before);
    assert.equal(
      await exercise.root.getByRole("status").textContent(),
      "Checking…",
      "what is over within two seconds is not announced",
    );
    await untilStages(exercise, ["policy ok", "build ok", "tests 6 of 6", "benchmark not yet"]);
    assert.equal(await exercise.headline.textContent(), "Not yet: 2 allocs/op, target 1");
    assert.deepEqual((await places()).rail, before.rail);
    assert.equal(await exercise.marks.count(), 2);
    assert.equal(accept, "text/event-stream");
    assert.match((await exercise.root.getByRole("status").textContent()) ?? "", /^Not yet/);
  });

  test("a check whose place was given away is sent again, and what was told of it is taken back", async () => {
    const bodies: string[] = [];
    const over = (stage: string) => event("stage", { stage });
    const answers: Answer[] = [
      {
        stream: [
          event("queued", { position: 2 }),
          600,
          event("busy", { seconds: 1, error: "too many requests are waiting" }),
        ],
      },
      { stream: [over("policy"), over("build"), 600, event("busy", { seconds: 1, error: "the runner is stopping" })] },
      { stream: [over("policy"), 600, event("verdict", TWO_ALLOCATIONS)] },
    ];
    book.post = (request) => (bodies.push(request.body), answers[bodies.length - 1]);
    const exercise = await open();
    const nothing = ["policy", "build", "tests", "benchmark"];
    const waits = exercise.root.locator(".ots-status").getByText("The runner is busy, trying again in 1 s");
    await exercise.check.click();
    await exercise.headline.getByText("Waiting, number 2 in the queue").waitFor();
    await waits.waitFor();
    assert.equal(await exercise.headline.textContent(), "Checking…");
    await untilStages(exercise, ["policy ok", "build ok", "tests running…", "benchmark"]);
    await untilStages(exercise, nothing);
    assert.equal(await waits.isVisible(), true);
    assert.equal(await exercise.root.getByRole("status").textContent(), "The runner is busy, trying again in 1 s");
    await untilStages(exercise, ["policy ok", "build building…", "tests", "benchmark"]);
    await exercise.headline.getByText("Not yet").waitFor();
    assert.equal(bodies.length, 3);
    assert.equal(new Set(bodies).size, 1);
    assert.equal(await exercise.notice.count(), 0);
  });

  test("a check that loses its place under way waits again, and its stages are told anew", async () => {
    const over = (stage: string) => event("stage", { stage });
    book.post = () => ({
      stream: [
        over("policy"),
        over("build"),
        600,
        event("queued", { position: 3 }),
        600,
        over("policy"),
        600,
        event("verdict", TWO_ALLOCATIONS),
      ],
    });
    const exercise = await open();
    await exercise.check.click();
    await untilStages(exercise, ["policy ok", "build ok", "tests running…", "benchmark"]);
    await exercise.headline.getByText("Waiting, number 3 in the queue").waitFor();
    assert.deepEqual(await stages(exercise), ["policy", "build", "tests", "benchmark"]);
    await untilStages(exercise, ["policy ok", "build building…", "tests", "benchmark"]);
    await exercise.headline.getByText("Not yet").waitFor();
  });

  test("a stage that fails is never shown as over and well", async () => {
    await book.page.addInitScript(() => {
      const seen: string[] = ((globalThis as { seen?: string[] }).seen = []);
      new MutationObserver(() =>
        seen.push(document.querySelector("#exercise1 .ots-stages > li:nth-child(2)")?.textContent ?? ""),
      ).observe(document, { subtree: true, childList: true });
    });
    book.post = () => ({
      stream: [
        event("stage", { stage: "policy" }),
        300,
        event("stage", { stage: "build" }),
        event("verdict", BUILD_ERROR),
      ],
    });
    const exercise = await open();
    await exercise.check.click();
    await exercise.headline.getByText("Does not compile").waitFor();
    const seen = await book.page.evaluate(() => [...new Set((globalThis as { seen?: string[] }).seen)]);
    assert.ok(seen.includes("build building…") && seen.includes("build failed"), seen.join());
    assert.ok(!seen.includes("build ok"), seen.join());
  });

  test("a long check says once in a while what it is at", async () => {
    book.post = () => ({
      stream: [
        event("stage", { stage: "policy" }),
        2200,
        event("stage", { stage: "build" }),
        3000,
        event("verdict", PASS),
      ],
    });
    const exercise = await open();
    await exercise.check.click();
    await exercise.root.getByRole("status").getByText("policy ok, build ok, tests running…").waitFor();
  });

  test("while a check is under way the last verdict stays, and comes back where there is no newer one", async () => {
    const exercise = await open();
    await exercise.type(SOLUTION);
    await exercise.checked();
    const settled = await stages(exercise);
    book.post = () => ({ stream: [event("stage", { stage: "policy" }), 5000, event("verdict", PASS)] });
    await exercise.check.click();
    await untilStages(exercise, ["policy ok", "build building…", "tests", "benchmark"]);
    assert.equal(await exercise.root.locator(".ots-alloc").count(), 1);
    assert.deepEqual((await faintTexts(book.page, ".ots-widget")).faint, []);
    await exercise.button("Cancel").click();
    await exercise.headline.getByText("Passed").waitFor();
    assert.deepEqual(await stages(exercise), settled);
    assert.equal(await exercise.root.locator(".is-checking").count(), 0);

    book.post = () => ({
      stream: [
        event("stage", { stage: "policy" }),
        event("error", { error: "the runner could not do this; its log says why" }),
      ],
    });
    await exercise.check.click();
    await exercise.notice.getByText("the runner could not do this; its log says why").waitFor();
    assert.deepEqual(await stages(exercise), settled);

    book.post = () => ({ stream: [event("stage", { stage: "policy" })] });
    await exercise.check.click();
    await exercise.notice.getByText("The answer ended before its verdict. Press Check again.").waitFor();
  });

  test("a check says that it is under way and can be canceled", async () => {
    book.post = (request) => ({ ...runner(request)!, after: 5000 });
    const exercise = await open();
    await exercise.check.click();
    await exercise.button("Checking…").waitFor();
    await exercise.button("Cancel").click();
    await exercise.root.locator(".ots-status").getByText("Canceled").waitFor();
    assert.equal(await exercise.check.evaluate((e) => e === document.activeElement), true);
  });

  test("blocked storage is said, and everything else works", async () => {
    await book.page.addInitScript(() => {
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

  test("another tab's edit arrives where nobody is typing", async () => {
    const exercise = await open();
    const other = await ExercisePage.open(await book.context.newPage(), book.url, "exercise1");
    await other.type("package other\n");
    await exercise.editor.getByText("package other").waitFor();
    assert.match(await exercise.text(), /package other/);
  });

  test("typing turns no pages, Tab indents, and Escape then Tab leaves", async () => {
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

  test("a printed verdict takes the place of its text", async () => {
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

  test("the editor is fetched only when an exercise comes near", async () => {
    const scripts: string[] = [];
    book.page.on("request", (r) => scripts.push(new URL(r.url()).pathname));
    await book.page.setViewportSize({ width: 1440, height: 300 });
    await book.page.addInitScript(() => {
      document.addEventListener("DOMContentLoaded", () =>
        document.querySelector("h1")!.setAttribute("style", "margin-bottom: 3000px"),
      );
    });
    await book.page.goto(book.url);
    await book.page.waitForTimeout(300);
    assert.equal(scripts.includes("/book/widgets/editor.js"), false);
    await book.page.locator("#exercise1").scrollIntoViewIfNeeded();
    await book.page.locator(".cm-content").waitFor();
    assert.equal(scripts.includes("/book/widgets/editor.js"), true);
  });

  test("nothing makes the page scroll sideways at 360 px", async () => {
    await book.fresh({ viewport: { width: 360, height: 740 } });
    const exercise = await open();
    const overflow = () => book.page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    const inner = () => book.page.locator(".content").evaluate((e) => e.scrollWidth - e.clientWidth);
    for (const text of [STARTER, BROKEN, SOLUTION]) {
      await exercise.type(text);
      await exercise.checked();
      await book.page.waitForTimeout(50);
      if ((await exercise.marks.count()) > 0) {
        await exercise.marks.first().focus();
        await exercise.root.getByRole("tooltip").waitFor();
      }
      assert.equal(await overflow(), 0);
      assert.equal(await inner(), 0);
    }
  });

  test("the columns stand side by side only where there is room", async () => {
    const exercise = await open();
    const sideBySide = async () => {
      const work = (await exercise.root.locator(".ots-work").boundingBox())!;
      const beside = (await exercise.root.locator(".ots-beside").boundingBox())!;
      return beside.y < work.y + work.height / 2 && beside.x > work.x;
    };
    assert.equal(await sideBySide(), true);
    await book.page.setViewportSize({ width: 700, height: 900 });
    assert.equal(await sideBySide(), false);
  });

  for (const name of THEME_NAMES) {
    test(`text in the ${name} theme has the contrast of WCAG AA`, async () => {
      book.theme = name;
      const exercise = await open();
      await exercise.type(BROKEN);
      await exercise.checked();
      await exercise.button("Hint 1 of 3").click();
      const broken = await faintTexts(book.page, ".ots-widget, .ots-picture");
      await exercise.type(SOLUTION);
      await exercise.checked();
      await exercise.marks.first().focus();
      const passed = await faintTexts(book.page, ".ots-widget");
      await exercise.type(STARTER);
      const stale = await faintTexts(book.page, ".ots-widget");
      assert.deepEqual([...broken.faint, ...passed.faint, ...stale.faint], []);
      assert.ok(broken.seen > 60 && passed.seen > 60, `only ${broken.seen} and ${passed.seen} texts were looked at`);
    });
  }
});
