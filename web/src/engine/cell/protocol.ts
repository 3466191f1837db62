// What goes between the engine and the cell, in which a program runs.

/** A program to run. */
export interface CellProgram extends CellStart {
  /** null for the program before, which is kept compiled. */
  binary: ArrayBuffer | null;
}

/** How a program is started. */
export interface CellStart {
  argv: string[];
  limits: CellLimits;
  /** Its clock is its own, as on the playground: it jumps when the program sleeps. Otherwise it is the machine's. */
  ownClock: boolean;
}

/**
 * The first message to a worker that compiles a program. Each later one brings a port, on which it sends the module, or in a string
 * why there is none.
 */
export interface CompileProgram {
  binary: ArrayBuffer;
  /** Bytes of WebAssembly memory. */
  memory: number;
}

/** The first message to a worker that runs a program. The program's module comes on the message's port. */
export type StartProgram = CellStart;

export interface CellLimits {
  /** Milliseconds, from the moment that the program is ready to run. */
  time: number;
  /** Milliseconds for making it ready. */
  loading: number;
  /** Bytes that it may print, on both streams together. */
  output: number;
  /** Bytes of the report of a check. */
  report: number;
  /** Bytes of WebAssembly memory. */
  memory: number;
  /** Bytes of its files together. */
  disk: number;
}

/**
 * What the frame is sent: the scripts of the keeper and of the worker that a program runs in. With it come two ports for the keeper:
 * on the first it awaits programs, each with a port of its own; on the second it says at once that it is there.
 */
export interface CellSetUp {
  keeper: string;
  program: string;
}

/** Ends the program of the port, which then says nothing any more. */
export interface StopProgram {
  kind: "stop";
}

/** Why a program was ended from outside, in the words of package playground. */
export type CellStop = "time" | "output" | "deep" | "loading";

export type FromCell =
  | { kind: "began" }
  /** What was printed, as output.ts packs it. */
  | { kind: "printed"; packed: Uint8Array }
  | { kind: "reported"; bytes: Uint8Array }
  /** The last one. trap is what ended a program that neither exited nor was stopped. */
  | { kind: "ended"; exit: number; stop?: CellStop; trap?: string };
