// Programs with the real runner: in a page of the book, shared, and on the editor's page.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { BrowserContext, Locator, Page } from "playwright-core";
import { EXAMPLES } from "../../src/play/examples.ts";
import { root, Site } from "./site.ts";
import { exercisesOf } from "./workbook.ts";

const MIXED = `package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Println("to stdout")
	fmt.Fprintln(os.Stderr, "to stderr")
	fmt.Printf("%d\\n", "no number")
	os.Exit(3)
}
`;

const ESCAPING = `package main

//go:noinline
func number() *int {
	n := 1000
	return &n
}

func main() {
	p := number()
	println(*p)
}
`;

const ENDLESS = "package main\n\nfunc main() {\n\tfor {\n\t}\n}\n";

describe("programs", () => {
  let site: Site;
  let context: BrowserContext;
  let page: Page;

  before(async () => {
    site = await Site.start();
    context = await site.browser.newContext({ viewport: { width: 1440, height: 900 } });
    page = await site.open(context);
  });
  after(() => site?.stop());

  const play = (page: Page) => page.locator(".ots-play");
  const press = (within: Locator, name: string) => within.getByRole("button", { name, exact: true }).click();
  const ending = (within: Locator, words: string | RegExp) => within.locator(".ots-ending").getByText(words).waitFor();
  const output = async (within: Locator) => (await within.locator(".ots-output").textContent()) ?? "";

  async function type(within: Locator, program: string): Promise<void> {
    const editor = within.locator(".cm-content");
    await editor.waitFor();
    await editor.press("ControlOrMeta+a");
    await within.page().keyboard.insertText(program);
  }

  /** Opens the book's first program for editing in a new tab: edits are stored as long as the tab is open. */
  async function edited(program: string): Promise<Locator> {
    await page.close();
    page = await site.open(context);
    await page.goto(`${site.runner.url}/book/memory-profiling/program.html`);
    const block = page.locator(".ots-program").first();
    await press(block, "Edit");
    await type(block, program);
    return block;
  }

  async function openPlay(page: Page, path = "/play/"): Promise<Locator> {
    await page.goto(site.runner.url + path);
    await play(page).locator(".cm-content").waitFor();
    return play(page);
  }

  test("a program is stepped through, and its address opens a step", async () => {
    const tab = await site.open(context);
    const within = await openPlay(tab);
    await type(within, ESCAPING);
    await press(within, "Step");
    const steps = within.locator(".ots-steps");
    await steps.getByRole("button", { name: "Next" }).waitFor();
    await tab.keyboard.press("End");
    await steps.locator(".ots-steps-count", { hasText: "1 alloc, 16 B so far" }).waitFor();
    const object = steps.locator(".ots-mem-heap .ots-object");
    await object.getByText("the variable n moves to the heap").waitFor();
    assert.equal(await object.count(), 1);
    assert.match(new URL(tab.url()).hash, /^#step=\d+$/);
    await tab.reload();
    await steps.locator(".ots-steps-sentence", { hasText: "the program ended" }).waitFor();
    await tab.close();
  });

  test("standard error, the exit status and go vet's findings can be told apart", async () => {
    const block = await edited(MIXED);
    await page.keyboard.press("Control+Enter");
    await ending(block, "Exited with status 3");
    assert.equal(await output(block), "to stdout\nto stderr\n%!d(string=no number)\n");
    assert.equal(await block.locator(".ots-output .ots-stderr").textContent(), "to stderr");
    const line = MIXED.split("\n").findIndex((text) => text.includes("no number")) + 1;
    await block
      .locator(".ots-notice.is-vet")
      .getByRole("button", { name: `line ${line}` })
      .waitFor();
    await block.getByRole("button", { name: new RegExp(`^Line ${line}: go vet: .*wrong type string`) }).waitFor();
  });

  test("stopping a program cancels its request, and the time limit ends one that is not stopped", async () => {
    const block = await edited(ENDLESS);
    await press(block, "Run");
    await block.getByRole("button", { name: "Stop" }).waitFor();
    await page.keyboard.press("Escape");
    await block.locator(".ots-status", { hasText: "Stopped" }).waitFor();
    await type(block, 'package main\n\nfunc main() { print("next") }\n');
    await press(block, "Run");
    await ending(block, "Exited");
    assert.equal(await output(block), "next");

    await type(block, ENDLESS);
    await press(block, "Run");
    await ending(block, "Exited with status 1");
    // On a busy machine the request may reach its limit before the program does, which goes on with low priority.
    const why = await block.locator(".ots-output .ots-stderr").textContent();
    assert.match(why ?? "", /^timeout running program( after 5s|: building and running it took longer than 25s)$/);
  });

  test("a shared program can be opened and run with its link", async () => {
    const block = await edited(MIXED);
    await press(block, "Share");
    await block.getByLabel("Link").waitFor();
    const link = await block.getByLabel("Link").inputValue();
    assert.ok(link.startsWith(`${site.runner.url}/p/`), link);
    const text = await fetch(`${link}.go`);
    assert.equal(await text.text(), MIXED);

    const other = await site.browser.newContext({ viewport: { width: 1440, height: 900 } });
    const theirs = await site.open(other);
    const shown = await openPlay(theirs, new URL(link).pathname);
    await theirs.keyboard.press("Control+Enter");
    await ending(shown, "Exited with status 3");
    assert.equal(await output(shown), "to stdout\nto stderr\n%!d(string=no number)\n");
    await type(shown, MIXED.replace("os.Exit(3)", "os.Exit(4)"));
    await press(shown, "Share");
    await theirs.waitForURL((url) => url.href !== link);
    await theirs.goBack();
    assert.equal(theirs.url(), link);
    await press(shown, "Run");
    await ending(shown, "Exited with status 3");
    await other.close();
  });

  test("the page for a missing program links to the empty editor", async () => {
    const reply = await fetch(`${site.runner.url}/p/nothing`);
    assert.equal(reply.status, 404);
    assert.match(await reply.text(), /href="\.\.\/play\/"/);
  });

  test("the editor's page shows the release and formats", async () => {
    const shown = await openPlay(page);
    await shown.locator(".ots-version", { hasText: /^go1\.\d+/ }).waitFor();
    await type(shown, 'package main\n\nfunc main() {\nfmt.Println( "x" )\n}\n');
    await press(shown, "Format");
    await shown.locator(".ots-status", { hasText: "Formatted" }).waitFor();
    const lines = await shown.locator(".cm-line").allTextContents();
    assert.deepEqual(lines, ["package main", "", 'import "fmt"', "", "func main() {", '\tfmt.Println("x")', "}", ""]);
    await press(shown, "Report");
    await shown.locator(".ots-said").getByText('"x" escapes to heap').waitFor();
  });

  const WANT: Record<string, [ending: string, output: RegExp]> = {
    Hello: ["Exited", /^Hello, stack and heap\n$/],
    "Tests and benchmarks": [
      "All tests passed",
      /--- PASS: TestJoin[^]*BenchmarkStringsJoin.* B\/op.* 1 allocs\/op/,
    ],
    "Several files": [
      "Exited",
      /^shape\.Square has an area of 9\.00\nshape\.Circle has an area of 3\.14\n$/,
    ],
    "Sleep and clear": ["Exited", /^23:00:02\n\[#+\]\nDone\.\n$/],
  };

  for (const { title, text } of EXAMPLES) {
    test(`the example "${title}" is formatted, and runs`, async () => {
      const reply = await fetch(`${site.runner.url}/fmt`, {
        method: "POST",
        body: new URLSearchParams({ body: text, imports: "true" }),
      });
      assert.deepEqual(await reply.json(), { Body: text, Error: "" });
      const shown = await openPlay(page);
      await shown.locator("summary", { hasText: "Examples" }).click();
      await press(shown, title);
      await press(shown, "Run");
      const [end, printed] = WANT[title]!;
      await ending(shown, end);
      assert.match(await output(shown), printed);
      assert.equal(await shown.locator(".ots-notice").count(), 0);
    });
  }

  test("benchmarks are explained line by line", async () => {
    const shown = await openPlay(page);
    await shown.locator("summary", { hasText: "Examples" }).click();
    await press(shown, "Tests and benchmarks");
    await press(shown, "Run");
    const explained = shown.locator(".ots-report-pane");
    await explained.locator(".ots-alloc").first().waitFor();
    assert.match(await output(shown), /BenchmarkJoin.* 4 allocs\/op/);
    const benchmark = explained.getByRole("group", { name: "BenchmarkJoin" });
    assert.match((await benchmark.textContent()) ?? "", /allocs\/op 4B\/op 88/);
    const { text } = EXAMPLES.find(({ title }) => title === "Tests and benchmarks")!;
    const line = text.split("\n").findIndex((code) => code.includes("all += word")) + 1;
    await shown.getByRole("button", { name: new RegExp(`^Line ${line}: 4 allocs/op, 88 B/op`) }).waitFor();
  });

  test("a check streams its stages", async () => {
    const [reply] = await Promise.all([
      page.waitForResponse((response) => response.url().endsWith("/check")),
      (async () => {
        await page.goto(`${site.runner.url}/book/memory-profiling/exercises.html`);
        await page.locator("#exercise6").scrollIntoViewIfNeeded();
        await page.locator("#exercise6").getByRole("button", { name: "Check", exact: true }).click();
      })(),
    ]);
    assert.match(reply.headers()["content-type"] ?? "", /^text\/event-stream/);
    await page.locator("#exercise6 .ots-headline", { hasText: "Not yet" }).waitFor();
    const [exercise] = await exercisesOf(root);
    const body = JSON.stringify({ exercise: exercise!.id, files: exercise!.starter });
    const stream = await fetch(`${site.runner.url}/check`, {
      method: "POST",
      body,
      headers: { "Content-Type": "application/json", Accept: "text/event-stream" },
    });
    const names = [...(await stream.text()).matchAll(/^event: (\w+)$/gm)]
      .map((m) => m[1]!)
      .filter((name) => name !== "queued");
    // The starter fails the fourth stage, for which there is no event but the verdict.
    assert.deepEqual(names, ["stage", "stage", "stage", "verdict"]);
  });

  test("without JavaScript a shared program is readable", async () => {
    const reply = await fetch(`${site.runner.url}/share`, { method: "POST", body: MIXED });
    const id = await reply.text();
    const plain = await site.browser.newContext({ javaScriptEnabled: false });
    const page = await site.open(plain);
    await page.goto(`${site.runner.url}/p/${id}`);
    assert.equal(await page.locator(".ots-play-source").inputValue(), MIXED);
    await plain.close();
  });

  test("the front page continues where the reader was, and the sidebar marks what was read and solved", async () => {
    const reader = await site.open(await site.browser.newContext({ viewport: { width: 1440, height: 900 } }));
    await reader.goto(site.runner.url);
    const start = reader.locator("a.ots-start").first();
    assert.equal(await start.textContent(), "Start reading");
    await start.click();
    await reader.getByRole("link", { name: "Start with Stack and heap in ten minutes" }).click();
    await reader.waitForURL(/stack-and-heap/);
    await reader.locator("main > :last-child").scrollIntoViewIfNeeded();
    await reader.waitForFunction(() => localStorage.getItem("onthestack/2/reading")?.includes('"read":["stack'));
    // A pass counts wherever it was: no page of the book with this exercise was opened.
    await reader.evaluate(() =>
      localStorage.setItem("onthestack/2/exercise6", JSON.stringify({ starter: "", hints: 0, passed: true })),
    );
    await reader.reload();
    const entry = (name: RegExp) => reader.locator("#mdbook-sidebar .chapter a", { hasText: name }).first();
    assert.match((await entry(/Stack and heap in ten/).textContent()) ?? "", /✓$/);
    const solved = reader.locator('#mdbook-sidebar a[href$="memory-profiling/exercises.html"]').first();
    assert.match((await solved.textContent()) ?? "", /1 of \d+ passed$/);
    await reader.evaluate(() => {
      const saved = JSON.stringify({ starter: "", hints: 0, passed: true });
      for (const id of ["exercise7", "exercise40"]) localStorage.setItem(`onthestack/2/${id}`, saved);
      // As another tab, or the workspace, tells of it.
      const key = "onthestack/2/exercise7";
      dispatchEvent(new StorageEvent("storage", { key, newValue: saved, storageArea: localStorage }));
    });
    assert.match((await solved.textContent()) ?? "", /3 of \d+ passed$/);

    // A look at the book's beginning, which the header leads to, loses nothing.
    const book = () => reader.getByRole("navigation", { name: "Site" }).getByRole("link", { name: "Book", exact: true });
    await book().click();
    await reader.getByRole("heading", { level: 1, name: "Introduction" }).waitFor();
    await reader.goto(site.runner.url);
    await reader.getByRole("link", { name: "Continue: Stack and heap in ten minutes" }).first().click();
    await reader.waitForURL(/stack-and-heap/);

    // The page of an exercise is a place, too.
    await reader.goto(`${site.runner.url}/exercises/exercise8/`);
    const title = (await reader.getByRole("heading", { level: 1 }).textContent())!;
    await book().click();
    await reader.waitForURL(/\/book\//);
    await reader.goto(`${site.runner.url}/exercises/`);
    await reader.locator(".ots-so-far").getByText(`Continue: ${title}`).waitFor();
    await reader.setViewportSize({ width: 390, height: 844 });
    await reader.getByRole("link", { name: "Your progress as a file" }).click();
    const heading = reader.getByRole("heading", { name: "Your progress as a file" });
    const views = (await reader.locator(".views").boundingBox())!;
    assert.ok((await heading.boundingBox())!.y >= views.y + views.height, "the links lie over what they lead to");
    await reader.setViewportSize({ width: 1440, height: 900 });
    await reader.goto(site.runner.url);
    await reader.getByRole("link", { name: `Continue: ${title}` }).first().click();
    await reader.waitForURL(/\/exercises\/exercise8\//);
    await reader.context().close();
  });

  test("a server without rooms says so, to participants and to instructors", async () => {
    const visitor = await context.newPage(); // whose console has the server's refusals
    await visitor.goto(`${site.runner.url}/join/#K7M2QX`);
    await visitor.getByLabel("Your name").fill("Ada");
    await visitor.getByRole("button", { name: "Join", exact: true }).click();
    await visitor.getByText(/^This server has no rooms: start one that has with/).waitFor();
    await visitor.goto(`${site.runner.url}/room/`);
    await visitor.getByLabel("The instructor's token").fill("ABCDEFGHJKLMNPQR");
    await visitor.getByRole("button", { name: "Continue" }).click();
    await visitor.getByText(/^This server has no rooms: start one that has with/).waitFor();
    assert.equal(await visitor.getByRole("button", { name: "Open the room" }).count(), 0);
    await visitor.close();
  });

  test("a console block is copied without its prompts, and a program whole", async () => {
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    const reader = await site.open(context);
    await reader.goto(`${site.runner.url}/book/memory-profiling/profile.html`);
    const copied = async (block: string) => {
      const box = reader.locator("pre", { has: reader.locator(block) }).first();
      await box.hover();
      await box.locator(".clip-button").click();
      return reader.evaluate(() => navigator.clipboard.readText());
    };
    const commands = await copied("code.language-console");
    assert.match(commands, /^go test /);
    assert.doesNotMatch(commands, /^\$|^ *flat/m);
    await reader.goto(`${site.runner.url}/book/memory-profiling/program.html`);
    assert.match(await copied("code.language-go"), /\n.*\n/);
    await reader.close();
  });

  test("in forced colors the list tells what has passed", async () => {
    const list = await site.open(context);
    await list.emulateMedia({ forcedColors: "active" });
    await list.goto(`${site.runner.url}/exercises/`);
    await list.evaluate(() =>
      localStorage.setItem("onthestack/2/exercise1", JSON.stringify({ starter: "", hints: 0, passed: true })),
    );
    await list.reload();
    const boxes = list.locator(".ots-so-far-bar span");
    await boxes.first().waitFor({ state: "attached" });
    const grounds = await boxes.evaluateAll((all) => all.map((e) => getComputedStyle(e).backgroundColor));
    assert.notEqual(grounds[0], grounds[1]);
    assert.equal(new Set(grounds.slice(1)).size, 1);
    await list.evaluate(() => localStorage.removeItem("onthestack/2/exercise1"));
    await list.close();
  });

  test("nothing went wrong in the pages", () => assert.deepEqual(site.errors, []));
});
