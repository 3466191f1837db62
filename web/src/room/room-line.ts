// The line of an exercise that says in which room the reader is, and what became of what they handed in.

import { button, el } from "../dom.ts";
import type { Files } from "../files.ts";
import { siteRoot } from "../site-root.ts";
import type { PageRoom } from "./page-room.ts";
import { Countdown } from "./countdown.ts";
import { PollLine } from "./poll-line.ts";
import { SharedLine } from "./shared-line.ts";
import { figure, isMeasured, SEES_CODE, sentence, stateOf } from "./words.ts";

const HELD = " Your solution is handed in when it is open again, if this page is open then.";

export interface RoomLineOptions {
  room: PageRoom;
  exercise: string;
  /** Returns the text in the editor. */
  files: () => Files;
  /** Announces words to screen readers. */
  say: (words: string) => void;
}

export class RoomLine {
  readonly root = el("div", { class: "ots-room-line", role: "group", "aria-label": "Room", hidden: true });
  readonly #options: RoomLineOptions;
  readonly #where = el("span", {});
  readonly #told = el("span", { class: "ots-room-told", hidden: true }, `${SEES_CODE} `);
  readonly #shared: SharedLine;
  readonly #state = el("span", { class: "ots-room-state" });
  readonly #countdown = new Countdown();
  readonly #handIn: HTMLButtonElement;
  readonly #hand: HTMLButtonElement;
  readonly #poll: PollLine;
  #said = "";

  constructor(options: RoomLineOptions) {
    this.#options = options;
    const { room, exercise, files, say } = options;
    this.#shared = new SharedLine(exercise);
    this.#handIn = button(
      "ots-button",
      () => {
        if (this.#handIn.getAttribute("aria-disabled") !== "true") room.handIn(exercise, files());
        else say(this.#state.textContent);
      },
      "Hand in",
    );
    this.#hand = button(
      "ots-button",
      () => {
        void room.raise(exercise, !room.handAt(exercise)).then((wrong) => {
          if (wrong === "") return;
          this.#state.textContent = wrong;
          say(wrong);
        });
      },
      "Raise a hand",
    );
    this.#poll = new PollLine(room, say);
    this.root.append(
      el("p", {}, this.#where, " ", this.#told, this.#state, " ", this.#countdown.root),
      el("p", { class: "ots-ask" }, this.#handIn, this.#hand),
      this.#poll.root,
      this.#shared.root,
    );
    room.onChange(() => this.#draw());
    this.#draw();
  }

  #draw(): void {
    const { room, exercise, say } = this.#options;
    const { seat } = room;
    this.root.hidden = !seat && room.gone === "";
    this.#poll.draw();
    this.#told.hidden = !room.seesCode(exercise);
    const shared = this.#shared.show(room.room, room.api);
    if (shared !== "" && this.#said !== "") say(shared); // but not when the page opens
    this.#handIn.hidden = this.#hand.hidden = !seat || !(room.room?.exercises.includes(exercise) ?? true);
    const counts = seat && room.room?.exercises.includes(exercise) && !room.room.ended;
    this.#countdown.show(counts ? room.room : null, () => room.now());
    if (!seat) {
      this.#where.textContent = room.gone;
      this.#state.textContent = "";
      return;
    }
    const title = room.room?.title ?? seat.title;
    const shown = `${seat.room} ${title} ${room.name} ${room.room?.preview ?? false}`;
    if (this.#where.dataset["room"] !== shown) {
      this.#where.dataset["room"] = shown;
      const link = el("a", { href: `${siteRoot()}join/` }, el("bdi", {}, title));
      const who = room.room?.preview ? ["a preview"] : [el("b", {}, el("bdi", {}, room.name))];
      this.#where.replaceChildren("In the room ", link, " as ", ...who, ".");
    }
    const { words, standing } = this.#words();
    this.#state.textContent = words;
    this.#state.dataset["standing"] = standing;
    this.#handIn.setAttribute("aria-disabled", String(!room.takes(exercise)));
    const up = room.handAt(exercise);
    this.#hand.setAttribute("aria-pressed", String(up));
    this.#hand.textContent = up ? "Lower your hand" : "Raise a hand";
    // A grade is announced when it comes, but not when the page opens.
    const graded = ["passed", "refused", "failed"].includes(standing);
    if (graded && this.#said !== "" && this.#said !== words) say(words);
    if (room.room) this.#said = words || " ";
  }

  #words(): { words: string; standing: string } {
    const { room, exercise } = this.#options;
    const waiting = room.waiting(exercise);
    const lost = room.connection === "lost";
    if (waiting && waiting.refused !== "") {
      return { words: `Your code was not accepted: ${waiting.refused}.`, standing: "refused" };
    }
    if (waiting) {
      const why = lost ? "The server does not answer: your" : "Your";
      return { words: `${why} code is kept in this browser until it is handed in.`, standing: "grading" };
    }
    if (lost) return { words: "The server does not answer. This page tries again by itself.", standing: "none" };
    if (!room.room) return { words: "", standing: "none" };
    if (!room.room.exercises.includes(exercise)) return { words: "This exercise is not part of it.", standing: "none" };
    const work = room.work(exercise);
    const { standing, long } = stateOf(work);
    const shut = room.room.ended
      ? " The room has ended."
      : room.room.closed.includes(exercise)
        ? ` The instructor has closed this exercise.${room.holds(exercise) ? HELD : ""}`
        : "";
    if (room.taken(exercise) || standing === "grading")
      return { words: `Handed in, and being graded.${shut}`, standing: "grading" };
    const automatic = shut === "" ? " A solution that passes is handed in automatically." : "";
    const graded: Record<string, string> = {
      passed: `Handed in and graded: ${long}.`,
      refused: `${sentence(long).slice(0, -1)}${isMeasured(work) ? `, with ${figure(work).long}` : ""}.`,
      failed: "Handed in, but the server could not grade it. It is kept.",
      none: automatic.trim(),
    };
    // What was handed in did not pass, and was checked again since.
    const before =
      work && work.last !== "" ? "Not handed in since the last check. What was handed in before did not pass." : "";
    return { words: (graded[standing] ?? ((before || "Not handed in yet.") + automatic)) + shut, standing };
  }
}
