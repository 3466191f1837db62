// Predictions that were wrong, asked once more on the last page of their chapter: <div class="ots-again">, whose
// data-chapter is the chapter's folder. A reader who does not want that can switch it off.

import { adoptStyle, button, el } from "../dom.ts";
import { bookRoot } from "../site-root.ts";
import type { Store } from "../store.ts";
import { allocsPerOp, bytesPerOp, count, size } from "../verdict/words.ts";
import { MAX_ALLOCS, MAX_BYTES, readNumber, readPrediction, type Prediction } from "./data.ts";

/** Set by the build. */
declare const AGAIN_STYLE: string;

const PREDICTIONS = "predict/";
/** The name under which the switch is stored. */
const SWITCH = "again";

/** The most questions that are asked at once. */
const MAX_AT_ONCE = 6;

/** One of the two figures that a prediction may have. */
interface Figure {
  /** The largest number that can be predicted. */
  most: number;
  /** Returns a number with its unit. */
  words: (n: number) => string;
  /** Reports whether two numbers are the same as they are shown. */
  same: (a: number, b: number) => boolean;
}

const ALLOCS: Figure = { most: MAX_ALLOCS, words: allocsPerOp, same: (a, b) => count(Math.abs(a - b)) === "0" };
const BYTES: Figure = {
  most: MAX_BYTES,
  words: bytesPerOp,
  same: (a, b) => size(Math.floor(Math.abs(a - b))) === "0",
};

/** A wrong prediction, the name under which it is stored, and its first figure that is wrong. */
interface Wrong {
  prediction: Prediction;
  name: string;
  asked: { page: string; title: string };
  figure: Figure;
  said: number;
  measured: number;
}

/** Asks what the reader predicted wrongly on the chapter's other pages, if there is something. */
export function upgradeAgain(block: HTMLElement, store: Store): void {
  // The page to print has all chapters.
  if (document.querySelectorAll(".ots-again").length > 1) return;
  const wrong = wrongIn(`${block.dataset["chapter"]}/`, store).slice(0, MAX_AT_ONCE);
  if (wrong.length === 0) return;
  adoptStyle(AGAIN_STYLE);
  const questions = el("ol", {}, ...wrong.map((w, i) => el("li", {}, new Again(w, `${block.id}-${i}`, store).root)));
  const asked = el("div", {}, el("p", {}, lead(wrong.length)), questions);
  const box = el("input", { type: "checkbox", checked: true });
  const show = () => {
    box.checked = store.load(SWITCH, readSwitch) ?? true;
    asked.hidden = !box.checked;
  };
  box.addEventListener("change", () => {
    store.save(SWITCH, box.checked);
    show();
  });
  show();
  const words = " Ask once more, at the end of a chapter, what I predicted wrongly";
  block.replaceChildren(
    el(
      "section",
      { class: "ots-question", "aria-label": "Predictions again" },
      el("p", { class: "ots-over" }, el("span", {}, "Once more")),
      asked,
      el("label", { class: "ots-again-switch" }, box, words),
    ),
  );
}

const readSwitch = (json: unknown): boolean | null => (typeof json === "boolean" ? json : null);

function lead(wrong: number): string {
  const figures = wrong === 1 ? "One figure of this chapter was" : `${wrong} figures of this chapter were`;
  return `${figures} not as you predicted. What would you say now?`;
}

/** Returns what was predicted wrongly on pages of a chapter other than this one, and was not asked again. */
function wrongIn(chapter: string, store: Store): Wrong[] {
  const here = location.href.replace(/[?#].*/, "");
  return store.namesAfter(PREDICTIONS).sort().flatMap((rest) => {
    const name = PREDICTIONS + rest;
    const prediction = store.load(name, readPrediction);
    if (!prediction || prediction.again || prediction.allocs === null || !prediction.asked) return [];
    const { allocs, bytes, asked, measured } = prediction;
    const isElsewhere = asked.page.startsWith(chapter) && bookRoot() + asked.page.replace(/#.*/, "") !== here;
    if (!isElsewhere) return [];
    const wrong = { prediction, name, asked };
    if (!ALLOCS.same(allocs, measured.allocs_per_op))
      return [{ ...wrong, figure: ALLOCS, said: allocs, measured: measured.allocs_per_op }];
    if (bytes !== undefined && !BYTES.same(bytes, measured.bytes_per_op))
      return [{ ...wrong, figure: BYTES, said: bytes, measured: measured.bytes_per_op }];
    return [];
  });
}

/** One question, which the reader answers or has answered. */
class Again {
  readonly root: HTMLFormElement;
  readonly #wrong: Wrong;
  readonly #store: Store;
  readonly #input: HTMLInputElement;
  readonly #problem: HTMLElement;

  constructor(wrong: Wrong, id: string, store: Store) {
    this.#wrong = wrong;
    this.#store = store;
    this.#problem = el("span", { class: "ots-status", id: `${id}-problem`, role: "status" });
    this.#input = el("input", {
      type: "number",
      id,
      class: "ots-again-input",
      min: 0,
      max: wrong.figure.most,
      step: 1,
      inputmode: "numeric",
      autocomplete: "off",
      "aria-describedby": `${id}-problem`,
    });
    this.root = el(
      "form",
      { novalidate: true },
      el(
        "label",
        { for: id },
        el("em", {}, wrong.asked.title),
        `: you said ${wrong.figure.words(wrong.said)}. How many is it?`,
      ),
      el(
        "div",
        { class: "ots-again-row" },
        this.#input,
        el("button", { type: "submit", class: "ots-button" }, "Commit"),
        button("ots-button is-quiet", () => this.#show(null), "Show"),
        this.#problem,
      ),
    );
    this.root.addEventListener("submit", (e) => {
      e.preventDefault();
      const { most } = wrong.figure;
      const number = readNumber(this.#input.value, most);
      this.#input.setAttribute("aria-invalid", String(number === null));
      this.#problem.textContent = number === null ? `A whole number from 0 to ${most}` : "";
      if (number === null) this.#input.focus();
      else this.#show(number);
    });
    // On arrow keys, mdBook turns to another page, even if they were pressed in a number field.
    this.root.addEventListener("keydown", (e) => e.stopPropagation());
  }

  /** Shows what was measured, and stores that the question was asked again. */
  #show(number: number | null): void {
    const { name, prediction, asked, figure, measured } = this.#wrong;
    this.#store.save(name, { ...prediction, again: true });
    const right = number !== null && figure.same(number, measured);
    const now = number === null ? "." : right ? ", as you say now." : `; now you said ${number}.`;
    const words = el(
      "p",
      { tabindex: -1 },
      el("em", {}, asked.title),
      `: Measured ${figure.words(measured)}${now} `,
      el("a", { href: bookRoot() + asked.page }, "See where it was asked"),
    );
    this.root.replaceChildren(words);
    words.focus();
  }
}
