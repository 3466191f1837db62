// A full class in front of a projector: sixty participants, the invitation folded, and what the room shows of them.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { accessible, Classroom, roomLine, rowOf } from "./classroom.ts";

const CLASS = 60;
const PROJECTOR = { width: 1920, height: 1080 };

/** Tests of the exercises. The server takes no other names from a page. */
const TESTS: Record<string, string> = { exercise1: "TestFree/one_row", exercise6: "TestReplace/a_departure" };

/** As long as most people's first and last name are. */
const FULL_NAME = "Maximiliane Schneider";

/** What a part of a bar looks like. */
interface Look {
  part: string;
  pattern: string;
}

describe("a room in front of a class", () => {
  let room: Classroom;
  let instructor: Page;
  let ada: Page;
  let exercises: string[];
  /** The tokens of the participants who have no browser. */
  const tokens: string[] = [];

  before(async () => {
    room = await Classroom.start();
    const create = await fetch(room.url("api/rooms"), {
      method: "POST",
      headers: { Authorization: `Bearer ${room.token}` },
      body: JSON.stringify({
        title: "Thursday",
        exercises: (exercises = ["exercise1", "exercise2", "exercise6", "exercise7", "exercise8", "exercise9"]),
        deadline: new Date(Date.now() + 25 * 60_000).toISOString(),
      }),
    });
    room.code = ((await create.json()) as { room: string }).room;
    instructor = await room.page(await room.context({ viewport: PROJECTOR }));
    await instructor.goto(room.url(`room/#token=${room.token}&${room.code}`));
    ada = await room.page();
    await room.join(ada, "Ada");
    for (let i = 1; i < CLASS; i++) {
      const name = i === 2 ? FULL_NAME : `Participant ${String(i).padStart(2, "0")} with a Long Name`;
      const joined = await room.request("/join", { method: "POST", body: JSON.stringify({ name }) }, "");
      tokens.push(((await joined.json()) as { token: string }).token);
    }
    await Promise.all(tokens.map((token, i) => work(token, i)));
  });
  after(() => room?.stop());

  /** Has somebody work on the exercises, each in another way. */
  async function work(token: string, i: number): Promise<void> {
    if (i % 6 === 5) return; // not begun
    for (const [j, exercise] of exercises.entries()) {
      if (j > i % exercises.length) return;
      const check = ["tests", "benchmark", "build", "policy", ""][(i + j) % 5]!;
      const figures = check === "benchmark" ? { allocs: 2 + (i % 9), target: 1, mistake: i % 2 ? "a-value" : "" } : {};
      const test = check === "tests" ? { test: TESTS[exercise] ?? "" } : {};
      for (let times = check === "tests" ? 3 : 1; times > 0; times--) {
        const body = { exercise, stage: check, hints: i % 3, ...figures, ...test };
        const reply = await room.request("/progress", { method: "POST", body: JSON.stringify(body) }, token);
        assert.equal(reply.status, 204, await reply.text());
      }
    }
  }

  const scrolls = (page: Page, selector: string) =>
    page.locator(selector).evaluate((node) => ({
      within: node.scrollHeight - node.clientHeight > 1 || node.scrollWidth - node.clientWidth > 1,
      bottom: node.getBoundingClientRect().bottom + scrollY,
    }));

  test("after Everybody is in, sixty rows fit the screen without an inner scroll", async () => {
    await rowOf(instructor, "Ada").waitFor();
    await instructor.locator(".room-grid tbody tr").nth(CLASS - 1).waitFor();
    await instructor.getByRole("button", { name: "Everybody is in" }).click();
    await instructor.locator(".room-folded").getByText(room.code).waitFor();
    assert.equal(await instructor.locator("svg.qr").count(), 0);
    const { within, bottom } = await scrolls(instructor, ".room-grid-frame");
    assert.equal(within, false, "the grid scrolls");
    assert.ok(bottom <= PROJECTOR.height, `the grid ends at ${bottom} px`);
    const rows = await instructor.locator(".room-grid tbody tr").count();
    assert.equal(rows, CLASS);
    await accessible(instructor);
  });

  test("a first and a last name can be read in whole", async () => {
    const name = rowOf(instructor, FULL_NAME).locator(".room-person");
    const cut = await name.evaluate((node) => node.scrollWidth - node.clientWidth);
    assert.ok(cut <= 0, `${FULL_NAME} is cut by ${cut} px`);
  });

  test("what a cell says beside its figure can be read", async () => {
    const sizes = await instructor
      .locator(".room-more")
      .evaluateAll((nodes) => nodes.map((node) => parseFloat(getComputedStyle(node).fontSize)));
    assert.ok(sizes.length > 50 && Math.min(...sizes) >= 14, `${Math.min(...sizes)} px`);
  });

  test("what the instructor uses in front of the class is a press away from the grid", async () => {
    for (const [name, field] of [
      ["Message to all", instructor.getByLabel("Message", { exact: true })],
      ["Predictions", instructor.getByLabel("Question", { exact: true })],
    ] as const) {
      await field.waitFor();
      await instructor.getByRole("button", { name, exact: true }).click();
      await instructor.waitForFunction((field) => document.activeElement === field, await field.elementHandle());
      await instructor.waitForFunction((field) => {
        const { top, bottom } = field!.getBoundingClientRect();
        return top >= 0 && bottom <= innerHeight;
      }, await field.elementHandle());
      assert.match(instructor.url(), new RegExp(`#${room.code}$`));
    }
    await instructor.evaluate(() => scrollTo(0, 0));
  });

  test("the browser keeps that the invitation is folded, and unfolds it", async () => {
    await instructor.reload();
    await instructor.locator(".room-folded").waitFor();
    await instructor.getByRole("button", { name: "Show the invitation" }).click();
    await instructor.locator("svg.qr").waitFor();
    await instructor.getByRole("button", { name: "Everybody is in" }).click();
  });

  test("the instructor reads who needs help, by name", async () => {
    const help = instructor.getByRole("region", { name: "Needs help" });
    await help.locator("summary").click();
    await help.getByText(/fail TestFree, one row \(1 Count, then make\): Participant/).waitFor();
    await help.getByText(/share “.*” \(6 Hand back the interface\): Participant/).waitFor();
    await help.locator("summary").click();
  });

  test("the projector shows the class without a name and without a scroll, and how much time is left", async () => {
    await instructor.getByRole("link", { name: "Projector view" }).click();
    await instructor.locator(".projector .room-card").nth(exercises.length - 1).waitFor();
    const { scrollHeight, text } = await instructor.evaluate(() => ({
      scrollHeight: document.documentElement.scrollHeight,
      text: document.body.innerText,
    }));
    assert.ok(scrollHeight <= PROJECTOR.height, `the page is ${scrollHeight} px high`);
    assert.doesNotMatch(text, /Participant \d|Ada/);
    assert.match(text, /fails? a test, \d+ do(es)? not compile, \d+ not allowed/);
    assert.match(text, /\d+ fail a test again and again · \d+ share a likely mistake/);
    assert.match(await instructor.locator(".projector .room-left").innerText(), /^\d\d:\d\d left$/);
    await accessible(instructor);
  });

  test("an address breaks after a slash alone; a long name does after a dot rather than be too small to read", async () => {
    await instructor.getByRole("link", { name: "Back to the grid" }).click();
    await instructor.getByRole("button", { name: "Show the invitation" }).click();
    for (const host of ["192.168.1.20:8080", "192.168.100.200:18080", "workshop.computing.university.example.org"]) {
      await instructor.getByText("Another address for participants", { exact: true }).click();
      await instructor.getByLabel("Another address for participants", { exact: true }).fill(host);
      await instructor.getByRole("button", { name: "Use it" }).click();
      const after = host.includes("university") ? "/." : "/";
      assert.deepEqual(await wrongBreaks(instructor, ".room-address", after), [], "in the invitation");
      await instructor.getByRole("link", { name: "Projector view" }).click();
      await instructor.locator(".projector-address", { hasText: `${host}/join` }).waitFor();
      for (const [width, height, breaks] of [[1920, 1080, "/"], [1280, 720, after], [390, 844, after]] as const) {
        await instructor.setViewportSize({ width, height });
        assert.deepEqual(await wrongBreaks(instructor, ".projector-address", breaks), [], `${host} at ${width} px`);
      }
      await instructor.setViewportSize(PROJECTOR);
      await instructor.getByRole("link", { name: "Back to the grid" }).click();
    }
    await instructor.getByRole("button", { name: "Everybody is in" }).click();
    await instructor.getByRole("link", { name: "Projector view" }).click();
    assert.deepEqual(await wrongBreaks(instructor, ".room-address", "/"), [], "in the line of the projector");
  });

  /** Returns what is before and after each break of a text, except breaks after the letters of after. */
  const wrongBreaks = (page: Page, selector: string, after: string) =>
    page.locator(selector).evaluate((node, after) => {
      const letters: { letter: string; top: number }[] = [];
      const walker = document.createTreeWalker(node, NodeFilter.SHOW_TEXT);
      while (walker.nextNode()) {
        const range = document.createRange();
        for (const [i, letter] of [...walker.currentNode.textContent!].entries()) {
          range.setStart(walker.currentNode, i);
          range.setEnd(walker.currentNode, i + 1);
          letters.push({ letter, top: range.getBoundingClientRect().top });
        }
      }
      if (letters.length === 0) return ["no text"];
      return letters
        .slice(1)
        .map((next, i) => ({ next, last: letters[i]! }))
        .filter(({ next, last }) => Math.abs(next.top - last.top) > 2 && !after.includes(last.letter))
        .map(({ next, last }) => `${last.letter}|${next.letter}`);
    }, after);

  test("neighboring parts of a bar differ in their pattern, also in forced colors", async () => {
    for (const forcedColors of ["none", "active"] as const) {
      await instructor.emulateMedia({ forcedColors });
      const bars = await instructor.locator(".room-tally").evaluateAll((bars) =>
        bars.map((bar) =>
          [...bar.children].map((part): Look => {
            const style = getComputedStyle(part);
            // Without the colors, which a projector may not tell apart.
            const pattern = style.backgroundImage.replace(/(rgb|color)a?\([^)]*\)/g, "c");
            return { part: (part as HTMLElement).dataset["part"]!, pattern: `${pattern} ${style.backgroundSize}` };
          }),
        ),
      );
      assert.ok(bars.some((bar) => bar.length >= 4), "no bar has four parts");
      for (const bar of bars) {
        const patterns = bar.filter(({ part }) => !["passed", "none"].includes(part)).map(({ pattern }) => pattern);
        assert.equal(new Set(patterns).size, patterns.length, patterns.join("\n"));
        assert.ok(patterns.every((pattern) => /repeating|radial/.test(pattern)), patterns.join("\n"));
      }
      assert.deepEqual(await painted(instructor), [true, true], "the full and the empty part look alike");
    }
    await instructor.emulateMedia({ forcedColors: "none" });
  });

  /** Reports, for two swatches of the part passed and none, whether their ground differs from the page's as it should. */
  const painted = (page: Page) =>
    page.evaluate(() => {
      const colors = (part: string) => {
        const node = document.createElement("span");
        node.className = "room-swatch";
        node.dataset["part"] = part;
        document.querySelector(".projector")!.append(node);
        const image = getComputedStyle(node).backgroundImage;
        node.remove();
        return image;
      };
      const page = getComputedStyle(document.body).backgroundColor;
      return [!colors("passed").includes(page), colors("none").includes(page)];
    });

  test("the exercise's page counts down to the deadline, for everybody in the room", async () => {
    await room.exercise(ada, "exercise6");
    const left = roomLine(ada).getByRole("timer");
    await left.getByText(/^\d\d:\d\d left$/).waitFor();
    const first = await left.innerText();
    await left.filter({ hasNotText: first }).waitFor();
    assert.equal(await left.getAttribute("aria-live"), null);
  });

  test("an opened hint is seen without another check", async () => {
    await instructor.goto(room.url(`room/#${room.code}`));
    const cell = rowOf(instructor, "Ada").locator("td").nth(2);
    await ada.getByRole("button", { name: /hint/i }).first().click();
    await cell.locator(".room-more").getByText("1?").waitFor();
  });

  test("a pass lowers the hand", async () => {
    await roomLine(ada).getByRole("button", { name: "Raise a hand" }).click();
    await instructor.locator(".room-hands bdi", { hasText: "Ada" }).waitFor();
    const work = await room.exercise(ada, "exercise6");
    await work.type(room.solution("exercise6"));
    assert.match(await work.checked(), /^Passed/);
    await roomLine(ada).getByText("Handed in and graded: passed.").waitFor();
    await roomLine(ada).getByRole("button", { name: "Raise a hand" }).waitFor();
    await instructor.locator(".room-hands").waitFor({ state: "hidden" });
  });

  test("the row says that somebody has closed the page", async () => {
    const here = rowOf(instructor, "Ada").locator(".room-here");
    await here.getByText("connected", { exact: true }).waitFor({ state: "attached" });
    await ada.context().close();
    await here.getByText(/^away for|^not connected/).waitFor({ state: "attached" });
    const row = rowOf(instructor, "Ada");
    assert.match((await row.getAttribute("class"))!, /is-away/);
    assert.equal(await here.evaluate((node) => getComputedStyle(node).backgroundColor), "rgba(0, 0, 0, 0)");
  });

  test("nothing went wrong in a page", () => assert.deepEqual(room.errors, []));
});
