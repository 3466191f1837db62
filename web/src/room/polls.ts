// The questions of a room on the instructor's page: choosing one, opening it, closing it, and what the room answered.
// The page loads this after the grid.

import { adoptStyle, button, el } from "../dom.ts";
import type { ChapterQuestions, ListedQuestion } from "../go/poll.ts";
import type { Room, RoomQuestion } from "../go/room.ts";
import type { Answer, RoomAPI } from "./api.ts";
import { asking } from "./confirm.ts";
import type { KnownPlan } from "./data.ts";
import {
  answerOf,
  asks,
  barsFor,
  histogramOf,
  inBook,
  loadQuestion,
  loadQuestions,
  oneLine,
  prose,
  subject,
  unknownQuestion,
} from "./poll-question.ts";
import { redraw } from "./redraw.ts";

export { PollProjector } from "./poll-projector.ts";

/** Set by the build. */
declare const POLL_STYLE: string;

export interface PollsOptions {
  api: RoomAPI;
  /** The room's code. */
  code: string;
  plans: readonly KnownPlan[];
  /** Takes what the server answered, and what to say if it did what was asked. */
  changed: (answer: Answer<Room>, done: string) => void;
}

export class Polls {
  readonly root = el("div", { class: "polls" });
  readonly #options: PollsOptions;
  readonly #choose = el("div", { class: "for-instructor" });
  readonly #current = el("div", { class: "poll" });
  readonly #asked = el("div", { class: "polls-asked" });
  /** What is drawn of the current question and of the others. */
  #drawn = "";
  #listed = "";
  /** Whether the names behind the bars are unfolded. */
  #named = false;

  constructor(options: PollsOptions) {
    adoptStyle(POLL_STYLE);
    this.#options = options;
    this.root.append(this.#choose, this.#current, this.#asked);
    void this.#drawChoice();
  }

  show(room: Room): void {
    const { question = null } = room;
    this.#choose.hidden = question !== null || room.ended;
    this.#current.hidden = question === null;
    if (question) void this.#drawCurrent(question, room);
    else this.#drawn = "";
    void this.#drawAsked(room.asked);
  }

  /** Draws the list of questions, which begins with the plans' questions, and the chosen question. */
  async #drawChoice(): Promise<void> {
    const chapters = await loadQuestions();
    if (!chapters) {
      this.#choose.replaceChildren(
        el("p", { class: "room-hint" }, "The site has no list of questions. Build the site again."),
      );
      return;
    }
    const all = chapters.flatMap(({ questions }) => questions);
    const select = el(
      "select",
      { "aria-label": "Question" },
      el("option", { value: "" }, "Choose a question from the book"),
      ...groupsOf(chapters, this.#options.plans).map(([label, questions]) =>
        el("optgroup", { label }, ...questions.map((q) => el("option", { value: q.id }, optionWords(q)))),
      ),
    );
    const preview = el("div", { class: "polls-preview" });
    select.addEventListener("change", () => {
      const chosen = all.find(({ id }) => id === select.value);
      if (!chosen) return preview.replaceChildren();
      void loadQuestion(chosen.id).then((q) => {
        if (!q || select.value !== q.id) return;
        preview.replaceChildren(
          el("p", {}, el("b", {}, ...prose(asks(q))), subject(q) === "" ? "" : " ", ...prose(subject(q))),
          ...(q.choices.length > 0
            ? [el("ol", { class: "polls-choices" }, ...q.choices.map(({ text }) => el("li", {}, ...prose(text))))]
            : []),
          el(
            "p",
            { class: "room-controls" },
            button("ots-button is-main", () => this.#ask(chosen), "Ask the room"),
            el("span", { class: "room-hint" }, "In the book: ", inBook(q)),
          ),
        );
      });
    });
    this.#choose.replaceChildren(el("p", {}, select), preview);
  }

