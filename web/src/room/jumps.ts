// Buttons above the grid that lead to what an instructor uses in front of the class, and which stands below a grid that
// may fill the screen. Links are no use for that: the fragment of the address names the room.

import { button, el, reducedMotion } from "../dom.ts";

/** Returns the buttons, by the sections to which they lead. */
export function jumps(...sections: [label: string, section: HTMLElement][]): HTMLElement {
  return el(
    "span",
    { class: "room-controls room-jumps", role: "group", "aria-label": "Below the grid" },
    ...sections.map(([label, section]) => button("ots-button is-quiet", () => jump(section), label)),
  );
}

function jump(section: HTMLElement): void {
  section.scrollIntoView({ block: "start", behavior: reducedMotion() ? "auto" : "smooth" });
  const fields = [...section.querySelectorAll<HTMLElement>("input, select, button")];
  fields.find((field) => field.checkVisibility())?.focus({ preventScroll: true });
}
