// What stands in front of a class: who needs help, who is there, how much time is left, and how the grid is laid out.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Participant, Room, Work } from "../../src/go/room.ts";
import { leftWords } from "../../src/room/countdown.ts";
import { failedTest } from "../../src/room/failed-test.ts";
import { inBlocks, layOut } from "../../src/room/grid-layout.ts";
import { deletesWords } from "../../src/room/ending.ts";
import { connectedWords, presenceLegend, presenceOf } from "../../src/room/presence.ts";
import { helpWords, needsHelp } from "../../src/room/stuck.ts";
import { earlyWords } from "../../src/room/tally-bar.ts";
import { partOf } from "../../src/room/words.ts";

const NOW = Date.parse("2026-11-30T12:00:00Z");
const EMPTY = { ...(Work as unknown as Work) };
const NOBODY = { ...(Participant as unknown as Participant), work: {} };

const before = (minutes: number): string => new Date(NOW - minutes * 60_000).toISOString();

const checked = (more: Partial<Work>): Work => ({
  ...EMPTY,
  attempts: 1,
  of: "check",
  changed: before(1),
  ...more,
});

const person = (id: string, work: Record<string, Work>, more: Partial<Participant> = {}): Participant => ({
  ...NOBODY,
  id,
  name: id,
  connected: true,
  joined: before(60),
  work,
  ...more,
});

const roomOf = (...participants: Participant[]): Room => ({
  ...(Room as unknown as Room),
  exercises: ["exercise6", "exercise7"],
  presence: true,
  participants,
});

const failing = (test: string, same: number) => checked({ stage: "tests", test, same });
const over = (mistake: string) => checked({ stage: "benchmark", allocs: 2, target: 1, mistake });
const passed = checked({ passed: true, state: "graded", of: "submission" });

for (const [what, people, want] of [
  ["nobody is stuck", [person("a", { exercise6: failing("TestA", 2) })], []],
  [
    "two fail the same test three times, and one another",
    [
      person("a", { exercise6: failing("TestA", 3) }),
      person("b", { exercise6: failing("TestB", 5) }),
      person("c", { exercise6: failing("TestA", 4) }),
    ],
    ["test TestA: a c", "test TestB: b"],
  ],
  ["the same test of another exercise", [person("a", { exercise7: failing("TestA", 3) })], ["test TestA: a"]],
  ["the check after it does not build", [person("a", { exercise6: checked({ stage: "build", same: 3 }) })], []],
  ["a test that is passed since", [person("a", { exercise6: { ...passed, test: "TestA", same: 3 } })], []],
  ["a mistake of one alone", [person("a", { exercise6: over("a-value") })], []],
  [
    "a mistake that two share",
    [person("a", { exercise6: over("a-value") }), person("b", { exercise6: over("a-value") })],
    ["mistake a-value: a b"],
  ],
  [
    "no change for more than ten minutes, longest first",
    [
      person("a", { exercise6: checked({ stage: "build", changed: before(11) }) }),
      person("b", { exercise6: checked({ stage: "build", changed: before(31) }) }),
      person("c", { exercise6: checked({ stage: "build", changed: before(9) }) }),
    ],
    ["quiet : b a"],
  ],
  [
    "no change, but another exercise has changed since",
    [person("a", { exercise6: checked({ changed: before(30) }), exercise7: checked({ changed: before(2) }) })],
    [],
  ],
  [
    "no change, but not connected",
    [person("a", { exercise6: checked({ changed: before(30) }) }, { connected: false, left: before(20) })],
    [],
  ],
  [
    "no change, and all is passed",
    [person("a", { exercise6: { ...passed, changed: before(30) }, exercise7: { ...passed, changed: before(30) } })],
    [],
  ],
  ["connected for long, and not begun", [person("a", {})], ["unbegun : a"]],
  ["connected just now", [person("a", {}, { joined: before(2) })], []],
  ["gone, and not begun", [person("a", {}, { connected: false })], []],
] as const) {
  test(`who needs help: ${what}`, () => {
    const groups = needsHelp(roomOf(...people), NOW);
    assert.deepEqual(
      groups.map(({ need, what, people }) => `${need} ${what}: ${people.map(({ name }) => name).join(" ")}`),
      want,
    );
  });
}

test("who needs help: quiet, where the server does not know who is connected", () => {
  const quiet = person("a", { exercise6: checked({ changed: before(30) }) }, { connected: false });
  const room = { ...roomOf(quiet), presence: false };
  assert.deepEqual(
    needsHelp(room, NOW).map(({ need }) => need),
    ["quiet"],
  );
  assert.equal(connectedWords(room), "");
  assert.equal(connectedWords({ ...room, presence: true }), "0 connected");
});

