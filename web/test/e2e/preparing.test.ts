// The progress page that "make serve" shows while it builds: it replaces itself with the requested page. A script
// stands in for make.

import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { after, before, describe, test } from "node:test";
import axe from "axe-core";
import type { Browser } from "playwright-core";
import { launchChromium } from "../browser/chromium.ts";
import { startRunner, type Runner } from "./runner.ts";
import { root } from "./site.ts";

const MAKE = `#!/bin/sh
for step in mdBook scripts book Hugo engine site; do echo "$step= waiting 0 build $step"; done
begin() { for step; do echo "$step= running $(date +%s) "; done; }
end() { until [ -e "go-$1" ]; do sleep 0.05; done; echo "$1= \${2:-done} $(date +%s) "; }
page() { mkdir -p "public/$1" && echo "<!DOCTYPE html><html lang=en><title>$2</title><h1>$2</h1>" >"public/$1/index.html"; }
begin mdBook scripts
echo "mdBook: Fetching <mdBook>."
end mdBook; end scripts
begin book; page book "The book"; end book
begin Hugo engine; end Hugo
echo "engine: no <compiler> here"; end engine failed
begin site; until [ -e go-site ]; do sleep 0.05; done; page exercises "The exercises"; end site
`;

describe("the page while the workbook is being built", () => {
  let dir: string;
  let runner: Runner;
  let browser: Browser;
  const release = (...steps: string[]) => Promise.all(steps.map((step) => writeFile(join(dir, `go-${step}`), "")));
  before(async () => {
    dir = await mkdtemp(join(tmpdir(), "onthestack-preparing-"));
    await mkdir(join(dir, "bin"));
    await writeFile(join(dir, "bin/make"), MAKE, { mode: 0o755 });
    await writeFile(join(dir, "go.mod"), "module onthestack\n");
    runner = await startRunner(join(root, ".cache/bin/runner"), join(dir, "public"), {
      args: ["--prepare", "on", "--data", join(dir, "data")],
      cwd: dir,
      env: { PATH: join(dir, "bin") + delimiter + process.env["PATH"] },
    });
    browser = await launchChromium();
  });
  after(async () => {
    await browser?.close();
    await runner?.stop();
    await rm(dir, { recursive: true, force: true });
  });

  for (const [scheme, width] of [
    ["light", 1100],
    ["dark", 390],
  ] as const) {
    test(`shows the progress, ${scheme}, ${width} px wide`, async () => {
      const context = await browser.newContext({ colorScheme: scheme, viewport: { width, height: 800 } });
      const page = await context.newPage();
      await page.goto(`${runner.url}/preparing/`);
      await page.getByRole("status").getByText("0 of 6 steps are done. Under way: mdBook, scripts").waitFor();
      await page.getByText("Fetching <mdBook>.").waitFor();
      await page.evaluate(axe.source);
      const { violations } = (await page.evaluate("axe.run()")) as {
        violations: { id: string; nodes: { html: string }[] }[];
      };
      assert.deepEqual(
        violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]),
        [],
      );
      assert.ok(
        await page.evaluate("document.documentElement.scrollWidth <= innerWidth"),
        "it is as wide as the screen",
      );
      await context.close();
    });
  }

  test("is replaced by the book, and at a page of the site by that page", async () => {
    const context = await browser.newContext();
    const front = await context.newPage();
    const exercises = await context.newPage();
    await front.goto(`${runner.url}/`);
    await exercises.goto(`${runner.url}/exercises/`);
    await release("mdBook", "scripts", "book");
    await front.waitForURL(`${runner.url}/book/`);
    await front.getByRole("heading", { name: "The book" }).waitFor();
    assert.equal(await exercises.getByRole("link", { name: "Read the book" }).getAttribute("href"), "../book/");

    await release("Hugo", "engine");
    await exercises.getByRole("heading", { name: "Something could not be built" }).waitFor();
    await exercises.getByRole("region", { name: "Why engine failed" }).getByText("no <compiler> here").waitFor();
    await release("site");
    await exercises.getByRole("heading", { name: "The exercises" }).waitFor();
    assert.equal(exercises.url(), `${runner.url}/exercises/`);
    await context.close();
  });

  test("works without scripts, too", async () => {
    const context = await browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(`${runner.url}/history/`);
    await page.getByRole("heading", { name: "Something could not be built" }).waitFor();
    await mkdir(join(dir, "public/history"), { recursive: true });
    await writeFile(
      join(dir, "public/history/index.html"),
      "<!DOCTYPE html><title>History</title><h1>The history</h1>",
    );
    await page.getByRole("heading", { name: "The history" }).waitFor();
    await context.close();
  });
});
