// The engine's line to the cell: it sends a program there and gathers what the program says.

import { joined } from "./bytes.ts";
import type { CellLimits, CellProgram, CellStop, FromCell, StopProgram } from "./cell/protocol.ts";
import type { Disk } from "./disk.ts";

/** How a program ended. */
export interface CellRun {
  exit: number;
  /** Why it was ended from outside, "" where it was not. */
  stop: CellStop | "";
  /** What ended it otherwise than by an exit, "" for nothing. */
  trap: string;
  /** What it printed, as cell/output.ts packs it. */
  printed: Uint8Array;
  report: Uint8Array;
}

export class CellLine {
  readonly #line: MessagePort;
  #stop: (() => void) | null = null;

  constructor(line: MessagePort) {
    this.#line = line;
  }

  /**
   * Runs a program that lies on the disk, or again the one that ran last, in a worker and with memory that no run before has seen. It
   * rejects where the reader stops it.
   */
  run(disk: Disk, binary: string, again: boolean, argv: string[], limits: CellLimits, ownClock: boolean): Promise<CellRun> {
    const bytes = again ? null : (disk.read(binary).slice().buffer as ArrayBuffer);
    const printed: Uint8Array[] = [];
    const report: Uint8Array[] = [];
    // Its own: what is still on its way from a program before cannot be taken for this one's.
    const { port1: port, port2 } = new MessageChannel();
    return new Promise<CellRun>((resolve, reject) => {
      this.#stop = () => {
        port.postMessage({ kind: "stop" } satisfies StopProgram);
        reject(new Error("stopped"));
      };
      port.onmessage = ({ data }: MessageEvent<FromCell>) => {
        switch (data.kind) {
          case "printed":
            printed.push(data.packed);
            break;
          case "reported":
            report.push(data.bytes);
            break;
          case "ended":
            resolve({
              exit: data.exit,
              stop: data.stop ?? "",
              trap: data.trap ?? "",
              printed: joined(printed),
              report: joined(report),
            });
        }
      };
      const program: CellProgram = { binary: bytes, argv, limits, ownClock };
      this.#line.postMessage(program, bytes ? [bytes, port2] : [port2]);
    }).finally(() => {
      this.#stop = null;
      port.onmessage = null;
    });
  }

  /** Ends the program that runs, if one does. */
  stop(): void {
    this.#stop?.();
  }
}
