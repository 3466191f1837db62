// Blocks that may be wider than the page: code, and the tables <div class="ots-history"> and
// <div class="ots-articles">.

/** Lets the arrow keys scroll a block that is wider than the page. Otherwise mdBook would turn to another page. */
export function passArrowKeys(block: HTMLElement): void {
  block.addEventListener("keydown", (e) => {
    if (e.key.startsWith("Arrow") && block.scrollWidth > block.clientWidth) e.stopPropagation();
  });
}

/** Makes a block of code or a table focusable while it scrolls, so that it can be scrolled by keyboard. */
export function upgradeWideCode(block: HTMLElement): void {
  passArrowKeys(block);
  new ResizeObserver(() => {
    const more = block.scrollWidth > block.clientWidth || block.scrollHeight > block.clientHeight;
    const scrolls = more && getComputedStyle(block).overflowX !== "visible";
    if (scrolls) block.tabIndex = 0;
    else block.removeAttribute("tabindex");
  }).observe(block);
}
