// The projector's view of a room: how to join, and how far the class is, without a name.

import { el } from "../dom.ts";
import type { Room } from "../go/room.ts";
import type { JoinAddress } from "./address.ts";
import { ExerciseCards } from "./exercise-cards.ts";
import type { Exercises } from "./data.ts";
import { qrCode } from "./qr.ts";
import { deadlineWords, plural } from "./words.ts";

/** With more exercises, their spread would not fit on the screen. */
const MOST_SPREADS = 3;

export class Projector {
  readonly root: HTMLElement;
  readonly #cards: ExerciseCards;
  readonly #title = el("h2", { class: "projector-title", dir: "auto" });
  readonly #status = el("p", { class: "projector-status" });

  constructor(code: string, address: JoinAddress, exercises: Exercises) {
    this.#cards = new ExerciseCards({
      exercises,
      change: null,
      spread: (room) => room.exercises.length <= MOST_SPREADS,
    });
    this.root = el(
      "div",
      { class: "projector" },
      el(
        "div",
        { class: "projector-join" },
        qrCode(address.href(code), `QR code of ${address.href(code)}`),
        el(
          "div",
          { class: "projector-words" },
          el("p", { class: "projector-label" }, "Open"),
          el("p", { class: "projector-address" }, address.words),
          el("p", { class: "projector-label" }, "and type"),
          el("p", { class: "projector-code" }, code),
        ),
      ),
      el("div", { class: "projector-room" }, this.#title, this.#status, this.#cards.root),
      el("p", { class: "projector-back" }, el("a", { href: `#${code}` }, "Back to the grid"), " (Escape)"),
    );
  }

  show(room: Room, now: number): void {
    this.#title.textContent = room.title;
    this.#status.textContent = `${plural(room.participants.length, "participant")}. ${deadlineWords(room, now)}`;
    this.#cards.show(room);
  }
}
