// All that a participant handed in for an exercise, the newest first, each with its code. It is fetched when it is
// unfolded, and again when something was handed in or graded while it is open.

import { el } from "../dom.ts";
import { Work, type HandedIn } from "../go/room.ts";
import { read } from "../json.ts";
import type { RoomAPI } from "./api.ts";
import { submittedCode } from "./code.ts";
import { place, reconcile } from "./redraw.ts";
import { setText } from "./set-text.ts";
import { figure, isMeasured, lateWords, moment, refusalWords, stageWords, stateOf } from "./words.ts";

export interface HandedListOptions {
  api: RoomAPI;
  /** The room's code. */
  room: string;
  /** The participant's ID. */
  participant: string;
  exercise: string;
  /** Whether the exercise is known to have the target zero. */
  zero: boolean;
}

export class HandedList {
  readonly root: HTMLDetailsElement;
  readonly #options: HandedListOptions;
  readonly #problem = el("p", { class: "room-problem" });
  readonly #list = el("ul", { class: "room-history" });
  readonly #items = new Map<string, { root: HTMLElement }>();
  /** What the room says of the work, and what it said when the list was fetched. */
  #now = "";
  #fetched = "";
  /** The ID of the submission that counts. */
  #best = "";
  #asking = false;

  constructor(options: HandedListOptions) {
    this.#options = options;
    const summary = el("summary", {}, "All submissions");
    this.root = el("details", { class: "room-submitted" }, summary, this.#problem, this.#list);
    this.root.addEventListener("toggle", () => {
      this.#fetched = "";
      void this.#fetch();
    });
  }

  show(work: Work): void {
    this.root.hidden = work.last === "";
    this.#now = JSON.stringify([work.last, work.state, work.best]);
    this.#best = work.best;
    void this.#fetch();
  }

  async #fetch(): Promise<void> {
    if (!this.root.open || this.#asking || this.#fetched === this.#now) return;
    this.#asking = true;
    const now = this.#now;
    const { api, room, participant, exercise } = this.#options;
    const answer = await api.history(room, participant, exercise);
    this.#asking = false;
    setText(this.#problem, refusalWords(answer));
    if (answer.kind !== "ok") return; // the room's next state asks again
    this.#fetched = now;
    this.#draw(answer.value);
    if (now !== this.#now) void this.#fetch();
  }

  /** Draws the list. Code that is unfolded stays so. */
  #draw(all: HandedIn[]): void {
    const { api, room, zero } = this.#options;
    const ids = all.map(({ id }) => id);
    const items = reconcile(this.#items, ids, (id) => ({ root: el("li", {}, submittedCode(api, room, id, "")) }));
    items.forEach(({ root }, i) => {
      setText(root.querySelector("summary")!, handedWords(all[i]!, zero, ids[i] === this.#best));
    });
    place(this.#list, items);
  }
}

/** Returns a submission in words: "14:05: fails a test, after the deadline". */
export function handedWords(handed: HandedIn, zero: boolean, counts: boolean): string {
  const { late, passed, stage, state, submitted } = handed;
  const work = { ...read(Work, handed)!, of: state === "graded" ? "submission" : "" };
  const failed = state === "graded" && !passed && stage !== "";
  const words = [
    failed ? stageWords(stage) : stateOf(work).long,
    isMeasured(work, zero) ? figure(work).long : "",
    late && !passed ? lateWords(handed) : "",
    counts ? "this one counts" : "",
  ];
  return `${moment(Date.parse(submitted))}: ${words.filter((part) => part !== "").join(", ")}`;
}
