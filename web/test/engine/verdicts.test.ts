// The page gives the verdict of the command line on every starter and solution of the sample of exercises that the
// Makefile has chosen, and without one of all. That the command line's own engines agree, TestProofAgreement checks.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { launchChromium } from "../browser/chromium.ts";
import { root } from "../e2e/site.ts";
import { exercisesOf, type Exercise } from "../e2e/workbook.ts";
import { PATH, tree } from "../site/site-below.ts";
import { checkIn, startEngine } from "./page-engine.ts";
import { StaticHost } from "../static-host.ts";
import { essence, verdictsOf, type Files } from "./verdicts.ts";

describe("one verdict, wherever it is made", () => {
  let host: StaticHost;
  let browser: Browser;
  let page: Page;
  let exercises: Exercise[];
  before(async () => {
    exercises = await exercisesOf(root);
    assert.ok(exercises.length >= 17);
    host = await StaticHost.start(tree, PATH);
    browser = await launchChromium();
    page = await browser.newPage();
    await page.goto(`${host.url}book/introduction.html`);
    await startEngine(page);
  });
  after(async () => {
    await browser?.close();
    await host?.stop();
  });

  for (const files of ["starter", "solution"] as Files[]) {
    test(`every ${files}`, async () => {
      const native = await verdictsOf(files);
      const sample = process.env.SAMPLE?.trim().split(" ");
      for (const [i, exercise] of exercises.entries()) {
        if (sample && !sample.includes(exercise.id)) continue;
        const { outcome } = await checkIn(page, exercise.id, exercise[files]);
        assert.equal(outcome.kind, "ok", `${exercise.id}: ${JSON.stringify(outcome)}`);
        const inPage = outcome.kind === "ok" ? outcome.value : null;
        assert.ok(inPage);
        assert.deepEqual([inPage.engine, inPage.goos, inPage.goarch], ["wasm", "js", "wasm"]);
        assert.equal(inPage.pass, files === "solution" || exercise.leave, `${exercise.id}, ${files}: ${inPage.tests.output}`);
        assert.deepEqual(essence(inPage), essence(native[i]!), `${exercise.id}: the page and the native run differ`);
      }
    });
  }
});
