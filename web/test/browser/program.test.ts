// A program on a page: run, reported on, edited.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Answer, Request } from "../stand-in/server.ts";
import { lineOf, PROGRAM, PROGRAM_REPORT, PROGRAM_RUN } from "../stand-in/verdicts.ts";
import { faintInThemes } from "./contrast.ts";
import { inBrowser } from "./harness.ts";

const MAIN = lineOf(PROGRAM.body, "func main");
const MISTAKE = `# play\n./prog.go:${MAIN + 1}:2: undefined: x\n`;

/** Answers as a runner that knows the page's program. A text with a mistake does not build. */
function runner({ path, body }: Request): Answer | undefined {
  const text = new URLSearchParams(body).get("body") ?? "";
  const wrong = text.includes("mistake");
  if (path === "/compile") return { body: wrong ? { ...PROGRAM_RUN, Errors: MISTAKE, Events: null } : PROGRAM_RUN };
  if (path === "/escape") return { body: wrong ? { escapes: [], errors: MISTAKE } : PROGRAM_REPORT };
  if (path === "/fmt")
    return {
      body: wrong
        ? { Body: "", Error: "prog.go:3:1: expected declaration" }
        : { Body: text.replace("  // odd", " // odd"), Error: "" },
    };
  return undefined;
}

/** Answers as runner does, with a finding of go vet in every program. */
function vetted(request: Request): Answer | undefined {
  const VetErrors =
    "./prog.go:9:14: Println call has possible Printf formatting directive %d, which is told in a long line\n";
  return request.path === "/compile" ? { body: { ...PROGRAM_RUN, VetErrors } } : runner(request);
}

