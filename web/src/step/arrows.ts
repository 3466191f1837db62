// Draws arrows from pointers to what they lead to. They repeat what the pointers' labels say, so they are hidden from
// screen readers, and where stack and heap are not side by side there are none.

const SVG = "http://www.w3.org/2000/svg";
/** The distance in pixels by which a curve swings out. */
const SWING = 28;

/** Draws the arrows of a picture of memory, in place of its old ones. */
export function drawArrows(memory: HTMLElement): void {
  memory.querySelector(":scope > svg")?.remove();
  const stack = memory.querySelector(".ots-mem-stack")?.getBoundingClientRect();
  const heap = memory.querySelector(".ots-mem-heap")?.getBoundingClientRect();
  if (!stack || !heap || heap.left < stack.right) return;
  const origin = memory.getBoundingClientRect();
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("class", "ots-arrows");
  svg.setAttribute("aria-hidden", "true");
  for (const pointer of memory.querySelectorAll<HTMLElement>("[data-to]")) {
    const target = targetOf(memory, pointer);
    // The values of garbage are not shown.
    if (!target || pointer.getClientRects().length === 0) continue;
    // An arrow begins beside the words of a slice or an interface, not across them.
    const from = (pointer.closest(".ots-words") ?? pointer).getBoundingClientRect();
    const to = target.getBoundingClientRect();
    const x1 = from.right - origin.left + 2;
    const y1 = (from.top + from.bottom) / 2 - origin.top;
    const y2 = to.top - origin.top + Math.min(14, to.height / 2);
    const across = from.right < to.left;
    const x2 = (across ? to.left - 2 : to.right + 2) - origin.left;
    const swing = across ? Math.max(SWING, (x2 - x1) / 2) : SWING;
    const out = across ? x2 - swing : Math.max(x1, x2) + swing;
    const turn = across ? x1 + swing : out;
    const path = document.createElementNS(SVG, "path");
    path.setAttribute("d", `M${x1} ${y1}C${turn} ${y1} ${out} ${y2} ${x2} ${y2}`);
    const tip = document.createElementNS(SVG, "path");
    const back = across ? -6 : 6;
    tip.setAttribute("d", `M${x2 + back} ${y2 - 4}L${x2} ${y2}L${x2 + back} ${y2 + 4}`);
    const kind = target.matches(".ots-mem-heap *") ? "to-heap" : "to-stack";
    for (const part of [path, tip]) {
      part.setAttribute("class", kind);
      svg.append(part);
    }
  }
  memory.append(svg);
}

/** Returns the box that a pointer leads to, if it is drawn. */
export function targetOf(memory: HTMLElement, pointer: HTMLElement): HTMLElement | null {
  const id = Number(pointer.dataset["to"]);
  return memory.querySelector<HTMLElement>(`.ots-mem-heap [data-id="${id}"], .ots-mem-stack [data-id="${id}"]`);
}
