// A program on a page: run, reported on, edited.

import assert from "node:assert/strict";
import { test } from "node:test";
import { THEME_NAMES } from "../stand-in/page.ts";
import type { Answer, Request } from "../stand-in/server.ts";
import { lineOf, PROGRAM, PROGRAM_REPORT, PROGRAM_RUN } from "../stand-in/verdicts.ts";
import { faintTexts } from "./contrast.ts";
import { inBrowser } from "./harness.ts";

const MAIN = lineOf(PROGRAM.body, "func main");
const MISTAKE = `# play\n./prog.go:${MAIN + 1}:2: undefined: x\n`;

/** Answers as a runner would that knows the page's program; a text with a mistake in it does not build. */
function runner({ path, body }: Request): Answer | undefined {
  const text = new URLSearchParams(body).get("body") ?? "";
  const wrong = text.includes("mistake");
  if (path === "/compile") return { body: wrong ? { ...PROGRAM_RUN, Errors: MISTAKE, Events: null } : PROGRAM_RUN };
  if (path === "/escape") return { body: wrong ? { escapes: [], errors: MISTAKE } : PROGRAM_REPORT };
  if (path === "/fmt") return { body: wrong ? { Body: "", Error: "prog.go:3:1: expected declaration" } : { Body: text.replace("  // odd", " // odd"), Error: "" } };
  return undefined;
}

