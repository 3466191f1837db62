// The widgets in a real browser, on a page such as mdBook builds, against a static server.
// Only the runner's answers are the test's own.

import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { page as bookPage, THEME_NAMES } from "../stand-in/page.ts";
import { serve, type Answer, type Request, type Server } from "../stand-in/server.ts";
import {
  BROKEN,
  BUILD_ERROR,
  FAILED_TESTS,
  PASS,
  PROGRAM_RUN,
  SOLUTION,
  STARTER,
  TWO_ALLOCATIONS,
} from "../stand-in/verdicts.ts";
import { findChromium, launchChromium, NO_CHROMIUM } from "./chromium.ts";
import { faintTexts } from "./contrast.ts";
import { ExercisePage } from "./exercise-page.ts";

if (!findChromium()) {
  console.error(NO_CHROMIUM);
  test("a browser is there", { skip: process.env["CI"] === "true" ? false : NO_CHROMIUM }, () => assert.fail(NO_CHROMIUM));
}

/** Answers as a runner would that knows these texts. */
function runner({ path, body }: Request): Answer | undefined {
  if (path === "/compile") return { body: PROGRAM_RUN };
  if (path === "/fmt") return { body: { Body: new URLSearchParams(body).get("body")!.replace("  :=", " :="), Error: "" } };
  if (path !== "/check") return undefined;
  const text = (JSON.parse(body) as { files: Record<string, string> }).files["stream.go"]!;
  if (text === SOLUTION) return { body: PASS };
  if (text === BROKEN) return { body: BUILD_ERROR };
  if (text.includes("return // too early")) return { body: FAILED_TESTS };
  return { body: TWO_ALLOCATIONS };
}

