// What a participant did on each exercise, in the dialog about them. It follows the room, and its buttons stay: each
// acts on the submission that is the newest, or the best, when it is pressed.

import { button, el } from "../dom.ts";
import type { Room, Work } from "../go/room.ts";
import { headline } from "../verdict/words.ts";
import type { Change, RoomAPI } from "./api.ts";
import { submittedCode } from "./code.ts";
import { asking } from "./confirm.ts";
import type { Exercises } from "./data.ts";
import { HandedList } from "./handed-list.ts";
import { place, reconcile } from "./redraw.ts";
import { setText } from "./set-text.ts";
import { figure, isMeasured, plural, refusalWords, sentence, stateOf } from "./words.ts";

export interface PersonWorkOptions {
  api: RoomAPI;
  exercises: Exercises;
  change: (change: Change, done: string) => void;
}

export class PersonWork {
  readonly root = el("div", {});
  readonly #options: PersonWorkOptions;
  readonly #none = el("p", {}, "Nothing checked yet.");
  readonly #list = el("ul", { class: "room-person-work" });
  readonly #items = new Map<string, Item>();
  #participant = "";

  constructor(options: PersonWorkOptions) {
    this.#options = options;
    this.root.append(this.#none, this.#list);
  }

  /** Shows another participant. */
  open(participant: string, room: Room): void {
    this.#participant = participant;
    this.#items.clear();
    this.#list.replaceChildren();
    this.show(room);
  }

  show(room: Room): void {
    const work = room.participants.find(({ id }) => id === this.#participant)?.work ?? {};
    const begun = room.exercises.filter((id) => work[id] !== undefined);
    const items = reconcile(this.#items, begun, (id) => new Item(this.#options, room, this.#participant, id));
    items.forEach((item, i) => item.show(work[begun[i]!]!));
    place(this.#list, items);
    this.#none.hidden = begun.length > 0;
    this.#list.hidden = begun.length === 0;
  }
}

/** One exercise. */
class Item {
  readonly root: HTMLElement;
  readonly #options: PersonWorkOptions;
  /** The room's code. */
  readonly #room: string;
  readonly #exercise: string;
  readonly #words = el("p", {});
  readonly #controls: HTMLElement;
  readonly #failing = el("span", {}, ", which does not pass");
  readonly #said = el("p", { class: "room-note", role: "status" });
  readonly #code = el("div", {});
  readonly #all: HandedList;
  #work!: Work;

  constructor(options: PersonWorkOptions, { room, helps }: Room, participant: string, exercise: string) {
    this.#options = options;
    this.#room = room;
    this.#exercise = exercise;
    const { api, exercises } = options;
    const { title, zero } = exercises.get(exercise);
    this.#all = new HandedList({ api, room, participant, exercise, zero });
    this.#controls = el(
      "p",
      { class: "room-controls" },
      button("ots-button", () => void this.#verdict(), "Last verdict"),
      ...(helps ? [] : this.#changes(title)),
    );
    this.root = el("li", {}, el("h3", {}, title), this.#words, this.#controls, this.#said, this.#code, this.#all.root);
  }

  #changes(title: string): HTMLElement[] {
    const { change } = this.#options;
    const share = () => {
      const { best, last } = this.#work;
      change({ share: best || last }, `Code for ${title} is now shown to the room, without a name.`);
      this.#said.textContent =
        "It is now shown to the room, without the name. You can stop sharing it below the exercises.";
    };
    const again = () => {
      change({ regrade: this.#work.last }, `The last submission of ${title} is being graded again.`);
      this.#said.textContent = "It is being graded again.";
    };
    const question = el(
      "span",
      {},
      "Everybody in the room can then read this code",
      this.#failing,
      ". A comment in it may contain their name.",
    );
    return [
      asking("Share without the name", question, "Share it", share),
      button("ots-button", again, "Grade again"),
    ];
  }

  show(work: Work): void {
    const before = this.#work as Work | undefined;
    this.#work = work;
    const { zero } = this.#options.exercises.get(this.#exercise);
    const words = [
      stateOf(work).long,
      isMeasured(work, zero) ? figure(work).long : "",
      plural(work.attempts, "attempt"),
      work.hints > 0 ? plural(work.hints, "hint") : "",
    ];
    setText(this.#words, sentence(words.filter((part) => part !== "").join(", ")));
    this.#controls.hidden = work.last === "";
    this.#failing.hidden = work.passed;
    // What was said is about an earlier submission or an earlier grading then.
    if (before && (before.last !== work.last || (before.state !== work.state && work.state !== "queued")))
      this.#said.textContent = "";
    this.#showCode(work.best || work.last, work.best === "" ? "The last submission" : "The best submission");
    this.#all.show(work);
  }

  #showCode(id: string, label: string): void {
    const shown = `${id} ${label}`;
    if (this.#code.dataset["shown"] === shown) return;
    const open = this.#code.querySelector("details")?.open === true;
    this.#code.dataset["shown"] = shown;
    this.#code.replaceChildren();
    if (id === "") return;
    const code = submittedCode(this.#options.api, this.#room, id, label);
    if (open) code.setAttribute("open", "");
    this.#code.append(code);
  }

  async #verdict(): Promise<void> {
    const answer = await this.#options.api.submission(this.#room, this.#work.last);
    if (answer.kind !== "ok")
      this.#said.textContent = refusalWords(answer);
    else if (answer.value.verdict)
      this.#said.textContent = `${headline(answer.value.verdict)}${answer.value.late ? ", late" : ""}`;
    else
      this.#said.textContent =
        answer.value.why === "" ? `The state is ${answer.value.state}.` : sentence(answer.value.why);
  }
}
