import assert from "node:assert/strict";
import { test } from "node:test";
import type { Verdict } from "../../src/go/runner.ts";
import { JoinAddress, origin } from "../../src/room/address.ts";
import type { Participant, Work } from "../../src/go/room.ts";
import { readRoom } from "../../src/room/api.ts";
import { grouped, isCode, isToken, normalized } from "../../src/room/typed.ts";
import { progressOf } from "../../src/room/page-room.ts";
import { readSeat } from "../../src/room/seat.ts";
import { Store } from "../../src/store.ts";
import {
  ago,
  deadlineWords,
  figure,
  isMeasured,
  mistakes,
  serverClock,
  span,
  spread,
  spreadWords,
  stateOf,
  tally,
} from "../../src/room/words.ts";

const NOTHING: Work = {
  stage: "",
  allocs: 0,
  target: 0,
  live: 0,
  target_live: 0,
  mistake: "",
  hints: 0,
  test: "",
  passed: false,
  attempts: 0,
  same: 0,
  changed: "",
  best: "",
  code: "",
  last: "",
  state: "",
  late: false,
  afterEnd: false,
  of: "",
};

const checked = (more: Partial<Work>): Work => ({ ...NOTHING, attempts: 1, of: "check", ...more });

const graded = (more: Partial<Work>): Work => checked({ last: "a", state: "graded", of: "submission", ...more });

const near = (allocs: number, mistake = "") => checked({ stage: "benchmark", allocs, target: 1, mistake });

const passed = graded({ passed: true, allocs: 1, target: 1, best: "a" });

const NOBODY = { id: "", name: "", people: [], hand: "", connected: false, left: "", joined: "" };

const room = (...works: (Work | null)[]): Participant[] =>
  works.map((work, i) => ({ ...NOBODY, id: String(i), name: `P${i}`, work: work ? { exercise6: work } : {} }));

for (const [what, work, standing, long] of [
  ["nothing", undefined, "none", "not started"],
  ["work without an attempt", NOTHING, "none", "not started"],
  ["a check that does not build", checked({ stage: "build" }), "early", "does not compile"],
  ["a check that fails a test", checked({ stage: "tests" }), "early", "fails a test"],
  ["a check over the target", near(2), "near", "is over its target"],
  [
    "a check that passes in the page",
    checked({ allocs: 1, target: 1 }),
    "checked",
    "passed in the page, not handed in",
  ],
  ["a submission that waits", checked({ last: "a", state: "queued" }), "grading", "handed in, not graded yet"],
  ["a pass", passed, "passed", "passed"],
  ["a late pass", { ...passed, late: true }, "passed", "passed, after the deadline"],
  ["a pass after the room's end", { ...passed, late: true, afterEnd: true }, "passed", "passed, after the end"],
  ["a check that fails after a pass", { ...passed, stage: "build" }, "passed", "passed"],
  ["a submission that does not pass", graded({}), "refused", "handed in and graded: not passed"],
  ["one that fails a test", graded({ stage: "tests" }), "refused", "handed in and graded: it fails a test"],
  [
    "one that is over the target",
    graded({ stage: "benchmark" }),
    "refused",
    "handed in and graded: it is over its target",
  ],
  ["a check after one that does not pass", graded({ stage: "tests", of: "check" }), "early", "fails a test"],
  ["a pass in the page after one", graded({ of: "check" }), "checked", "passed in the page, not handed in"],
  [
    "a failure of the server",
    checked({ last: "a", state: "failed", stage: "tests" }),
    "failed",
    "handed in, but the server could not grade it",
  ],
] as const) {
  test(`the state of ${what}`, () => {
    const state = stateOf(work);
    assert.equal(state.standing, standing);
    assert.equal(state.long, long);
  });
}

test("figures count only if they were measured", () => {
  assert.equal(isMeasured(near(2)), true);
  assert.equal(isMeasured(checked({ stage: "build", allocs: 2, target: 1 })), false);
  // Zero of zero: a check of an exercise with the target zero, or something that was handed in without a check.
  const zero = graded({ passed: true });
  assert.equal(isMeasured(zero), false);
  assert.equal(isMeasured(zero, true), true);
  assert.equal(isMeasured(checked({ last: "a", state: "queued", of: "" }), true), false);
  // A grade of an earlier release has no figures: it is over its target, so they are not zero.
  assert.equal(isMeasured(graded({ stage: "benchmark" }), true), false);
  assert.equal(isMeasured(graded({ stage: "benchmark", allocs: 2 }), true), true);
});

test("where bytes in use have a target, they are the figure", () => {
  const over = checked({ stage: "benchmark", allocs: 1, target: 1, live: 104.2, target_live: 72 });
  const within = checked({ allocs: 1, target: 1, live: 72, target_live: 72 });
  assert.equal(figure(near(2)).long, "2 allocs/op, target 1");
  assert.equal(figure(over).long, "104 B/op stay in use, target 72");
  const class27 = room(over, within);
  assert.deepEqual(spread(class27, "exercise6"), [
    { value: 72, label: "72 B", participants: 1, reached: true },
    { value: 104.2, label: "104 B", participants: 1, reached: false },
  ]);
  assert.equal(spreadWords(class27, "exercise6"), "live B/op, target 72");
  assert.equal(spreadWords(room(near(2)), "exercise6"), "allocs/op, target 1");
});

