import assert from "node:assert/strict";
import { test } from "node:test";
import { childOf, untilAborted } from "../../src/engine/abort.ts";
import { Queue } from "../../src/engine/queue.ts";
import type { Session } from "../../src/engine/session.ts";
import { transition, type RunningTask, type State, type StateEvent } from "../../src/engine/state.ts";

const session = {} as Session;
const task: RunningTask = { id: 1, onEvent: undefined, settle: () => {} };

const STATES: Record<State["name"], State> = {
  stopped: { name: "stopped" },
  loading: { name: "loading", session },
  ready: { name: "ready", session },
  busy: { name: "busy", session, task },
  canceling: { name: "canceling", session, task },
};

const EVENTS: Record<StateEvent["name"], StateEvent> = {
  start: { name: "start", session },
  loaded: { name: "loaded" },
  task: { name: "task", task },
  cancel: { name: "cancel" },
  answered: { name: "answered" },
  ended: { name: "ended" },
};

/** The next state for each event. An event that is missing does not change the state. */
const NEXT: Record<State["name"], Partial<Record<StateEvent["name"], State["name"]>>> = {
  stopped: { start: "loading" },
  loading: { loaded: "ready", ended: "stopped" },
  ready: { task: "busy", ended: "stopped" },
  busy: { cancel: "canceling", answered: "ready", ended: "stopped" },
  canceling: { answered: "ready", ended: "stopped" },
};

for (const state of Object.values(STATES)) {
  test(`the events in the state ${state.name}`, () => {
    for (const event of Object.values(EVENTS)) {
      const next = transition(state, event);
      const name = NEXT[state.name][event.name];
      if (name === undefined) assert.equal(next, state, `${event.name} leaves the same object`);
      else assert.deepEqual(next, STATES[name], event.name);
    }
  });
}

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
