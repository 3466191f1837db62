import assert from "node:assert/strict";
import { test } from "node:test";
import { VERDICT_SCHEMA } from "../../src/go/runner.ts";
import type { CheckEvent } from "../../src/responses.ts";
import { childOf, untilAborted } from "../../src/engine/abort.ts";
import { Engine, type OpenedSession } from "../../src/engine/engine.ts";
import { Download } from "../../src/engine/download.ts";
import { PARTS, type Manifest } from "../../src/engine/manifest.ts";
import { FetchError } from "../../src/engine/parts.ts";
import type { Loading, Modules, Task } from "../../src/engine/protocol.ts";
import { Queue } from "../../src/engine/queue.ts";
import type { SessionOptions } from "../../src/engine/session.ts";

const FORMATTED = { Body: "package a\n", Error: "" };

/** A session that is loaded, and whose tasks are answered, when the test says so. */
class FakeSession implements OpenedSession {
  modules: Modules | null = null;
  loading: Loading | null = null;
  onLoading: (loading: Loading) => void = () => {};
  readonly tasks: { task: Task; signal: AbortSignal; answer: (json: unknown) => void; fail: (e: Error) => void }[] = [];
  leaves = 0;
  readonly #ended = new AbortController();
  #resolve: () => void = () => {};
  readonly loaded: Promise<void>;

