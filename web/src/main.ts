// Runs on every page of the book and upgrades what it finds there.

import { upgradeExercise } from "./exercise/upgrade.ts";
import { upgradeProgram } from "./program/program.ts";
import { pageRunner } from "./runner-client.ts";
import { browserStore } from "./store.ts";
import { upgradeVerdict } from "./verdict/picture.ts";

const runner = pageRunner();
const store = browserStore();

each(".ots-verdict", upgradeVerdict);
each(".ots-program", (block) => upgradeProgram(block, runner));
whenNear(".ots-exercise", (block) => upgradeExercise(block, runner, store));

function each(selector: string, upgrade: (block: HTMLElement) => boolean): void {
  for (const block of document.querySelectorAll<HTMLElement>(selector)) attempt(block, upgrade);
}

/** Waits until a block is nearly in view: an editor is much to load for a page that is only skimmed. */
function whenNear(selector: string, upgrade: (block: HTMLElement) => boolean): void {
  const near = new IntersectionObserver(
    (entries) => {
      for (const entry of entries) {
        if (!entry.isIntersecting) continue;
        near.unobserve(entry.target);
        attempt(entry.target as HTMLElement, upgrade);
      }
    },
    { rootMargin: "600px 0px" },
  );
  for (const block of document.querySelectorAll(selector)) near.observe(block);
}

/** A block that cannot be upgraded stays as it is, readable. */
function attempt(block: HTMLElement, upgrade: (block: HTMLElement) => boolean): void {
  if (upgrade(block)) return;
  const at = block.id ? `#${block.id}` : `.${block.className}`;
  console.error(`${location.pathname}${at}: the data block is missing or broken; rebuild the book`);
}
