// The editor's page as a place to work: what is in view, what stays where it is, and what Run leaves out.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Gate, type Answer, type Request } from "../stand-in/server.ts";
import { STEPS } from "../stand-in/steps.ts";
import { EXPLAINED, PROGRAM_REPORT, PROGRAM_RUN } from "../stand-in/verdicts.ts";
import { inBrowser } from "./harness.ts";
import { hidden, inView, LAPTOP, PHONE, places, scrollAll, SIZES, small, THREE, unmoved } from "./panes.ts";

/** Longer than any window, with a panic on its last line but one. */
const LONG = `package main\n\nfunc main() {\n${'\tprintln("another line of output")\n'.repeat(120)}\tpanic("lost")\n}\n`;
const PANIC_LINE = LONG.split("\n").length - 2;
const TRACE = `panic: lost\n\ngoroutine 1 [running]:\nmain.main()\n\t/tmp/sandbox/prog.go:${PANIC_LINE} +0x25\n`;

const BOTH = `package main

import "testing"

func main() { println("a,b,") }

func BenchmarkJoin(b *testing.B) {
	for b.Loop() {
		_ = make([]byte, b.N)
	}
}

func Benchmarked() {}
`;

inBrowser(
  "the editor's page as a place to work",
  () => undefined,
  (book) => {
    const events = Array.from({ length: 200 }, (_, i) => ({ Message: `line ${i}\n`, Kind: "stdout", Delay: 0 }));
    const answer = ({ path, body }: Request): Answer | undefined => {
      if (path === "/compile")
        return { body: { ...PROGRAM_RUN, Status: 2, Events: [...events, { Message: TRACE, Kind: "stderr", Delay: 0 }] } };
      if (path === "/escape") return { body: PROGRAM_REPORT };
      if (path === "/fmt") return { body: { Body: new URLSearchParams(body).get("body"), Error: "" } };
      return book.shared.post({ path, body } as Request);
    };
    const page = () => book.page.locator(".ots-play");
    const run = () => page().getByRole("button", { name: "Run", exact: true });
    const benchmark = () => page().getByRole("button", { name: "Benchmark", exact: true });
    const words = () => page().locator(".ots-check-words");
    const editor = () => page().locator(".cm-content");
    const tab = (name: string) => book.page.getByRole("tab", { name });
    const ended = () => page().locator(".ots-ending", { hasText: "xited" });

    async function open(viewport: { width: number; height: number }, program = LONG): Promise<void> {
      book.post = answer;
      await book.page.setViewportSize(viewport);
      await book.page.goto(`${book.server.origin}/play/`);
      await editor().waitFor();
      await editor().focus();
      await book.page.keyboard.press("ControlOrMeta+a");
      await book.page.keyboard.insertText(program);
    }

    for (const [width, height] of SIZES) {
      test(`Run and its state are in view at ${width} by ${height}, however far the page is scrolled`, async () => {
        await open({ width, height });
        const seen = { Run: run(), Step: page().getByRole("button", { name: "Step" }) };
        const faults = await hidden(book.page, "at first", seen);
        book.post = (request) => (request.path === "/compile" ? { stream: [new Gate()] } : answer(request));
        await run().click();
        const stop = page().getByRole("button", { name: "Stop" });
        await stop.waitFor();
        faults.push(...(await hidden(book.page, "while it runs", { Stop: stop, "its state": words() })));
        await stop.click();
        book.post = answer;
        await run().click();
        await ended().waitFor();
        faults.push(...(await hidden(book.page, "with a result", seen)));
        if (await tab("Code").isVisible()) {
          await tab("Code").click();
          faults.push(...(await hidden(book.page, "with the code again", seen)));
        }
        assert.deepEqual(faults, []);
        const wide = await book.page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        assert.equal(wide, 0, "nothing scrolls sideways");
      });
    }

    for (const viewport of [THREE, LAPTOP, PHONE]) {
      test(`no button moves while a program runs at ${viewport.width} px`, async () => {
        const waiting = new Gate();
        await open(viewport, BOTH);
        const before = await places(book.page);
        book.post = (request) =>
          request.path === "/compile" ? { stream: [waiting, "event: result\ndata: {}\n\n"] } : answer(request);
        await run().click();
        await page().getByRole("button", { name: "Stop" }).waitFor();
        unmoved(await places(book.page), before, "while it runs");
        await page().getByRole("button", { name: "Stop" }).click();
        await words().getByText("Stopped").waitFor();
        unmoved(await places(book.page), before, "after Stop");
        waiting.open();
        book.post = answer;
        await run().click();
        await ended().waitFor();
        unmoved(await places(book.page), before, "with a result");
      });
    }

    test("code and result are beside each other, and share their width as the reader likes", async () => {
      await open(THREE);
      assert.equal(await book.page.getByRole("tablist").isVisible(), false);
      const width = async () => (await page().locator(".is-result").boundingBox())!.width;
      const before = await width();
      const divider = book.page.getByRole("separator", { name: "Width of the result" });
      await divider.focus();
      for (let i = 0; i < 3; i++) await book.page.keyboard.press("ArrowLeft");
      const wider = await width();
      assert.ok(wider > before + 60, `from ${before} to ${wider}`);
      await book.page.reload();
      await editor().waitFor();
      assert.ok(Math.abs((await width()) - wider) < 1);
      await run().click();
      await ended().waitFor();
      assert.equal(await inView(ended()), true, "how it ended");
      assert.equal(await book.page.evaluate(() => document.documentElement.scrollHeight - innerHeight), 0);
    });

    test("on a phone a run shows its result, and a line of it leads to the code", async () => {
      await open(PHONE);
      assert.equal(await tab("Code").getAttribute("aria-selected"), "true");
      const inner = await page().locator(".cm-scroller").evaluate((e) => e.scrollHeight - e.clientHeight);
      assert.ok(inner <= 0, `the editor scrolls by ${inner} px`);
      await book.page.keyboard.press("Control+Enter");
      await ended().waitFor();
      assert.equal(await tab("Result").getAttribute("aria-selected"), "true");
      await page().locator(".ots-notice").getByRole("button", { name: `line ${PANIC_LINE}` }).click();
      assert.equal(await tab("Code").getAttribute("aria-selected"), "true");
      assert.equal(await editor().evaluate((e) => e === document.activeElement), true);
      assert.equal(await inView(editor().locator(".ots-line-error").first()), true);
    });

    test("with the code in view, the bar keeps what came of the last action", async () => {
      await open(PHONE);
      const bar = async (expected: string) => {
        await tab("Code").click();
        assert.equal((await words().innerText()).trim(), expected);
      };
      const press = (name: string) => page().getByRole("button", { name, exact: true }).click();
      await press("Run");
      await ended().waitFor();
      await bar("Exited with status 2");
      await editor().focus();
      await book.page.keyboard.insertText(" ");
      await bar("Exited with status 2");
      await press("Report");
      await page().locator(".ots-report-pane").waitFor();
      await editor().focus();
      await book.page.keyboard.insertText(" ");
      await bar("1 message about the heap");
      book.post = ({ path }) => (path === "/step" ? { body: STEPS } : undefined);
      await press("Step");
      const next = page().getByRole("button", { name: "Next", exact: true });
      await next.waitFor();
      await bar("Step 1");
      await tab("Result").click();
      await next.click();
      await bar("Step 2");
      book.post = () => ({ body: { ...PROGRAM_RUN, Errors: "./prog.go:5:1: undefined: a\n", Events: null } });
      await press("Run");
      await page().getByText("undefined: a", { exact: true }).waitFor();
      await bar("Does not compile");
    });

    test("what is folded in a result is printed unfolded, and folded again afterwards", async () => {
      await open(THREE);
      await page().getByRole("button", { name: "Report" }).click();
      const folds = page().locator(".ots-report-pane details");
      await folds.first().waitFor();
      const unfolded = () => page().locator("details[open]").count();
      assert.equal(await unfolded(), 0);
      await book.page.evaluate(() => dispatchEvent(new Event("beforeprint")));
      assert.equal(await unfolded(), await folds.count(), "the list of examples is no result");
      await book.page.emulateMedia({ media: "print" });
      assert.equal(await folds.locator(".ots-at").first().isVisible(), true, "a line's number");
      await book.page.emulateMedia({ media: null });
      await book.page.evaluate(() => dispatchEvent(new Event("afterprint")));
      assert.equal(await unfolded(), 0);
    });

    test("a benchmark beside main is offered, and measured when the reader asks for it", async () => {
      await open(THREE);
      assert.equal(await benchmark().isVisible(), false);
      await open(THREE, BOTH);
      assert.equal(await benchmark().getAttribute("title"), "Measure BenchmarkJoin: Run calls main");
      const allocation = { ...EXPLAINED.allocations[0]!, file: "prog.go", line: 9, reasons: [] };
      book.post = (request) => {
        if (request.path === "/compile") return { body: { ...PROGRAM_RUN, Events: events.slice(0, 1) } };
        const verdict = { ...EXPLAINED, allocations: [allocation], escapes: [] };
        return request.path === "/escape" ? { body: { escapes: [], errors: "", verdict } } : answer(request);
      };
      await run().click();
      await page().getByText("Run calls main, so BenchmarkJoin was not measured.").waitFor();
      await page().getByRole("button", { name: "Measure it" }).click();
      await page().locator(".ots-result .ots-alloc").waitFor();
      await page().getByRole("button", { name: /^Line 9: 1 alloc\/op/ }).waitFor();
      await run().click();
      await page().getByRole("button", { name: "Measure it" }).waitFor();
      await benchmark().click();
      await page().locator(".ots-result .ots-alloc").waitFor();

      book.post = () => ({ body: { ...PROGRAM_RUN, Errors: "./prog.go:5:1: undefined: a\n", Events: null } });
      await run().click();
      await page().locator(".ots-result").getByText("Does not compile", { exact: true }).waitFor();
      assert.equal(await page().getByRole("button", { name: "Measure it" }).count(), 0);
    });

    test("a finger finds everything", async () => {
      await book.fresh({ hasTouch: true, isMobile: true, viewport: PHONE });
      await open(PHONE, BOTH);
      const all = "button, summary, select, .ots-link, .top a";
      assert.deepEqual(await small(book.page, all), []);
      await page().locator("summary", { hasText: "Examples" }).click();
      assert.deepEqual(await small(book.page, all), []);
      await book.page.keyboard.press("Escape");
      await run().click();
      await ended().waitFor();
      assert.deepEqual(await small(book.page, all), []);
      await scrollAll(book.page, 0.5);
      assert.equal(await inView(run()), true);
      assert.equal(await book.page.evaluate(() => innerWidth === document.documentElement.clientWidth), true);
    });
  },
);
