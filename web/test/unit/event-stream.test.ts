import assert from "node:assert/strict";
import { test } from "node:test";
import { serverEvents, type ServerEvent } from "../../src/event-stream.ts";

const STREAM = [
  ": a comment, to keep the line open\n",
  "\n",
  'event: stage\ndata: {"stage":"policy"}\n\n',
  "id: 7\nretry: 100\nunknown\ndata:no space\n\n",
  "event: verdict\ndata: one\ndata:  two, with a space of its own\ndata\ndata: caf\u00e9 \u2192 \u{1F600}\n\n",
  "event: empty\n\n",
  "data: the event above has no name\n\n",
  "event: cut\ndata: never ended\n",
].join("");

const EVENTS: ServerEvent[] = [
  { name: "stage", data: '{"stage":"policy"}' },
  { name: "message", data: "no space", id: "7" },
  { name: "verdict", data: "one\n two, with a space of its own\n\ncaf\u00e9 \u2192 \u{1F600}" },
  { name: "message", data: "the event above has no name" },
];

const endings = { LF: "\n", CRLF: "\r\n", CR: "\r" };

/** Returns a body that arrives in the given chunks. */
function body(chunks: Uint8Array[], canceled = () => {}): ReadableStream<Uint8Array> {
  const left = [...chunks];
  return new ReadableStream({
    pull(controller) {
      const chunk = left.shift();
      if (chunk) controller.enqueue(chunk);
      else controller.close();
    },
    cancel: canceled,
  });
}

async function all(stream: ReadableStream<Uint8Array>, max?: number): Promise<ServerEvent[]> {
  const events: ServerEvent[] = [];
  for await (const event of serverEvents(stream, max)) events.push(event);
  return events;
}

for (const [name, end] of Object.entries(endings)) {
  const bytes = new TextEncoder().encode(STREAM.replaceAll("\n", end));

  test(`lines that end in ${name}, in one piece`, async () => {
    assert.deepEqual(await all(body([bytes])), EVENTS);
  });

  test(`lines that end in ${name}, cut anywhere`, async () => {
    for (let at = 0; at <= bytes.length; at++) {
      assert.deepEqual(await all(body([bytes.slice(0, at), bytes.slice(at)])), EVENTS, `cut at byte ${at}`);
    }
  });

  test(`lines that end in ${name}, byte by byte`, async () => {
    assert.deepEqual(await all(body([...bytes].map((b) => Uint8Array.of(b)))), EVENTS);
  });
}

test("an event comes when it ends, not when the next one begins", async () => {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  const events = serverEvents(readable);
  for (const data of ["x", "y"]) {
    void writer.write(new TextEncoder().encode(`data: ${data}\r\n\r\n`));
    assert.deepEqual(await events.next(), { value: { name: "message", data }, done: false });
  }
  await writer.close();
  assert.equal((await events.next()).done, true);
});

test("an event without an end is rejected", async () => {
  const repeated = (piece: string) => body(Array.from({ length: 200 }, () => new TextEncoder().encode(piece)));
  for (const piece of ["data: 0123456789\n", "data: 0123456789", ": 0123456789", "0123456789"]) {
    await assert.rejects(all(repeated(piece), 1000), RangeError, piece);
  }
  // The limit applies to each event, not to their sum.
  assert.equal((await all(repeated(": keep\n\ndata: 0123456789\n\n"), 1000)).length, 200);
});

test("leaving the loop cancels the stream", async () => {
  let canceled = false;
  const endless = body(Array(50).fill(new TextEncoder().encode("data: x\n\n")), () => (canceled = true));
  for await (const { data } of serverEvents(endless)) {
    assert.equal(data, "x");
    break;
  }
  assert.equal(canceled, true);
});
