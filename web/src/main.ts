// Runs on every page of the book and upgrades what it finds there.

import { whenNear } from "./dom.ts";
import { upgradeExercise } from "./exercise/upgrade.ts";
import { upgradePredict } from "./predict/predict.ts";
import { upgradeProgram } from "./program/program.ts";
import { pageRunner } from "./runner-client.ts";
import { browserStore, visitStore } from "./store.ts";
import { upgradeVerdict } from "./verdict/picture.ts";
import { upgradeWideTable } from "./wide-table.ts";

const runner = pageRunner();
const store = browserStore();
const visit = visitStore();

each(".ots-verdict", (block) => attempt(block, upgradeVerdict));
each(".ots-history, .ots-articles", upgradeWideTable);
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
