// The form in which a participant answers the room's question: a number, or one of the choices.

import { el } from "../dom.ts";
import type { BookQuestion } from "../go/poll.ts";
import { MAX_ANSWER } from "../go/room-limits.ts";
import { letter } from "./histogram.ts";
import { asks, prose, subject } from "./poll-question.ts";

/** Parses the number that a participant typed; null if it is not a whole number that the server takes. */
export function readTyped(typed: string): number | null {
  const text = typed.trim();
  return /^\d{1,5}$/.test(text) ? Number(text) : null;
}

export class PollForm {
  readonly root: HTMLFormElement;
  readonly #question: BookQuestion;
  readonly #send: (answer: number) => Promise<string>;
  readonly #said = el("p", { class: "poll-said", role: "status" });
  readonly #submit = el("button", { class: "ots-button is-main", type: "submit" }, "Answer");
  readonly #number: HTMLInputElement | null = null;
  readonly #choices: HTMLInputElement[] = [];
  #mine: number | undefined;

  /** send resolves to what went wrong, as a sentence, or to "". */
  constructor(question: BookQuestion, id: string, send: (answer: number) => Promise<string>) {
    this.#question = question;
    this.#send = send;
    const ask = el("span", { class: "poll-ask" }, ...prose(asks(question)));
    const about = subject(question) !== "" && el("span", { class: "poll-subject" }, ...prose(subject(question)));
    const said = `${id}-said`;
    this.#said.id = said;
    const row = el("div", { class: "poll-row" }, this.#submit, this.#said);
    if (question.choices.length > 0) {
      const options = question.choices.map(({ text }, i) => {
        const input = el("input", { type: "radio", name: id, value: i, "aria-describedby": said });
        this.#choices.push(input);
        const words = text === "" ? [] : [el("span", {}, ...prose(text))];
        return el("label", { class: "poll-choice" }, input, el("span", { class: "poll-letter" }, letter(i)), ...words);
      });
      this.root = el(
        "form",
        { class: "poll-form", novalidate: true },
        el("fieldset", {}, el("legend", {}, ask), ...options),
        row,
      );
    } else {
      const input = el("input", {
        type: "number",
        id,
        class: "poll-number",
        min: 0,
        max: MAX_ANSWER,
        step: 1,
        inputmode: "numeric",
        autocomplete: "off",
        "aria-describedby": said,
      });
      this.#number = input;
      row.prepend(input);
      this.root = el("form", { class: "poll-form", novalidate: true }, el("label", { for: id }, ask, about), row);
    }
    this.root.addEventListener("submit", (e) => {
      e.preventDefault();
      void this.#answer();
    });
    // On arrow keys, which change a number and move between choices, a page of the book turns to another one.
    this.root.addEventListener("keydown", (e) => e.stopPropagation());
  }

  /** Shows the answer that the server has. What the participant types meanwhile stays. */
  show(mine: number | undefined): void {
    if (mine === undefined || mine === this.#mine) return;
    const first = this.#mine === undefined;
    this.#mine = mine;
    if (this.#number && (first || this.#number.value === "") && document.activeElement !== this.#number)
      this.#number.value = String(mine);
    if (first && !this.#choices.some(({ checked }) => checked)) {
      const own = this.#choices[mine];
      if (own) own.checked = true;
    }
    this.#submit.textContent = "Change the answer";
    const words = this.#question.choices.length > 0 ? letter(mine) : String(mine);
    this.#say(`Your answer: ${words}. You can change it until the question is closed.`);
  }

  async #answer(): Promise<void> {
    const answer = this.#number ? readTyped(this.#number.value) : this.#choices.findIndex(({ checked }) => checked);
    if (answer === null || answer < 0) {
      this.#say(this.#number ? `Type a whole number from 0 to ${MAX_ANSWER}.` : "Choose one first.", true);
      this.#number?.setAttribute("aria-invalid", "true");
      (this.#number ?? this.#choices[0]!).focus();
      return;
    }
    this.#number?.removeAttribute("aria-invalid");
    const wrong = await this.#send(answer);
    if (wrong !== "") this.#say(wrong, true);
    else this.show(answer);
  }

  #say(words: string, problem = false): void {
    this.#said.textContent = words;
    this.#said.classList.toggle("is-problem", problem);
  }
}
