// A multiple-choice question: <div class="ots-choices">. Its texts are in the page; the script turns the list of
// choices into radio buttons, and shows with the answer why each choice is right or wrong.

import { blockData, button, el } from "../dom.ts";
import type { QuestionData } from "../go/book.ts";
import type { Store } from "../store.ts";
import { ANSWERS, readAnswer, readQuestionData, type Answer } from "./data.ts";

/** Replaces the static text with the question. Reports whether the block has the data and the texts for it. */
export function upgradeChoices(block: HTMLElement, store: Store): boolean {
  const question = readQuestionData(blockData(block));
  const asked = [...block.querySelectorAll<HTMLElement>(":scope > :not(script, ol, details)")];
  const choices = block.querySelectorAll<HTMLElement>(":scope > ol > li");
  const reasons = block.querySelectorAll<HTMLElement>(":scope > details > ol > li");
  if (!question || asked.length === 0 || !choices[question.right] || choices.length !== reasons.length) return false;
  const texts = [...choices].map(
    (text, i): Texts => ({ text: [...text.childNodes], why: [...reasons[i]!.childNodes] }),
  );
  const form = new Choices(question, block.id, asked, texts, store).root;
  for (const child of block.querySelectorAll(":scope > :is(ol, details)")) child.remove();
  block.append(form);
  block.classList.add("ots-upgraded");
  return true;
}

/** The page's texts on a choice. */
interface Texts {
  text: Node[];
  why: Node[];
}

interface Choice {
  input: HTMLInputElement;
  root: HTMLElement;
  text: string;
  /** Says "Your answer" or "Right" once the question is answered. */
  mark: HTMLElement;
  why: HTMLElement;
}

class Choices {
  readonly root: HTMLFormElement;
  readonly #question: QuestionData;
  readonly #store: Store;
  readonly #name: string;
  readonly #choices: readonly Choice[];
  readonly #asking: HTMLElement;
  readonly #answered: HTMLElement;
  readonly #problem = el("span", { class: "ots-status", role: "status" });
  readonly #words = el("p", { class: "ots-agreement", tabindex: -1 });
  readonly #live = el("p", { class: "ots-unseen", role: "status" });

  constructor(question: QuestionData, id: string, asked: Node[], texts: readonly Texts[], store: Store) {
    this.#question = question;
    this.#store = store;
    this.#name = ANSWERS + question.name;
    this.#choices = texts.map(({ text, why }, i) => choice(id, i, text, why));
    this.#asking = el(
      "div",
      { class: "ots-choices-row" },
      el("button", { type: "submit", class: "ots-button is-main" }, "Answer"),
      button("ots-button is-quiet", () => this.#commit(null), "Show the answer"),
      this.#problem,
    );
    const again = button("ots-button is-quiet", () => this.#clear(), "Answer again");
    this.#answered = el("div", { class: "ots-choices-row" }, this.#words, again);
    const ask = `${id}-ask`;
    this.root = el(
      "form",
      { novalidate: true },
      el("p", { class: "ots-over" }, "Why"),
      el(
        "fieldset",
        { "aria-labelledby": ask },
        el("div", { class: "ots-choices-ask", id: ask }, ...asked),
        ...this.#choices.map(({ root }) => root),
      ),
      this.#asking,
      this.#answered,
      this.#live,
    );
    this.root.addEventListener("submit", (e) => {
      e.preventDefault();
      const chosen = this.#choices.findIndex(({ input }) => input.checked);
      if (chosen >= 0) return this.#commit(chosen);
      this.#problem.textContent = "Choose one first";
      this.#choices[0]!.input.focus();
    });
    // On arrow keys, which move between the choices, mdBook turns to another page.
    this.root.addEventListener("keydown", (e) => e.stopPropagation());

    this.#show(store.load(this.#name, readAnswer));
    store.onElsewhere(this.#name, readAnswer, (answer) => {
      // Do not change the question while the reader works with it.
      if (!this.root.contains(document.activeElement)) this.#show(answer);
    });
  }

  #commit(chosen: number | null): void {
    const { right } = this.#question;
    const answer: Answer = {
      choice: chosen === null ? null : this.#choices[chosen]!.text,
      right: chosen === right,
    };
    const stored = this.#store.save(this.#name, answer);
    this.#show(answer);
    if (!stored) this.#words.append(" Not saved: this browser's storage is blocked or full.");
    this.#words.focus();
    const shown = chosen === null || chosen === right ? [right] : [chosen, right];
    this.#live.textContent = shown.map((i) => `${letter(i)}: ${this.#choices[i]!.why.textContent!.trim()}`).join(" ");
  }

  #clear(): void {
    this.#store.remove(this.#name);
    this.#show(null);
    this.#choices[0]!.input.focus();
  }

  /** Shows an answer, or asks for one. The answer to a choice that is no longer there is not shown. */
  #show(answer: Answer | null): void {
    const { right } = this.#question;
    const chosen = this.#choices.findIndex(({ text }) => text === answer?.choice);
    const given = answer !== null && (answer.choice === null || chosen >= 0);
    this.root.classList.toggle("is-answered", given);
    for (const [i, { input, root, mark, why }] of this.#choices.entries()) {
      input.checked = given && i === chosen;
      input.disabled = given;
      root.classList.toggle("is-right", given && i === right);
      root.classList.toggle("is-chosen", given && i === chosen);
      mark.textContent = given && i === chosen ? "your answer" : "";
      why.hidden = !given;
    }
    this.#problem.textContent = "";
    this.#live.textContent = "";
    this.#asking.hidden = given;
    this.#answered.hidden = !given;
    if (!given) return;
    const words = chosen < 0 ? "Shown without an answer: " : chosen === right ? "Right: " : "Not that one. It is ";
    this.#words.textContent = `${words}${letter(right)}.`;
  }
}

function choice(id: string, i: number, text: Node[], why: Node[]): Choice {
  const words = text.map((node) => node.textContent).join("").trim();
  const input = el("input", { type: "radio", name: id, value: i, id: `${id}-${i}` });
  const mark = el("span", { class: "ots-choice-mark" });
  const reason = el("div", { class: "ots-choice-why", id: `${id}-${i}-why`, hidden: true }, ...why);
  const label = el(
    "label",
    { for: input.id },
    input,
    el("span", { class: "ots-choice-letter" }, letter(i)),
    el("span", {}, ...text, mark),
  );
  return { input, root: el("div", { class: "ots-choice" }, label, reason), text: words, mark, why: reason };
}

const letter = (i: number) => String.fromCharCode(65 + i);
