// The reader's own progress on the list of exercises: in each row, summed up, and as a file.

import { el } from "../dom.ts";
import type { Saved } from "../exercise/saved.ts";
import type { Store } from "../store.ts";
import { cost } from "../verdict/words.ts";
import { fileButtons } from "./buttons.ts";
import { Kept } from "./kept.ts";

/**
 * Puts the sum into the block, a mark into each .ots-reached of the page, which names its exercise and stands in the
 * exercise's row, and the buttons for the file into .ots-so-far-file. Reports whether there are exercises.
 */
export function upgradeProgress(block: HTMLElement, store: Store): boolean {
  const marks = [...document.querySelectorAll<HTMLElement>(".ots-reached[data-exercise]")];
  const links = new Map<string, HTMLAnchorElement>();
  for (const mark of marks) {
    const id = mark.dataset["exercise"]!;
    const link = mark.parentElement?.querySelector("a");
    if (link && !links.has(id)) links.set(id, link);
  }
  const ids = [...links.keys()];
  if (ids.length === 0) return false;

  const kept = new Kept(store, ids);
  if (!kept.works()) {
    block.replaceChildren(
      el("p", {}, "This browser’s storage is blocked, so no progress is kept here. In a clone, checkalloc keeps it."),
    );
    return true;
  }
  const show = () => {
    block.replaceChildren(...sum(kept, ids, links));
    for (const mark of marks) mark.replaceChildren(...reached(kept.of(mark.dataset["exercise"]!)));
  };
  show();
  kept.onElsewhere(show);
  // A page that was kept while the reader was on another hears of nothing meanwhile.
  addEventListener("pageshow", (e) => e.persisted && show());
  document.querySelector(".ots-so-far-file")?.append(...fileButtons(kept, show));
  return true;
}

function sum(kept: Kept, ids: readonly string[], links: ReadonlyMap<string, HTMLAnchorElement>): Node[] {
  const next = kept.next();
  const link = next === null ? null : links.get(next);
  return [
    el(
      "p",
      {},
      el("strong", {}, next === null ? `All ${ids.length} passed.` : `${kept.passed()} of ${ids.length} passed.`),
      link && " Next: ",
      link && el("a", { href: link.href }, link.textContent),
    ),
    el(
      "div",
      { class: "ots-so-far-bar", "aria-hidden": "true" },
      ...ids.map((id) => el("span", { class: stage(kept.of(id)) })),
    ),
  ];
}

const stage = (saved: Saved | null) => (saved === null ? null : saved.passed ? "is-passed" : "is-begun");

/** How far an exercise is, in words. */
function reached(saved: Saved | null): Node[] {
  const state = saved === null ? "not begun" : saved.passed ? "passed" : "begun";
  const figure = saved?.last?.benchmarks[0];
  return [
    el("span", { class: `ots-reached-state ${stage(saved) ?? ""}`.trim() }, state),
    ...(figure ? [el("span", { class: "ots-reached-figure" }, ` at ${cost(figure)}`)] : []),
  ];
}
