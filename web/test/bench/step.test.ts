// How soon a page shows a program's first step, beside Run, how soon it has counted the allocations, and how long a
// step takes to be drawn: "make bench". Both buttons are pressed on the editor's page, in one run, by the page's engine
// and by the runner.

import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, test, type TestContext } from "node:test";
import type { Browser, Page } from "playwright-core";
import { launchChromium } from "../browser/chromium.ts";
import { startRunner, type Runner } from "../e2e/runner.ts";
import { root } from "../e2e/site.ts";

const RATIO = 1.5;
const STEP_MS = 16;
const ROUNDS = 15;
/** Rounds that are not counted: the browser fetches and optimizes what the later ones use. */
const FIRST_ROUNDS = 5;
/** The ratio differs from one start of a page to the next more than within one. */
const SESSIONS = 3;

/** A program of 60 lines with calls, pointers, a slice and a map. */
const PROGRAM = `package main

import "fmt"

type order struct {
	cups  int
	cents int
	next  *order
}

//go:noinline
func newOrder(cups int, next *order) *order {
	o := order{cups: cups, next: next}
	o.cents = 320 * cups
	return &o
}

func total(first *order) int {
	sum := 0
	for o := first; o != nil; o = o.next {
		sum += o.cents
	}
	return sum
}

type till struct {
	names  []string
	byName map[string]int
}

func (t *till) book(name string, cents int) {
	t.names = append(t.names, name)
	t.byName[name] += cents
}

func (t *till) most() (name string, cents int) {
	for _, n := range t.names {
		if t.byName[n] > cents {
			name, cents = n, t.byName[n]
		}
	}
	return name, cents
}

func main() {
	var first *order
	for cups := range 4 {
		first = newOrder(cups, first)
	}
	t := till{byName: map[string]int{}}
	t.book("Ada", total(first))
	t.book("Bob", total(first.next))
	t.book("Ada", total(nil))
	name, cents := t.most()
	var last any = cents
	show := func(what string) {
		fmt.Println(what, name, last)
	}
	show("most")
}
`;

const median = (values: number[]) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;

describe("steps on the editor's page", () => {
  let runner: Runner;
  let browser: Browser;
  before(async () => {
    runner = await startRunner(join(root, ".cache/bin/runner"), join(root, "public"));
    browser = await launchChromium();
  });
  after(async () => {
    await browser?.close();
    await runner?.stop();
  });

  const say = (t: TestContext, words: string) => t.diagnostic(words);

  async function open(where: "server" | "page"): Promise<Page> {
    const page = await browser.newPage();
    await page.addInitScript(
      (remembered) => localStorage.setItem("onthestack/2/engine", remembered),
      JSON.stringify({ chosen: where, agreed: true }),
    );
    await page.goto(`${runner.url}/play/`);
    await page.locator(".cm-content").waitFor();
    return page;
  }

  /** Presses a button after an edit. Returns how many milliseconds it takes until the page shows the result. */
  async function press(page: Page, name: string, shows: string, edit: string): Promise<number> {
    await page.locator(".cm-content").press("ControlOrMeta+a");
    await page.keyboard.insertText(`${PROGRAM}\n// ${edit}\n`);
    return page.evaluate(
      ([name, shows]) =>
        new Promise<number>((resolve) => {
          document.querySelector(".ots-result")!.replaceChildren();
          const began = performance.now();
          new MutationObserver((_, observer) => {
            if (!document.querySelector(shows)) return;
            observer.disconnect();
            resolve(performance.now() - began);
          }).observe(document.body, { childList: true, subtree: true, characterData: true });
          [...document.querySelectorAll("button")].find((b) => b.textContent === name)!.click();
        }),
      [name, shows] as const,
    );
  }

  /** Returns how many milliseconds it takes until the page shows the counts. */
  function counted(page: Page): Promise<number> {
    return page.evaluate(async () => {
      const began = performance.now();
      while (!document.querySelector(".ots-compare")) await new Promise((resolve) => setTimeout(resolve, 1));
      return performance.now() - began;
    });
  }

  /** Presses both buttons in turn on a page of its own. Returns the time of Step as a multiple of the time of Run. */
  async function compare(t: TestContext, where: "server" | "page"): Promise<number> {
    const page = await open(where);
    const runs: number[] = [];
    const steps: number[] = [];
    const counts: number[] = [];
    for (let round = 0; round < FIRST_ROUNDS + ROUNDS; round++) {
      const run = await press(page, "Run", ".ots-ending", `run ${round} ${Date.now()}`);
      await page.waitForTimeout(100);
      const step = await press(page, "Step", ".ots-steps .ots-frame", `step ${round} ${Date.now()}`);
      const count = await counted(page); // until then, no other button does anything
      await page.waitForTimeout(100);
      if (round < FIRST_ROUNDS) continue;
      runs.push(run);
      steps.push(step);
      counts.push(step + count);
    }
    await page.close();
    const ofRun = (values: number[]) => median(values) / median(runs);
    say(
      t,
      `Run ${Math.round(median(runs))} ms, Step ${Math.round(median(steps))} ms: ${ofRun(steps).toFixed(2)} of Run; ` +
        `with counts after ${Math.round(median(counts))} ms: ${ofRun(counts).toFixed(2)} of Run`,
    );
    return ofRun(steps);
  }

  for (const where of ["page", "server"] as const) {
    test(`from Step to the first picture, by the ${where}`, async (t) => {
      const ratios: number[] = [];
      for (let session = 0; session < SESSIONS; session++) ratios.push(await compare(t, where));
      say(t, `median ${median(ratios).toFixed(2)} of Run, bar ${RATIO}`);
      assert.ok(median(ratios) <= RATIO);
    });
  }

  test("moving by a step", async (t) => {
    const page = await open("server");
    await press(page, "Step", ".ots-steps .ots-frame", "move");
    await page.locator(".ots-compare").waitFor();
    const took = await page.evaluate(() => {
      const next = [...document.querySelectorAll<HTMLButtonElement>(".ots-steps button")].find(
        (b) => b.textContent === "Next",
      )!;
      const took: number[] = [];
      while (next.getAttribute("aria-disabled") !== "true") {
        const began = performance.now();
        next.click();
        document.querySelector(".ots-memory")!.getBoundingClientRect(); // lays the page out
        took.push(performance.now() - began);
      }
      return took;
    });
    assert.ok(took.length > 20);
    say(
      t,
      `${took.length} steps: median ${median(took).toFixed(1)} ms, ` +
        `slowest ${Math.max(...took).toFixed(1)} ms; bar ${STEP_MS} ms`,
    );
    assert.ok(median(took) <= STEP_MS);
  });
});
