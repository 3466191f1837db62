// A workbook on a static host, with no network after the first check: exercises of several chapters are solved offline,
// with the same verdicts as on the command line.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { launchChromium, UNOPTIMIZED } from "../browser/chromium.ts";
import { ExercisePage } from "../browser/exercise-page.ts";
import { root } from "../e2e/site.ts";
import { exercisesOf, type Exercise } from "../e2e/workbook.ts";
import { PATH, tree } from "../site/site-below.ts";
import { sampleOf } from "../sample.ts";
import { StaticHost } from "../static-host.ts";
import { essence, verdictsOf } from "./verdicts.ts";
import type { Verdict } from "../../src/go/runner.ts";

describe("a workbook without a network", () => {
  let host: StaticHost;
  let browser: Browser;
  let page: Page;
  let exercises: Exercise[];
  before(async () => {
    exercises = await exercisesOf(root);
    host = await StaticHost.start(tree, PATH);
    browser = await launchChromium(UNOPTIMIZED);
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, reducedMotion: "reduce" });
    page = await context.newPage();
    page.setDefaultTimeout(120_000);
  });
  after(async () => {
    await browser?.close();
    await host?.stop();
  });

  /** Records the verdicts that the engine sends to the page. */
  const watch = () =>
    page.addInitScript(() => {
      const seen: unknown[] = [];
      Object.assign(globalThis, { seenVerdicts: seen });
      const parse = JSON.parse;
      JSON.parse = (text: string, ...rest: []) => {
        const value: unknown = parse(text, ...rest);
        if (typeof value === "object" && value !== null && "schema" in value && value.schema === "checkalloc/verdict/1")
          seen.push(value);
        return value;
      };
    });

  test("the first check says what it fetches, and fetches it when asked", async () => {
    await watch();
    await page.goto(host.url);
    await page.getByRole("navigation", { name: "Site" }).getByRole("link", { name: "Exercises", exact: true }).click();
    await page
      .locator("main")
      .getByRole("link", { name: /Hand back the interface/ })
      .first()
      .click();
    const shown = new ExercisePage(page, "exercise6");
    await shown.root.scrollIntoViewIfNeeded();
    await shown.check.click();
    const agree = shown.button(/^Fetch \d+\.\d MB and check$/);
    await agree.waitFor();
    assert.ok(
      !host.sent.some(({ path, bytes }) => /\.(wasm|pack)/.test(path) && bytes > 0),
      "it was fetched before the reader agreed",
    );
    await agree.click();
    await shown.headline.filter({ hasText: /Fetching Go's compiler, \d+ % of/ }).waitFor();
    await shown.headline.filter({ hasText: /^Not yet/ }).waitFor();
    await shown.root.locator(".ots-status", { hasText: "the workbook now works without a network" }).waitFor();
    const parts = host.sent
      .filter(({ path, bytes }) => path.includes("/engine/") && /\.gz$/.test(path) && bytes > 0)
      .map(({ path }) => path);
    assert.equal(parts.length, 5, `the parts come compressed, once each: ${parts.join(", ")}`);
    host.network = "cut";
  });

  test("an exercise of each chapter is solved", async () => {
    const native = await verdictsOf("solution");
    const chapters = [...new Set(exercises.map(({ chapter }) => chapter))];
    assert.ok(chapters.length >= 5);
    for (const chapter of sampleOf(chapters, 3, (chapter) => chapter)) {
      const i = exercises.findIndex((exercise) => exercise.chapter === chapter);
      const exercise = exercises[i]!;
      const shown = await ExercisePage.open(page, `${host.url}book/${exercise.page}`, exercise.id);
      const [[name, text], ...more] = Object.entries(exercise.solution) as [[string, string], ...[string, string][]];
      assert.deepEqual(more, [], `${exercise.id} has several files`);
      await shown.type(text);
      await shown.check.click();
      await shown.headline.filter({ hasText: /^(Passed|Not yet|The )/ }).waitFor();
      assert.match((await shown.headline.textContent())!, /^Passed/, `${exercise.id}, ${name}`);
      const seen = await page.evaluate(() =>
        (globalThis as unknown as { seenVerdicts: unknown[] }).seenVerdicts.at(-1),
      );
      assert.deepEqual(
        essence(seen as Verdict),
        essence(native[i]!),
        `${exercise.id}: the page and the command line differ`,
      );
    }
  });

  test("an exercise that does not pass shows the reasons at its lines", async () => {
    const shown = await ExercisePage.open(page, `${host.url}book/${exercises[1]!.page}`, exercises[1]!.id);
    await shown.type(Object.values(exercises[1]!.starter)[0]!);
    await shown.check.click();
    await shown.headline.filter({ hasText: /^Not yet/ }).waitFor();
    assert.ok((await shown.marks.count()) > 0);
  });

  test("programs run, with their report, and are formatted", async () => {
    await page.goto(`${host.url}play/`);
    const editor = page.locator(".cm-content").first();
    await editor.waitFor();
    await editor.focus();
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.insertText(
      'package main\nimport ("fmt"; "time"; "os")\n' +
        'func main() { x := new(int); fmt.Println("sleeps", *x, time.Now().Year()); time.Sleep(time.Hour); ' +
        'fmt.Fprintln(os.Stderr, "woke") }\n',
    );
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await page.locator(".ots-output").filter({ hasText: "sleeps 0 2009" }).waitFor();
    await page.getByRole("button", { name: "Report", exact: true }).click();
    await page
      .getByText(/escapes to heap|does not escape/)
      .first()
      .waitFor();
    await page.getByRole("button", { name: "Format", exact: true }).click();
    await page
      .getByText(/^Formatted$/)
      .first()
      .waitFor();
  });

  test("tests run, too", async () => {
    const editor = page.locator(".cm-content").first();
    await editor.focus();
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.insertText(
      'package main\n\nimport "testing"\n\nfunc TestSum(t *testing.T) {\n\tif 1+1 != 3 {\n\t\tt.Error("not three")\n' +
        '\t}\n}\n',
    );
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await page.locator(".ots-output").filter({ hasText: "not three" }).waitFor();
  });

  test("a program in the book runs, and the history can be read", async () => {
    await page.goto(`${host.url}book/reading-the-compiler/flows.html`);
    const program = page.locator(".ots-program").first();
    await program.scrollIntoViewIfNeeded();
    await program.getByRole("button", { name: "Report", exact: true }).click();
    await program.locator(".ots-report-pane").waitFor();
    await page.goto(`${host.url}history/`);
    await page.getByRole("heading", { level: 1 }).waitFor();
    const asked = host.sent.length;
    await page.reload();
    await page.getByRole("heading", { level: 1 }).waitFor();
    assert.equal(host.sent.length, asked, "the host was gone, and yet sent something");
  });
});
