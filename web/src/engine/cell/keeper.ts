// The script of the cell's keeper: a worker of the frame that compiles programs and starts a worker for each run, passes on what that
// says as far as it is within its limits, and ends it. A check runs its program twice, and compiles it once.

import { Heard } from "./heard.ts";
import { withMaximum } from "../memory.ts";
import type { CellProgram, CompiledProgram, FromCell, StopProgram } from "./protocol.ts";
import { startWorker } from "../start-worker.ts";

addEventListener("message", ({ data: script, ports }: MessageEvent<string>) => {
  const [line, ready] = ports;
  if (!line || !ready) return;
  let stop = () => {};
  // A worker is started ahead: starting one takes longer than many a program.
  let next: Worker | null = startWorker(script);
  let module: Promise<WebAssembly.Module> = Promise.reject(new Error("there is no program before"));
  module.catch(() => {});
  line.onmessage = ({ data, ports }: MessageEvent<CellProgram>) => {
    const port = ports[0];
    if (!port) return;
    stop();
    const worker = next ?? startWorker(script);
    next = null;
    if (data.binary) module = compile(data.binary, data.limits.memory);
    const end = run(worker, module, data, port, () => (next ??= startWorker(script)));
    port.onmessage = (_: MessageEvent<StopProgram>) => end();
    stop = end;
  };
  ready.postMessage("here");
}, { once: true });

async function compile(binary: ArrayBuffer, memory: number): Promise<WebAssembly.Module> {
  const bounded = withMaximum(new Uint8Array(binary), memory);
  if (!bounded) throw new Error("the linker made no program");
  return WebAssembly.compile(bounded);
}

/** Runs a program and returns what ends it without a word. */
function run(worker: Worker, module: Promise<WebAssembly.Module>, program: CellProgram, port: MessagePort, over: () => void): () => void {
  let timer: ReturnType<typeof setTimeout>;
  let began = false;
  let ended = false;
  const heard = new Heard(program.limits);
  const end = (last?: FromCell) => {
    if (ended) return;
    ended = true;
    clearTimeout(timer);
    worker.onmessage = worker.onerror = null;
    worker.terminate();
    if (last) port.postMessage(last);
    over();
  };
  timer = setTimeout(() => end({ kind: "ended", exit: -1, stop: "loading" }), program.limits.loading);
  worker.onmessage = (event: MessageEvent<unknown>) => {
    const data = heard.read(event.data);
    if (!data) return;
    if (data.kind === "ended") return end(data);
    // Once: a program that said so again would have its time again.
    if (data.kind === "began" && !began) {
      began = true;
      clearTimeout(timer);
      timer = setTimeout(() => end({ kind: "ended", exit: -1, stop: "time" }), program.limits.time);
    }
    port.postMessage(data);
  };
  worker.onerror = (event) => {
    event.preventDefault();
    end({ kind: "ended", exit: 2, trap: event.message || "the browser ended the program" });
  };
  const { argv, limits, ownClock } = program;
  module.then(
    (module) => ended || worker.postMessage({ module, argv, limits, ownClock } satisfies CompiledProgram),
    (e: unknown) => end({ kind: "ended", exit: 2, trap: e instanceof Error ? e.message : String(e) }),
  );
  return () => end();
}
