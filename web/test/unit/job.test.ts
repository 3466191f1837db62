import assert from "node:assert/strict";
import { test } from "node:test";
import type { CheckEvent } from "../../src/responses.ts";
import { isActive, Jobs, type JobState } from "../../src/job.ts";
import type { CallOptions, Outcome } from "../../src/runner.ts";

type What = "Check" | "Format";

/** A call of a runner that is answered when the test says so. */
class Call<T> {
  options: CallOptions = {};
  answer: (outcome: Outcome<T>) => void = () => {};
  fail: (why: Error) => void = () => {};
  readonly make = (options: CallOptions): Promise<Outcome<T>> => {
    this.options = options;
    return new Promise((resolve, reject) => {
      this.answer = resolve;
      this.fail = reject;
    });
  };
  send(...events: CheckEvent[]): void {
    for (const event of events) this.options.onEvent?.(event);
  }
}

function jobs(): { jobs: Jobs<What>; seen: JobState<What>[] } {
  const seen: JobState<What>[] = [];
  return { jobs: new Jobs<What>((state) => seen.push(state)), seen };
}

test("a job goes through the states of its events and is done once its answer is shown", async () => {
  const { jobs: job, seen } = jobs();
  const call = new Call<string>();
  const shown: string[] = [];
  const over = job.start("Check", call.make, (value) => void shown.push(value));
  call.options.onBusy?.(3);
  call.send(
    { kind: "queued", position: 2 },
    { kind: "begun" },
    { kind: "fetching", share: 0.5, bytes: 2e6 },
    { kind: "fetching", share: 0.75, bytes: 2e6 },
    { kind: "starting" },
    { kind: "stage", stage: "build", ok: true },
  );
  call.answer({ kind: "ok", value: "a verdict" });
  await over;
  assert.deepEqual(seen, [
    { name: "sent", what: "Check" },
    { name: "busy", what: "Check", seconds: 3 },
    { name: "queued", what: "Check", position: 2 },
    { name: "running", what: "Check" },
    { name: "fetching", what: "Check", words: "Fetching Go's compiler, 50 % of 2.0 MB", announce: true },
    { name: "fetching", what: "Check", words: "Fetching Go's compiler, 75 % of 2.0 MB", announce: false },
    { name: "fetching", what: "Check", words: "Starting Go's compiler", announce: true },
    { name: "stage", what: "Check", stage: "build", ok: true },
    { name: "streaming", what: "Check" },
    { name: "done", what: "Check" },
  ]);
  assert.deepEqual(shown, ["a verdict"]);
  assert.deepEqual(seen.map(isActive), [...Array<boolean>(9).fill(true), false]);
});

for (const [outcome, name] of [
  [{ kind: "unreachable", url: "" }, "failed"],
  [{ kind: "refused", message: "too large" }, "failed"],
  [{ kind: "canceled" }, "stopped"],
] as const) {
  test(`an outcome "${outcome.kind}" is the state ${name}, and the next job may start`, async () => {
    const { jobs: job, seen } = jobs();
    const call = new Call<string>();
    const over = job.start("Format", call.make, () => assert.fail("there is nothing to show"));
    assert.equal(job.active, true);
    call.answer(outcome);
    await over;
    assert.equal(seen.at(-1)?.name, name);
    assert.equal(job.active, false);
    void job.start("Check", call.make, () => {});
    assert.deepEqual(seen.at(-1), { name: "sent", what: "Check" });
  });
}

test("there is one job at a time, and it can be stopped while its answer is shown", async () => {
  const { jobs: job, seen } = jobs();
  const call = new Call<string>();
  let stopped: AbortSignal | undefined;
  const over = job.start("Check", call.make, (_, signal) => {
    stopped = signal;
    return new Promise((resolve) => signal.addEventListener("abort", () => resolve()));
  });
  await job.start(
    "Format",
    () => assert.fail("a second job has started"),
    () => {},
  );
  call.answer({ kind: "ok", value: "output" });
  await Promise.resolve();
  assert.deepEqual(
    seen.map(({ name }) => name),
    ["sent", "streaming"],
  );
  call.send({ kind: "begun" });
  assert.equal(seen.length, 2, "an event after the answer is ignored");
  job.stop();
  await over;
  assert.equal(stopped?.aborted, true);
  assert.equal(seen.at(-1)?.name, "done");
});

test("events of an earlier job are ignored, except what the browser stores once nothing is under way", async () => {
  const { jobs: job, seen } = jobs();
  const [first, second] = [new Call<string>(), new Call<string>()];
  const over = job.start("Check", first.make, () => {});
  first.answer({ kind: "ok", value: "" });
  await over;
  const next = job.start("Check", second.make, () => {});
  const before = seen.length;
  first.send({ kind: "begun" }, { kind: "stored", why: "" });
  assert.equal(seen.length, before);
  second.answer({ kind: "ok", value: "" });
  await next;
  first.send({ kind: "begun" }, { kind: "stored", why: "This browser's storage is full." });
  assert.deepEqual(seen.at(-1), { name: "stored", why: "This browser's storage is full." });
});

test("a bug ends the job too, and its error is not swallowed", async () => {
  const { jobs: job } = jobs();
  const call = new Call<string>();
  const over = job.start("Check", call.make, () => {});
  call.fail(new TypeError("a bug"));
  await assert.rejects(over, /a bug/);
  assert.equal(job.state.name, "idle");
});
