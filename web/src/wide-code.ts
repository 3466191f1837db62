// Code that may be larger than its place: where it is, it is moved by keyboard, too.

import { upgradeWideTable } from "./wide-table.ts";

/** Lets the focus go to a block of code while it is larger than its place. */
export function upgradeWideCode(block: HTMLElement): void {
  upgradeWideTable(block);
  new ResizeObserver(() => {
    const more = block.scrollWidth > block.clientWidth || block.scrollHeight > block.clientHeight;
    const scrolls = more && getComputedStyle(block).overflowX !== "visible";
    if (scrolls) block.tabIndex = 0;
    else block.removeAttribute("tabindex");
  }).observe(block);
}
