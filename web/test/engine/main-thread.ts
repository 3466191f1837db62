// How long a page's main thread was busy at a time.

import type { Page } from "playwright-core";

/** Has the page note its long tasks, from its beginning on. */
export function watchTasks(page: Page): Promise<unknown> {
  return page.addInitScript(() => {
    if (window.top !== window) return;
    const tasks: number[] = [];
    Object.assign(globalThis, { tasks });
    new PerformanceObserver((list) => tasks.push(...list.getEntries().map((e) => e.duration))).observe({ type: "longtask" });
  });
}

/** The longest since it was asked the last time, in milliseconds; 0 for none of 50 ms and more. */
export function longestTask(page: Page): Promise<number> {
  return page.evaluate(async () => {
    // What is noted comes a moment later.
    await new Promise((resolve) => setTimeout(resolve, 100));
    return Math.max(0, ...(globalThis as unknown as { tasks: number[] }).tasks.splice(0));
  });
}
