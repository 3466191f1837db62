// The room's question on a participant's page: a form while it is open, then what the room has answered, then what is
// right. The page loads this when the room is first asked something.

import { adoptStyle, el } from "../dom.ts";
import type { BookQuestion } from "../go/poll.ts";
import type { RoomQuestion } from "../go/room.ts";
import { PollForm } from "./poll-form.ts";
import {
  answerOf,
  asks,
  codeOf,
  histogramOf,
  inBook,
  loadQuestion,
  prose,
  subject,
  unknownQuestion,
} from "./poll-question.ts";

/** Set by the build. */
declare const POLL_STYLE: string;

export interface PollOptions {
  /** Sends an answer to the question with the number. Resolves to what went wrong, as a sentence, or to "". */
  answer: (number: number, answer: number) => Promise<string>;
}

export class Poll {
  readonly root = el("section", { class: "poll", "aria-label": "A question for the room", hidden: true });
  readonly #options: PollOptions;
  readonly #content = el("div", {});
  readonly #live = el("p", { class: "ots-unseen", role: "status" });
  #form: PollForm | null = null;
  /** What is drawn: the number and the state of the question. */
  #drawn = "";
  #wanted: RoomQuestion | null = null;

  constructor(options: PollOptions) {
    adoptStyle(POLL_STYLE);
    this.#options = options;
    this.root.append(this.#content, this.#live);
  }

  show(room: RoomQuestion | null): void {
    this.#wanted = room;
    if (!room) {
      this.root.hidden = true;
      this.#drawn = "";
      return;
    }
    void loadQuestion(room.question).then((question) => {
      if (this.#wanted !== room) return; // a later one is shown
      this.#draw(question ?? unknownQuestion(room), room);
    });
  }

  #draw(question: BookQuestion, room: RoomQuestion): void {
    this.root.hidden = false;
    const open = room.state === "open";
    const shown = JSON.stringify([room.number, question.ask, open ? "open" : room]);
    if (this.#drawn !== shown) {
      this.#drawn = shown;
      const { number } = room;
      this.#form = open
        ? new PollForm(question, `poll-${number}`, (answer) => this.#options.answer(number, answer))
        : null;
      const code = codeOf(question);
      this.#content.replaceChildren(
        el("p", { class: "poll-over" }, open ? "A question for the room" : "What the room answered"),
        ...(open ? [] : [head(question)]),
        ...(this.#form ? [this.#form.root] : this.#closed(question, room)),
        // On a phone the code fills the screen, and the form is what the participant came for.
        ...(code.length === 0
          ? []
          : [el("details", { class: "poll-source", open }, el("summary", {}, "The code"), ...code)]),
      );
      this.#live.textContent = {
        open: "The instructor has asked a question.",
        closed: "The question is closed, and the page shows how the room answered.",
        shown: answerOf(question, room).map((p) => p.textContent).join(" "),
      }[room.state] ?? "";
    }
    this.#form?.show(room.mine);
  }

  #closed(question: BookQuestion, room: RoomQuestion): HTMLElement[] {
    const answered = room.counts.reduce((sum, { participants }) => sum + participants, 0);
    const link = room.state === "shown" && inBook(question);
    return [
      answered === 0 && room.state === "closed"
        ? el("p", {}, "Nobody has answered.")
        : histogramOf(question, room),
      ...(room.mine === undefined ? [el("p", { class: "poll-hint" }, "You have not answered.")] : []),
      el("div", { class: "poll-answer" }, ...answerOf(question, room)),
      ...(link ? [el("p", { class: "poll-hint" }, "In the book: ", link)] : []),
    ];
  }
}

/** The question without a form. */
function head(question: BookQuestion): HTMLElement {
  return el(
    "p",
    {},
    el("span", { class: "poll-ask" }, ...prose(asks(question))),
    subject(question) !== "" && el("span", { class: "poll-subject" }, ...prose(subject(question))),
  );
}
