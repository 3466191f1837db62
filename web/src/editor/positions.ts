// Conversions between positions in a text.

/** Converts a column of Go's tools, in bytes from 1, to an offset in UTF-16 units. */
export function offsetOfColumn(line: string, col: number): number {
  let bytes = col - 1;
  let offset = 0;
  for (const char of line) {
    if (bytes <= 0) break;
    const code = char.codePointAt(0)!;
    bytes -= code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    offset += char.length;
  }
  return offset;
}

/** Returns the smallest single replacement that turns one text into another, or null if they are equal. */
export function replacement(from: string, to: string): { from: number; to: number; insert: string } | null {
  if (from === to) return null;
  const shorter = Math.min(from.length, to.length);
  let start = 0;
  while (start < shorter && from[start] === to[start]) start++;
  let end = 0;
  while (end < shorter - start && from[from.length - 1 - end] === to[to.length - 1 - end]) end++;
  return { from: start, to: from.length - end, insert: to.slice(start, to.length - end) };
}

/** Returns the width of the blanks at the beginning of a line, in columns. */
export function leadingColumns(line: string, tabSize: number): number {
  let columns = 0;
  for (const char of line) {
    if (char === "\t") columns += tabSize - (columns % tabSize);
    else if (char === " ") columns++;
    else break;
  }
  return columns;
}
