// Messages between the engine and the sandbox in which programs run.

/**
 * How to start a program. It is the first message to the worker that runs it; the module follows on the message's port.
 */
export interface StartProgram {
  argv: string[];
  limits: SandboxLimits;
  /**
   * The program has a clock of its own, as on the Go playground: time jumps when it sleeps. Otherwise it has the
   * machine's clock.
   */
  ownClock: boolean;
}

/** A program that the engine sends to the supervisor. */
export interface SandboxProgram extends StartProgram {
  /** null runs the previous program again, which the sandbox keeps compiled. */
  binary: ArrayBuffer | null;
}

/**
 * The first message to a worker that compiles a program. Each later message brings a port, to which the worker posts
 * the compiled module, or a string that says why there is none.
 */
export interface CompileProgram {
  binary: ArrayBuffer;
  /** Bytes of WebAssembly memory. */
  memory: number;
}

export interface SandboxLimits {
  /** Milliseconds to run, counted from the moment when the program is compiled and instantiated. */
  time: number;
  /** Milliseconds to compile and instantiate it. */
  loading: number;
  /** Bytes that it may print, on both streams together. */
  output: number;
  /** Bytes of a report. A program with a clock of its own is ended if it reports more. */
  report: number;
  /** Bytes of WebAssembly memory. */
  memory: number;
  /** Bytes of all its files together. */
  disk: number;
}

/**
 * The message to the frame: the scripts of the supervisor and of a program's worker. Two ports for the supervisor come
 * with it. On the first it receives programs, each with a port of its own; to the second it posts a message as soon as
 * it runs.
 */
export interface SandboxSetup {
  supervisor: string;
  program: string;
}

/** Ends the program of the port that it is sent to. Nothing is posted to that port afterwards. */
export interface StopProgram {
  kind: "stop";
}

/**
 * The limit that ended a program: "deep" is the depth of the browser's stack. Package tools/engine/page knows the same
 * names.
 */
export type SandboxStop = "time" | "output" | "deep" | "loading";

export type FromProgram =
  | { kind: "began" }
  /** Output of the program, packed as in output.ts. */
  | { kind: "printed"; packed: Uint8Array }
  | { kind: "reported"; bytes: Uint8Array }
  /** The last message. trap says what ended a program that neither exited nor reached a limit. */
  | { kind: "ended"; exit: number; stop?: SandboxStop; trap?: string };
