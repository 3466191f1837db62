// The figures of the listings on each release of Go, as book/measured has them.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { root } from "./site.ts";

export interface Figure {
  name: string;
  allocs_per_op: number;
  bytes_per_op: number;
}

export interface History {
  /** The patch releases by minor release, oldest first. */
  releases: Record<string, string>;
  /** The measurements by listing and minor release, oldest first. */
  listings: Record<string, Record<string, { benchmarks: Figure[] }>>;
}

interface Stored {
  /** By listing, oldest first. Successive releases that gave the same figures have one entry. */
  listings: Record<string, { go: string[]; benchmarks: Figure[] }[]>;
}

export async function readHistory(): Promise<History> {
  const stored = JSON.parse(await readFile(join(root, "book/measured/history.json"), "utf8")) as Stored;
  const minor = (patch: string) => /^go\d+\.\d+/.exec(patch)![0];
  const listings = Object.entries(stored.listings).map(([name, all]) => [
    name,
    Object.fromEntries(all.flatMap(({ go, benchmarks }) => go.map((patch) => [minor(patch), { benchmarks }]))),
  ]);
  const patches = Object.values(stored.listings).flatMap((all) => all.flatMap(({ go }) => go));
  const age = (patch: string) => Number(patch.split(".")[1]);
  const releases = [...new Set(patches)].sort((a, b) => age(a) - age(b)).map((patch) => [minor(patch), patch]);
  return { releases: Object.fromEntries(releases), listings: Object.fromEntries(listings) };
}
