// The engine's worker: Go's compiler and linker, and the program that decides verdicts (tools/engine/page), over files
// in memory. Its script begins with wasm_exec.js. A reader's programs run elsewhere, in the sandbox frame.

import { readArchives } from "./archives.ts";
import { freeBuffer, joined } from "./bytes.ts";
import { SandboxClient, type SandboxResult } from "./sandbox-client.ts";
import type { SandboxLimits } from "./sandbox/protocol.ts";
import { CompileCache } from "./compile-cache.ts";
import { Disk } from "./disk.ts";
import { Download } from "./download.ts";
import { load } from "./go-program.ts";
import { LinkCache } from "./link-cache.ts";
import type { Manifest, PartName } from "./manifest.ts";
import { fetchPart, FetchError, partsToFetch, partURL, storeParts, type Fetched } from "./parts.ts";
import type { Build, Compilation, FromEngine, Modules, Task, ToEngine, ToolResult } from "./protocol.ts";
import { ProgramCompiler } from "./program-compiler.ts";
import { buffersOf, SecondCompiler } from "./second-compiler.ts";
import { ToolMemory } from "./tool-memory.ts";
import { OUT_OF_MEMORY } from "../go/engine.ts";
import type { Stage } from "../go/runner.ts";

/** The functions that the Go program of the page calls: see tools/engine/page/host.go. */
interface Host {
  manifest: string;
  archives: { path: string; file: string }[];
  write(name: string, bytes: Uint8Array<ArrayBuffer>): void;
  remove(folder: string): void;
  tool(name: "compile" | "link", cwd: string, args: string[]): Promise<ToolResult>;
  /** Runs the compiler in a second worker, with these files and archives of the standard library. */
  compileElsewhere(cwd: string, args: string[], files: Compilation["files"], archives: string[]): Promise<ToolResult>;
  /** again runs the previous program once more, which the sandbox keeps compiled. */
  run(binary: string, again: boolean, argv: string[], limits: SandboxLimits, ownClock: boolean): Promise<SandboxResult>;
  stage(name: Stage): void;
  /** The steps of a program, as JSON, before its allocations are counted. */
  picture(json: string): void;
}

/** The functions that it offers. They resolve to JSON. */
interface Page {
  check(exercise: string, files: string): Promise<string>;
  /** Checks as far as to the test binary. */
  build(exercise: string, files: string): Promise<string>;
  compile(body: string): Promise<string>;
  escape(body: string): Promise<string>;
  format(body: string): Promise<string>;
  step(body: string): Promise<string>;
  /** Frees the memory that tasks have left behind, which takes a few milliseconds. */
  collect(): void;
}

declare global {
  var onthestackHost: Host | undefined;
  var onthestackPage: Page | undefined;
}

/**
 * Limits in bytes: memory of each of Go's programs here, all files including the archives, and what a tool prints.
 */
const TOOL_MEMORY = 1 << 30;
const DISK = 512 << 20;
const TOOL_OUTPUT = 8 << 20;

/**
 * The program of the page collects garbage between tasks, and during one only when memory runs short. WebAssembly has
 * one thread: Go would otherwise collect whenever the program waits for a tool, and keep it waiting afterwards.
 */
const PAGE_ENV = { GOGC: "off", GOMEMLIMIT: "200MiB" };

/** The tools end soon, so they collect garbage only when memory runs short. */
const TOOL_ENV = { GOOS: "js", GOARCH: "wasm", GOGC: "off", GOMEMLIMIT: "600MiB", GOROOT: "", TMPDIR: "/tmp" };

/** The error for a source that trapped the page's Go program, which cannot go on after a trap. */
const TOO_MUCH =
  "This source is too much for the page: it is nested too deeply, or needs too much memory. " +
  "A server may be able to check it.";

const send = (message: FromEngine) => postMessage(message);

