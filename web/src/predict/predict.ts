// A question that asks the reader to predict figures before they are shown: <div class="ots-predict">. What shows them
// elsewhere on the page has the class ots-folded and the question's id: <details> with tables and verdicts, which open
// with the answer, and <span> with a figure in a sentence.

import { blockData, button, el } from "../dom.ts";
import type { Figure, Question } from "../go/book.ts";
import { bookRoot } from "../site-root.ts";
import type { Store } from "../store.ts";
import { count, size } from "../verdict/words.ts";
import { MAX_ALLOCS, MAX_BYTES, readNumber, readPrediction, readQuestion, type Prediction } from "./data.ts";
import { agreement, goName, readOut, since } from "./words.ts";

/** Replaces the static text with the question. Reports whether the block has the data for it. */
export function upgradePredict(block: HTMLElement, store: Store): boolean {
  const question = readQuestion(blockData(block));
  if (!question) return false;
  for (const child of block.children) child.classList.add("ots-static");
  const folded = document.querySelectorAll<HTMLElement>(`.ots-folded[data-question="${block.id}"]`);
  const predict = new Predict(question, block.id || `predict-${question.benchmark}`, store, [...folded]);
  block.append(predict.root);
  block.classList.add("ots-upgraded");
  return true;
}

/** A cell of the table that is empty until the reader has answered. */
interface Cell {
  cell: HTMLElement;
  show: (n: Figure) => string;
}

/** A field for one number of the reader's prediction, and the number once it is committed. */
interface Field {
  input: HTMLInputElement;
  yours: HTMLElement;
  max: number;
}

/**
 * The question is the table of figures, with fields for the reader's numbers as the first cells. The answer fills the
 * other cells, so that nothing below moves.
 */
class Predict {
  readonly root: HTMLFormElement;
  readonly #question: Question;
  readonly #store: Store;
  readonly #id: string;
  readonly #name: string;
  readonly #folded: readonly HTMLElement[];
  /** The fields for allocs/op and, if the question asks for it, B/op. */
  readonly #fields: readonly Field[];
  readonly #measured = el("th", { scope: "col" });
  readonly #now: Cell[];
  readonly #then: Cell[];
  readonly #asking: HTMLElement;
  readonly #problem: HTMLElement;
  readonly #answer: HTMLElement;
  readonly #words = el("p", { class: "ots-agreement", tabindex: -1 });
  readonly #again: HTMLButtonElement;
  readonly #live = el("p", { class: "ots-unseen", role: "status" });

  constructor(question: Question, id: string, store: Store, folded: readonly HTMLElement[]) {
    this.#question = question;
    this.#store = store;
    this.#folded = folded;
    this.#id = id;
    this.#name = `predict/${question.listing}#${question.benchmark}`;
    const problem = `${id}-problem`;
    const allocs = this.#field(`${id}-allocs`, MAX_ALLOCS, problem);
    this.#fields = [allocs, ...(question.asks_bytes ? [this.#field(`${id}-bytes`, MAX_BYTES, problem)] : [])];
    this.#problem = el("span", { class: "ots-status", id: problem, role: "status" });
    this.#now = cells();
    this.#then = question.then ? cells() : [];
    this.#asking = el(
      "div",
      { class: "ots-predict-row" },
      el("button", { type: "submit", class: "ots-button is-main" }, "Commit"),
      button("ots-button is-quiet", () => this.#commit(null), "Show without predicting"),
      this.#problem,
    );
    this.#again = button("ots-button is-quiet", () => this.#clear());
    this.#answer = el("div", { class: "ots-predict-row" }, this.#words, this.#again);
    this.root = el(
      "form",
      {
        class: `ots-question${question.asks_bytes ? " asks-bytes" : ""}`,
        novalidate: true,
        "aria-label": `Predict: ${question.title}`,
      },
      el(
        "p",
        { class: "ots-over" },
        el("span", {}, "Predict"),
        el("span", { class: "ots-measured" }, question.now.platform),
      ),
      this.#headline(),
      this.#table(),
      el("div", { class: "ots-predict-rows" }, this.#asking, this.#answer),
      this.#live,
    );
    this.root.addEventListener("submit", (e) => {
      e.preventDefault();
      this.#submit();
    });
    for (const block of folded) {
      block.querySelector("summary")?.addEventListener("click", (e) => {
        e.preventDefault();
        this.#commit(null);
      });
    }
    // On arrow keys, mdBook turns to another page, even if they were pressed in a number field.
    this.root.addEventListener("keydown", (e) => e.stopPropagation());

    this.#show(store.load(this.#name, readPrediction));
    store.onElsewhere(this.#name, readPrediction, (p) => {
      // Do not change the question while the reader works with it.
      if (!this.root.contains(document.activeElement)) this.#show(p);
    });
  }

  #field(id: string, max: number, problem: string): Field {
    const input = el("input", {
      type: "number",
      id,
      class: "ots-input",
      min: 0,
      max,
      step: 1,
      inputmode: "numeric",
      autocomplete: "off",
      "aria-describedby": problem,
    });
    input.addEventListener("input", () => this.#complain(null));
    return { input, yours: el("strong", { class: "ots-value" }), max };
  }

