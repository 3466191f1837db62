// The script of the book's pages, and of the site's pages with widgets. It adds the widgets to their static text.

import { amendFrame } from "./book-frame.ts";
import { colorCode } from "./color-code.ts";
import { el, whenNear } from "./dom.ts";
import { pageRunner } from "./page-runner.ts";
import { printLight } from "./printing.ts";
import { followReading } from "./reading/reading.ts";
import { READING } from "./reading/stored.ts";
import { loadSearchLater } from "./search.ts";
import { browserStore, visitStore } from "./store.ts";
import { upgradeVerdict } from "./verdict/annotated-listing.ts";
import { upgradeWideCode, passArrowKeys } from "./wide.ts";

amendFrame();
printLight();
loadSearchLater();
const store = browserStore();
const runner = pageRunner(store);
const visit = visitStore();

followReading(store);
each("a.ots-start", async (link) => {
  if (store.namesAfter(READING).length === 0) return;
  const part = await import("./reading/place.ts").catch(() => null);
  part?.continueReading(link as HTMLAnchorElement, store);
});
each("pre > code:is(.language-go, .language-console)", colorCode);
each("pre, pre > code, .table-wrapper", upgradeWideCode);
each(".ots-verdict", (block) => attempt(block, upgradeVerdict));
each(".ots-history, .ots-articles", passArrowKeys);
each(".ots-predict", async (block) => {
  const part = await import("./predict/predict.ts").catch(() => null);
  if (part) attempt(block, () => part.upgradePredict(block, store));
});
each(".ots-again", async (block) => {
  if (store.namesAfter("predict/").length === 0) return;
  const part = await import("./predict/again.ts").catch(() => null);
  part?.upgradeAgain(block, store);
});
each(".ots-choices", async (block) => {
  const part = await import("./choices/choices.ts").catch(() => null);
  if (part) attempt(block, () => part.upgradeChoices(block, store));
});
each(".ots-gctrace", async (block) => {
  const part = await import("./gctrace/gctrace.ts").catch(() => null);
  if (part) attempt(block, part.upgradeGctrace);
});
each(".ots-so-far", async (block) => {
  const part = await loaded(import("./progress/progress.ts"), block, "Your progress");
  part?.upgradeProgress(block, store);
});
each(".ots-offline", async (block) => {
  const part = await import("./offline/use.ts").catch(() => null);
  void part?.upgradeOffline(block, runner);
});
each(".ots-program:not(.ots-stepped)", async (block) => {
  const part = await loaded(import("./program/program.ts"), block, "The part that runs the program");
  if (part) attempt(block, () => part.upgradeProgram(block, runner, visit));
});
each(".ots-program.ots-stepped", async (block) => {
  const part = await loaded(import("./step/figure.ts"), block, "The part that shows the steps");
  if (part) attempt(block, part.upgradeSteps);
});
// The editor is large, so load it only when the reader comes near the exercise.
each(".ots-exercise", (block) =>
  whenNear(block, async () => {
    const [part] = await Promise.all([
      loaded(import("./exercise/upgrade.ts"), block, "The exercise"),
      import("./editor/editor.ts").catch(() => null),
    ]);
    if (part) attempt(block, () => part.upgradeExercise(block, runner, store));
  }),
);

// A server on this machine that shares the reader's folder says so with the page: see runner/api/workspace.go.
const [page] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
if (page?.serverTiming?.some(({ name }) => name === "workspace"))
  import("./workspace/workspace.ts").then(({ followWorkspace }) => followWorkspace(store), console.error);

function each(selector: string, upgrade: (block: HTMLElement) => unknown): void {
  for (const block of document.querySelectorAll<HTMLElement>(selector)) upgrade(block);
}

/** Resolves to a part of the page's script, or to null if it cannot be loaded, which the block then says. */
async function loaded<T>(part: Promise<T>, block: HTMLElement, what: string): Promise<T | null> {
  try {
    return await part;
  } catch {
    block.append(
      el("p", { class: "ots-notice is-problem" }, `${what} could not be loaded. Reload the page to try again.`),
    );
    return null;
  }
}

/** Adds a widget to a block. If it cannot, the static text remains. */
function attempt(block: HTMLElement, upgrade: (block: HTMLElement) => boolean): void {
  if (upgrade(block)) return;
  const at = block.id ? `#${block.id}` : `.${block.className}`;
  console.error(`${location.pathname}${at}: no readable data block: rebuild the book`);
}
