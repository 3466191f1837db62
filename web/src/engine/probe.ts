// Detects a server that is down behind a network that neither answers nor fails.

import type { CallOptions, Outcome, Runner } from "../runner.ts";
import { siteRoot } from "../site-root.ts";
import { childOf } from "./abort.ts";

/** A request that is silent for this long has the server probed. */
const SILENT_MS = 5000;
/** The time that the server has to answer the probe. */
export const PROBE_MS = 3000;

/**
 * Sends a request to the server. If the server sends nothing for SILENT_MS and then fails a probe, the outcome is
 * "unreachable".
 */
export async function callOrProbe<T>(
  server: Runner, options: CallOptions, call: (options: CallOptions) => Promise<Outcome<T>>,
): Promise<Outcome<T>> {
  const request = childOf(options.signal);
  let alive = false;
  let down = false;
  const timer = setTimeout(async () => {
    const { kind } = await server.version({ signal: AbortSignal.timeout(PROBE_MS) });
    if (alive || kind === "ok" || kind === "refused") return;
    down = true;
    request.abort();
  }, SILENT_MS);
  const noting = <Event>(tell: ((event: Event) => void) | undefined) => (event: Event) => {
    alive = true;
    tell?.(event);
  };
  try {
    const { onBusy, onEvent } = options;
    const outcome = await call({ signal: request.signal, onBusy: noting(onBusy), onEvent: noting(onEvent) });
    return down ? { kind: "unreachable", url: siteRoot() } : outcome;
  } finally {
    clearTimeout(timer);
    request.abort();
  }
}
