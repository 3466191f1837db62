// Shows for each exercise how many participants have come how far, their figures, and the likely mistakes that they
// match. It shows no names, so that it can be projected.

import { button, el, inlineCode } from "../dom.ts";
import type { Room } from "../go/room.ts";
import type { Change } from "./api.ts";
import type { Exercises } from "./data.ts";
import { place, reconcile, redraw } from "./redraw.ts";
import { tallyBar } from "./tally-bar.ts";
import { mistakes, plural, spread, spreadWords } from "./words.ts";

export interface CardOptions {
  exercises: Exercises;
  /** Whether the spread of allocs/op is shown. */
  spread: (room: Room) => boolean;
  /** Changes the room; null on a page without controls. */
  change: ((change: Change, done: string) => void) | null;
}

interface Card {
  root: HTMLElement;
  content: HTMLElement;
  shown: string;
}

export class ExerciseCards {
  readonly root = el("div", { class: "room-cards" });
  readonly #options: CardOptions;
  readonly #cards = new Map<string, Card>();

  constructor(options: CardOptions) {
    this.#options = options;
  }

  show(room: Room): void {
    const cards = reconcile(this.#cards, room.exercises, (id) => this.#card(id));
    cards.forEach((card, i) => this.#draw(card, room.exercises[i]!, room));
    place(this.root, cards);
  }

  #card(id: string): Card {
    const { number, title, href } = this.#options.exercises.get(id);
    const heading = el(
      "h3",
      {},
      number > 0 && el("span", { class: "room-number" }, `${number} `),
      href === "" ? title : el("a", { href }, title),
    );
    const content = el("div", {});
    const root = el("section", { class: "room-card" }, heading, content);
    return { root, content, shown: "" };
  }

  #draw(card: Card, id: string, room: Room): void {
    const { participants } = room;
    const bar = tallyBar(participants, id);
    const bars = this.#options.spread(room) ? spread(participants, id, this.#options.exercises.get(id).zero) : [];
    const made = mistakes(participants, id);
    const closed = room.closed.includes(id);
    const shown = JSON.stringify([bar.shown, bars, made, closed, room.ended]);
    if (shown === card.shown) return;
    card.shown = shown;
    card.root.classList.toggle("is-closed", closed);
    redraw(card.content, ...this.#content(id, bar.nodes, bars, made, closed, room));
  }

  #content(
    id: string,
    tally: Node[],
    bars: ReturnType<typeof spread>,
    made: ReturnType<typeof mistakes>,
    closed: boolean,
    { participants, ended }: Room,
  ): Node[] {
    const { change, exercises } = this.#options;
    const most = Math.max(1, ...bars.map((bar) => bar.participants));
    const nodes = [...tally];
    if (bars.length > 0) {
      nodes.push(
        el("h4", {}, spreadWords(participants, id)),
        el(
          "ul",
          { class: "room-spread" },
          ...bars.map((bar) => {
            const line = el("span", { class: "room-bar", "aria-hidden": "true" });
            line.style.inlineSize = `${(100 * bar.participants) / most}%`;
            return el(
              "li",
              { class: bar.reached && "is-reached" },
              el("span", { class: "room-value" }, bar.label),
              el("span", { class: "room-track" }, line),
              el(
                "span",
                {},
                String(bar.participants),
                el(
                  "span",
                  { class: "ots-unseen" },
                  ` ${bar.participants === 1 ? "participant" : "participants"}${bar.reached ? ", target reached" : ""}`,
                ),
              ),
            );
          }),
        ),
      );
    }
    if (change && made.length > 0) {
      const known = exercises.get(id).mistakes;
      nodes.push(
        el("h4", {}, "Likely mistakes"),
        ...made.map(([name, times]) => {
          const mistake = known.find((m) => m.name === name);
          return el(
            "details",
            { class: "room-mistake" },
            el("summary", {}, ...inlineCode(mistake?.title ?? name), `: ${times}`),
            el("p", {}, ...inlineCode(mistake?.say ?? "This page has no description of this mistake.")),
          );
        }),
      );
    }
    if (change && !ended) {
      const title = exercises.get(id).title;
      const toggle = button(
        "ots-button",
        () =>
          change(
            closed ? { open: id } : { close: id },
            closed ? `${title} accepts submissions again.` : `${title} accepts no more submissions.`,
          ),
        closed ? "Open again" : "Close",
      );
      toggle.dataset["key"] = "toggle";
      toggle.setAttribute("aria-label", `${toggle.textContent}, ${title}`);
      const again = button(
        "ots-button",
        () => change({ regradeEach: id }, `All submissions of ${title} are being graded again.`),
        "Grade all again",
      );
      again.dataset["key"] = "regrade";
      again.setAttribute("aria-label", `Grade all again, ${title}`);
      const handed = participants.filter(({ work }) => (work[id]?.last ?? "") !== "").length;
      nodes.push(
        el(
          "p",
          { class: "room-controls" },
          toggle,
          handed > 0 && again,
          closed && el("span", { class: "room-closed" }, "closed"),
          handed > 0 && el("span", { class: "room-hint" }, `${plural(handed, "participant")} handed in`),
        ),
      );
    }
    return nodes;
  }
}