  #ask({ id, choices }: ListedQuestion): void {
    const { api, code, changed } = this.#options;
    const done = "The room has been asked. Show the projector view.";
    void api.ask(code, id, choices).then((answer) => changed(answer, done));
  }

  #bring({ number }: RoomQuestion, state: "closed" | "shown" | "away", done: string): void {
    const { api, code, changed } = this.#options;
    void api.question(code, number, state).then((answer) => changed(answer, done));
  }

  async #drawCurrent(room: RoomQuestion, { participants }: Room): Promise<void> {
    const question = (await loadQuestion(room.question)) ?? unknownQuestion(room);
    const shown = JSON.stringify([room, participants.length]);
    if (this.#drawn === shown || this.#current.hidden) return;
    this.#drawn = shown;
    const open = room.state === "open";
    const action = (name: string, node: HTMLElement) => {
      node.dataset["key"] = name;
      return node;
    };
    const answered = answeredWords(room, participants.length);
    const controls = open
      ? [
          action(
            "next",
            button("ots-button is-main", () => this.#bring(room, "closed", "The question is closed."), "Close"),
          ),
          asking(
            "Hide the question",
            "Nobody will be able to answer, and the participants will not see the answers.",
            "Hide it",
            () => this.#bring(room, "away", "The question is hidden."),
          ),
        ]
      : [
          room.state === "closed" &&
            action(
              "next",
              button(
                "ots-button is-main",
                () => this.#bring(room, "shown", "The participants now see the answer."),
                question.unit === "" ? "Show the answer" : "Show the measured figure",
              ),
            ),
          action(
            "away",
            button("ots-button", () => this.#bring(room, "away", "The question is hidden."), "Hide the question"),
          ),
        ];
    const link = inBook(question);
    redraw(
      this.#current,
      el("h3", {}, ...prose(asks(question))),
      el("p", {}, ...prose(subject(question)), subject(question) === "" ? "" : ". ", answered),
      el("p", { class: "room-controls for-instructor" }, ...controls),
      ...(open ? [] : [histogramOf(question, room), this.#names(question, room)]),
      el("div", { class: "poll-answer" }, ...answerOf(question, room)),
      link ? el("p", { class: "room-hint" }, "In the book: ", link) : "",
    );
  }

  /** Lists the names behind each answer. The list is folded, because the page may be on the projector. */
  #names(question: Parameters<typeof barsFor>[0], room: RoomQuestion): HTMLElement {
    const bars = barsFor(question, room).filter(({ names }) => names.length > 0);
    const fold = el(
      "details",
      { class: "polls-names", open: this.#named },
      el("summary", {}, "Who answered what"),
      el(
        "dl",
        {},
        ...bars.flatMap(({ label, names }) => [
          el("dt", {}, label),
          el("dd", {}, ...names.flatMap((name, i) => [i > 0 ? ", " : "", el("bdi", {}, name)])),
        ]),
      ),
    );
    fold.addEventListener("toggle", () => (this.#named = fold.open));
    fold.hidden = bars.length === 0;
    return fold;
  }

  /** The questions that were put away, the last one first. */
  async #drawAsked(asked: readonly RoomQuestion[]): Promise<void> {
    const shown = JSON.stringify(asked);
    if (this.#listed === shown) return;
    this.#listed = shown;
    const questions = await Promise.all(asked.map(async (q) => (await loadQuestion(q.question)) ?? unknownQuestion(q)));
    if (this.#listed !== shown) return;
    const unfolded = this.#asked.querySelectorAll<HTMLElement>("details[open]");
    const open = new Set([...unfolded].map((details) => details.dataset["number"]));
    const items = asked.map((room, i) => {
      const question = questions[i]!;
      const number = String(room.number);
      return el(
        "details",
        { "data-number": number, open: open.has(number) },
        el("summary", {}, oneLine(question) || room.question, ` (${room.answered} answered)`),
        histogramOf(question, room),
        el("div", { class: "poll-answer" }, ...answerOf(question, room)),
      );
    });
    this.#asked.replaceChildren(...(items.length === 0 ? [] : [el("h3", {}, "Asked before"), ...items.reverse()]));
  }
}

/** Returns "17 of 24 have answered." */
export function answeredWords({ answered }: RoomQuestion, participants: number): string {
  return `${answered} of ${participants} ${participants === 1 ? "has" : "have"} answered.`;
}

/** Returns the questions in groups: of each plan, in its order, and then of each chapter. */
export function groupsOf(
  chapters: readonly ChapterQuestions[],
  plans: readonly KnownPlan[],
): [label: string, questions: ListedQuestion[]][] {
  const all = new Map(chapters.flatMap(({ questions }) => questions.map((q) => [q.id, q] as const)));
  const planned = plans.map(({ title, questions }): [string, ListedQuestion[]] => [
    `Plan: ${title}`,
    questions.map((id) => all.get(id)).filter((q) => q !== undefined),
  ]);
  return [
    ...planned.filter(([, questions]) => questions.length > 0),
    ...chapters.map(({ chapter, questions }): [string, ListedQuestion[]] => [chapter, questions]),
  ];
}

/** The most characters of a question in the list. */
const LONGEST = 90;

function optionWords(q: ListedQuestion): string {
  const words = q.unit === "" ? q.ask.replace(/[`*]/g, "") : `${q.ask.replace(/[`*]/g, "")}: how many ${q.unit}?`;
  return words.length > LONGEST ? `${words.slice(0, LONGEST - 1).trimEnd()}…` : words;
}
