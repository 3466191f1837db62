// A prediction in a room: the instructor asks a question of the book, the projector shows it in a window of its own,
// and two participants answer, one on the page of an exercise and one with a phone.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { accessible, Classroom, roomLine } from "./classroom.ts";

const FIGURE = "predict-memory-profiling-interface";
const CHOICES = "question-memory-profiling-buffer";

interface BookQuestion {
  right: number;
  choices: { text: string }[];
  now: { figure: number };
}

describe("a prediction in a room", () => {
  let room: Classroom;
  let instructor: Page;
  let projector: Page;
  let ada: Page;
  let ben: Page;
  let figure: BookQuestion;
  let choices: BookQuestion;

  before(async () => {
    room = await Classroom.start();
    instructor = await room.page();
    await room.openRoom(instructor, "Thursday", ["Hand back the interface", "Know the size"]);
    [projector] = await Promise.all([
      instructor.context().waitForEvent("page"),
      instructor.getByRole("link", { name: "in its own window" }).click(),
    ]);
    await projector.setViewportSize({ width: 1920, height: 1080 });
    ada = await room.page();
    await room.join(ada, "Ada");
    const phone = await room.context({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
    ben = await room.page(phone);
    await room.join(ben, "Ben");
    const file = async (id: string) =>
      (await (await fetch(room.url(`room/questions/${id}.json`))).json()) as BookQuestion;
    [figure, choices] = await Promise.all([file(FIGURE), file(CHOICES)]);
  });
  after(() => room?.stop());

  const predictions = () => instructor.getByRole("region", { name: "Predictions" });
  const press = (name: string) => predictions().getByRole("button", { name, exact: true }).click();
  const poll = (page: Page) => page.getByRole("region", { name: "A question for the room" });
  const answer = (page: Page) => page.locator(".poll-answer:visible");
  const bars = (page: Page) => page.locator(".poll-bars > li:visible");
  const said = async (page: Page) =>
    (await bars(page).all()).reduce<Promise<string[]>>(
      async (all, bar) => [
        ...(await all),
        `${await bar.locator(".poll-label").innerText()}: ${parseInt(await bar.locator(".poll-count").innerText())}`,
      ],
      Promise.resolve([]),
    );

  async function ask(id: string): Promise<void> {
    await predictions().getByLabel("Question").selectOption(id);
    await press("Ask the room");
  }

  const tokenOf = (page: Page) =>
    page.evaluate(() => {
      const seat = Object.entries(localStorage).find(([name]) => name.endsWith("room/seat"))![1];
      return /"token":"(\w+)"/.exec(seat)![1]!;
    });

  /** What the server tells a participant of the question. */
  async function told(page: Page): Promise<string> {
    const { question } = (await (await room.request("", {}, await tokenOf(page))).json()) as { question: unknown };
    return JSON.stringify(question);
  }

  test("the list has the questions of the plans first, and shows the chosen one", async () => {
    const groups = predictions().getByLabel("Question").locator("optgroup");
    await groups.first().waitFor({ state: "attached" });
    assert.equal(await groups.first().getAttribute("label"), "Plan: Half a day");
    assert.equal(await groups.first().locator("option").first().getAttribute("value"), FIGURE);
    assert.ok((await groups.count()) > 10);
    await predictions().getByLabel("Question").selectOption(CHOICES);
    await predictions().locator(".polls-choices li").nth(2).waitFor();
    assert.equal(await projector.locator(".poll-projector").count(), 0, "nothing is projected yet");
  });

  test("a question is on the projector and on all pages at once", async () => {
    await room.exercise(ada, "exercise6");
    await ask(FIGURE);
    await projector.getByRole("heading", { name: "How many allocs/op?" }).waitFor();
    await projector.getByText("0 of 2 have answered").waitFor();
    assert.equal(await projector.locator(".projector-code").isVisible(), false);
    assert.match(await projector.locator(".poll-join").innerText(), new RegExp(room.code));
    await poll(ben).getByLabel("How many allocs/op?").waitFor();
    await roomLine(ada).getByText("The instructor has asked the room a question.").waitFor();
    await accessible(projector);
    await accessible(ben);
  });

  test("its code can be read from the back of a room", async () => {
    const code = projector.locator(".poll-stage-code pre");
    assert.match((await code.allInnerTexts()).join("\n"), /func Benchmark/);
    for (const pre of await code.all()) {
      const size = await pre.evaluate((node) => parseFloat(getComputedStyle(node).fontSize));
      assert.ok(size >= 22, `the letters are ${size} px high`);
    }
    const beyond = await projector.evaluate(() => document.documentElement.scrollHeight - innerHeight);
    assert.ok(beyond <= 0, `the projector's page is ${beyond} px too long`);
  });

  test("participants answer, and may change their minds", async () => {
    await poll(ben).getByRole("button", { name: "Answer" }).click();
    await poll(ben).getByText("Type a whole number from 0 to").waitFor();
    await poll(ben).getByLabel("How many allocs/op?").fill("7");
    await poll(ben).getByRole("button", { name: "Answer" }).click();
    await poll(ben).getByText("Your answer: 7.").waitFor();
    await projector.getByText("1 of 2 have answered").waitFor();
    await poll(ben).getByLabel("How many allocs/op?").fill("1");
    await poll(ben).getByRole("button", { name: "Change the answer" }).click();
    await poll(ben).getByText("Your answer: 1.").waitFor();

    await roomLine(ada).getByRole("button", { name: "Answer" }).click();
    await poll(ada).getByLabel("How many allocs/op?").fill(String(figure.now.figure));
    await poll(ada).getByRole("button", { name: "Answer" }).click();
    await projector.getByText("2 of 2 have answered").waitFor();
    assert.equal(await bars(projector).count(), 0);
    assert.equal(await told(ben), `{"number":1,"question":"${FIGURE}","state":"open","mine":1}`);
  });

  test("closed, the answers are bars, without names and without the figure", async () => {
    await press("Close");
    const wanted = ["1: 1", "2: 1"];
    for (const page of [projector, ada, ben]) {
      await bars(page).nth(1).waitFor();
      assert.deepEqual(await said(page), wanted, page.url());
      assert.equal(await page.getByText("Measured:").count(), 0);
    }
    assert.equal(await bars(ben).nth(0).locator(".poll-mine").innerText(), "your answer");
    assert.doesNotMatch(await projector.locator("body").innerText(), /\b(Ada|Ben)\b/);
    assert.doesNotMatch(await told(ben), /figure|right|Ada/);
    await accessible(projector);
    await accessible(ben);
    await accessible(ada);
  });

  test("the instructor alone can unfold who answered what", async () => {
    const fold = predictions().locator(".polls-names");
    assert.equal(await fold.getByText("Ada").isVisible(), false);
    await fold.locator("summary").click();
    assert.deepEqual(await fold.locator("dt").allInnerTexts(), ["1", String(figure.now.figure)]);
    assert.deepEqual(await fold.locator("dd").allInnerTexts(), ["Ben", "Ada"]);
    await accessible(instructor);
  });

  test("a late answer is refused", async () => {
    const late = { method: "PUT", body: '{"answer":3}' };
    const reply = await room.request("/questions/1/answer", late, await tokenOf(ben));
    assert.equal(reply.status, 409);
    assert.equal(await poll(ben).getByRole("button", { name: "Answer" }).count(), 0);
  });

  test("shown, the right bar is marked and the answer is in words", async () => {
    await press("Show the measured figure");
    for (const page of [projector, ada, ben]) {
      await answer(page).getByText(`Measured: ${figure.now.figure} allocs/op`).waitFor();
      const right = page.locator(".poll-bars > .is-right:visible .poll-label");
      assert.equal(await right.innerText(), String(figure.now.figure));
    }
    await accessible(projector);
    await accessible(ben);
  });

  test("hidden, it is gone, and its bars stay with the instructor", async () => {
    await press("Hide the question");
    await projector.locator(".projector-code").waitFor();
    await poll(ben).waitFor({ state: "hidden" });
    await roomLine(ada).getByText("instructor's question").waitFor({ state: "hidden" });
    const before = predictions().locator(".polls-asked details");
    await before.locator("summary").click();
    assert.deepEqual(await said(instructor), ["1: 1", "2: 1"]);
    assert.match(await before.locator("summary").innerText(), /^How many allocs\/op\? .* \(2 answered\)$/);
  });

  test("a question with choices", async () => {
    await ask(CHOICES);
    await projector.locator(".poll-stage-choices li").nth(2).waitFor();
    const wrong = (choices.right + 1) % choices.choices.length;
    await poll(ben).getByRole("radio").nth(wrong).check();
    await poll(ben).getByRole("button", { name: "Answer" }).click();
    await projector.getByText("1 of 2 have answered").waitFor();
    await press("Close");
    await bars(projector).nth(2).waitFor();
    await press("Show the answer");
    const letter = String.fromCharCode(65 + choices.right);
    for (const page of [projector, ben]) await answer(page).getByText(`${letter} is right.`).waitFor();
    await answer(ben).getByText(`Your answer, ${String.fromCharCode(65 + wrong)}:`).waitFor();
    await accessible(ben);
  });

  test("a page that is opened meanwhile shows the same", async () => {
    await ada.goto(room.url("join/"));
    await poll(ada).getByText("You have not answered.").waitFor();
    await projector.reload();
    await bars(projector).nth(2).waitFor();
    await press("Hide the question");
    await poll(ada).waitFor({ state: "hidden" });
  });

  test("the grades and the archive have the counts", async () => {
    const grades = await (await room.request("/grades.json")).text();
    const { predictions } = JSON.parse(grades) as { predictions: { question: string; answers: unknown[] }[] };
    const kept = predictions.map(({ question, answers }) => `${question}: ${answers.length}`);
    assert.deepEqual(kept, [`${FIGURE}: 2`, `${CHOICES}: 1`]);
    assert.ok((await (await room.request("/archive.zip")).text()).includes("predictions.json"));
    assert.deepEqual(room.errors, []);
  });
});
