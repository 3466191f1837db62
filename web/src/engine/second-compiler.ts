// A compiler in a second worker, which the page starts: the first worker can do something else meanwhile.

import { untilAborted } from "./abort.ts";
import type { Compilation, ToolResult } from "./protocol.ts";

/** Returns the buffers of a compilation's files, to be transferred rather than copied. */
export function buffersOf({ files }: Compilation): ArrayBuffer[] {
  return files.map(({ bytes }) => bytes.buffer);
}

export class SecondCompiler {
  readonly #ask: (compilation: Compilation) => void;
  #settle: ((result: ToolResult | Error) => void) | null = null;

  /** ask has the page pass the compilation to a second worker. */
  constructor(ask: (compilation: Compilation) => void) {
    this.#ask = ask;
  }

  /** Compiles in a second worker. Only one compilation may be under way. Rejects if the signal is aborted. */
  compile(compilation: Compilation, signal: AbortSignal): Promise<ToolResult> {
    const compiled = new Promise<ToolResult>((resolve, reject) => {
      this.#settle = (result) => (result instanceof Error ? reject(result) : resolve(result));
      this.#ask(compilation);
    });
    return untilAborted(compiled, signal);
  }

  /** Ends the compilation that is under way, if there is one, with its result or with the reason that it has none. */
  settle(result: ToolResult | Error): void {
    this.#settle?.(result);
    this.#settle = null;
  }
}
