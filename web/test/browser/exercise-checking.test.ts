// The view of an exercise while a check is under way.

import assert from "node:assert/strict";
import { test } from "node:test";
import { answerChecks } from "../stand-in/exercise-runner.ts";
import { event, Gate, type Answer } from "../stand-in/server.ts";
import { BUILD_ERROR, PASS, SOLUTION, TWO_ALLOCATIONS } from "../stand-in/verdicts.ts";
import { faintTexts } from "./contrast.ts";
import { ExercisePage } from "./exercise-page.ts";
import { inBrowser } from "./harness.ts";

inBrowser("an exercise during a check", answerChecks, (book) => {
  const open = () => ExercisePage.open(book.page, book.url, "exercise6");

  /** Returns the stages of the rail, such as "policy ok". */
  const stages = (exercise: ExercisePage) =>
    exercise.root.locator(".ots-stages > li").evaluateAll((items) => items.map((li) => li.textContent!.trim()));
  const untilStages = (exercise: ExercisePage, want: string[]) =>
    exercise.page.waitForFunction(
      (want) =>
        [...document.querySelectorAll("#exercise6 .ots-stages > li")].map((li) => li.textContent!.trim()).join() ===
        want,
      want.join(),
    );

  test("the page waits for a busy runner, and shows its refusals", async () => {
    let asked = 0;
    book.post = (request) =>
      asked++ === 0 ? { status: 503, headers: { "Retry-After": "1" }, body: { error: "busy" } } : answerChecks(request);
    const exercise = await open();
    await exercise.check.click();
    await exercise.root.locator(".ots-status").getByText("The runner is busy, trying again in 1 s").waitFor();
    await exercise.headline.getByText("Not yet").waitFor();
    assert.equal(asked, 2);

    book.post = () => ({ status: 413, body: { error: "the files are over 64 KiB" } });
    await exercise.check.click();
    await exercise.notice.getByText("the files are over 64 KiB").waitFor();
  });

  test("stages appear as they finish, at their place in the verdict, and nothing moves", async () => {
    let accept = "";
    const [waiting, building, measuring] = [new Gate(), new Gate(), new Gate()];
    book.post = (request) => {
      accept = request.accept;
      const over = (stage: string) => event("stage", { stage });
      return {
        stream: [
          event("queued", { position: 2 }),
          waiting,
          over("policy"),
          building,
          over("build"),
          over("tests"),
          measuring,
          event("verdict", TWO_ALLOCATIONS),
        ],
      };
    };
    const exercise = await open();
    // The page's clock stands still, so that the check takes no time.
    await book.page.evaluate(() => {
      const now = performance.now();
      performance.now = () => now;
    });
    // Both places at once: between two questions the page may have drawn the next stage.
    const places = () =>
      exercise.root.evaluate((root) => {
        const place = (selector: string) => root.querySelector(selector)!.getBoundingClientRect().toJSON() as DOMRect;
        return { headline: place(".ots-headline"), rail: place(".ots-stages") };
      });
    assert.deepEqual(await stages(exercise), ["policy", "build", "tests", "benchmark"]);
    assert.equal(await exercise.headline.textContent(), "Not checked yet");
    const before = await places();
    await exercise.check.click();
    await exercise.headline.getByText("Waiting, number 2 in the queue").waitFor();
    assert.deepEqual(await places(), before);
    waiting.open();
    await untilStages(exercise, ["policy ok", "build building…", "tests", "benchmark"]);
    assert.equal(await exercise.headline.textContent(), "Checking…");
    assert.deepEqual(await places(), before);
    building.open();
    await untilStages(exercise, ["policy ok", "build ok", "tests ok", "benchmark measuring…"]);
    assert.deepEqual(await places(), before);
    assert.equal(
      await exercise.root.getByRole("status").textContent(),
      "Checking…",
      "what is over within two seconds is not announced",
    );
    measuring.open();
    await untilStages(exercise, ["policy ok", "build ok", "tests 6 of 6", "benchmark not yet"]);
    assert.equal(await exercise.headline.textContent(), "Not yet: 2 allocs/op, target 1");
    assert.deepEqual((await places()).rail, before.rail);
    assert.equal(await exercise.marks.count(), 2);
    assert.equal(accept, "text/event-stream");
    assert.match((await exercise.root.getByRole("status").textContent()) ?? "", /^Not yet/);
  });

  test("a check that lost its place in the queue is sent again, and its stages are reset", async () => {
    const bodies: string[] = [];
    const over = (stage: string) => event("stage", { stage });
    const [waiting, testing, building] = [new Gate(), new Gate(), new Gate()];
    const answers: Answer[] = [
      {
        stream: [
          event("queued", { position: 2 }),
          waiting,
          event("busy", { seconds: 1, error: "too many requests are waiting" }),
        ],
      },
      {
        stream: [
          over("policy"),
          over("build"),
          testing,
          event("busy", { seconds: 1, error: "the runner is stopping" }),
        ],
      },
      { stream: [over("policy"), building, event("verdict", TWO_ALLOCATIONS)] },
    ];
    book.post = (request) => (bodies.push(request.body), answers[bodies.length - 1]);
    const exercise = await open();
    const nothing = ["policy", "build", "tests", "benchmark"];
    const waits = exercise.root.locator(".ots-status").getByText("The runner is busy, trying again in 1 s");
    await exercise.check.click();
    await exercise.headline.getByText("Waiting, number 2 in the queue").waitFor();
    waiting.open();
    await waits.waitFor();
    assert.equal(await exercise.headline.textContent(), "Checking…");
    await untilStages(exercise, ["policy ok", "build ok", "tests running…", "benchmark"]);
    testing.open();
    await untilStages(exercise, nothing);
    assert.equal(await waits.isVisible(), true);
    assert.equal(await exercise.root.getByRole("status").textContent(), "The runner is busy, trying again in 1 s");
    await untilStages(exercise, ["policy ok", "build building…", "tests", "benchmark"]);
    building.open();
    await exercise.headline.getByText("Not yet").waitFor();
    assert.equal(bodies.length, 3);
    assert.equal(new Set(bodies).size, 1);
    assert.equal(await exercise.notice.count(), 0);
  });

  test("a check that loses its slot waits again, and its stages begin anew", async () => {
    const over = (stage: string) => event("stage", { stage });
    const [testing, waiting, building] = [new Gate(), new Gate(), new Gate()];
    book.post = () => ({
      stream: [
        over("policy"),
        over("build"),
        testing,
        event("queued", { position: 3 }),
        waiting,
        over("policy"),
        building,
        event("verdict", TWO_ALLOCATIONS),
      ],
    });
    const exercise = await open();
    await exercise.check.click();
    await untilStages(exercise, ["policy ok", "build ok", "tests running…", "benchmark"]);
    testing.open();
    await exercise.headline.getByText("Waiting, number 3 in the queue").waitFor();
    assert.deepEqual(await stages(exercise), ["policy", "build", "tests", "benchmark"]);
    waiting.open();
    await untilStages(exercise, ["policy ok", "build building…", "tests", "benchmark"]);
    building.open();
    await exercise.headline.getByText("Not yet").waitFor();
  });

  test("a failed stage is never shown as passed", async () => {
    await book.initially(() => {
      const seen: string[] = ((globalThis as { seen?: string[] }).seen = []);
      new MutationObserver(() =>
        seen.push(document.querySelector("#exercise6 .ots-stages > li:nth-child(2)")?.textContent ?? ""),
      ).observe(document, { subtree: true, childList: true });
    });
    const gate = new Gate();
    book.post = () => ({
      stream: [
        event("stage", { stage: "policy" }),
        gate,
        event("stage", { stage: "build" }),
        event("verdict", BUILD_ERROR),
      ],
    });
    const exercise = await open();
    await exercise.check.click();
    await book.page.waitForFunction(() => (globalThis as { seen?: string[] }).seen!.includes("build building…"));
    gate.open();
    await exercise.headline.getByText("Does not compile").waitFor();
    const seen = await book.page.evaluate(() => [...new Set((globalThis as { seen?: string[] }).seen)]);
    assert.ok(seen.includes("build building…") && seen.includes("build not yet"), seen.join());
    assert.ok(!seen.includes("build ok"), seen.join());
  });

  test("a long check announces its stage from time to time", async () => {
    book.post = () => ({
      stream: [
        event("stage", { stage: "policy" }),
        2200,
        event("stage", { stage: "build" }),
        3000,
        event("verdict", PASS),
      ],
    });
    const exercise = await open();
    await exercise.check.click();
    await exercise.root.getByRole("status").getByText("policy ok, build ok, tests running…").waitFor();
  });

  test("during a check the last verdict stays, and it is restored if there is no new one", async () => {
    const exercise = await open();
    await exercise.type(SOLUTION);
    await exercise.checked();
    const settled = await stages(exercise);
    book.post = () => ({ stream: [event("stage", { stage: "policy" }), 5000, event("verdict", PASS)] });
    await exercise.check.click();
    await untilStages(exercise, ["policy ok", "build building…", "tests", "benchmark"]);
    assert.equal(await exercise.root.locator(".ots-alloc").count(), 1);
    assert.deepEqual((await faintTexts(book.page, ".ots-widget")).faint, []);
    await exercise.button("Cancel").click();
    await exercise.headline.getByText("Passed").waitFor();
    assert.deepEqual(await stages(exercise), settled);
    assert.equal(await exercise.root.locator(".is-checking").count(), 0);

    book.post = () => ({
      stream: [
        event("stage", { stage: "policy" }),
        event("error", { error: "the runner could not do this; its log says why" }),
      ],
    });
    await exercise.check.click();
    await exercise.notice.getByText("the runner could not do this; its log says why").waitFor();
    assert.deepEqual(await stages(exercise), settled);

    book.post = () => ({ stream: [event("stage", { stage: "policy" })] });
    await exercise.check.click();
    await exercise.notice.getByText("The answer ended before its verdict. Press Check again.").waitFor();
  });

  test("a check says that it is under way and can be canceled", async () => {
    book.post = (request) => ({ ...answerChecks(request)!, after: 5000 });
    const exercise = await open();
    await exercise.check.click();
    await exercise.button("Checking…").waitFor();
    await exercise.button("Cancel").click();
    await exercise.root.locator(".ots-status").getByText("Canceled").waitFor();
    assert.equal(await exercise.check.evaluate((e) => e === document.activeElement), true);
  });
});
