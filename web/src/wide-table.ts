// Tables that may be wider than the page: <div class="ots-history">, <div class="ots-articles">.

/** Lets the arrow keys scroll a table that is wider than the page. Otherwise mdBook would turn to another page. */
export function upgradeWideTable(block: HTMLElement): void {
  block.addEventListener("keydown", (e) => {
    if (e.key.startsWith("Arrow") && block.scrollWidth > block.clientWidth) e.stopPropagation();
  });
}
