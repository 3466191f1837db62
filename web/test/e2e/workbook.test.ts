// The workbook as readers use it: the built book, the real runner, a real browser.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { BrowserContext, Page } from "playwright-core";
import { ExercisePage } from "../browser/exercise-page.ts";
import { root, Site } from "./site.ts";
import { exercisesOf, firstWith, starterOn, type Exercise } from "./workbook.ts";

/** These are solved in the page. For the others a request suffices. */
const IN_PAGE = ["exercise6", "exercise10", "exercise14", "exercise19"];

describe("the workbook", () => {
  let site: Site;
  let context: BrowserContext;
  let page: Page;
  let exercises: Exercise[];
  let built: Map<string, string>;

  before(async () => {
    site = await Site.start();
    exercises = await exercisesOf(root);
    built = await site.pages();
    context = await site.browser.newContext({ viewport: { width: 1440, height: 1000 } });
    page = await site.open(context);
  });
  after(() => site?.stop());

  const address = (path: string) => `${site.runner.url}/book/${path}`;
  const exercise = (id: string) => exercises.find((e) => e.id === id)!;
  const onlyFile = (files: Record<string, string>) => Object.values(files)[0]!;
  const open = (id: string) => ExercisePage.open(page, address(exercise(id).page), id);

  const pageWith = (mark: string) => firstWith(built, mark);

  test("the introduction has an annotated listing", async () => {
    await page.goto(address("introduction.html"));
    await page.locator(".ots-verdict").first().waitFor();
    assert.match((await page.locator(".ots-verdict").first().textContent()) ?? "", /return make\(\[\]Order, tables\)/);
  });

  test("every exercise is on a page of its chapter", () => {
    assert.ok(exercises.length >= 17, `only ${exercises.length} exercises`);
    for (const e of exercises) {
      const html = built.get(e.page);
      assert.ok(html, `SUMMARY.md has no ${e.page}, where ${e.id} belongs`);
      assert.ok(starterOn(html, e.id), `${e.id} is not on ${e.page}`);
    }
  });

  test("every page has the starter of exercises/", () => {
    for (const e of exercises) assert.deepEqual(starterOn(built.get(e.page) ?? "", e.id), e.starter, e.id);
  });

  test("a starter misses its target, and the allocating lines are marked", async () => {
    const shown = await open("exercise6");
    await shown.checked();
    await shown.marks.nth(1).waitFor();
    assert.equal(await shown.marks.count(), 2);
  });

  test("broken code shows the compiler's error at its line, the solution passes, and the edit is kept", async () => {
    let shown = await open("exercise6");
    const answer = onlyFile(exercise("exercise6").solution);
    const lines = answer.split("\n");
    const broken = lines.findIndex((line) => line.includes("output.Write(repl)"));
    assert.notEqual(broken, -1, "the solution writes repl somewhere");
    lines[broken] = lines[broken]!.replace("repl", "replacement");
    await shown.type(lines.join("\n"));
    await shown.checked();
    const told = (await shown.root.textContent()) ?? "";
    assert.match(told, /undefined: replacement/);
    assert.ok(told.includes(String(broken + 1)), `line ${broken + 1} is named`);

    await shown.type(answer);
    assert.match(await shown.checked(), /pass/i);
    assert.match((await shown.root.textContent()) ?? "", /2 → 1/);

    await page.reload();
    shown = await open("exercise6");
    assert.ok((await shown.text()).includes(answer.split("\n")[0]!), "the edit is still there");
    await shown.checked();
    assert.match((await shown.headline.textContent()) ?? "", /pass/i);
  });

  for (const id of IN_PAGE.slice(1)) {
    test(`${id} misses its target with the starter in the page, and passes with its solution`, async () => {
      const shown = await open(id);
      assert.match(await shown.checked(), /^Not yet/);
      assert.ok((await shown.marks.count()) > 0, "no line is marked");
      await shown.type(onlyFile(exercise(id).solution));
      assert.match(await shown.checked(), /^Passed/);
    });
  }

  test("a program runs and shows what it prints", async () => {
    await page.goto(address("memory-profiling/program.html"));
    const program = page.locator(".ots-program").first();
    await program.getByRole("button", { name: "Run" }).click();
    await program.getByText("*****").first().waitFor();
  });

  test("the compiler's report is shown at the lines of a program, and of the reader's edit", async () => {
    await page.goto(address("memory-profiling/program.html"));
    const program = page.locator(".ots-program").first();
    await program.getByRole("button", { name: "Report" }).click();
    const said = program.locator(".ots-said").first();
    const line = said.locator(":scope > li", {
      has: page.locator(".ots-code-line", { hasText: "input := bytes.NewBuffer(data)" }),
    });
    assert.match((await line.textContent()) ?? "", /&bytes\.Buffer\{\.\.\.\} escapes to heap/);

    await program.getByRole("button", { name: "Edit" }).click();
    const editor = program.locator(".cm-content");
    await editor.waitFor();
    await editor.press("ControlOrMeta+a");
    await page.keyboard.insertText(
      'package main\n\nvar kept *int\n\nfunc main() {\n\tx := 1\n\tkept = &x\n\tprintln("edited")\n}\n',
    );
    await program.getByRole("button", { name: "Report" }).click();
    await said.getByText("moved to heap: x").waitFor();
    assert.equal(await said.locator(".ots-code-line").first().innerText(), "6\nx := 1");
    await program.getByRole("button", { name: "Run" }).click();
    await program.locator(".ots-stderr", { hasText: "edited" }).waitFor();

    await editor.press("ControlOrMeta+End");
    await page.keyboard.insertText("func f() int { return missing }\n");
    await program.getByRole("button", { name: "Run" }).click();
    await program.locator(".ots-errors").getByText("undefined: missing").waitFor();
    assert.equal(await program.locator("button.ots-mark").count(), 1);
    await program.getByRole("button", { name: "Reset" }).click();
    assert.equal(await program.locator("pre").first().isVisible(), true);
  });

  test("a prediction is stored", async () => {
    await page.goto(address(pageWith('<div class="ots-predict"')));
    const ask = page.locator(".ots-predict:not(.asks-bytes)").first();
    await ask.getByRole("spinbutton").fill("999");
    await page.keyboard.press("Enter");
    const words = ask.getByText(/^Measured \d+ fewer than you predicted/);
    await words.waitFor();
    await page.reload();
    await words.waitFor();
    assert.equal(await ask.locator("tbody td").first().innerText(), "999");
    await ask.getByRole("button", { name: "Predict again" }).click();
    await page.reload();
    await ask.getByRole("spinbutton").waitFor();
  });

  test("a word is searched for and found", async () => {
    await page.goto(address("introduction.html"));
    await page.locator("#mdbook-search-toggle").click();
    await page.locator("#mdbook-searchbar").pressSequentially("interface");
    const result = page.locator("#mdbook-searchresults a").first();
    await result.waitFor();
    assert.match(
      (await page.locator("#mdbook-searchresults-header").textContent()) ?? "",
      /^[1-9]\d* search results? for 'interface'/i,
    );
    await result.click();
    await page.waitForURL(/highlight=interface/);
    await page
      .locator("main mark", { hasText: /interface/i })
      .first()
      .waitFor();
  });

  test("nothing went wrong in the pages", () => {
    // The site may be built without an engine, as "make serve" serves it before that step. A page then requests the
    // manifest once.
    const others = site.errors.filter((error) => !/^404 .*\/engine\/manifest\.json$/.test(error));
    assert.deepEqual(others, []);
  });

  test("an unreachable runner is reported", async () => {
    const shown = await open("exercise6");
    await site.runner.stop();
    await shown.check.click();
    await shown.root.getByText("The server ran on this machine: start it again.").first().waitFor();
  });
});
