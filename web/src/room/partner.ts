// The part of a participant's page for a pair: two people at one seat, each with a key, until one of them continues
// alone.

import { el } from "../dom.ts";
import type { Room } from "../go/room.ts";
import type { RoomAPI } from "./api.ts";
import { asking } from "./confirm.ts";
import type { Seat } from "./seat.ts";
import { seatLink } from "./seat-more.ts";
import { grouped } from "./typed.ts";
import { refusalWords } from "./words.ts";

export class PartnerSection {
  readonly root = el("section", { class: "room-partner", "aria-label": "Pair", hidden: true });
  readonly #api: RoomAPI;
  readonly #site: string;
  readonly #seat: Seat;
  readonly #key: string;
  readonly #onParted: (room: Room) => void;
  readonly #problem = el("p", { class: "room-problem", role: "alert" });

  /**
   * site is the URL of the site, and key the one of the other person, or "". onParted is called with the room after the
   * pair has parted.
   */
  constructor(api: RoomAPI, site: string, seat: Seat, key: string, onParted: (room: Room) => void) {
    this.#api = api;
    this.#site = site;
    this.#seat = seat;
    this.#key = key;
    this.#onParted = onParted;
  }

  show(room: Room): void {
    const own = room.participants[0];
    const partner = own?.people.find(({ id }) => id !== own.id);
    this.root.hidden = !partner;
    if (!partner || this.root.dataset["partner"] === partner.name) return;
    this.root.dataset["partner"] = partner.name;
    const alone = asking(
      "Continue alone",
      `You and ${partner.name} will each have a seat, with everything that you did together. This cannot be undone.` +
        (this.#key === "" ? "" : ` Give ${partner.name} the key above first.`),
      "Continue alone",
      () => void this.#part(),
    );
    this.root.replaceChildren(
      el(
        "p",
        {},
        "You share this seat with ",
        el("bdi", { class: "room-name" }, partner.name),
        ". What one of you does counts for both, in the grades too.",
      ),
      ...(this.#key === "" ? [] : [this.#other(partner.name)]),
      this.#problem,
      el("p", {}, alone),
    );
  }

  #other(name: string): HTMLElement {
    const link = el("input", {
      class: "room-link",
      readonly: true,
      value: seatLink(this.#site, this.#seat.room, this.#key),
      "aria-label": "Link of the second person",
    });
    link.addEventListener("focus", () => link.select());
    return el(
      "details",
      { class: "room-again" },
      el("summary", {}, "The key of ", el("bdi", {}, name)),
      el(
        "p",
        {},
        "With it, ",
        el("bdi", {}, name),
        " can open this seat in another browser, and continue alone there: ",
        el("b", { class: "room-key" }, grouped(this.#key)),
        ". This link contains the key:",
      ),
      el("p", { class: "room-controls" }, link),
    );
  }

  async #part(): Promise<void> {
    const answer = await this.#api.part(this.#seat.room);
    if (answer.kind === "ok") return this.#onParted(answer.value);
    this.#problem.textContent = refusalWords(answer);
  }
}
