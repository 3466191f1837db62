// The steps of a program that a page of the book shows: <div class="ots-stepped">. Its text lists them, and a button
// replaces that by the picture.

import { blockData, button, el } from "../dom.ts";
import { readSteps, Viewer } from "./viewer.ts";

/** Adds the button. Reports whether the block's data is readable. */
export function upgradeSteps(block: HTMLElement): boolean {
  const steps = readSteps(blockData(block));
  if (!steps) return false;
  const draw = button("ots-button", () => show(), "Show the stack and the heap");
  const tools = el("div", { class: "ots-run" }, draw);
  function show(): void {
    const viewer = new Viewer(steps!, { code: true });
    tools.replaceWith(viewer.root);
    block.classList.add("ots-upgraded");
    viewer.focus();
  }
  block.append(tools);
  return true;
}
