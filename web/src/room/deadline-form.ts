// Sets the deadline of a room.

import { button, el } from "../dom.ts";
import type { Room } from "../go/room.ts";
import { NO_DEADLINE, type Change } from "./api.ts";

const MINUTE_MS = 60_000;

export interface DeadlineFormOptions {
  change: (change: Change, done: string) => void;
  /** Tells the instructor something. */
  say: (words: string) => void;
  /** Returns the server's time. */
  now: () => number;
}

export class DeadlineForm {
  readonly root: HTMLElement;
  readonly #field = el("input", { type: "datetime-local", "aria-label": "Deadline" });
  #shown = "";

  constructor({ change, say, now }: DeadlineFormOptions) {
    const set = (at: number) => change({ deadline: new Date(at).toISOString() }, "The deadline is set.");
    const form = el(
      "form",
      { class: "room-controls" },
      this.#field,
      el("button", { class: "ots-button", type: "submit" }, "Set"),
      ...[10, 30].map((minutes) => button("ots-button", () => set(now() + minutes * MINUTE_MS), `In ${minutes} min`)),
      button("ots-button", () => change({ deadline: NO_DEADLINE }, "The deadline has been removed."), "None"),
    );
    form.addEventListener("submit", (e) => {
      e.preventDefault();
      const at = new Date(this.#field.value).getTime();
      if (Number.isFinite(at)) set(at);
      else say("Choose a day and a time first.");
    });
    this.root = el(
      "section",
      { class: "room-section for-instructor", "aria-label": "Deadline" },
      el("h2", {}, "Deadline"),
      form,
      el("p", { class: "room-hint" }, "Submissions after the deadline are marked as late, but are still graded."),
    );
  }

  /** Shows a deadline that has changed, unless the instructor is about to type another. */
  show({ deadline }: Room): void {
    if (deadline === this.#shown) return;
    this.#shown = deadline;
    if (document.activeElement !== this.#field) this.#field.value = localTime(Date.parse(deadline));
  }
}

/** Returns a time as an input of the type datetime-local has it; "" if it is none. */
function localTime(at: number): string {
  if (!Number.isFinite(at)) return "";
  return new Date(at - new Date(at).getTimezoneOffset() * MINUTE_MS).toISOString().slice(0, 16);
}
