// Lays compressed copies of a folder's texts beside them, as NAME.br and NAME.gz, for servers that send such copies: the runner,
// and others that are told to. One that is not smaller is left out.
//   node web/compress.mjs FOLDER
import { readdir, readFile, writeFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

const TEXTS = new Set([".html", ".css", ".js", ".json", ".svg", ".txt", ".xml"]);
/** Bytes from which a copy is worth a file: below, headers and packets weigh more. */
const LEAST = 1024;
/** Brotli's best takes a second for a megabyte: scripts and styles have it, which browsers keep; pages make do with less. */
const quality = (name) => (/\.(css|js)$/.test(name) ? 11 : 7);

const folder = process.argv[2];
if (!folder || process.argv.length > 3) {
  console.error("usage: node web/compress.mjs FOLDER");
  process.exit(2);
}

async function compress(name) {
  const text = await readFile(name);
  if (text.length < LEAST) return;
  const copies = {
    br: promisify(brotliCompress)(text, {
      params: { [constants.BROTLI_PARAM_QUALITY]: quality(name), [constants.BROTLI_PARAM_SIZE_HINT]: text.length },
    }),
    gz: promisify(gzip)(text, { level: 9 }),
  };
  for (const [suffix, copy] of Object.entries(copies)) {
    const bytes = await copy;
    if (bytes.length < text.length) await writeFile(`${name}.${suffix}`, bytes);
  }
}

const entries = await readdir(folder, { recursive: true, withFileTypes: true });
const names = entries.filter((e) => e.isFile() && TEXTS.has(extname(e.name))).map((e) => join(e.parentPath ?? e.path, e.name));
// A few at a time: they are compressed by Node's four threads.
const next = names.values();
await Promise.all(Array.from({ length: 4 }, async () => {
  for (const name of next) await compress(name);
}));
