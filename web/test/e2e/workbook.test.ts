// The workbook as a reader has it: the built book, the real runner, a real browser.

import assert from "node:assert/strict";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { launchChromium } from "../browser/chromium.ts";
import { ExercisePage } from "../browser/exercise-page.ts";
import { startRunner, type Runner } from "./runner.ts";

const root = process.env["OTS_ROOT"]!;
const exercises = "/book/memory-profiling/exercises.html";
const shots = join(root, ".cache", "screenshots");

describe("the workbook", () => {
  let browser: Browser;
  let runner: Runner;
  let context: BrowserContext;
  let page: Page;
  const errors: string[] = [];

  before(async () => {
    await mkdir(shots, { recursive: true });
    runner = await startRunner(join(root, ".cache/bin/runner"), join(root, "public/book"));
    browser = await launchChromium();
    context = await browser.newContext({ viewport: { width: 1440, height: 1000 } });
    page = await watched(context);
  });
  after(async () => {
    await browser?.close();
    await runner?.stop();
  });

  async function watched(context: BrowserContext): Promise<Page> {
    const page = await context.newPage();
    page.on("pageerror", (error) => errors.push(String(error)));
    page.on("console", (message) => {
      if (message.type() === "error") errors.push(message.text());
    });
    page.on("response", (response) => {
      if (response.status() >= 400) errors.push(`${response.status()} ${response.url()}`);
    });
    return page;
  }

  const solution = (exercise: string, file: string) => readFile(join(root, "solutions", exercise, file), "utf8");

  test("the front door leads to the introduction, with a verdict as picture", async () => {
    await page.goto(runner.url + "/");
    await page.locator(".ots-verdict").first().waitFor();
    assert.match((await page.locator(".ots-verdict").first().textContent()) ?? "", /bytes\.NewBuffer/);
    await page.screenshot({ path: join(shots, "introduction.png") });
  });

  test("a starter misses its target, and the allocating lines are marked", async () => {
    const exercise = await ExercisePage.open(page, runner.url + exercises, "exercise1");
    await exercise.checked();
    await exercise.marks.nth(1).waitFor();
    assert.equal(await exercise.marks.count(), 2);
    await exercise.root.screenshot({ path: join(shots, "exercise1-not-yet.png") });
  });

  test("broken code shows the compiler's error at its line, the solution passes, and the edit is kept", async () => {
    let exercise = await ExercisePage.open(page, runner.url + exercises, "exercise1");
    const answer = await solution("exercise1", "stream.go");
    const lines = answer.split("\n");
    const broken = lines.findIndex((line) => line.includes("output.Write(repl)"));
    assert.notEqual(broken, -1, "the solution writes repl somewhere");
    lines[broken] = lines[broken]!.replace("repl", "replacement");
    await exercise.type(lines.join("\n"));
    await exercise.checked();
    const told = (await exercise.root.textContent()) ?? "";
    assert.match(told, /undefined: replacement/);
    assert.ok(told.includes(String(broken + 1)), `line ${broken + 1} is named`);

    await exercise.type(answer);
    const headline = await exercise.checked();
    assert.match(headline, /pass/i);
    assert.match((await exercise.root.textContent()) ?? "", /2 → 1/);
    await exercise.root.screenshot({ path: join(shots, "exercise1-passed.png") });

    exercise = await ExercisePage.open(page, runner.url + exercises, "exercise1");
    await page.reload();
    exercise = await ExercisePage.open(page, runner.url + exercises, "exercise1");
    assert.ok((await exercise.text()).includes(answer.split("\n")[0]!), "the edit is still there");
    await exercise.checked();
    assert.match((await exercise.headline.textContent()) ?? "", /pass/i);
  });

  for (const [id, file] of [["exercise2", "window.go"], ["exercise3", "scan.go"]] as const) {
    test(`${id} passes with its solution`, async () => {
      const exercise = await ExercisePage.open(page, runner.url + exercises, id);
      await exercise.type(await solution(id, file));
      assert.match(await exercise.checked(), /pass/i);
    });
  }

  test("a program runs and shows what it prints", async () => {
    await page.goto(runner.url + "/book/memory-profiling/program.html");
    const program = page.locator(".ots-program").first();
    await program.getByRole("button", { name: "Run" }).click();
    await program.getByText("*****").first().waitFor();
  });

  test("no page shows a directive, and none calls another host", async () => {
    const summary = await readFile(join(root, "book/SUMMARY.md"), "utf8");
    const pages = [...summary.matchAll(/\]\(([^)]+)\.md\)/g)].map((match) => match[1]!.replace(/README$/, "index"));
    assert.ok(pages.length > 5, "SUMMARY.md lists the pages");
    const foreign: string[] = [];
    const note = (request: { url(): string }) => {
      if (!request.url().startsWith(runner.url) && !request.url().startsWith("data:")) foreign.push(request.url());
    };
    page.on("request", note);
    for (const name of pages) {
      await page.goto(`${runner.url}/book/${name}.html`);
      const text = (await page.locator("main").textContent()) ?? "";
      assert.ok(!text.includes("{{#"), `${name} shows a directive`);
    }
    page.off("request", note);
    assert.deepEqual(foreign, []);
  });

  for (const [name, width, theme] of [["light", 1440, "light"], ["dark", 1440, "navy"], ["phone", 390, "light"], ["phone-dark", 390, "coal"]] as const) {
    test(`it fits and can be looked at: ${name}`, async () => {
      const context = await browser.newContext({ viewport: { width, height: 900 } });
      await context.addInitScript((theme) => localStorage.setItem("mdbook-theme", theme), theme);
      const page = await watched(context);
      for (const path of ["introduction", "memory-profiling/profile", "memory-profiling/stack-frames"]) {
        await page.goto(`${runner.url}/book/${path}.html`);
        assert.ok(await fits(page), `${path} scrolls sideways at ${width} px`);
        await page.screenshot({ path: join(shots, `${path.replace("/", "-")}-${name}.png`), fullPage: true });
      }
      const exercise = await ExercisePage.open(page, runner.url + exercises, "exercise1");
      await exercise.checked();
      assert.ok(await fits(page), `the exercises scroll sideways at ${width} px`);
      await exercise.root.screenshot({ path: join(shots, `exercise1-${name}.png`) });
      await context.close();
    });
  }

  /** Whether the page is no wider than its window. */
  const fits = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth);

  test("nothing went wrong in the pages", () => assert.deepEqual(errors, []));

  test("a runner that is gone is said in plain words", async () => {
    const exercise = await ExercisePage.open(page, runner.url + exercises, "exercise1");
    await runner.stop();
    await exercise.check.click();
    await exercise.root.getByText("make serve").first().waitFor();
    runner = await startRunner(join(root, ".cache/bin/runner"), join(root, "public/book"));
  });
});
