// The marks of the sidebar. It is loaded once something is stored in this browser.

import { el } from "../dom.ts";
import { readSaved } from "../exercise/saved.ts";
import type { Store } from "../store.ts";
import { isPassed, pathOf, READING, readReading } from "./stored.ts";

/**
 * Marks the pages that were read, and says how many exercises of a page have passed, wherever that was. lighten.mjs
 * writes the numbers of a page's exercises into its link: data-exercises="6 7".
 */
export async function markSidebar(store: Store): Promise<void> {
  await customElements.whenDefined("mdbook-sidebar-scrollbox");
  const read = store.load(READING, readReading)?.read ?? [];
  for (const link of document.querySelectorAll<HTMLAnchorElement>("#mdbook-sidebar .chapter a[href]")) {
    const ids = (link.dataset["exercises"]?.split(" ") ?? []).map((number) => `exercise${number}`);
    const isRead = read.includes(pathOf(link.href));
    const mark = el("span", { class: "ots-reading" });
    const show = () => {
      const passed = ids.filter((id) => isPassed(store, id)).length;
      mark.textContent = passed > 0 ? ` ${passed} of ${ids.length} passed` : isRead ? " ✓" : "";
    };
    show();
    link.append(mark);
    for (const id of ids) store.onElsewhere(id, readSaved, show);
  }
}
