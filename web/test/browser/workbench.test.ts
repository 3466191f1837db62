// The page of one exercise as a place to work: what is in view, and what stays where it is.

import assert from "node:assert/strict";
import { test } from "node:test";
import { answerChecks } from "../stand-in/exercise-runner.ts";
import { event, Gate } from "../stand-in/server.ts";
import { filesOf } from "../stand-in/scripts.ts";
import { SOLUTION, STARTER, TWO_ALLOCATIONS } from "../stand-in/verdicts.ts";
import { workbenchPage } from "../stand-in/workbench.ts";
import { ExercisePage } from "./exercise-page.ts";
import { inBrowser } from "./harness.ts";
import { hidden, inView, LAPTOP, PHONE, places, scrollAll, SIZES, small, THREE, unmoved } from "./panes.ts";

inBrowser("the page of an exercise", answerChecks, (book) => {
  /** Opens the page. Where one pane is shown, it is the task. */
  async function open(viewport: { width: number; height: number }): Promise<ExercisePage> {
    book.edit = () => workbenchPage();
    await book.page.setViewportSize(viewport);
    await book.page.goto(book.url);
    const exercise = new ExercisePage(book.page, "exercise6");
    await exercise.editor.waitFor({ state: "attached" });
    return exercise;
  }
  const pane = (name: "task" | "code" | "verdict") => book.page.locator(`.ots-pane.is-${name}`);
  const tab = (name: string) => book.page.getByRole("tab", { name });
  const shown = async () => {
    const names = ["task", "code", "verdict"] as const;
    const visible = await Promise.all(names.map((name) => pane(name).isVisible()));
    return names.filter((_, i) => visible[i]).join(" ");
  };

  for (const [width, height] of SIZES) {
    test(`Check and its state are in view at ${width} by ${height}, however far the page is scrolled`, async () => {
      const exercise = await open({ width, height });
      const seen = {
        Check: exercise.check,
        "its state": exercise.root.locator(".ots-check-words"),
        Hint: exercise.root.locator(".ots-check-bar > :last-child"),
      };
      const faults = await hidden(book.page, "at first", seen);
      if (await tab("Code").isVisible()) {
        await tab("Code").click();
        faults.push(...(await hidden(book.page, "with the code", seen)));
      }
      await exercise.checked();
      faults.push(...(await hidden(book.page, "with a verdict", seen)));
      assert.deepEqual(faults, []);
      const wide = await book.page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.equal(wide, 0, "nothing scrolls sideways");
    });
  }

  for (const viewport of [THREE, LAPTOP, PHONE]) {
    test(`no button moves during a check or after Reset at ${viewport.width} px`, async () => {
      const [waiting, building] = [new Gate(), new Gate()];
      const exercise = await open(viewport);
      if (await tab("Code").isVisible()) await tab("Code").click();
      await exercise.editor.waitFor();
      const first = await places(book.page);

      const reset = exercise.root.locator(".ots-code-head").getByRole("button", { name: "Reset" });
      await reset.dblclick();
      await exercise.button("Put it back").waitFor();
      unmoved(await places(book.page), first, "while Reset asks");
      await exercise.button("Keep mine").click();
      unmoved(await places(book.page), first, "after Reset was declined");
      await exercise.type(SOLUTION);
      await reset.click();
      await exercise.button("Put it back").click();
      unmoved(await places(book.page), first, "after Reset");
      await exercise.button("Undo").click();
      assert.match(await exercise.text(), /input\.Read\(/);
      assert.equal(await exercise.root.locator(".ots-hints li").count(), 0, "the second click did not ask for a hint");

      const stages = [event("stage", { stage: "policy" }), building, event("verdict", TWO_ALLOCATIONS)];
      book.post = () => ({ stream: [event("queued", { position: 2 }), waiting, ...stages] });
      const before = await places(book.page);
      await exercise.check.click();
      const summary = exercise.root.locator(".ots-summary");
      await summary.getByText("Waiting, number 2 in the queue").waitFor();
      unmoved(await places(book.page), before, "while the check waits");
      assert.equal(await inView(exercise.button("Cancel")), true);
      waiting.open();
      await summary.getByText("build: building…").waitFor();
      unmoved(await places(book.page), before, "while it builds");
      building.open();
      await summary.getByText("Not yet: 2 allocs/op, target 1").waitFor();
      unmoved(await places(book.page), before, "with the verdict");
    });
  }

  test("the panes that there is room for are beside each other", async () => {
    const exercise = await open(THREE);
    assert.equal(await shown(), "task code verdict");
    assert.equal(await book.page.getByRole("tablist").isVisible(), false);
    const [task, code, verdict] = await Promise.all((["task", "code", "verdict"] as const).map((n) => pane(n).boundingBox()));
    assert.ok(task!.x < code!.x && code!.x < verdict!.x);
    assert.equal(await book.page.evaluate(() => document.documentElement.scrollHeight - innerHeight), 0);

    await book.page.setViewportSize(LAPTOP);
    assert.equal(await shown(), "task code");
    assert.equal(await tab("Task").getAttribute("aria-selected"), "true");
    await exercise.checked();
    assert.equal(await shown(), "code verdict", "a check shows its verdict");
    await tab("Task").click();
    assert.equal(await shown(), "task code");

    await book.page.setViewportSize(PHONE);
    assert.equal((await shown()).split(" ").length, 1);
  });

  test("the width of a pane follows the pointer and the keys, and is kept", async () => {
    const exercise = await open(THREE);
    const divider = book.page.getByRole("separator", { name: "Width of the task" });
    const width = async (name: "task" | "verdict") => (await pane(name).boundingBox())!.width;
    const at = (await divider.boundingBox())!;
    const first = await width("task");
    await book.page.mouse.move(at.x + at.width / 2, at.y + 100);
    await book.page.mouse.down();
    await book.page.mouse.move(at.x + at.width / 2 + 90, at.y + 120, { steps: 3 });
    await book.page.mouse.up();
    const dragged = await width("task");
    assert.ok(Math.abs(dragged - first - 90) < 3, `from ${first} to ${dragged}`);

    const right = book.page.getByRole("separator", { name: "Width of the verdict" });
    const before = await width("verdict");
    await right.focus();
    for (let i = 0; i < 3; i++) await book.page.keyboard.press("ArrowLeft");
    const wider = await width("verdict");
    assert.ok(wider > before + 60, `from ${before} to ${wider}`);
    assert.equal(await right.getAttribute("aria-valuenow"), (100 - (100 * wider) / THREE.width).toFixed(0));

    await book.page.reload();
    await exercise.editor.waitFor();
    assert.ok(Math.abs((await width("task")) - dragged) < 1);
    assert.ok(Math.abs((await width("verdict")) - wider) < 1);

    // The code keeps its room.
    await divider.focus();
    await book.page.keyboard.press("End");
    assert.ok((await pane("code").boundingBox())!.width >= 0.29 * THREE.width);
    await divider.dblclick();
    assert.ok(Math.abs((await width("task")) - first) < 1, "a double click restores it");
  });

  test("on a phone one pane is shown, and the keyboard switches", async () => {
    const exercise = await open(PHONE);
    assert.equal(await shown(), "task");
    await tab("Task").focus();
    await book.page.keyboard.press("ArrowRight");
    assert.equal(await shown(), "code");
    assert.equal(await tab("Code").evaluate((e) => e === document.activeElement), true);
    await book.page.keyboard.press("End");
    assert.equal(await shown(), "verdict");
    await book.page.keyboard.press("ArrowRight");
    assert.equal(await shown(), "task");
    assert.equal(await tab("Code").getAttribute("tabindex"), "-1");
    assert.equal(await book.page.getByRole("tabpanel", { name: "Task" }).isVisible(), true);

    await book.page.keyboard.press("ArrowRight");
    await exercise.type(STARTER);
    await book.page.keyboard.press("Control+Enter");
    await exercise.headline.getByText("Not yet").waitFor();
    assert.equal(await shown(), "verdict");
    assert.equal(await tab("Verdict").evaluate((e) => e === document.activeElement), true, "the focus is not lost");
    await exercise.root.locator(".ots-allocs").getByRole("button", { name: "line 15" }).first().click();
    assert.equal(await shown(), "code");
    assert.equal(await exercise.editor.evaluate((e) => e === document.activeElement), true);
    assert.equal(await inView(exercise.editor.locator(".ots-line-alloc").first()), true);
  });

  test("on a phone the page scrolls and not the editor, and each pane is found where it was left", async () => {
    const exercise = await open(PHONE);
    await tab("Code").click();
    const inner = await exercise.root.locator(".cm-scroller").evaluate((e) => e.scrollHeight - e.clientHeight);
    assert.ok(inner <= 0, `the editor scrolls by ${inner} px`);
    await scrollAll(book.page, 0.5);
    const left = await book.page.evaluate(() => scrollY);
    assert.ok(left > 100);
    await tab("Verdict").click();
    await tab("Code").click();
    // The editor estimates the heights of lines until it has drawn them.
    const now = await book.page.evaluate(() => scrollY);
    assert.ok(Math.abs(now - left) < 50, `from ${left} to ${now}`);
  });

  test("Ctrl-Enter checks from anywhere on the page", async () => {
    const exercise = await open(THREE);
    await book.page.locator("h1").click();
    await book.page.keyboard.press("Control+Enter");
    await exercise.headline.getByText("Not yet").waitFor();
    await pane("task").focus();
    await exercise.page.keyboard.press("Control+Enter");
    await exercise.headline.getByText("Not yet").waitFor();
  });

  for (const viewport of [THREE, LAPTOP, PHONE]) {
    test(`a hint opens in view at ${viewport.width} px`, async () => {
      const exercise = await open(viewport);
      await exercise.checked();
      for (const n of [1, 2, 3]) {
        await exercise.button(`Hint ${n} of 3`).click();
        assert.equal(await inView(exercise.root.locator(".ots-hints li").nth(n - 1)), true, `hint ${n}`);
        assert.equal(await pane("code").isVisible(), viewport !== PHONE, "beside the code");
      }
    });

    test(`the solution that was asked for is in view at ${viewport.width} px`, async () => {
      const exercise = await open(viewport);
      for (const n of [1, 2, 3]) await exercise.button(`Hint ${n} of 3`).click();
      if (viewport === PHONE) await tab("Code").click();
      await exercise.button("Show the solution").click();
      assert.equal(await inView(exercise.button("Keep trying")), true, "the question");
      await exercise.button("Show it").click();
      const solution = exercise.root.locator(".ots-solution");
      await solution.getByText("One solution, compared with yours").waitFor();
      assert.equal(await inView(solution.getByText("One solution, compared with yours")), true, "the solution");
    });
  }

  /** Takes a seat in a room, whose state the page follows. */
  const takeSeat = () =>
    book.initially(() => {
      const seat = { room: "WXYZ23", title: "Thursday", participant: "p1", token: "t", name: "Ada" };
      localStorage.setItem("onthestack/2/room/seat", JSON.stringify(seat));
      const room = { room: "WXYZ23", title: "Thursday", exercises: ["exercise6"], participants: [{ id: "p1", name: "Ada" }] };
      const { fetch } = window;
      const events = (text: string) =>
        new ReadableStream({ start: (stream) => stream.enqueue(new TextEncoder().encode(text)) });
      window.fetch = async (url, options) => {
        if (!String(url).includes("/api/rooms/")) return fetch(url, options);
        if (!String(url).includes("/events")) return Response.json({ id: "s1" });
        return new Response(events(`event: room\ndata: ${JSON.stringify(room)}\n\n`));
      };
    });

  for (const [width, height] of SIZES) {
    test(`a participant of a room has Check and its state in view at ${width} by ${height}`, async () => {
      await takeSeat();
      const exercise = await open({ width, height });
      const line = book.page.locator(".ots-room-line");
      await line.getByText("In the room Thursday as Ada.").waitFor();
      assert.equal(await inView(line.getByRole("button", { name: "Raise a hand" })), true, "the hand");
      const seen = { Check: exercise.check, "its state": exercise.root.locator(".ots-check-words") };
      const faults = await hidden(book.page, "at first", seen);
      await exercise.checked();
      faults.push(...(await hidden(book.page, "with a verdict", seen)));
      assert.deepEqual(faults, []);
    });
  }

  test("a participant's buttons do not move during a check that hands in", async () => {
    await takeSeat();
    const exercise = await open(THREE);
    const line = book.page.locator(".ots-room-line");
    await line.getByRole("button", { name: "Hand in" }).waitFor();
    const before = await places(book.page, ".workbench");
    await exercise.type(SOLUTION);
    await exercise.checked();
    await exercise.headline.getByText("Passed").waitFor();
    unmoved(await places(book.page, ".workbench"), before, "after a pass");
  });

  test("a finger finds everything", async () => {
    await book.fresh({ hasTouch: true, isMobile: true, viewport: PHONE });
    const exercise = await open(PHONE);
    const fits = () => book.page.evaluate(() => innerWidth === document.documentElement.clientWidth);
    assert.deepEqual(await small(book.page, "button, summary, .head a, .top a"), []);
    await tab("Code").click();
    assert.deepEqual(await small(book.page, "button, summary, .head a, .top a"), []);
    assert.equal(await fits(), true, "the page is as wide as the phone");
    assert.equal(await inView(exercise.check), true);
    await exercise.checked();
    assert.deepEqual(await small(book.page, "button, summary, .head a, .top a"), []);
  });

  test("without scripts it is a page to read, with the task, the starter and the hints", async () => {
    await book.fresh({ javaScriptEnabled: false });
    book.edit = () => workbenchPage();
    await book.page.setViewportSize(LAPTOP);
    await book.page.goto(book.url);
    for (const words of ["Bring Replace down", "func Replace", "In the clone:", "Hint 1", "2 listings of this chapter"])
      assert.equal(await book.page.getByText(words).first().isVisible(), true, words);
  });

  test("if its script cannot be loaded, the page says so and can be read", async () => {
    const parts = filesOf("src/exercise/panes.ts").concat(filesOf("editor"));
    await book.context.route(
      (url) => parts.some((name) => url.pathname.endsWith(name)) && !filesOf("onthestack").some((n) => url.pathname.endsWith(n)),
      (route) => route.abort(),
    );
    book.edit = () => workbenchPage();
    await book.page.goto(book.url);
    await book.page.getByText("could not be loaded. Reload the page to try again.").waitFor();
    for (const words of ["Bring Replace down", "func Replace", "Hint 1"])
      assert.equal(await book.page.getByText(words).first().isVisible(), true, words);
  });

  test("on paper are the task, the reader's own code and the verdict", async () => {
    const exercise = await open(THREE);
    await exercise.type(SOLUTION);
    await exercise.checked();
    await book.page.evaluate(() => dispatchEvent(new Event("beforeprint")));
    await book.page.emulateMedia({ media: "print" });
    const paper = await book.page.locator("main").innerText();
    assert.match(paper, /Bring Replace down to one allocation/);
    assert.match(paper, /stream\.go, with your changes/);
    assert.match(paper, /input\.Read\(window\[held:\]\)/);
    const top = async (words: string) => (await book.page.getByText(words).locator("visible=true").first().boundingBox())!.y;
    assert.ok((await top("Bring Replace down")) < (await top("package stream")));
    assert.ok((await top("package stream")) < (await exercise.headline.boundingBox())!.y);
    assert.equal(await exercise.check.isVisible(), false);
    assert.equal(await book.page.locator(".pager").isVisible(), false);
    await book.page.emulateMedia({ media: null });
    await book.page.evaluate(() => dispatchEvent(new Event("afterprint")));
    assert.match((await book.page.locator("pre code").first().textContent())!, /io\.ReadFull/);
  });

  test("in forced colors the selected tab is marked", async () => {
    await open(PHONE);
    await book.page.emulateMedia({ forcedColors: "active" });
    const line = (name: string) => tab(name).evaluate((e) => getComputedStyle(e).borderBlockEndColor);
    assert.notEqual(await line("Task"), await line("Code"));
    await book.page.emulateMedia({ forcedColors: null });
  });
});
