// The script of the sandbox's supervisor, a worker of the frame. For each program it starts a worker that compiles it,
// and for each run a worker that runs it. It validates what that worker sends, passes it on, and ends the worker when
// the run is over or a limit of time is reached. A check runs its program twice and compiles it once.
//
// The worker that compiled a program is ended when the next program comes. The supervisor itself never holds a module:
// Chromium frees a module only when it collects the heap of every worker that held it, and the supervisor's heap grows
// too slowly for that.

import { MessageValidator } from "./validate.ts";
import type { CompileProgram, FromProgram, SandboxProgram, StartProgram, StopProgram } from "./protocol.ts";
import { startWorker } from "../start-worker.ts";

/**
 * How many workers are started ahead, one to compile and one to run: starting a worker takes longer than many programs
 * run.
 */
const AHEAD = 2;

addEventListener("message", ({ data: script, ports }: MessageEvent<string>) => {
  const [programs, ready] = ports;
  if (!programs || !ready) return;
  let stop = () => {};
  const ahead: Worker[] = [];
  const startAhead = () => {
    while (ahead.length < AHEAD) ahead.push(startWorker(script));
  };
  startAhead();
  const take = () => ahead.pop() ?? startWorker(script);
  let compiler: Worker | null = null;
  programs.onmessage = ({ data, ports }: MessageEvent<SandboxProgram>) => {
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
  ready.postMessage("ready");
}, { once: true });

/** Runs a program once the compiler has its module. Returns a function that ends the run without another message. */
function run(
  worker: Worker, compiler: Worker | null, program: SandboxProgram, port: MessagePort, over: () => void,
): () => void {
  let timer: ReturnType<typeof setTimeout>;
  let began = false;
  let ended = false;
  const messages = new MessageValidator(program.limits);
  const end = (last?: FromProgram) => {
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
    const message = messages.validate(event.data);
    if (!message) return;
    if (message.kind === "ended") return end(message);
    // Only the first "began" counts. Otherwise a program could restart its time limit by sending another.
    if (message.kind === "began" && !began) {
      began = true;
      clearTimeout(timer);
      timer = setTimeout(() => end({ kind: "ended", exit: -1, stop: "time" }), program.limits.time);
    }
    port.postMessage(message);
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
