// The projector's view of a room: how to join, and how far the class is, without a name.

import { el } from "../dom.ts";
import type { Room } from "../go/room.ts";
import type { JoinAddress } from "./address.ts";
import type { RoomAPI } from "./api.ts";
import { ExerciseCards } from "./exercise-cards.ts";
import type { Exercises } from "./data.ts";
import { joinWords, whyNoAddress } from "./invite.ts";
import { MessageBox } from "./message.ts";
import { ProjectedCode } from "./projected.ts";
import { deadlineWords, plural } from "./words.ts";

/** With more exercises, their spread would not fit on the screen. */
const MOST_SPREADS = 3;

export class Projector {
  readonly root: HTMLElement;
  readonly #code: string;
  readonly #address: JoinAddress;
  readonly #cards: ExerciseCards;
  readonly #message = new MessageBox(null);
  readonly #projected: ProjectedCode;
  readonly #join = el("div", { class: "projector-join" });
  readonly #title = el("h2", { class: "projector-title", dir: "auto" });
  readonly #status = el("p", { class: "projector-status" });

  constructor(code: string, address: JoinAddress, exercises: Exercises, api: RoomAPI) {
    this.#code = code;
    this.#projected = new ProjectedCode(api, exercises);
    this.#address = address;
    this.#cards = new ExerciseCards({
      exercises,
      change: null,
      spread: (room) => room.exercises.length <= MOST_SPREADS,
    });
    const room = el(
      "div",
      { class: "projector" },
      this.#join,
      el("div", { class: "projector-room" }, this.#title, this.#status, this.#cards.root),
      el("p", { class: "projector-back" }, el("a", { href: `#${code}` }, "Back to the grid"), " (Escape)"),
    );
    this.root = el("div", { class: "projector-view" }, this.#message.root, this.#projected.root, room);
    this.drawJoin();
  }

  drawJoin(): void {
    const { qr, words } = joinWords(this.#code, this.#address);
    const why = whyNoAddress(this.#address);
    const lines = [
      ["projector-label", words === "" ? "" : "Open"],
      ["projector-address", words],
      ["projector-problem", why],
      ["projector-label", words === "" ? "The code is" : "and type"],
      ["projector-code", this.#code],
    ] as const;
    this.#join.replaceChildren(
      ...(qr ? [qr] : []),
      el(
        "div",
        { class: "projector-words" },
        ...lines.filter(([, text]) => text !== "").map(([name, text]) => el("p", { class: name }, text)),
      ),
    );
  }

  show(room: Room, now: number): void {
    this.#title.textContent = room.title;
    this.#status.textContent = `${plural(room.participants.length, "participant")}. ${deadlineWords(room, now)}`;
    this.#cards.show(room);
    this.#message.show(room);
    this.#projected.show(room);
  }

  /** Ends the countdown. */
  stop(): void {
    this.#message.stop();
  }
}
