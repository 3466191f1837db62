// Looks for the site's engine.

import { pagesSize } from "../offline/keep.ts";
import { Engine } from "./engine.ts";
import { transferSize } from "./manifest.ts";
import { areKept, codingOf, fetchManifest, keepsFiles } from "./parts.ts";

/**
 * bytes is the compressed size of the engine's parts, and pages the uncompressed size of the workbook's pages. keeps says whether the
 * browser keeps both for a later visit.
 */
export type FoundEngine = { engine: Engine; bytes: number } | { engine: null; bytes: number; pages: number; go: string; keeps: boolean };

/**
 * The engine of the site, whose parts are in the folder; without an engine, what it would fetch, where that is not kept and the reader
 * did not agree. Null where the site has none. It rejects with a FetchError where the network fails.
 */
export async function findEngine(folder: string, agreed: () => boolean): Promise<FoundEngine | null> {
  const manifest = await fetchManifest(folder);
  if (!manifest) return null;
  const bytes = transferSize(manifest, await codingOf(folder, manifest));
  const free = agreed() || (await areKept(folder, manifest));
  const keeps = await keepsFiles();
  const pages = free || !keeps ? 0 : await pagesSize();
  // Looked at again: the reader may have agreed meanwhile.
  if (free || agreed()) return { engine: new Engine(folder, manifest), bytes };
  return { engine: null, bytes, pages, go: manifest.go, keeps };
}
