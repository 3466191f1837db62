// The deadline of a room, with the time that is left, counted down on the page that shows it.

import { el } from "../dom.ts";
import type { Room } from "../go/room.ts";
import { setText } from "./set-text.ts";
import { deadlineWords, moment } from "./words.ts";

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** The time that is left is emphasized from here on. */
const SOON_MS = 5 * MINUTE_MS;

/** Returns the time that is left as minutes and seconds: "04:59". A second that has begun is left in full. */
export function countdown(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / SECOND_MS));
  const two = (n: number) => String(n).padStart(2, "0");
  return `${two(Math.floor(seconds / 60))}:${two(seconds % 60)}`;
}

/** Returns how much time is left: "12:31 left" in the last hour, "2 h 5 min left" before it. ms is positive. */
export function leftWords(ms: number): string {
  if (ms < HOUR_MS) return `${countdown(ms).replace(/^0/, "")} left`;
  const minutes = Math.floor(ms / MINUTE_MS);
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  if (hours >= 48) return `${Math.floor(hours / 24)} days left`;
  return rest === 0 ? `${hours} h left` : `${hours} h ${rest} min left`;
}

export class Countdown {
  readonly root = el("span", { class: "room-countdown", hidden: true });
  readonly #words = el("span", {});
  /** The role has no live region: a screen reader reads the time when it is asked, and not each second. */
  readonly #left = el("b", { class: "room-left", role: "timer" });
  #room: Room | null = null;
  #clock = (): number => Date.now();
  #ticking: ReturnType<typeof setInterval> | undefined;

  constructor() {
    this.root.append(this.#words, this.#left);
  }

  /**
   * Shows the deadline of a room, and that the room has ended. Without either, and for null, it shows nothing. now returns
   * the server's time.
   */
  show(room: Room | null, now: () => number): void {
    this.#room = room;
    this.#clock = now;
    this.stop();
    this.root.hidden = room === null;
    this.#draw();
    if (room === null || this.#left.hidden) return;
    this.#ticking = setInterval(() => {
      if (!document.hidden) this.#draw();
    }, SECOND_MS);
  }

  /** Ends the counting. */
  stop(): void {
    clearInterval(this.#ticking);
  }

  #draw(): void {
    const room = this.#room;
    if (!room) return;
    const now = this.#clock();
    const at = Date.parse(room.deadline);
    const counts = !room.ended && at > now;
    setText(this.#words, counts ? `Deadline ${moment(at)}: ` : deadlineWords(room, now));
    setText(this.#left, counts ? leftWords(at - now) : "");
    this.#left.hidden = !counts;
    this.root.hidden = this.#words.textContent === "";
    this.root.classList.toggle("is-soon", counts && at - now < SOON_MS);
    if (!counts) this.stop();
  }
}
