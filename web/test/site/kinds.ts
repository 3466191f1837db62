// The pages of the built site, found by walking it, and their kinds.

import { readdir } from "node:fs/promises";
import { join, relative } from "node:path";

export interface SitePage {
  /** Below the site's path; "" is the front page. */
  path: string;
  kind: string;
  /** Part of the book, so mdBook's markup. */
  book: boolean;
}

/** mdBook shows this one only in a frame of others. */
const FRAMES = new Set(["book/toc.html"]);

/** Pages that one layout makes are of one kind; every other page is one of its own. */
const KINDS: [RegExp, string][] = [
  [/^$/, "front page"],
  [/^no\/such\/page$/, "404"],
  [/^exercises\/[^/]+\/$/, "exercise"],
  [/^history\/[^/]+\/[^/]+\/$/, "listing"],
  [/^book\/print\.html$/, "book: all on one page"],
  [/^book\/.*exercises\.html$/, "book: exercises"],
  [/^book\//, "book: chapter"],
];

/** All pages, in order. */
export async function pagesIn(tree: string): Promise<SitePage[]> {
  const entries = await readdir(tree, { recursive: true, withFileTypes: true });
  const names = entries.filter((e) => e.isFile() && e.name.endsWith(".html")).map((e) => relative(tree, join(e.parentPath, e.name)));
  return names
    .filter((name) => !FRAMES.has(name))
    .sort()
    .map((name) => {
      // A page that is not there stands for itself at such a path.
      const path = name === "404.html" ? "no/such/page" : name.replace(/(^|\/)index\.html$/, "$1");
      const kind = KINDS.find(([pattern]) => pattern.test(path))?.[1] ?? path;
      return { path, kind, book: path.startsWith("book/") };
    });
}

/** One page of each kind: the first, but for the book's chapters one that shows most of what a chapter can. */
export function oneOfEach(pages: SitePage[]): SitePage[] {
  const chosen = new Map<string, SitePage>();
  for (const page of pages) {
    if (!chosen.has(page.kind) || page.path === "book/memory-profiling/program.html") chosen.set(page.kind, page);
  }
  return [...chosen.values()];
}
