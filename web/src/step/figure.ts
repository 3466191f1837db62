// The steps of a program that a page of the book shows: <div class="ots-program ots-stepped">. Its text lists them, and
// a button replaces that by the picture. A block with the class is-open has the picture as soon as it is nearly
// visible.

import { blockData, button, el, whenNear } from "../dom.ts";
import { isFields } from "../json.ts";
import { later } from "../later.ts";

/** Adds the button. Reports whether the block's data is readable. */
export function upgradeSteps(block: HTMLElement): boolean {
  const data = blockData(block);
  if (!isFields(data) || !Array.isArray(data["steps"])) return false;
  const status = el("span", { class: "ots-status", role: "status" });
  const draw = button("ots-button", () => void show(true), "Show the stack and the heap");
  const tools = el("div", { class: "ots-run" }, draw, status);
  async function show(focus: boolean): Promise<void> {
    try {
      const { readSteps, Viewer } = await later(import("./pair.ts"));
      const steps = readSteps(data);
      if (!steps) throw new Error("The steps are in a form that this page cannot read. Reload the page.");
      const viewer = new Viewer(steps, { code: true });
      tools.replaceWith(viewer.root);
      block.classList.add("ots-upgraded");
      if (focus) {
        // The text above is shorter now, or gone, so the buttons may have moved out of the window. A picture that is
        // higher than the window cannot be all in it, but what is pressed can.
        block.scrollIntoView({ block: "nearest" });
        viewer.bar.scrollIntoView({ block: "nearest" });
        viewer.focus();
      }
    } catch (e) {
      status.textContent = e instanceof Error ? e.message : String(e);
      status.classList.add("is-problem");
    }
  }
  block.append(tools);
  if (block.classList.contains("is-open")) whenNear(block, () => show(false));
  return true;
}
