// The workbook as one file, on a machine that has nothing else: an empty folder, no Go, no network. TestProofOneFile in
// tools/onthestack builds the file, names it in ONTHESTACK, and runs these tests without a network.

import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { launchChromium } from "../browser/chromium.ts";
import { ExercisePage } from "../browser/exercise-page.ts";
import { startServer, type Runner } from "../e2e/runner.ts";

const NO_GO = /does not check or run programs: the go command is not on PATH: install Go 1\.\d+ or newer/;

describe("one file without Go and without a network", () => {
  let dir: string;
  let server: Runner;
  let browser: Browser;
  let page: Page;
  const errors: string[] = [];
  before(async () => {
    dir = await mkdtemp(join(tmpdir(), "onthestack-onefile-"));
    const home = join(dir, "home");
    const empty = join(dir, "empty");
    const bin = join(dir, "bin");
    for (const folder of [home, empty, bin]) await mkdir(folder);
    // The server formats a program in a process whose memory a shell bounds. Every Linux has one.
    await symlink("/bin/sh", join(bin, "sh"));
    const where = { cwd: empty, env: { HOME: home, PATH: bin } };
    const clean = () => rm(dir, { recursive: true, force: true });
    server = await startServer(process.env["ONTHESTACK"]!, ["serve", "--addr", "127.0.0.1:0"], where, clean);
    browser = await launchChromium();
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, reducedMotion: "reduce" });
    page = await context.newPage();
    page.setDefaultTimeout(300_000); // only so that a test ends: machines are busy
    page.on("pageerror", (error) => errors.push(String(error)));
    page.on("request", (request) => {
      if (/^https?:/.test(request.url()) && !request.url().startsWith(server.url)) errors.push(request.url());
    });
    page.on("response", (reply) => {
      if (reply.status() >= 400 && reply.status() !== 501) errors.push(`${reply.status()} ${reply.url()}`);
    });
  });
  after(async () => {
    await browser?.close();
    await server?.stop();
  });

  test("the server says what it cannot do, and what to do", async () => {
    assert.match(server.said, NO_GO);
    const version = (await (await fetch(`${server.url}/version`)).json()) as Record<string, string>;
    assert.equal(version["Engine"], "none");
    assert.match(version["EngineReason"]!, /^the go command is not on PATH: install Go/);
    const body = JSON.stringify({ exercise: "exercise6", files: {} });
    for (const path of ["/check", "/compile", "/vet", "/escape", "/_ah/health"]) {
      const reply = await fetch(`${server.url}${path}`, { method: "POST", body });
      assert.equal(reply.status, 501, path);
      assert.match(((await reply.json()) as { error: string }).error, NO_GO, path);
    }
  });

  test("the pages are there, and lead to an exercise", async () => {
    await page.goto(server.url);
    await page.getByRole("navigation", { name: "Site" }).getByRole("link", { name: "Exercises", exact: true }).click();
    await page.locator("main").getByRole("link", { name: /Hand back the interface/ }).first().click();
    await new ExercisePage(page, "exercise6").editor.waitFor();
  });

  test("the page checks by itself", async () => {
    const shown = new ExercisePage(page, "exercise6");
    await shown.check.click();
    await shown.headline.filter({ hasText: "This page can check by itself" }).waitFor();
    await shown.button(/^Fetch \d+\.\d MB and check$/).click();
    await shown.headline.filter({ hasText: /^Not yet/ }).waitFor();
    await shown.root.getByText("js/wasm").waitFor();
    assert.ok((await shown.marks.count()) > 0, "no line is marked");
  });

  test("the page runs a program, and the server formats and shares it", async () => {
    await page.goto(`${server.url}/play/`);
    await page.getByText("js/wasm").first().waitFor();
    const editor = page.locator(".cm-content").first();
    await editor.focus();
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.insertText('package main\n\nfunc main() { println("hello",6*7) }\n');
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await page.locator(".ots-output").filter({ hasText: "hello 42" }).waitFor();
    // Until the program's end has been shown, Format does nothing.
    await page.locator(".ots-ending").filter({ hasText: /\w/ }).waitFor();
    await page.getByRole("button", { name: "Run", exact: true }).waitFor();
    await page.getByRole("button", { name: "Format", exact: true }).click();
    // The status cannot be waited for: news that the browser keeps the workbook may replace it at once.
    await editor.filter({ hasText: 'println("hello", 6*7)' }).or(page.locator(".ots-notice")).waitFor();
    assert.match(await editor.innerText(), /println\("hello", 6\*7\)/);
    const shared = await fetch(`${server.url}/share`, { method: "POST", body: "package main\n" });
    assert.equal(shared.status, 200);
    const back = await fetch(`${server.url}/p/${await shared.text()}`);
    assert.match(await back.text(), /package main/);
  });

  test("nothing went wrong, no other host was asked, and the server's folder is still empty", async () => {
    assert.deepEqual(await readdir(join(dir, "empty")), []);
    assert.deepEqual(errors, []);
  });
});
