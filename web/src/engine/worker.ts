// The engine's worker: Go's compiler and linker, and the program that decides verdicts (tools/engine/page), over files in memory.
// Its script begins with wasm_exec.js. A reader's programs run elsewhere, in the sandbox frame.

import { readArchives } from "./archives.ts";
import { joined, release } from "./bytes.ts";
import { SandboxClient, type SandboxResult } from "./sandbox-client.ts";
import type { SandboxLimits } from "./sandbox/protocol.ts";
import { ANY_FOLDER, layAny } from "./any-package.ts";
import { Compiled } from "./compiled.ts";
import { Disk } from "./disk.ts";
import { load } from "./go-program.ts";
import { transferOf, type Manifest, type PartName } from "./manifest.ts";
import { compiledOnce, withImportedMemory, withMaximum } from "./memory.ts";
import { fetchPart, FetchError, keepParts, type Fetched } from "./parts.ts";
import type { FromEngine, Modules, Task, ToEngine } from "./protocol.ts";
import { ToolMemory } from "./tool-memory.ts";
import type { Stage } from "../go/runner.ts";

/** How a tool ended. */
interface Ended {
  exit: number;
  output: Uint8Array;
  /** What the limit that it reached bounds, "" for none. */
  stop: "" | "output" | "memory" | "deep";
  /** That limit in bytes, 0 for none and for "deep". */
  limit: number;
}

/** What the Go program in the page calls: see tools/engine/page/host.go. */
interface Host {
  manifest: string;
  archives: { path: string; file: string }[];
  write(name: string, bytes: Uint8Array): void;
  remove(folder: string): void;
  tool(name: "compile" | "link", cwd: string, args: string[]): Promise<Ended>;
  /** again runs the previous program once more, which the sandbox keeps compiled. */
  run(binary: string, again: boolean, argv: string[], limits: SandboxLimits, ownClock: boolean): Promise<SandboxResult>;
  stage(name: Stage): void;
}

/** What it offers. Answers are JSON. */
interface Page {
  check(exercise: string, files: string): Promise<string>;
  compile(body: string): Promise<string>;
  escape(body: string): Promise<string>;
  format(body: string): Promise<string>;
}

declare global {
  var onthestackHost: Host | undefined;
  var onthestackPage: Page | undefined;
}

/** The compiler and the linker may have so much memory, and so many bytes of files, the archives included. */
const TOOL_MEMORY = 1 << 30;
const DISK = 512 << 20;
const TOOL_OUTPUT = 8 << 20;

/** They end soon: rubbish is worth collecting only where memory runs short. */
const TOOL_ENV = { GOOS: "js", GOARCH: "wasm", GOGC: "off", GOMEMLIMIT: "600MiB", GOROOT: "", TMPDIR: "/tmp" };

/** What a source is answered that brought the page's program down: a trap leaves it in no state to go on. */
const TOO_MUCH = "This source is too much for the page: it nests too deep, or needs too much memory. A server or the clone may manage.";

const send = (message: FromEngine) => postMessage(message);

const disk = new Disk(DISK);
const compiled = new Compiled(disk);
const memory = new ToolMemory(TOOL_MEMORY);
let sandbox: SandboxClient;
/** The task under way, and the last that nobody waits for any more. */
let under: number | null = null;
let unwanted = 0;
/** What is done comes one after the other, also where the page has turned to the next. */
let last = Promise.resolve();
let firstDone = () => {};
const first = new Promise<void>((resolve) => (firstDone = resolve));

/** What was fetched is kept after the first answer, or after so long without a question. */
const KEEP_AFTER_MS = 3000;

/** Aborted when nobody waits for the start any more. */
const left = new AbortController();

addEventListener("message", (event: MessageEvent<ToEngine>) => {
  const message = event.data;
  switch (message.kind) {
    case "begin":
      sandbox = new SandboxClient(event.ports[0] as MessagePort);
      void begin(message);
      break;
    case "leave":
      left.abort(new Error("nobody waits for it"));
      firstDone();
      break;
    case "warm":
      void warm(message.compiler);
      break;
    case "do":
      last = last.then(() => perform(message.id, message.task));
      void last.then(firstDone);
      break;
    case "stop":
      unwanted = message.id;
      if (under === message.id) sandbox.stop();
  }
});

