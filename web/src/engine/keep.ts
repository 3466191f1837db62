// Stores the engine in the browser's cache without starting it.

import { freeBuffer } from "./bytes.ts";
import { Download } from "./download.ts";
import { PARTS, transferSize } from "./manifest.ts";
import { codingOf, fetchManifest, fetchPart, partsToFetch, storeParts } from "./parts.ts";

/**
 * Fetches the engine's parts that are not in the cache, and stores each as soon as it is there. tell is called with the
 * share of them that has arrived, from 0 to 1, and with their size in bytes as they are sent. Returns why they cannot be
 * stored, in a sentence; "" if they are, or if the site has no engine. Rejects with a FetchError, or with the signal's
 * reason.
 */
export async function keepEngine(
  folder: string, signal: AbortSignal, tell: (share: number, bytes: number) => void,
): Promise<string> {
  const manifest = await fetchManifest(folder);
  if (!manifest) return "";
  const bytes = transferSize(manifest, await codingOf(folder, manifest));
  const names = await partsToFetch(folder, manifest, PARTS);
  const download = new Download(manifest, names, (at) => at.kind === "fetching" && tell(at.share, at.part * bytes));
  for (const name of names) {
    const part = await fetchPart(folder, manifest.parts[name], (share) => download.got(name, share), signal);
    const why = await storeParts(folder, manifest, [part]);
    freeBuffer(part.bytes);
    if (why !== "") return why;
  }
  return storeParts(folder, manifest, []);
}
