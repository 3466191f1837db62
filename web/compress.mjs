// Lays compressed copies of a folder's texts beside them, as NAME.br and NAME.gz, for servers that send such copies: the runner,
// and others that are told to. One that is not smaller is left out.
//   node web/compress.mjs FOLDER          texts, as well as is quickly done
//   node web/compress.mjs --best FOLDER   all files, as small as browsers can read: some seconds for each megabyte
//   node web/compress.mjs --fast FOLDER   all files, for readers on this machine or beside it: some seconds for all
import { readdir, readFile, writeFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

const TEXTS = new Set([".html", ".css", ".js", ".json", ".svg", ".txt", ".xml"]);
/** Bytes from which a copy is worth a file: below, headers and packets weigh more. */
const LEAST = 1024;
const best = process.argv[2] === "--best";
const fast = process.argv[2] === "--fast";
const [folder, ...more] = process.argv.slice(best || fast ? 3 : 2);
if (!folder || folder.startsWith("-") || more.length > 0) {
  console.error("usage: node web/compress.mjs [--best | --fast] FOLDER");
  process.exit(2);
}

/** Brotli's best takes seconds for a megabyte: what browsers keep has it. Pages make do with less, and so does page.wasm, which each edit of the checker's changes. */
const quality = (name) => {
  if (fast) return 4;
  if (best) return name.endsWith("page.wasm") ? 9 : 11;
  return /\.(css|js)$/.test(name) ? 11 : 7;
};

async function compress(name) {
  const text = await readFile(name);
  if (text.length < LEAST) return;
  const copies = {
    br: promisify(brotliCompress)(text, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: quality(name),
        [constants.BROTLI_PARAM_SIZE_HINT]: text.length,
        // The window that RFC 7932 ends at; without "best" the library's own, which takes less memory.
        [constants.BROTLI_PARAM_LGWIN]: best ? constants.BROTLI_MAX_WINDOW_BITS : constants.BROTLI_DEFAULT_WINDOW,
      },
    }),
    gz: promisify(gzip)(text, { level: fast ? 3 : 9 }),
  };
  for (const [suffix, copy] of Object.entries(copies)) {
    const bytes = await copy;
    if (bytes.length < text.length) await writeFile(`${name}.${suffix}`, bytes);
  }
}

const entries = await readdir(folder, { recursive: true, withFileTypes: true });
const names = entries.filter((e) => e.isFile() && (best || fast || TEXTS.has(extname(e.name)))).map((e) => join(e.parentPath ?? e.path, e.name));
// A few at a time: they are compressed by Node's four threads.
const next = names.values();
await Promise.all(Array.from({ length: 4 }, async () => {
  for (const name of next) await compress(name);
}));
