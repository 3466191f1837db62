// The grid of a room: a row for each participant, a column for each exercise. Only what has changed is drawn again, so
// that focus and scrolling stay where they are.

import { button, el } from "../dom.ts";
import type { Participant, Room } from "../go/room.ts";
import type { Exercises } from "./data.ts";
import { drawCell, type Cell } from "./grid-cell.ts";
import { inBlocks, layOut, type Layout } from "./grid-layout.ts";
import { presenceOf } from "./presence.ts";
import { place, reconcile } from "./redraw.ts";
import { setText } from "./set-text.ts";
import { lastChange } from "./stuck.ts";

/** The orders of the rows. In each, rows with a raised hand are on top. */
export const ORDERS = {
  name: "by name",
  quiet: "longest without a change",
  passed: "fewest passed",
} as const;

export type Order = keyof typeof ORDERS;

/** The space below the grid on a screen that it fills, in px. */
const MARGIN = 12;

interface Row {
  root: HTMLTableRowElement;
  /** A mark that shows whether the participant is connected. */
  here: HTMLElement;
  name: HTMLButtonElement;
  /** How long they are away. */
  away: HTMLElement;
  passed: HTMLElement;
  cells: Cell[];
}

/** A table of the grid. Many rows are in several, side by side. */
interface Block {
  table: HTMLTableElement;
  caption: HTMLElement;
  head: HTMLTableRowElement;
  body: HTMLElement;
}

export class Grid {
  readonly root = el("div", { class: "room-grid-frame", tabindex: 0, role: "region", "aria-label": "Grid" });
  readonly #exercises: Exercises;
  readonly #onParticipant: (id: string) => void;
  readonly #blocks: Block[] = [];
  readonly #rows = new Map<string, Row>();
  #exerciseList = "";
  #layout: Layout = { blocks: 1, dense: false, row: 0 };

  /** onParticipant is called when a name is pressed. */
  constructor(exercises: Exercises, onParticipant: (id: string) => void) {
    this.#exercises = exercises;
    this.#onParticipant = onParticipant;
  }

  /** Shows a room. now is the server's time. */
  show(room: Room, now: number, order: Order): void {
    const { dense } = this.#layout;
    this.#fit(room);
    const people = sorted(room, order);
    const ids = people.map(({ id }) => id);
    const rows = reconcile(this.#rows, ids, (id) => this.#row(id, room.exercises.length));
    rows.forEach((row, i) => {
      if (dense !== this.#layout.dense) row.cells.forEach((cell) => (cell.shown = ""));
      this.#drawRow(row, people[i]!, room, now);
    });
    inBlocks(rows, this.#layout.blocks).forEach((part, i) => place(this.#blocks[i]!.body, part));
  }

  /** Lays the grid out for the room that it has on the screen. */
  #fit(room: Room): void {
    const { exercises, closed, title, participants } = room;
    if (this.#exerciseList !== exercises.join()) {
      this.#exerciseList = exercises.join(); // the rows have other cells then
      for (const { root } of this.#rows.values()) root.remove();
      this.#rows.clear();
    }
    const above = this.root.getBoundingClientRect().top + scrollY;
    // Further down on the page, the grid fits a screen to which it is scrolled.
    const height = Math.max(innerHeight - above, 0.75 * innerHeight) - MARGIN;
    this.#layout = layOut(participants.length, exercises.length, this.root.clientWidth, height);
    const { blocks, dense, row } = this.#layout;
    this.root.classList.toggle("is-dense", dense);
    this.root.classList.toggle("is-in-blocks", blocks > 1);
    this.root.style.setProperty("--columns", String(exercises.length));
    this.root.style.setProperty("--row", `${row}px`);
    while (this.#blocks.length < blocks) this.#addBlock();
    for (const { table } of this.#blocks.splice(blocks)) table.remove();
    const columns = JSON.stringify([exercises, closed]);
    this.#blocks.forEach(({ caption, head }, i) => {
      const part = blocks === 1 ? "" : `, part ${i + 1} of ${blocks}`;
      setText(caption, `Participants and exercises of ${title}${part}`);
      if (head.dataset["columns"] === columns) return;
      head.dataset["columns"] = columns;
      head.replaceChildren(el("th", { scope: "col" }, "Participant"), ...exercises.map((id) => this.#title(id, room)));
    });
  }

  #addBlock(): void {
    const [caption, head, body] = [el("caption", { class: "ots-unseen" }), el("tr", {}), el("tbody", {})];
    const table = el("table", { class: "room-grid" }, caption, el("thead", {}, head), body);
    this.#blocks.push({ table, caption, head, body });
    this.root.append(table);
  }

  #title(id: string, { closed }: Room): HTMLElement {
    const { number, title } = this.#exercises.get(id);
    return el(
      "th",
      { scope: "col" },
      number > 0 && el("span", { class: "room-number" }, `${number} `),
      el("span", { class: "room-short", title }, title),
      closed.includes(id) && el("span", { class: "room-closed" }, "closed"),
    );
  }

  #row(id: string, columns: number): Row {
    const name = button("room-person", () => this.#onParticipant(id));
    const [here, away, passed] = ["room-here", "room-away", "room-passed"].map((name) => el("span", { class: name }));
    const cells = Array.from({ length: columns }, () => ({ td: el("td", {}), shown: "" }));
    const root = el("tr", {}, el("th", { scope: "row" }, el("div", { class: "room-name-cell" }, here!, name, away!, passed!)), ...cells.map(({ td }) => td));
    return { root, here: here!, name, away: away!, passed: passed!, cells };
  }

  #drawRow(row: Row, participant: Participant, { exercises, presence: known }: Room, now: number): void {
    const { name, hand, work } = participant;
    const presence = presenceOf(participant, now);
    const { title } = this.#exercises.get(hand);
    if (row.name.dataset["shown"] !== name + hand) {
      row.name.dataset["shown"] = name + hand;
      row.name.replaceChildren(
        ...(hand === "" ? [] : [el("span", { class: "room-mark", "aria-hidden": "true" }, "hand"), " "]),
        el("bdi", {}, name),
        ...(hand === "" ? [] : [el("span", { class: "ots-unseen" }, `, hand up at ${title}`)]),
      );
      row.name.title = name;
    }
    row.root.classList.toggle("is-up", hand !== "");
    const passed = exercises.filter((id) => work[id]?.passed).length;
    const { dense } = this.#layout;
    setText(row.passed, presence.begun ? `${passed}/${exercises.length}` : dense ? "—" : "not started");
    row.here.hidden = !known;
    row.root.classList.toggle("is-away", known && !presence.connected);
    row.here.title = presence.long;
    if (row.here.textContent !== presence.long)
      row.here.replaceChildren(el("span", { class: "ots-unseen" }, presence.long));
    setText(row.away, dense ? presence.away.replace(/ (.).*/, "$1") : presence.away);
    exercises.forEach((id, i) =>
      drawCell(row.cells[i]!, work[id], { zero: this.#exercises.get(id).zero, now, raised: hand === id, dense }),
    );
  }
}

function sorted({ participants, exercises }: Room, order: Order): Participant[] {
  if (order === "name") return participants; // as the server sorts them
  const up = participants.filter(({ hand }) => hand !== "");
  const others = participants.filter(({ hand }) => hand === "");
  const passed = ({ work }: Participant) => exercises.filter((id) => work[id]?.passed).length;
  const rank =
    order === "passed" ? passed : (p: Participant) => (passed(p) === exercises.length ? Infinity : lastChange(p));
  // The sort is stable: equals stay in the order of their names.
  return [...up, ...others.sort((a, b) => rank(a) - rank(b) || 0)];
}
