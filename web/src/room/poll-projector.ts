// The room's question on a projector: its code, how many have answered, then their answers, then what is right. There
// are no names.

import { adoptStyle, el } from "../dom.ts";
import type { BookQuestion } from "../go/poll.ts";
import type { Room, RoomQuestion } from "../go/room.ts";
import { letter } from "./histogram.ts";
import { answerOf, asks, codeOf, histogramOf, loadQuestion, prose, subject, unknownQuestion } from "./poll-question.ts";

/** Set by the build. */
declare const POLL_STYLE: string;

export interface PollProjectorOptions {
  /** The room's code. */
  code: string;
  /** Returns the address to join at, as it is read; "" if there is none. */
  address: () => string;
}

export class PollProjector {
  readonly root = el("div", { class: "poll-projector" });
  readonly #options: PollProjectorOptions;
  readonly #join = el("p", { class: "poll-join" });
  readonly #code = el("div", { class: "poll-stage-code" });
  readonly #ask = el("div", { class: "poll-stage-ask" });
  readonly #live = el("p", { class: "ots-unseen", role: "status" });
  #drawn = "";
  #wanted: RoomQuestion | null = null;

  constructor(options: PollProjectorOptions) {
    adoptStyle(POLL_STYLE);
    this.#options = options;
    this.root.append(this.#join, el("div", { class: "poll-stage" }, this.#code, this.#ask), this.#live);
  }

  show({ question, participants }: Room & { question: RoomQuestion }): void {
    this.#wanted = question;
    const address = this.#options.address();
    const how = address === "" ? ["The code is "] : ["Join at ", el("b", {}, address), " with "];
    this.#join.replaceChildren(...how, el("b", {}, this.#options.code));
    void loadQuestion(question.question).then((found) => {
      if (this.#wanted === question) this.#draw(found ?? unknownQuestion(question), question, participants.length);
    });
  }

  #draw(question: BookQuestion, room: RoomQuestion, participants: number): void {
    const shown = JSON.stringify([room, participants, question.ask]);
    if (this.#drawn === shown) return;
    this.#drawn = shown;
    const code = codeOf(question);
    const texts = question.code.map(({ text }) => text);
    this.root.classList.toggle("has-code", code.length > 0);
    // The letters are as large as the longest line and the number of lines allow.
    this.#code.style.setProperty("--lines", String(linesOf(texts) + 2 * code.length));
    this.#code.style.setProperty("--columns", String(columnsOf(texts)));
    this.#code.replaceChildren(...code);
    const open = room.state === "open";
    const about = subject(question);
    this.#ask.replaceChildren(
      el("h2", { class: "poll-stage-title" }, ...prose(asks(question))),
      about !== "" ? el("p", { class: "poll-stage-about" }, ...prose(about)) : "",
      ...(open ? [choicesOf(question)] : [histogramOf(question, room)]),
      el(
        "p",
        { class: "poll-stage-count" },
        el("b", {}, `${room.answered} of ${participants}`),
        open ? " have answered" : " answered",
      ),
      el("div", { class: "poll-answer" }, ...answerOf(question, room)),
    );
    if (!open) this.#live.textContent = answerOf(question, room).map((p) => p.textContent).join(" ");
  }
}

function choicesOf({ choices }: BookQuestion): HTMLElement | string {
  if (choices.length === 0) return "";
  return el(
    "ol",
    { class: "poll-stage-choices" },
    ...choices.map(({ text }, i) => el("li", {}, el("b", {}, letter(i)), el("span", {}, ...prose(text)))),
  );
}

/** Returns how many lines some texts have together. */
export const linesOf = (texts: readonly string[]): number =>
  texts.reduce((sum, text) => sum + text.split("\n").length, 0);

/** Returns the length of the longest line, in characters. A tab is four of them. */
export const columnsOf = (texts: readonly string[]): number =>
  Math.max(1, ...texts.flatMap((text) => text.split("\n")).map((line) => line.replaceAll("\t", "    ").length));
