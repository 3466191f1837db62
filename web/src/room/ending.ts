// Ends a room, opens it again, and deletes it.

import { button, el } from "../dom.ts";
import type { Room } from "../go/room.ts";
import type { Change } from "./api.ts";
import { asking } from "./confirm.ts";
import { setText } from "./set-text.ts";

export interface EndingOptions {
  change: (change: Change, done: string) => void;
  /** Deletes the room. */
  remove: () => void;
}

export class Ending {
  readonly root: HTMLElement;
  readonly #open = el("div", {});
  readonly #reopen = el("div", {});
  readonly #closeJoins: HTMLElement;
  readonly #openJoins: HTMLElement;
  readonly #deletes = el("span", {});

  constructor({ change, remove }: EndingOptions) {
    this.#closeJoins = button(
      "ots-button",
      () => change({ joins: false }, "Nobody else can join now."),
      "Let nobody else join",
    );
    this.#openJoins = button(
      "ots-button",
      () => change({ joins: true }, "People can join again."),
      "Let people join again",
    );
    this.#open.append(
      asking(
        "End the room",
        "Nobody will be able to join or hand in. Earlier submissions may still arrive for a quarter of an hour. " +
          "You keep this page and the grades, and you can open the room again.",
        "End it",
        () => change({ end: true }, "The room has ended."),
      ),
    );
    this.#reopen.append(
      button("ots-button", () => change({ reopen: true }, "The room is open again."), "Open the room again"),
    );
    this.root = el(
      "section",
      { class: "room-section for-instructor", "aria-label": "End of the room" },
      el("h2", {}, "End of the room"),
      el(
        "div",
        { class: "room-controls" },
        this.#closeJoins,
        this.#openJoins,
        this.#open,
        this.#reopen,
        asking(
          "Delete the room",
          this.#deletes,
          "Delete it",
          remove,
        ),
      ),
    );
  }

  show(room: Room): void {
    this.#closeJoins.hidden = room.ended || room.noJoins;
    this.#openJoins.hidden = room.ended || !room.noJoins;
    this.#open.hidden = room.ended;
    this.#reopen.hidden = !room.ended;
    setText(this.#deletes, deletesWords(room));
  }
}

/** Returns what deleting a room does, and how long its text stays. Only a room of a cluster has no presence. */
export const deletesWords = ({ presence }: Room): string =>
  "This deletes all names, submissions and grades for good, so download the grades first. The deleted text stays in " +
  (presence
    ? "the server's files until the server is stopped."
    : "the files of the NATS cluster until its operator removes it.");
