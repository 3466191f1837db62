// Several files in one text, in the format of the Go playground (txtar): a line "-- name --" begins a file, and the
// text before the first such line is prog.go.

/** The runner's name for a program of one file. */
export const PROG = "prog.go";
/** Its name while its tests run. */
const TESTED = "prog_test.go";

export interface Part {
  name: string;
  /** The file's first line in the whole text, from 1. */
  first: number;
  /** The number of its lines. */
  lines: number;
}

/** Returns the name in a line that begins a file, or null for any other line. */
export function markerName(line: string): string | null {
  const name = /^-- (.+) --$/.exec(line)?.[1]?.trim();
  return name ? name : null;
}

/** Returns the files of a text in order. The first is prog.go, which may be empty. */
export function readParts(lines: Iterable<string>): Part[] {
  let part: Part = { name: PROG, first: 1, lines: 0 };
  const parts = [part];
  let n = 0;
  for (const line of lines) {
    n++;
    const name = markerName(line);
    if (name === null) {
      part.lines++;
      continue;
    }
    part = { name, first: n + 1, lines: 0 };
    parts.push(part);
  }
  return parts;
}

/** Returns the file that contains a line of the whole text, or null for a line that begins a file. */
export function partAt(parts: readonly Part[], line: number): Part | null {
  return parts.find((p) => line >= p.first && line < p.first + p.lines) ?? null;
}

/** A text of several files, which converts lines of a file to lines of the whole text. */
export class Archive {
  readonly #lines: readonly string[];
  readonly #parts: readonly Part[];

  constructor(text: string) {
    this.#lines = text.split("\n");
    this.#parts = readParts(this.#lines);
  }

  has(file: string): boolean {
    return this.#part(file) !== undefined;
  }

  #part(file: string): Part | undefined {
    return this.#parts.find((p) => p.name === file) ?? (file === TESTED ? this.#part(PROG) : undefined);
  }

  /** Converts a line of a file to a line of the whole text; 0 if there is none. */
  lineOf(file: string, line: number): number {
    const part = this.#part(file);
    // The compiler may name the line after the last one.
    return part && line >= 1 && line <= part.lines + 1 ? part.first + line - 1 : 0;
  }

  /** Returns the text of a line of a file; "" if there is none. */
  code(file: string, line: number): string {
    const at = this.lineOf(file, line);
    return at === 0 ? "" : (this.#lines[at - 1] ?? "");
  }
}
