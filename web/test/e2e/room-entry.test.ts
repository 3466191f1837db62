// The ways into a room: from a plan, from the pages where people look, and by the address with the code in it. Also
// what the pages look like on paper.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { accessible, Classroom, rowOf } from "./classroom.ts";

interface Opened {
  title: string;
  exercises: string[];
}

describe("the ways into a room", () => {
  let class_: Classroom;
  let instructor: Page;
  before(async () => {
    class_ = await Classroom.start("-room-plan", "full-day");
    instructor = await class_.page();
  });
  after(() => class_?.stop());

  const shown = async (): Promise<Opened> => (await (await class_.request("")).json()) as Opened;
  const code = () => instructor.locator(".room-big-code").innerText();
  /** Returns whether the reader sees each of the elements. */
  const visible = (page: Page, selector: string) =>
    page.locator(selector).evaluateAll((all) => all.map((e) => e.checkVisibility({ visibilityProperty: true })));

  test("a plan's page opens the plan's room with one press", async () => {
    await instructor.goto(class_.url(`room/#token=${class_.token}`));
    await instructor.getByText("Rooms of this server").waitFor();
    await instructor.goto(class_.url("instructors/half-day/"));
    await instructor.getByRole("link", { name: "Open the room of this plan" }).click();
    assert.equal(await instructor.getByLabel("Title").inputValue(), "Half a day");
    const checked = await instructor.locator(".room-chapter :checked").evaluateAll((all) => all.length);
    assert.equal(checked, 2);
    await accessible(instructor);
    await instructor.getByRole("button", { name: "Open this room" }).click();
    class_.code = await code();
    const { title, exercises } = await shown();
    assert.deepEqual({ title, exercises }, { title: "Half a day", exercises: ["exercise6", "exercise7"] });
  });

  test("the page and the server's --room-plan open the same room", async () => {
    await instructor.getByRole("link", { name: "All rooms of this server" }).click();
    await instructor.getByRole("link", { name: "A full day", exact: true }).first().waitFor();
    class_.code = await instructor.locator(".room-known li", { hasText: "A full day" }).locator(".room-code").innerText();
    const started = await shown();
    await instructor.goto(class_.url("instructors/full-day/"));
    await instructor.getByRole("link", { name: "Open the room of this plan" }).click();
    await instructor.getByRole("button", { name: "Open this room" }).click();
    const first = class_.code;
    class_.code = await code();
    assert.notEqual(class_.code, first);
    const opened = await shown();
    assert.deepEqual(opened.exercises, started.exercises);
    assert.equal(opened.title, started.title);
  });

  test("a plan that came from a room leads back to it, and the deck has the link, too", async () => {
    const deck = await class_.page();
    for (const path of ["instructors/half-day/", "instructors/half-day/deck/"]) {
      await deck.goto(class_.url(`${path}?room=${class_.code}`));
      const link = deck.locator("main a.room-link");
      assert.equal(await link.textContent(), "Show the room of this class");
      assert.match((await link.getAttribute("href"))!, new RegExp(`room/#${class_.code}$`));
    }
    await deck.goto(class_.url("instructors/half-day/deck/"));
    assert.match((await deck.locator("main a.room-link").getAttribute("href"))!, /room\/#open=half-day$/);
  });

  test("a plan that is not there leaves the form empty", async () => {
    await instructor.goto(class_.url("room/#open=week"));
    await instructor.getByRole("link", { name: "Half a day", exact: true }).last().waitFor();
    assert.equal(await instructor.getByLabel("Title").inputValue(), "");
  });

  test("the pages link to the room", async () => {
    const ada = await class_.page();
    for (const path of ["", "exercises/", "instructors/", "history/"]) {
      await ada.goto(class_.url(path));
      for (const to of ["join", "room"]) {
        const links = ada.locator(`:is(main, .bottom) a[href$="${to}/"]`);
        assert.ok((await links.count()) > 0, `${path} has no link to /${to}/`);
      }
    }
    await ada.goto(class_.url("exercises/"));
    await ada.getByRole("link", { name: "join its room" }).first().click();
    await ada.getByLabel("Your name").waitFor();
  });

  test("the code may follow a slash, in small letters", async () => {
    const ada = await class_.page();
    for (const path of [`join/${class_.code}`, `join/${class_.code.toLowerCase()}/`, `JOIN/${class_.code}`]) {
      await ada.goto(class_.url(path));
      assert.equal(ada.url(), class_.url(`join/#${class_.code}`));
      assert.equal(await ada.getByLabel("Code of the room").first().inputValue(), class_.code);
    }
    await ada.goto(class_.url("JOIN/"));
    assert.equal(ada.url(), class_.url("join/"));
    assert.equal((await ada.goto(class_.url("join/nowhere")))!.status(), 404);
  });

  test("exercises have the numbers that the plans say", async () => {
    const ada = await class_.page();
    await class_.join(ada, "Ada");
    assert.equal(await ada.locator(".room-mine .room-number").first().innerText(), "Exercise 6");
    await class_.exercise(ada, "exercise6");
    assert.match(await ada.locator(".head .where").innerText(), /Exercise 6 of \d+$/);
  });

  test("on paper an exercise has the task and the code, and no hints", async () => {
    for (const context of [await class_.context(), await class_.context({ javaScriptEnabled: false })]) {
      const page = await class_.page(context);
      await page.goto(class_.url("exercises/exercise6/"));
      await page.emulateMedia({ media: "print" });
      const text = await page.locator("main").innerText();
      assert.match(text, /Keep the buffer off the heap/);
      assert.match(text, /func Replace\(/);
      assert.match(text, /The tests cover/, "what is checked");
      assert.doesNotMatch(text, /Hint|escapes to heap|Read promises less/);
      assert.ok((await visible(page, "button")).every((shown) => !shown), "buttons");
      await context.close();
    }
  });

  test("on paper a room has its people and its exercises, and nothing to press", async () => {
    const joined = await fetch(class_.url(`api/rooms/${class_.code}/join`), {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ name: "Ben" }),
    });
    const { token } = (await joined.json()) as { token: string };
    for (const [path, body] of [
      ["/hand", { exercise: "exercise6", raised: true }],
      ["/progress", { exercise: "exercise6", stage: "tests", mistake: "a-value" }],
    ] as const)
      assert.ok((await class_.request(path, { method: "POST", body: JSON.stringify(body) }, token)).ok, path);
    await instructor.goto(class_.url(`room/#${class_.code}`));
    await rowOf(instructor, "Ben").waitFor();
    await instructor.locator(".room-hands .room-person", { hasText: "Ben" }).waitFor();
    await instructor.emulateMedia({ media: "print" });
    assert.deepEqual(await visible(instructor, ".room-hands .room-person"), [true]);
    assert.ok((await visible(instructor, ".room-grid .room-person")).every(Boolean), "names");
    const pressed = await visible(instructor, "main :is(button:not(.room-person), input, select, .room-controls)");
    assert.deepEqual(new Set(pressed), new Set([false]));
    // Each title that is printed has something below it.
    const empty = await instructor.locator("main :is(section)").evaluateAll((all) =>
      all
        .filter((section) => section.checkVisibility())
        .filter((section) => ![...section.children].some((e) => !/^H\d$/.test(e.tagName) && e.checkVisibility()))
        .map((section) => section.textContent),
    );
    assert.deepEqual(empty, []);
    await instructor.emulateMedia({ media: "screen" });
  });

  test("code in the words about a mistake is code", async () => {
    const say = instructor.locator(".room-mistake p").first();
    await instructor.locator(".room-mistake summary").first().click();
    await say.waitFor();
    assert.ok((await say.locator("code").count()) > 0);
    assert.doesNotMatch(await say.innerText(), /`/);
  });

  test("no script failed", () => {
    assert.deepEqual(class_.errors, []);
  });
});
