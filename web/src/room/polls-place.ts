// The section of the room's questions on the instructor's page, which is loaded after the grid.

import { el } from "../dom.ts";
import type { Room } from "../go/room.ts";
import type { Polls, PollsOptions } from "./polls.ts";

export class PollsPlace {
  readonly root = el(
    "section",
    { class: "room-section", "aria-label": "Predictions" },
    el("h2", {}, "Predictions"),
    el(
      "p",
      { class: "room-hint for-instructor" },
      "Participants answer a question from the book. The projector view shows the question, and how many people have " +
        "answered. Nobody sees the answers before you close the question.",
    ),
  );
  readonly #options: PollsOptions;
  #polls: Promise<Polls | null> | null = null;

  constructor(options: PollsOptions) {
    this.#options = options;
  }

  show(room: Room): void {
    this.#polls ??= import("./polls.ts").then(
      ({ Polls }) => {
        const polls = new Polls(this.#options);
        this.root.append(polls.root);
        return polls;
      },
      () => (this.#polls = null), // the next change of the room tries again
    );
    void this.#polls.then((polls) => polls?.show(room));
  }
}
