// A room as a class uses it: the built site, the real runner, an instructor and three participants, each with a browser
// of their own.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import decodeQR from "qr/decode.js";
import { accessible, Classroom, roomLine as line, rowOf } from "./classroom.ts";

const MARKUP = "<img src=x onerror=alert(1)>";
/** Right to left, and as long as a name may be. */
const LONG = "عائشة ".repeat(10).trim().padEnd(60, "ة");

describe("a room", () => {
  let room: Classroom;
  let instructor: Page;
  let ada: Page;
  let ben: Page;
  let chi: Page;
  /** Ada's second tab, with the page of the room. */
  let adas: Page;

  before(async () => {
    room = await Classroom.start();
    instructor = await room.page();
    ada = await room.page();
    ben = await room.page();
    chi = await room.page();
  });
  after(() => room?.stop());

  const url = (path: string) => room.url(path);
  const row = (name: string) => rowOf(instructor, name);
  const cell = (name: string, column: number) => row(name).locator("td").nth(column);

  /** Returns how often a submission was graded again. */
  async function regraded(submission: string): Promise<number> {
    const answer = (await (await room.request(`/submissions/${submission}`)).json()) as { regraded: number };
    return answer.regraded;
  }

  test("the instructor opens a room with the link, which loses its token", async () => {
    await instructor.goto(url(`room/#token=${room.token}`));
    await instructor.getByLabel("Title").fill("Thursday");
    assert.ok(!instructor.url().includes(room.token), instructor.url());
    await instructor.getByRole("button", { name: "Open the room" }).click();
    await instructor.getByText("Choose at least one exercise.").waitFor();
    for (const title of ["Hand back the interface", "Know the size"]) await instructor.getByLabel(title).check();
    await instructor.getByRole("button", { name: "Open the room" }).click();
    room.code = await instructor.locator(".room-big-code").innerText();
    assert.match(room.code, /^[2-9A-HJ-NP-Z]{6}$/);
    await instructor.getByRole("heading", { level: 1, name: "Thursday" }).waitFor();
    await instructor.getByText("Nobody has joined yet").waitFor();
  });

  test("the QR code leads to the form with the code", async () => {
    const path = (await instructor.locator("svg.qr path").getAttribute("d"))!;
    const size = Number((await instructor.locator("svg.qr").getAttribute("viewBox"))!.split(" ")[2]);
    const scale = 4;
    const data = new Uint8Array(4 * (size * scale) ** 2).fill(255);
    for (const [, x, y] of path.matchAll(/M(\d+) (\d+)h/g)) {
      for (let dy = 0; dy < scale; dy++) {
        for (let dx = 0; dx < scale; dx++) {
          const at = 4 * ((Number(y) * scale + dy) * size * scale + Number(x) * scale + dx);
          data.fill(0, at, at + 3);
        }
      }
    }
    assert.equal(decodeQR({ width: size * scale, height: size * scale, data }), url(`join/#${room.code}`));
  });

  test("three participants join without an account, and their names are only text", async () => {
    await ada.goto(url("join/"));
    await ada.getByLabel("Code of the room").first().fill("no code");
    await ada.getByLabel("Your name").fill("Ada");
    await ada.getByRole("button", { name: "Join" }).click();
    await ada.getByText("A code has six letters and digits").waitFor();
    await ada
      .getByLabel("Code of the room")
      .first()
      .fill(`${room.code.slice(0, 3)} ${room.code.slice(3)}`.toLowerCase());
    await ada.getByRole("button", { name: "Join" }).click();
    await ada.getByRole("heading", { level: 1, name: "Thursday" }).waitFor();
    await room.join(ben, MARKUP);
    await room.join(chi, LONG);
    await row("Ada").waitFor();
    for (const name of [MARKUP, LONG]) await row(name).waitFor();
    assert.equal(await instructor.locator(".room-grid img").count(), 0);
    const { width } = (await row(LONG).locator("th").boundingBox())!;
    assert.ok(width <= 260, `the column of names is ${width} px wide`);
    await accessible(ada);
  });

  test("a code that no room has is refused", async () => {
    const page = await room.page();
    await page.goto(url(`join/#${room.code === "AAAAAA" ? "BBBBBB" : "AAAAAA"}`));
    await page.getByLabel("Your name").fill("Eve");
    await page.getByRole("button", { name: "Join" }).click();
    await page.getByText("There is no room with this code").waitFor();
    await page.context().close();
  });

  test("a check that fails is shown in the grid, and on the participant's own page", async () => {
    adas = await room.page(ada.context());
    await adas.goto(url("join/"));
    const work = await room.exercise(ada, "exercise6");
    await line(ada).getByText("In the room Thursday as Ada.").waitFor();
    assert.match(await work.checked(), /^Not yet/);
    await cell("Ada", 0).getByText("2 / 1").waitFor();
    assert.equal(await cell("Ada", 0).getAttribute("data-standing"), "near");
    await adas.getByText("2 allocs/op, target 1 · 1 attempt").waitFor();
    await adas.getByText("over its target").waitFor();
    assert.equal(
      (await room.shown()).participants.filter(({ work }) => work["exercise6"]?.last).length,
      0,
      "nothing is handed in",
    );
  });

  test("a likely mistake is recognized, and the instructor reads what to say", async () => {
    const reply = await fetch(url("exercises/exercise6/mistakes.json"));
    const mistakes = (await reply.json()) as { name: string; title: string; files: Record<string, string> }[];
    const { title, files } = mistakes.find(({ name }) => name === "a-value")!;
    const work = await room.exercise(ben, "exercise6");
    await work.type(Object.values(files)[0]!);
    assert.match(await work.checked(), /^Not yet/);
    const told = instructor.locator(".room-mistake", { hasText: `${title}: 1` });
    await told.locator("summary").click();
    await told.getByText("ReadFull needs a Reader").waitFor();
  });

  test("a raised hand comes to the top and is announced", async () => {
    const ids = () => instructor.locator(".room-grid tbody th .room-person bdi").allInnerTexts();
    await room.exercise(chi, "exercise7");
    await line(chi).getByRole("button", { name: "Raise a hand" }).click();
    await instructor.locator(".room-hands bdi", { hasText: LONG }).waitFor();
    assert.equal((await ids())[0], LONG);
    const said = instructor.locator(".room-view > [role=status].ots-unseen");
    assert.equal(await said.textContent(), `${LONG} raised a hand in Know the size.`);
    assert.match(await instructor.title(), /^\(1\) /);
    await line(chi).getByRole("button", { name: "Lower your hand" }).click();
    await instructor.locator(".room-hands").waitFor({ state: "hidden" });
    assert.equal((await ids()).at(-1), LONG, "by name, an Arabic one is the last");
  });

  test("the instructor lowers a hand", async () => {
    await line(chi).getByRole("button", { name: "Raise a hand" }).click();
    await instructor.locator(".room-hands").getByRole("button", { name: `Lower the hand of ${LONG}` }).click();
    await instructor.locator(".room-hands").waitFor({ state: "hidden" });
    await line(chi).getByRole("button", { name: "Raise a hand" }).waitFor();
  });

  test("a pass is handed in by itself, graded by the server, and not handed in twice", async () => {
    const work = await room.exercise(ada, "exercise6");
    await work.type(room.solution("exercise6"));
    assert.match(await work.checked(), /^Passed/);
    await line(ada).getByText("Handed in and graded: passed.").waitFor();
    await instructor.locator('.room-grid td[data-standing="passed"]').waitFor();
    assert.equal(await cell("Ada", 0).locator(".room-figure").innerText(), "✓ 1 / 1");
    await adas.getByText("Handed in and graded.").waitFor();
    const before = (await room.shown()).participants.find(({ name }) => name === "Ada")!.work["exercise6"]!;
    assert.match(await work.checked(), /^Passed/);
    const after = await room.until(({ participants }) => {
      const now = participants.find(({ name }) => name === "Ada")!.work["exercise6"]!;
      return now.attempts > before.attempts;
    });
    assert.equal(after.participants.find(({ name }) => name === "Ada")!.work["exercise6"]!.last, before.last);
  });

  test("what is handed in while the server is killed arrives when it is started again", async () => {
    const work = await room.exercise(ben, "exercise6");
    await line(ben).getByText("Not handed in yet").waitFor();
    await work.type(room.solution("exercise6"));
    await room.runner.kill();
    await instructor.locator(".room-view > .room-connection:not([role])").waitFor();
    await line(ben).getByRole("button", { name: "Hand in" }).click();
    await line(ben).getByText("code is kept in this browser until it is handed in").waitFor();
    await room.restart();
    await line(ben).getByText("Handed in and graded: passed.").waitFor();
    await instructor.locator(".room-view > .room-connection:not([role])").waitFor({ state: "hidden" });
    await cell(MARKUP, 0).and(instructor.locator('[data-standing="passed"]')).waitFor();
    // The results from before the server was killed are there, too.
    assert.equal(await cell("Ada", 0).getAttribute("data-standing"), "passed");
    await adas.locator(".room-connection").waitFor({ state: "hidden" });
  });

  test("after the deadline a submission is marked as late; one that was not sent is sent after a reload", async () => {
    const past = new Date(Date.now() - 3_600_000);
    const local = new Date(past.getTime() - past.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
    await instructor.getByLabel("Deadline", { exact: true }).and(instructor.locator("input")).fill(local);
    await instructor.getByRole("button", { name: "Set", exact: true }).click();
    await instructor.getByText("The deadline is set.").waitFor();

    let work = await room.exercise(chi, "exercise6");
    await line(chi).getByText("A solution that passes is handed in automatically.").waitFor();
    await work.type(room.solution("exercise6"));
    await chi.context().route("**/submissions", (route) => route.abort());
    await line(chi).getByRole("button", { name: "Hand in" }).click();
    await line(chi).getByText("Your code is kept in this browser").waitFor();
    await chi.context().unroute("**/submissions");
    await chi.reload();
    await chi.locator("#exercise6").scrollIntoViewIfNeeded();
    await line(chi).getByText("Handed in and graded: passed, after the deadline.").waitFor();
    await cell(LONG, 0).getByText("late", { exact: true }).waitFor();
  });

  test("the instructor has all of an exercise graded again", async () => {
    const handedIn = (await room.shown()).participants.map(({ work }) => work["exercise6"]!.last);
    assert.deepEqual(await Promise.all(handedIn.map(regraded)), [0, 0, 0]);
    await instructor.getByRole("button", { name: "Grade all again, Hand back the interface" }).click();
    await instructor.getByText("All submissions of Hand back the interface are being graded again.").waitFor();
    await room.until(({ participants }) =>
      participants.every(({ work }) => work["exercise6"]!.state === "graded" && work["exercise6"]!.passed),
    );
    assert.deepEqual(await Promise.all(handedIn.map(regraded)), [1, 1, 1]);
    // The page learns of it by an event after the room has it.
    await instructor.locator('.room-grid td[data-standing="passed"]').nth(2).waitFor();
  });

  test("a closed exercise takes nothing, until it is open again", async () => {
    await room.exercise(ben, "exercise7");
    await instructor.getByRole("button", { name: "Close, Know the size" }).click();
    await line(ben).getByText("The instructor has closed this exercise.").waitFor();
    assert.equal(await line(ben).getByRole("button", { name: "Hand in" }).getAttribute("aria-disabled"), "true");
    await instructor.getByRole("button", { name: "Open again, Know the size" }).click();
    await line(ben).locator('button[aria-disabled="false"]', { hasText: "Hand in" }).waitFor();
  });

  test("somebody who hands in without a check is told why it does not pass, with its figures", async () => {
    await line(ben).getByRole("button", { name: "Hand in" }).click();
    await line(ben).getByText(/Handed in and graded: it is over its target, with .* allocs?\/op, target/).waitFor();
    const handed = cell(MARKUP, 1).and(instructor.locator('[data-standing="refused"]'));
    assert.match(await handed.locator(".room-figure").innerText(), /^✗ 1 \/ 0 late$/);
    assert.match(await handed.locator(".room-more").innerText(), /^1×/);
  });

  test("a solution is shared without its name", async () => {
    await ben.goto(url("join/"));
    await instructor.locator(".room-grid").getByRole("button", { name: "Ada" }).click();
    await instructor.getByRole("button", { name: "Share without the name" }).click();
    await instructor.getByRole("button", { name: "Share it" }).click();
    await instructor.getByRole("dialog").getByText("It is now shown to the room").waitFor();
    await instructor.keyboard.press("Escape");
    await ben.getByText("A solution of Hand back the interface").click();
    await ben.locator(".room-shared pre").getByText("func ").first().waitFor();
    assert.doesNotMatch(await ben.locator("main").innerText(), /Ada/);
    await instructor.getByRole("button", { name: "Stop sharing: A solution of Hand back the interface" }).click();
    await ben.locator(".room-shared").waitFor({ state: "hidden" });
    await instructor.locator(".room-shared").waitFor({ state: "hidden" });
  });

  test("the grades are downloaded as CSV", async () => {
    const coming = instructor.waitForEvent("download");
    await instructor.getByRole("button", { name: "Grades as CSV" }).click();
    const download = await coming;
    assert.equal(download.suggestedFilename(), `${room.code}-grades.csv`);
    const [head, ...rows] = (await readFile(await download.path(), "utf8")).trim().split("\n");
    assert.match(head!, /^name,participant,exercise,score,passed,/);
    assert.equal(rows.length, 6, "a row for each participant and exercise");
    assert.match(
      rows.find((row) => row.startsWith("Ada,") && row.includes(",exercise6,"))!,
      /,exercise6,1,true,false,false,/,
    );
    assert.match(
      rows.find((row) => row.startsWith(LONG) && row.includes(",exercise6,"))!,
      /,exercise6,1,true,false,true,/,
    );
    for (const name of [
      "Grades as JSON",
      "All submissions as ZIP",
      "JUnit",
      "Gradescope",
      "Exercism",
    ]) {
      const other = instructor.waitForEvent("download");
      await instructor.getByRole("button", { name, exact: true }).click();
      assert.ok((await readFile(await (await other).path())).length > 100, name);
    }
  });

  test("a participant continues in another browser with their key", async () => {
    await adas.getByText("Continue in another browser").click();
    const key = await adas.locator(".room-key").innerText();
    const other = await room.page();
    await other.goto(url(`join/#${room.code}`));
    await other.getByText("I have joined this room before").click();
    await other.getByLabel("Your key").fill(key.toLowerCase());
    await other.getByRole("button", { name: "Continue" }).click();
    await other.getByText("You are Ada").waitFor();
    await other.getByText("Handed in and graded.").waitFor();
    await other.getByText("Your submission", { exact: true }).click();
    await other.locator(".room-sent pre").getByText("func Replace").waitFor();
    await other.context().close();
    assert.equal((await room.shown()).participants.length, 3);
  });

  test("the projector has the code and no names", async () => {
    await accessible(instructor);
    await instructor.getByRole("link", { name: "Projector view" }).click();
    await instructor.locator(".projector-code").getByText(room.code).waitFor();
    await instructor.locator(".projector .room-sums").getByText("3 passed").waitFor();
    const text = await instructor.locator("body").innerText();
    for (const name of ["Ada", MARKUP, LONG]) assert.ok(!text.includes(name), name);
    await accessible(instructor);
    await room.runner.kill();
    await instructor.locator(".room-view > .room-connection:not([role])").waitFor();
    await instructor.keyboard.press("Escape");
    await row("Ada").waitFor();
    assert.ok(await instructor.locator(".room-connection:not([role])").isVisible(), "the grid does not say it");
    await room.restart();
    await instructor.locator(".room-view > .room-connection:not([role])").waitFor({ state: "hidden" });
  });

  test("a plan that is opened from the room has the room's code on the first slide of its deck", async () => {
    await instructor.locator('.room-plans a[href*="half-day"]').click();
    await instructor.waitForURL(`**/instructors/half-day/?room=${room.code}`);
    await instructor.getByRole("link", { name: "The deck of this plan" }).click();
    await instructor.waitForURL(`**/instructors/half-day/deck/?room=${room.code}*`);
    await instructor.locator("#join").getByText(room.code, { exact: true }).waitFor();
    await instructor.goto(url(`room/#${room.code}`));
    await row("Ada").waitFor();
  });

  test("on a phone, the grid scrolls in its frame and can be reached by keyboard", async () => {
    await instructor.setViewportSize({ width: 390, height: 844 });
    await accessible(instructor);
    await instructor.getByLabel("Order of the rows").focus();
    await instructor.keyboard.press("Tab");
    assert.equal(await instructor.evaluate(() => document.activeElement?.getAttribute("aria-label")), "Grid");
    await instructor.setViewportSize({ width: 1280, height: 900 });
  });

  test("a participant who is removed is told, and has no place any more", async () => {
    await instructor.locator(".room-grid").getByRole("button", { name: MARKUP }).click();
    await instructor.getByRole("button", { name: "Remove from the room" }).click();
    await instructor.getByRole("button", { name: "Remove", exact: true }).click();
    await row(MARKUP).waitFor({ state: "detached" });
    await ben.getByText("you have been removed from it").waitFor();
    assert.equal(await ben.evaluate(() => localStorage.getItem("onthestack/2/room/seat")), null);
  });

  test("the instructor lets them back in, and their browser goes on with what was handed in", async () => {
    await ben.getByRole("button", { name: "Go back" }).click();
    await ben.getByText("This token does not open this room").waitFor();
    await instructor.getByText("1 participant removed").click();
    await instructor.getByRole("button", { name: `Let back in ${MARKUP}` }).click();
    await row(MARKUP).waitFor();
    await ben.getByRole("button", { name: "Go back" }).click();
    await ben.getByText("Handed in and graded.").waitFor();
  });

  test("another browser of the instructor lists the rooms", async () => {
    const page = await room.page();
    await page.goto(url(`room/#token=${room.token}`));
    const listed = page.locator(".room-known li", { hasText: room.code });
    await listed.getByText("3 participants").waitFor();
    await accessible(page);
    await listed.getByRole("link", { name: "Thursday" }).click();
    await page.getByRole("heading", { level: 1, name: "Thursday" }).waitFor();
    await page.context().close();
  });

  test("a wrong token shows nothing of a room", async () => {
    const page = await room.page();
    await page.goto(url(`room/#token=AAAAAAAAAAAAAAAA&${room.code}`));
    await page.getByText("This token does not open this room").waitFor();
    await page.getByLabel("The instructor's token").waitFor();
    await page.context().close();
  });

  test("what was handed in before the end, and arrives after it, is said to come after the end", async () => {
    const work = await room.exercise(ada, "exercise7");
    await work.type(room.solution("exercise7"));
    await ada.context().route("**/submissions", (route) => route.abort());
    await line(ada).getByRole("button", { name: "Hand in" }).click();
    await line(ada).getByText("Your code is kept in this browser").waitFor();
    await instructor.getByRole("button", { name: "End the room" }).click();
    await instructor.getByRole("button", { name: "End it" }).click();
    await instructor.getByRole("button", { name: "Open the room again" }).waitFor();
    await ada.context().unroute("**/submissions");
    await ada.reload();
    await adas.getByText("Handed in and graded, after the end.").waitFor();
    await cell("Ada", 1).getByText("late", { exact: true }).waitFor();
    await instructor.getByRole("button", { name: "Open the room again" }).click();
    await adas.locator(".room-deadline", { hasText: "The deadline was" }).waitFor();
  });

  test("a room that ends takes nothing more, and one that is deleted is gone for all", async () => {
    await instructor.getByRole("button", { name: "End the room" }).click();
    await instructor.getByRole("button", { name: "End it" }).click();
    await adas.locator(".room-deadline", { hasText: "The room has ended. Earlier submissions" }).waitFor();
    await instructor.getByRole("button", { name: "Open the room again" }).click();
    await adas.locator(".room-deadline", { hasText: "The deadline was" }).waitFor();
    await instructor.getByRole("button", { name: "End the room" }).click();
    await instructor.getByRole("button", { name: "End it" }).click();
    await adas.locator(".room-deadline", { hasText: "The room has ended." }).waitFor();
    const chis = await room.page(chi.context());
    await chis.goto(url("join/"));
    await chis.locator(".room-deadline", { hasText: "The room has ended." }).waitFor();
    await chi.context().setOffline(true);
    await instructor.getByRole("button", { name: "Delete the room" }).click();
    await instructor.getByRole("button", { name: "Delete it" }).click();
    await instructor.getByRole("heading", { level: 1, name: "Open a room" }).waitFor();
    await instructor.getByText(`Room ${room.code} is deleted.`).waitFor();
    await adas.getByText("The room has been deleted").waitFor();
    await chi.context().setOffline(false);
    await chis.getByText("The room has been deleted").waitFor();
    assert.equal((await room.request("")).status, 404);
  });

  test("nothing went wrong in the pages", () => assert.deepEqual(room.errors, []));
});
