// The long tasks of a page's main thread.

import type { Page } from "playwright-core";

/** Makes the page record its long tasks, from its beginning on. */
export function watchTasks(page: Page): Promise<unknown> {
  return page.addInitScript(() => {
    if (window.top !== window) return;
    const tasks: number[] = [];
    Object.assign(globalThis, { tasks });
    new PerformanceObserver((list) => tasks.push(...list.getEntries().map((e) => e.duration))).observe({
      type: "longtask",
    });
  });
}

/** Returns the longest task since the last call, in milliseconds; 0 if none took 50 ms or more. */
export function longestTask(page: Page): Promise<number> {
  return page.evaluate(async () => {
    // The browser reports tasks a moment later.
    await new Promise((resolve) => setTimeout(resolve, 100));
    return Math.max(0, ...(globalThis as unknown as { tasks: number[] }).tasks.splice(0));
  });
}