test("the spread has a bar for each figure, and one for all great ones", () => {
  const bars = spread(room(near(2), near(2), passed, null, checked({ stage: "tests" })), "exercise6");
  assert.deepEqual(bars, [
    { value: 1, label: "1", participants: 1, reached: true },
    { value: 2, label: "2", participants: 2, reached: false },
  ]);
  const many = spread(room(...[9, 8, 7, 6, 5, 4, 3, 2].map((n) => near(n))), "exercise6");
  assert.deepEqual(
    many.map(({ label, participants }) => [label, participants]),
    [
      ["2", 1],
      ["3", 1],
      ["4", 1],
      ["5", 1],
      ["6", 1],
      ["7 or more", 3],
    ],
  );
});

test("everybody is counted once", () => {
  const all = room(passed, near(2), null, checked({ stage: "policy" }), checked({ last: "a", state: "queued" }));
  assert.deepEqual(tally(all, "exercise6"), { passed: 1, waiting: 1, near: 1, early: 1, none: 1 });
});

test("likely mistakes are counted, most first, and those who passed have none", () => {
  const all = room(near(2, "a"), near(3, "b"), near(3, "b"), { ...passed, mistake: "a" });
  assert.deepEqual(mistakes(all, "exercise6"), [
    ["b", 2],
    ["a", 1],
  ]);
});

test("spans of time", () => {
  for (const [ms, words] of [
    [-1000, "0 s"],
    [59_999, "59 s"],
    [60_000, "1 min"],
    [3_599_000, "59 min"],
    [7_200_000, "2 h"],
    [50 * 3_600_000, "2 days"],
  ] as const) {
    assert.equal(span(ms), words);
  }
  assert.equal(ago(4_000), "just now");
  assert.equal(ago(240_000), "4 min ago");
});

test("the deadline is told by the server's clock", () => {
  const at = Date.parse("2026-03-01T12:00:00Z");
  const state = readRoom({ room: "K7M2QX", exercises: [], deadline: new Date(at).toISOString() })!;
  assert.match(deadlineWords(state, at - 120_000), /, in 2 min\.$/);
  assert.match(deadlineWords(state, at + 1), /marked as late/);
  assert.equal(deadlineWords({ ...state, deadline: "" }, at), "");
  assert.equal(deadlineWords({ ...state, ended: true }, at), "The room has ended.");
  const hour = 3_600_000;
  const ahead = serverClock({ ...state, now: new Date(Date.now() + hour).toISOString() })();
  assert.ok(Math.abs(ahead - Date.now() - hour) < hour / 2);
});

test("a room of another version is read, and something else is not", () => {
  const read = readRoom({
    room: "K7M2QX",
    exercises: ["exercise6", 7],
    participants: [
      { id: "a", name: "Ada", hand: null, work: { exercise6: { stage: "tests", more: 1 }, exercise7: 3 } },
      "x",
    ],
    more: true,
  })!;
  assert.deepEqual(read.exercises, ["exercise6"]);
  assert.deepEqual(read.participants, [
    { ...NOBODY, id: "a", name: "Ada", work: { exercise6: { ...NOTHING, stage: "tests" } } },
  ]);
  for (const other of [null, [], {}, { room: 1, exercises: [] }]) assert.equal(readRoom(other), null);
});

test("codes and tokens are read as somebody types them", () => {
  assert.equal(normalized(" k7m-2qx "), "K7M2QX");
  for (const code of ["K7M2QX", "222222"]) assert.equal(isCode(code), true, code);
  for (const code of ["K7M2Q", "K7M2QX2", "K7M2Q0", "K7M2QI", "k7m2qx", ""]) assert.equal(isCode(code), false, code);
  const token = "ABCDEFGHJKLMNPQR";
  assert.equal(grouped(token), "ABCD-EFGH-JKLM-NPQR");
  assert.equal(isToken(normalized(grouped(token).toLowerCase())), true);
  assert.equal(isToken(token.slice(1)), false);
});

test("an address for participants", () => {
  assert.equal(origin("192.168.1.20:8080"), "http://192.168.1.20:8080");
  assert.equal(origin(" https://class.example.org/x "), "https://class.example.org");
  for (const typed of ["", "http://", "a b", "javascript:alert(1)"]) assert.equal(origin(typed), null, typed);
});

const memory = () => {
  const items = new Map<string, string>();
  const storage = {
    getItem: (name: string) => items.get(name) ?? null,
    setItem: (name: string, value: string) => items.set(name, value),
  };
  return new Store(storage as unknown as Storage);
};

const HERE = "http://127.0.0.1:8080/";
const LAN = "http://192.168.1.20:8080/";
const VPN = "http://10.8.0.2:8080/";
const CLASS = "https://class.example.org/";

