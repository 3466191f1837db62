// Draws how many participants gave each answer, as bars.

import { el } from "../dom.ts";
import type { AnswerCount } from "../go/room.ts";
import { count, size } from "../verdict/words.ts";

/** A bar of the histogram: the answers from one value to another. */
export interface Bar {
  from: number;
  /** The last value of the bar; Infinity for the bar that has all greater ones. */
  to: number;
  label: string;
  participants: number;
  names: string[];
  /** Whether the right answer is in it. False until that is shown. */
  right: boolean;
  /** Whether the reader's own answer is in it. */
  mine: boolean;
}

export interface Answers {
  counts: readonly AnswerCount[];
  /** An answer is the index of one of these choices; 0 if it is a number. */
  choices: number;
  /** The unit of a number. */
  unit: string;
  /** The reader's own answer. */
  mine?: number | undefined;
  /** The index of the right choice, or the measured figure. Null until it is shown. */
  right: number | null;
}

/** The most bars for numbers. */
const MAX_BARS = 10;

/** The width of a bar is one of these, times a power of ten. */
const WIDTHS = [1, 2, 5];

export const letter = (choice: number): string => String.fromCharCode(65 + choice);

/** Writes a figure as the book does. */
export const figureText = (figure: number, unit: string): string => (unit === "B/op" ? size(figure) : count(figure));

/** Reports whether a predicted number is the measured figure, as it is shown. */
export function isMeasured(predicted: number, figure: number, unit: string): boolean {
  if (unit === "B/op") return predicted === Math.floor(figure) || predicted === Math.round(figure);
  return count(Math.abs(predicted - figure)) === "0";
}

/** Returns the bars, from the smallest answer up. Each choice has a bar, also one that nobody chose. */
export function barsOf(answers: Answers): Bar[] {
  const spans = answers.choices > 0 ? spansOfChoices(answers) : spansOfNumbers(answers);
  return spans.map(({ from, to, label, right }) => {
    const inside = answers.counts.filter(({ answer }) => from <= answer && answer <= to);
    return {
      from,
      to,
      label,
      right,
      participants: inside.reduce((sum, { participants }) => sum + participants, 0),
      names: inside.flatMap(({ names }) => names),
      mine: answers.mine !== undefined && from <= answers.mine && answers.mine <= to,
    };
  });
}

type Span = Pick<Bar, "from" | "to" | "label" | "right">;

const spansOfChoices = ({ choices, right }: Answers): Span[] =>
  Array.from({ length: choices }, (_, i) => ({ from: i, to: i, label: letter(i), right: i === right }));

function spansOfNumbers({ counts, unit, right }: Answers): Span[] {
  const given = counts.map(({ answer }) => answer);
  const isRight = (n: number) => right !== null && isMeasured(n, right, unit);
  const near = right === null ? [] : [Math.floor(right), Math.ceil(right)];
  const whole = near.filter(isRight).slice(0, 1);
  // Of a figure with a fraction no whole number may be right. It then has a bar of its own, which nobody is in.
  const fraction = whole.length === 0 ? right : null;
  const values = [...new Set([...given, ...whole])].sort((a, b) => a - b);
  const [low, high] = [values[0] ?? 0, values.at(-1) ?? -1];
  const one = (n: number): Span => ({ from: n, to: n, label: figureText(n, unit), right: isRight(n) });
  // With few values, the ones between them are shown, too: a gap is a part of the picture.
  const each = high - low < MAX_BARS ? Array.from({ length: high - low + 1 }, (_, i) => low + i) : values;
  const spans = each.length <= MAX_BARS ? each.map(one) : wideSpans(counts, low, Math.max(low, ...whole), isRight);
  if (fraction === null) return spans;
  const own: Span = { from: fraction, to: fraction, label: figureText(fraction, unit), right: true };
  const rest = spans.map((span) => ({ ...span, right: false }));
  const at = rest.findIndex(({ from }) => from > fraction);
  return at < 0 ? [...rest, own] : [...rest.slice(0, at), own, ...rest.slice(at)];
}

/** Returns bars of one width for many numbers. The last one counts all numbers that are far greater than most. */
function wideSpans(
  counts: readonly AnswerCount[],
  low: number,
  right: number,
  isRight: (n: number) => boolean,
): Span[] {
  const everybody = counts.flatMap(({ answer, participants }) => Array.from({ length: participants }, () => answer));
  const sorted = everybody.sort((a, b) => a - b);
  const most = Math.max(right, sorted[Math.floor(0.9 * (sorted.length - 1))] ?? low);
  const width = widthFor(low, most);
  const first = Math.floor(low / width) * width;
  const spans: Span[] = [];
  for (let from = first; from <= most; from += width) {
    const to = from + width - 1;
    const inside = right >= from && right <= to && isRight(right);
    spans.push({ from, to, label: width === 1 ? String(from) : `${from}–${to}`, right: inside });
  }
  const next = spans.at(-1)!.to + 1;
  if ((sorted.at(-1) ?? low) >= next) spans.push({ from: next, to: Infinity, label: `${next} or more`, right: false });
  return spans;
}

/** Returns the smallest width with which the numbers from low to high have fewer than MAX_BARS bars. */
function widthFor(low: number, high: number): number {
  for (let power = 1; ; power *= 10) {
    for (const step of WIDTHS) {
      const width = step * power;
      if (Math.floor(high / width) - Math.floor(low / width) + 1 < MAX_BARS) return width;
    }
  }
}

export interface HistogramOptions {
  /** Returns what stands below the label of a choice, or nothing. */
  text?: (bar: Bar) => (Node | string)[];
  /** The mark on the right bar: "measured" or "right". */
  rightMark: string;
}

/** Draws the bars as a list. The words and the marks say what colors and lengths do. */
export function histogram(bars: readonly Bar[], { text, rightMark }: HistogramOptions): HTMLElement {
  const most = Math.max(1, ...bars.map(({ participants }) => participants));
  return el(
    "ul",
    { class: text ? "poll-bars has-texts" : "poll-bars" },
    ...bars.map((bar) => {
      const line = el("span", { class: "poll-bar", "aria-hidden": "true" });
      line.style.inlineSize = `${(100 * bar.participants) / most}%`;
      const words = text?.(bar) ?? [];
      return el(
        "li",
        { class: [bar.right && "is-right", bar.mine && "is-mine"].filter(Boolean).join(" ") || null },
        el("span", { class: "poll-label" }, bar.label),
        words.length > 0 && el("span", { class: "poll-text" }, ...words),
        el("span", { class: "poll-track" }, line),
        el(
          "span",
          { class: "poll-count" },
          String(bar.participants),
          el("span", { class: "ots-unseen" }, bar.participants === 1 ? " participant" : " participants"),
        ),
        el(
          "span",
          { class: "poll-marks" },
          bar.right && el("span", { class: "poll-right" }, `✓ ${rightMark}`),
          bar.mine && el("span", { class: "poll-mine" }, "your answer"),
        ),
      );
    }),
  );
}
