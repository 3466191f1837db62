// A disk that becomes full during the class, as far as the runner can tell: writing beyond a size of a file fails.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { accessible, Classroom, rowOf } from "./classroom.ts";

const skip = process.platform !== "linux" && "only Linux changes a limit of a process that runs";

describe("a room on a full disk", { skip }, () => {
  let room: Classroom;
  let instructor: Page;

  before(async () => {
    room = await Classroom.start();
    instructor = await room.page();
    await room.openRoom(instructor, "Thursday", ["Hand back the interface", "Know the size"]);
  });
  after(() => room?.stop());

  const full = () => instructor.getByText("The server's disk is full");
  /** Sets the size in bytes beyond which the runner cannot write a file. */
  const limit = (bytes: string) => execFileSync("prlimit", [`--pid=${room.runner.pid}`, `--fsize=${bytes}:`]);

  test("the instructor's page shows it by itself, and that it is over", async () => {
    const ada = await room.joinByRequest("Ada");
    await rowOf(instructor, "Ada").waitFor();
    assert.ok(await full().isHidden());
    limit("1000");
    // Nothing is stored after the first event for which there is no space.
    const hand = { method: "POST", body: JSON.stringify({ exercise: "exercise6", raised: true }) };
    assert.equal((await room.request("/hand", hand, ada)).status, 507);
    await full().waitFor();
    await accessible(instructor);
    limit("unlimited");
    await full().waitFor({ state: "hidden" });
    assert.equal((await room.request("/hand", hand, ada)).status, 200);
  });

  test("no script has failed", () => assert.deepEqual(room.errors, []));
});
