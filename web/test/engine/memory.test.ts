// The compiler and the linker of the installed release run in one memory, one after the other.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { before, test } from "node:test";
import { runInThisContext } from "node:vm";
import { Disk } from "../../src/engine/disk.ts";
import { load } from "../../src/engine/go-program.ts";
import { readManifest, type Manifest } from "../../src/engine/manifest.ts";
import { ToolMemory } from "../../src/engine/tool-memory.ts";
import { tree } from "../site/site-below.ts";

const MAXIMUM = 1 << 30;

let manifest: Manifest;
const part = (name: "compile" | "link" | "exec") => readFile(join(tree, "engine", manifest.parts[name].file));
before(async () => {
  const found = readManifest(JSON.parse(await readFile(join(tree, "engine/manifest.json"), "utf8")));
  assert.ok(found);
  manifest = found;
  runInThisContext((await part("exec")).toString());
});

/** Runs a tool. Returns its exit code, its output, and the size of the memory afterwards. */
async function run(module: WebAssembly.Module, memory: ToolMemory, disk: Disk, argv: string[]) {
  let printed = "";
  const { process, fs } = globalThis as unknown as Record<string, unknown>;
  const print = (_: number, bytes: Uint8Array) => void (printed += new TextDecoder().decode(bytes));
  const program = { module, argv, env: { GOOS: "js", GOARCH: "wasm", GOGC: "off" }, disk, cwd: "/p", print };
  let running: Promise<void>;
  let exit: Promise<number>;
  let instance: WebAssembly.Instance;
  try {
    const started = await load(program, () => memory.take());
    ({ exit, instance } = started);
    running = started.go.run(instance);
  } finally {
    // A Go program takes these globals when it begins. Node's own are restored for the test.
    Object.assign(globalThis, { process, fs });
  }
  const code = await Promise.race([exit, running.then(() => exit)]);
  disk.closeAll();
  memory.over(true);
  return { code, printed, bytes: (instance.exports["mem"] as WebAssembly.Memory).buffer.byteLength };
}

test("a second run reuses the memory, and writes the same output", async () => {
  const tools: Record<string, WebAssembly.Module> = {};
  for (const name of ["compile", "link"] as const) {
    tools[name] = await WebAssembly.compile(new Uint8Array(await part(name)));
  }
  const memory = new ToolMemory(MAXIMUM);
  const disk = new Disk(MAXIMUM);
  disk.write("/tmp/.here", new Uint8Array());
  const archive = "/p/p.a";
  disk.write("/p/p.go", new TextEncoder().encode("package p\n\nfunc F(n int) *int { return &n }\n"));
  const args = ["compile", "-p", "p", "-complete", "-o", archive, "p.go"];
  const first = await run(tools["compile"]!, memory, disk, args);
  assert.equal(first.code, 0, first.printed);
  const written = disk.read(archive).slice();
  // Another program runs in between and leaves its own bytes in the memory.
  const other = await run(tools["link"]!, memory, disk, ["link", "-V"]);
  assert.equal(other.code, 0, other.printed);
  assert.equal(other.bytes, first.bytes);
  const second = await run(tools["compile"]!, memory, disk, args);
  assert.deepEqual([second.code, second.printed], [first.code, first.printed]);
  assert.ok(Buffer.from(disk.read(archive)).equals(written), "it writes another archive");
  assert.ok(second.bytes <= first.bytes + (1 << 20), `it grew from ${first.bytes} to ${second.bytes} bytes`);
});
