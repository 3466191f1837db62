import assert from "node:assert/strict";
import { test } from "node:test";
import { retryAfter, RunnerClient, wait, type Surroundings } from "../../src/runner-client.ts";
import { EXERCISE, PROGRAM_REPORT, TWO_ALLOCATIONS } from "../stand-in/verdicts.ts";

function client(answers: (Response | Error)[], origin = "http://127.0.0.1:8080") {
  const requests: Request[] = [];
  const waits: number[] = [];
  const around: Surroundings = {
    origin,
    wait: async (s) => void waits.push(s),
    fetch: async (url, init) => {
      requests.push(new Request(url as URL, init));
      const answer = answers.shift();
      if (!answer) throw new Error("one request too many");
      if (answer instanceof Error) throw answer;
      return answer;
    },
  };
  return { runner: new RunnerClient(around), requests, waits };
}

const json = (body: unknown, status = 200, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify(body), { status, headers });
const busy = (after: string) => json({ error: "busy" }, 503, { "Retry-After": after });

test("a check sends the files and reads the verdict", async () => {
  const { runner, requests } = client([json(TWO_ALLOCATIONS)]);
  const outcome = await runner.check("exercise1", EXERCISE.files);
  assert.deepEqual(outcome, { kind: "ok", value: TWO_ALLOCATIONS });
  assert.equal(requests[0]?.url, "http://127.0.0.1:8080/check");
  assert.equal(requests[0]?.headers.get("Content-Type"), "application/json");
  assert.deepEqual(await requests[0]?.json(), { exercise: "exercise1", files: EXERCISE.files });
});

test("formatting sends a form", async () => {
  const { runner, requests } = client([json({ Body: "package a\n", Error: "" })]);
  assert.deepEqual(await runner.format("package  a"), { kind: "ok", value: { body: "package a\n", error: "" } });
  assert.equal(await requests[0]?.text(), "body=package++a&imports=true");
});

test("a report is asked for by a form, and its absent flows are empty", async () => {
  const { runner, requests } = client([json(PROGRAM_REPORT), json({ escapes: null, errors: "" })]);
  const outcome = await runner.escape("package main");
  assert.equal(outcome.kind, "ok");
  const { escapes, errors } = outcome.kind === "ok" ? outcome.value : { escapes: [], errors: "?" };
  assert.equal(errors, "");
  assert.deepEqual(escapes.map((e) => [e.kind, e.flow.length]), [["inline", 0], ["stays", 0], ["escape", 2], ["stays", 0]]);
  assert.equal(requests[0]?.url, "http://127.0.0.1:8080/escape");
  assert.equal(await requests[0]?.text(), "body=package+main");
  assert.equal((await runner.escape("package main")).kind, "unreachable");
});

test("a runner's own error text is kept", async () => {
  const { runner } = client([json({ error: "the body is over 64 KiB" }, 413)]);
  assert.deepEqual(await runner.check("exercise1", {}), { kind: "refused", message: "the body is over 64 KiB" });
});

test("whatever is not a runner is unreachable", async () => {
  const replies = [
    new TypeError("Failed to fetch"),
    new Response("<h1>Not found</h1>", { status: 404 }),
    new Response("Method Not Allowed", { status: 405 }),
    new Response("<html>", { status: 200 }),
    json({ hello: "world" }),
  ];
  for (const reply of replies) {
    const outcome = await client([reply]).runner.check("exercise1", {});
    assert.deepEqual(outcome, { kind: "unreachable", place: "http://127.0.0.1:8080" });
  }
});

test("a page from a file asks nobody", async () => {
  const { runner, requests } = client([], "file://");
  assert.deepEqual(await runner.check("exercise1", {}), { kind: "unreachable", place: "" });
  assert.equal(requests.length, 0);
});

test("a busy runner is asked again, three times at most", async () => {
  const seconds: number[] = [];
  const patient = client([busy("2"), busy("4"), json(TWO_ALLOCATIONS)]);
  const outcome = await patient.runner.check("exercise1", {}, { onBusy: (s) => seconds.push(s) });
  assert.equal(outcome.kind, "ok");
  assert.deepEqual(seconds, [2, 4]);
  assert.deepEqual(patient.waits, [2, 4]);

  const never = client([busy("1"), busy("1"), busy("1"), busy("1")]);
  assert.deepEqual(await never.runner.check("exercise1", {}), { kind: "refused", message: "busy" });
  assert.equal(never.requests.length, 4);
});

test("Retry-After is seconds or a date, and bounded", () => {
  const now = Date.parse("2026-11-21T10:00:00Z");
  assert.equal(retryAfter("5", now), 5);
  assert.equal(retryAfter("0", now), 1);
  assert.equal(retryAfter("86400", now), 30);
  assert.equal(retryAfter("Sat, 21 Nov 2026 10:00:07 GMT", now), 7);
  assert.equal(retryAfter("soon", now), 1);
});

test("a wait ends with the signal", async () => {
  const stop = new AbortController();
  const waiting = wait(60, stop.signal);
  stop.abort();
  await assert.rejects(waiting, { name: "AbortError" });
});

test("a canceled check says so", async () => {
  const stop = new AbortController();
  const { runner } = client([new DOMException("stopped", "AbortError")]);
  stop.abort();
  assert.deepEqual(await runner.check("exercise1", {}, { signal: stop.signal }), { kind: "canceled" });
});
