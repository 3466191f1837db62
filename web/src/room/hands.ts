// The raised hands of a room, with a button that lowers each.

import { button, el } from "../dom.ts";
import type { Participant } from "../go/room.ts";
import type { Exercises } from "./data.ts";

export interface HandsOptions {
  exercises: Exercises;
  onParticipant: (id: string) => void;
  onLower: (id: string, name: string) => void;
}

export class Hands {
  readonly root = el("ul", { class: "room-hands", "aria-label": "Raised hands", hidden: true });
  readonly #options: HandsOptions;
  #shown = "";

  constructor(options: HandsOptions) {
    this.#options = options;
  }

  /** Shows the participants whose hands are up. */
  show(hands: readonly Participant[]): void {
    const { exercises, onParticipant, onLower } = this.#options;
    this.root.hidden = hands.length === 0;
    const shown = JSON.stringify(hands.map(({ id, name, hand }) => [id, name, hand]));
    if (this.#shown === shown) return;
    this.#shown = shown;
    this.root.replaceChildren(
      ...hands.map(({ id, name, hand }) =>
        el(
          "li",
          {},
          el("span", { class: "room-mark", "aria-hidden": "true" }, "hand"),
          button("room-person", () => onParticipant(id), el("bdi", {}, name)),
          ` at ${exercises.get(hand).title} `,
          button(
            "ots-button is-quiet",
            () => onLower(id, name),
            "Lower",
            el("span", { class: "ots-unseen" }, ` the hand of ${name}`),
          ),
        ),
      ),
    );
  }
}