async function begin({ folder, manifest, exec, modules }: Extract<ToEngine, { kind: "begin" }>): Promise<void> {
  const fetched = [exec];
  const keep = () => keepParts(folder, manifest, fetched);
  try {
    send(await prepare(folder, manifest, modules, fetched));
    // Writing tens of megabytes would have the first answer wait, which somebody waits for.
    await Promise.race([first, new Promise((resolve) => setTimeout(resolve, KEEP_AFTER_MS))]);
    const why = await keep();
    send({ kind: "kept", why, fetched: fetched.some((part) => !part.kept) });
    // The archives of the standard library are files of the tools from now on. The rest is needed no more.
    for (const { url, bytes } of fetched) if (!url.endsWith(manifest.parts.std.file)) release(bytes);
  } catch (e) {
    // What has come is not to be fetched again.
    await keep();
    send({ kind: "failed", message: e instanceof Error ? e.message : String(e), again: e instanceof FetchError });
  }
}

/** Makes ready what tasks need. Each part that is fetched for that is added to fetched. */
async function prepare(folder: string, manifest: Manifest, modules: Modules | null, fetched: Fetched[]): Promise<FromEngine> {
  const shares: Partial<Record<PartName, number>> = {};
  const names = ["compile", "link", "page", "std"] as const;
  // One part of all is much like another: how each is sent is not known here.
  const weight = (name: PartName) => transferOf(manifest.parts[name], "br");
  const total = names.reduce((sum, name) => sum + weight(name), 0);
  let said = 0;
  const fetchOne = async (name: PartName) => {
    const got = (share: number) => {
      shares[name] = share;
      const all = names.reduce((sum, n) => sum + (shares[n] ?? 0) * weight(n), 0) / total;
      // The page draws this.
      if (all - said < 0.005 && all < 1) return;
      said = all;
      send({ kind: "fetching", share: all });
    };
    const part = await fetchPart(folder, manifest.parts[name], got, left.signal);
    fetched.push(part);
    return part;
  };
  const program = async (name: keyof Modules) => {
    if (modules) return modules[name];
    const { bytes, kept } = await fetchOne(name);
    const bounded = (name === "page" ? null : withImportedMemory(bytes, TOOL_MEMORY)) ?? withMaximum(bytes, TOOL_MEMORY);
    if (!bounded) throw new FetchError(`${manifest.parts[name].file} is no program: build the site again`);
    const module = await compiledOnce(bounded);
    if (kept) release(bytes);
    if (name === "compile") send({ kind: "compiler", module });
    return module;
  };
  const [compiler, linker, page, std] = await Promise.all([program("compile"), program("link"), program("page"), fetchOne("std")]);
  left.signal.throwIfAborted();
  const archives = readArchives(std.bytes, (file, bytes) => disk.write(file, bytes));
  disk.write("/tmp/.here", new Uint8Array());
  const tools = { compile: compiler, link: linker };
  globalThis.onthestackHost = {
    manifest: JSON.stringify(manifest),
    archives,
    write: (name, bytes) => disk.write(name, bytes),
    remove: (name) => disk.remove(name),
    tool: (name, cwd, args) => wanted(() => (name === "compile" ? compile(tools.compile, cwd, args) : tool(tools.link, name, cwd, args))),
    run: (...args) => wanted(() => sandbox.run(disk, ...args)),
    stage: (stage) => under !== null && send({ kind: "stage", id: under, stage }),
  };
  await startPage(page);
  return { kind: "ready", modules: { ...tools, page } };
}

