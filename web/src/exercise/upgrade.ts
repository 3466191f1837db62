// Puts the editor and the verdict where the static exercise stands: <section class="ots-exercise">.

import { blockData, el } from "../dom.ts";
import type { ExerciseData } from "../go/exercise.ts";
import { whenSeated } from "../room/seat.ts";
import type { Runner } from "../runner.ts";
import type { Store } from "../store.ts";
import type { Beginning } from "./aside.ts";
import { readExercise } from "./data.ts";
import { Exercise } from "./exercise.ts";
import { layOutInText, type LayOut } from "./layout.ts";
import { printOwn } from "./printed.ts";

/** Starts to upgrade an exercise. Reports whether its data block is readable. */
export function upgradeExercise(block: HTMLElement, runner: Runner, store: Store): boolean {
  const data = readExercise(blockData(block));
  if (!data) return false;
  const page = block.closest(".workbench");
  const parts = [import("../editor/editor.ts"), begin(data, store), page && import("./panes.ts")] as const;
  void Promise.all(parts).then(
    ([{ createEditor }, { store: begun, notice }, panes]) => {
      markStatic(block);
      const root = el("div", { class: "ots-widget" });
      let layOut: LayOut = layOutInText;
      if (page && panes) layOut = (root, p) => panes.layOutOnPage(root, { ...p, notice }, page, store);
      else if (notice) block.append(notice);
      block.append(root);
      const exercise = new Exercise(root, data, { createEditor, runner, store: begun, layOut });
      block.classList.add("ots-upgraded");
      printOwn(block, data.files, () => exercise.files());
      // A mistake that is tried out is not the reader's own work.
      if (begun === store) void enterRoom(block, exercise, store);
    },
    () => {
      const words = "The editor could not be loaded. Reload the page to try again.";
      block.append(el("p", { class: "ots-notice is-problem" }, words));
    },
  );
  return true;
}

/** Resolves to what the page's address asks for: the reader's own code, a likely mistake, or a shared attempt. */
async function begin(data: ExerciseData, store: Store): Promise<Beginning> {
  const beginning: Beginning = { store, notice: null };
  // On a page with several exercises, the address does not say which one is meant.
  if (document.querySelectorAll(".ots-exercise").length > 1) return beginning;
  const attempt = () => location.hash.startsWith("#attempt=");
  // A link to this page that is opened in this tab changes only the fragment.
  addEventListener("hashchange", () => attempt() && location.reload());
  if (attempt()) return (await import("./attempt.ts")).beginAttempt(data, store);
  if (!new URLSearchParams(location.search).get("try")) return beginning;
  return (await import("./try.ts")).beginMistake(data, store);
}

/** Loads what an exercise needs in a room, once this browser is in one. */
async function enterRoom(block: HTMLElement, exercise: Exercise, store: Store): Promise<void> {
  await whenSeated(store);
  try {
    const [{ pageRoom }, { RoomLine }] = await Promise.all([
      import("../room/page-room.ts"),
      import("../room/room-line.ts"),
    ]);
    exercise.enter(pageRoom(store), RoomLine);
  } catch {
    const words = "The part that reports to your room could not be loaded. Reload the page to try again.";
    block.prepend(el("p", { class: "ots-notice is-problem" }, words));
  }
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
