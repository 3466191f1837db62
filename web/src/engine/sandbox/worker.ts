// The worker in which one program runs, without access to the page, storage or network. Its script begins with
// wasm_exec.js. A program can reach this JavaScript, so its messages are validated in validate.ts. A second worker with
// the same script compiles programs.

import { freeBuffer } from "../bytes.ts";
import { Disk } from "../disk.ts";
import { load, type GoInstance } from "../go-program.ts";
import { compiledOnce, withMaximum } from "../memory.ts";
import { OwnClock } from "./clock.ts";
import { Output } from "./output.ts";
import type { CompileProgram, FromProgram, StartProgram } from "./protocol.ts";

/**
 * How long a program that waits for no timer may wait for the browser before it counts as deadlocked, in milliseconds.
 */
const IDLE = 100;

const send = (message: FromProgram) => postMessage(message);

addEventListener("message", ({ data, ports }: MessageEvent<CompileProgram | StartProgram>) => {
  if ("binary" in data) compile(data);
  else ports[0]!.onmessage = ({ data: module }: MessageEvent<WebAssembly.Module | string>) => {
    if (typeof module === "string") send({ kind: "ended", exit: 2, trap: module });
    else void run(data, module);
  };
}, { once: true });

/** Compiles a program, and posts its module to each port that comes. */
function compile({ binary, memory }: CompileProgram): void {
  const linked = new Uint8Array(binary);
  const bounded = withMaximum(linked, memory);
  freeBuffer(linked);
  const module = bounded ? compiledOnce(bounded).catch(message) : "the linker made no program";
  addEventListener("message", async ({ ports }: MessageEvent<null>) => ports[0]!.postMessage(await module));
}

async function run(program: StartProgram, module: WebAssembly.Module): Promise<void> {
  const { limits } = program;
  const clock = program.ownClock ? new OwnClock() : null;
  const output = new Output(limits.output, () => clock?.now ?? BigInt(Date.now()) * 1_000_000n, send);
  try {
    const code = await execute(program, module, clock, output);
    output.flush();
    send({ kind: "ended", exit: code });
  } catch (e) {
    output.flush();
    // V8 throws a RangeError and Firefox an InternalError where the stack is too deep. Go's runtime reports its own
    // limit as output.
    const deep = e instanceof RangeError || (e instanceof Error && e.name === "InternalError");
    send({ kind: "ended", exit: 2, ...(deep ? { stop: "deep" } : { trap: message(e) }) });
  }
}

async function execute(
  program: StartProgram, module: WebAssembly.Module, clock: OwnClock | null, output: Output,
): Promise<number> {
  const print = (descriptor: number, bytes: Uint8Array) => output.print(descriptor, bytes);
  const started = await load(
    { module, argv: program.argv, env: {}, disk: new Disk(program.limits.disk), cwd: "/", print },
    (go, memory) => {
      clock?.install(go);
      let left = program.limits.report;
      // Checks and recordings report through this import: see packages testmain and recorder.
      const write = (at: number, size: number) => {
        if (left < 0) return;
        left -= size >>> 0;
        output.flush(); // so that reports and output arrive in order
        if (left >= 0) send({ kind: "reported", bytes: new Uint8Array(memory(), at >>> 0, size >>> 0).slice() });
        // The supervisor then ends this worker.
        else if (clock) send({ kind: "ended", exit: -1, stop: "output" });
      };
      return { checkalloc: { write } };
    },
  );
  send({ kind: "began" });
  const running = started.go.run(started.instance);
  // A trap inside run rejects. A trap inside a later resumption is thrown to the caller of _resume.
  const going = keepGoing(started.go, clock, handlesEvents(module), output);
  return Promise.race([started.exit, running.then(() => started.exit), going]);
}

/** Reports whether something other than a timer can wake the program: only package syscall/js handles events. */
function handlesEvents(module: WebAssembly.Module): boolean {
  return WebAssembly.Module.imports(module).some(({ name }) => name.startsWith("syscall/js."));
}

/** Wakes a program that waits for its own clock, and ends one that waits for nothing. Rejects if the program traps. */
async function keepGoing(go: GoInstance, clock: OwnClock | null, handles: boolean, output: Output): Promise<number> {
  const failed = new Promise<never>((_, reject) => {
    // wasm_exec.js resumes the program in timers too, where a trap is an error event of the worker.
    addEventListener("error", (event) => {
      event.preventDefault();
      reject(event.error instanceof Error ? event.error : new Error(event.message));
    });
  });
  const waking = (async (): Promise<number> => {
    for (;;) {
      await turn();
      if (go.exited) return new Promise<never>(() => {});
      if (clock?.jump(go)) continue;
      if (!clock && (go as unknown as { _scheduledTimeouts: Map<number, unknown> })._scheduledTimeouts.size > 0) {
        await pause(1);
        continue;
      }
      if (!handles) {
        output.print(2, new TextEncoder().encode("fatal error: all goroutines are asleep - deadlock!\n"));
        return 2;
      }
      // The program may wait for an event of the browser. If not, Go reports the deadlock when it is woken without an
      // event.
      await pause(IDLE);
      if (go.exited || clock?.jump(go)) continue;
      go._pendingEvent = { id: 0 };
      go._resume();
    }
  })();
  return Promise.race([failed, waking]);
}

const channel = new MessageChannel();

/** Resolves after the events that are due now. */
function turn(): Promise<void> {
  return new Promise((resolve) => {
    channel.port1.onmessage = () => resolve();
    channel.port2.postMessage(null);
  });
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

function message(e: unknown): string {
  return e instanceof Error ? e.message : String(e);
}
