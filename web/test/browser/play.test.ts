// The editor's page: a program in a large editor, shared, and with a URL of its own.

import assert from "node:assert/strict";
import { test } from "node:test";
import { EXAMPLES, HELLO } from "../../src/play/examples.ts";
import { BOOK_EXAMPLES, FIRST } from "../stand-in/play.ts";
import { scriptTag } from "../stand-in/scripts.ts";
import type { Answer, Request } from "../stand-in/server.ts";
import { EXPLAINED, PROGRAM, PROGRAM_REPORT, PROGRAM_RUN } from "../stand-in/verdicts.ts";
import { faintTexts } from "./contrast.ts";
import { inBrowser } from "./harness.ts";

const SEVERAL = `package main

import "play/shape"

func main() {
\tprintln(shape.Name)
}
-- notes.txt --
It's no Go: func "here
-- shape/shape.go --
package shape

// Name is one.
const Name = "square"
`;

inBrowser(
  "the editor's page",
  () => undefined,
  (book) => {
    const post = (request: Request): Answer | undefined => {
      const text = new URLSearchParams(request.body).get("body") ?? "";
      if (request.path === "/compile")
        return { body: { ...PROGRAM_RUN, Events: [{ Message: text, Kind: "stdout", Delay: 0 }] } };
      if (request.path === "/escape") return { body: PROGRAM_REPORT };
      if (request.path === "/fmt") return { body: { Body: text.replaceAll("  ", " "), Error: "" } };
      return book.shared.post(request);
    };
    const page = () => book.page.locator(".ots-play");
    const editor = () => page().locator(".cm-content");
    const press = (name: string) => page().getByRole("button", { name, exact: true }).click();
    const path = () => new URL(book.page.url()).pathname;
    const status = () => page().locator(".ots-status");
    const reset = () => page().getByRole("button", { name: "Reset" });

    /** Returns the program in the editor, as Run sends it. */
    async function text(): Promise<string> {
      const answer = book.post;
      // The page may still show the result of an earlier run, so the request tells when this one began.
      const sent = new Promise<string>((resolve) => {
        book.post = (request) => {
          resolve(new URLSearchParams(request.body).get("body") ?? "");
          return { body: PROGRAM_RUN };
        };
      });
      await press("Run");
      const program = await sent;
      await page().locator(".ots-ending", { hasText: "Exited" }).waitFor();
      book.post = answer;
      return program;
    }

    async function open(path = "/play/"): Promise<void> {
      book.post = post;
      await book.page.goto(book.server.origin + path);
      await editor().waitFor();
    }

    async function type(program: string): Promise<void> {
      await editor().focus();
      await book.page.keyboard.press("ControlOrMeta+a");
      await book.page.keyboard.insertText(program);
    }

    /** Waits until an edit is saved. */
    const saved = () => book.page.waitForTimeout(450);

    async function shareAnew(program: string): Promise<string> {
      const before = path();
      await type(program);
      await press("Share");
      await book.page.waitForURL((url) => url.pathname !== before);
      return path();
    }

    test("it shows the runner's program, runs it, and names the release", async () => {
      await open();
      assert.equal(await text(), FIRST);
      await page().locator(".ots-version", { hasText: "go1.26.8" }).waitFor();
      assert.equal(await reset().isVisible(), false);
      assert.equal(await page().locator(".ots-play-source").count(), 0);
      await page().getByRole("heading", { level: 1, name: "Play" }).waitFor();
      await page().getByRole("main").waitFor();
      // No element has the focus.
      await book.page.evaluate(() => (document.activeElement as HTMLElement).blur());
      await book.page.keyboard.press("Control+Enter");
      await page().locator(".ots-output", { hasText: "first" }).waitFor();
    });

    test("without a shared program the page begins with one of its own", async () => {
      book.edit = (html) => html;
      book.shared.page = (path) => (path === "/play/" ? PLAY_EMPTY : undefined);
      await open();
      assert.equal(await text(), HELLO.text);
    });

    test("a panic is marked at its line, and a button leads there", async () => {
      await open();
      await type('package main\n\nfunc main() {\n\tpanic("lost")\n}\n');
      const trace = "panic: lost\n\ngoroutine 1 [running]:\nmain.main()\n\t/tmp/sandbox/prog.go:4 +0x25\n";
      book.post = () => ({ body: { ...PROGRAM_RUN, Status: 2, Events: [{ Message: trace, Kind: "stderr", Delay: 0 }] } });
      await press("Run");
      const mark = page().locator("button.ots-mark");
      await mark.waitFor();
      assert.equal(await mark.getAttribute("aria-label"), "Line 4: error: panic: lost");
      await page().locator(".ots-notice").getByRole("button", { name: "line 4" }).click();
      assert.equal(await editor().evaluate((e) => e === document.activeElement), true);
    });

    test("failed tests are marked at their lines, and an error in the imports says what mends it", async () => {
      await open();
      await type('package main\n\nimport "testing"\n\nfunc TestA(t *testing.T) {\n\tt.Error("lost")\n}\n');
      const log = "=== RUN   TestA\n    prog_test.go:6: lost\n--- FAIL: TestA (0.00s)\nFAIL\n";
      const Events = [{ Message: log, Kind: "stdout", Delay: 0 }];
      book.post = () => ({ body: { ...PROGRAM_RUN, IsTest: true, TestsFailed: 1, Status: 1, Events } });
      await press("Run");
      const mark = page().locator("button.ots-mark");
      await mark.waitFor();
      assert.equal(await mark.getAttribute("aria-label"), "Line 6: error: TestA: lost");
      await page().locator(".ots-notice").getByText("Where tests failed").waitFor();

      const advice = page().locator(".ots-notice").getByText("Format removes and adds imports.");
      for (const [line, error, advised] of [
        ["var a = strings.ToUpper(b)", "undefined: b", false],
        ["var a = strings.ToUpper(b)", "undefined: strings", true],
        ['import "io"', '"io" imported and not used', true],
      ] as const) {
        await type(`package main\n\n${line}\n`);
        book.post = () => ({ body: { ...PROGRAM_RUN, Errors: `./prog_test.go:3:9: ${error}\n`, Events: null } });
        await press("Run");
        await page().locator(".ots-notice .ots-message").getByText(error, { exact: true }).waitFor();
        if (advised) await advice.waitFor();
        else assert.equal(await advice.count(), 0, error);
        assert.match((await mark.getAttribute("aria-label"))!, /^Line 3: error/);
      }
    });

    test("Report and Format work as in the book", async () => {
      await open();
      await type("package main\n\nfunc  main() {}\n");
      await press("Format");
      await status().getByText("Formatted", { exact: true }).waitFor();
      assert.equal(await text(), "package main\n\nfunc main() {}\n");
      await press("Report");
      await page().locator(".ots-said").first().waitFor();
    });

    test("a run of benchmarks is followed by the lines that allocate, which are marked in the editor", async () => {
      await open();
      const program = "package main\n\nfunc BenchmarkX() {\n\tsink = new(int)\n}\n";
      const allocation = { ...EXPLAINED.allocations[0]!, file: "prog.go", line: 4, reasons: [] };
      const verdict = { ...EXPLAINED, allocations: [allocation], escapes: [] };
      const answer = book.post;
      book.post = (request) => {
        const printed = "BenchmarkX\nBenchmarkX \t    1000\t       8 B/op\t       1 allocs/op\nPASS\n";
        const event = { Message: printed, Kind: "stdout", Delay: 0 };
        if (request.path === "/compile") return { body: { ...PROGRAM_RUN, IsTest: true, Status: 0, Events: [event] } };
        if (request.path === "/escape") return { body: { escapes: [], errors: "", verdict } };
        return answer(request);
      };
      await type(program);
      await press("Run");
      const explained = page().locator(".ots-result .ots-report-pane");
      await explained.locator(".ots-alloc").waitFor();
      assert.match((await page().locator(".ots-output").textContent()) ?? "", /^BenchmarkX/);
      await status().getByText("1 line allocates").waitFor();
      await page().getByRole("button", { name: /^Line 4: 1 alloc\/op/ }).waitFor();

      await press("Report");
      await page().locator(".ots-output").waitFor({ state: "detached" });
      await explained.locator(".ots-alloc").waitFor();
      await page().getByRole("button", { name: /^Line 4: / }).waitFor();

      const tests = { ...verdict.tests, output: "BenchmarkX failed\n" };
      const failed = { ...verdict, pass: false, stage: "benchmark", allocations: [], tests };
      book.post = (request) =>
        request.path === "/escape" ? { body: { escapes: [], errors: "", verdict: failed } } : undefined;
      await press("Report");
      await status().getByText("Not all benchmarks were measured").waitFor();
      await explained.getByText("BenchmarkX failed").waitFor();
      assert.equal(await page().getByRole("button", { name: /^Line 4: / }).count(), 0);
    });

    test("a shared program gets a URL, which can be reloaded and left with the back button", async () => {
      await open();
      const first = await shareAnew(PROGRAM.body);
      assert.match(first, /^\/p\/[\w-]+$/);
      assert.equal(await page().getByLabel("Link").inputValue(), book.server.origin + first);
      assert.match(await book.page.title(), new RegExp(first.slice(3)));
      assert.equal(await reset().isVisible(), false, "it is the shared program");
      const second = await shareAnew(SEVERAL);
      assert.notEqual(second, first);
      await press("Share");
      await status().getByText("Shared").waitFor();
      assert.equal(path(), second, "the same program has the same address");

      await book.page.goBack();
      assert.equal(path(), first);
      await page().locator(".cm-line", { hasText: "os.Stderr" }).waitFor();
      assert.equal(await text(), PROGRAM.body);
      assert.equal(await reset().isVisible(), false);
      assert.equal(await page().getByLabel("Link").isVisible(), false, "that link was of the other program");
      await book.page.goBack();
      assert.equal(path(), "/play/");
      assert.equal(await text(), PROGRAM.body, "the last edit there");
      await book.page.goForward();
      await book.page.goForward();
      await book.page.waitForURL((url) => url.pathname === second);
      await book.page.reload();
      await editor().waitFor();
      assert.equal(await text(), SEVERAL);
      // The page before was loaded separately.
      await book.page.goBack();
      await page().locator(".cm-line", { hasText: "os.Stderr" }).waitFor();
      assert.equal(await text(), PROGRAM.body);
    });

    test("an edit is stored with its program, and Reset removes it", async () => {
      const shared = `/p/${book.shared.share(PROGRAM.body)}`;
      await open(shared);
      await type("package main\n\n// mine\n");
      await reset().waitFor();
      await saved();
      await open("/play/");
      assert.equal(await text(), FIRST, "an edit of another program");
      await open(shared);
      await status().getByText("Your edit is back. Reset shows the shared program.").waitFor();
      assert.equal(await text(), "package main\n\n// mine\n");

      await press("Reset");
      await status().getByText("Your edit was removed. Undo brings it back.").waitFor();
      assert.equal(await text(), PROGRAM.body);
      await open(shared);
      assert.equal(await reset().isVisible(), false, "removed for good");
      await type("package main\n\n// mine\n");
      await press("Reset");
      assert.equal(await book.page.evaluate(() => document.activeElement?.textContent), "Undo");
      await press("Undo");
      assert.equal(await text(), "package main\n\n// mine\n");
      await saved();
      await book.page.goto("about:blank");
      await open(shared);
      assert.equal(await text(), "package main\n\n// mine\n");
    });

    test("an edit that the reader reverts by hand is not stored", async () => {
      await open();
      await type("x");
      await saved();
      await book.page.keyboard.press("ControlOrMeta+z");
      assert.equal(await reset().isVisible(), false);
      await saved();
      await open();
      assert.equal(await status().textContent(), "");
      assert.equal(await text(), FIRST);
    });

    test("two tabs each keep their own edit", async () => {
      await open();
      await type("// one\n");
      await saved();
      const other = await book.context.newPage();
      await other.goto(book.server.origin + "/play/");
      await other.locator(".cm-line", { hasText: "// one" }).waitFor();
      await other.locator(".cm-content").focus();
      await other.keyboard.press("ControlOrMeta+a");
      await other.keyboard.insertText("// two\n");
      await other.waitForTimeout(450);
      await book.page.reload();
      await editor().waitFor();
      assert.equal(await text(), "// one\n");
    });

    test("blocked storage is reported, and everything else works", async () => {
      await book.initially(() => {
        for (const name of ["localStorage", "sessionStorage"]) {
          Object.defineProperty(window, name, {
            get() {
              throw new DOMException("blocked", "SecurityError");
            },
          });
        }
      });
      await open();
      await type(PROGRAM.body);
      await page().getByText("storage is blocked or full").waitFor();
      await press("Share");
      await book.page.waitForURL(/\/p\//);
    });

    test("an example begins a new program, and Undo restores the one before", async () => {
      await open();
      const choose = async (title: string) => {
        await page().locator("summary", { hasText: "Examples" }).click();
        await press(title);
      };
      for (const { title, text: program } of EXAMPLES) {
        await choose(title);
        assert.equal(await text(), program, title);
        assert.equal(
          await page().getByRole("button", { name: "Undo" }).isVisible(),
          false,
          "nothing of the reader's is lost",
        );
      }
      await type("// mine\n");
      await choose(HELLO.title);
      await press("Undo");
      assert.equal(await text(), "// mine\n");

      const shared = `/p/${book.shared.share(PROGRAM.body)}`;
      await open(shared);
      await choose("Several files");
      assert.equal(path(), "/play/");
      assert.equal(await text(), EXAMPLES.find((e) => e.title === "Several files")!.text);
      await book.page.goBack();
      assert.equal(path(), shared);
      assert.equal(await text(), PROGRAM.body);
    });

    test("the book's programs are among the examples, by chapter", async () => {
      await open();
      const summary = page().locator("summary", { hasText: "Examples" });
      await summary.click();
      await page().getByText("Interpolation", { exact: true }).waitFor();
      assert.deepEqual(await page().locator(".ots-examples-of").allTextContents(), [
        "To begin with",
        "Memory profiling",
        "Interpolation",
      ]);
      await page().getByRole("button", { name: "The program", exact: true }).last().click();
      assert.equal(await text(), BOOK_EXAMPLES[1]!.programs[0]!.text);
      await summary.click();
      assert.equal(await page().locator(".ots-examples-of").count(), 3, "they are fetched once");
      await page().getByRole("button", { name: "Hello", exact: true }).click();
      assert.equal(await page().getByRole("button", { name: "Undo" }).isVisible(), false, "an example is no loss");
    });

    test("if the book's programs cannot be fetched, the others are listed, and opening again tries again", async () => {
      await open();
      const { examples } = book.shared;
      book.shared.examples = undefined;
      const summary = page().locator("summary", { hasText: "Examples" });
      await summary.click();
      await page().getByText("The book's programs could not be fetched.").waitFor();
      book.shared.examples = examples;
      await page().getByRole("button", { name: "Hello", exact: true }).click();
      await summary.click();
      await page().getByText("Memory profiling", { exact: true }).waitFor();
      assert.equal(await page().getByText("The book's programs could not be fetched.").count(), 0);
    });

    test("Escape, and a click or focus elsewhere, close the list of examples", async () => {
      await open();
      const summary = page().locator("summary", { hasText: "Examples" });
      const first = page().getByRole("button", { name: HELLO.title, exact: true });
      await summary.click();
      await first.waitFor();
      await first.focus();
      await book.page.keyboard.press("Escape");
      await first.waitFor({ state: "hidden" });
      assert.equal(await summary.evaluate((e) => e === document.activeElement), true);
      await summary.click();
      await editor().click();
      await first.waitFor({ state: "hidden" });
    });

    test("each of several files has its own highlighting and line numbers", async () => {
      await open();
      await type(SEVERAL);
      await book.page.waitForFunction(() => document.querySelectorAll(".tok-keyword").length >= 5);
      assert.deepEqual(await page().locator(".tok-keyword").allTextContents(), [
        "package",
        "import",
        "func",
        "package",
        "const",
      ]);
      assert.deepEqual(await page().locator(".tok-string").allTextContents(), ['"play/shape"', '"square"']);
      assert.deepEqual(await page().locator(".tok-comment").allTextContents(), ["// Name is one."]);
      assert.deepEqual(await page().locator(".ots-file-head").allTextContents(), [
        "-- notes.txt --",
        "-- shape/shape.go --",
      ]);
      const numbers = (await page().locator(".cm-lineNumbers .cm-gutterElement").allTextContents()).slice(1);
      assert.deepEqual(numbers, ["1", "2", "3", "4", "5", "6", "7", "", "1", "", "1", "2", "3", "4", "5"]);
      // Go's indentation and comment keys also work beyond the end of a file that is not Go.
      await book.page.keyboard.press("ControlOrMeta+End");
      await book.page.keyboard.type("func f() {\nreturn");
      assert.match(await text(), /\nfunc f\(\) \{\n\treturn/);
      await book.page.locator(".cm-content").focus();
      await book.page.keyboard.press("ControlOrMeta+/");
      assert.match(await text(), /\n\t\/\/ return/);
    });

    test("errors in several files are marked at their lines", async () => {
      await open();
      await type(SEVERAL);
      book.post = () => ({
        body: {
          ...PROGRAM_RUN,
          Errors: "./prog.go:6:10: undefined: a\nshape/shape.go:4:7: undefined: b\nother/x.go:1:1: odd\n",
          Events: null,
        },
      });
      await press("Run");
      await page().locator(".ots-result").getByText("Does not compile", { exact: true }).waitFor();
      const places = await page().locator(".ots-errors .ots-at").allTextContents();
      assert.deepEqual(places, ["6", "shape/shape.go:4", "other/x.go:1"]);
      assert.deepEqual(await page().locator(".ots-underline.is-error").allTextContents(), ["shape", "Name"]);
      assert.deepEqual(await page().locator(".ots-line-error").allTextContents(), [
        "\tprintln(shape.Name)",
        'const Name = "square"',
      ]);
      await page().getByRole("button", { name: "shape/shape.go:4" }).click();
      await book.page.keyboard.insertText("HERE");
      assert.match(await text(), /const HEREName/);
    });

    test("a report on several files names them", async () => {
      await open();
      await type(SEVERAL);
      const at = (file: string, line: number) => ({
        file,
        line,
        col: 7,
        kind: "escape",
        message: `${file} escapes to heap`,
      });
      book.post = () => ({ body: { escapes: [at("prog.go", 4), at("shape/shape.go", 4)], errors: "" } });
      await press("Report");
      const said = page().locator(".ots-said .ots-code-line");
      await said.first().waitFor();
      assert.deepEqual(await said.allInnerTexts(), ["prog.go:4", 'shape.go:4\nconst Name = "square"']);
      await said.nth(1).getByRole("button").click();
      await book.page.keyboard.insertText("HERE");
      assert.match(await text(), /\nHEREconst Name/);
    });

    test("without JavaScript the program is readable", async () => {
      await book.fresh({ javaScriptEnabled: false });
      const shared = `/p/${book.shared.share(SEVERAL)}`;
      await book.page.goto(book.server.origin + shared);
      const source = book.page.locator(".ots-play-source");
      assert.equal(await source.inputValue(), SEVERAL);
      const box = (await source.boundingBox())!;
      assert.ok(box.width > 1000 && box.height > 400, JSON.stringify(box));
      assert.deepEqual((await faintTexts(book.page, ".ots-play")).faint, []);
    });

    test("if the editor cannot be loaded, the program remains readable", async () => {
      await book.page.route("**/editor-*.js", (route) => route.abort());
      await book.page.goto(book.server.origin + "/play/");
      await page().getByText("The editor could not be loaded. Reload the page to try again.").waitFor();
      assert.equal(await page().locator(".ots-play-source").inputValue(), FIRST);
    });

    test("on a wide screen the result is beside the program and the page does not scroll", async () => {
      await open();
      await type(PROGRAM.body.repeat(20));
      await press("Run");
      await page().locator(".ots-ending", { hasText: "Exited" }).waitFor();
      const code = (await page().locator(".ots-code").boundingBox())!;
      const output = (await page().locator(".ots-output").boundingBox())!;
      assert.ok(output.x > code.x + code.width, "beside");
      assert.ok(output.y < code.y + 20, "and at its height");
      assert.equal(await book.page.evaluate(() => document.documentElement.scrollHeight - innerHeight), 0);
      const ending = (await page().locator(".ots-ending").boundingBox())!;
      assert.ok(ending.y + ending.height <= 900, "how it ended is in sight");
    });

    for (const width of [360, 700]) {
      test(`at ${width} px nothing is out of reach`, async () => {
        await book.page.setViewportSize({ width, height: 740 });
        await open();
        const overflow = () => book.page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        const below = async () => (await page().locator(".ots-code").boundingBox())!.y;
        const before = await below();
        await type(SEVERAL.repeat(3));
        await press("Run");
        await page().locator(".ots-ending", { hasText: "Exited" }).waitFor();
        const code = book.page.getByRole("tab", { name: "Code" });
        await code.click();
        await press("Share");
        await page().getByLabel("Link").waitFor();
        assert.equal(await overflow(), 0);
        await code.click();
        await book.page.evaluate(() => scrollTo(0, 0));
        assert.equal(await below(), before, "the editor stays where it is");
        await page().locator("summary", { hasText: "Examples" }).click();
        assert.equal(await overflow(), 0);
        const menu = (await page().locator(".ots-examples-list").boundingBox())!;
        assert.ok(menu.x >= 0 && menu.x + menu.width <= width, JSON.stringify(menu));
        await book.page.keyboard.press("Escape");
        await book.page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
        const run = (await page().getByRole("button", { name: "Run", exact: true }).boundingBox())!;
        assert.ok(run.y >= 0 && run.y + run.height <= 740, "Run stays at hand");
      });
    }

    for (const name of ["light", "dark"] as const) {
      test(`text in the ${name} theme has the contrast of WCAG AA`, async () => {
        await book.page.emulateMedia({ colorScheme: name });
        await open();
        const first = await faintTexts(book.page, ".ots-play");
        await type(SEVERAL);
        const Events = [...PROGRAM_RUN.Events];
        book.post = (request) =>
          request.path === "/compile"
            ? { body: { ...PROGRAM_RUN, Events, VetErrors: "./prog.go:6:2: odd\n" } }
            : post(request);
        await press("Run");
        await page().locator(".ots-notice.is-vet").waitFor();
        await press("Share");
        await page().getByLabel("Link").waitFor();
        await page().locator("summary", { hasText: "Examples" }).click();
        const ran = await faintTexts(book.page, ".ots-play");
        await type("package main\n");
        const stale = await faintTexts(book.page, ".ots-play");
        assert.deepEqual([...first.faint, ...ran.faint, ...stale.faint], []);
        assert.ok(first.seen > 15 && ran.seen > 40, `only ${first.seen} and ${ran.seen} texts were looked at`);
      });
    }
  },
);

const PLAY_EMPTY = `<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>Play</title>
<link rel="stylesheet" href="/book/widgets/play.css">${scriptTag("play")}
<div class="ots-play"><textarea class="ots-play-source" readonly aria-label="Program"></textarea></div></html>`;
