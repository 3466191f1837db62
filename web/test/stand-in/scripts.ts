// The scripts that were built for this run of the tests.

import { readFileSync } from "node:fs";

/** The files of a page's script, or of a part that a script loads later; its own file is the first. */
export function filesOf(name: string, book = process.env["OTS_BOOK"]!): string[] {
  const all = JSON.parse(readFileSync(`${book}/widgets/scripts.json`, "utf8")) as Record<string, string[]>;
  const files = all[name];
  if (!files) throw new Error(`web/build.mjs builds no script ${name}: there are ${Object.keys(all).join(", ")}`);
  return files;
}

/** Returns the element that loads a page's script. */
export const scriptTag = (name: string) => `<script type="module" src="/book/widgets/${filesOf(name)[0]}"></script>`;
