// The choice between the server and the page, where there is one.

import { el } from "./dom.ts";
import type { Place, Where } from "./runner.ts";

/** A switch, hidden until both can answer. done says what is done there: "Checked". */
export function whereSwitch(place: Place | null, done: string): HTMLElement {
  const select = el("select", {}, el("option", { value: "server" }, "by the server"), el("option", { value: "page" }, "in this page"));
  const root = el("label", { class: "ots-where", hidden: true }, `${done} `, select);
  if (!place) return root;
  const show = () => (select.value = place.chosen() ?? "server");
  select.addEventListener("change", () => place.choose(select.value as Where));
  // Another switch of the page may have been used meanwhile.
  root.addEventListener("pointerenter", show);
  select.addEventListener("focus", show);
  place.whenBoth(() => {
    show();
    root.hidden = false;
  });
  return root;
}
