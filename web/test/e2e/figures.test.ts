// The six figures of the book that step through a program, with the real book.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Locator, Page } from "playwright-core";
import { Site } from "./site.ts";

interface Figure {
  page: string;
  /** The program's folder in its chapter's listings. */
  program: string;
  /** The words in the drawing of a step, which is found by words of its sentence. */
  shows: [sentence: string, where: "stack" | "heap", words: RegExp][];
  /** The count at the end. */
  allocs: string;
  /** How many objects are drawn of which it is not known which execution of their line made them. */
  undated?: number;
}

const FIGURES: Figure[] = [
  {
    page: "stack-and-heap/index.html",
    program: "shared-steps",
    shows: [
      ["o of newOrder is heap object", "heap", /order.*line 14.*the variable o moves to the heap/],
      ["down of main is", "stack", /down/],
    ],
    allocs: "1 alloc so far", // the next page asks for its size
  },
  {
    page: "reading-the-compiler/heap.html",
    program: "line-below",
    shows: [["sum of total is heap object", "heap", /sum.*line 8.*line 19/]],
    allocs: "1 alloc, 16 B so far",
  },
  {
    page: "memory-profiling/compiler.html",
    program: "newbuffer-steps",
    shows: [["called of main points to heap object", "heap", /bytes\.Buffer/]],
    allocs: "2 allocs, 64 B so far",
  },
  {
    page: "memory-profiling/interfaces.html",
    program: "interface-steps",
    shows: [["heap object 2, price", "heap", /price.*cents 20.*boxed/]],
    allocs: "2 allocs, 32 B so far",
  },
  {
    page: "interpolation/append.html",
    program: "append-steps",
    shows: [["over the new heap object 2", "heap", /\[8\]int.*line 8.*append grew/]],
    allocs: "1 alloc, 64 B so far",
  },
  {
    page: "heap-optimization/sync-pool.html",
    program: "pool-steps",
    shows: [["heap object 2, 8 B", "heap", /line.*harbor/]],
    allocs: "3 allocs, 160 B so far",
    undated: 2, // the pool's own
  },
];

describe("figures of stack and heap", () => {
  let site: Site;
  let page: Page;
  before(async () => {
    site = await Site.start();
    const context = await site.browser.newContext({ viewport: { width: 1440, height: 1000 } });
    page = await site.open(context);
  });
  after(() => site?.stop());

  /** Moves on until the sentence has these words. */
  async function stepTo(viewer: Locator, words: string): Promise<void> {
    const sentence = viewer.locator(".ots-steps-sentence");
    const last = Number(await viewer.getByRole("slider").getAttribute("max"));
    for (let n = 0; n < last; n++) {
      if (((await sentence.textContent()) ?? "").includes(words)) return;
      await page.keyboard.press("n");
    }
    assert.fail(`no step says "${words}"`);
  }

  for (const { page: path, program, shows, allocs, undated = 0 } of FIGURES) {
    test(program, async () => {
      await page.goto(`${site.runner.url}/book/${path}`);
      const figure = page.locator(".ots-stepped", { has: page.locator(".ots-caption", { hasText: program }) });
      await figure.scrollIntoViewIfNeeded();
      assert.ok((await figure.locator(".ots-static li").count()) > 3, "the steps are not told without a script");
      await figure.getByRole("button", { name: "Show the stack and the heap" }).click();
      const viewer = figure.locator(".ots-steps");
      await viewer.waitFor();
      for (const [sentence, where, words] of shows) {
        await page.keyboard.press("Home");
        await stepTo(viewer, sentence);
        assert.match((await viewer.locator(`.ots-mem-${where}`).textContent()) ?? "", words, sentence);
      }
      await page.keyboard.press("End");
      await viewer.locator(".ots-steps-count", { hasText: allocs }).waitFor();
      assert.equal(await viewer.getByText("not known").count(), undated);
    });
  }
});
