import assert from "node:assert/strict";
import { test } from "node:test";
import { HEAD, Output } from "../../src/engine/sandbox/output.ts";
import type { FromProgram } from "../../src/engine/sandbox/protocol.ts";

/** Returns what Output sends for these pieces: descriptors and texts, and the stop at the end, if any. */
function printed(limit: number, ...pieces: [number, string][]): { pieces: [number, string][]; stop: string } {
  const messages: FromProgram[] = [];
  const output = new Output(
    limit,
    () => 7n,
    (message) => messages.push(message),
  );
  for (const [descriptor, text] of pieces) output.print(descriptor, new TextEncoder().encode(text));
  output.flush();
  const all: [number, string][] = [];
  let stop = "";
  for (const message of messages) {
    if (message.kind === "ended") stop = message.stop ?? "";
    if (message.kind !== "printed") continue;
    const view = new DataView(message.packed.buffer);
    for (let at = 0; at < message.packed.length; ) {
      const length = view.getUint32(at + 9, true);
      assert.equal(view.getBigInt64(at + 1, true), 7n);
      all.push([view.getUint8(at), new TextDecoder().decode(message.packed.subarray(at + HEAD, at + HEAD + length))]);
      at += HEAD + length;
    }
  }
  return { pieces: all, stop };
}

test("output arrives in the order of each stream", () => {
  assert.deepEqual(printed(100, [1, "a"], [2, "b"], [1, ""], [1, "c"]), {
    pieces: [
      [1, "a"],
      [2, "b"],
      [1, "c"],
    ],
    stop: "",
  });
});

test("output up to the limit is kept, and one byte more ends the program", () => {
  assert.deepEqual(printed(3, [1, "ab"], [1, "c"]), {
    pieces: [
      [1, "ab"],
      [1, "c"],
    ],
    stop: "",
  });
  assert.deepEqual(printed(3, [1, "ab"], [1, "cd"]), {
    pieces: [
      [1, "ab"],
      [1, "c"],
    ],
    stop: "output",
  });
  assert.deepEqual(printed(3, [1, "abc"], [2, "d"], [2, "e"]), { pieces: [[1, "abc"]], stop: "output" });
});

test("a large piece is split", () => {
  const text = "x".repeat(100_000);
  const { pieces, stop } = printed(100_000, [1, text]);
  assert.ok(pieces.length > 1);
  assert.deepEqual([pieces.map(([, part]) => part).join(""), stop], [text, ""]);
});
