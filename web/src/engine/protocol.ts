// What goes between a page and its engine's worker.

import type { Stage } from "../go/runner.ts";
import type { Manifest } from "./manifest.ts";
import type { Fetched } from "./parts.ts";

/** What the engine is asked to do. */
export type Task =
  | { kind: "check"; exercise: string; files: Record<string, string> }
  | { kind: "compile" | "escape" | "format"; body: string };

/** The programs, compiled: the next worker need not do that again. */
export type Modules = Record<"compile" | "link" | "page", WebAssembly.Module>;

export type ToEngine =
  /**
   * First, with the cell's port. The engine's parts are in the folder, exec is the one that is here already. The modules are those of
   * a worker before it, null for none.
   */
  | { kind: "begin"; folder: string; manifest: Manifest; exec: Fetched; modules: Modules | null }
  /** Nobody waits for it any more: it keeps what has come, fetches no more, and says that it is done by "kept" or "failed". */
  | { kind: "leave" }
  /** To a worker of its own: runs the compiler once, for nothing but that the browser makes machine code of what is used of it. */
  | { kind: "warm"; compiler: WebAssembly.Module }
  /** One at a time. */
  | { kind: "do"; id: number; task: Task }
  /** What is being done is not wanted any more. */
  | { kind: "stop"; id: number };

export type FromEngine =
  /** So much of all bytes that are fetched is there, from 0 to 1; all of it is: the parts are made ready. */
  | { kind: "fetching"; share: number }
  /** The compiler is there, and the rest is not yet. */
  | { kind: "compiler"; module: WebAssembly.Module }
  /** That is done. */
  | { kind: "warmed" }
  /** It can be asked. */
  | { kind: "ready"; modules: Modules }
  /** All is kept for a later visit, or why it is not, in a sentence. fetched is true where not all was there before. */
  | { kind: "kept"; why: string; fetched: boolean }
  /** It cannot. again is true where it may the next time. */
  | { kind: "failed"; message: string; again: boolean }
  | { kind: "stage"; id: number; stage: Stage }
  /** The answer as the runner gives it, or why there is none. */
  | { kind: "done"; id: number; answer: string }
  | { kind: "error"; id: number; message: string };
