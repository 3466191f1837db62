// A cell of the grid, which shows how far a participant has come with an exercise.

import { el } from "../dom.ts";
import type { Work } from "../go/room.ts";
import { STUCK_MS } from "./stuck.ts";
import { ago, figure, isMeasured, partOf, plural, shortSpan, span, stateOf, type Standing } from "./words.ts";

export interface Cell {
  td: HTMLTableCellElement;
  shown: string;
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

export interface CellOptions {
  /** Whether the exercise is known to have the target zero. */
  zero: boolean;
  now: number;
  /** Whether the participant's hand is up at the exercise. */
  raised: boolean;
  dense: boolean;
}

const allMore = ({ attempts, hints }: Work, since: number | null): string =>
  [attempts > 0 ? `${attempts}×` : "", hints > 0 ? `${hints}?` : "", since === null ? "" : span(since)]
    .filter((part) => part !== "")
    .join(" · ");

/** Returns the same in less space. The time is first, since the end may be cut off; what is usual is left out. */
const denseMore = ({ attempts, hints }: Work, since: number | null): string =>
  [since === null || since < 60_000 ? "" : shortSpan(since), attempts > 1 ? `${attempts}×` : "", hints > 0 ? `${hints}?` : ""]
    .filter((part) => part !== "")
    .join(" ");

/** Shows the work on an exercise in its cell. */
export function drawCell(cell: Cell, work: Work | undefined, { zero, now, raised, dense }: CellOptions): void {
  const { standing, short, long } = stateOf(work);
  const changed = Date.parse(work?.changed ?? "");
  const since = work && Number.isFinite(changed) && work.attempts > 0 ? now - changed : null;
  const measured = isMeasured(work, zero) ? figure(work) : null;
  const target = measured ? (dense ? `/${measured.shortTarget}` : ` / ${measured.shortTarget}`) : "";
  const stuck = since !== null && since > STUCK_MS && standing !== "passed";
  const more = work ? (dense ? denseMore(work, since) : allMore(work, since)) : "";
  const shown = [standing, short, measured?.short, target, more, stuck, raised].join("|");
  if (cell.shown === shown) return;
  cell.shown = shown;
  cell.td.dataset["standing"] = standing;
  cell.td.dataset["part"] = partOf(work);
  cell.td.classList.toggle("is-stuck", stuck);
  cell.td.classList.toggle("is-up", raised);
  if (!work || standing === "none") {
    cell.td.replaceChildren(
      more === "" ? "" : el("span", { class: "room-more", "aria-hidden": "true" }, more),
      el("span", { class: "ots-unseen" }, [long, work?.hints ? plural(work.hints, "hint") : ""].filter(Boolean).join(", ")),
    );
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
        // A word that waits needs no mark beside its strip.
        MARKS[standing] !== "" && !(dense && standing === "grading" && word !== "") && `${MARKS[standing]} `,
        word !== "" ? word : measured?.short,
        word === "" && el("small", {}, target),
        work.late && el("small", { class: "room-late" }, " late"),
      ),
      el("span", { class: "room-more" }, more),
    ),
    el("span", { class: "ots-unseen" }, words.filter((part) => part !== "").join(", ")),
  );
}
