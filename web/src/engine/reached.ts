// Finds out whether a server is there that does not answer: some networks neither answer nor fail.

import type { CallOptions, Outcome, Runner } from "../runner.ts";
import { siteRoot } from "../site-root.ts";

/** An answer that takes longer has the server asked whether it is there. */
const PATIENCE_MS = 5000;
const PROBE_MS = 3000;

/** A server's answer; "unreachable", too, when it says nothing to an easier question meanwhile. */
export async function reached<T>(server: Runner, options: CallOptions, call: (options: CallOptions) => Promise<Outcome<T>>): Promise<Outcome<T>> {
  const gone = new AbortController();
  const stop = () => gone.abort();
  if (options.signal?.aborted) stop();
  options.signal?.addEventListener("abort", stop);
  let heard = false;
  let lost = false;
  const timer = setTimeout(async () => {
    const { kind } = await server.version({ signal: AbortSignal.timeout(PROBE_MS) });
    if (heard || kind === "ok" || kind === "refused") return;
    lost = true;
    stop();
  }, PATIENCE_MS);
  const hears = <News>(tell: ((news: News) => void) | undefined) => (news: News) => {
    heard = true;
    tell?.(news);
  };
  try {
    const outcome = await call({ signal: gone.signal, onBusy: hears(options.onBusy), onNews: hears(options.onNews) });
    return lost ? { kind: "unreachable", place: siteRoot() } : outcome;
  } finally {
    clearTimeout(timer);
    options.signal?.removeEventListener("abort", stop);
  }
}