  constructor(readonly options: SessionOptions) {
    this.loaded = untilAborted(new Promise<void>((resolve) => (this.#resolve = resolve)), this.ended);
    this.loaded.catch(() => {});
  }
  get ended(): AbortSignal {
    return this.#ended.signal;
  }
  load(): void {
    this.modules = {} as Modules;
    this.#resolve();
  }
  do(task: Task, signal: AbortSignal): Promise<unknown> {
    const answer = new Promise((answer, fail) => this.tasks.push({ task, signal, answer, fail }));
    return untilAborted(answer, this.ended);
  }
  end(why: Error): void {
    this.modules = null;
    this.#ended.abort(why);
  }
  leave(): void {
    this.leaves++;
    this.end(new Error("nobody waits for it"));
  }
}

function engine() {
  const sessions: FakeSession[] = [];
  const opened = new Engine("/engine/", {} as Manifest, (options) => {
    const session = new FakeSession(options);
    sessions.push(session);
    return session;
  });
  return { engine: opened, sessions };
}

/** Resolves when all that can go on has gone on. */
const settled = () => new Promise((resolve) => setTimeout(resolve));

test("a request loads a session, hears of that, and is answered; the next one uses the same", async () => {
  const { engine: e, sessions } = engine();
  const events: CheckEvent[] = [];
  const shares: number[] = [];
  const first = e.format("a", { onEvent: (event) => events.push(event), onFetching: (share) => shares.push(share) });
  await settled();
  sessions[0]!.onLoading({ kind: "fetching", share: 0.5, part: 1 });
  assert.deepEqual([sessions[0]!.tasks.length, shares, events], [0, [0.5], []]);
  sessions[0]!.load();
  await settled();
  assert.deepEqual(events, [{ kind: "begun" }]);
  sessions[0]!.tasks[0]!.answer(FORMATTED);
  assert.equal((await first).kind, "ok");
  const second = e.format("b");
  await settled();
  assert.deepEqual(sessions[0]!.tasks[1]!.task, { kind: "format", body: "b" });
  sessions[0]!.tasks[1]!.answer("nonsense");
  assert.equal((await second).kind, "refused");
  assert.equal(sessions.length, 1);
});

test("a canceled request is over at once, and the next one begins when the worker is free", async () => {
  const { engine: e, sessions } = engine();
  const stop = new AbortController();
  const first = e.compile("endless", { signal: stop.signal });
  await settled();
  sessions[0]!.load();
  await settled();
  const second = e.format("b");
  stop.abort();
  assert.deepEqual(await first, { kind: "canceled" });
  assert.equal(sessions[0]!.tasks[0]!.signal.aborted, true, "the session hears of it");
  await settled();
  assert.equal(sessions[0]!.tasks.length, 1, "the worker is still at work");
  sessions[0]!.tasks[0]!.fail(new Error("stopped"));
  await settled();
  sessions[0]!.tasks[1]!.answer(FORMATTED);
  assert.equal((await second).kind, "ok");
});

test("a session that ends refuses its task with the reason, and the next request opens another", async () => {
  const { engine: e, sessions } = engine();
  const first = e.check("exercise6", {});
  await settled();
  sessions[0]!.load();
  await settled();
  sessions[0]!.end(new Error("It took longer than 40 s and was stopped."));
  const outcome = await first;
  assert.equal(outcome.kind === "refused" && outcome.message, "It took longer than 40 s and was stopped.");
  void e.format("b");
  await settled();
  assert.equal(sessions.length, 2);
});

test("parts that cannot be fetched are told from other failures", async () => {
  for (const [why, headline] of [
    [new FetchError("The connection broke off."), "Go's compiler could not be fetched"],
    [new Error("the browser ended the worker"), "This page could not finish the request"],
  ] as const) {
    const { engine: e, sessions } = engine();
    const first = e.format("a");
    await settled();
    sessions[0]!.end(why);
    assert.deepEqual(await first, { kind: "refused", message: why.message, headline });
  }
});

test("a session that loads for nobody is left, but not while another request waits", async () => {
  const { engine: e, sessions } = engine();
  const [one, other] = [new AbortController(), new AbortController()];
  const first = e.format("a", { signal: one.signal });
  const second = e.format("b", { signal: other.signal });
  await settled();
  one.abort();
  assert.deepEqual(await first, { kind: "canceled" });
  await settled();
  assert.equal(sessions[0]!.leaves, 0);
  other.abort();
  assert.deepEqual(await second, { kind: "canceled" });
  assert.deepEqual([sessions.length, sessions[0]!.leaves], [1, 1]);
});

test("when the page is left, all requests are canceled and the session ends; the page may be restored", async () => {
  const { engine: e, sessions } = engine();
  const requests = [e.format("a"), e.format("b")];
  await settled();
  sessions[0]!.load();
  await settled();
  e.leave();
  assert.deepEqual(await Promise.all(requests), [{ kind: "canceled" }, { kind: "canceled" }]);
  assert.equal(sessions[0]!.ended.aborted, true);
  const next = e.format("c");
  await settled();
  sessions[1]!.load();
  await settled();
  sessions[1]!.tasks[0]!.answer(FORMATTED);
  assert.equal((await next).kind, "ok");
});

test("a later session gets the compiled modules once the parts are cached, and not before", async () => {
  const { engine: e, sessions } = engine();
  const request = async () => {
    const answered = e.format("a");
    await settled();
    const session = sessions.at(-1)!;
    session.load();
    await settled();
    session.tasks[0]!.answer(FORMATTED);
    await answered;
    return session;
  };
  const first = await request();
  first.end(new Error("too much"));
  const second = await request();
  assert.equal(second.options.modules, null);
  const { modules } = second;
  second.options.onCached({ why: "", fetched: true });
  assert.deepEqual(await e.cacheStatus, { why: "", fetched: true });
  second.end(new Error("too much"));
  assert.equal((await request()).options.modules, modules);
});

test("a queue admits one request at a time, in order, and tells the others their positions", async () => {
  const queue = new Queue();
  const told: string[] = [];
  const ask = (name: string, signal = new AbortController().signal) =>
    queue.acquire(signal, (event) =>
      told.push(event.kind === "queued" ? `${name} ${event.position}` : `${name} ${event.kind}`),
    );
  const releaseA = await ask("a");
  const gone = new AbortController();
  const b = ask("b");
  const c = ask("c", gone.signal);
  const d = ask("d");
  assert.deepEqual(told.splice(0), ["b 1", "c 2", "d 3"]);
  gone.abort(new Error("c left"));
  await assert.rejects(c, /c left/);
  releaseA();
  const releaseB = await b;
  assert.deepEqual(told.splice(0), ["d 1", "b begun"]);
  releaseB();
  (await d)();
  assert.deepEqual(told.splice(0), ["d begun"]);
  await ask("e");
  assert.deepEqual(told, [], "nobody waits for a free slot");
});

test("a request whose signal is aborted does not take the slot", async () => {
  const queue = new Queue();
  await assert.rejects(queue.acquire(AbortSignal.abort(new Error("left"))), /left/);
  await queue.acquire(new AbortController().signal);
});

test("a child is aborted with its parent, and not the other way round", () => {
  const parent = new AbortController();
  const one = childOf(parent.signal);
  const other = childOf(parent.signal);
  one.abort();
  assert.equal(parent.signal.aborted, false);
  assert.equal(other.signal.aborted, false);
  parent.abort("left");
  assert.equal(other.signal.reason, "left");
  assert.equal(childOf(parent.signal).signal.reason, "left", "the parent may be aborted already");
  assert.equal(childOf(undefined, parent.signal).signal.reason, "left", "there may be several");
});

test("waiting ends with the promise or the signal, whichever comes first", async () => {
  const { signal } = new AbortController();
  assert.equal(await untilAborted(Promise.resolve(1), signal), 1);
  await assert.rejects(untilAborted(Promise.reject(new Error("broken")), signal), /broken/);
  const stop = new AbortController();
  const waiting = untilAborted(new Promise(() => {}), stop.signal);
  stop.abort(new Error("left"));
  await assert.rejects(waiting, /left/);
  await assert.rejects(untilAborted(new Promise(() => {}), stop.signal), /left/);
});

const BUILD = { kind: "compile", body: "package main" } as const;

test("a build ahead begins a session, and gives way to what the reader asks for", async () => {
  const { engine: e, sessions } = engine();
  const prepared = e.prepare(BUILD);
  await settled();
  const [session] = sessions;
  session!.loading = { kind: "starting" };
  session!.load();
  await settled();
  assert.deepEqual(session!.tasks[0]!.task, { kind: "build", of: BUILD });
  const events: CheckEvent[] = [];
  const request = e.format("a", { onEvent: (event) => events.push(event) });
  await settled();
  assert.equal(session!.tasks[0]!.signal.aborted, true, "the build hears that it is in the way");
  assert.deepEqual(events, [], "it is no queue");
  session!.tasks[0]!.answer(null);
  await settled();
  session!.tasks[1]!.answer(FORMATTED);
  assert.equal((await request).kind, "ok");
  await prepared;
  assert.deepEqual([sessions.length, session!.leaves], [1, 0]);
});

test("a request during the start takes over the session, and hears how far it is", async () => {
  const { engine: e, sessions } = engine();
  const prepared = e.prepare(BUILD);
  await settled();
  sessions[0]!.loading = { kind: "starting" };
  const events: CheckEvent[] = [];
  const request = e.format("a", { onEvent: (event) => events.push(event) });
  await settled();
  assert.deepEqual([sessions.length, sessions[0]!.leaves], [1, 0]);
  assert.deepEqual(events.map(({ kind }) => kind), ["begun", "starting"]);
  sessions[0]!.load();
  await settled();
  assert.deepEqual(sessions[0]!.tasks.map(({ task }) => task.kind), ["format"], "the build is given up");
  sessions[0]!.tasks[0]!.answer(FORMATTED);
  assert.equal((await request).kind, "ok");
  await prepared;
});

test("a preparation that fails is silent, and one that has a session does nothing", async () => {
  const { engine: e, sessions } = engine();
  const failing = e.prepare(BUILD);
  await settled();
  sessions[0]!.end(new Error("too old a browser"));
  await failing;
  const second = e.prepare(BUILD);
  await settled();
  await e.prepare(BUILD);
  assert.equal(sessions.length, 2);
  sessions[1]!.load();
  await settled();
  sessions[1]!.tasks[0]!.answer(null);
  await second;
});

test("a build for which nobody has asked waits for nothing, and gives way", async () => {
  const solution = (text: string) => ({ kind: "check", exercise: "exercise6", files: { "stream.go": text } }) as const;
  const { engine: e, sessions } = engine();
  const { signal } = new AbortController();
  assert.equal(await e.build(solution("a"), signal), null, "it starts no session");
  assert.equal(sessions.length, 0);
  const request = e.format("a");
  await settled();
  sessions[0]!.load();
  await settled();
  assert.equal(await e.build(solution("a"), signal), null, "the worker is at work");
  sessions[0]!.tasks[0]!.answer(FORMATTED);
  await request;
  await settled();
  const build = e.build(solution("b"), signal);
  await settled();
  assert.deepEqual(sessions[0]!.tasks[1]!.task, { kind: "build", of: solution("b") });
  sessions[0]!.tasks[1]!.answer({ schema: VERDICT_SCHEMA, stage: "tests" });
  assert.equal((await build)?.stage, "tests");
  await settled();
  const canceled = e.build(solution("c"), signal);
  await settled();
  const check = e.check("exercise6", {});
  assert.equal(await canceled, null, "a check comes first");
  assert.equal(sessions[0]!.tasks[2]!.signal.aborted, true);
  sessions[0]!.tasks[2]!.fail(new Error("stopped"));
  await settled();
  assert.equal(sessions[0]!.tasks[3]!.task.kind, "check");
  e.leave();
  assert.equal((await check).kind, "canceled");
});

test("an engine rests only if it does nothing", async () => {
  const { engine: e, sessions } = engine();
  const request = e.format("a");
  await settled();
  sessions[0]!.load();
  await settled();
  e.rest();
  assert.equal(sessions[0]!.ended.aborted, false);
  sessions[0]!.tasks[0]!.answer(FORMATTED);
  await request;
  await settled();
  e.rest();
  assert.equal(sessions[0]!.ended.aborted, true);
});

/** A manifest in which each part has a hundred bytes. */
const HUNDREDS = {
  go: "go1.26.8",
  parts: Object.fromEntries(PARTS.map((name) => [name, { file: name, size: 500, br: 100, gz: 150 }])),
} as unknown as Manifest;

for (const [what, names, arrives, want] of [
  ["nothing is fetched", [], [["std", 1]], ["starting"]],
  [
    "all but one part are there",
    ["link"],
    [["std", 1], ["link", 0.5], ["link", 0.501], ["link", 1], ["link", 1]],
    ["0 % of 0.2", "50 % of 0.2", "starting"],
  ],
  [
    "two parts arrive at the same time",
    ["compile", "std"],
    [["std", 0.5], ["compile", 1], ["std", 1]],
    ["0 % of 0.4", "25 % of 0.4", "75 % of 0.4", "starting"],
  ],
] as const) {
  test(`the start says what it does: ${what}`, () => {
    const told: string[] = [];
    const download = new Download(HUNDREDS, names, (at) =>
      told.push(at.kind === "starting" ? "starting" : `${Math.round(at.share * 100)} % of ${at.part.toFixed(1)}`),
    );
    for (const [name, share] of arrives) download.got(name, share);
    assert.deepEqual(told, want);
  });
}
