// The list of examples, folded away until it is asked for.

import { button, el } from "../dom.ts";
import { EXAMPLES, type Example } from "./examples.ts";

export function exampleMenu(choose: (example: Example) => void): HTMLElement {
  const summary = el("summary", { class: "ots-button is-quiet" }, "Examples");
  const menu = el("details", { class: "ots-examples" }, summary);
  const close = () => (menu.open = false);
  const items = EXAMPLES.map((example) =>
    el("li", {}, button("ots-example", () => {
      close();
      choose(example);
    }, example.title)),
  );
  menu.append(el("ul", {}, ...items));
  menu.addEventListener("keydown", (e) => {
    if (e.key !== "Escape" || !menu.open) return;
    close();
    summary.focus();
  });
  // Another place was pointed at, or the focus went on.
  for (const event of ["pointerdown", "focusin"]) {
    document.addEventListener(event, (e) => {
      if (!menu.contains(e.target as Node)) close();
    });
  }
  return menu;
}
