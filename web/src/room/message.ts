// The instructor's message to all, with its countdown. A participant can fold it.

import { adoptStyle, button, el } from "../dom.ts";
import type { Room } from "../go/room.ts";
import { isFields } from "../json.ts";
import type { Store } from "../store.ts";
import { countdown } from "./countdown.ts";
import { serverClock } from "./words.ts";

/** The name under which the browser stores the last message that it has shown. */
const SEEN = "room/message";

interface Seen {
  /** When the message was sent, which names it. */
  sent: string;
  folded: boolean;
}

declare const MESSAGE_STYLE: string;

export class MessageBox {
  readonly root: HTMLElement;
  /** Null where it is not folded, as on a projector. */
  readonly #store: Store | null;
  readonly #text = el("p", { class: "ots-to-all-text", dir: "auto" });
  readonly #left = el("p", { class: "ots-to-all-left", role: "timer", "aria-live": "off" });
  readonly #fold = button("ots-button is-quiet", () => this.#toggle(), "");
  readonly #box: HTMLElement;
  readonly #live = el("p", { class: "ots-unseen", role: "status" });
  /** Keeps the message's height for what stays in view below it. */
  readonly #size = new ResizeObserver(() => {
    document.documentElement.style.setProperty("--ots-to-all-size", `${this.root.offsetHeight}px`);
  });
  #sent = "";
  #until = NaN;
  #clock = (): number => Date.now();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #over = false;
  #folded = false;

  constructor(store: Store | null) {
    adoptStyle(MESSAGE_STYLE);
    this.#store = store;
    this.#box = el(
      "section",
      { class: "ots-to-all", "aria-label": "Message from the instructor", hidden: true },
      this.#text,
      this.#left,
      store && this.#fold,
    );
    this.root = el("div", { class: "ots-to-all-place" }, this.#box, this.#live);
    this.#size.observe(this.root);
  }

  /** Shows the room's message, or none without a room. */
  show(room: Room | null): void {
    const { text, sent, until } = room?.message ?? { text: "", sent: "", until: "" };
    if (room) this.#clock = serverClock(room);
    if (sent !== this.#sent) {
      this.#sent = sent;
      this.#until = Date.parse(until);
      this.#over = this.#until <= this.#clock();
      this.#text.textContent = text;
      const seen = this.#store?.load(SEEN, readSeen);
      const known = seen?.sent === sent;
      this.#folded = known && seen.folded;
      // It is announced once, and not again on each page that is opened.
      this.#live.textContent = known || text === "" ? "" : `Message from the instructor: ${text}`;
      if (!known && text !== "") this.#store?.save(SEEN, { sent, folded: false });
    }
    this.#box.hidden = text === "";
    this.#draw();
  }

  /** Ends the countdown. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#size.disconnect();
    this.root.remove();
  }

  #draw(): void {
    clearTimeout(this.#timer);
    this.#box.classList.toggle("is-folded", this.#folded);
    this.#text.hidden = this.#folded;
    this.#fold.textContent = this.#folded ? "Show the message" : "Hide";
    this.#fold.setAttribute("aria-expanded", String(!this.#folded));
    this.#left.hidden = !Number.isFinite(this.#until);
    if (this.#left.hidden) return;
    const ms = this.#until - this.#clock();
    this.#left.textContent = countdownWords(ms);
    this.#box.classList.toggle("is-over", ms <= 0);
    if (ms <= 0 && !this.#over && !this.#box.hidden) {
      this.#over = true;
      this.#live.textContent = "The countdown of the instructor's message has ended.";
    }
    // Wait until the figure changes. A page that is hidden may be drawn late, but then shows the right time.
    if (ms > 0) this.#timer = setTimeout(() => this.#draw(), ms % 1000 || 1000);
  }

  #toggle(): void {
    this.#folded = !this.#folded;
    this.#store?.save(SEEN, { sent: this.#sent, folded: this.#folded });
    this.#draw();
  }
}

/** Returns the time that is left in words. Beside the deadline's countdown, a bare time could be taken for the time of day. */
export const countdownWords = (ms: number): string => (ms > 0 ? `${countdown(ms)} left` : "time is up");

function readSeen(json: unknown): Seen | null {
  if (!isFields(json) || typeof json["sent"] !== "string") return null;
  return { sent: json["sent"], folded: json["folded"] === true };
}
