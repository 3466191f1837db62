// Bounds the memory of a WebAssembly module, before it is compiled: Go's linker states no maximum. A program that asks for more is
// refused by the engine, and Go's runtime then says that it is out of memory.

const PAGE = 64 << 10;
const MEMORY_SECTION = 5;

/** The module with a maximum of so many bytes; null where the bytes are no module with one memory of its own. */
export function withMaximum(module: Uint8Array, bytes: number): Uint8Array<ArrayBuffer> | null {
  let at = 8; // after the magic number and the version
  while (at < module.length) {
    const id = module[at] ?? 0;
    const size = number(module, at + 1);
    const end = size.next + size.value;
    if (id !== MEMORY_SECTION) {
      at = end;
      continue;
    }
    const count = number(module, size.next);
    const minimum = number(module, count.next + 1);
    if (count.value !== 1) return null;
    const content = [1, 1, ...encoded(minimum.value), ...encoded(Math.max(minimum.value, Math.floor(bytes / PAGE)))];
    const section = [id, ...encoded(content.length), ...content];
    const bounded = new Uint8Array(module.length - (end - at) + section.length);
    bounded.set(module.subarray(0, at));
    bounded.set(section, at);
    bounded.set(module.subarray(end), at + section.length);
    return bounded;
  }
  return null;
}

/** Reads an unsigned LEB128 number. */
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
