// Ends a room, opens it again, and deletes it.

import { button, el } from "../dom.ts";
import type { Room } from "../go/room.ts";
import type { Change } from "./api.ts";
import { asking } from "./confirm.ts";

export interface EndingOptions {
  change: (change: Change, done: string) => void;
  /** Deletes the room. */
  remove: () => void;
}

export class Ending {
  readonly root: HTMLElement;
  readonly #open = el("div", {});
  readonly #reopen = el("div", {});

  constructor({ change, remove }: EndingOptions) {
    this.#open.append(
      asking(
        "End the room",
        "Nobody can join or hand in any more. What was handed in before may still arrive for a quarter of an hour. " +
          "The page and the grades stay, and you can open the room again.",
        "End it",
        () => change({ end: true }, "The room has ended."),
      ),
    );
    this.#reopen.append(
      button("ots-button", () => change({ reopen: true }, "The room is open again."), "Open the room again"),
    );
    this.root = el(
      "section",
      { class: "room-section for-instructor", "aria-label": "The end" },
      el("h2", {}, "The end"),
      el(
        "div",
        { class: "room-controls" },
        this.#open,
        this.#reopen,
        asking(
          "Delete the room",
          "This deletes names, submissions and grades for good. Download the grades first. Their text stays in the " +
            "server's files until the server is stopped.",
          "Delete it",
          remove,
        ),
      ),
    );
  }

  show({ ended }: Room): void {
    this.#open.hidden = ended;
    this.#reopen.hidden = !ended;
  }
}
