// The part of a matrix that make proof runs.

import { createHash } from "node:crypto";

/** Whether only samples are tested: the Makefile sets SAMPLE in make proof, and make nightly tests everything. */
export const sampled = process.env["SAMPLE"] !== undefined;

/** Returns a sample of that many cases, which each commit chooses anew; all of them if everything is tested. */
export function sampleOf<T>(cases: readonly T[], count: number, name: (one: T) => string): readonly T[] {
  if (!sampled) return cases;
  const rank = (one: T) => createHash("sha256").update(`${process.env["SAMPLE"]}\n${name(one)}`).digest("hex");
  const chosen = new Set([...cases].sort((a, b) => (rank(a) < rank(b) ? -1 : 1)).slice(0, count));
  return cases.filter((one) => chosen.has(one));
}
