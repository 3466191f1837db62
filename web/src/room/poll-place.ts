// The place of the room's question on a participant's page. It loads what shows the question once there is one, since
// most visits to a page have none.

import { el } from "../dom.ts";
import type { Room, RoomQuestion } from "../go/room.ts";
import type { Poll, PollOptions } from "./poll.ts";

export class PollPlace {
  readonly root = el("div", { class: "poll-place" });
  readonly #options: PollOptions;
  #poll: Promise<Poll | null> | null = null;

  constructor(options: PollOptions) {
    this.#options = options;
  }

  show(room: Room | null): void {
    const question: RoomQuestion | null = room?.question ?? null;
    if (!question && !this.#poll) return;
    this.#poll ??= import("./poll.ts").then(
      ({ Poll }) => {
        const poll = new Poll(this.#options);
        this.root.append(poll.root);
        return poll;
      },
      () => (this.#poll = null), // the next change of the room tries again
    );
    void this.#poll.then((poll) => poll?.show(question));
  }
}
