// The room's question on the page of an exercise: a sentence in the line of the room, with a button that opens the
// question over the page, so that nobody leaves their code.

import { button, el } from "../dom.ts";
import type { PageRoom } from "./page-room.ts";
import { PollPlace } from "./poll-place.ts";

/** All exercises of a page share the dialog. */
let shared: HTMLDialogElement | null = null;

function dialogOf(room: PageRoom): HTMLDialogElement {
  if (shared) return shared;
  const place = new PollPlace({ answer: (number, answer) => room.answer(number, answer) });
  const dialog = (shared = el("dialog", { class: "poll-dialog", "aria-label": "A question for the room" }));
  dialog.append(place.root, el("p", {}, button("ots-button", () => dialog.close(), "Close")));
  dialog.addEventListener("click", (e) => {
    if (e.target === dialog) dialog.close(); // beside the dialog
  });
  const show = () => {
    place.show(room.room);
    if (!room.room?.question) dialog.close();
  };
  room.onChange(show);
  document.body.append(dialog);
  show();
  return dialog;
}

export class PollLine {
  readonly root = el("p", { class: "ots-room-poll", hidden: true });
  readonly #room: PageRoom;
  readonly #say: (words: string) => void;
  readonly #words = el("span", {});
  readonly #open: HTMLButtonElement;
  #said = "";

  constructor(room: PageRoom, say: (words: string) => void) {
    this.#room = room;
    this.#say = say;
    this.#open = button("ots-button is-main", () => dialogOf(room).showModal(), "Answer");
    this.root.append(this.#words, " ", this.#open);
  }

  draw(): void {
    const question = this.#room.room?.question;
    this.root.hidden = !question;
    if (!question) return;
    const { state, mine } = question;
    const words =
      state === "shown"
        ? "The answer to the instructor's question is shown."
        : state === "closed"
          ? "The instructor's question is closed."
          : mine === undefined
            ? "The instructor has asked the room a question."
            : "You have answered the instructor's question.";
    this.#words.textContent = words;
    this.#open.textContent = state !== "open" ? "See the answers" : mine === undefined ? "Answer" : "Change the answer";
    this.#open.classList.toggle("is-main", state === "open" && mine === undefined);
    const said = `${question.number} ${words}`;
    if (said !== this.#said && state === "open" && mine === undefined) this.#say(words);
    this.#said = said;
  }
}