test("in a cluster, the page says that presence is unknown, and where deleted text stays", () => {
  const [alone, cluster] = [roomOf(), { ...roomOf(), presence: false }];
  assert.match(presenceLegend(alone), /^A full dot/);
  assert.match(presenceLegend(cluster), /none of them knows who is connected/);
  assert.match(deletesWords(alone), /until the server is stopped\.$/);
  assert.match(deletesWords(cluster), /NATS cluster until its operator removes it\.$/);
});

test("the projector has numbers and no names, and counts a person once", () => {
  const stuck = { exercise6: failing("TestA", 3), exercise7: failing("TestB", 3) };
  const room = roomOf(person("Ada", stuck), person("Ben", { exercise6: over("x") }), person("Chi", { exercise6: over("x") }));
  assert.equal(
    helpWords(needsHelp(room, NOW), 1),
    "1 hand up · 1 fails a test again and again · 2 share a likely mistake",
  );
  assert.equal(helpWords([], 0), "");
});

for (const [connected, left, work, long] of [
  [true, "", { exercise6: passed }, "connected"],
  [true, "", {}, "connected, not started"],
  [true, "", { exercise6: { ...EMPTY, hints: 1 } }, "connected, not started"],
  [false, before(4), { exercise6: passed }, "away for 4 min"],
  [false, before(4), {}, "away for 4 min, not started"],
  [false, "", { exercise6: passed }, "not connected"],
] as const) {
  test(`presence: ${long}`, () => {
    assert.equal(presenceOf(person("a", { ...work }, { connected, left }), NOW).long, long);
  });
}

test("the time that is left", () => {
  for (const [seconds, words] of [
    [0.4, "0:01 left"],
    [59, "0:59 left"],
    [751, "12:31 left"],
    [3599.5, "60:00 left"],
    [3600, "1 h left"],
    [7530, "2 h 5 min left"],
    [3 * 24 * 3600, "3 days left"],
  ] as const) {
    assert.equal(leftWords(seconds * 1000), words);
  }
});

test("a full class fits a projector, in blocks side by side", () => {
  for (const [rows, columns, width, height, blocks, dense] of [
    [60, 6, 1880, 880, 2, true],
    [60, 3, 1880, 880, 2, true],
    [28, 6, 1880, 920, 1, true],
    [20, 6, 1880, 400, 1, false],
    [60, 28, 1880, 880, 1, true],
    [60, 6, 984, 620, 1, true],
    [60, 2, 984, 620, 2, true],
    [90, 3, 1880, 880, 3, true],
  ] as const) {
    const layout = layOut(rows, columns, width, height);
    assert.deepEqual([layout.blocks, layout.dense], [blocks, dense], JSON.stringify([rows, columns, width, height]));
    if (blocks > 1 && rows <= 60 && height > 800)
      assert.ok(layout.row * Math.ceil(rows / blocks) + 64 <= height, "the rows are too high");
    assert.ok(layout.row >= 22, `rows of ${layout.row} px`);
  }
  assert.deepEqual(inBlocks([1, 2, 3, 4, 5], 2), [
    [1, 2, 3],
    [4, 5],
  ]);
  assert.deepEqual(inBlocks([], 1), [[]]);
});

test("the part of a bar says at which stage the code fails", () => {
  const at = (stage: string, state = "") =>
    person(stage, { exercise6: checked({ stage, state, of: state ? "submission" : "check" }) });
  const all = [at("tests"), at("tests"), at("build"), at("policy"), at("tests", "graded"), at("benchmark", "graded")];
  assert.equal(earlyWords(all, "exercise6"), "3 fail a test, 1 does not compile, 1 not allowed");
  assert.equal(earlyWords([at("build"), at("build")], "exercise6"), "2 do not compile");
  assert.equal(earlyWords([at("later", "graded")], "exercise6"), "1 not passed");
  assert.equal(earlyWords([], "exercise6"), "");
  assert.equal(partOf(all[5]!.work["exercise6"]), "near", "what is graded over its target is at the benchmark");
});

test("the first failing test, as the server finds it", () => {
  const output = [
    "=== RUN   TestA",
    "--- FAIL: TestA (0.00s)",
    "    --- FAIL: TestA/empty (0.00s)",
    "    --- FAIL: TestA/full (0.00s)",
    "--- FAIL: TestB (0.00s)",
  ];
  assert.equal(failedTest(output.join("\n")), "TestA/empty");
  assert.equal(failedTest("--- FAIL: TestA (0.00s)\n--- FAIL: TestAB (0.00s)"), "TestA");
  assert.equal(failedTest("panic: no"), "");
  assert.equal([...failedTest(`--- FAIL: Test${"😀".repeat(200)} (0.00s)`)].length, 100);
});
