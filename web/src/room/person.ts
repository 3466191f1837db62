// The dialog about one participant: what they handed in, and what the instructor can do.

import { button, el } from "../dom.ts";
import type { Room } from "../go/room.ts";
import type { Change } from "./api.ts";
import { CheckedCodes, type CheckedCodesOptions } from "./checked-code.ts";
import { asking } from "./confirm.ts";
import { personSeat } from "./person-seat.ts";
import { PersonWork } from "./person-work.ts";
import { setText } from "./set-text.ts";

export interface PersonOptions extends CheckedCodesOptions {
  change: (change: Change, done: string) => void;
  /** Returns the URL of the site as participants open it. */
  site: () => string;
}

export class Person {
  readonly root = el("dialog", { class: "room-dialog", "aria-labelledby": "room-person-name" });
  readonly #options: PersonOptions;
  /** The dialog covers the page's own line about the connection. */
  readonly #lost = el("p", { class: "room-connection", role: "status", hidden: true }, "The server does not answer.");
  readonly #name = el("h2", { id: "room-person-name", dir: "auto" });
  readonly #up = el("p", { class: "room-up" });
  readonly #work: PersonWork;
  readonly #codes: CheckedCodes;
  #id = "";

  constructor(options: PersonOptions) {
    this.#options = options;
    this.#work = new PersonWork(options);
    this.#codes = new CheckedCodes(options);
    this.root.addEventListener("click", (e) => {
      if (e.target === this.root) this.root.close(); // beside the dialog
    });
  }

  open(id: string, room: Room): void {
    this.#id = id;
    this.#draw(room);
    this.#work.open(id, room);
    this.#codes.open(id, room);
    this.root.showModal();
    this.show(room);
  }

  connected(connected: boolean): void {
    this.#lost.hidden = connected;
  }

  /** Shows what has changed. The buttons stay, since somebody may be about to press one. */
  show(room: Room): void {
    if (!this.root.open) return;
    const participant = room.participants.find(({ id }) => id === this.#id);
    if (!participant) return this.root.close();
    const { name, hand } = participant;
    setText(this.#name, name);
    this.#up.hidden = hand === "";
    setText(this.#up, `Hand up at ${this.#options.exercises.get(hand).title}`);
    this.#work.show(room);
    this.#codes.show(room);
  }

  #draw(room: Room): void {
    const participant = room.participants.find(({ id }) => id === this.#id);
    if (!participant) return;
    const { change } = this.#options;
    this.root.replaceChildren(
      this.#name,
      this.#lost,
      this.#up,
      this.#work.root,
      ...(room.helps ? [] : [personSeat({ ...this.#options, close: () => this.root.close() }, room, participant)]),
      this.#codes.root,
      el(
        "p",
        { class: "room-controls" },
        button("ots-button is-main", () => this.root.close(), "Close"),
        !room.helps &&
          asking(
            "Remove from the room",
            "What they handed in stays in the grades and the archive. You can let them back in below the grid.",
            "Remove",
            () => {
              this.root.close();
              change({ remove: this.#id }, "The participant is removed.");
            },
          ),
      ),
    );
  }
}
