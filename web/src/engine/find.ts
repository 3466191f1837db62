// Finds the site's engine. The page loads this module when it is to check or run code itself; the compiler and linker,
// some megabytes, are fetched by parts.ts.

import { keepSite, pagesSize } from "../offline/keep.ts";
import { Engine } from "./engine.ts";
import { keepEngine } from "./keep.ts";
import { transferSize } from "./manifest.ts";
import { offerNotice } from "./offer-notice.ts";
import { areCached, codingOf, fetchManifest, canCache } from "./parts.ts";
import { PROBE_MS } from "./probe.ts";
import type { Build } from "./protocol.ts";
import type { Offer, Runner } from "../runner.ts";

// A module of their own for each of these would be a request more.
export { fetchManifest, keepEngine, keepSite };

/** The engine, or what fetching it would take. */
export type FoundEngine =
  /** bytes is the size of the engine's parts as they are sent. cached: all of them are in the browser's cache. */
  | { engine: Engine; bytes: number; cached: boolean }
  /** pages is the uncompressed size of the workbook's pages. keeps: the browser stores both for a later visit. */
  | { engine: null; bytes: number; pages: number; go: string; keeps: boolean; notice: Offer["notice"] };

/**
 * Finds the engine of the site, whose parts are in the folder. It is not returned if its parts are not in the cache and
 * the reader has not agreed to fetch them. Null if the site has none. Rejects with a FetchError if the network fails.
 */
export async function findEngine(folder: string, agreed: () => boolean): Promise<FoundEngine | null> {
  const manifest = await fetchManifest(folder);
  if (!manifest) return null;
  const cached = await areCached(folder, manifest);
  // How a host would send what is not fetched makes no difference.
  const bytes = transferSize(manifest, cached ? "br" : await codingOf(folder, manifest));
  const free = agreed() || cached;
  const keeps = await canCache();
  const pages = free || !keeps ? 0 : await pagesSize();
  // The reader may have agreed meanwhile, so ask again.
  if (free || agreed()) {
    const engine = new Engine(folder, manifest);
    addEventListener("pagehide", () => engine.leave());
    return { engine, bytes, cached };
  }
  return { engine: null, bytes, pages, go: manifest.go, keeps, notice: offerNotice };
}

/** An engine that nobody uses is freed when the page has been in the background for this long. */
const REST_AFTER_MS = 60_000;

/**
 * Prepares the engine now, and again when the reader comes back to the page after it was freed, unless the server, which
 * may be null, does the work.
 */
export async function keepReady(engine: Engine, server: Runner | null, build: () => Build): Promise<void> {
  const version = await server?.version({ signal: AbortSignal.timeout(PROBE_MS) });
  if (version?.kind === "ok") return;
  let resting: ReturnType<typeof setTimeout> | undefined;
  const follow = () => {
    clearTimeout(resting);
    if (document.visibilityState === "visible") void engine.prepare(build());
    else resting = setTimeout(() => engine.rest(), REST_AFTER_MS);
  };
  document.addEventListener("visibilitychange", follow);
  follow();
}
