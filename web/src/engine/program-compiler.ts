// Compiles the engine's programs in a worker of its own, which ends soon. For as long as the worker that compiled a
// program lives, the browser stores the machine code that it optimizes, and keeps what it has stored in memory.

import { startWorker } from "./start-worker.ts";

// Compiling leaves tens of megabytes behind in this worker. It allocates no more, so Chromium would not collect them before
// the worker ends. A large buffer makes it collect, and takes no memory because nothing is written to it.
const SCRIPT = `onmessage = async ({ data: url, ports: [port] }) => {
  try {
    port.postMessage(await WebAssembly.compileStreaming(fetch(url, { cache: "only-if-cached", mode: "same-origin" })));
  } catch {
    port.postMessage(null);
  }
  new Uint8Array(128 << 20);
}`;

export class ProgramCompiler {
  #worker: Worker | null = null;

  /**
   * Compiles a program that was fetched now or on an earlier visit, from the browser's HTTP cache. There the browser
   * also stores the machine code that it has optimized meanwhile, which it does for no program that it gets as bytes or
   * from the cache that a page controls. Null if the HTTP cache lacks the program.
   */
  async compile(url: string): Promise<WebAssembly.Module | null> {
    const { port1, port2 } = new MessageChannel();
    try {
      const worker = (this.#worker ??= startWorker(SCRIPT));
      return await new Promise((resolve) => {
        port1.onmessage = ({ data }: MessageEvent<WebAssembly.Module | null>) => resolve(data);
        worker.addEventListener("error", () => resolve(null));
        worker.postMessage(url, [port2]);
      });
    } catch {
      return null; // this browser starts no workers from a worker
    } finally {
      port1.close();
    }
  }

  /** Ends the worker. The programs that it has compiled stay. */
  end(): void {
    this.#worker?.terminate();
  }
}
