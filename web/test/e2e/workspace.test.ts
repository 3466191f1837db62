// A reader who works in the page, in an editor of their own and in the terminal in turn: "make serve" in a workspace.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { launchChromium } from "../browser/chromium.ts";
import { ExercisePage } from "../browser/exercise-page.ts";
import { startRunner, type Runner } from "./runner.ts";
import { root } from "./site.ts";
import { exercisesOf, type Exercise } from "./workbook.ts";

const ID = "exercise6";

describe("a workspace", () => {
  let dir: string;
  let browser: Browser;
  let runner: Runner;
  let page: Page;
  let exercise: Exercise;
  let file: string;

  const start = (...args: string[]) => startRunner(join(root, ".cache/bin/runner"), join(root, "public"), { args });

  /** Runs a command as a reader does in the workspace, and returns what it prints. */
  const checkalloc = (...args: string[]): Promise<string> =>
    new Promise((resolve, reject) => {
      const command = ["run", "-trimpath", "./tools/checkalloc", ...args];
      // go run adds its own words to the exit code of a check that has not passed.
      execFile("go", command, { cwd: root }, (error, stdout, stderr) =>
        error && stdout === "" && args[0] !== "init" ? reject(new Error(stderr)) : resolve(stdout),
      );
    });

  before(async () => {
    dir = await mkdtemp(join(tmpdir(), "onthestack-workspace-"));
    await checkalloc("init", dir);
    exercise = (await exercisesOf(root)).find(({ id }) => id === ID)!;
    file = join(dir, "exercises", ID, Object.keys(exercise.solution)[0]!);
    runner = await start("--workspace", dir);
    browser = await launchChromium();
    page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    page.setDefaultTimeout(120_000); // only so that a test ends: machines are busy
  });
  after(async () => {
    await browser?.close();
    await runner?.stop();
    await rm(dir, { recursive: true, force: true });
  });

  const open = () => ExercisePage.open(page, `${runner.url}/book/${exercise.page}`, ID);
  const line = () => page.locator(`#${ID} .is-workspace`);
  const solution = () => Object.values(exercise.solution)[0]!;
  const solutionOf = async (id: string) =>
    Object.values((await exercisesOf(root)).find((e) => e.id === id)!.solution)[0]!;

  /** Resolves once the file has a text. */
  async function fileHas(text: string): Promise<void> {
    while ((await readFile(file, "utf8").catch(() => "")) !== text) await page.waitForTimeout(20);
  }

  /** Resolves once the storage of the browser has a text. */
  const stored = (text: string) =>
    page.waitForFunction(
      ([id, text]) => localStorage.getItem(`onthestack/2/${id}`)?.includes(text!),
      [ID, JSON.stringify(text).slice(1, -1)],
    );

  test("an edit of one appears in the other, also where the reader is about to type", async () => {
    const shown = await open();
    await line().getByText(`Saved in exercises/${ID} of your workspace.`).waitFor();
    await shown.type("package page\n");
    await fileHas("package page\n");
    await shown.editor.focus();
    await writeFile(file, "package disk\r\n\r\n// and more\r\n");
    await shown.root.locator(".cm-line", { hasText: "// and more" }).waitFor();
    assert.equal(await shown.root.locator(".is-aside").count(), 0);
    await shown.type("package page\n\n// again\n");
    await fileHas("package page\r\n\r\n// again\r\n");
    assert.equal(await shown.root.locator(".is-aside").count(), 0);
  });

  test("two different edits are both kept, and the one that the reader chooses is in the workspace", async () => {
    const shown = await open();
    const other = shown.root.locator(".is-aside");
    const unreachable = "**/api/workspace/**";
    for (const choice of ["Show the other edit", "Forget the other edit"]) {
      const mine = `package page // ${choice}\n`;
      await page.route(unreachable, (route) => route.abort());
      await shown.type(mine);
      await stored(mine);
      await line().getByText("Kept in this browser, but not in your workspace: the server does not answer.").waitFor();
      await writeFile(file, "package disk\n");
      await page.unroute(unreachable);
      await other.getByText("A different edit of this exercise was saved elsewhere.").waitFor();
      await line().getByText(`exercises/${ID} in your workspace has the other edit.`).waitFor();
      assert.equal(await shown.text(), mine);
      assert.equal(await readFile(file, "utf8"), "package disk\n");
      await shown.button(choice).click();
      await line().getByText(`Saved in exercises/${ID} of your workspace.`).waitFor();
      if (choice === "Show the other edit") {
        assert.match(await shown.text(), /package disk/);
        await shown.button("Show the other edit").click();
        assert.equal(await shown.text(), mine);
        await shown.button("Forget the other edit").click();
      }
      await fileHas(mine);
      await other.waitFor({ state: "detached" });
    }
  });

  test("what passes in the page has passed in the terminal", async () => {
    assert.match(await checkalloc("--dir", dir), /0 of \d+ passed/);
    const shown = await open();
    await shown.type(solution());
    assert.match(await shown.checked(), /^Passed/);
    await fileHas(solution());
    assert.match(await checkalloc("--dir", dir), new RegExp(`✓ ${ID} .*passed`));
  });

  test("what passes in the terminal has passed in the page, and so do hints", async () => {
    const next = (await checkalloc("task", "--dir", dir)).split(" ")[0]!;
    const other = (await exercisesOf(root)).find(({ id }) => id === next)!;
    const [name, text] = Object.entries(other.solution)[0]!;
    await page.goto(`${runner.url}/book/${other.page}`);
    await page.locator(`#${next}`).scrollIntoViewIfNeeded();
    const shown = new ExercisePage(page, next);
    await shown.editor.waitFor();
    await checkalloc("hint", next, "--dir", dir);
    await shown.root.locator(".ots-hints > li").waitFor();
    await writeFile(join(dir, "exercises", next, name), text);
    assert.match(await checkalloc(next, "--dir", dir), /Passed\./);
    await shown.root.locator(".ots-done").getByText("passed").waitFor();
    // What the page shows, the terminal continues with.
    const hints = await checkalloc("hint", next, "--dir", dir);
    assert.match(hints, /Hint 2 of/);
  });

  test("a pass that the page itself has found is not in the workspace, and the line says so", async () => {
    await page.goto(`${runner.url}/exercises/`);
    await page.evaluate(() =>
      localStorage.setItem("onthestack/2/exercise7", JSON.stringify({ starter: "", hints: 0, passed: true })),
    );
    await page.goto(`${runner.url}/exercises/exercise7/`);
    const own = page.locator("#exercise7 .is-workspace");
    await own.getByText("Its pass is known to this browser alone").waitFor();
    await writeFile(join(dir, "exercises/exercise7/window.go"), await solutionOf("exercise7"));
    assert.match(await checkalloc("exercise7", "--dir", dir), /Passed\./);
    await own.getByText(/^Saved in exercises\/exercise7 of your workspace\.$/).waitFor();
  });

  test("a file that was deleted comes back with the next edit", async () => {
    const shown = await open();
    await rm(file);
    await line().getByText("is missing from").waitFor();
    await shown.type("package back\n");
    await fileHas("package back\n");
  });

  test("a server without a workspace is asked for none", async () => {
    const plain = await start();
    try {
      const asked: string[] = [];
      const tab = await browser.newPage();
      tab.on("request", (request) => asked.push(new URL(request.url()).pathname));
      const shown = await ExercisePage.open(tab, `${plain.url}/book/${exercise.page}`, ID);
      await shown.type("package page\n");
      await tab.waitForTimeout(1500);
      assert.deepEqual(asked.filter((path) => path.startsWith("/api/") || path.includes("workspace")), []);
      assert.equal(await tab.locator(".is-workspace").count(), 0);
      await tab.close();
    } finally {
      await plain.stop();
    }
  });
});
