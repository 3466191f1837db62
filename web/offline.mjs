// Writes the service worker of a built site, with the list of the files that it keeps: all that reading needs.
//   node web/offline.mjs SITE [BOOK]
// SITE gets the worker as sw.js, and offline.json, which says how much it is; BOOK is the book where it is not in SITE yet.
import { createHash } from "node:crypto";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { extname, join, relative, sep } from "node:path";
import { buildOffline } from "./build.mjs";

const [site, book] = process.argv.slice(2);
if (!site || process.argv.length > 4) {
  console.error("usage: node web/offline.mjs SITE [BOOK]");
  process.exit(2);
}

const KEPT = new Set([".html", ".css", ".js", ".json", ".svg", ".png", ".ico", ".woff", ".woff2"]);
/** The worker itself and what is written beside it, the picture for social networks, and Go's toolchain, which keeps its own parts. */
const LEFT_OUT = /^(sw\.js$|offline\.json$|card\.png$|engine\/)/;

async function list(folder, below) {
  const files = [];
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !KEPT.has(extname(entry.name))) continue;
    const name = join(entry.parentPath ?? entry.path, entry.name);
    const path = below + relative(folder, name).split(sep).map(encodeURIComponent).join("/");
    if (LEFT_OUT.test(path)) continue;
    const content = await readFile(name);
    files.push([path, createHash("sha256").update(content).digest("hex"), content.length]);
  }
  return files;
}

// In order: the same site has the same worker.
const files = [...(await list(site, "")), ...(book ? await list(book, "book/") : [])].sort(([a], [b]) => (a < b ? -1 : 1));
await buildOffline(files, join(site, "sw.js"));
await writeFile(join(site, "offline.json"), JSON.stringify({ files: files.length, bytes: files.reduce((sum, [, , bytes]) => sum + bytes, 0) }));
