import assert from "node:assert/strict";
import { test } from "node:test";
import type { AnswerCount, Room } from "../../src/go/room.ts";
import { readRoom } from "../../src/room/api.ts";
import { barsOf, isMeasured, type Answers } from "../../src/room/histogram.ts";
import { readTyped } from "../../src/room/poll-form.ts";
import { columnsOf, linesOf } from "../../src/room/poll-projector.ts";
import { answeredWords, groupsOf } from "../../src/room/polls.ts";
import { oneLine } from "../../src/room/poll-question.ts";

const counts = (...pairs: [answer: number, participants: number][]): AnswerCount[] =>
  pairs.map(([answer, participants]) => ({ answer, participants, names: [] }));

const UNIT = "allocs/op";

/** Returns the bars as "2: 3", with "=" for the right one and "*" for the reader's own. */
const bars = (answers: Partial<Answers>) =>
  barsOf({ counts: [], choices: 0, unit: UNIT, right: null, ...answers }).map(
    (bar) => `${bar.label}: ${bar.participants}${bar.right ? " =" : ""}${bar.mine ? " *" : ""}`,
  );

test("each number has a bar, and so have the few between them", () => {
  assert.deepEqual(bars({ counts: counts([0, 1], [2, 5], [3, 1]) }), ["0: 1", "1: 0", "2: 5", "3: 1"]);
  assert.deepEqual(bars({ counts: counts([1, 4], [300, 1]) }), ["1: 4", "300: 1"]);
  assert.deepEqual(bars({}), []);
});

test("the right number is marked once it is shown, also if nobody said it", () => {
  const given = counts([1, 2], [3, 1]);
  assert.deepEqual(bars({ counts: given, right: 2, mine: 3 }), ["1: 2", "2: 0 =", "3: 1 *"]);
  assert.deepEqual(bars({ counts: given, right: 1, mine: 1 }), ["1: 2 = *", "2: 0", "3: 1"]);
  assert.deepEqual(bars({ counts: given, right: 5 }), ["1: 2", "2: 0", "3: 1", "4: 0", "5: 0 ="]);
  assert.deepEqual(bars({ right: 2 }), ["2: 0 ="]);
});

test("a figure with a fraction has a bar of its own, unless a whole number is as good", () => {
  assert.deepEqual(bars({ counts: counts([0, 1], [1, 2]), right: 0.25 }), ["0: 1", "0.25: 0 =", "1: 2"]);
  assert.deepEqual(bars({ counts: counts([0, 1], [1, 2]), right: 1.5 }), ["0: 1", "1: 2", "1.5: 0 ="]);
  assert.deepEqual(bars({ counts: counts([117, 1]), unit: "B/op", right: 117.3 }), ["117: 1 ="]);
  assert.ok(isMeasured(117, 117.3, "B/op") && isMeasured(118, 117.6, "B/op") && !isMeasured(116, 117.3, "B/op"));
  assert.ok(isMeasured(2, 2, UNIT) && !isMeasured(2, 2.5, UNIT) && !isMeasured(0, 0.1, UNIT));
});

test("many numbers share bars, and the greatest do not make the others narrow", () => {
  const given = counts(...Array.from({ length: 30 }, (_, i): [number, number] => [40 + 7 * i, 1]), [99_999, 1]);
  const wide = barsOf({ counts: given, choices: 0, unit: "B/op", right: 112, mine: 47 });
  assert.ok(wide.length <= 10, `${wide.length} bars`);
  assert.equal(wide.reduce((sum, { participants }) => sum + participants, 0), 31, "everybody is in a bar");
  assert.match(wide.at(-1)!.label, /^\d+ or more$/);
  assert.deepEqual(wide.filter(({ right }) => right).map(({ from, to }) => from <= 112 && 112 <= to), [true]);
  assert.deepEqual(wide.filter(({ mine }) => mine).map(({ from, to }) => from <= 47 && 47 <= to), [true]);
  for (const [i, bar] of wide.entries()) if (i > 0) assert.equal(bar.from, wide[i - 1]!.to + 1, "without a gap");
});

test("the bars of many numbers reach the measured figure", () => {
  const given = counts(...Array.from({ length: 20 }, (_, i): [number, number] => [i * 3, 1]));
  assert.equal(barsOf({ counts: given, choices: 0, unit: "B/op", right: 900 }).filter(({ right }) => right).length, 1);
});

test("each choice has a bar", () => {
  assert.deepEqual(bars({ choices: 3, counts: counts([1, 4]), mine: 1 }), ["A: 0", "B: 4 *", "C: 0"]);
  assert.deepEqual(bars({ choices: 3, counts: counts([1, 4], [2, 1]), right: 2 }), ["A: 0", "B: 4", "C: 1 ="]);
});

test("the names behind a bar are the ones of its answers", () => {
  const given = [
    { answer: 2, participants: 2, names: ["Ada", "Ben"] },
    { answer: 3, participants: 1, names: ["Chi"] },
  ];
  const names = barsOf({ counts: given, choices: 0, unit: UNIT, right: null }).map((bar) => bar.names);
  assert.deepEqual(names, [["Ada", "Ben"], ["Chi"]]);
});

test("a whole number of at most five digits is an answer", () => {
  const typed = ["0", " 12 ", "99999", "100000", "-1", "1.5", "", "two", "1e3"];
  assert.deepEqual(typed.map(readTyped), [0, 12, 99_999, null, null, null, null, null, null]);
});

test("the code's measures count tabs as the page shows them", () => {
  assert.equal(linesOf(["a\nb", "c"]), 3);
  assert.equal(columnsOf(["a\n\t\tbc", "ccc"]), 10);
  assert.equal(columnsOf([]), 1);
});

test("the list has the questions of the plans first", () => {
  const question = (id: string) => ({ id, page: "", ask: id, unit: "", choices: 2 });
  const chapters = [
    { chapter: "One", questions: [question("a"), question("b")] },
    { chapter: "Two", questions: [question("c")] },
  ];
  const plans = [
    { title: "Half a day", href: "", questions: ["c", "a", "gone"] },
    { title: "Another", href: "", questions: [] },
  ];
  const groups = groupsOf(chapters, plans).map(
    ([label, questions]) => `${label}: ${questions.map(({ id }) => id).join(" ")}`,
  );
  assert.deepEqual(groups, ["Plan: Half a day: c a", "One: a b", "Two: c"]);
});

test("a question in words", () => {
  const asked = { number: 1, question: "a", choices: 0, state: "open", answered: 1, counts: [] };
  assert.equal(answeredWords({ ...asked, answered: 17 }, 24), "17 of 24 have answered.");
  assert.equal(answeredWords(asked, 1), "1 of 1 has answered.");
  assert.equal(oneLine({ ask: "Which `Len` of *both*?", unit: "" }), "Which Len of both?");
  assert.equal(oneLine({ ask: "sort.Slice", unit: "B/op" }), "How many B/op? sort.Slice");
});

test("a room of an older server is asked nothing", () => {
  const room: Room = readRoom({ room: "K7M2QX", exercises: [] })!;
  assert.equal(room.question, undefined);
  assert.deepEqual(room.asked, []);
});
