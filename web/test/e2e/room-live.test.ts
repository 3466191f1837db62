// What an instructor does in front of the class: reads the code of the last check, projects it without the name, shares
// it, and tells all participants something.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Locator, Page } from "playwright-core";
import type { ExercisePage } from "../browser/exercise-page.ts";
import { accessible, Classroom, roomLine, rowOf } from "./classroom.ts";

const TITLE = "Hand back the interface";
const TOLD = "The instructor and their helpers see your code when you check it.";

describe("a room whose instructor sees the code of checks", () => {
  let room: Classroom;
  let instructor: Page;
  let projector: Page;
  let ada: Page;
  let ben: Page;
  let work: ExercisePage;
  /** What the pages of participants have reported. */
  const reports: string[] = [];

  before(async () => {
    room = await Classroom.start();
    instructor = await room.page();
    projector = await room.page(await room.context({ viewport: { width: 1920, height: 1080 } }));
    for (const page of [(ada = await room.page()), (ben = await room.page())]) {
      page.on("request", (r) => r.url().endsWith("/progress") && reports.push(r.postData() ?? ""));
    }
  });
  after(() => room?.stop());

  const dialog = () => instructor.getByRole("dialog");
  const openAda = () => rowOf(instructor, "Ada").locator(".room-person").click();
  const code = (page: Page) => page.locator(".projector-code-view");
  const message = (page: Page) => page.locator(".ots-to-all");
  const announced = (page: Page) => page.locator(".ots-to-all-place > [role=status]");

  async function openProjector(page: Page): Promise<void> {
    await page.goto(room.url(`room/#token=${room.token}&${room.code}`));
    await page.locator(".room-view").waitFor();
    await page.goto(room.url(`room/#${room.code}/projector`));
    await page.locator(".projector").waitFor();
  }

  /** Tells the room something with the instructor's form. */
  async function tell(text: string, minutes: string): Promise<void> {
    await instructor.getByLabel("Message", { exact: true }).fill(text);
    await instructor.getByLabel(/^Countdown/).fill(minutes);
    await instructor.getByRole("button", { name: "Show it" }).click();
  }

  test("another room takes no code, and its participants are told nothing", async () => {
    await room.openRoom(instructor, "Wednesday", [TITLE, "Know the size"]);
    await room.join(ben, "Ben");
    assert.ok(!(await ben.getByText(TOLD).isVisible()));
    const page = await room.exercise(ben, "exercise6");
    await roomLine(ben).getByText("A solution that passes is handed in automatically.").waitFor();
    assert.ok(!(await ben.getByText(TOLD).isVisible()));
    await page.checked();
    await rowOf(instructor, "Ben").getByText("2 / 1").waitFor();
    assert.equal(reports.length, 1);
    assert.ok(!reports[0]!.includes("files"), reports[0]);
    await rowOf(instructor, "Ben").locator(".room-person").click();
    assert.ok(!(await dialog().getByText("Code at the last check").isVisible()));
    await instructor.keyboard.press("Escape");
  });

  test("participants are told before their code is sent", async () => {
    await instructor.goto(room.url("room/"));
    await instructor.getByLabel("Title").fill("Thursday");
    const option = instructor.getByLabel("See the code of each participant's last check");
    assert.ok(!(await option.isChecked()), "a room is opened so only if the instructor wants it");
    await option.check();
    for (const title of [TITLE, "Know the size"]) await instructor.getByLabel(title).check();
    await instructor.getByRole("button", { name: "Open the room" }).click();
    room.code = await instructor.locator(".room-big-code").innerText();
    await ada.goto(room.url(`join/#${room.code}`));
    await ada.getByText("In some rooms, the instructor and their helpers also see the code that you check").waitFor();
    await accessible(ada);
    await room.join(ada, "Ada");
    await ada.getByText(TOLD).waitFor();
    await room.join(ben, "Ben");
    work = await room.exercise(ada, "exercise6");
    await roomLine(ada).getByText(TOLD).waitFor();
  });

  test("the instructor reads the code of the last check, and follows the next one", async () => {
    await work.checked();
    await rowOf(instructor, "Ada").getByText("2 / 1").waitFor();
    await openAda();
    await dialog().getByText("This code is over its target, as the page reported: 2 allocs/op, target 1.").waitFor();
    await dialog().locator("pre", { hasText: "package stream" }).waitFor();
    await accessible(instructor);
    await work.type(`// Ada was here.\n${room.solution("exercise6")}`);
    await work.checked();
    await dialog().getByText("This code passes, as the page reported: 1 alloc/op, target 1.").waitFor();
    await dialog().locator("pre", { hasText: "Ada was here" }).waitFor();
  });

  test("the code is projected without the name, and as it was then", async () => {
    await openProjector(projector);
    await dialog().getByRole("button", { name: "Project without the name" }).click();
    await dialog().getByText("A comment in it may contain the name").waitFor();
    assert.ok(await code(projector).isHidden(), "nothing is projected before the instructor has confirmed it");
    await dialog().getByRole("button", { name: "Project it" }).click();
    await dialog().getByText("It is on the projector.").waitFor();
    await code(projector).getByRole("heading", { name: TITLE }).waitFor();
    await code(projector).getByText("This code passes, as the page reported: 1 alloc/op, target 1.").waitFor();
    await code(projector).getByText("Ada was here").waitFor();
    await accessible(projector);
    const size = await code(projector)
      .locator("pre code")
      .evaluate((node) => parseFloat(getComputedStyle(node).fontSize));
    assert.ok(size >= 22, `code of ${size} px cannot be read from the back`);
    assert.ok(await projector.locator(".projector-join").isHidden(), "the code has the whole screen");
    await work.type("package stream // changed under the class");
    await work.checked();
    await dialog().getByText("An earlier check of it is on the projector.").waitFor();
    const text = await projector.locator("body").innerText();
    assert.ok(!text.includes("changed under the class"), text);
    assert.equal(text.replace("Ada was here", "").includes("Ada"), false, text);
  });

  test("it is hidden from another window", async () => {
    const other = await room.page();
    await openProjector(other);
    await code(other).getByText("Ada was here").waitFor();
    await other.context().close();
    await instructor.keyboard.press("Escape");
    await instructor.getByText(`On the projector: code for ${TITLE}, without a name.`).waitFor();
    await instructor.getByRole("button", { name: "Hide it" }).click();
    await code(projector).waitFor({ state: "hidden" });
    await projector.locator(".projector-code").waitFor();
  });

  test("what is shared is announced where the participants are, as what it is", async () => {
    await room.exercise(ben, "exercise6");
    await roomLine(ben).getByText("In the room Thursday as Ben.").waitFor();
    await work.type("package stream");
    await roomLine(ada).getByRole("button", { name: "Hand in" }).click();
    const state = await room.until(({ participants }) => {
      const handed = participants.find(({ name }) => name === "Ada")!.work["exercise6"]!;
      return handed.state === "graded" && handed.last !== handed.best;
    });
    const { last, best } = state.participants.find(({ name }) => name === "Ada")!.work["exercise6"]!;
    const share = (body: object) => room.request("", { method: "PATCH", body: JSON.stringify(body) });
    await share({ share: last });
    const attempt = roomLine(ben).getByText("A shared attempt, which does not pass");
    await attempt.click();
    await roomLine(ben).locator("pre", { hasText: "package stream" }).waitFor();
    await ben.getByText("The instructor has shared an attempt that does not pass.").waitFor({ state: "attached" });
    await share({ share: best });
    await roomLine(ben).getByText("A shared solution").waitFor();
    await ben.getByText("The instructor has shared a solution.").waitFor({ state: "attached" });
    await accessible(ben);
    const shared = instructor.locator(".room-shared");
    await shared.getByText(`An attempt at ${TITLE}, which does not pass`).waitFor();
    await shared.getByRole("button", { name: `Stop sharing: An attempt at ${TITLE}, which does not pass` }).click();
    await attempt.waitFor({ state: "hidden" });
    await roomLine(ben).getByText("A shared solution").waitFor();
  });

  test("a message is on every page at once, with its countdown, and announced once", async () => {
    const adas = await room.page(ada.context());
    await adas.goto(room.url("join/"));
    await instructor.getByRole("button", { name: "Show it" }).click();
    await instructor.getByText("Type a message first.").waitFor();
    await tell("Tea <b>now</b>", "5");
    const everywhere: [Page, Locator][] = [ada, adas, ben, projector].map((page) => [page, message(page)]);
    for (const [page, shown] of everywhere) {
      await shown.getByText("Tea <b>now</b>").waitFor();
      assert.match(await shown.locator(".ots-to-all-left").innerText(), /^0[45]:\d\d left$/, page.url());
    }
    await instructor.getByText(/^Shown now: “Tea <b>now<\/b>”, with 0[45]:\d\d left\.$/).waitFor();
    assert.equal(await announced(ben).textContent(), "Message from the instructor: Tea <b>now</b>");
    await ben.reload();
    await message(ben).getByText("Tea <b>now</b>").waitFor();
    assert.equal(await announced(ben).textContent(), "", "it is announced again");
    await accessible(ben);
    await accessible(projector);
    await adas.close();
  });

  test("a participant folds a message, until there is another one", async () => {
    await message(ben).getByRole("button", { name: "Hide", exact: true }).click();
    await message(ben).getByText("Tea <b>now</b>").waitFor({ state: "hidden" });
    assert.ok(await message(ben).locator(".ots-to-all-left").isVisible(), "the countdown stays");
    await room.exercise(ben, "exercise7");
    await message(ben).getByRole("button", { name: "Show the message" }).waitFor();
    assert.ok(await message(ben).getByText("Tea <b>now</b>").isHidden(), "another page shows it again");
    await tell("Open exercise 7", "");
    await message(ben).getByText("Open exercise 7").waitFor();
    assert.ok(await message(ben).locator(".ots-to-all-left").isHidden());
    await instructor.getByRole("button", { name: "Remove the message" }).click();
    for (const page of [ada, ben, projector]) await message(page).waitFor({ state: "hidden" });
  });

  test("on a phone, a message stays above the tabs", async () => {
    await ben.setViewportSize({ width: 390, height: 844 });
    await tell("Five minutes more. Then we look at two solutions together.", "5");
    await message(ben).waitFor();
    await ben.mouse.wheel(0, 400);
    // The tabs make room in the frame after the message has its size.
    await ben.waitForFunction(() => {
      const at = (name: string) => document.querySelector(name)!.getBoundingClientRect();
      return at(".ots-tabs").top >= at(".ots-to-all").bottom;
    });
    await accessible(ben);
  });

  test("the end of the room puts the code away", async () => {
    await openAda();
    await dialog().getByRole("button", { name: "Project without the name" }).click();
    await dialog().getByRole("button", { name: "Project it" }).click();
    await code(projector).getByText("package stream").waitFor();
    await instructor.keyboard.press("Escape");
    await instructor.getByRole("button", { name: "End the room" }).click();
    await instructor.getByRole("button", { name: "End it" }).click();
    await code(projector).waitFor({ state: "hidden" });
  });

  test("nothing went wrong in the pages", () => assert.deepEqual(room.errors, []));
});
