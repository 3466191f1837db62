// The step in the page's address: "#step=5" shows the fifth step, and "#step=5&go=1.26,1.27" shows it on two releases
// of Go side by side.

/** Returns the index of the step that the address names, or null. */
export function stepHere(): number | null {
  const match = /(?:^#|[#&])step=(\d{1,6})(?:&|$)/.exec(location.hash);
  const n = Number(match?.[1] ?? 0);
  return n > 0 ? n - 1 : null;
}

/** Returns the releases of Go that the address names, "1.27" or "1.26,1.27"; "" if it names none. */
export function releasesHere(): string {
  return /[#&]go=([\d.,]{1,40})(?:&|$)/.exec(location.hash)?.[1] ?? "";
}

/**
 * Puts a step into the address, in place of the one that is there, with the releases unless they are ""; null removes
 * it.
 */
export function setStep(at: number | null, releases = ""): void {
  const step = `#step=${(at ?? 0) + 1}${releases && `&go=${releases}`}`;
  history.replaceState(history.state, "", at === null ? location.pathname + location.search : step);
}
