// The section of the instructor's page that has the participants: the grid, the order of its rows, and what it means.

import { el } from "../dom.ts";
import type { Room } from "../go/room.ts";
import type { Exercises } from "./data.ts";
import { Grid, ORDERS, type Order } from "./grid.ts";
import { presenceLegend } from "./presence.ts";
import { setText } from "./set-text.ts";

export class Roster {
  readonly root = el("section", { class: "room-section", "aria-label": "Participants" });
  readonly #grid: Grid;
  readonly #order = el("select", { "aria-label": "Order of the rows" });
  readonly #empty = el("p", { class: "room-empty" }, "Nobody has joined yet. Participants appear here when they join.");
  readonly #presence = el("span", {});
  /** Draws the room again that was shown last. */
  #again: () => void = () => {};

  /** onParticipant is called when a name is pressed. jumps lead to what is below the grid. */
  constructor(exercises: Exercises, onParticipant: (id: string) => void, jumps: HTMLElement) {
    this.#grid = new Grid(exercises, onParticipant);
    this.#order.append(...Object.entries(ORDERS).map(([value, words]) => el("option", { value }, words)));
    this.#order.addEventListener("change", () => this.#again());
    this.root.append(
      el(
        "div",
        { class: "room-section-head" },
        el("h2", {}, "Participants"),
        jumps,
        el("label", { class: "room-order" }, "Order ", this.#order),
      ),
      this.#empty,
      this.#grid.root,
      legend(this.#presence),
    );
  }

  /** Shows a room. now is the server's time. */
  show(room: Room, now: number): void {
    this.#again = () => this.#grid.show(room, now, this.#order.value as Order);
    this.#empty.hidden = room.participants.length > 0;
    this.#grid.root.hidden = room.participants.length === 0;
    setText(this.#presence, presenceLegend(room));
    this.#again();
  }
}

/** Says what the grid's signs mean, and the marks before names by presence. */
function legend(presence: HTMLElement): HTMLElement {
  return el(
    "p",
    { class: "room-hint" },
    "2 / 1: allocs/op of the last check or submission, or of the one that passed, against the target. 104 B / 72: " +
      "bytes that stay in use, in exercises with a target for them. 3×: attempts. 1?: opened hints. 4 min: time " +
      "since the last change, in bold after ten minutes without a pass. ✓ and ✗: graded by this server. policy, " +
      "build, tests: the stage that the code fails. ",
    presence,
    " Press a name for more.",
  );
}
