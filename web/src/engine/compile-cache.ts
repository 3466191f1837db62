// Caches what the compiler makes of a package. After an edit the package is compiled again, but its tests only if the
// exported API has changed: of an imported package the compiler reads only the export data, and object files can be
// linked as long as that is the same. rules_go relies on this too.

import { freeBuffer, sameBytes } from "./bytes.ts";
import type { Disk } from "./disk.ts";

interface CachedCompile {
  args: string[];
  inputs: Uint8Array<ArrayBuffer>[];
  archive: Uint8Array<ArrayBuffer>;
  output: Uint8Array;
}

/** The largest number of entries: the packages of a few exercises. */
const MAX_ENTRIES = 12;

export class CompileCache {
  readonly #disk: Disk;
  /** The entry that was used last comes first. */
  #entries: CachedCompile[] = [];

  constructor(disk: Disk) {
    this.#disk = disk;
  }

  /**
   * Writes the archive of an equal compile to the disk and returns what the compiler printed; null if there is no
   * entry.
   */
  restore(cwd: string, args: string[]): Uint8Array | null {
    const inputs = this.#inputs(cwd, args);
    const found = this.#entries.find((e) => equal(e.args, args, Object.is) && equal(e.inputs, inputs, sameBytes));
    if (!found) return null;
    this.#entries = [found, ...this.#entries.filter((entry) => entry !== found)];
    this.#disk.write(outputOf(args), found.archive.slice());
    return found.output;
  }

  /** Adds a compile that succeeded. */
  add(cwd: string, args: string[], output: Uint8Array): void {
    const inputs = this.#inputs(cwd, args).map((bytes) => bytes.slice());
    const entry = { args, inputs, archive: this.#disk.read(outputOf(args)).slice(), output };
    this.#entries.unshift(entry);
    for (const { inputs, archive } of this.#entries.splice(MAX_ENTRIES)) [...inputs, archive].forEach(freeBuffer);
  }

  /**
   * Returns all inputs of a compile that can change, as views of the disk: the package's files, and the export data of
   * packages of the same build.
   */
  #inputs(cwd: string, args: string[]): Uint8Array[] {
    const names = args.filter((arg) => /^\.\/.*\.go$/.test(arg));
    const files = names.map((name) => this.#disk.read(`${cwd}/${name.slice(2)}`));
    return [...files, ...inputsOf(this.#disk, args).map(exportData)];
  }
}

/** Returns the name of the file that a run of the compiler or the linker makes. */
export function outputOf(args: string[]): string {
  return args[args.indexOf("-o") + 1]!;
}

/** Returns the archives of packages of the same build that a run of the compiler or the linker reads. */
export function inputsOf(disk: Disk, args: string[]): Uint8Array[] {
  const config = new TextDecoder().decode(disk.read(args[args.indexOf("-importcfg") + 1]!));
  return [...config.matchAll(/^packagefile .*=(\/\$WORK\/.*)$/gm)].map((line) => disk.read(line[1]!));
}

/**
 * Returns the first member of an archive, which is its export data. The header of a member has its size in ten decimal
 * digits.
 */
function exportData(archive: Uint8Array): Uint8Array {
  const magic = 8;
  const header = 60;
  const size = Number(new TextDecoder().decode(archive.subarray(magic + 48, magic + 58)));
  return archive.subarray(magic, magic + header + size);
}

function equal<T>(one: readonly T[], other: readonly T[], same: (one: T, other: T) => boolean): boolean {
  return one.length === other.length && one.every((item, i) => same(item, other[i]!));
}
