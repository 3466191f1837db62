// The pages of the built site, found by walking it, and their kinds.

import { readdir } from "node:fs/promises";
import { join, relative } from "node:path";
import { sampleOf } from "../sample.ts";

export interface SitePage {
  /** The path below the site's; "" is the front page. */
  path: string;
  kind: string;
  /** Whether the page is part of the book, with mdBook's markup. */
  book: boolean;
}

/** mdBook shows this page only in a frame of other pages. */
const FRAMES = new Set(["book/toc.html"]);

/** Pages with the same layout are of one kind. Every other page is a kind of its own. */
const KINDS: [RegExp, string][] = [
  [/^$/, "front page"],
  [/^no\/such\/page$/, "404"],
  [/^exercises\/[^/]+\/$/, "exercise"],
  [/^history\/[^/]+\/[^/]+\/$/, "listing"],
  [/^book\/print\.html$/, "book: all on one page"],
  [/^book\/.*exercises\.html$/, "book: exercises"],
  [/^book\//, "book: chapter"],
];

/** Pages of one layout that differ in their texts. make proof looks at one of them, and make nightly at all. */
const SAME_LAYOUT = [
  /^authors\/[^/]+\/$/,
  /^instructors\/(full|half)-day\/$/,
  /^instructors\/(full|half)-day\/deck\/$/,
  /^instructors\/server\/[^/]+\/$/,
];

/** Returns all pages, in order. */
export async function pagesIn(tree: string): Promise<SitePage[]> {
  const entries = await readdir(tree, { recursive: true, withFileTypes: true });
  const names = entries
    .filter((e) => e.isFile() && e.name.endsWith(".html"))
    .map((e) => relative(tree, join(e.parentPath, e.name)));
  return names
    .filter((name) => !FRAMES.has(name))
    .sort()
    .map((name) => {
      // 404.html is tested at a path that does not exist.
      const path = name === "404.html" ? "no/such/page" : name.replace(/(^|\/)index\.html$/, "$1");
      const kind = KINDS.find(([pattern]) => pattern.test(path))?.[1] ?? path;
      return { path, kind, book: path.startsWith("book/") };
    });
}

/** Returns one page of each kind: the first, but among the book's chapters one with many features. */
export function oneOfEach(pages: SitePage[]): SitePage[] {
  const chosen = new Map<string, SitePage>();
  for (const page of pages) {
    if (!chosen.has(page.kind) || page.path === "book/memory-profiling/program.html") chosen.set(page.kind, page);
  }
  const left = new Set(chosen.values());
  for (const layout of SAME_LAYOUT) {
    const same = [...left].filter(({ path }) => layout.test(path));
    const kept = sampleOf(same, 1, ({ path }) => path);
    for (const page of same) if (!kept.includes(page)) left.delete(page);
  }
  return [...left];
}
