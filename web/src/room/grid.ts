// The grid of a room: a row for each participant, a column for each exercise. Only what has changed is drawn again, so
// that focus and scrolling stay where they are.

import { button, el } from "../dom.ts";
import type { Participant, Room, Work } from "../go/room.ts";
import type { Exercises } from "./data.ts";
import { ago, figure, isMeasured, plural, span, stateOf, type Standing } from "./words.ts";

/** A participant who has neither passed nor changed anything for this long is shown as stuck. */
const STUCK_MS = 10 * 60_000;

/** The orders of the rows. In each, rows with a raised hand are on top. */
export const ORDERS = {
  name: "by name",
  quiet: "longest without a change",
  passed: "fewest passed",
} as const;

export type Order = keyof typeof ORDERS;

interface Cell {
  td: HTMLTableCellElement;
  shown: string;
}

interface Row {
  tr: HTMLTableRowElement;
  name: HTMLButtonElement;
  passed: HTMLElement;
  cells: Cell[];
}

export class Grid {
  readonly root: HTMLElement;
  readonly #exercises: Exercises;
  readonly #onParticipant: (id: string) => void;
  readonly #head = el("tr", {});
  readonly #body = el("tbody", {});
  readonly #caption = el("caption", { class: "ots-unseen" });
  readonly #rows = new Map<string, Row>();
  #columns = "";
  #exerciseList = "";

