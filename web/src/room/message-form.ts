// The instructor's form for a message to all.

import { button, el } from "../dom.ts";
import type { Room } from "../go/room.ts";
import { MAX_MINUTES, MAX_TEXT } from "../go/room-limits.ts";
import { countdown } from "./countdown.ts";
import { serverClock } from "./words.ts";

export interface MessageFormOptions {
  /** Sends a message, with a countdown of minutes, or none if they are 0. Resolves to whether it was sent. */
  send: (text: string, minutes: number) => Promise<boolean>;
  remove: () => void;
  /** Tells the instructor what is missing. */
  say: (words: string) => void;
}

export class MessageForm {
  readonly root: HTMLElement;
  readonly #text = el("input", { maxlength: MAX_TEXT, dir: "auto", autocomplete: "off", "aria-label": "Message" });
  readonly #minutes = el("input", { type: "number", min: 1, max: MAX_MINUTES, placeholder: "none" });
  readonly #now = el("span", { dir: "auto" });
  readonly #left = el("span", { class: "room-message-left" });
  readonly #shown: HTMLElement;

  constructor({ send, remove, say }: MessageFormOptions) {
    const form = el(
      "form",
      { class: "room-controls", novalidate: true },
      this.#text,
      el("label", { class: "room-countdown" }, "Countdown ", this.#minutes, " min"),
      el("button", { class: "ots-button", type: "submit" }, "Show it"),
    );
    form.addEventListener("submit", (e) => {
      e.preventDefault();
      const minutes = this.#minutes.value === "" ? 0 : Number(this.#minutes.value);
      if (this.#text.value.trim() === "") return say("Type a message first.");
      if (!this.#minutes.validity.valid || !Number.isInteger(minutes))
        return say(`Type a whole number of minutes from 1 to ${MAX_MINUTES}.`);
      void send(this.#text.value, minutes).then((sent) => {
        if (sent) this.#text.value = this.#minutes.value = "";
      });
    });
    this.#shown = el(
      "p",
      { class: "room-controls", hidden: true },
      el("span", {}, "Shown now: “", this.#now, "”", this.#left),
      button("ots-button", remove, "Remove the message"),
    );
    this.root = el(
      "section",
      { class: "room-section room-message for-instructor", "aria-label": "Message to all" },
      el("h2", {}, "Message to all"),
      form,
      this.#shown,
      el(
        "p",
        { class: "room-hint" },
        `Every participant's page and the projector show it. A message can have ${MAX_TEXT} characters, and replaces ` +
          "the previous one.",
      ),
    );
  }

  show(room: Room): void {
    const { text, until } = room.message;
    const left = Date.parse(until) - serverClock(room)();
    this.#shown.hidden = text === "";
    if (this.#now.textContent !== text) this.#now.textContent = text;
    this.#left.textContent = Number.isFinite(left) ? `, with ${countdown(left)} left.` : ".";
  }
}
