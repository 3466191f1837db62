// The link that the instructor gives to people who help in the room: they see it, and lower hands.

import { el } from "../dom.ts";
import type { Room } from "../go/room.ts";

export class HelpersLink {
  readonly root: HTMLElement;
  readonly #site: string;
  readonly #field = el("input", { readonly: true, "aria-label": "Link for helpers" });

  /** site is the URL of the site as the instructor opened it. */
  constructor(site: string) {
    this.#site = site;
    this.#field.addEventListener("focus", () => this.#field.select());
    this.root = el(
      "section",
      { class: "room-section for-instructor", "aria-label": "Helpers" },
      el("h2", {}, "Helpers"),
      el(
        "p",
        { class: "room-hint" },
        "Anybody who has this link can see all rooms of this server, with names and code, and lower hands. They can " +
          "change nothing else, and cannot download the grades. Do not project it.",
      ),
      el("details", {}, el("summary", {}, "Show the link"), el("p", { class: "room-controls" }, this.#field)),
    );
  }

  show({ room, helperToken }: Room): void {
    this.root.hidden = helperToken === "";
    const link = `${this.#site}room/#token=${helperToken}&${room}`;
    if (this.#field.value !== link) this.#field.value = link;
  }
}
