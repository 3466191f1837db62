// Limits the memory of a WebAssembly module before it is compiled, because Go's linker declares no maximum. A program
// that grows beyond the limit gets no more memory from the browser, and Go's runtime then reports that it is out of
// memory.

import { freeBuffer, joined } from "./bytes.ts";

const PAGE = 64 << 10;

const MEMORY = 5;

/**
 * Returns the module with a memory of at most the given number of bytes; null if it is not a module that defines one
 * memory.
 */
export function withMaximum(module: Uint8Array, bytes: number): Uint8Array<ArrayBuffer> | null {
  const sections = read(module);
  const memory = sections.find(({ id }) => id === MEMORY);
  const minimum = memory && minimumOf(memory);
  if (minimum === undefined) return null;
  const content = [Uint8Array.of(1, ...limits(minimum, bytes))];
  return written(sections.map((s) => (s === memory ? { id: MEMORY, content } : s)));
}

/** Compiles a module and releases its bytes, of which the browser keeps a copy. */
export async function compiledOnce(module: Uint8Array<ArrayBuffer>): Promise<WebAssembly.Module> {
  try {
    return await WebAssembly.compile(module);
  } finally {
    freeBuffer(module);
  }
}

interface Section {
  id: number;
  /** Consecutive pieces. */
  content: Uint8Array[];
}

interface ReadSection extends Section {
  content: [Uint8Array];
}

/** Returns the sections of a module, or none if the bytes are not a module. */
function read(module: Uint8Array): ReadSection[] {
  const sections: ReadSection[] = [];
  for (let at = 8 /* after the magic number and the version */; at < module.length; ) {
    const size = number(module, at + 1);
    sections.push({ id: module[at] ?? 0, content: [module.subarray(size.next, size.next + size.value)] });
    at = size.next + size.value;
  }
  return sections;
}

const HEADER = [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0];

function written(sections: Section[]): Uint8Array<ArrayBuffer> {
  const pieces: Uint8Array[] = [Uint8Array.from(HEADER)];
  for (const { id, content } of sections) {
    pieces.push(Uint8Array.of(id, ...encoded(content.reduce((sum, piece) => sum + piece.length, 0))), ...content);
  }
  return joined(pieces);
}

/**
 * Returns the minimum size of a section's only memory, in pages; undefined unless the section has exactly one memory.
 */
function minimumOf({ content: [memory] }: ReadSection): number | undefined {
  const count = number(memory, 0);
  return count.value === 1 ? number(memory, count.next + 1).value : undefined;
}

/** Encodes the limits of a memory. */
function limits(minimum: number, bytes: number): number[] {
  return [1, ...encoded(minimum), ...encoded(Math.max(minimum, Math.floor(bytes / PAGE)))];
}

/** Reads an unsigned LEB128 number; next is the index after it. */
function number(from: Uint8Array, at: number): { value: number; next: number } {
  let value = 0;
  for (let shift = 0; ; shift += 7) {
    const byte = from[at++] ?? 0;
    value += (byte & 0x7f) * 2 ** shift;
    if (byte < 0x80) return { value, next: at };
  }
}

function encoded(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...encoded(value >>> 7)];
}