const disk = new Disk(DISK);
const compiles = new CompileCache(disk);
const links = new LinkCache(disk);
const memory = new ToolMemory(TOOL_MEMORY);
const programs = new ProgramCompiler();
const second = new SecondCompiler((compilation) =>
  postMessage({ kind: "compile", compilation } satisfies FromEngine, { transfer: buffersOf(compilation) }),
);
let sandbox: SandboxClient;
/** Is aborted when nobody waits for the task any more that is being done; null between tasks. */
let task: AbortController | null = null;
/** Whether the task runs nothing that it builds. */
let onlyBuilds = false;
let resolveFirst = () => {};
/** Resolves after the first task, or when nobody waits for one any more. */
const first = new Promise<void>((resolve) => (resolveFirst = resolve));

/** Fetched parts are stored after the first answer, or after this time if no task comes. */
const STORE_AFTER_MS = 3000;

/** Within this time after the first task, the browser has stored the machine code that the task has had it optimize. */
const STORED_MS = 10_000;

/** Is aborted when nobody waits for the start any more. */
const start = new AbortController();

addEventListener("message", (event: MessageEvent<ToEngine>) => {
  const message = event.data;
  switch (message.kind) {
    case "begin":
      sandbox = new SandboxClient(event.ports[0] as MessagePort);
      void begin(message);
      break;
    case "leave":
      start.abort(new Error("nobody waits for it"));
      resolveFirst();
      break;
    case "compile":
      void compileAlone(message.compiler, message.compilation);
      break;
    case "compiled":
      second.settle(message.result);
      break;
    case "do":
      void perform(message.task).then(resolveFirst);
      break;
    case "stop":
      task?.abort(new Error("stopped"));
  }
});

async function begin({ folder, manifest, exec, modules }: Extract<ToEngine, { kind: "begin" }>): Promise<void> {
  const fetched = [exec];
  const store = () => storeParts(folder, manifest, fetched);
  try {
    send(await prepare(folder, manifest, modules, fetched));
    void first.then(() => setTimeout(() => programs.end(), STORED_MS));
    // Storing tens of megabytes earlier would delay the first answer.
    await Promise.race([first, new Promise((resolve) => setTimeout(resolve, STORE_AFTER_MS))]);
    const why = await store();
    send({ kind: "cached", why, fetched: fetched.some((part) => !part.cached) });
    // The archives of the standard library are views of their part, which stays. The other parts are no longer needed.
    for (const { url, bytes } of fetched) if (!url.endsWith(manifest.parts.std.file)) freeBuffer(bytes);
  } catch (e) {
    // Without this, the next start would fetch these parts again.
    await store();
    send({ kind: "failed", message: e instanceof Error ? e.message : String(e), again: e instanceof FetchError });
  }
}

/** Fetches and starts what tasks need. Adds each part to fetched. */
async function prepare(
  folder: string, manifest: Manifest, modules: Modules | null, fetched: Fetched[],
): Promise<FromEngine> {
  const names = modules ? (["std"] as const) : (["compile", "link", "page", "std"] as const);
  const missing = await partsToFetch(folder, manifest, names);
  const download = new Download(manifest, missing, send);
  const fetchOne = async (name: PartName) => {
    const part = await fetchPart(folder, manifest.parts[name], (share) => download.got(name, share), start.signal);
    download.got(name, 1);
    fetched.push(part);
    return part;
  };
  const program = async (name: keyof Modules) => {
    if (modules) return modules[name];
    const part = manifest.parts[name];
    const ready = missing.includes(name) ? null : await programs.compile(partURL(folder, part));
    if (ready) return ready;
    const { bytes, cached } = await fetchOne(name);
    const module = (cached ? null : await programs.compile(partURL(folder, part))) ?? (await WebAssembly.compile(bytes));
    if (cached) freeBuffer(bytes);
    return module;
  };
  const compiled = [program("compile"), program("link"), program("page")] as const;
  const [compiler, linker, page, std] = await Promise.all([...compiled, fetchOne("std")]);
  start.signal.throwIfAborted();
  const archives = readArchives(std.bytes, (file, bytes) => disk.write(file, bytes));
  disk.write("/tmp/.here", new Uint8Array());
  globalThis.onthestackHost = {
    manifest: JSON.stringify(manifest),
    archives,
    write: (name, bytes) => disk.write(name, bytes),
    remove: (name) => disk.remove(name),
    tool: (name, cwd, args) =>
      unlessCanceled(() => (name === "compile" ? compile(compiler, cwd, args) : link(linker, cwd, args))),
    compileElsewhere: async (cwd, args, files, names) => {
      await compilerEnd();
      return unlessCanceled((signal) => {
        const archives = names.map((name) => ({ name, bytes: disk.read(name).slice() }));
        return second.compile({ cwd, args, files: [...files, ...archives] }, signal);
      });
    },
    run: (...args) =>
      unlessCanceled((signal) => {
        if (onlyBuilds) throw new Error("the task only builds");
        return sandbox.run(signal, disk, ...args);
      }),
    stage: (stage) => task && send({ kind: "stage", stage }),
    picture: (picture) => task && send({ kind: "picture", picture }),
  };
  await startPage(page);
  return { kind: "ready", modules: { compile: compiler, link: linker, page } };
}