for (const [what, root, others, given, local, choices] of [
  ["the server listens on loopback", HERE, [], false, true, []],
  ["the machine is in no network", HERE, [], false, false, []],
  ["the machine is in two networks", HERE, [LAN, VPN], false, false, [LAN, VPN]],
  ["the instructor opened the second address", VPN, [LAN, VPN], false, false, [LAN, VPN]],
  ["the server is behind a proxy", CLASS, [LAN], false, false, [CLASS, LAN]],
  ["the server is in a container", LAN, [VPN], false, false, [LAN, VPN]],
  ["the name may be known here alone", "http://vm:8080/", [LAN], false, false, [LAN, "http://vm:8080/"]],
  ["there is only such a name", "http://vm:8080/", [], false, false, []],
  ["the operator gave the address", LAN, [CLASS], true, false, [CLASS]],
] as const) {
  test(`the addresses for participants if ${what}`, () => {
    const address = new JoinAddress(memory(), root);
    assert.equal(address.site, [LAN, VPN, CLASS].includes(root) ? root : null);
    address.offer({ others: [...others], public: given, local });
    assert.deepEqual(address.choices, choices);
    assert.equal(address.site, choices[0] ?? (local ? HERE : null));
  });
}

test("a chosen address lasts as long as the networks, and the deck shows it", () => {
  const store = memory();
  const address = new JoinAddress(store, HERE);
  const sites = (...others: string[]) => ({ others, public: false, local: false });
  assert.equal(address.offer(sites(LAN, VPN)), true);
  assert.equal(address.offer(sites(LAN, VPN)), false);
  assert.equal(new JoinAddress(store, HERE).site, LAN);
  assert.equal(address.choose("10.8.0.2:8080"), "");
  assert.equal(address.site, VPN);
  assert.equal(address.choose("class.example.org"), "");
  assert.equal(address.site, "http://class.example.org/");
  assert.equal(new JoinAddress(store, HERE).site, "http://class.example.org/");
  assert.match(address.choose("a b"), /^Type a host/);
  address.offer(sites(LAN));
  assert.equal(address.site, LAN);
});

test("an address that leads each phone to itself is not projected, unless the server has no other", () => {
  const address = new JoinAddress(memory(), HERE);
  address.offer({ others: [LAN], public: false, local: false });
  for (const typed of ["localhost:8080", "127.0.0.1:8080", "127.1", "[::1]:8080", "0.0.0.0:8080", "a.localhost"]) {
    assert.match(address.choose(typed), /leads each device to itself/, typed);
    assert.equal(address.site, LAN);
  }
  const local = new JoinAddress(memory(), HERE);
  local.offer({ others: [], public: false, local: true });
  assert.equal(local.choose("localhost:8080"), "");
});

test("a place in a room that somebody else wrote is refused", () => {
  const seat = { room: "K7M2QX", title: "T", participant: "p", token: "t", name: "Ada" };
  assert.deepEqual(readSeat({ ...seat, more: 1 }), seat);
  for (const other of [null, "x", { ...seat, room: "../x" }, { ...seat, token: 1 }])
    assert.equal(readSeat(other), null);
});

const benchmark = (allocs: number, bytes: number, target = 1) => ({
  name: "B",
  n: 1,
  confirmed: 0,
  confirms: "",
  ns_per_op: 0,
  ns_samples: [],
  bytes_per_op: bytes,
  allocs_per_op: allocs,
  target_allocs: target,
  pass: allocs <= target,
  why: "",
});

const verdict = (stage: Verdict["stage"], ...benchmarks: Verdict["benchmarks"]): Verdict =>
  ({
    pass: stage === "",
    stage,
    benchmarks,
    advice: [] as Verdict["advice"],
    tests: { output: stage === "tests" ? "--- FAIL: TestA (0.00s)\n    --- FAIL: TestA/empty (0.00s)\n" : "" },
  }) as Verdict;

test("the progress names the likely mistake that the check has recognized", () => {
  const mistake = { kind: "mistake", file: "a.go", line: 0, text: "Five. Why?", command: "", mistake: "five" } as const;
  const next = { ...mistake, kind: "tests", mistake: "" } as const;
  const v = verdict("tests");
  assert.equal(progressOf({ ...v, advice: [mistake, next] }, 0).mistake, "five");
  assert.equal(progressOf({ ...v, advice: [next] }, 0).mistake, "");
});

test("the progress comes from the benchmark farthest from its target", () => {
  const v = verdict("benchmark", benchmark(2, 10, 1), benchmark(9, 10, 3), benchmark(5, 10, 5));
  const none = { allocs: 0, target: 0, live: 0, target_live: 0, mistake: "", hints: 0, test: "" };
  assert.deepEqual(progressOf(v, 2), { ...none, stage: "benchmark", allocs: 9, target: 3, hints: 2 });
  assert.deepEqual(progressOf(verdict("build"), 0), { ...none, stage: "build" });
});

test("the progress has the bytes that stay in use where they have a target", () => {
  const v = verdict("benchmark", { ...benchmark(1, 80, 1), live_bytes_per_op: 104.2, target_live_bytes: 72 });
  const { allocs, target, live, target_live } = progressOf(v, 0);
  assert.deepEqual({ allocs, target, live, target_live }, { allocs: 1, target: 1, live: 104.2, target_live: 72 });
});