  /** onParticipant is called when a name is pressed. */
  constructor(exercises: Exercises, onParticipant: (id: string) => void) {
    this.#exercises = exercises;
    this.#onParticipant = onParticipant;
    const table = el("table", { class: "room-grid" }, this.#caption, el("thead", {}, this.#head), this.#body);
    this.root = el("div", { class: "room-grid-frame", tabindex: 0, role: "region", "aria-label": "Grid" }, table);
  }

  /** Shows a room. now is the server's time. */
  show(room: Room, now: number, order: Order): void {
    this.#caption.textContent = `Participants and exercises of ${room.title}`;
    this.#drawHead(room);
    const rows = sorted(room, order).map((participant) => {
      let row = this.#rows.get(participant.id);
      if (!row) this.#rows.set(participant.id, (row = this.#row(participant.id, room.exercises.length)));
      this.#drawRow(row, participant, room, now);
      return row.tr;
    });
    const present = new Set(room.participants.map(({ id }) => id));
    for (const [id, { tr }] of this.#rows) {
      if (present.has(id)) continue;
      tr.remove();
      this.#rows.delete(id);
    }
    place(this.#body, rows);
  }

  #drawHead({ exercises, closed }: Room): void {
    const columns = JSON.stringify([exercises, closed]);
    if (columns === this.#columns) return;
    if (this.#exerciseList !== exercises.join()) {
      this.#exerciseList = exercises.join(); // the rows have other cells then
      for (const { tr } of this.#rows.values()) tr.remove();
      this.#rows.clear();
    }
    this.#columns = columns;
    this.root.style.setProperty("--columns", String(exercises.length));
    this.#head.replaceChildren(
      el("th", { scope: "col" }, "Participant"),
      ...exercises.map((id) => {
        const { number, title } = this.#exercises.get(id);
        return el(
          "th",
          { scope: "col" },
          number > 0 && el("span", { class: "room-number" }, `${number} `),
          el("span", { class: "room-short", title }, title),
          closed.includes(id) && el("span", { class: "room-closed" }, "closed"),
        );
      }),
    );
  }

  #row(id: string, columns: number): Row {
    const name = button("room-person", () => this.#onParticipant(id));
    const passed = el("span", { class: "room-passed" });
    const cells = Array.from({ length: columns }, () => ({ td: el("td", {}), shown: "" }));
    const tr = el("tr", {}, el("th", { scope: "row" }, name, passed), ...cells.map(({ td }) => td));
    return { tr, name, passed, cells };
  }

  #drawRow(row: Row, { name, hand, work }: Participant, { exercises }: Room, now: number): void {
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
    row.tr.classList.toggle("is-up", hand !== "");
    const passed = exercises.filter((id) => work[id]?.passed).length;
    set(row.passed, `${passed}/${exercises.length}`);
    exercises.forEach((id, i) => drawCell(row.cells[i]!, work[id], this.#exercises.get(id).zero, now, hand === id));
  }
}

/** Puts nodes in order into a parent. Moving a node takes the focus from it, so it is given back. */
function place(parent: HTMLElement, nodes: HTMLElement[]): void {
  const focused = document.activeElement instanceof HTMLElement ? document.activeElement : null;
  nodes.forEach((node, i) => {
    if (parent.children[i] !== node) parent.insertBefore(node, parent.children[i] ?? null);
  });
  if (focused && document.activeElement !== focused && parent.contains(focused)) focused.focus({ preventScroll: true });
}

function set(node: HTMLElement, text: string): void {
  if (node.textContent !== text) node.textContent = text;
}

function sorted({ participants, exercises }: Room, order: Order): Participant[] {
  if (order === "name") return participants; // as the server sorts them
  const up = participants.filter(({ hand }) => hand !== "");
  const others = participants.filter(({ hand }) => hand === "");
  const passed = ({ work }: Participant) => exercises.filter((id) => work[id]?.passed).length;
  const changed = ({ work }: Participant) => Math.max(0, ...Object.values(work).map((w) => Date.parse(w.changed) || 0));
  const rank =
    order === "passed" ? passed : (p: Participant) => (passed(p) === exercises.length ? Infinity : changed(p));
  // The sort is stable: equals stay in the order of their names.
  return [...up, ...others.sort((a, b) => rank(a) - rank(b) || 0)];
}

const MARKS: Record<Standing, string> = {
  passed: "✓",
  grading: "…",
  checked: "…",
  failed: "!",
  refused: "✗",
  near: "",
  early: "",
  none: "",
};

function drawCell(cell: Cell, work: Work | undefined, zero: boolean, now: number, raised: boolean): void {
  const { standing, short, long } = stateOf(work);
  const changed = Date.parse(work?.changed ?? "");
  const since = work && Number.isFinite(changed) && work.attempts > 0 ? now - changed : null;
  const measured = isMeasured(work, zero) ? figure(work) : null;
  const target = measured ? ` / ${measured.shortTarget}` : "";
  const stuck = since !== null && since > STUCK_MS && standing !== "passed";
  const more = work
    ? [
        work.attempts > 0 ? `${work.attempts}×` : "",
        work.hints > 0 ? `${work.hints}?` : "",
        since === null ? "" : span(since),
      ]
        .filter((part) => part !== "")
        .join(" · ")
    : "";
  const shown = [standing, short, measured?.short, target, more, stuck, raised].join("|");
  if (cell.shown === shown) return;
  cell.shown = shown;
  cell.td.dataset["standing"] = standing;
  cell.td.classList.toggle("is-stuck", stuck);
  cell.td.classList.toggle("is-up", raised);
  if (!work || standing === "none") {
    cell.td.replaceChildren(el("span", { class: "ots-unseen" }, long));
    return;
  }
  const words = [
    long,
    measured?.long ?? "",
    work.attempts > 0 ? plural(work.attempts, "attempt") : "",
    work.hints > 0 ? plural(work.hints, "hint") : "",
    since === null ? "" : ago(since),
  ];
  const word = !measured || standing === "early" ? short : "";
  cell.td.replaceChildren(
    el(
      "span",
      { class: "room-cell", "aria-hidden": "true" },
      el(
        "span",
        { class: "room-figure" },
        MARKS[standing] !== "" && `${MARKS[standing]} `,
        word !== "" ? word : measured?.short,
        word === "" && el("small", {}, target),
        work.late && el("small", { class: "room-late" }, " late"),
      ),
      el("span", { class: "room-more" }, more),
    ),
    el("span", { class: "ots-unseen" }, words.filter((part) => part !== "").join(", ")),
  );
}
