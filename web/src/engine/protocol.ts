// Messages between a page and its engine's worker.

import type { Stage } from "../go/runner.ts";
import type { Manifest } from "./manifest.ts";
import type { Fetched } from "./parts.ts";

/** A task of the engine. */
export type Task =
  | Build
  | { kind: "escape" | "format" | "step"; body: string }
  /**
   * Builds what another task would build and run, and runs nothing. The same task then takes less time. The answer is
   * the verdict on a solution as far as to its build, and null for a program.
   */
  | { kind: "build"; of: Build };

/** A task that builds a program and runs it. */
export type Build = Solution | { kind: "compile"; body: string };

/** A check of files as a solution of an exercise. */
export type Solution = { kind: "check"; exercise: string; files: Record<string, string> };

/** How a run of the compiler or the linker ended. */
export interface ToolResult {
  exit: number;
  output: Uint8Array;
  /** The limit that ended it, "" for none; "deep" is the depth of the browser's stack. */
  stop: "" | "output" | "memory" | "deep";
  /** That limit in bytes; 0 for none and for "deep". */
  limit: number;
}

/** A run of the compiler in a worker of its own: its folder, its arguments, and all files that it reads. */
export interface Compilation {
  cwd: string;
  args: string[];
  files: { name: string; bytes: Uint8Array<ArrayBuffer> }[];
}

/** Go's programs as the browser compiled them. A later worker can use them and need not compile them again. */
export type Modules = Record<"compile" | "link" | "page", WebAssembly.Module>;

export type ToEngine =
  /**
   * The first message, with the port of the sandbox. The engine's parts are in the folder; exec has been fetched
   * already. modules come from an earlier worker, or are null.
   */
  | { kind: "begin"; folder: string; manifest: Manifest; exec: Fetched; modules: Modules | null }
  /**
   * Nobody waits for the worker any more: it stores what it has fetched, fetches no more, and sends "cached" or
   * "failed" at the end.
   */
  | { kind: "leave" }
  /** The only message to a second worker, which runs the compiler once. */
  | { kind: "compile"; compiler: WebAssembly.Module; compilation: Compilation }
  /** How a compilation ended for which the first worker asked, or why there is no result. */
  | { kind: "compiled"; result: ToolResult | Error }
  /** A task. The next one follows only after the answer. */
  | { kind: "do"; task: Task }
  /** Nobody waits for the task any more, which may be over. */
  | { kind: "stop" };

/** How far the start of a worker is. */
export type Loading =
  /**
   * Parts are fetched from the network. part is what they are of the bytes of all parts, and share how much of them has
   * arrived, both from 0 to 1.
   */
  | { kind: "fetching"; share: number; part: number }
  /** All parts are there. They are compiled and started. */
  | { kind: "starting" };

export type FromEngine =
  | Loading
  /** Asks for a second worker that runs the compiler meanwhile. The answer is "compiled". */
  | { kind: "compile"; compilation: Compilation }
  /** The answer of a second worker. */
  | { kind: "compiled"; result: ToolResult | Error }
  /** The worker can do tasks. */
  | { kind: "ready"; modules: Modules }
  /**
   * The parts are in the browser's cache; or why they are not, in a sentence. fetched: some of them came from the
   * network.
   */
  | { kind: "cached"; why: string; fetched: boolean }
  /** The worker cannot go on. again: it may succeed the next time. */
  | { kind: "failed"; message: string; again: boolean }
  | { kind: "stage"; stage: Stage }
  /** The steps of a program whose allocations are still being counted, as JSON. */
  | { kind: "picture"; picture: string }
  /** The answer as JSON, as the runner gives it; or why there is none. */
  | { kind: "done"; answer: string }
  | { kind: "error"; message: string };