inBrowser("programs", runner, (book) => {
  const program = () => book.page.locator(".ots-program");
  const press = (name: string) => program().getByRole("button", { name, exact: true }).click();
  const editor = () => program().locator(".cm-content");
  const output = () => program().locator(".ots-output");
  const ended = (words: string) => program().locator(".ots-ending").getByText(words, { exact: true }).waitFor();
  const text = async () => (await program().locator(".cm-line").allTextContents()).join("\n");
  const focused = () => book.page.evaluate(() => document.activeElement?.textContent ?? "");

  async function edit(): Promise<void> {
    await book.page.goto(book.url);
    await press("Edit");
    await editor().waitFor();
  }

  test("a listing without func main has no Step", async () => {
    await book.page.goto(book.url);
    await program().getByRole("button", { name: "Step", exact: true }).waitFor();
    await book.page.route(book.url, async (route) => {
      const reply = await route.fetch();
      await route.fulfill({ response: reply, body: (await reply.text()).replaceAll("func main()", "func Other()") });
    });
    await book.page.goto(book.url);
    await program().getByRole("button", { name: "Run", exact: true }).waitFor();
    assert.equal(await program().getByRole("button", { name: "Step", exact: true }).count(), 0);
    await book.page.unroute(book.url);
  });

  test("the last run's output is dimmed during another run, and restored if that is stopped", async () => {
    await book.page.goto(book.url);
    await press("Run");
    await ended("Exited with status 3");
    const filter = () =>
      program()
        .locator(".ots-result")
        .evaluate((e) => getComputedStyle(e).filter);
    assert.equal(await filter(), "none");
    book.post = () => ({ body: PROGRAM_RUN, after: 20_000 });
    await press("Run");
    await program().getByRole("button", { name: "Stop", exact: true }).waitFor();
    assert.match(await filter(), /opacity/);
    await press("Stop");
    await program().getByRole("button", { name: "Run", exact: true }).waitFor();
    assert.equal(await filter(), "none");
    assert.equal(await output().textContent(), "one\ntwo\n");
  });

  test("the output of a program that prints too much shows its beginning and the limit", async () => {
    book.post = () => ({
      body: { ...PROGRAM_RUN, Errors: "Output too large: the program printed more than 1024 KiB, …", Status: 0 },
    });
    await book.page.goto(book.url);
    await press("Run");
    await ended("Did not finish: Output too large: the program printed more than 1024 KiB, …");
    assert.equal(await output().textContent(), "one\ntwo\n");
  });

  test("it runs, with its errors told apart and its exit status", async () => {
    await book.page.goto(book.url);
    await press("Run");
    await ended("Exited with status 3");
    assert.equal(await output().textContent(), "one\ntwo\n");
    const stderr = output().locator(".ots-stderr");
    assert.equal(await stderr.textContent(), "two");
    // Not only by color: stderr has a bar, a legend for the bar, and an accessible name.
    assert.equal(await stderr.evaluate((e) => getComputedStyle(e).borderInlineStartWidth), "3px");
    assert.equal(await program().locator(".ots-ending .ots-stderr").textContent(), "standard error");
    assert.equal(await output().getByRole("group", { name: "standard error" }).textContent(), "two\n");
    assert.equal(await program().getByRole("status").textContent(), "Exited with status 3");

    book.post = () => ({ body: { ...PROGRAM_RUN, Errors: "./prog.go:9:2: undefined: x\n", Events: null } });
    await press("Run");
    await program().getByText("Does not compile", { exact: true }).waitFor();
    assert.equal(await program().locator(".ots-errors").innerText(), "9\nundefined: x");
    assert.equal(
      await program().locator(".ots-errors").getByRole("button").count(),
      0,
      "a listing has no lines to go to",
    );

    book.post = () => ({ body: { ...PROGRAM_RUN, Errors: "timeout running program after 5s", Events: null } });
    await press("Run");
    await program().getByText("Did not finish").first().waitFor();
    assert.equal(await output().textContent(), "timeout running program after 5s");
  });

  test("a program that a limit ended shows what it printed until then", async () => {
    const Events = [
      ...PROGRAM_RUN.Events.slice(0, 1),
      { Message: "timeout running program after 5s", Kind: "stderr", Delay: 0 },
    ];
    book.post = () => ({ body: { ...PROGRAM_RUN, Events, Status: 1 } });
    await book.page.goto(book.url);
    await press("Run");
    await ended("Exited with status 1");
    assert.equal(await output().textContent(), "one\ntimeout running program after 5s");
  });

  test("a program without output is reported as such, and output without stderr has no legend", async () => {
    book.post = () => ({ body: { ...PROGRAM_RUN, Events: null, Status: 0 } });
    await book.page.goto(book.url);
    await press("Run");
    await ended("Exited");
    assert.equal(await output().textContent(), "(no output)");
    assert.equal(await program().locator(".ots-stderr").count(), 0);
  });

  test("tests say how many failed", async () => {
    await book.page.goto(book.url);
    for (const [failed, words] of [
      [0, "All tests passed"],
      [1, "1 test failed"],
      [3, "3 tests failed"],
    ] as const) {
      book.post = () => ({ body: { ...PROGRAM_RUN, IsTest: true, TestsFailed: failed, Status: failed > 0 ? 1 : 0 } });
      await press("Run");
      await ended(words);
    }
  });

  test("go vet's findings are below the output and, in the editor, at their lines", async () => {
    const line = lineOf(PROGRAM.body, "fmt.Println");
    const VetErrors =
      `./prog.go:${line}:14: Println call has possible Printf formatting directive %d\n` + "go vet took too long\n";
    book.post = () => ({ body: { ...PROGRAM_RUN, VetErrors } });
    await book.page.goto(book.url);
    await press("Run");
    const notice = program().locator(".ots-notice.is-vet");
    await notice.waitFor();
    assert.equal(await output().textContent(), "one\ntwo\n", "it ran all the same");
    assert.equal(await notice.locator(".ots-headline").textContent(), "go vet found a problem");
    assert.equal(await notice.getByRole("button").count(), 0);
    assert.match(
      (await program().getByRole("status").textContent()) ?? "",
      /^Exited with status 3.*go vet found a problem.*possible Printf/,
    );

    await press("Edit");
    await press("Run");
    const mark = program().locator("button.ots-mark");
    await mark.waitFor();
    assert.equal(await mark.textContent(), "vet");
    assert.match((await mark.getAttribute("aria-label")) ?? "", new RegExp(`^Line ${line}: go vet: Println call`));
    assert.equal(await program().locator(".ots-underline.is-warning").textContent(), '"');
    const outlined = () => program().evaluate((e) => e.classList.contains("is-stale"));
    assert.equal(await outlined(), false);
    await notice.getByRole("button", { name: `line ${line}` }).click();
    await book.page.keyboard.insertText("HERE");
    assert.match(await text(), /fmt\.Println\(HERE"one"\)/);
    assert.equal(await outlined(), true, "it was said of an older text");

    // With another status, so that the test waits for the end of this run.
    book.post = () => ({ body: { ...PROGRAM_RUN, Status: 4 } });
    await press("Run");
    await ended("Exited with status 4");
    assert.equal(await mark.count(), 0);
  });

  test("events are played with their delays, and a form feed clears", async () => {
    const event = (Message: string, Delay = 0) => ({ Message, Kind: "stdout", Delay });
    book.post = () => ({
      body: {
        ...PROGRAM_RUN,
        Status: 0,
        Events: [event("first\n"), event("\fsecond\n", 700_000_000), event("third\n", 700_000_000)],
      },
    });
    await book.page.goto(book.url);
    await press("Run");
    for (const shown of ["first\n", "second\n", "second\nthird\n"]) {
      await book.page.waitForFunction(
        (shown) => document.querySelector(".ots-result .ots-output")?.textContent === shown,
        shown,
      );
      const over = (await program().locator(".ots-ending").textContent())!.includes("Exited");
      assert.equal(over, shown.includes("third"), `after ${shown}`);
    }
  });

  test("thousands of events are played in the time of their delays", async () => {
    const Events = Array.from({ length: 3000 }, (_, i) => ({
      Message: `${i}\n`,
      Kind: i % 2 ? "stderr" : "stdout",
      Delay: 300_000,
    }));
    book.post = () => ({ body: { ...PROGRAM_RUN, Status: 0, Events } });
    await book.page.goto(book.url);
    // One timer for each event, at four milliseconds or more, would take twelve seconds instead of 0.9.
    const timers = await book.page.evaluateHandle(() => {
      const counted = { begun: 0 };
      const begin = globalThis.setTimeout;
      globalThis.setTimeout = ((...args: Parameters<typeof begin>) => {
        counted.begun++;
        return begin(...args);
      }) as typeof begin;
      return counted;
    });
    await press("Run");
    await ended("Exited");
    const { begun } = await timers.jsonValue();
    assert.ok(begun < Events.length / 2, `${Events.length} events took ${begun} timers`);
    assert.equal((await output().textContent())!.split("\n").length, 3001);
  });

  test("output keeps the selection and the scroll position while more is played", async () => {
    const Events = Array.from({ length: 60 }, (_, i) => ({
      Message: `line ${i}\n`,
      Kind: i === 0 ? "stderr" : "stdout",
      Delay: i === 59 ? 900_000_000 : 0,
    }));
    book.post = () => ({ body: { ...PROGRAM_RUN, Status: 0, Events } });
    await book.page.goto(book.url);
    await press("Run");
    await output().getByText("line 58").waitFor();
    assert.ok((await output().evaluate((e) => e.scrollTop)) > 0, "what comes last is in sight");
    await output().evaluate((e) => {
      e.scrollTop = 0;
      getSelection()!.selectAllChildren(e.firstElementChild!);
    });
    await ended("Exited");
    assert.equal(await output().evaluate((e) => e.scrollTop), 0, "who scrolled back is left there");
    assert.equal((await book.page.evaluate(() => getSelection()!.toString())).trim(), "line 0");
  });

  test("the report is below the lines, with flows and inlining collapsed", async () => {
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
    assert.equal(await program().getByRole("status").textContent(), "1 message about the heap");
  });

  test("an empty report and an unreachable runner are reported", async () => {
    book.post = () => ({ body: { escapes: [], errors: "" } });
    await book.page.goto(book.url);
    await press("Report");
    await program().getByText("It reports nothing about memory.").waitFor();
    book.post = () => undefined;
    await press("Report");
    await program().getByText("The server does not answer", { exact: true }).waitFor();
    assert.match((await program().getByRole("status").textContent()) ?? "", /make serve/);
  });

  test("the editor opens at the listing's first line, and Run and Report send its text", async () => {
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
    await ended("Exited with status 3");
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
    await program()
      .locator(".ots-errors")
      .getByRole("button", { name: `line ${MAIN + 1}` })
      .click();
    await book.page.keyboard.insertText("HERE");
    assert.match(await text(), /\n *\t?HEREfunc main|\nfHEREunc main/, "column 2 of the line");
    await press("Format");
    await program().getByText("The program cannot be formatted", { exact: true }).waitFor();
  });

  test("a report is marked as stale when the text changes", async () => {
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

  test("Format formats, Reset restores the listing, and Undo the edit", async () => {
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
    assert.doesNotMatch(await text(), /odd/, "Edit does not begin with the removed edit");
    await press("Reset");
    assert.equal(await focused(), "Edit");
  });

  test("an edit is stored as long as the tab is open", async () => {
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

  test("editing works with blocked storage", async () => {
    await book.initially(() => {
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
    await ended("Exited with status 3");
    assert.match(await text(), /HEREfunc main/);
  });

  test("an editor that cannot be loaded is reported, and the next attempt loads it", async () => {
    // The exercise below would load it as well.
    book.edit = (html) => html.replace('<section class="ots-exercise"', "<section");
    await book.page.route("**/editor-*.js", (route) => route.abort(), { times: 1 });
    await book.page.goto(book.url);
    await press("Edit");
    await program().getByText("The editor could not be loaded: try again").first().waitFor();
    await press("Edit");
    await editor().waitFor();
  });

  test("there is one job at a time, and it can be stopped", async () => {
    book.post = (request) => ({ ...runner(request)!, after: 5000 });
    await book.page.goto(book.url);
    await press("Report");
    await program().getByText("Compiling…").first().waitFor();
    await program().getByRole("button", { name: "Stop" }).waitFor();
    assert.equal(await program().getByRole("button", { name: "Run" }).getAttribute("aria-disabled"), "true");
    await press("Stop");
    await program().getByText("Stopped").first().waitFor();
    await program().getByRole("button", { name: "Report" }).waitFor();
  });

  test("keys run and stop a program from anywhere in the block, and stopping cancels the request", async () => {
    let sent = 0;
    let gone = 0;
    book.post = (request) => {
      sent++;
      request.gone.addEventListener("abort", () => gone++);
      return { ...runner(request)!, after: 3000 };
    };
    await book.page.goto(book.url);
    const stopped = async () => {
      await program().getByRole("button", { name: "Stop" }).waitFor();
      await book.page.keyboard.press("Escape");
      await program().locator(".ots-status", { hasText: "Stopped" }).waitFor();
      await program().getByRole("button", { name: "Run" }).waitFor();
    };
    await program().getByRole("button", { name: "Report" }).focus();
    await book.page.keyboard.press("Meta+Enter");
    await stopped();
    assert.match(await focused(), /Report/, "the key is not the button's");
    await press("Edit");
    await editor().waitFor();
    for (let i = 0; i < 3; i++) await book.page.keyboard.press("Control+Enter");
    await stopped();
    assert.equal(sent, 2, "one at a time");
    await book.page.waitForTimeout(50);
    assert.equal(gone, 2, "the runner sees that nobody waits");
    assert.match(await text(), /^package main/, "no key changed the program");
  });

  test("Stop ends the playback, too", async () => {
    const Events = [
      { Message: "one\n", Kind: "stdout", Delay: 0 },
      { Message: "two\n", Kind: "stdout", Delay: 2_500_000_000 },
    ];
    book.post = () => ({ body: { ...PROGRAM_RUN, Events } });
    await book.page.goto(book.url);
    await press("Run");
    await output().getByText("one").waitFor();
    await press("Stop");
    await ended("Stopped");
    assert.equal(await output().textContent(), "one\n");
    await press("Run");
    await book.page.waitForFunction(() => document.querySelector(".ots-result .ots-output")?.textContent === "one\n");
  });

  test("a double click is one run", async () => {
    let sent = 0;
    book.post = (request) => (sent++, { ...runner(request)!, after: 400 });
    await book.page.goto(book.url);
    await program().getByRole("button", { name: "Run" }).dblclick();
    await ended("Exited with status 3");
    assert.equal(sent, 1);
  });

  test("the page waits for a busy runner, and the reader can stop it", async () => {
    let sent = 0;
    book.post = () => (sent++, { status: 503, headers: { "Retry-After": "20" }, body: { error: "busy" } });
    await book.page.goto(book.url);
    await press("Run");
    await program().locator(".ots-status", { hasText: "The runner is busy, trying again in 20 s" }).waitFor();
    await press("Stop");
    await program().locator(".ots-status", { hasText: "Stopped" }).waitFor();
    assert.equal(sent, 1);
  });

  test("Share gives a link, which Copy copies and which opens the program", async () => {
    await book.context.grantPermissions(["clipboard-read", "clipboard-write"]);
    const sent: string[] = [];
    book.post = (request) => (sent.push(request.body), book.shared.post(request));
    await book.page.goto(book.url);
    await press("Share");
    const field = program().getByLabel("Link");
    await field.waitFor();
    assert.deepEqual(sent, [PROGRAM.body]);
    const link = await field.inputValue();
    assert.match(link, new RegExp(`^${book.server.origin}/p/[\\w-]+$`));
    assert.match((await program().getByRole("status").textContent()) ?? "", /^Shared\. The link is http/);
    assert.equal(
      await field.evaluate(
        (e: HTMLInputElement) => e === document.activeElement && e.value.slice(e.selectionStart!, e.selectionEnd!),
      ),
      link,
      "ready to be copied by hand",
    );
    for (const key of ["ArrowRight", "/"]) await book.page.keyboard.press(key);
    assert.equal(await book.page.evaluate("pagesTurned"), 0);
    await press("Copy");
    await program().getByText("Copied", { exact: true }).first().waitFor();
    assert.equal(await book.page.evaluate(() => navigator.clipboard.readText()), link);
    await program().getByRole("link", { name: "Open" }).click();
    await book.page.locator(".ots-play .cm-content").waitFor();
    assert.equal(book.page.url(), link);
    assert.match(
      (await book.page.locator(".cm-line").allTextContents()).join("\n"),
      /fmt\.Fprintln\(os\.Stderr, "two"\)/,
    );
  });

  test("without the clipboard API the page copies with execCommand, or says how to copy", async () => {
    await book.initially(() => Object.defineProperty(navigator, "clipboard", { value: undefined }));
    book.post = (request) => book.shared.post(request);
    await book.page.goto(book.url);
    await press("Share");
    await press("Copy");
    await program().getByText("Copied", { exact: true }).first().waitFor();
    await book.page.evaluate(() => (document.execCommand = () => false));
    await press("Copy");
    await program().getByText("Press Ctrl+C to copy it").first().waitFor();
    assert.equal(
      await program()
        .getByLabel("Link")
        .evaluate((e: HTMLInputElement) => e.selectionEnd! - e.selectionStart! === e.value.length),
      true,
    );
  });

  test("a link is marked as old when the text changes", async () => {
    book.post = (request) => book.shared.post(request);
    await edit();
    await press("Share");
    const old = program().locator(".ots-shared").getByText("before the last edit");
    await program().getByLabel("Link").waitFor();
    const first = await program().getByLabel("Link").inputValue();
    assert.equal(await old.count(), 0);
    await editor().focus();
    await book.page.keyboard.insertText("x");
    await old.waitFor();
    await book.page.keyboard.press("ControlOrMeta+z");
    await old.waitFor({ state: "detached" });
    await book.page.keyboard.insertText("// y\n");
    await press("Share");
    await book.page.waitForFunction(
      (first) => document.querySelector<HTMLInputElement>(".ots-link")!.value !== first,
      first,
    );
    assert.equal(await old.count(), 0);
    assert.equal(book.shared.size, 2);
    await press("Reset");
    await old.waitFor();
  });

  test("a program that was not shared has its reason shown", async () => {
    await book.page.goto(book.url);
    for (const [status, words] of [
      [501, "This runner stores no programs: it was started without a file for them."],
      [413, "The program is too large to be shared."],
      [507, "status 507"], // in the runner's own words
      [503, "The runner is busy. Press Share again in a moment."],
    ] as const) {
      book.post = () => ({ status, body: { error: `status ${status}` } });
      await press("Share");
      await program().locator(".ots-notice").getByText(words).waitFor();
      assert.equal(await program().locator(".ots-notice .ots-headline").textContent(), "Not shared");
      assert.equal(await program().getByLabel("Link").isVisible(), false);
    }
    book.post = () => undefined;
    await press("Share");
    await program().getByText("The server does not answer", { exact: true }).waitFor();
  });

  test("typing does not turn pages", async () => {
    await edit();
    await book.page.keyboard.type("s/");
    await book.page.keyboard.press("ArrowRight");
    assert.equal(await book.page.evaluate("pagesTurned"), 0);
  });

  test("the block fits every width", async () => {
    await book.page.setViewportSize({ width: 360, height: 740 });
    await edit();
    const overflow = () => book.page.locator(".content").evaluate((e) => e.scrollWidth - e.clientWidth);
    await press("Report");
    await program().locator(".ots-said").first().waitFor();
    for (const summary of await program().locator("summary").all()) await summary.click();
    assert.equal(await overflow(), 0);
    book.post = (request) => book.shared.post(request) ?? vetted(request);
    await press("Share");
    await program().getByLabel("Link").waitFor();
    await press("Run");
    await program().locator(".ots-notice.is-vet").waitFor();
    await editor().focus();
    await book.page.keyboard.insertText("x");
    assert.equal(await overflow(), 0);
  });

  test("text has the contrast of WCAG AA in every theme", async () => {
    await edit();
    await press("Report");
    await program().locator(".ots-said").first().waitFor();
    for (const summary of await program().locator("summary").all()) await summary.click();
    const report = await faintInThemes(book.page, ".ots-edit, .ots-run, .ots-result");
    book.post = (request) => book.shared.post(request) ?? vetted(request);
    await press("Share");
    await program().getByLabel("Link").waitFor();
    await press("Run");
    await program().locator(".ots-notice.is-vet").waitFor();
    const ran = await faintInThemes(book.page, ".ots-edit, .ots-run, .ots-shared, .ots-result");
    await editor().focus();
    await book.page.keyboard.insertText("// x\n");
    const stale = await faintInThemes(book.page, ".ots-edit, .ots-run, .ots-shared, .ots-result");
    book.post = runner;
    await editor().focus();
    await book.page.keyboard.insertText("mistake");
    await press("Run");
    await program().getByText("Does not compile", { exact: true }).waitFor();
    const broken = await faintInThemes(book.page, ".ots-edit, .ots-run, .ots-result");
    assert.deepEqual([...report.faint, ...ran.faint, ...stale.faint, ...broken.faint], []);
    assert.ok(report.seen > 40 && broken.seen > 30, `only ${report.seen} and ${broken.seen} texts were looked at`);
  });
});