/** Starts the Go program of the page, which stays. */
async function startPage(module: WebAssembly.Module): Promise<void> {
  const printed: string[] = [];
  const decoder = new TextDecoder();
  const program = await load(
    { module, argv: ["page"], env: { GOGC: "200" }, disk: new Disk(0), cwd: "/", print: (_, bytes) => void printed.push(decoder.decode(bytes)) },
    () => ({}),
  );
  const running = program.go.run(program.instance);
  const ended = Promise.race([program.exit, running.then(() => program.exit)]).then((code) => {
    throw new Error(`the program of the page ended with ${code}: ${printed.join("").slice(0, 1000)}`);
  });
  // It sets the global before it first waits.
  await Promise.race([ended, Promise.resolve()]);
  if (!globalThis.onthestackPage) await ended;
  ended.catch(() => send({ kind: "failed", message: TOO_MUCH, again: true }));
  addEventListener("error", (event) => {
    event.preventDefault();
    send({ kind: "failed", message: TOO_MUCH, again: true });
  });
}

async function compile(module: WebAssembly.Module, cwd: string, args: string[]): Promise<Ended> {
  const output = compiled.again(cwd, args);
  if (output) return { exit: 0, output, stop: "", limit: 0 };
  const ended = await tool(module, "compile", cwd, args);
  if (ended.exit === 0 && ended.stop === "") compiled.keep(cwd, args, ended.output);
  return ended;
}

/** Runs the compiler once in vain. */
async function warm(compiler: WebAssembly.Module): Promise<void> {
  disk.write("/tmp/.here", new Uint8Array());
  // If it fails, so does the first answer, and says why.
  await tool(compiler, "compile", ANY_FOLDER, layAny(disk)).catch(() => {});
  send({ kind: "warmed" });
}

async function tool(module: WebAssembly.Module, name: string, cwd: string, args: string[]): Promise<Ended> {
  const pieces: Uint8Array[] = [];
  let left = TOOL_OUTPUT;
  const print = (_: number, bytes: Uint8Array) => {
    if (left > 0) pieces.push(bytes.slice(0, left));
    left -= bytes.length;
  };
  const { go, instance, exit } = await load({ module, argv: [name, ...args], env: TOOL_ENV, disk, cwd, print }, () => memory.take(module));
  const running = go.run(instance);
  let whole = false;
  const stopped = (stop: Ended["stop"], limit = 0): Ended => ({ exit: 2, output: new Uint8Array(), stop, limit });
  try {
    const code = await Promise.race([exit, running.then(() => exit)]);
    whole = true;
    const output = joined(pieces);
    if (left < 0) return stopped("output", TOOL_OUTPUT);
    // Go's runtime says so before it says where.
    if (code === 2 && OUT_OF_MEMORY.test(new TextDecoder().decode(output.subarray(0, 500)))) return stopped("memory", TOOL_MEMORY);
    return { exit: code, output, stop: "", limit: 0 };
  } catch (e) {
    if (isTrap(e)) return stopped("deep");
    throw e;
  } finally {
    // Go's tools leave that to the operating system.
    disk.closeAll();
    memory.over(whole);
    setTimeout(() => memory.clear());
  }
}

const OUT_OF_MEMORY = /^(runtime: out of memory|fatal error: (runtime: )?out of memory|fatal error: runtime: cannot allocate memory)/m;

/** Whether a program was ended by the browser: V8 and Firefox name deep recursion differently. */
function isTrap(e: unknown): boolean {
  return e instanceof WebAssembly.RuntimeError || e instanceof RangeError || (e instanceof Error && e.name === "InternalError");
}

/** Does a step of the task, unless nobody waits for it. */
function wanted<T>(step: () => Promise<T>): Promise<T> {
  return under === unwanted ? Promise.reject(new Error("stopped")) : step();
}

async function perform(id: number, task: Task): Promise<void> {
  under = id;
  try {
    const page = globalThis.onthestackPage;
    if (!page) throw new Error("the engine is not ready");
    const answer = await (task.kind === "check" ? page.check(task.exercise, JSON.stringify(task.files)) : page[task.kind](task.body));
    send({ kind: "done", id, answer });
  } catch (e) {
    if (isTrap(e)) send({ kind: "failed", message: TOO_MUCH, again: true });
    else send({ kind: "error", id, message: e instanceof Error ? e.message : String(e) });
  } finally {
    under = null;
  }
}
