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
 * megabytes in Chromium.
 *
 * The buffer is sent to a port that nobody reads, because ArrayBuffer.transfer does not free a buffer that the browser
 * has used outside the worker's heap, such as one whose digest was computed.
 */
export function freeBuffer(bytes: Uint8Array<ArrayBuffer>): void {
  if (bytes.length === 0) return; // a buffer can be transferred once
  const { port1, port2 } = new MessageChannel();
  port2.close();
  port1.postMessage(null, [bytes.buffer]);
  port1.close();
}
