// Several files in one text, as the Go playground takes them (txtar): a line "-- name --" begins a file,
// and what stands before the first such line is prog.go.

/** What the runner calls a program that is one file. */
export const PROG = "prog.go";

export interface Part {
  name: string;
  /** The file's first line in the whole text, from 1. */
  first: number;
  /** How many lines it has. */
  lines: number;
}

/** The name in a line that begins a file, or null in any other line. */
export function markerName(line: string): string | null {
  const name = /^-- (.+) --$/.exec(line)?.[1]?.trim();
  return name ? name : null;
}

/** The files of a text, in their order. The first is prog.go, and may be empty. */
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

/** The file that a line of the whole text is in, or null for a line that begins one. */
export function partAt(parts: readonly Part[], line: number): Part | null {
  return parts.find((p) => line >= p.first && line < p.first + p.lines) ?? null;
}

/** A text by its files: what is said of a file's line is found in the whole text. */
export class Archive {
  readonly #lines: readonly string[];
  readonly #parts: readonly Part[];

  constructor(text: string) {
    this.#lines = text.split("\n");
    this.#parts = readParts(this.#lines);
  }

  has(file: string): boolean {
    return this.#parts.some((p) => p.name === file);
  }

  /** The line of the whole text that is a file's line, or 0 when there is none. */
  lineOf(file: string, line: number): number {
    const part = this.#parts.find((p) => p.name === file);
    // The compiler may name the line after the last one.
    return part && line >= 1 && line <= part.lines + 1 ? part.first + line - 1 : 0;
  }

  /** The text of a file's line; "" when there is none. */
  code(file: string, line: number): string {
    const at = this.lineOf(file, line);
    return at === 0 ? "" : (this.#lines[at - 1] ?? "");
  }
}
