/** The pieces one after the other. */
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
 * Frees the memory of bytes that nobody reads any more; they have no length afterwards. A browser frees memory outside of a worker's
 * heap only when it collects that heap, and a heap that hardly grows is collected late: after some sixty megabytes in Chromium.
 * Browsers before ArrayBuffer.transfer wait for the collection.
 */
export function release(bytes: Uint8Array<ArrayBuffer>): void {
  if (bytes.length === 0) return; // a buffer can be transferred once
  (bytes.buffer as { transfer?: (size: number) => ArrayBuffer }).transfer?.(0);
}
