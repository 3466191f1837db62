// The instructor's dialog about a participant while the class goes on: it follows the room, and its buttons act on what
// was handed in last.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { accessible, Classroom, rowOf } from "./classroom.ts";

describe("the dialog about a participant", () => {
  let room: Classroom;
  let instructor: Page;
  let ada = "";

  before(async () => {
    room = await Classroom.start();
    instructor = await room.page();
    await room.openRoom(instructor, "Thursday", ["Hand back the interface", "Know the size"]);
    ada = await room.joinByRequest("Ada");
  });
  after(() => room?.stop());

  const dialog = () => instructor.getByRole("dialog");
  const history = () => dialog().locator(".room-history > li > details > summary");

  test("the link to all rooms is in line with the button beside it", async () => {
    const middle = async (role: "link" | "button", name: string) => {
      const { y, height } = (await instructor.getByRole(role, { name }).boundingBox())!;
      return y + height / 2;
    };
    const [link, button] = [
      await middle("link", "All rooms of this server"),
      await middle("button", "Try it as a participant"),
    ];
    assert.ok(Math.abs(link - button) < 1.5, `the link is at ${link} px, the button at ${button} px`);
  });

  test("it shows what is handed in while it is open", async () => {
    await rowOf(instructor, "Ada").getByRole("button").click();
    await dialog().getByText("Nothing checked yet.").waitFor();
    await room.handInByRequest(ada, "exercise6", "package stream");
    await dialog().getByText("Handed in and graded: it does not compile, 1 attempt.").waitFor();
    await dialog().getByText("The best submission", { exact: true }).waitFor();
    assert.ok(await dialog().getByText("Nothing checked yet.").isHidden());
  });

  test("a later submission is the one that is shared, and its code is shown", async () => {
    const code = dialog().locator(".room-submitted", { hasText: "submission" }).first();
    await code.locator("> summary").click();
    await code.locator("pre", { hasText: "package stream" }).waitFor();
    const right = await room.handInByRequest(ada, "exercise6", room.solution("exercise6"));
    await code.locator("pre", { hasText: "func Replace" }).waitFor();
    await dialog().getByRole("button", { name: "Share without the name" }).click();
    assert.ok(await dialog().getByText("which does not pass").isHidden(), "it is said to fail, as the first did");
    await dialog().getByRole("button", { name: "Share it" }).click();
    const { shared = [] } = await room.until(({ shared = [] }) => shared.length > 0);
    assert.deepEqual(
      shared.map(({ id }) => id),
      [right],
    );
  });

  test("all submissions are listed, with their time, state, figures and lateness", async () => {
    await dialog().getByText("All submissions", { exact: true }).click();
    await history().nth(1).waitFor();
    const clock = /^\d\d:\d\d: /;
    assert.match(await history().first().innerText(), clock);
    const words = async () => (await history().allInnerTexts()).map((text) => text.replace(clock, ""));
    const first = "does not compile";
    assert.deepEqual(await words(), ["passed, 1 alloc/op, target 1, this one counts", first]);
    await history().nth(1).click();
    await dialog().locator(".room-history pre", { hasText: "package stream" }).waitFor();
    const due = { deadline: "2020-01-01T00:00:00Z" };
    await room.request("", { method: "PATCH", body: JSON.stringify(due) });
    await room.handInByRequest(ada, "exercise6", "package stream // again");
    await history().nth(2).waitFor();
    await dialog().getByText(`: ${first}, after the deadline`).waitFor();
    assert.equal((await words())[2], first);
    assert.ok(await dialog().locator(".room-history pre").isVisible(), "the code that was open is closed");
    await accessible(instructor);
  });

  test("a page cannot report a mistake or a target that the exercise does not have", async () => {
    const report = { exercise: "exercise7", stage: "benchmark", allocs: 9, target: 1000, mistake: "Ben was here" };
    const reply = await room.request("/progress", { method: "POST", body: JSON.stringify(report) }, ada);
    assert.equal(reply.status, 204);
    await rowOf(instructor, "Ada").getByText("9 / 0").waitFor();
    assert.doesNotMatch(await instructor.locator("main").innerText(), /Ben was here|1000/);
  });

  test("a row is merged into a row, and into no second of a pair", async () => {
    await instructor.keyboard.press("Escape");
    const pair = { name: "Chi", partner: { name: "Dan" } };
    await room.request("/join", { method: "POST", body: JSON.stringify(pair) }, "");
    await rowOf(instructor, "Chi and Dan").waitFor();
    await rowOf(instructor, "Ada").getByRole("button").click();
    await dialog().getByText("Name, key and row").click();
    const rows = dialog().getByLabel("Row to merge Ada into").locator("option");
    assert.deepEqual(await rows.allInnerTexts(), ["Chi and Dan (counts for Chi)"]);
    await dialog().getByRole("button", { name: "Merge Ada into that row" }).click();
    await dialog().getByRole("button", { name: "Merge", exact: true }).click();
    await rowOf(instructor, "Chi and Dan").locator('td[data-standing="passed"]').waitFor();
    await rowOf(instructor, "Ada").waitFor({ state: "detached" });
  });

  test("no script has failed", () => assert.deepEqual(room.errors, []));
});
