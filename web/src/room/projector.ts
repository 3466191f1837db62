// The projector's view of a room: how to join, and how far the class is, without a name.

import { button, el } from "../dom.ts";
import type { Room } from "../go/room.ts";
import { addressParts, brokenAddress, type JoinAddress } from "./address.ts";
import type { RoomAPI } from "./api.ts";
import { Countdown } from "./countdown.ts";
import { ExerciseCards } from "./exercise-cards.ts";
import type { Exercises } from "./data.ts";
import type { Fold } from "./fold.ts";
import { foldedLine, joinWords, whyNoAddress } from "./invite.ts";
import { MessageBox } from "./message.ts";
import type { PollProjector } from "./polls.ts";
import { connectedWords } from "./presence.ts";
import { ProjectedCode } from "./projected.ts";
import { helpWords, needsHelp } from "./stuck.ts";
import { tallyLegend } from "./tally-bar.ts";
import { plural } from "./words.ts";

/** With more exercises, their spread would not fit on the screen. */
const MAX_SPREADS = 3;

/** The exercises that a column of the screen has room for. */
const IN_COLUMN = 10;

export interface ProjectorOptions {
  api: RoomAPI;
  code: string;
  address: JoinAddress;
  exercises: Exercises;
  fold: Fold;
}

export class Projector {
  readonly root = el("div", { class: "projector-view" });
  /** The room, or the question in its place. */
  readonly #room = el("div", { class: "projector" });
  readonly #options: ProjectorOptions;
  readonly #cards: ExerciseCards;
  readonly #message = new MessageBox(null);
  readonly #projected: ProjectedCode;
  readonly #join = el("div", { class: "projector-join" });
  readonly #title = el("h2", { class: "projector-title", dir: "auto" });
  readonly #status = el("p", { class: "projector-status" });
  readonly #help = el("p", { class: "projector-help" });
  readonly #countdown = new Countdown();
  #poll: Promise<PollProjector | null> | null = null;

  constructor(options: ProjectorOptions) {
    this.#options = options;
    const { api, code, exercises } = options;
    this.#projected = new ProjectedCode(api, exercises);
    this.#cards = new ExerciseCards({
      exercises,
      change: null,
      spread: (room) => room.exercises.length <= MAX_SPREADS,
    });
    this.#room.append(
      this.#join,
      el(
        "div",
        { class: "projector-room" },
        el("div", { class: "projector-head" }, this.#title, this.#countdown.root),
        this.#status,
        this.#cards.root,
        tallyLegend(),
        this.#help,
      ),
      el("p", { class: "projector-back" }, el("a", { href: `#${code}` }, "Back to the grid"), " (Escape)"),
    );
    this.root.append(this.#message.root, this.#projected.root, this.#room);
    this.drawJoin();
  }

  /** Ends the counting of the time that is left. */
  stop(): void {
    this.#countdown.stop();
    this.#message.stop();
  }

  drawJoin(): void {
    const { code, address, fold } = this.#options;
    this.#room.classList.toggle("is-folded", fold.folded);
    if (fold.folded) return this.#join.replaceChildren(foldedLine(code, address, fold));
    const { qr, words } = joinWords(code, address);
    const lines = [
      ["projector-label", words === "" ? "" : "Open"],
      ["projector-address", ...brokenAddress(words)],
      ["projector-problem", whyNoAddress(address)],
      ["projector-label", words === "" ? "The code is" : "and type"],
      ["projector-code", code],
    ] as const;
    // The letters are small enough for the longest part of the address.
    this.#join.style.setProperty("--longest", String(Math.max(1, ...addressParts(words).map((part) => part.length))));
    this.#join.replaceChildren(
      ...(qr ? [qr] : []),
      el(
        "div",
        { class: "projector-words" },
        ...lines.filter(([, first = ""]) => first !== "").map(([name, ...text]) => el("p", { class: name }, ...text)),
        el("p", {}, button("ots-button is-quiet", () => fold.fold(true), "Everybody is in")),
      ),
    );
  }

  /** Shows a room. now returns the server's time. */
  show(room: Room, now: () => number): void {
    this.#ask(room);
    const people = plural(room.participants.length, "participant");
    this.#title.textContent = room.title;
    this.#status.textContent = [people, connectedWords(room)].filter(Boolean).join(", ");
    this.#countdown.show(room, now);
    const hands = room.participants.filter(({ hand }) => hand !== "").length;
    this.#help.textContent = helpWords(needsHelp(room, now()), hands);
    const columns = Math.ceil(room.exercises.length / IN_COLUMN);
    this.#room.classList.toggle("is-in-columns", columns > 1);
    this.#room.style.setProperty("--columns", String(columns));
    this.#cards.show(room);
    this.#message.show(room);
    this.#projected.show(room);
  }

  /** Shows the current question in place of everything else. The code for it is loaded with the first question. */
  #ask(room: Room): void {
    const { question } = room;
    this.#room.classList.toggle("is-asking", question !== undefined);
    if (!question) return;
    this.#poll ??= import("./polls.ts").then(
      ({ PollProjector }) => {
        const { code, address } = this.#options;
        const poll = new PollProjector({ code, address: () => joinWords(code, address).words });
        this.#room.prepend(poll.root);
        return poll;
      },
      () => (this.#poll = null), // the next change of the room tries again
    );
    void this.#poll.then((poll) => poll?.show({ ...room, question }));
  }
}
