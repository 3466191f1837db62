// The step in the page's address: "#step=5" is the fifth.

/** Returns the index of the step that the address names, or null. */
export function stepHere(): number | null {
  const match = /(?:^#|[#&])step=(\d{1,6})(?:&|$)/.exec(location.hash);
  const n = Number(match?.[1] ?? 0);
  return n > 0 ? n - 1 : null;
}

/** Puts a step into the address, in place of the one that is there; null removes it. */
export function setStep(at: number | null): void {
  history.replaceState(history.state, "", at === null ? location.pathname + location.search : `#step=${at + 1}`);
}
