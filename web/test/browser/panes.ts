// What tests look at on a page with panes: what is in view, and where its buttons are.

import assert from "node:assert/strict";
import type { Locator, Page } from "playwright-core";

/** From a large screen to a small phone. The last is what a screen of 1440 by 900 has at 200 %. */
export const SIZES = [
  [1920, 1080],
  [1440, 900],
  [1280, 720],
  [1024, 768],
  [768, 1024],
  [390, 844],
  [320, 568],
  [720, 450],
] as const;
export const THREE = { width: 1440, height: 900 };
export const LAPTOP = { width: 1024, height: 768 };
export const PHONE = { width: 390, height: 844 };

/** Scrolls the page and everything in it to a part of its height. */
export const scrollAll = (page: Page, part: number): Promise<void> =>
  page.evaluate(async (part) => {
    for (const e of document.querySelectorAll("html, .ots-pane, .ots-result, .cm-scroller"))
      e.scrollTop = part * (e.scrollHeight - e.clientHeight);
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  }, part);

/** Returns whether the whole of an element is in the window, and nothing lies over its middle. */
export const inView = (element: Locator): Promise<boolean> =>
  element.evaluate((e) => {
    const { left, top, right, bottom } = e.getBoundingClientRect();
    const over = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
    return left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight && e.contains(over);
  });

/** Returns what is not in view of some elements, at three positions of all that scrolls. */
export async function hidden(page: Page, when: string, elements: Record<string, Locator>): Promise<string[]> {
  const faults: string[] = [];
  for (const part of [0, 0.5, 1]) {
    await scrollAll(page, part);
    for (const [what, element] of Object.entries(elements))
      if (!(await inView(element))) faults.push(`${what}, ${when}, scrolled to ${part}`);
  }
  return faults;
}

/** Returns the places of all buttons that are seen, by their numbers, except those in the text and in a result. */
export const places = (page: Page, within = ".ots-panes"): Promise<Record<string, string>> =>
  page.evaluate((within) => {
    const found: Record<string, string> = {};
    for (const b of document.querySelectorAll<HTMLElement>(`${within} button`)) {
      if (b.closest(".ots-verdict-pane, .ots-problem, .ots-reset, .ots-result, .cm-editor") || !b.checkVisibility())
        continue;
      const { x, y, width, height } = b.getBoundingClientRect();
      b.dataset["number"] ??= String(document.querySelectorAll("[data-number]").length);
      found[b.dataset["number"]] = [b.className, ...[x, y, width, height].map(Math.round)].join(" ");
    }
    return found;
  }, within);

/** Compares the places of the buttons that were seen both times. */
export function unmoved(now: Record<string, string>, before: Record<string, string>, when: string): void {
  const both = Object.keys(now).filter((i) => i in before);
  assert.ok(both.length >= 2, `${both.length} buttons are seen ${when}`);
  assert.deepEqual(both.map((i) => now[i]), both.map((i) => before[i]), when);
}

/** Returns what is too small for a finger among what can be pressed. Marks in the margin are as high as their lines. */
export const small = (page: Page, elements: string): Promise<string[]> =>
  page.evaluate((elements) =>
    [...document.querySelectorAll(elements)]
      .filter((e) => e.checkVisibility() && !e.matches(".ots-mark"))
      .map((e) => [e.textContent, e.getBoundingClientRect()] as const)
      .filter(([, { width, height }]) => Math.min(width, height) < 43.5)
      .map(([words, { width, height }]) => `${words}: ${width} by ${height}`), elements);
