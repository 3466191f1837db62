// Makes mdBook's frame accessible to screen readers and keyboards.

import { button } from "./dom.ts";

/** Makes the menu bar a landmark, and replaces the label that opens the sidebar with a button. */
export function amendFrame(): void {
  document.getElementById("mdbook-menu-bar")?.setAttribute("role", "banner");
  const label = document.getElementById("mdbook-sidebar-toggle");
  const checkbox = document.querySelector<HTMLInputElement>("#mdbook-sidebar-toggle-anchor");
  if (!label || !checkbox) return;
  const toggle = button("icon-button", () => label.click(), ...label.cloneNode(true).childNodes);
  const tell = () => toggle.setAttribute("aria-expanded", String(checkbox.checked));
  toggle.title = label.title;
  toggle.setAttribute("aria-label", label.title);
  toggle.setAttribute("aria-controls", "mdbook-sidebar");
  tell();
  checkbox.addEventListener("change", tell);
  label.hidden = true;
  label.before(toggle);
}
