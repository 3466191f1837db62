// Asks before a link with a key replaces the seat that this browser has.

import { button, el } from "../dom.ts";
import type { Seat } from "./seat.ts";

/** Asks which seat this browser keeps. take and keep are called when their button is pressed. */
export function keepSeat(own: Seat, linked: Seat, take: () => void, keep: () => void): HTMLElement {
  const seat = ({ name, title, room }: Seat) => [
    el("bdi", { class: "room-name" }, name),
    " in the room ",
    el("bdi", {}, title),
    ` (${room})`,
  ];
  return el(
    "div",
    { class: "room-other", role: "alert" },
    el("p", {}, "This link opens the seat of ", ...seat(linked), "."),
    el("p", {}, "This browser has the seat of ", ...seat(own), ". If you take the other seat, it leaves this one."),
    el(
      "p",
      { class: "room-controls" },
      button("ots-button", keep, "Keep the seat that I have"),
      button("ots-button", take, "Take the seat of the link"),
    ),
  );
}
