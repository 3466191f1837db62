// The instructor's list of the participants who need help, by name. The raised hands are above it.

import { button, el } from "../dom.ts";
import type { Participant, Room } from "../go/room.ts";
import { testName } from "../verdict/failures.ts";
import type { Exercises } from "./data.ts";
import { Hands } from "./hands.ts";
import { redraw } from "./redraw.ts";
import { helpWords, lastChange, needsHelp, type Group } from "./stuck.ts";
import { span } from "./words.ts";

/** How many names of a group are shown. The others are only counted. */
const MAX_NAMES = 12;

export interface NeedsHelpOptions {
  exercises: Exercises;
  /** Called when a name is pressed. */
  onParticipant: (id: string) => void;
  /** Lowers a hand. */
  onLower: (id: string, name: string) => void;
}

export class NeedsHelp {
  readonly root = el("section", { class: "room-help", "aria-label": "Needs help", hidden: true });
  readonly #options: NeedsHelpOptions;
  readonly #hands: Hands;
  readonly #summary = el("summary", {});
  readonly #list = el("ul", {});
  readonly #details = el("details", { open: true }, this.#summary, this.#list);
  #shown = "";

  constructor(options: NeedsHelpOptions) {
    this.#options = options;
    this.#hands = new Hands(options);
    this.root.append(this.#hands.root, this.#details);
  }

  /** Opens the list of names, or folds it so that only the numbers show. The instructor can change this. */
  open(open: boolean): void {
    this.#details.open = open;
  }

  /** Shows who needs help. now is the server's time. */
  show(room: Room, now: number): void {
    const hands = room.participants.filter(({ hand }) => hand !== "");
    this.#hands.show(hands);
    const groups = needsHelp(room, now);
    this.root.hidden = hands.length === 0 && groups.length === 0;
    this.#details.hidden = groups.length === 0;
    const lines = groups.map((group) => ({ group, ...this.#words(group, now) }));
    const shown = JSON.stringify(lines.map(({ before, after, group }) => [before, after, group.people.map(({ name }) => name)]));
    if (shown === this.#shown) return;
    this.#shown = shown;
    this.#summary.replaceChildren(el("b", {}, "Needs help: "), helpWords(groups, 0));
    redraw(this.#list, ...lines.map(({ group, before, after }) => this.#line(group, before, after)));
  }

  #line({ need, exercise, what, people }: Group, before: string, after: (person: Participant) => string): HTMLElement {
    const more = people.length - MAX_NAMES;
    const names = people.slice(0, MAX_NAMES).flatMap((person, i) => {
      const name = button("room-person", () => this.#options.onParticipant(person.id), el("bdi", {}, person.name));
      name.dataset["key"] = [need, exercise, what, person.id].join(" ");
      return [i === 0 ? "" : ", ", name, after(person)];
    });
    return el("li", {}, `${before}: `, ...names, more > 0 && `, and ${more} more`);
  }

  #words({ need, exercise, what, people }: Group, now: number): { before: string; after: (person: Participant) => string } {
    const none = () => "";
    const n = people.length;
    const { number, title, mistakes } = this.#options.exercises.get(exercise);
    const where = number > 0 ? `${number} ${title}` : title;
    switch (need) {
      case "test":
        return { before: `${n} ${n === 1 ? "fails" : "fail"} ${testName(what)} (${where})`, after: none };
      case "mistake":
        return { before: `${n} share “${mistakes.find(({ name }) => name === what)?.title ?? what}” (${where})`, after: none };
      case "quiet":
        return { before: `${n} ${n === 1 ? "has" : "have"} changed nothing`, after: (person) => ` (${span(now - lastChange(person))})` };
      case "unbegun":
        return { before: `${n} connected, not started`, after: none };
    }
  }
}
