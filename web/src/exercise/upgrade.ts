// Puts the editor and the verdict where the static exercise stands: <section class="ots-exercise">.

import { loadBundle } from "../bundles.ts";
import { blockData, el } from "../dom.ts";
import { pageRoom } from "../room/page-room.ts";
import type { Runner } from "../runner.ts";
import type { Store } from "../store.ts";
import { readExercise } from "./data.ts";
import { Exercise } from "./exercise.ts";
import { begin } from "./try.ts";

/** Starts to upgrade an exercise. Reports whether its data block is readable. */
export function upgradeExercise(block: HTMLElement, runner: Runner, store: Store): boolean {
  const data = readExercise(blockData(block));
  if (!data) return false;
  void Promise.all([loadBundle("editor"), begin(data, store)]).then(
    ([{ createEditor }, { store: begun, notice }]) => {
      markStatic(block);
      const root = el("div", { class: "ots-widget" });
      if (notice) block.append(notice);
      block.append(root);
      // A mistake that is tried out is not the reader's own work.
      const room = begun === store ? pageRoom(store) : null;
      new Exercise(root, data, { createEditor, runner, store: begun, room });
      block.classList.add("ots-upgraded");
    },
    () => {
      const words = "The editor could not be loaded. Reload the page to try again.";
      block.append(el("p", { class: "ots-notice is-problem" }, words));
    },
  );
  return true;
}

/**
 * Marks the elements that the widget replaces: the first listing or its caption, and all that follow. The task before
 * them stays.
 */
function markStatic(block: HTMLElement): void {
  let replaced = false;
  for (const child of block.children) {
    replaced ||= child.matches("pre, details, .ots-caption");
    if (replaced) child.classList.add("ots-static");
  }
}
