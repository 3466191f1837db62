// Tables that may be wider than their page: <div class="ots-history">, <div class="ots-articles">. All of
// them is in the page; only their keys are looked after.

/** The arrow keys move a table that is wider than its page. mdBook would turn the page instead. */
export function upgradeWideTable(block: HTMLElement): void {
  block.addEventListener("keydown", (e) => {
    if (e.key.startsWith("Arrow") && block.scrollWidth > block.clientWidth) e.stopPropagation();
  });
}
