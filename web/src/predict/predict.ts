// A question that asks the reader to predict a figure before it is shown: <div class="ots-predict">.

import { blockData, button, el } from "../dom.ts";
import type { Figure, Question } from "../go/book.ts";
import type { Store } from "../store.ts";
import { count, size } from "../verdict/words.ts";
import { MOST, readAllocs, readPrediction, readQuestion, type Prediction } from "./data.ts";
import { agreement, goName, readOut, since } from "./words.ts";

/** Replaces the static text with the question. Reports whether the block has the data for it. */
export function upgradePredict(block: HTMLElement, store: Store): boolean {
  const question = readQuestion(blockData(block));
  if (!question) return false;
  for (const child of block.children) child.classList.add("ots-static");
  block.append(new Predict(question, block.id || `predict-${question.benchmark}`, store).root);
  block.classList.add("ots-upgraded");
  return true;
}

/** A cell of the table that is empty until the reader has answered. */
interface Cell {
  cell: HTMLElement;
  show: (n: Figure) => string;
}

/**
 * The question is the table of figures, with a field for the reader's number as the first cell. The answer fills the
 * other cells, so that nothing on the page moves.
 */
class Predict {
  readonly root: HTMLFormElement;
  readonly #question: Question;
  readonly #store: Store;
  readonly #name: string;
  readonly #input: HTMLInputElement;
  readonly #yours = el("strong", { class: "ots-value" });
  readonly #measured = el("th", { scope: "col" });
  readonly #now: Cell[];
  readonly #then: Cell[];
  readonly #asking: HTMLElement;
  readonly #problem: HTMLElement;
  readonly #answer: HTMLElement;
  readonly #words = el("p", { class: "ots-agreement", tabindex: -1 });
  readonly #again: HTMLButtonElement;
  readonly #live = el("p", { class: "ots-unseen", role: "status" });

  constructor(question: Question, id: string, store: Store) {
    this.#question = question;
    this.#store = store;
    this.#name = `predict/${question.listing}#${question.benchmark}`;
    const input = `${id}-allocs`;
    const problem = `${id}-problem`;
    this.#input = el("input", {
      type: "number",
      id: input,
      class: "ots-input",
      min: 0,
      max: MOST,
      step: 1,
      inputmode: "numeric",
      autocomplete: "off",
      "aria-describedby": problem,
    });
    this.#input.addEventListener("input", () => this.#complain(false));
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
      { class: "ots-question", novalidate: true, "aria-label": "Predict" },
      el(
        "p",
        { class: "ots-over" },
        el("span", {}, "Predict"),
        el("span", { class: "ots-measured" }, question.now.platform),
      ),
      el("label", { class: "ots-headline", for: input }, "How many allocs/op? ", el("em", {}, question.title)),
      this.#table(),
      el("div", { class: "ots-predict-rows" }, this.#asking, this.#answer),
      this.#live,
    );
    this.root.addEventListener("submit", (e) => {
      e.preventDefault();
      this.#submit();
    });
    // On arrow keys, mdBook turns to another page, even if they were pressed in a number field.
    this.root.addEventListener("keydown", (e) => e.stopPropagation());

    this.#show(store.load(this.#name, readPrediction));
    store.onElsewhere(this.#name, readPrediction, (p) => {
      // Do not change the question while the reader works with it.
      if (!this.root.contains(document.activeElement)) this.#show(p);
    });
  }

  #table(): HTMLElement {
    const { then } = this.#question;
    const row = (i: 0 | 1, unit: string, ...yours: Node[]) =>
      el("tr", {}, el("th", { scope: "row" }, unit), el("td", {}, ...yours), this.#now[i]!.cell, this.#then[i]?.cell);
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
      el("tbody", {}, row(0, "allocs/op", this.#input, this.#yours), row(1, "B/op")),
    );
  }

  #submit(): void {
    const allocs = readAllocs(this.#input.value);
    this.#complain(allocs === null);
    if (allocs === null) this.#input.focus();
    else this.#commit(allocs);
  }

  #complain(wrong: boolean): void {
    if (wrong) this.#input.setAttribute("aria-invalid", "true");
    else this.#input.removeAttribute("aria-invalid");
    this.#problem.textContent = wrong ? `A whole number from 0 to ${MOST}` : "";
  }

  #commit(allocs: number | null): void {
    const prediction = { allocs, measured: this.#question.now };
    const stored = this.#store.save(this.#name, prediction);
    this.#show(prediction);
    if (!stored) this.#words.append(" Not remembered: this browser's storage is blocked or full.");
    // Not the button: a key that repeats, Enter held down, would press it.
    this.#words.focus();
    this.#live.textContent = readOut(prediction, this.#question);
  }

  #clear(): void {
    this.#store.remove(this.#name);
    this.#show(null);
    this.#input.focus();
  }

  /** Shows a prediction beside the measured figures, or asks for one. */
  #show(prediction: Prediction | null): void {
    const { then, now } = this.#question;
    const measured = prediction?.measured ?? now;
    this.root.classList.toggle("is-answered", prediction !== null);
    this.#complain(false);
    this.#input.value = "";
    this.#yours.textContent = prediction ? (prediction.allocs === null ? "–" : String(prediction.allocs)) : "";
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
