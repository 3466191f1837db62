// The reader's progress on the list of exercises, and as a file.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { exercisesPage, row } from "../stand-in/exercises.ts";
import { EXERCISE, PASS, TWO_ALLOCATIONS } from "../stand-in/verdicts.ts";
import { ExercisePage } from "./exercise-page.ts";
import { inBrowser } from "./harness.ts";

const GOLDEN = `${process.env["OTS_ROOT"]}internal/workspace/testdata/progress.json`;

inBrowser(
  "progress",
  ({ body }) => ({ body: body.includes("solved") ? PASS : TWO_ALLOCATIONS }),
  (book) => {
    const reached = async (id: string) =>
      (await book.page.locator(`[data-exercise="${id}"]`).allInnerTexts()).map((t) => t.replace(/\s+/g, " ").trim());
    const sum = () => book.page.locator(".ots-so-far").innerText();
    const status = () => book.page.getByRole("status");
    const file = (text: string | Buffer, name = "progress.json") => ({
      name,
      mimeType: "application/json",
      buffer: Buffer.from(text),
    });

    /** Opens another tab of the same browser, with an exercise. */
    async function exerciseTab(): Promise<ExercisePage> {
      const edit = book.edit;
      book.edit = (html) => html;
      const exercise = await ExercisePage.open(await book.context.newPage(), book.url, EXERCISE.exercise);
      book.edit = edit;
      return exercise;
    }

    async function open(): Promise<void> {
      book.edit = () => exercisesPage();
      await book.page.goto(book.url);
      await book.page.getByRole("button", { name: "Export" }).waitFor();
    }

    /** Presses Import…, chooses a file, and returns the message about it. */
    async function importFile(chosen: ReturnType<typeof file>): Promise<string> {
      const chooser = book.page.waitForEvent("filechooser");
      await book.page.getByRole("button", { name: "Import…" }).click();
      await (await chooser).setFiles(chosen);
      await status().getByText(chosen.name).first().waitFor();
      return (await status().innerText()).trim();
    }

    async function exported(): Promise<string> {
      const download = book.page.waitForEvent("download");
      await book.page.getByRole("button", { name: "Export" }).click();
      assert.equal((await download).suggestedFilename(), "progress.json");
      return readFile(await (await download).path(), "utf8");
    }

    test("each row and the sum follow changes of another tab", async () => {
      await open();
      assert.equal((await sum()).trim(), "0 of 3 passed. Start: Hand back the interface");
      assert.deepEqual(await reached("exercise6"), ["not started", "not started"]);
      await book.page.getByRole("button", { name: "Export" }).click();
      await status().getByText("There is nothing to export yet").waitFor();

      const exercise = await exerciseTab();
      assert.deepEqual(
        await reached("exercise6"),
        ["not started", "not started"],
        "an editor that is there is no beginning",
      );
      await exercise.checked();
      await book.page.locator(".ots-reached").getByText("started", { exact: true }).first().waitFor();
      assert.deepEqual(await reached("exercise6"), Array(2).fill("started at 2 allocs/op, 112 B/op"));
      await exercise.type("package stream // solved\n");
      assert.equal(await exercise.checked(), "Passed");
      await book.page.locator(".ots-reached").getByText("passed").first().waitFor();
      assert.deepEqual(await reached("exercise6"), Array(2).fill("passed at 1 alloc/op, 64 B/op"));
      assert.equal((await sum()).trim(), "1 of 3 passed. Next: Know the size");
      assert.match((await book.page.locator(".ots-so-far a").getAttribute("href"))!, /\/exercises\/exercise7\/$/);

      const { schema, exercises } = JSON.parse(await exported());
      assert.equal(schema, "checkalloc/progress/2");
      assert.deepEqual(Object.keys(exercises), ["exercise6"]);
      assert.ok(Math.abs(Date.parse(exercises.exercise6.passed) - Date.now()) < 60_000, exercises.exercise6.passed);
      assert.deepEqual(exercises.exercise6.last, [{ name: "BenchmarkReplace", allocs_per_op: 1, bytes_per_op: 64 }]);
    });

    /** Stores which page was opened last. */
    const wasAt = (page: string, title: string) =>
      book.page.evaluate(
        (reading) => localStorage.setItem("onthestack/2/reading", JSON.stringify(reading)),
        { page, title, read: [] },
      );

    test("a verdict, the list and Continue name the same next exercise, also if an earlier one was left out", async () => {
      const early = { exercise: "exercise3", title: "Return a value", href: "/exercises/exercise3/" };
      const edit = book.edit;
      book.edit = (html) => html.replace('"all":[', `"all":[${JSON.stringify(early)},`);
      const exercise = await ExercisePage.open(book.page, book.url, EXERCISE.exercise);
      await exercise.type("package stream // solved\n");
      assert.equal(await exercise.checked(), "Passed");
      const next = exercise.root.locator(".ots-gains a");
      assert.equal(await next.innerText(), early.title);
      book.edit = () => exercisesPage().replace("<ol>", `<ol>${row([early.exercise, early.title])}`);
      await book.page.goto(book.url);
      await book.page.locator(".ots-so-far a").waitFor();
      assert.equal((await sum()).trim(), `1 of 4 passed. Next: ${early.title}`);

      await wasAt("../exercises/exercise6/", EXERCISE.title);
      await book.page.reload();
      await book.page.locator(".ots-so-far a").waitFor();
      assert.equal((await sum()).trim(), `1 of 4 passed. Next: ${early.title}`, "one goes on after a pass");
      const start = '<p><a class="ots-start" href="/book/introduction.html">Start reading</a></p>';
      book.edit = (html) => html.replace('"all":[', `"all":[${JSON.stringify(early)},`).replace("<h1>", `${start}$&`);
      await book.page.goto(book.url);
      const link = book.page.getByRole("link", { name: `Continue: ${early.title}` });
      assert.match((await link.getAttribute("href"))!, /\/exercises\/exercise3\/$/);
      book.edit = edit;
    });

    test("the list continues at the page where one was, and names the next exercise if that is another one", async () => {
      await open();
      for (const [page, title, want] of [
        ["", "", "Start: Hand back the interface"],
        ["introduction.html", "Introduction", "Start: Hand back the interface"],
        ["profiling/counting.html", "Counting", "Continue: Counting Next: Hand back the interface"],
        ["../exercises/exercise7/", "Know the size", "Continue: Know the size Next: Hand back the interface"],
        ["../exercises/exercise6/", "Hand back the interface", "Continue: Hand back the interface"],
      ] as const) {
        await wasAt(page, title);
        await book.page.reload();
        await book.page.locator(".ots-so-far a").first().waitFor();
        assert.equal((await sum()).trim(), `0 of 3 passed. ${want}`);
      }
      const href = await book.page.locator(".ots-so-far a").getAttribute("href");
      assert.equal(new URL(href!, book.url).pathname, "/exercises/exercise6/");
    });

    test("a pass after the solution is marked", async () => {
      await book.initially(() =>
        localStorage.setItem(
          "onthestack/2/exercise6",
          JSON.stringify({ starter: "", hints: 3, passed: true, passedAt: "2026-03-01T10:00:00Z", spoiled: true }),
        ),
      );
      await open();
      assert.deepEqual(await reached("exercise6"), Array(2).fill("passed, after the solution"));
      assert.equal(JSON.parse(await exported()).exercises.exercise6.spoiled, true);
    });

    test("a file that checkalloc wrote is imported, and exported unchanged", async () => {
      const golden = await readFile(GOLDEN, "utf8");
      await open();
      assert.equal(
        await importFile(file(golden)),
        "progress.json is imported: 1 exercise more passed. " +
        "This workbook does not have exercise10, exercise15, exercise99; " +
          "those entries are kept, and exported with the rest.",
      );
      assert.deepEqual(await reached("exercise6"), Array(2).fill("passed at 1 alloc/op, 64 B/op"));
      assert.deepEqual(await reached("exercise7"), Array(2).fill("started"));
      assert.equal(await exported(), golden);
      assert.equal(await importFile(file(`\ufeff${golden}`)), (await status().innerText()).trim());
      assert.match(
        await status().innerText(),
        /^progress.json is imported; no further exercise is passed\./,
      );
    });

    test("an import does not change the reader's text, even in an open editor", async () => {
      const exercise = await exerciseTab();
      await exercise.type("package stream // mine\n");
      await open();
      await importFile(file(await readFile(GOLDEN)));
      await exercise.checked();
      assert.match(await exercise.text(), /\/\/ mine/);
      assert.equal(await exercise.root.locator(".ots-done").isVisible(), true);
      await book.page.reload();
      await book.page.getByText("passed at 2 allocs/op, 112 B/op").first().waitFor({ state: "attached" }); // its script is loaded later
      // A later check did not pass, but the exercise remains passed.
      assert.deepEqual(await reached("exercise6"), Array(2).fill("passed at 2 allocs/op, 112 B/op"));
      const again = await exerciseTab();
      assert.match(await again.text(), /\/\/ mine/);
      await again.root.getByRole("list", { name: "Hints" }).locator("li").nth(1).waitFor();
    });

    test("an invalid file is refused with a message, and changes nothing", async () => {
      await open();
      for (const [text, why] of [
        ["checkalloc", /^progress\.json is not imported: it is not JSON \(.+\)\.$/],
        [
          '{"schema":"checkalloc/verdict/1"}',
          /^progress\.json is not imported: its schema is “checkalloc\/verdict\/1”, and this page reads “checkalloc\/progress\/2”\.$/,
        ],
        [
          '{"schema":"checkalloc/progress/2","exercises":{"exercise6":{"hints":1},"exercise7":{"passed":"yes"}}}',
          /“exercise7” is not valid: “passed” is not a time/,
        ],
        [" ".repeat((1 << 20) + 1), /^progress\.json is not imported: it is larger than 1 MiB/],
      ] as const) {
        await status().evaluate((e) => (e.textContent = ""));
        assert.match(await importFile(file(text)), why);
        assert.match((await status().getAttribute("class"))!, /is-problem/);
        assert.equal((await sum()).trim(), "0 of 3 passed. Start: Hand back the interface");
        assert.deepEqual(await reached("exercise6"), ["not started", "not started"]);
      }
      assert.match(
        await importFile(file('{"schema":"checkalloc/progress/2","exercises":{}}', "other.json")),
        /^other\.json is imported; no further exercise/,
      );
      assert.doesNotMatch((await status().getAttribute("class"))!, /is-problem/);
    });

    test("when all have passed there is no next", async () => {
      await open();
      const passed = { passed: "2026-03-01T10:00:00Z" };
      await importFile(
        file(
          JSON.stringify({
            schema: "checkalloc/progress/2",
            exercises: { exercise6: passed, exercise7: passed, exercise40: passed },
          }),
        ),
      );
      assert.equal((await sum()).trim(), "All 3 passed.");
      assert.equal(await book.page.locator(".ots-so-far-bar .is-passed").count(), 3);
    });

    test("blocked storage is reported, and no buttons are shown that need it", async () => {
      await book.initially(() => {
        Object.defineProperty(window, "localStorage", {
          get() {
            throw new DOMException("blocked", "SecurityError");
          },
        });
      });
      book.edit = () => exercisesPage();
      await book.page.goto(book.url);
      await book.page.locator(".ots-so-far").getByText("storage is blocked").waitFor();
      assert.equal(await book.page.getByRole("button").count(), 0);
      assert.equal(await book.page.getByRole("link", { name: "Know the size" }).count(), 2);
    });
  },
);
