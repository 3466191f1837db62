// Where the parts of the editor's page stand: the program and what comes of it are panes, and Run is in their bar.

import { el } from "../dom.ts";
import type { Workbench } from "../program/workbench.ts";
import { Panes } from "../shell/panes.ts";
import type { Store } from "../store.ts";

export interface PlayElements {
  bench: Workbench;
  /** Names the release that runs programs. */
  version: HTMLElement;
  /** Who runs: the server or the page. */
  where: HTMLElement;
  examples: HTMLElement;
  /** The releases on which one can step. */
  releases: HTMLElement;
  benchmark: HTMLElement;
  reset: HTMLElement;
  undo: HTMLElement;
  notes: HTMLElement;
  code: HTMLElement;
  help: HTMLElement;
}

/** Places the parts. What the page had before is removed. */
export function layOutPlay(page: HTMLElement, e: PlayElements, store: Store): Panes<"code" | "result"> {
  const { buttons, status, summary, link, result, live } = e.bench;
  const root = el("div", { class: "ots-widget" });
  page.replaceChildren(
    // The page's header is the site's.
    el("section", { class: "head", "aria-label": "Play" }, el("h1", {}, "Play"), e.version),
    el("main", { class: "work", id: "program", tabindex: -1 }, root),
    live,
  );
  const head = el("div", { class: "ots-code-head" }, e.examples, buttons.Format, buttons.Share, e.reset);
  const words = el("div", { class: "ots-check-words" }, status, summary);
  const pressed = [buttons.Run, e.benchmark, buttons.Step, e.releases, buttons.Report];
  return new Panes(root, {
    id: "play",
    panes: [
      {
        name: "code",
        label: "Code",
        root: el("section", { class: "ots-pane is-code" }, head, e.notes, e.code, e.help),
      },
      {
        name: "result",
        label: "Result",
        root: el("section", { class: "ots-pane is-result", tabindex: 0 }, link.root, result, e.where),
      },
    ],
    bar: el("div", { class: "ots-check-bar", role: "group", "aria-label": "Run" }, ...pressed, words, e.undo),
    store,
  });
}
