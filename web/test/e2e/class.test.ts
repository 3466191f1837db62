// A class from opening its room to deleting it, as in a room of a school: plain http under a host name that is not this
// machine's own, with an instructor, a projector and four participants, one of them on a phone.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { ExercisePage } from "../browser/exercise-page.ts";
import { accessible, Classroom, roomLine, rowOf } from "./classroom.ts";

const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };

describe("a class", () => {
  let room: Classroom;
  let instructor: Page;
  let projector: Page;
  let ada: Page;
  let ben: Page;
  let chi: Page;
  let dan: Page;
  before(async () => {
    room = await Classroom.startAt("class.example");
    instructor = await room.page();
    projector = await room.page(instructor.context());
    [ada, ben, chi] = await Promise.all([room.page(), room.page(), room.page()]);
    dan = await room.page(await room.context(PHONE));
  });
  after(() => room?.stop());

  test("the instructor opens a room, and projects an address that all can open", async () => {
    await room.openRoom(instructor, "Thursday", ["Hand back the interface", "Know the size"]);
    assert.equal(await instructor.evaluate(() => isSecureContext), false, "a class has plain http");
    const [window] = await Promise.all([
      instructor.context().waitForEvent("page"),
      instructor.getByRole("link", { name: "in its own window" }).click(),
    ]);
    await projector.close();
    projector = window;
    await projector.locator(".projector-code").getByText(room.code).waitFor();
    const address = await projector.locator(".projector-address").innerText();
    assert.equal(address, room.url("join").replace("http://", ""));
  });

  test("four people join, one of them on a phone", async () => {
    for (const [page, name] of [[ada, "Ada"], [ben, "Ben"], [chi, "Chi"], [dan, "Dan"]] as const) {
      await room.join(page, name);
      await rowOf(instructor, name).waitFor();
    }
    await accessible(dan);
    await projector.getByText("4 participants").waitFor();
  });

  test("they check and hand in, and the instructor sees how far each is", async () => {
    const [adas, bens] = await Promise.all([ada, ben, chi].map((page) => room.exercise(page, "exercise6")));
    assert.match(await bens!.checked(), /^Not yet/);
    await dan.goto(room.url("exercises/exercise6/"));
    await dan.getByRole("tab", { name: "Code" }).tap();
    const dans = new ExercisePage(dan, "exercise6");
    await dans.editor.waitFor();
    for (const work of [adas!, dans]) {
      await work.type(room.solution("exercise6"));
      assert.match(await work.checked(), /^Passed/);
    }
    for (const page of [ada, dan]) await roomLine(page).getByText("Handed in and graded: passed.").waitFor();
    await rowOf(instructor, "Dan").locator('td[data-standing="passed"]').waitFor();
    await rowOf(instructor, "Ben").locator('td[data-standing="near"]').waitFor();
    await projector.getByText("2 passed").waitFor();
  });

  test("a hand is seen on the instructor's page, and no name on the projector", async () => {
    await roomLine(chi).getByRole("button", { name: "Raise a hand" }).click();
    await instructor.locator(".room-hands bdi", { hasText: "Chi" }).waitFor();
    const text = await projector.locator("body").innerText();
    for (const name of ["Ada", "Ben", "Chi", "Dan"]) assert.ok(!text.includes(name), name);
  });

  test("everybody predicts, and the projector shows how they did, and then the measured figure", async () => {
    const predictions = instructor.getByRole("region", { name: "Predictions" });
    await predictions.getByLabel("Question").selectOption("predict-memory-profiling-interface");
    await predictions.getByRole("button", { name: "Ask the room", exact: true }).click();
    await dan.goto(room.url("join/"));
    await dan.getByLabel("How many allocs/op?").fill("3");
    await dan.getByRole("button", { name: "Answer" }).click();
    await roomLine(ben).getByRole("button", { name: "Answer" }).click();
    await ben.getByLabel("How many allocs/op?").fill("2");
    await ben.getByRole("dialog").getByRole("button", { name: "Answer" }).click();
    await projector.getByText("2 of 4 have answered").waitFor();
    await predictions.getByRole("button", { name: "Close", exact: true }).click();
    assert.equal(await projector.locator(".poll-right").count(), 0, "the figure is not shown yet");
    await predictions.getByRole("button", { name: "Show the measured figure", exact: true }).click();
    await projector.locator(".poll-right").waitFor();
    await predictions.getByRole("button", { name: "Hide the question", exact: true }).click();
    await projector.locator(".poll-projector").waitFor({ state: "hidden" });
    await ben.keyboard.press("Escape");
  });

  test("a message is on every page", async () => {
    const form = instructor.getByRole("region", { name: "Message to all" });
    await form.getByLabel("Message", { exact: true }).fill("Ten minutes for the next one.");
    await form.getByRole("button", { name: "Show it", exact: true }).click();
    for (const page of [projector, ada, ben, chi, dan])
      await page.getByText("Ten minutes for the next one.").locator("visible=true").first().waitFor();
    await form.getByRole("button", { name: "Remove the message" }).click();
    await chi.getByText("Ten minutes for the next one.", { exact: true }).waitFor({ state: "hidden" });
  });

  test("a server that is restarted in the middle of the class loses nothing", async () => {
    await room.runner.kill();
    await instructor.locator(".room-view > .room-connection:not([role])").waitFor();
    await roomLine(chi).getByText("The server does not answer").waitFor();
    await room.restart();
    await instructor.locator(".room-view > .room-connection:not([role])").waitFor({ state: "hidden" });
    assert.deepEqual((await room.shown()).participants.map(({ name }) => name).sort(), ["Ada", "Ben", "Chi", "Dan"]);
    await roomLine(ada).getByText("Handed in and graded: passed.").waitFor();
  });

  test("the room ends, its grades are downloaded, and it is deleted for all", async () => {
    await instructor.getByRole("button", { name: "End the room" }).click();
    await instructor.getByRole("button", { name: "End it" }).click();
    await roomLine(ben).getByText("The room has ended.").waitFor();
    const downloaded = async (name: string) => {
      const coming = instructor.waitForEvent("download");
      await instructor.getByRole("button", { name, exact: true }).click();
      return readFile(await (await coming).path(), "utf8");
    };
    assert.match(await downloaded("Grades as CSV"), /^Dan,[^,]+,exercise6,1,true,/m);
    const table = (await downloaded("Grades as a table")).trim().split("\n");
    assert.equal(table.length, 5, "a row for each participant, below the head");
    await instructor.getByRole("button", { name: "Delete the room" }).click();
    await instructor.getByRole("button", { name: "Delete it" }).click();
    await instructor.getByText(`Room ${room.code} is deleted.`).waitFor();
    await dan.getByText("The room has been deleted").waitFor();
    await projector.getByText("The room has been deleted").waitFor();
    const shown = await projector.locator("main").innerText();
    assert.doesNotMatch(shown, /Open a room/, "the class does not see the form with the server's rooms");
    await projector.getByRole("button", { name: "Show the other rooms" }).click();
    await projector.getByRole("heading", { name: "Open a room" }).waitFor();
    assert.equal((await room.request("")).status, 404);
  });

  test("nothing went wrong in the pages", () => assert.deepEqual(room.errors, []));
});
