// Runs programs that were built for js/wasm, with the script that comes with Go (wasm_exec.js).

import type { Disk } from "./disk.ts";

/** The part of wasm_exec.js's class Go that is used here. */
export interface GoInstance {
  argv: string[];
  env: Record<string, string>;
  exit: (code: number) => void;
  importObject: Record<string, Record<string, (...args: never[]) => unknown>>;
  run(instance: WebAssembly.Instance): Promise<void>;
  readonly exited: boolean;
  readonly mem: DataView;
  _resume(): void;
  _pendingEvent: unknown;
}

declare const Go: new () => GoInstance;

export interface GoProgram {
  module: WebAssembly.Module;
  argv: string[];
  env: Record<string, string>;
  disk: Disk;
  cwd: string;
  print: (descriptor: number, bytes: Uint8Array) => void;
}

/** A program that is ready to run. */
export interface Started {
  go: GoInstance;
  instance: WebAssembly.Instance;
  /** Resolves to the exit code. */
  exit: Promise<number>;
}

/**
 * Makes a program ready to run. The program takes its files and its folder from the worker's globals when it begins, so
 * nothing may run between this function and Go.run.
 */
export async function load(
  program: GoProgram, more: (go: GoInstance, memory: () => ArrayBuffer) => WebAssembly.Imports,
): Promise<Started> {
  const go = new Go();
  go.argv = program.argv;
  go.env = program.env;
  const exit = new Promise<number>((resolve) => (go.exit = resolve));
  const memory = (): ArrayBuffer => (instance.exports["mem"] as WebAssembly.Memory).buffer as ArrayBuffer;
  const imports: WebAssembly.Imports = { ...(go.importObject as WebAssembly.Imports), ...more(go, memory) };
  const instance: WebAssembly.Instance = await WebAssembly.instantiate(program.module, imports);
  const process = {
    pid: 1,
    ppid: 0,
    getuid: () => 0,
    getgid: () => 0,
    geteuid: () => 0,
    getegid: () => 0,
    getgroups: () => [0],
    umask: () => 0,
    cwd: () => program.cwd,
    chdir: () => undefined,
  };
  Object.assign(globalThis, { fs: program.disk.fs(program.cwd, program.print), process });
  return { go, instance, exit };
}
