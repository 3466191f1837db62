// A question that a room is asked: its text, its code and its answer, from the site's file of it, and their words.

import { colorCode } from "../color-code.ts";
import { el } from "../dom.ts";
import { BookQuestion, ChapterQuestions, type AskedFigure } from "../go/poll.ts";
import type { RoomQuestion } from "../go/room.ts";
import { read, readList } from "../json.ts";
import { fromRoot, siteRoot } from "../site-root.ts";
import { allocsPerOp, bytesPerOp } from "../verdict/words.ts";
import { barsOf, histogram, letter, type Bar } from "./histogram.ts";

const known = new Map<string, Promise<BookQuestion | null>>();

/** Returns a question by its ID; null if the site has none of it, or does not answer. */
export function loadQuestion(id: string): Promise<BookQuestion | null> {
  let question = known.get(id);
  if (!question) {
    question = fetched(`room/questions/${encodeURIComponent(id)}.json`).then((json) =>
      read(BookQuestion, json, "id", "ask", "unit"),
    );
    known.set(id, question);
    void question.then((found) => found ?? known.delete(id)); // the next one asks again
  }
  return question;
}

/** Returns the questions of the book by chapter; null if the site does not answer. */
export const loadQuestions = async (): Promise<ChapterQuestions[] | null> =>
  readList(ChapterQuestions, await fetched("room/questions.json"), "chapter", "questions");

async function fetched(path: string): Promise<unknown> {
  try {
    const reply = await fetch(siteRoot() + path);
    return reply.ok ? await reply.json() : null;
  } catch {
    return null;
  }
}

/** Returns what stands for a question that this page could not load. The projector shows it. */
export const unknownQuestion = ({ question, choices }: RoomQuestion): BookQuestion => ({
  id: question,
  page: "",
  href: "",
  ask: choices > 0 ? "The question is on the projector." : "",
  unit: choices > 0 ? "" : "as a number",
  code: [],
  choices: Array.from({ length: choices }, () => ({ text: "", why: "" })),
  right: -1,
});

/** Turns Markdown of one line, with `code` and *emphasis*, into nodes. */
export function prose(text: string): (Node | string)[] {
  return text.split(/(`[^`]+`|\*[^*\s][^*]*\*)/).map((part) => {
    if (/^`[^`]+`$/.test(part)) return el("code", {}, part.slice(1, -1));
    return /^\*[^*]+\*$/.test(part) ? el("em", {}, part.slice(1, -1)) : part;
  });
}

/** The question in Markdown, such as "How many allocs/op?" for a prediction, whose subject is in subject. */
export const asks = ({ ask, unit }: Pick<BookQuestion, "ask" | "unit">): string =>
  unit === "" ? ask : `How many ${unit}?`;

/** The subject of a prediction; "" for a question with choices, whose text names its subject. */
export const subject = ({ ask, unit }: Pick<BookQuestion, "ask" | "unit">): string => (unit === "" ? "" : ask);

/** The question and what it is about, without marks of Markdown, on one line. */
export const oneLine = (q: Pick<BookQuestion, "ask" | "unit">): string =>
  [asks(q), subject(q)].filter(Boolean).join(" ").replace(/[`*]/g, "");

/** Shows the code that a question is about, or nothing. */
export function codeOf({ code }: BookQuestion): HTMLElement[] {
  return code.map(({ name, text }, i) => {
    const source = el("code", { class: "language-go" }, text);
    colorCode(source);
    const caption = code[i - 1]?.name === name ? "" : name;
    return el("figure", { class: "poll-code" }, caption !== "" && el("figcaption", {}, caption), el("pre", { tabindex: 0 }, source));
  });
}

/** Returns the bars of a question that is closed. */
export const barsFor = (q: BookQuestion, room: RoomQuestion): Bar[] =>
  barsOf({
    counts: room.counts,
    choices: q.choices.length,
    unit: q.unit,
    mine: room.mine,
    right: isShown(room) ? rightAnswer(q) : null,
  });

const isShown = ({ state }: RoomQuestion): boolean => state === "shown" || state === "away";

const rightAnswer = (q: BookQuestion): number | null => (q.unit === "" ? q.right : (q.now?.figure ?? null));

/** Draws the answers to a question that is closed. Bars of choices have their texts. */
export const histogramOf = (q: BookQuestion, room: RoomQuestion): HTMLElement =>
  histogram(barsFor(q, room), {
    rightMark: q.unit === "" ? "right" : "measured",
    ...(q.unit === "" ? { text: ({ from }) => prose(q.choices[from]?.text ?? "") } : {}),
  });

/** Returns the answer as paragraphs; none until it is shown. */
export function answerOf(q: BookQuestion, room: RoomQuestion): HTMLElement[] {
  if (!isShown(room)) return [];
  if (q.unit === "") {
    const right = q.choices[q.right];
    if (!right) return [];
    const mine = room.mine !== undefined && room.mine !== q.right ? q.choices[room.mine] : undefined;
    return [
      el("p", {}, el("b", {}, `${letter(q.right)} is right. `), ...prose(right.why)),
      ...(mine ? [el("p", {}, el("b", {}, `Your answer, ${letter(room.mine!)}: `), ...prose(mine.why))] : []),
    ];
  }
  if (!q.now) return [];
  const words = ({ figure }: AskedFigure) => (q.unit === "B/op" ? bytesPerOp(figure) : allocsPerOp(figure));
  const now = words(q.now);
  const then = q.then && (words(q.then) === now ? "the same" : words(q.then));
  return [
    el("p", {}, el("b", {}, `Measured: ${now}`), ` with ${release(q.now)}.`),
    ...(q.then ? [el("p", {}, `With ${release(q.then)}, the release of the article, it was ${then}.`)] : []),
  ];
}

/** Returns "Go 1.26.8" for the figure of go1.26.8. */
const release = ({ go }: AskedFigure): string => go.replace(/^go(?=\d)/, "Go ");

/** A link to the place where the book asks the question; null without one. */
export const inBook = ({ href, page }: BookQuestion): HTMLElement | null =>
  href === "" ? null : el("a", { href: fromRoot(href) }, page);
