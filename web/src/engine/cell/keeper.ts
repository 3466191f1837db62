// The script of the cell's keeper: a worker of the frame that starts a worker for each program, which compiles it, and one for each
// run, passes on what that says as far as it is within its limits, and ends it. A check runs its program twice, and compiles it once.
//
// The worker that compiled a program is ended when the next program comes. The keeper itself never has a module: Chromium frees one
// only when it collects the heap of each worker that had it, and the keeper's grows too slowly for that.

import { Heard } from "./heard.ts";
import type { CellProgram, CompileProgram, FromCell, StartProgram, StopProgram } from "./protocol.ts";
import { startWorker } from "../start-worker.ts";

/** So many workers are started ahead, one to compile and one to run: starting one takes longer than many a program. */
const AHEAD = 2;

addEventListener("message", ({ data: script, ports }: MessageEvent<string>) => {
  const [line, ready] = ports;
  if (!line || !ready) return;
  let stop = () => {};
  const ahead: Worker[] = [];
  const startAhead = () => {
    while (ahead.length < AHEAD) ahead.push(startWorker(script));
  };
  startAhead();
  const take = () => ahead.pop() ?? startWorker(script);
  let compiler: Worker | null = null;
  line.onmessage = ({ data, ports }: MessageEvent<CellProgram>) => {
    const port = ports[0];
    if (!port) return;
    stop();
    if (data.binary) {
      compiler?.terminate();
      compiler = take();
      compiler.postMessage({ binary: data.binary, memory: data.limits.memory } satisfies CompileProgram, [data.binary]);
    }
    const end = run(take(), compiler, data, port, startAhead);
    port.onmessage = (_: MessageEvent<StopProgram>) => end();
    stop = end;
  };
  ready.postMessage("here");
}, { once: true });

/** Runs a program that the compiler has or will have, and returns what ends it without a word. */
function run(worker: Worker, compiler: Worker | null, program: CellProgram, port: MessagePort, over: () => void): () => void {
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
  const { port1, port2 } = new MessageChannel();
  compiler?.postMessage(null, [port1]);
  worker.postMessage({ argv, limits, ownClock } satisfies StartProgram, [port2]);
  return () => end();
}
