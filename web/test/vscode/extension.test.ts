// The extension of VS Code, in code-server: TestProofVSCode in internal/owncode/lsp names it in CODE_SERVER, the packed
// extension in VSIX, checkalloc in CHECKALLOC, the folder of a package in MODULE, and in PICTURE, if that is wanted,
// the file of the book's picture.

import assert from "node:assert/strict";
import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { launchChromium } from "../browser/chromium.ts";

const { CODE_SERVER, VSIX, CHECKALLOC, MODULE, PICTURE } = process.env as Record<string, string>;

const LINE = 20; // the height of a line in pixels

describe("the extension of VS Code", () => {
  let dir: string;
  let server: ChildProcess;
  let browser: Browser;
  let page: Page;
  let configure: (more: object) => Promise<void>;

  before(async () => {
    dir = await mkdtemp(join(tmpdir(), "onthestack-vscode-"));
    const data = join(dir, "data");
    await mkdir(join(data, "Machine"), { recursive: true });
    const settings = {
      "breadcrumbs.enabled": false,
      "checkalloc.path": CHECKALLOC,
      "editor.fontSize": 13,
      "editor.hover.above": false,
      "editor.lineHeight": LINE,
      "editor.minimap.enabled": false,
      "editor.mouseWheelScrollSensitivity": 2.6, // six lines and a half at once
      "editor.scrollbar.horizontal": "hidden",
      "editor.stickyScroll.enabled": false,
      "window.commandCenter": false,
      "workbench.activityBar.location": "hidden",
      "workbench.layoutControl.enabled": false,
      "workbench.startupEditor": "none",
      "workbench.statusBar.visible": false,
    };
    configure = (more) => writeFile(join(data, "Machine/settings.json"), JSON.stringify({ ...settings, ...more }));
    await configure({});
    const args = [join(CODE_SERVER!, "out/server-main.js"), "--user-data-dir", data, "--server-data-dir", dir];
    args.push("--extensions-dir", join(dir, "extensions"), "--telemetry-level", "off", "--disable-workspace-trust");
    execFileSync(process.execPath, [...args, "--install-extension", VSIX!], { stdio: "pipe" });
    args.push("--without-connection-token", "--accept-server-license-terms", "--host", "127.0.0.1", "--port", "0");
    server = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
    const url = await address(server);
    browser = await launchChromium();
    page = await browser.newPage({ viewport: { width: 1000, height: 640 }, reducedMotion: "reduce" });
    page.setDefaultTimeout(120_000); // only so that a test ends: machines are busy
    await page.goto(`${url}/?folder=${MODULE}`);
  });
  after(async () => {
    await browser?.close();
    const ended = once(server, "exit");
    server.kill();
    await ended;
    await rm(dir, { recursive: true, force: true });
  });

  // The explorer has the files without ripgrep, with which the editor searches.
  const open = async (name: string) => {
    await page.locator(`.explorer-folders-view [aria-label="${name}"]`).dblclick();
    await page.locator(`.tab.active[data-resource-name="${name}"]`).waitFor();
  };

  test("a lens measures the package, and the editor shows the figures", async () => {
    await open("label_test.go");
    await page.locator(".codelens-decoration a", { hasText: "measure" }).click();
    await page.locator(".codelens-decoration a", { hasText: "106 allocs/op, 6816 B/op · measure" }).waitFor();
    await open("label.go");
    const hinted = page.locator(".view-line", { hasText: /106.allocs\/op.·.6816.B/ });
    await hinted.waitFor();
    assert.match((await hinted.textContent())!.replaceAll("\u00a0", " "), /^\t*\s*all = append/);
  });

  test("an edit makes the figures stale", async () => {
    await page.locator(".view-line", { hasText: "package" }).click();
    await page.keyboard.press("Home");
    await page.keyboard.press("Enter");
    await page.locator(".view-line", { hasText: /106.allocs\/op.·.6816.B.\(stale\)/ }).waitFor();
    await page.keyboard.press("Control+Z");
    await page.locator(".view-line", { hasText: /106.allocs\/op.·.6816.B$/ }).waitFor();
  });

  test("a heap profile that the settings name is shown", async () => {
    await configure({ "checkalloc.profile": "allocs.pb.gz", "checkalloc.per": "requests=500000" });
    const hint = /in.production,.3.days.ago:.20.allocs\/request.±.6.%,.1280.B.±.6.%/;
    await page.locator(".view-line", { hasText: hint }).waitFor();
    await configure({});
    await page.locator(".view-line", { hasText: /in.production/ }).waitFor({ state: "detached" });
  });

  if (PICTURE) {
    test("it poses for the book", async () => {
      await page.setViewportSize({ width: 760, height: 590 });
      await page.keyboard.press("Control+K");
      await page.keyboard.press("Control+Backslash"); // splits the editor
      await page.locator(".editor-group-container").nth(1).waitFor();
      await open("label_test.go"); // in the upper one
      await page.keyboard.press("Control+B"); // hides the explorer
      await page.mouse.move(300, 150);
      await page.mouse.wheel(0, 1);
      await page.locator(".codelens-decoration a", { hasText: "hold this budget" }).waitFor();
      await page.locator(".view-line span", { hasText: /^append$/ }).first().hover();
      await page.locator(".monaco-hover", { hasText: "append grows" }).first().waitFor();
      await page.screenshot({ path: PICTURE! });
      await page.keyboard.press("Control+B");
    });
  }

  test("a lens inserts the budget", async () => {
    await open("label_test.go");
    await page.locator(".codelens-decoration a", { hasText: "hold this budget" }).click();
    await page.locator(".view-line", { hasText: /checkalloc:allocs<=106.bytes<=6816/ }).waitFor();
  });
});

/** Resolves to the address that code-server prints. */
function address(server: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = "";
    server.stdout!.on("data", (chunk) => {
      said += String(chunk);
      const port = /listening on (\d+)/.exec(said)?.[1];
      if (port) resolve(`http://127.0.0.1:${port}`);
    });
    server.on("exit", (code) => reject(new Error(`code-server ended with exit code ${code}:\n${said}`)));
  });
}