describe("in the browser", { skip: findChromium() === null }, () => {
  let browser: Browser;
  let server: Server;
  let context: BrowserContext;
  let page: Page;
  let errors: string[];
  let theme: string;
  let post: (request: Request) => Answer | undefined;

  before(async () => {
    browser = await launchChromium();
    server = await serve({
      prefix: "/book/",
      dir: process.env["OTS_BOOK"]!,
      pages: {
        "/book/profiling/index.html": () => bookPage(theme),
        "/book/profiling/changed.html": () => bookPage(theme).replaceAll("near miss", "close call").replaceAll("fits anymore", "fits any longer"),
      },
      post: (request) => post(request),
    });
  });
  after(async () => {
    await browser?.close();
    await server?.close();
  });
  beforeEach(async () => {
    theme = "light";
    post = runner;
    await fresh({});
  });
  afterEach(async () => {
    await context.close();
    assert.deepEqual(errors, [], "errors in the page");
  });

  async function fresh(options: Parameters<Browser["newContext"]>[0]): Promise<void> {
    await context?.close();
    context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
    page = await context.newPage();
    page.setDefaultTimeout(10_000);
    errors = [];
    page.on("pageerror", (e) => errors.push(String(e)));
  }

  const url = () => `${server.origin}/book/profiling/index.html`;
  const open = () => ExercisePage.open(page, url(), "exercise1");

  test("a check shows stages, bars, marks and reasons", async () => {
    const exercise = await open();
    assert.equal(await exercise.checked(), "Not yet: 2 allocs/op, target 1");
    assert.deepEqual(await exercise.root.locator(".ots-stages .ots-state").allTextContents(), ["ok", "ok", "6 of 6", "not yet"]);
    assert.match((await exercise.root.locator(".ots-bar").first().textContent()) ?? "", /allocs\/op 2 .*target 1, starter 2/);
    assert.deepEqual(await exercise.marks.allTextContents(), ["1×", "1×"]);
    assert.equal(await page.getByText("Bring Replace down to one allocation.").isVisible(), true, "the task stays");
    assert.equal(await page.getByText("exercises/exercise1/stream.go").isVisible(), false, "the static listing goes");
    assert.match((await exercise.root.locator(".ots-allocs").textContent()) ?? "", /passed to io\.ReadAtLeast, which keeps it/);
  });

  test("a mark gives its reason on hover and on focus, and Escape puts it away", async () => {
    const exercise = await open();
    await exercise.checked();
    const tip = exercise.root.getByRole("tooltip");
    const mark = exercise.marks.first();
    await mark.hover();
    assert.match((await tip.textContent()) ?? "", /the bytes\.Buffer moves to the heap/);
    await tip.hover();
    await page.waitForTimeout(300);
    assert.equal(await tip.isVisible(), true, "the pointer may go onto the tooltip");
    await page.mouse.move(5, 5);
    await tip.waitFor({ state: "hidden" });

    // From Check backwards: first the text, then its marks, the last one first.
    await exercise.check.focus();
    await page.keyboard.press("Shift+Tab");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Shift+Tab");
    await page.keyboard.press("Shift+Tab");
    await tip.waitFor();
    assert.equal(await mark.getAttribute("aria-describedby"), await tip.getAttribute("id"));
    assert.match((await mark.getAttribute("aria-label")) ?? "", /^Line 15: 1 alloc\/op, 48 B\/op/);
    assert.equal(await mark.evaluate((e) => e.closest("[aria-hidden]")), null, "marks are there for assistive technology");
    await tip.hover();
    await page.mouse.move(5, 5);
    await page.waitForTimeout(300);
    assert.equal(await tip.isVisible(), true, "the pointer takes nothing from the focus");
    await page.keyboard.press("Escape");
    await tip.waitFor({ state: "hidden" });
  });

  test("a build error leads to its line", async () => {
    const exercise = await open();
    await exercise.type(BROKEN);
    assert.equal(await exercise.checked(), "Does not compile");
    assert.deepEqual(await exercise.marks.allTextContents(), ["!"]);
    assert.equal(await exercise.root.locator(".cm-lintRange-error").textContent(), "missing");
    assert.equal(await exercise.root.locator(".ots-errors li").count(), 2);
    await exercise.root.locator(".ots-errors").getByRole("button").click();
    assert.equal(await exercise.editor.evaluate((e) => e === document.activeElement), true);
    await page.keyboard.insertText("HERE");
    assert.match(await exercise.text(), /held \+= n \+ HEREmissing/);
  });

  test("failing tests show their output", async () => {
    const exercise = await open();
    await exercise.type(STARTER.replace("return\n", "return // too early\n"));
    assert.equal(await exercise.checked(), "2 of 6 tests fail");
    assert.match((await exercise.root.locator(".ots-output").textContent()) ?? "", /want "a-"/);
  });

  test("a pass says what was saved and leads on; fewer than last time is said", async () => {
    const exercise = await open();
    await exercise.checked();
    await exercise.type(SOLUTION);
    await page.keyboard.press("Control+Enter");
    await exercise.headline.getByText("Passed").waitFor();
    const gains = exercise.root.locator(".ots-gains");
    assert.match((await gains.textContent()) ?? "", /2 → 1 allocs\/op, 112 → 64 B\/op/);
    assert.equal(await gains.getByRole("link", { name: "Know the size" }).getAttribute("href"), "#exercise2");
    assert.equal(await exercise.root.locator(".ots-progress").textContent(), "1 alloc/op fewer than at the last check (2 → 1)");
    assert.equal(await exercise.root.locator(".ots-done").isVisible(), true);
  });

  test("marks follow their lines and are stale while the text differs", async () => {
    const exercise = await open();
    await exercise.checked();
    const stale = exercise.root.getByText("from the last check", { exact: true }).first();
    assert.equal(await stale.isVisible(), false);
    await exercise.editor.focus();
    await page.keyboard.press("ControlOrMeta+Home");
    await page.keyboard.type("// one\n");
    assert.equal(await stale.isVisible(), true);
    await exercise.root.locator(".ots-allocs").getByRole("button", { name: "line 15" }).first().click();
    await page.keyboard.insertText("HERE");
    assert.match(await exercise.text(), /HERE\tinput := /);
    for (let undone = 0; undone < 4; undone++) await page.keyboard.press("ControlOrMeta+z");
    await stale.waitFor({ state: "hidden" });
  });

  test("edits, hints and the pass survive a reload", async () => {
    const exercise = await open();
    await exercise.type(SOLUTION);
    await exercise.checked();
    await exercise.button("Hint 1 of 3").click();
    await exercise.button("Hint 2 of 3").click();
    await page.keyboard.press("Shift+Tab");
    const again = await open();
    assert.match(await again.text(), /input\.Read\(/);
    assert.equal(await again.root.locator(".ots-hints li").count(), 2);
    assert.equal(await again.root.locator(".ots-done").isVisible(), true);
    assert.match((await again.root.locator(".ots-lead").textContent()) ?? "", /Before this visit: Passed/);
  });

  test("an edit made just before leaving is kept", async () => {
    const exercise = await open();
    await exercise.type("package late\n");
    await page.goto("about:blank");
    assert.match(await (await open()).text(), /package late/);
  });

  test("a changed starter leaves the reader's text", async () => {
    const exercise = await open();
    await exercise.type(SOLUTION);
    const changed = await ExercisePage.open(page, url().replace("index", "changed"), "exercise1");
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

    post = () => ({ body: { Body: "", Error: "prog.go:3:1: expected declaration" } });
    await exercise.button("Format").click();
    await exercise.notice.getByText("stream.go cannot be formatted").waitFor();
    await exercise.notice.getByRole("button", { name: "line 3" }).waitFor();
    assert.deepEqual(await exercise.marks.allTextContents(), ["!"]);
  });

  test("a static host is not a runner, and editing goes on", async () => {
    post = () => undefined;
    const exercise = await open();
    await exercise.checked();
    const notice = (await exercise.notice.textContent()) ?? "";
    assert.match(notice, /The runner cannot be reached/);
    // The page came from this machine, so its address need not be told.
    assert.match(notice, /Run make serve in the clone again/);
    await exercise.type("package a\n");
    assert.match(await exercise.text(), /package a/);
  });

  test("a server that went away is said in the same words", async () => {
    const exercise = await open();
    await context.setOffline(true);
    await exercise.checked();
    assert.match((await exercise.notice.textContent()) ?? "", /The runner cannot be reached/);
  });

  test("a page opened from disk has an editor, and says what a check needs", async () => {
    const file = join(process.env["OTS_BOOK"]!, "from-disk.html");
    await writeFile(file, bookPage().replaceAll('"/book/widgets', '"widgets').replace('path_to_root = "../"', 'path_to_root = ""'));
    const exercise = await ExercisePage.open(page, `file://${file}`, "exercise1");
    await exercise.checked();
    assert.match((await exercise.notice.textContent()) ?? "", /opened from a file.*make serve/);
  });

  test("a busy runner is waited for, and what it refuses is shown", async () => {
    let asked = 0;
    post = (request) => (asked++ === 0 ? { status: 503, headers: { "Retry-After": "1" }, body: { error: "busy" } } : runner(request));
    const exercise = await open();
    await exercise.check.click();
    await exercise.root.locator(".ots-status").getByText("The runner is busy, trying again in 1 s").waitFor();
    await exercise.headline.getByText("Not yet").waitFor();
    assert.equal(asked, 2);

    post = () => ({ status: 413, body: { error: "the files are over 64 KiB" } });
    await exercise.check.click();
    await exercise.notice.getByText("the files are over 64 KiB").waitFor();
  });

  test("a check says that it is under way and can be canceled", async () => {
    post = (request) => ({ ...runner(request)!, after: 5000 });
    const exercise = await open();
    await exercise.check.click();
    await exercise.button("Checking…").waitFor();
    await exercise.button("Cancel").click();
    await exercise.root.locator(".ots-status").getByText("Canceled").waitFor();
    assert.equal(await exercise.check.evaluate((e) => e === document.activeElement), true);
  });

  test("blocked storage is said, and everything else works", async () => {
    await page.addInitScript(() => {
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
    const other = await ExercisePage.open(await context.newPage(), url(), "exercise1");
    await other.type("package other\n");
    await exercise.editor.getByText("package other").waitFor();
    assert.match(await exercise.text(), /package other/);
  });

  test("typing turns no pages, Tab indents, and Escape then Tab leaves", async () => {
    const exercise = await open();
    await exercise.editor.focus();
    await page.keyboard.press("ControlOrMeta+Home");
    await page.keyboard.press("Tab");
    await page.keyboard.type("s/");
    await page.keyboard.press("ArrowRight");
    assert.match(await exercise.text(), /^\ts\/package/);
    assert.equal(await page.evaluate("pagesTurned"), 0);
    await page.keyboard.press("Escape");
    await page.keyboard.press("Tab");
    assert.equal(await exercise.check.evaluate((e) => e === document.activeElement), true);
  });

  test("a program runs, with its errors told apart and its exit status", async () => {
    await page.goto(url());
    const program = page.locator(".ots-program");
    await program.getByRole("button", { name: "Run" }).click();
    await program.getByText("Exited with status 3, ran in the sandbox").waitFor();
    assert.equal(await program.locator(".ots-output").textContent(), "one\ntwo\n");
    assert.equal(await program.locator(".ots-stderr").textContent(), "two\n");

    post = () => ({ body: { ...PROGRAM_RUN, Errors: "./prog.go:9:2: undefined: x\n", Events: null } });
    await program.getByRole("button", { name: "Run" }).click();
    await program.getByText("Does not compile").waitFor();
    assert.equal(await program.locator(".ots-output").textContent(), "./prog.go:9:2: undefined: x");
  });

  test("a printed verdict takes the place of its text", async () => {
    await page.goto(url());
    const picture = page.locator("#checked");
    assert.match((await picture.locator(".ots-code-line").first().textContent()) ?? "", /15input := bytes\.NewBuffer\(data\)/);
    assert.equal(await picture.locator("pre").first().isVisible(), false);
    assert.equal(await picture.getByRole("button").count(), 0);

    const explained = page.locator("#explained");
    assert.equal(await explained.locator(".ots-headline").count(), 0, "nothing was asked of a listing");
    assert.equal(await explained.locator(".ots-stages").count(), 0);
    assert.match((await explained.locator(".ots-bench").textContent()) ?? "", /allocs\/op 2B\/op 112/);
  });

  test("without JavaScript everything static stays", async () => {
    await fresh({ javaScriptEnabled: false });
    await page.goto(url());
    for (const pre of await page.locator("pre").all()) assert.equal(await pre.isVisible(), true);
    assert.equal(await page.locator(".ots-exercise details").isVisible(), true);
  });

  test("the editor is fetched only when an exercise comes near", async () => {
    const scripts: string[] = [];
    page.on("request", (r) => scripts.push(new URL(r.url()).pathname));
    await page.setViewportSize({ width: 1440, height: 300 });
    await page.addInitScript(() => {
      document.addEventListener("DOMContentLoaded", () => document.querySelector("h1")!.setAttribute("style", "margin-bottom: 3000px"));
    });
    await page.goto(url());
    await page.waitForTimeout(300);
    assert.equal(scripts.includes("/book/widgets/editor.js"), false);
    await page.locator("#exercise1").scrollIntoViewIfNeeded();
    await page.locator(".cm-content").waitFor();
    assert.equal(scripts.includes("/book/widgets/editor.js"), true);
  });

  test("nothing makes the page scroll sideways at 360 px", async () => {
    await fresh({ viewport: { width: 360, height: 740 } });
    const exercise = await open();
    const overflow = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    const inner = () => page.locator(".content").evaluate((e) => e.scrollWidth - e.clientWidth);
    for (const text of [STARTER, BROKEN, SOLUTION]) {
      await exercise.type(text);
      await exercise.checked();
      await page.waitForTimeout(50);
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
    await page.setViewportSize({ width: 700, height: 900 });
    assert.equal(await sideBySide(), false);
  });

  for (const name of THEME_NAMES) {
    test(`text in the ${name} theme has the contrast of WCAG AA`, async () => {
      theme = name;
      const exercise = await open();
      await exercise.type(BROKEN);
      await exercise.checked();
      await exercise.button("Hint 1 of 3").click();
      const broken = await faintTexts(page, ".ots-widget, .ots-picture");
      await exercise.type(SOLUTION);
      await exercise.checked();
      await exercise.marks.first().focus();
      const passed = await faintTexts(page, ".ots-widget");
      await exercise.type(STARTER);
      const stale = await faintTexts(page, ".ots-widget");
      assert.deepEqual([...broken.faint, ...passed.faint, ...stale.faint], []);
      assert.ok(broken.seen > 60 && passed.seen > 60, `only ${broken.seen} and ${passed.seen} texts were looked at`);
    });
  }
});
