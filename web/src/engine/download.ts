// How far the start of the engine's worker is: how much of the parts that are not in the cache has arrived.

import { transferOf, transferSize, type Manifest, type PartName } from "./manifest.ts";
import type { Loading } from "./protocol.ts";

export class Download {
  readonly #shares = new Map<PartName, number>();
  readonly #weight: (name: PartName) => number;
  /** What the parts to fetch are of all parts. Brotli's sizes have the proportions of other compressions, too. */
  readonly #part: number;
  readonly #tell: (loading: Loading) => void;
  #shown = 0;

  /** Tells at once that the names' parts are to be fetched, or that the worker starts if there are none. */
  constructor(manifest: Manifest, names: readonly PartName[], tell: (loading: Loading) => void) {
    this.#weight = (name) => transferOf(manifest.parts[name], "br");
    for (const name of names) this.#shares.set(name, 0);
    this.#part = names.reduce((sum, name) => sum + this.#weight(name), 0) / transferSize(manifest, "br");
    this.#tell = tell;
    this.#show();
  }

  /** Notes the share of a part that has arrived, from 0 to 1. Parts that were not to be fetched make no difference. */
  got(name: PartName, share: number): void {
    if (!this.#shares.has(name) || this.#shares.get(name) === 1) return;
    this.#shares.set(name, share);
    this.#show();
  }

  #show(): void {
    const parts = [...this.#shares];
    if (parts.every(([, share]) => share === 1)) return this.#tell({ kind: "starting" });
    const all = parts.reduce((sum, [name]) => sum + this.#weight(name), 0);
    const share = parts.reduce((sum, [name, share]) => sum + share * this.#weight(name), 0) / all;
    // The page redraws each time, so small progress is not told.
    if (share > 0 && share - this.#shown < 0.005) return;
    this.#shown = share;
    this.#tell({ kind: "fetching", share, part: this.#part });
  }
}
