// Joins, compares and releases arrays of bytes.

/** Concatenates the pieces. */
export function joined(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}

export function sameBytes(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, i) => byte === other[i]);
}

/**
 * Frees the buffer of bytes that are no longer needed; their length is 0 afterwards. Otherwise the browser frees the
 * buffer when it collects the worker's heap, which happens late if the heap itself hardly grows: after some sixty
 * megabytes in Chromium. Browsers without ArrayBuffer.transfer wait for that.
 */
export function freeBuffer(bytes: Uint8Array<ArrayBuffer>): void {
  if (bytes.length === 0) return; // a buffer can be transferred once
  (bytes.buffer as { transfer?: (size: number) => ArrayBuffer }).transfer?.(0);
}