  /** The question, as the label of the fields. */
  #headline(): HTMLElement {
    const [allocs, bytes] = this.#fields;
    const title = el("em", {}, this.#question.title);
    if (!bytes) return el("label", { class: "ots-headline", for: allocs!.input.id }, "How many allocs/op? ", title);
    return el(
      "p",
      { class: "ots-headline" },
      el("label", { for: allocs!.input.id }, "How many allocs/op?"),
      " ",
      el("label", { for: bytes.input.id }, "And how many B/op?"),
      " ",
      title,
    );
  }

  #table(): HTMLElement {
    const { then } = this.#question;
    const row = (i: 0 | 1, unit: string) => {
      const field = this.#fields[i];
      const yours = field ? [field.input, field.yours] : [];
      const cells = [el("td", {}, ...yours), this.#now[i]!.cell, this.#then[i]?.cell];
      return el("tr", {}, el("th", { scope: "row" }, unit), ...cells);
    };
    return el(
      "table",
      { class: "ots-answer" },
      el(
        "thead",
        {},
        el(
          "tr",
          {},
          el("td", {}),
          el("th", { scope: "col" }, "your prediction"),
          this.#measured,
          then && el("th", { scope: "col", title: "the release of the article" }, "then ", release(then)),
        ),
      ),
      el("tbody", {}, row(0, "allocs/op"), row(1, "B/op")),
    );
  }

  #submit(): void {
    const numbers = this.#fields.map(({ input, max }) => readNumber(input.value, max));
    const wrong = this.#fields[numbers.indexOf(null)];
    this.#complain(wrong ?? null);
    const [allocs, bytes] = numbers;
    if (wrong) wrong.input.focus();
    else this.#commit(allocs ?? null, bytes);
  }

  #complain(wrong: Field | null): void {
    for (const { input } of this.#fields) input.removeAttribute("aria-invalid");
    wrong?.input.setAttribute("aria-invalid", "true");
    this.#problem.textContent = wrong ? `A whole number from 0 to ${wrong.max}` : "";
  }

  #commit(allocs: number | null, bytes?: number | null): void {
    const { now, title } = this.#question;
    const page = `${location.href.replace(/[?#].*/, "").replace(bookRoot(), "")}#${this.#id}`;
    const prediction: Prediction = { allocs, measured: now, asked: { page, title } };
    if (typeof bytes === "number") prediction.bytes = bytes;
    const stored = this.#store.save(this.#name, prediction);
    this.#show(prediction);
    if (!stored) this.#words.append(" Not saved: this browser's storage is blocked or full.");
    // Not the button: a key that repeats, Enter held down, would press it.
    this.#words.focus();
    this.#live.textContent = readOut(prediction, this.#question);
  }

  #clear(): void {
    this.#store.remove(this.#name);
    this.#show(null);
    this.#fields[0]!.input.focus();
  }

  /** Shows a prediction beside the measured figures, or asks for one. */
  #show(prediction: Prediction | null): void {
    const { then, now } = this.#question;
    const measured = prediction?.measured ?? now;
    this.root.classList.toggle("is-answered", prediction !== null);
    for (const block of this.#folded) {
      block.classList.toggle("is-hidden", prediction === null);
      if (block instanceof HTMLDetailsElement) block.open = prediction !== null;
    }
    this.#complain(null);
    const yours = prediction && [prediction.allocs, prediction.bytes ?? null];
    for (const [i, field] of this.#fields.entries()) {
      field.input.value = "";
      field.yours.textContent = yours ? String(yours[i] ?? "–") : "";
    }
    this.#measured.replaceChildren(measured.go === now.go ? "measured now " : "measured ", release(measured));
    fill(this.#now, prediction && measured);
    fill(this.#then, prediction && (then ?? null));
    const sentences = prediction ? [agreement(prediction, then), since(prediction, this.#question)] : [];
    this.#words.textContent = sentences.filter(Boolean).join(" ");
    this.#again.textContent = prediction?.allocs === null ? "Predict" : "Predict again";
    this.#live.textContent = "";
    // Both rows stay in the layout, so that the height of the block never changes.
    this.#asking.inert = prediction !== null;
    this.#answer.inert = prediction === null;
  }
}

function release({ go }: Figure): HTMLElement {
  return el("span", { class: "ots-release" }, goName(go));
}

/** Returns the cells for the figures of one release, without units. */
function cells(): Cell[] {
  return [
    { cell: el("td", {}), show: (f) => count(f.allocs_per_op) },
    { cell: el("td", {}), show: (f) => size(f.bytes_per_op) },
  ];
}

function fill(cells: readonly Cell[], figure: Figure | null): void {
  for (const [i, { cell, show }] of cells.entries()) {
    cell.classList.toggle("is-open", figure === null);
    const hidden = [el("span", { "aria-hidden": "true" }, "?"), el("span", { class: "ots-unseen" }, "not shown yet")];
    if (figure === null) cell.replaceChildren(...hidden);
    else cell.replaceChildren(i === 0 ? el("strong", { class: "ots-value" }, show(figure)) : show(figure));
  }
}
