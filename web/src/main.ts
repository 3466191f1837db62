// Runs on every page of the book, and on the site's that have widgets, and upgrades what it finds there.

import { amendFrame } from "./book-frame.ts";
import { colorCode } from "./color-code.ts";
import { whenNear } from "./dom.ts";
import { upgradeExercise } from "./exercise/upgrade.ts";
import { upgradePredict } from "./predict/predict.ts";
import { upgradeProgram } from "./program/program.ts";
import { upgradeProgress } from "./progress/progress.ts";
import { pageRunner } from "./page-runner.ts";
import { loadSearchLater } from "./search.ts";
import { browserStore, visitStore } from "./store.ts";
import { upgradeVerdict } from "./verdict/picture.ts";
import { upgradeWideCode } from "./wide-code.ts";
import { upgradeWideTable } from "./wide-table.ts";

amendFrame();
loadSearchLater();
const store = browserStore();
const runner = pageRunner(store);
const visit = visitStore();

each("pre > code:is(.language-go, .language-console)", colorCode);
each("pre, pre > code", upgradeWideCode);
each(".ots-verdict", (block) => attempt(block, upgradeVerdict));
each(".ots-history, .ots-articles", upgradeWideTable);
each(".ots-so-far", (block) => upgradeProgress(block, store));
each(".ots-predict", (block) => attempt(block, () => upgradePredict(block, store)));
each(".ots-program", (block) => attempt(block, () => upgradeProgram(block, runner, visit)));
// An editor is much to load for a page that is only skimmed.
each(".ots-exercise", (block) => whenNear(block, () => attempt(block, () => upgradeExercise(block, runner, store))));

function each(selector: string, upgrade: (block: HTMLElement) => void): void {
  for (const block of document.querySelectorAll<HTMLElement>(selector)) upgrade(block);
}

/** A block that cannot be upgraded stays as it is, readable. */
function attempt(block: HTMLElement, upgrade: (block: HTMLElement) => boolean): void {
  if (upgrade(block)) return;
  const at = block.id ? `#${block.id}` : `.${block.className}`;
  console.error(`${location.pathname}${at}: the data block is missing or broken; rebuild the book`);
}
