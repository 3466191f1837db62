import assert from "node:assert/strict";
import { test } from "node:test";
import { retryAfter, RunnerClient, wait, type Surroundings } from "../../src/runner-client.ts";
import { event } from "../stand-in/server.ts";
import { EXERCISE, PROGRAM_REPORT, TWO_ALLOCATIONS } from "../stand-in/verdicts.ts";

function client(answers: (Response | Error)[], root = "http://127.0.0.1:8080/") {
  const requests: Request[] = [];
  const waits: number[] = [];
  const around: Surroundings = {
    root,
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
const stream = (...events: string[]) =>
  new Response(new Blob(events).stream(), {
    status: 200,
    headers: { "Content-Type": "text/event-stream; charset=utf-8" },
  });
const busy = (after: string) => json({ error: "busy" }, 503, { "Retry-After": after });

test("a check sends the files and reads the verdict", async () => {
  const { runner, requests } = client([json(TWO_ALLOCATIONS)]);
  const outcome = await runner.check("exercise6", EXERCISE.files);
  assert.deepEqual(outcome, { kind: "ok", value: TWO_ALLOCATIONS });
  assert.equal(requests[0]?.url, "http://127.0.0.1:8080/check");
  assert.equal(requests[0]?.headers.get("Content-Type"), "application/json");
  assert.deepEqual(await requests[0]?.json(), { exercise: "exercise6", files: EXERCISE.files });
});

test("a runner without Go cannot check, and says so", async () => {
  const why = "this server does not check or run programs: the go command is not on PATH";
  const { runner } = client([json({ error: why }, 501), json({ Version: "", Engine: "none", EngineReason: why })]);
  assert.deepEqual(await runner.check("exercise6", {}), { kind: "refused", message: why, unable: true });
  assert.deepEqual(await runner.version(), { kind: "unreachable", url: "http://127.0.0.1:8080/" });
});

test("a check tells its stages where the runner streams them", async () => {
  const { runner, requests } = client([
    stream(
      ": hello\n\n",
      event("queued", { position: 3 }),
      event("stage", { stage: "policy" }),
      event("stage", { stage: "build", ok: true }),
      event("stage", { stage: "lunch" }),
      event("progress", { percent: 50 }),
      "event: stage\ndata: {broken\n\n",
      event("stage", { stage: "tests", ok: false }),
      event("verdict", TWO_ALLOCATIONS),
      event("stage", { stage: "benchmark" }),
    ),
  ]);
  const got: unknown[] = [];
  const outcome = await runner.check("exercise6", EXERCISE.files, { onEvent: (e) => got.push(e) });
  assert.deepEqual(outcome, { kind: "ok", value: TWO_ALLOCATIONS });
  assert.equal(requests[0]?.headers.get("Accept"), "text/event-stream");
  assert.deepEqual(got, [
    { kind: "queued", position: 3 },
    { kind: "stage", stage: "policy", ok: true },
    { kind: "stage", stage: "build", ok: true },
    { kind: "stage", stage: "tests", ok: false },
  ]);
});

test("a stream that ends without a verdict", async () => {
  const check = (reply: Response) => client([reply]).runner.check("exercise6", {});
  const refused = (message: string) => ({ kind: "refused", message });
  assert.deepEqual(
    await check(stream(event("stage", { stage: "policy" }), event("error", { error: "the check was canceled" }))),
    refused("the check was canceled"),
  );
  assert.deepEqual(await check(stream(event("error", 1))), refused("the runner does not say why"));
  assert.deepEqual(
    await check(stream(event("stage", { stage: "policy" }))),
    refused("The answer ended before its verdict. Press Check again."),
  );
  assert.deepEqual(
    await check(stream("data: " + "x".repeat(9 << 20))),
    refused("The runner's answer is too large for this page."),
  );
  assert.equal((await check(stream(event("verdict", { schema: "other" })))).kind, "unreachable");
  const broken = new ReadableStream({ start: (c) => c.error(new TypeError("network error")) });
  const headers = { "Content-Type": "text/event-stream" };
  assert.equal((await check(new Response(broken, { headers }))).kind, "unreachable");
});

test("the steps of a program come after their picture, and an old runner answers without one", async () => {
  const picture = { schema: "checkalloc/steps/1", pending: true };
  const steps = { schema: "checkalloc/steps/1" };
  const stepped = async (...answers: Response[]) => {
    const { runner, requests } = client(answers);
    const got: unknown[] = [];
    const outcome = await runner.step("package main", { onEvent: (e) => got.push(e) });
    assert.equal(requests[0]?.headers.get("Accept"), "text/event-stream");
    assert.equal(await requests[0]?.text(), "body=package+main");
    return { outcome, got };
  };
  assert.deepEqual(
    await stepped(stream(event("queued", { position: 1 }), event("picture", picture), event("steps", steps))),
    {
      outcome: { kind: "ok", value: steps },
      got: [{ kind: "queued", position: 1 }, { kind: "picture", steps: picture }],
    },
  );
  assert.deepEqual(await stepped(json(steps)), { outcome: { kind: "ok", value: steps }, got: [] });
  assert.deepEqual((await stepped(stream(event("picture", picture)))).outcome, {
    kind: "refused",
    message: "The answer ended before its steps. Press Step again.",
  });
});

test("a check is repeated if the runner is busy, and the answer may be a stream", async () => {
  const { runner, waits } = client([busy("2"), stream(event("verdict", TWO_ALLOCATIONS))]);
  assert.equal((await runner.check("exercise6", {})).kind, "ok");
  assert.deepEqual(waits, [2]);
});

test("a stream that ends because the runner is busy is repeated, three times at most", async () => {
  const turned = (data: unknown, name = "busy") =>
    stream(": still at it\n\n", event("queued", { position: 2 }), event(name, data));
  const asked = async (...answers: Response[]) => {
    const { runner, requests, waits } = client(answers);
    const said: number[] = [];
    const outcome = await runner.check("exercise6", EXERCISE.files, { onBusy: (s) => said.push(s) });
    assert.deepEqual(said, waits);
    assert.equal(new Set(await Promise.all(requests.map((r) => r.text()))).size, 1, "each request is the same");
    return { outcome, waits, requests: requests.length };
  };
  const ok = { kind: "ok", value: TWO_ALLOCATIONS };
  const verdict = () => stream(event("verdict", TWO_ALLOCATIONS));
  const full = { seconds: 4, error: "too many requests are waiting" };
  assert.deepEqual(await asked(turned(full), verdict()), { outcome: ok, waits: [4], requests: 2 });
  // Both forms of the answer count towards the same limit.
  assert.deepEqual(await asked(turned(full), busy("2"), turned(full), verdict()), {
    outcome: ok,
    waits: [4, 2, 4],
    requests: 4,
  });
  assert.deepEqual(await asked(turned(full), turned(full), turned(full), turned(full)), {
    outcome: { kind: "refused", message: "too many requests are waiting" },
    waits: [4, 4, 4],
    requests: 4,
  });
  assert.deepEqual(await asked(busy("1"), busy("1"), busy("1"), turned({ seconds: 1 })), {
    outcome: { kind: "refused", message: "the runner is busy" },
    waits: [1, 1, 1],
    requests: 4,
  });
  for (const [data, seconds] of [
    [{ seconds: 86400 }, 30],
    [{ seconds: -1 }, 1],
    [{ seconds: "9" }, 1],
    [{}, 1],
    [null, 1],
  ] as const) {
    assert.deepEqual((await asked(turned(data), verdict())).waits, [seconds], JSON.stringify(data));
  }
  // An error is not retried, whatever its text is.
  assert.deepEqual(await asked(turned(full, "error")), {
    outcome: { kind: "refused", message: full.error },
    waits: [],
    requests: 1,
  });
});

test("a check that waits for a busy runner can be canceled", async () => {
  const stop = new AbortController();
  let asked = 0;
  const runner = new RunnerClient({
    root: "http://127.0.0.1:8080/",
    wait,
    fetch: async () => (asked++, stream(event("busy", { seconds: 30, error: "full" }))),
  });
  assert.deepEqual(await runner.check("exercise6", {}, { signal: stop.signal, onBusy: () => stop.abort() }), {
    kind: "canceled",
  });
  assert.equal(asked, 1);
});

test("sharing sends the program unchanged, and returns its URL", async () => {
  const text = (body: string, status = 200, type = "text/plain; charset=utf-8") =>
    new Response(body, { status, headers: { "Content-Type": type } });
  const { runner, requests } = client([text("kQ3_-x\n")]);
  assert.deepEqual(await runner.share("package main\n// é\n"), {
    kind: "ok",
    value: { id: "kQ3_-x", href: "http://127.0.0.1:8080/p/kQ3_-x" },
  });
  assert.equal(requests[0]?.url, "http://127.0.0.1:8080/share");
  assert.match(requests[0]?.headers.get("Content-Type") ?? "", /^text\/plain/);
  assert.equal(await requests[0]?.text(), "package main\n// é\n");

  const share = (reply: Response) => client([reply]).runner.share("x");
  const said = async (reply: Response) => {
    const outcome = await share(reply);
    return outcome.kind === "refused" ? outcome.message : outcome.kind;
  };
  assert.match(await said(json({ error: "the request is larger than 64 KiB" }, 413)), /too large/);
  assert.match(await said(text("Snippet is too large", 413)), /too large/);
  assert.match(await said(json({ error: "there is nothing at /share" }, 404)), /stores no programs/);
  assert.match(await said(text("no file", 501)), /stores no programs/);
  assert.equal(await said(text("The program did not arrive whole\n", 400)), "The program did not arrive whole");
  for (const [status, line] of [
    [429, "This runner stores up to 60 new programs a minute from one address: share again in 3 s"],
    [507, "This runner has no room for more shared programs: ask its owner to make room"],
  ] as const) {
    assert.equal(await said(text(`${line}\n`, status)), line);
  }
  assert.match(await said(json({ error: "busy" }, 503)), /busy/);
  assert.equal(await said(json({ error: "the log says why" }, 500)), "the log says why");
  // A static host knows neither the path nor the form of an id.
  assert.equal(await said(text("<h1>Not found</h1>", 404, "text/html; charset=utf-8")), "unreachable");
  assert.equal(await said(text("<h1>Welcome</h1>", 200, "text/html")), "unreachable");
  assert.equal(await said(text("")), "unreachable");
});

test("the version is requested", async () => {
  const { runner, requests } = client([json({ Version: "go1.26.8", Release: "go1.26", Name: "Go 1.26" }), json({})]);
  assert.deepEqual(await runner.version(), { kind: "ok", value: "go1.26.8 wasip1/wasm" });
  assert.equal(requests[0]?.method, "GET");
  assert.equal((await runner.version()).kind, "unreachable");
});

test("a run's tests and findings are read", async () => {
  const { runner } = client([
    json({
      Errors: "",
      Events: [{ Message: "x", Kind: "stderr", Delay: 5 }],
      Status: 1,
      IsTest: true,
      TestsFailed: 2,
      VetErrors: "./prog.go:1:1: odd\n",
    }),
    json({ Errors: "", Events: null }),
  ]);
  assert.deepEqual(await runner.compile("x"), {
    kind: "ok",
    value: {
      errors: "",
      vetErrors: "./prog.go:1:1: odd\n",
      vetOK: false,
      events: [{ message: "x", kind: "stderr", delay: 5 }],
      status: 1,
      isTest: true,
      testsFailed: 2,
    },
  });
  assert.deepEqual(await runner.compile("x"), {
    kind: "ok",
    value: { errors: "", vetErrors: "", vetOK: false, events: [], status: 0, isTest: false, testsFailed: 0 },
  });
});

test("formatting sends a form", async () => {
  const { runner, requests } = client([json({ Body: "package a\n", Error: "" })]);
  assert.deepEqual(await runner.format("package  a"), { kind: "ok", value: { body: "package a\n", error: "" } });
  assert.equal(await requests[0]?.text(), "body=package++a&imports=true");
});

test("a report is requested with a form, and absent flows are empty", async () => {
  const { runner, requests } = client([json(PROGRAM_REPORT), json({ escapes: null, errors: "" })]);
  const outcome = await runner.escape("package main");
  assert.equal(outcome.kind, "ok");
  const { escapes, errors } = outcome.kind === "ok" ? outcome.value : { escapes: [], errors: "?" };
  assert.equal(errors, "");
  assert.deepEqual(
    escapes.map((e) => [e.kind, e.flow.length]),
    [
      ["inline", 0],
      ["stays", 0],
      ["escape", 2],
      ["stays", 0],
    ],
  );
  assert.equal(requests[0]?.url, "http://127.0.0.1:8080/escape");
  assert.equal(await requests[0]?.text(), "body=package+main");
  assert.equal((await runner.escape("package main")).kind, "unreachable");
});

test("a runner's own error text is kept", async () => {
  const { runner } = client([json({ error: "the body is over 64 KiB" }, 413)]);
  assert.deepEqual(await runner.check("exercise6", {}), { kind: "refused", message: "the body is over 64 KiB" });
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
    const outcome = await client([reply]).runner.check("exercise6", {});
    assert.deepEqual(outcome, { kind: "unreachable", url: "http://127.0.0.1:8080/" });
  }
});

test("a request to a busy runner is repeated, three times at most", async () => {
  const seconds: number[] = [];
  const patient = client([busy("2"), busy("4"), json(TWO_ALLOCATIONS)]);
  const outcome = await patient.runner.check("exercise6", {}, { onBusy: (s) => seconds.push(s) });
  assert.equal(outcome.kind, "ok");
  assert.deepEqual(seconds, [2, 4]);
  assert.deepEqual(patient.waits, [2, 4]);

  const never = client([busy("1"), busy("1"), busy("1"), busy("1")]);
  assert.deepEqual(await never.runner.check("exercise6", {}), { kind: "refused", message: "busy" });
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
  assert.deepEqual(await runner.check("exercise6", {}, { signal: stop.signal }), { kind: "canceled" });
});
