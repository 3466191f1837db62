// Seats in a room as a class uses them: a pair, another name, a lost key, two rows of one person, a preview, and other
// exercises.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { accessible, Classroom, roomLine, rowOf } from "./classroom.ts";

describe("seats in a room", () => {
  let room: Classroom;
  let instructor: Page;
  let ada: Page;
  let ben: Page;

  before(async () => {
    room = await Classroom.start();
    instructor = await room.page();
    ada = await room.page();
    ben = await room.page();
    await room.openRoom(instructor, "Thursday", ["Hand back the interface", "Know the size"]);
  });
  after(() => room?.stop());

  const names = () => instructor.locator(".room-grid tbody .room-person bdi").allInnerTexts();

  /** Opens the dialog about somebody, and in it what is about their seat. */
  async function dialog(name: string) {
    await rowOf(instructor, name).getByRole("button").click();
    const dialog = instructor.getByRole("dialog");
    await dialog.getByText("Name, key and row").click();
    return dialog;
  }

  /** Waits until the grid has these rows. */
  async function rows(...wanted: string[]): Promise<void> {
    for (const name of wanted) await rowOf(instructor, name).waitFor();
    await room.until(({ participants }) => participants.length === wanted.length);
    await instructor.waitForFunction(
      (n) => document.querySelectorAll(".room-grid tbody tr").length === n,
      wanted.length,
    );
    assert.deepEqual((await names()).sort(), wanted.sort());
  }

  test("two people join at one machine, and have one row", async () => {
    await ada.goto(room.url(`join/#${room.code}`));
    await ada.getByLabel("Your name").fill("Ada");
    await ada.getByLabel("Identifier or e-mail (optional)", { exact: true }).fill("ada@example.edu");
    await ada.getByLabel("We are two at this machine").check();
    await ada.getByRole("button", { name: "Join" }).click();
    await ada.getByText("Type the name of the second person.").waitFor();
    await accessible(ada);
    await ada.getByLabel("Name of the second person").fill("Ben");
    await ada.getByRole("button", { name: "Join" }).click();
    await ada.getByText("You are Ada and Ben.").waitFor();
    await accessible(ada);
    await rows("Ada and Ben");
  });

  test("what one of a pair hands in counts for both", async () => {
    const work = await room.exercise(ada, "exercise6");
    await roomLine(ada).getByText("In the room Thursday as Ada and Ben.").waitFor();
    await work.type(room.solution("exercise6"));
    assert.match(await work.checked(), /^Passed/);
    await roomLine(ada).getByText("Handed in and graded: passed.").waitFor();
    const coming = instructor.waitForEvent("download");
    await instructor.getByRole("button", { name: "Grades as a table" }).click();
    const csv = await readFile(await (await coming).path(), "utf8");
    assert.ok(csv.startsWith("\ufeff"), "a spreadsheet needs the byte order mark");
    const [head, ...people] = csv.trim().split("\n");
    assert.match(head!, /^name,identifier,participant,passed,/);
    assert.match(people[0]!, /^Ada,ada@example\.edu,\w+,1,0,\d,false,1,$/);
    assert.match(people[1]!, /^Ben,,\w+,1,0,\d,false,1,$/);
    assert.equal(people.length, 2);
  });

  test("the second of a pair takes the code along, and continues alone", async () => {
    await ada.goto(room.url("join/"));
    await ada.getByText("The key of Ben").click();
    const link = await ada.getByLabel("Link of the second person").inputValue();
    await ben.goto(link);
    await ben.getByText("You are Ada and Ben.").waitFor();
    assert.equal(new URL(ben.url()).hash, `#${room.code}`, "the key stays in the address");
    await ben.getByText("Your submission", { exact: true }).click();
    await ben.getByRole("link", { name: "Open it in the editor" }).click();
    await ben.getByRole("button", { name: "Continue with it as my own" }).click();
    await ben.locator(".cm-content").getByText("func Replace").waitFor();

    await ben.goto(room.url("join/"));
    await ben.getByRole("button", { name: "Continue alone" }).click();
    await ben.getByText("This cannot be undone.").waitFor();
    await ben.getByRole("group").getByRole("button", { name: "Continue alone" }).click();
    await ben.getByText("You are Ben.").waitFor();
    await ada.getByText("You are Ada.").waitFor();
    await rows("Ada", "Ben");
    assert.equal(await rowOf(instructor, "Ben").locator("td").first().getAttribute("data-standing"), "passed");
  });

  test("the instructor gives somebody another name, which their page shows", async () => {
    const about = await dialog("Ben");
    await accessible(instructor);
    await about.getByLabel("Name", { exact: true }).fill("Benjamin");
    await about.getByLabel("Identifier or e-mail").fill("4711");
    await about.getByRole("button", { name: "Rename Ben" }).click();
    await rows("Ada", "Benjamin");
    await ben.getByText("You are Benjamin.").waitFor();
    const csv = await (await room.request("/grades-moodle.csv")).text();
    assert.match(csv, /\nBenjamin,4711,,100,-\n/);
  });

  test("a new key opens the seat in another browser, and the old one stops working", async () => {
    const about = await dialog("Benjamin");
    await about.getByRole("button", { name: "New key for Benjamin" }).click();
    await about.getByRole("button", { name: "Make a new key" }).click();
    const link = new URL(await about.getByLabel("Link of Benjamin").inputValue());
    await instructor.keyboard.press("Escape");
    await ben.getByRole("heading", { name: "Join a room" }).waitFor();
    const other = await room.page();
    await other.goto(room.url(`join/${link.hash}`));
    await other.getByText("You are Benjamin.").waitFor();
    await other.getByText("Handed in and graded.").waitFor();
    await ben.context().close();
    ben = other;
  });

  test("a link with a key does not take the place of a seat without asking", async () => {
    const about = await dialog("Benjamin");
    await about.getByRole("button", { name: "New key for Benjamin" }).click();
    await about.getByRole("button", { name: "Make a new key" }).click();
    const link = new URL(await about.getByLabel("Link of Benjamin").inputValue());
    await instructor.keyboard.press("Escape");
    const tab = await room.page(ada.context());
    await tab.goto(room.url(`join/${link.hash}`));
    await tab.getByText("This link opens the seat of Benjamin").waitFor();
    await accessible(tab);
    await tab.getByRole("button", { name: "Keep the seat that I have" }).click();
    await tab.getByText("You are Ada.").waitFor();
    await tab.close();
  });

  test("two rows of one person become one", async () => {
    const [first, again] = [await room.page(), await room.page()];
    for (const page of [first, again]) await room.join(page, "Chi");
    await rows("Ada", "Benjamin", "Chi", "Chi (2)");
    const about = await dialog("Chi (2)");
    await about.getByLabel("Row to merge Chi (2) into").selectOption({ label: "Chi" });
    await about.getByRole("button", { name: "Merge Chi (2) into that row" }).click();
    await about.getByRole("button", { name: "Merge", exact: true }).click();
    await rows("Ada", "Benjamin", "Chi");
    await again.getByText("You are Chi.").waitFor();
    for (const page of [first, again]) await page.context().close();
  });

  test("a preview is in no grid and no grades, and says so", async () => {
    const opening = instructor.waitForEvent("popup");
    await instructor.getByRole("button", { name: "Try it as a participant" }).click();
    const preview = await opening;
    await preview.getByText("This is a preview").waitFor();
    await accessible(preview);
    const work = await room.exercise(preview, "exercise6");
    await roomLine(preview).getByText("In the room Thursday as a preview.").waitFor();
    await work.type(room.solution("exercise6"));
    assert.match(await work.checked(), /^Passed/);
    await roomLine(preview).getByText("Handed in and graded: passed.").waitFor();
    await rows("Ada", "Benjamin", "Chi");
    assert.doesNotMatch(await (await room.request("/grades.csv")).text(), /Preview/);
    await preview.close();
  });

  test("an open room gets another title and other exercises", async () => {
    await instructor.getByText("Change the title and the exercises").click();
    const settings = instructor.getByRole("region", { name: "Title and exercises" });
    await settings.getByLabel("Title").fill("Friday");
    await settings.getByRole("button", { name: "Change the title" }).click();
    await instructor.getByRole("heading", { level: 1, name: "Friday" }).waitFor();
    await ada.getByRole("heading", { level: 1, name: "Friday" }).waitFor();
    await settings.getByLabel("Hand back the interface").uncheck();
    await settings.getByRole("button", { name: "Change the exercises" }).click();
    await instructor.getByText("The room now has 1 exercise.").waitFor();
    await ada.locator(".room-mine > li").nth(1).waitFor({ state: "detached" });
    assert.equal(await instructor.locator(".room-grid thead th").count(), 2);
    assert.equal(await rowOf(instructor, "Ada").locator("td").count(), 1);
    const archive = await (await room.request("/archive.zip")).text();
    assert.ok(archive.includes("exercise6/"), "the archive has lost what was handed in");
    await settings.getByLabel("Hand back the interface").check();
    await settings.getByRole("button", { name: "Change the exercises" }).click();
    await rowOf(instructor, "Ada").locator('td[data-standing="passed"]').waitFor();
    await accessible(instructor);
  });

  test("nobody joins a room that was closed to more people, until it is opened", async () => {
    await instructor.getByRole("button", { name: "Let nobody else join" }).click();
    await instructor.getByText("Nobody else can join now.").waitFor();
    const page = await room.page();
    await page.goto(room.url(`join/#${room.code}`));
    await page.getByLabel("Your name").fill("Dot");
    await page.getByRole("button", { name: "Join" }).click();
    await page.getByText("The instructor has closed this room to more people").waitFor();
    await instructor.getByRole("button", { name: "Let people join again" }).click();
    await instructor.getByText("People can join again.").waitFor();
    await page.getByRole("button", { name: "Join" }).click();
    await page.getByText("You are Dot.").waitFor();
    await page.context().close();
  });

  test("no script has failed", () => {
    assert.deepEqual(room.errors, []);
  });
});