/** Starts the Go program of the page, which runs until the worker ends. */
async function startPage(module: WebAssembly.Module): Promise<void> {
  const printed: string[] = [];
  const decoder = new TextDecoder();
  const print = (_: number, bytes: Uint8Array) => void printed.push(decoder.decode(bytes));
  const files = { disk: new Disk(0), cwd: "/" };
  const imports = new ToolMemory(TOOL_MEMORY).take();
  const program = await load({ module, argv: ["page"], env: PAGE_ENV, ...files, print }, () => imports);
  const running = program.go.run(program.instance);
  const ended = Promise.race([program.exit, running.then(() => program.exit)]).then((code) => {
    throw new Error(`the program of the page ended with ${code}: ${printed.join("").slice(0, 1000)}`);
  });
  // The program sets onthestackPage before it first blocks.
  await Promise.race([ended, Promise.resolve()]);
  if (!globalThis.onthestackPage) await ended;
  ended.catch(() => send({ kind: "failed", message: TOO_MUCH, again: true }));
  addEventListener("error", (event) => {
    event.preventDefault();
    send({ kind: "failed", message: TOO_MUCH, again: true });
  });
}

async function compile(module: WebAssembly.Module, cwd: string, args: string[]): Promise<ToolResult> {
  const output = compiles.restore(cwd, args);
  if (output) return { exit: 0, output, stop: "", limit: 0 };
  const ended = await tool(module, "compile", cwd, args);
  onCompilerEnd();
  if (ended.exit === 0 && ended.stop === "") compiles.add(cwd, args, ended.output);
  return ended;
}

async function link(module: WebAssembly.Module, cwd: string, args: string[]): Promise<ToolResult> {
  if (links.restore(args)) return { exit: 0, output: new Uint8Array(), stop: "", limit: 0 };
  const ended = await tool(module, "link", cwd, args);
  if (ended.exit === 0 && ended.stop === "" && ended.output.length === 0) links.add(args);
  return ended;
}

/** When the second worker zeroes its memory: not while the first one links, which it would slow down. */
const CLEAR_LATER_MS = 500;

/** When a worker that has nothing to do frees the memory of its tools, up to 160 MiB. */
const FREE_AFTER_MS = 60_000;
let freeing: ReturnType<typeof setTimeout> | undefined;

/** Is called when the compiler has run. */
let onCompilerEnd = () => {};

/**
 * Resolves when the compiler has run, or at once if it is not about to. Two compilers on two processors slow each other
 * down more than a compiler and the linker do. Only speed depends on it: a build that begins later runs beside the
 * other one.
 */
function compilerEnd(): Promise<void> {
  return new Promise((resolve) => {
    onCompilerEnd = resolve;
    setTimeout(resolve); // a timer waits while a tool runs
  });
}

