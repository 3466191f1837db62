// Makes code that is wider or higher than its block scrollable by keyboard.

import { upgradeWideTable } from "./wide-table.ts";

/** Makes a block of code focusable while it scrolls. */
export function upgradeWideCode(block: HTMLElement): void {
  upgradeWideTable(block);
  new ResizeObserver(() => {
    const more = block.scrollWidth > block.clientWidth || block.scrollHeight > block.clientHeight;
    const scrolls = more && getComputedStyle(block).overflowX !== "visible";
    if (scrolls) block.tabIndex = 0;
    else block.removeAttribute("tabindex");
  }).observe(block);
}
