// Puts the editor and the verdict where the static exercise stands: <section class="ots-exercise">.

import { blockData, el } from "../dom.ts";
import { loadEditor } from "../load-editor.ts";
import { scriptLoader } from "../load-script.ts";
import type { Runner } from "../runner.ts";
import type { Store } from "../store.ts";
import type { ExerciseBundle } from "./bundle.ts";
import { readExercise } from "./data.ts";

declare global {
  /** Set by exercise.js. */
  var onthestackExercise: ExerciseBundle | undefined;
}

/** Set by the build: a hash of exercise.js. */
declare const EXERCISE_VERSION: string;

const loadExercise = scriptLoader(`widgets/exercise.js?v=${EXERCISE_VERSION}`, () => globalThis.onthestackExercise);

/** Starts to upgrade an exercise. Reports whether its data block is readable. */
export function upgradeExercise(block: HTMLElement, runner: Runner, store: Store): boolean {
  const data = readExercise(blockData(block));
  if (!data) return false;
  const beginning = loadExercise().then(async ({ begin, Exercise }) => ({ Exercise, ...(await begin(data, store)) }));
  void Promise.all([loadEditor(), beginning]).then(
    ([{ createEditor }, { Exercise, store, notice }]) => {
      markStatic(block);
      const root = el("div", { class: "ots-widget" });
      if (notice) block.append(notice);
      block.append(root);
      new Exercise(root, data, { createEditor, runner, store });
      block.classList.add("ots-upgraded");
    },
    () => {
      block.append(
        el(
          "p",
          { class: "ots-notice is-problem" },
          "The editor could not be loaded. Reload the page to try again.",
        ),
      );
    },
  );
  return true;
}

/** Marks the elements that the widget replaces: the first listing or its caption, and all that follow. The task before them stays. */
function markStatic(block: HTMLElement): void {
  let replaced = false;
  for (const child of block.children) {
    replaced ||= child.matches("pre, details, .ots-caption");
    if (replaced) child.classList.add("ots-static");
  }
}