/** Runs the compiler, as a second worker. The first worker waits for the answer, so an error is one too. */
async function compileAlone(compiler: WebAssembly.Module, { cwd, args, files }: Compilation): Promise<void> {
  const result = async () => {
    disk.remove(cwd);
    disk.write("/tmp/.here", new Uint8Array());
    for (const { name, bytes } of files) disk.write(name, bytes);
    return tool(compiler, "compile", cwd, args, CLEAR_LATER_MS);
  };
  send({ kind: "compiled", result: await result().catch((e: Error) => e) });
}

async function tool(
  module: WebAssembly.Module, name: string, cwd: string, args: string[], clearAfter = 0,
): Promise<ToolResult> {
  const pieces: Uint8Array[] = [];
  let left = TOOL_OUTPUT;
  const print = (_: number, bytes: Uint8Array) => {
    if (left > 0) pieces.push(bytes.slice(0, left));
    left -= bytes.length;
  };
  const program = { module, argv: [name, ...args], env: TOOL_ENV, disk, cwd, print };
  clearTimeout(freeing);
  const { go, instance, exit } = await load(program, () => memory.take());
  const running = go.run(instance);
  let completed = false;
  const stopped = (stop: ToolResult["stop"], limit = 0) => ({ exit: 2, output: new Uint8Array(), stop, limit });
  try {
    const code = await Promise.race([exit, running.then(() => exit)]);
    completed = true;
    const output = joined(pieces);
    if (left < 0) return stopped("output", TOOL_OUTPUT);
    // Go's runtime prints this line before the stacks.
    const beginning = new TextDecoder().decode(output.subarray(0, 500));
    if (code === 2 && outOfMemory.test(beginning)) return stopped("memory", TOOL_MEMORY);
    return { exit: code, output, stop: "", limit: 0 };
  } catch (e) {
    if (isTrap(e)) return stopped("deep");
    throw e;
  } finally {
    // Go's tools leave files open for the operating system to close.
    disk.closeAll();
    memory.over(completed);
    setTimeout(() => memory.clear(), clearAfter);
    freeing = setTimeout(() => memory.free(), FREE_AFTER_MS);
  }
}

const outOfMemory = new RegExp(OUT_OF_MEMORY, "m");

/**
 * Reports whether the browser ended a program. For a stack that is too deep, V8 throws a RangeError, Firefox an
 * InternalError.
 */
function isTrap(e: unknown): boolean {
  if (e instanceof WebAssembly.RuntimeError || e instanceof RangeError) return true;
  return e instanceof Error && e.name === "InternalError";
}

/** Does a step of the task, unless it was canceled. */
async function unlessCanceled<T>(step: (signal: AbortSignal) => Promise<T>): Promise<T> {
  if (!task) throw new Error("there is no task");
  task.signal.throwIfAborted();
  return step(task.signal);
}

function answerOf(page: Page, task: Exclude<Task, { kind: "build" }>): Promise<string> {
  return task.kind === "check" ? page.check(task.exercise, JSON.stringify(task.files)) : page[task.kind](task.body);
}

/** Does a task as far as to the program that it would run. Resolves to the verdict on a solution until then. */
async function built(page: Page, task: Build): Promise<string> {
  if (task.kind === "check") return page.build(task.exercise, JSON.stringify(task.files));
  await answerOf(page, task).catch((e: unknown) => {
    if (isTrap(e)) throw e;
  });
  return "null";
}

async function perform(what: Task): Promise<void> {
  task = new AbortController();
  try {
    const page = globalThis.onthestackPage;
    if (!page) throw new Error("the engine is not ready");
    onlyBuilds = what.kind === "build";
    send({ kind: "done", answer: await (what.kind === "build" ? built(page, what.of) : answerOf(page, what)) });
  } catch (e) {
    if (isTrap(e)) send({ kind: "failed", message: TOO_MUCH, again: true });
    else send({ kind: "error", message: e instanceof Error ? e.message : String(e) });
  } finally {
    task = null;
    setTimeout(() => globalThis.onthestackPage?.collect());
  }
}
