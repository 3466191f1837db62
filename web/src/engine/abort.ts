// Helpers for AbortSignal.

/**
 * Returns a controller that is aborted when one of the parents is. Abort it when its work is done: that removes its
 * listeners from the parents. AbortSignal.any would do the same, but Firefox has it only since version 124.
 */
export function childOf(...parents: (AbortSignal | undefined)[]): AbortController {
  const child = new AbortController();
  for (const parent of parents) {
    if (parent?.aborted) child.abort(parent.reason);
    else parent?.addEventListener("abort", () => child.abort(parent.reason), { once: true, signal: child.signal });
  }
  return child;
}

/**
 * Settles as the promise does, or rejects with the signal's reason as soon as the signal is aborted. The work behind
 * the promise is not stopped; its result is ignored.
 */
export function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const abort = () => reject(signal.reason as Error);
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
