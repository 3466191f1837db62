// A button that asks before it does what everybody notices, or what cannot be undone.

import { button, el } from "../dom.ts";

/** Returns the button, which asks a question in its place. */
export function asking(label: string, question: Node | string, yes: string, confirmed: () => void): HTMLElement {
  const begin = button(
    "ots-button",
    () => {
      begin.hidden = true;
      ask.hidden = false;
      no.focus();
    },
    label,
  );
  const end = () => {
    ask.hidden = true;
    begin.hidden = false;
  };
  const sure = button(
    "ots-button is-danger",
    () => {
      end();
      begin.focus();
      confirmed();
    },
    yes,
  );
  const no = button(
    "ots-button",
    () => {
      end();
      begin.focus();
    },
    "Cancel",
  );
  const ask = el(
    "span",
    { class: "ots-ask", role: "group", "aria-label": label, hidden: true },
    el("span", {}, question),
    sure,
    no,
  );
  ask.addEventListener("keydown", (e) => {
    if (e.key === "Escape") no.click();
  });
  return el("span", { class: "room-asking" }, begin, ask);
}
