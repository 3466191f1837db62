// A workshop's day: the times of a plan, its deck, and the work that a participant takes along.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { unzipSync } from "fflate";
import type { BrowserContext, Page } from "playwright-core";
import { ExercisePage } from "../browser/exercise-page.ts";
import { root, Site } from "./site.ts";
import { exercisesOf } from "./workbook.ts";

const run = promisify(execFile);

describe("the day", () => {
  let site: Site;
  let context: BrowserContext;
  let page: Page;
  before(async () => {
    site = await Site.start();
    context = await site.browser.newContext({ viewport: { width: 1280, height: 800 }, acceptDownloads: true });
    page = await site.open(context);
  });
  after(async () => {
    assert.deepEqual(site?.errors, []);
    await site?.stop();
  });

  const url = (path: string) => `${site.runner.url}/${path}`;
  const deck = (query = "") => page.goto(url(`instructors/full-day/deck/${query}`));
  const shown = () => page.locator(".slide.is-shown");
  const slideIs = (id: string) => page.waitForURL((at) => at.hash === `#${id}`);

  test("checkalloc continues with the downloaded work", async () => {
    const solution = Object.values((await exercisesOf(root)).find(({ id }) => id === "exercise6")!.solution)[0]!;
    const exercise = await ExercisePage.open(page, url("exercises/exercise6/"), "exercise6");
    await exercise.type(solution);
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      exercise.button("Download my work").click(),
    ]);
    const dir = await mkdtemp(join(tmpdir(), "onthestack-day-"));
    try {
      for (const [name, bytes] of Object.entries(unzipSync(await readFile(await download.path())))) {
        if (name.endsWith("/")) continue;
        await mkdir(dirname(join(dir, name)), { recursive: true });
        await writeFile(join(dir, name), bytes);
      }
      const args = ["run", "-trimpath", "./tools/checkalloc", "--dir", join(dir, "on-the-stack"), "--json", "exercise6"];
      const { stdout } = await run("go", args, { cwd: root, maxBuffer: 1 << 26 });
      assert.equal(JSON.parse(stdout).pass, true, stdout);
    } finally {
      await rm(dir, { recursive: true });
    }
  });

  test("another reader's browser checks a shared attempt", async () => {
    await page.getByRole("button", { name: "Share this attempt" }).click();
    const link = await page.getByLabel("Link").inputValue();
    const other = await site.browser.newContext();
    const exercise = await ExercisePage.open(await site.open(other), link, "exercise6");
    assert.match(await exercise.text(), /its 48 bytes are part of this stack frame/);
    await exercise.page.getByText("An attempt that somebody shared").waitFor();
    await exercise.checked();
    await exercise.root.locator(".ots-headline", { hasText: /^Passed/i }).first().waitFor();
    await other.close();
  });

  test("the plan shows what is under way, what comes next, and how late it is", async () => {
    await page.clock.install({ time: new Date(2026, 10, 23, 12, 55) });
    await page.goto(url("instructors/half-day/"));
    const today = page.getByRole("region", { name: "Today" });
    await today.getByLabel("Starts at").fill("13:00");
    await today.getByText("The plan begins at 13:00.").waitFor();
    await page.locator(".timetable tbody tr:nth-child(2)", { hasText: "13:10" }).waitFor();
    await page.locator(".block .time", { hasText: "13:10–13:25" }).waitFor();

    await page.locator("h1").click(); // the keys are the page's, not the field's
    await page.clock.fastForward("00:09:00");
    await page.keyboard.press("n");
    await today.getByText("4 minutes late: it will end at 16:19.").first().waitFor();
    await page.clock.fastForward("00:06:30");
    await page.keyboard.press("n");
    await today.getByText("On time.").first().waitFor();
    await today.getByText("Now: Which line?, planned until 13:25.").first().waitFor();
    await today.getByText("Next: How many bytes?, planned for 13:25.").waitFor();

    const [projected] = await Promise.all([context.waitForEvent("page"), page.keyboard.press("p")]);
    await projected.waitForURL("**/book/memory-profiling/program.html");
    await page.keyboard.press("s");
    await projected.waitForURL("**/instructors/half-day/deck/#which-line");
    await projected.locator(".slide.is-shown .time", { hasText: "13:10–13:25" }).waitFor();
    // The deck goes on, and the plan follows.
    await projected.keyboard.press("ArrowRight");
    await today.getByText("Now: How many bytes?").first().waitFor();
    await projected.close();
    await page.reload();
    await today.getByText("Now: How many bytes?, planned until 13:35.").first().waitFor();
  });

  test("the deck begins with the address and the room's code, and its hash follows the slide", async () => {
    await deck("?room=k7m-2qx");
    const first = page.locator("#join");
    await first.getByText(`${site.runner.url.replace("http://", "")}/join`, { exact: true }).waitFor();
    await first.getByText("K7M2QX", { exact: true }).waitFor();
    assert.equal(await first.locator(".qr").getAttribute("aria-label"), `QR code of ${url("join/#K7M2QX")}`);
    for (const [key, id] of [
      ["ArrowRight", "welcome-and-set-up"],
      ["PageDown", "which-line"],
      [" ", "how-many-bytes"],
      ["ArrowLeft", "which-line"],
      ["End", "one-thing"],
      ["Home", "join"],
    ] as const) {
      await page.keyboard.press(key);
      await slideIs(id);
    }
    assert.ok(page.url().includes("room=k7m-2qx"));
    await page.locator("#slots").scrollIntoViewIfNeeded();
    await page.locator("#slots").evaluate((slide) => slide.scrollIntoView());
    await slideIs("slots");
    await page.keyboard.press("ArrowRight");
    await slideIs("sorting-and-size-classes-staircase");
  });

  test("an observer's entries that are older than a key do not undo it", async () => {
    const watched = await site.open(context);
    // A busy browser delivers the entries of several frames at once, and not in their order.
    await watched.addInitScript(() => {
      const Observer = IntersectionObserver;
      window.IntersectionObserver = class extends Observer {
        constructor(callback: IntersectionObserverCallback, options?: IntersectionObserverInit) {
          super((entries, observer) => {
            const isIntersecting = true;
            const target = document.querySelector("#slots")!;
            callback([...entries, { isIntersecting, target } as unknown as IntersectionObserverEntry], observer);
          }, options);
        }
      };
    });
    await watched.goto(url("instructors/full-day/deck/#which-line"));
    await watched.locator("#which-line.is-shown").waitFor();
    await watched.keyboard.press("End");
    await watched.locator("#one-thing.is-shown").waitFor();
    for (let frame = 0; frame < 5; frame++) await watched.evaluate(() => new Promise(requestAnimationFrame));
    assert.equal(new URL(watched.url()).hash, "#one-thing");
    await watched.close();
  });

  test("a code that is none is not shown", async () => {
    await deck("?room=%3Cb%3E");
    await page.locator("#join .deck-address").waitFor();
    assert.equal(await page.locator("#join .deck-code").count(), 0);
  });

  test("each part of the plan has its question, and its notes behind a key or in a second window", async () => {
    await deck("#which-line");
    await slideIs("which-line");
    await shown().getByText("Which line of this program allocates?").waitFor();
    const notes = shown().getByText("We expect most to point at the");
    assert.equal(await notes.isVisible(), false);
    await page.keyboard.press("n");
    await notes.waitFor();
    await page.keyboard.press("n");
    await notes.waitFor({ state: "hidden" });

    const [speaker] = await Promise.all([context.waitForEvent("page"), page.keyboard.press("w")]);
    await speaker.getByText("We expect most to point at the").waitFor();
    await speaker.keyboard.press("ArrowRight");
    await slideIs("how-many-bytes");
    await page.keyboard.press("ArrowRight");
    await speaker.waitForURL((at) => at.hash === "#to-the-last-byte");
    await speaker.close();
    for (const slide of await page.locator(".deck .slide:not(#join):not(.break)").all())
      assert.equal(await slide.locator(".question").count(), 1, await slide.getAttribute("id") ?? "");
  });

  test("a slide shows the program that it asks about, and the address that it names", async () => {
    await deck("#which-line");
    await slideIs("which-line");
    await shown().locator("pre").getByText("window := make([]byte, size)").waitFor();
    for (const id of ["how-many-bytes", "to-the-last-byte", "why-the-compilers-report", "the-quiz"])
      assert.ok((await page.locator(`#${id} .screen pre`).count()) > 0, id);
    const where = page.locator("#welcome-and-set-up .screen .where");
    assert.equal(
      await where.textContent(),
      `${site.runner.url.replace("http://", "")}/book/memory-profiling/program.html`,
    );
    for (const size of [{ width: 1280, height: 800 }, { width: 1920, height: 1080 }]) {
      await page.setViewportSize(size);
      const cut = await page.locator(".screen pre").evaluateAll((all) =>
        all.filter((e) => e.scrollWidth > e.clientWidth || e.scrollHeight > e.clientHeight).map((e) => e.textContent),
      );
      assert.deepEqual(cut, [], `${size.width} × ${size.height}`);
    }
  });

  test("a question mark lists the keys", async () => {
    await deck("#which-line");
    await slideIs("which-line");
    const keys = page.getByRole("dialog", { name: "Keys" });
    assert.equal(await keys.isVisible(), false);
    await page.keyboard.press("?");
    await keys.getByText("the speaker’s notes below the slide").waitFor();
    await page.keyboard.press("Escape");
    await keys.waitFor({ state: "hidden" });
    await page.keyboard.press("?");
    await page.keyboard.press("?");
    await keys.waitFor({ state: "hidden" });
    assert.equal(new URL(page.url()).hash, "#which-line");
  });

  test("a slide fits on the screen", async () => {
    for (const size of [{ width: 1280, height: 800 }, { width: 1920, height: 1080 }]) {
      await page.setViewportSize(size);
      await deck();
      const tall = await page
        .locator(".slide")
        .evaluateAll((slides) => slides.filter((s) => s.scrollHeight > innerHeight + 1).map((s) => s.id));
      assert.deepEqual(tall, [], `${size.width} × ${size.height}`);
    }
  });

  test("without a script, the deck is a page with all questions and notes", async () => {
    const plain = await site.browser.newContext({ javaScriptEnabled: false });
    const page = await plain.newPage();
    await page.goto(url("instructors/half-day/deck/#which-line"));
    await page.getByText("Which line of this program allocates?").waitFor();
    await page.locator("#which-line summary").click();
    await page.getByText("We expect most to point at the").waitFor();
    await plain.close();
  });

  test("printed, each slide is a page", async () => {
    await page.goto(url("instructors/half-day/deck/"));
    await shown().waitFor();
    const slides = await page.locator(".slide").count();
    const pdf = (await page.pdf({ preferCSSPageSize: true })).toString("latin1");
    const pages = pdf.match(/\/Type\s*\/Page\b/g)?.length ?? 0;
    assert.equal(pages, slides);
  });
});