inBrowser("programs", runner, (book) => {
  const program = () => book.page.locator(".ots-program");
  const press = (name: string) => program().getByRole("button", { name, exact: true }).click();
  const editor = () => program().locator(".cm-content");
  const text = async () => (await program().locator(".cm-line").allTextContents()).join("\n");
  const focused = () => book.page.evaluate(() => document.activeElement?.textContent ?? "");

  async function edit(): Promise<void> {
    await book.page.goto(book.url);
    await press("Edit");
    await editor().waitFor();
  }

  test("it runs, with its errors told apart and its exit status", async () => {
    await book.page.goto(book.url);
    await press("Run");
    await program().getByText("Exited with status 3, ran in the sandbox").first().waitFor();
    assert.equal(await program().locator(".ots-output").textContent(), "one\ntwo\n");
    assert.equal(await program().locator(".ots-stderr").textContent(), "two\n");

    book.post = () => ({ body: { ...PROGRAM_RUN, Errors: "./prog.go:9:2: undefined: x\n", Events: null } });
    await press("Run");
    await program().getByText("Does not compile", { exact: true }).waitFor();
    assert.equal(await program().locator(".ots-errors").innerText(), "9\nundefined: x");
    assert.equal(await program().locator(".ots-errors").getByRole("button").count(), 0, "a listing has no lines to go to");

    book.post = () => ({ body: { ...PROGRAM_RUN, Errors: "timeout running program", Events: null } });
    await press("Run");
    await program().getByText("Did not run to its end").first().waitFor();
    assert.equal(await program().locator(".ots-output").textContent(), "timeout running program");
  });

  test("the report stands under its lines, its flows and the inlining folded away", async () => {
    await book.page.goto(book.url);
    await press("Report");
    const said = program().locator(".ots-said").first();
    await said.waitFor();
    assert.deepEqual(await said.locator(".ots-code-line").allInnerTexts(), [
      `${lineOf(PROGRAM.body, "fmt.Println")}\nfmt.Println("one")`,
      `${lineOf(PROGRAM.body, "os.Stderr")}\nfmt.Fprintln(os.Stderr, "two")`,
    ]);
    assert.deepEqual(await said.locator("> li > ul > li > code").allTextContents(), [
      "... argument does not escape",
      '"one" escapes to heap',
      "... argument does not escape",
    ]);
    const step = program().getByText("from fmt.Fprintln(os.Stdout, fmt.a...) (call parameter)");
    assert.equal(await step.isVisible(), false);
    await program().getByText("why", { exact: true }).click();
    assert.equal(await step.isVisible(), true);
    assert.equal(await program().getByText("passed to fmt.Fprintln, which keeps it").isVisible(), true);
    assert.equal(await program().getByText("inlining call to fmt.Println").isVisible(), false);
    await program().getByText("About inlining (1)").click();
    assert.equal(await program().getByText("inlining call to fmt.Println").isVisible(), true);
    assert.equal(await program().getByRole("status").textContent(), '1 message says "to heap"');
  });

  test("nothing to report is said, and so is a runner that is not there", async () => {
    book.post = () => ({ body: { escapes: [], errors: "" } });
    await book.page.goto(book.url);
    await press("Report");
    await program().getByText("Nothing about memory.").waitFor();
    book.post = () => undefined;
    await press("Report");
    await program().getByText("The runner cannot be reached", { exact: true }).waitFor();
    assert.match((await program().getByRole("status").textContent()) ?? "", /make serve/);
  });

  test("an edit begins where the listing does, and is what Run and Report are sent", async () => {
    await edit();
    assert.equal(await program().locator("pre").first().isVisible(), false, "the editor takes the listing's place");
    await book.page.keyboard.insertText("HERE");
    assert.match(await text(), /\nHEREfunc main\(\) \{/);
    assert.match(await text(), /^package main/, "the whole program is there");
    const sent: string[] = [];
    book.post = (request) => {
      sent.push(new URLSearchParams(request.body).get("body")!);
      return runner(request);
    };
    await book.page.keyboard.press("Control+Enter");
    await program().getByText("Exited with status 3").first().waitFor();
    await press("Report");
    await program().locator(".ots-said").first().waitFor();
    assert.deepEqual(sent, Array(2).fill(PROGRAM.body.replace("func main", "HEREfunc main")));
  });

  test("errors are marked at their lines and lead there", async () => {
    await edit();
    await book.page.keyboard.insertText("// mistake\n");
    for (const what of ["Run", "Report"]) {
      await press(what);
      await program().getByText("Does not compile", { exact: true }).waitFor();
      assert.deepEqual(await program().locator("button.ots-mark").allTextContents(), ["!"]);
    }
    await program().locator(".ots-errors").getByRole("button", { name: `line ${MAIN + 1}` }).click();
    await book.page.keyboard.insertText("HERE");
    assert.match(await text(), /\n *\t?HEREfunc main|\nfHEREunc main/, "column 2 of the line");
    await press("Format");
    await program().getByText("The program cannot be formatted", { exact: true }).waitFor();
  });

  test("a report is about the text that it was made of", async () => {
    await edit();
    await press("Report");
    const stale = program().getByText("before the last edit");
    await program().locator(".ots-said").first().waitFor();
    assert.equal(await stale.isVisible(), false);
    await program().locator(".ots-code-line").getByRole("button").first().click();
    await book.page.keyboard.insertText("x");
    await stale.waitFor();
    await book.page.keyboard.press("ControlOrMeta+z");
    await stale.waitFor({ state: "hidden" });
  });

  test("Format formats, and Reset puts the listing back until it is undone", async () => {
    await edit();
    await book.page.keyboard.insertText("  // odd\n");
    await press("Format");
    await program().getByText("Formatted", { exact: true }).first().waitFor();
    assert.match(await text(), /\n \/\/ odd\n/);
    await press("Reset");
    assert.equal(await editor().isVisible(), false);
    assert.equal(await program().locator("pre").first().isVisible(), true);
    assert.equal(await focused(), "Undo");
    await press("Undo");
    assert.match(await text(), /\n \/\/ odd\n/);
    await press("Reset");
    await press("Edit");
    assert.doesNotMatch(await text(), /odd/, "what was put away is not what Edit begins with");
    await press("Reset");
    assert.equal(await focused(), "Edit");
  });

  test("an edit lasts as long as the tab, and no longer", async () => {
    await edit();
    await book.page.keyboard.insertText("// kept\n");
    await book.page.reload();
    await program().scrollIntoViewIfNeeded();
    await editor().waitFor();
    assert.match(await text(), /\n\/\/ kept\nfunc main/);
    await press("Reset");
    await book.page.reload();
    await program().scrollIntoViewIfNeeded();
    await book.page.waitForTimeout(200);
    assert.equal(await editor().count(), 0);

    await press("Edit");
    await editor().waitFor();
    await book.page.keyboard.insertText("// kept\n");
    await book.page.waitForTimeout(400);
    const other = await book.context.newPage();
    await other.goto(book.url);
    await other.locator(".ots-program").scrollIntoViewIfNeeded();
    await other.waitForTimeout(200);
    assert.equal(await other.locator(".ots-program .cm-content").count(), 0, "another tab is another visit");
  });

  test("it is edited where storage is blocked", async () => {
    await book.page.addInitScript(() => {
      for (const name of ["localStorage", "sessionStorage"]) {
        Object.defineProperty(window, name, {
          get() {
            throw new DOMException("blocked", "SecurityError");
          },
        });
      }
    });
    await edit();
    await book.page.keyboard.insertText("HERE");
    await press("Run");
    await program().getByText("Exited with status 3").first().waitFor();
    assert.match(await text(), /HEREfunc main/);
  });

  test("an editor that cannot be had is said, and can be asked for again", async () => {
    // The exercise below would ask for it as well.
    book.edit = (html) => html.replace('<section class="ots-exercise"', "<section");
    await book.page.route("**/editor.js*", (route) => route.abort(), { times: 1 });
    await book.page.goto(book.url);
    await press("Edit");
    await program().getByText("The editor could not be loaded: try again").first().waitFor();
    await press("Edit");
    await editor().waitFor();
  });

  test("one thing is under way at a time, and can be stopped", async () => {
    book.post = (request) => ({ ...runner(request)!, after: 5000 });
    await book.page.goto(book.url);
    await press("Report");
    await program().getByText("Compiling…").first().waitFor();
    assert.equal(await program().getByRole("button", { name: "Run" }).getAttribute("aria-disabled"), "true");
    await press("Stop");
    await program().getByText("Stopped").first().waitFor();
    await program().getByRole("button", { name: "Report" }).waitFor();
  });

  test("typing turns no pages", async () => {
    await edit();
    await book.page.keyboard.type("s/");
    await book.page.keyboard.press("ArrowRight");
    assert.equal(await book.page.evaluate("pagesTurned"), 0);
  });

  test("no width is too small", async () => {
    await book.fresh({ viewport: { width: 360, height: 740 } });
    await edit();
    await press("Report");
    await program().locator(".ots-said").first().waitFor();
    for (const summary of await program().locator("summary").all()) await summary.click();
    assert.equal(await book.page.locator(".content").evaluate((e) => e.scrollWidth - e.clientWidth), 0);
  });

  for (const name of THEME_NAMES) {
    test(`text in the ${name} theme has the contrast of WCAG AA`, async () => {
      book.theme = name;
      await edit();
      await press("Report");
      await program().locator(".ots-said").first().waitFor();
      for (const summary of await program().locator("summary").all()) await summary.click();
      const report = await faintTexts(book.page, ".ots-edit, .ots-run, .ots-result");
      await editor().focus();
      await book.page.keyboard.insertText("mistake");
      await press("Run");
      await program().getByText("Does not compile", { exact: true }).waitFor();
      const broken = await faintTexts(book.page, ".ots-edit, .ots-run, .ots-result");
      assert.deepEqual([...report.faint, ...broken.faint], []);
      assert.ok(report.seen > 40 && broken.seen > 30, `only ${report.seen} and ${broken.seen} texts were looked at`);
    });
  }
});
