import assert from "node:assert/strict";
import { test } from "node:test";
import { compiledOnce, withMaximum } from "../../src/engine/memory.ts";
import { ToolMemory } from "../../src/engine/tool-memory.ts";

const HEADER = [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0];
const CUSTOM = [0, 3, 1, 0x78, 7];
const EXPORT = [7, 7, 1, 3, 0x6d, 0x65, 0x6d, 2, 0];

const module = (...memory: number[]) => new Uint8Array([...HEADER, ...CUSTOM, 5, memory.length, ...memory, ...EXPORT]);

async function memoryOf(bytes: Uint8Array): Promise<WebAssembly.Memory> {
  const { instance } = await WebAssembly.instantiate(bytes as BufferSource & Uint8Array<ArrayBuffer>);
  return instance.exports["mem"] as WebAssembly.Memory;
}

test("a memory without a maximum gets one", async () => {
  const bounded = withMaximum(module(1, 0, 2), 4 * 65536);
  assert.ok(bounded);
  const memory = await memoryOf(bounded);
  assert.equal(memory.buffer.byteLength, 2 * 65536);
  memory.grow(2);
  assert.throws(() => memory.grow(1), RangeError);
});

test("a maximum takes the place of a larger one, and numbers of several bytes are written", async () => {
  const bounded = withMaximum(module(1, 1, 3, 0xff, 0x7f), 300 * 65536);
  assert.ok(bounded);
  const memory = await memoryOf(bounded);
  memory.grow(297);
  assert.throws(() => memory.grow(1), RangeError);
});

test("a program whose variables exceed the limit gets what it needs, and no more", async () => {
  const bounded = withMaximum(module(1, 0, 5), 65536);
  assert.ok(bounded);
  const memory = await memoryOf(bounded);
  assert.equal(memory.buffer.byteLength, 5 * 65536);
  assert.throws(() => memory.grow(1), RangeError);
});

test("a module without its own memory, or that is cut off, is refused", () => {
  assert.equal(withMaximum(new Uint8Array([...HEADER, ...CUSTOM]), 65536), null);
  assert.equal(withMaximum(new Uint8Array(HEADER), 65536), null);
  assert.equal(withMaximum(new Uint8Array([1, 2, 3]), 65536), null);
  assert.equal(withMaximum(module(2, 0, 1, 0, 1), 65536), null);
});

test("memory is zeroed for each run, and is not reused if it has grown large or a run was aborted", async () => {
  const tools = new ToolMemory(1 << 30);
  const take = () => (tools.take()["onthestack"] as Record<string, WebAssembly.Memory>)["memory"]!;
  const first = take();
  new Uint8Array(first.buffer).fill(7, 5, 900_000);
  first.grow(10);
  new Uint8Array(first.buffer).fill(7, first.buffer.byteLength - 5);
  tools.over(true);
  const second = take();
  assert.equal(second, first);
  assert.ok(new Uint8Array(second.buffer).every((byte) => byte === 0));
  tools.over(false);
  const third = take();
  assert.notEqual(third, first);
  third.grow(4000);
  tools.over(true);
  const fourth = take();
  assert.notEqual(fourth, third);
  tools.over(true);
  assert.equal(take(), fourth);
  tools.over(true);
  tools.free();
  assert.notEqual(take(), fourth);
});

test("the bytes of a compiled module are released", async () => {
  const bytes = withMaximum(module(1, 0, 2), 4 * 65536)!;
  const { exports } = await WebAssembly.instantiate(await compiledOnce(bytes));
  assert.equal((exports["mem"] as WebAssembly.Memory).buffer.byteLength, 2 * 65536);
  assert.equal(bytes.length, 0);
  // The module's bytes have been released already.
  await assert.rejects(compiledOnce(new Uint8Array()));
});
