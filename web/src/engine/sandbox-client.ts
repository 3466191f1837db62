// The engine's client of the sandbox: it sends a program to the supervisor and collects what the program prints and
// reports.

import { untilAborted } from "./abort.ts";
import { joined } from "./bytes.ts";
import { HEAD } from "./sandbox/output.ts";
import type { FromProgram, SandboxLimits, SandboxProgram, SandboxStop, StopProgram } from "./sandbox/protocol.ts";
import type { Disk } from "./disk.ts";

/** How a program ended. */
export interface SandboxResult {
  exit: number;
  /** The limit that ended it, "" for none. */
  stop: SandboxStop | "";
  /** The reason why a program ended that neither exited nor reached a limit, "" for none. */
  trap: string;
  /** Its output, packed as in sandbox/output.ts. */
  printed: Uint8Array;
  report: Uint8Array;
  /** Output and reports in the order in which they came. A report has the descriptor REPORT. */
  recording: Uint8Array;
}

/** The descriptor of a report in a recording. Package execution knows the same number. */
const REPORT = 3;

export class SandboxClient {
  /** The supervisor's port. */
  readonly #programs: MessagePort;

  constructor(programs: MessagePort) {
    this.#programs = programs;
  }

  /**
   * Runs a program from the disk, or with again the one that ran last, in a new worker with new memory. Ends the program
   * and rejects if the signal is aborted.
   */
  run(
    signal: AbortSignal, disk: Disk, binary: string, again: boolean, argv: string[], limits: SandboxLimits, ownClock: boolean,
  ): Promise<SandboxResult> {
    const bytes = again ? null : (disk.read(binary).slice().buffer as ArrayBuffer);
    const printed: Uint8Array[] = [];
    const report: Uint8Array[] = [];
    const recording: Uint8Array[] = [];
    // Each run has a channel of its own, so that late messages of an earlier program are not taken for this one's.
    const { port1: port, port2 } = new MessageChannel();
    const ended = new Promise<SandboxResult>((resolve) => {
      port.onmessage = ({ data }: MessageEvent<FromProgram>) => {
        switch (data.kind) {
          case "printed":
            printed.push(data.packed);
            recording.push(data.packed);
            break;
          case "reported":
            report.push(data.bytes);
            recording.push(headOf(data.bytes), data.bytes);
            break;
          case "ended":
            resolve({
              exit: data.exit,
              stop: data.stop ?? "",
              trap: data.trap ?? "",
              printed: joined(printed),
              report: joined(report),
              recording: joined(recording),
            });
        }
      };
      const program: SandboxProgram = { binary: bytes, argv, limits, ownClock };
      this.#programs.postMessage(program, bytes ? [bytes, port2] : [port2]);
    });
    return untilAborted(ended, signal).finally(() => {
      if (signal.aborted) port.postMessage({ kind: "stop" } satisfies StopProgram);
      port.onmessage = null;
    });
  }
}

/** Returns the header of a report's piece. Its time is 0, which stands for the beginning. */
function headOf(bytes: Uint8Array): Uint8Array {
  const head = new DataView(new ArrayBuffer(HEAD));
  head.setUint8(0, REPORT);
  head.setUint32(9, bytes.length, true);
  return new Uint8Array(head.buffer);
}
