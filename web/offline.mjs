// Writes the service worker of a built site, which contains the list of the files that it stores for use offline.
//   node web/offline.mjs [--engine MANIFEST] SITE [BOOK]
// It writes SITE/sw.js, and SITE/offline.json with the number and size of the files, and with the most bytes that are
// fetched for the engine of the manifest. BOOK is the folder of the book if it is not in SITE yet.
import { createHash } from "node:crypto";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { extname, join, relative, sep } from "node:path";
import { parseArgs } from "node:util";
import { buildOffline } from "./build.mjs";

const { values, positionals } = parseArgs({ options: { engine: { type: "string" } }, allowPositionals: true });
const [site, book] = positionals;
if (!site || positionals.length > 2) {
  console.error("usage: node web/offline.mjs [--engine MANIFEST] SITE [BOOK]");
  process.exit(2);
}

/** The extensions of the files that are stored. */
const STORED = new Set([".html", ".css", ".js", ".json", ".svg", ".png", ".webp", ".ico", ".woff", ".woff2"]);
/**
 * Files that are left out: the worker and offline.json, the card for social networks, the questions for rooms, which
 * need a server, and the engine, which stores its own parts.
 */
const LEFT_OUT = /^(sw\.js$|offline\.json$|card\.png$|engine\/|room\/questions)/;

/** Lists the files of a folder, with paths that begin with prefix. */
async function list(folder, prefix) {
  const files = [];
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !STORED.has(extname(entry.name))) continue;
    const name = join(entry.parentPath ?? entry.path, entry.name);
    const path = prefix + relative(folder, name).split(sep).map(encodeURIComponent).join("/");
    if (LEFT_OUT.test(path)) continue;
    const content = await readFile(name);
    files.push([path, createHash("sha256").update(content).digest("hex"), content.length]);
  }
  return files;
}

/** Returns the bytes that a page fetches for an engine from a host that does not compress. */
async function fetchedFor(manifest) {
  const { parts } = JSON.parse(await readFile(manifest, "utf8"));
  return Object.values(parts).reduce((sum, { size, gz }) => sum + (gz || size), 0);
}

// The list is sorted, so that the same site has the same worker.
const files = [...(await list(site, "")), ...(book ? await list(book, "book/") : [])];
files.sort(([a], [b]) => (a < b ? -1 : 1));
await buildOffline(files, join(site, "sw.js"));
const bytes = files.reduce((sum, [, , size]) => sum + size, 0);
const engine = values.engine ? { engine: await fetchedFor(values.engine) } : {};
await writeFile(join(site, "offline.json"), JSON.stringify({ files: files.length, bytes, ...engine }));
