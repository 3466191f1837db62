// The switch between the server and the page, if both are available.

import { el } from "./dom.ts";
import type { RunnerChoice, Where } from "./runner.ts";

/** Returns a switch that is hidden until both are available. what says what is chosen a place for: "Checks run". */
export function whereSwitch(choice: RunnerChoice | null, what: string): HTMLElement {
  const server = el("option", { value: "server" }, "on the server");
  const page = el("option", { value: "page" }, "in this page");
  const select = el("select", {}, server, page);
  const root = el("label", { class: "ots-where", hidden: true }, `${what} `, select);
  if (!choice) return root;
  const show = () => (select.value = choice.chosen() ?? "server");
  select.addEventListener("change", () => choice.choose(select.value as Where));
  // The reader may have used another switch of the page meanwhile.
  root.addEventListener("pointerenter", show);
  select.addEventListener("focus", show);
  choice.whenBoth(() => {
    show();
    root.hidden = false;
  });
  return root;
}
