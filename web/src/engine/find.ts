// Finds the site's engine. The page loads this module when it is to check or run code itself; the compiler and linker,
// some megabytes, are fetched by parts.ts.

import { keepSite, pagesSize } from "../offline/keep.ts";
import { Engine } from "./engine.ts";
import { transferSize } from "./manifest.ts";
import { areCached, codingOf, fetchManifest, canCache } from "./parts.ts";

// A module of their own for each of these would be a request more.
export { fetchManifest, keepSite };

/** The engine, or what fetching it would take. */
export type FoundEngine =
  /** bytes is the size of the engine's parts as they are sent. */
  | { engine: Engine; bytes: number }
  /** pages is the uncompressed size of the workbook's pages. keeps: the browser stores both for a later visit. */
  | { engine: null; bytes: number; pages: number; go: string; keeps: boolean };

/**
 * Finds the engine of the site, whose parts are in the folder. It is not returned if its parts are not in the cache and
 * the reader has not agreed to fetch them. Null if the site has none. Rejects with a FetchError if the network fails.
 */
export async function findEngine(folder: string, agreed: () => boolean): Promise<FoundEngine | null> {
  const manifest = await fetchManifest(folder);
  if (!manifest) return null;
  const bytes = transferSize(manifest, await codingOf(folder, manifest));
  const free = agreed() || (await areCached(folder, manifest));
  const keeps = await canCache();
  const pages = free || !keeps ? 0 : await pagesSize();
  // The reader may have agreed meanwhile, so ask again.
  if (free || agreed()) {
    const engine = new Engine(folder, manifest);
    addEventListener("pagehide", () => engine.leave());
    return { engine, bytes };
  }
  return { engine: null, bytes, pages, go: manifest.go, keeps };
}
