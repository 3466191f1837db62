// Arithmetic on text positions.

/** The offset in UTF-16 units of a 1-based byte column, as Go's tools count it. */
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

/** The smallest single replacement that turns one text into another, or null when they are the same. */
export function replacement(from: string, to: string): { from: number; to: number; insert: string } | null {
  if (from === to) return null;
  const shorter = Math.min(from.length, to.length);
  let start = 0;
  while (start < shorter && from[start] === to[start]) start++;
  let end = 0;
  while (end < shorter - start && from[from.length - 1 - end] === to[to.length - 1 - end]) end++;
  return { from: start, to: from.length - end, insert: to.slice(start, to.length - end) };
}

/** How many columns of blanks a line begins with. */
export function leadingColumns(line: string, tabSize: number): number {
  let columns = 0;
  for (const char of line) {
    if (char === "\t") columns += tabSize - (columns % tabSize);
    else if (char === " ") columns++;
    else break;
  }
  return columns;
}
