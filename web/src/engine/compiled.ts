// What the compiler made of a package, kept for the next check: of a solver's edit the package itself changes, and its tests only
// where what the package exports does. The compiler reads no more of another package than the export data in its archive, and
// two objects fit each other where that is the same; rules_go relies on it too.

import { sameBytes } from "./bytes.ts";
import type { Disk } from "./disk.ts";

interface Kept {
  args: string[];
  inputs: Uint8Array[];
  archive: Uint8Array;
  output: Uint8Array;
}

/** As many packages are kept: those of a few exercises. */
const MOST = 12;

export class Compiled {
  readonly #disk: Disk;
  #kept: Kept[] = [];

  constructor(disk: Disk) {
    this.#disk = disk;
  }

  /** Lays down the archive that such a compilation has made before, and gives what it printed; null where there is none. */
  again(cwd: string, args: string[]): Uint8Array | null {
    const inputs = this.#inputs(cwd, args);
    const found = this.#kept.find((kept) => same(kept.args, args) && kept.inputs.length === inputs.length && kept.inputs.every((b, i) => sameBytes(b, inputs[i]!)));
    if (!found) return null;
    this.#kept = [found, ...this.#kept.filter((kept) => kept !== found)];
    this.#disk.write(archiveOf(args), found.archive.slice());
    return found.output;
  }

  /** Keeps what a compilation that went well has made. */
  keep(cwd: string, args: string[], output: Uint8Array): void {
    const kept = { args, inputs: this.#inputs(cwd, args), archive: this.#disk.read(archiveOf(args)).slice(), output };
    this.#kept = [kept, ...this.#kept].slice(0, MOST);
  }

  /** All that a compilation reads and that may be another the next time: the package's files, and what it imports of this build's. */
  #inputs(cwd: string, args: string[]): Uint8Array[] {
    const files = args.filter((arg) => /^\.\/.*\.go$/.test(arg)).map((name) => this.#disk.read(`${cwd}/${name.slice(2)}`).slice());
    const config = new TextDecoder().decode(this.#disk.read(args[args.indexOf("-importcfg") + 1]!));
    const built = [...config.matchAll(/^packagefile .*=(\/\$WORK\/.*)$/gm)].map((line) => exportData(this.#disk.read(line[1]!)));
    return [...files, ...built];
  }
}

function archiveOf(args: string[]): string {
  return args[args.indexOf("-o") + 1]!;
}

/** The first member of an archive, which is its export data: ar's header has the size in ten digits. */
function exportData(archive: Uint8Array): Uint8Array {
  const magic = 8;
  const header = 60;
  const size = Number(new TextDecoder().decode(archive.subarray(magic + 48, magic + 58)));
  return archive.slice(magic, magic + header + size);
}

function same(one: string[], other: string[]): boolean {
  return one.length === other.length && one.every((text, i) => text === other[i]);
}
