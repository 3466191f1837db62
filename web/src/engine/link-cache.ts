// Keeps the program that was linked last. What the reader checks has often been built already, while they paused.

import { freeBuffer, sameBytes } from "./bytes.ts";
import { inputsOf, outputOf } from "./compile-cache.ts";
import type { Disk } from "./disk.ts";

interface Linked {
  args: string[];
  archives: Uint8Array<ArrayBuffer>[];
  program: string;
}

export class LinkCache {
  readonly #disk: Disk;
  #last: Linked | null = null;

  constructor(disk: Disk) {
    this.#disk = disk;
  }

  /** Writes the program of an equal link to the disk, and reports whether there is one. If not, another one follows. */
  restore(args: string[]): boolean {
    const last = this.#last;
    if (last && this.#isEqual(args, last)) {
      this.#disk.write(outputOf(args), this.#disk.read(last.program).slice());
      this.#last = { ...last, args, program: outputOf(args) };
      return true;
    }
    last?.archives.forEach(freeBuffer);
    this.#last = null;
    return false;
  }

  #isEqual(args: string[], last: Linked): boolean {
    if (!this.#disk.has(last.program) || !sameBut(outputOf(args), args, last.program, last.args)) return false;
    const archives = inputsOf(this.#disk, args);
    return archives.length === last.archives.length && archives.every((bytes, i) => sameBytes(bytes, last.archives[i]!));
  }

  /** Notes a link that succeeded. The program is known for as long as its file is there. */
  add(args: string[]): void {
    this.#last = { args, archives: inputsOf(this.#disk, args).map((bytes) => bytes.slice()), program: outputOf(args) };
  }
}

/** Reports whether the arguments are equal but for one of each. */
function sameBut(one: string, args: string[], other: string, others: string[]): boolean {
  return args.length === others.length && args.every((arg, i) => (arg === one ? others[i] === other : arg === others[i]));
}
