// Writes compressed copies of the files in a folder, NAME.br and NAME.gz, beside them. The runner sends them, and so do
// other servers that are configured to. A copy that is not smaller than its file is left out.
//   node web/compress.mjs FOLDER          text files, pages as small as possible
//   node web/compress.mjs --best FOLDER   all files, as small as possible: some seconds for each megabyte
//   node web/compress.mjs --fast FOLDER   all files, for readers in the same network: some seconds for all
//   node web/compress.mjs --gzip FOLDER   text files, as quickly, by gzip alone: browsers accept no brotli over http
import { readdir, readFile, writeFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

const TEXTS = new Set([".html", ".css", ".js", ".json", ".svg", ".txt", ".xml"]);
/** The smallest file that is compressed, in bytes. Smaller ones fit into one packet anyway. */
const MIN_SIZE = 1024;
const best = process.argv[2] === "--best";
const gzipAlone = process.argv[2] === "--gzip";
const fast = gzipAlone || process.argv[2] === "--fast";
const [folder, ...more] = process.argv.slice(best || fast ? 3 : 2);
if (!folder || folder.startsWith("-") || more.length > 0) {
  console.error("usage: node web/compress.mjs [--best | --fast | --gzip] FOLDER");
  process.exit(2);
}

/**
 * Brotli's highest quality takes seconds for each megabyte, and makes a page a tenth smaller. It is not for page.wasm,
 * which every change of the checker builds anew, nor for data.
 */
const qualityOf = (name) => {
  if (fast) return 4;
  if (best) return name.endsWith("page.wasm") ? 9 : 11;
  return /\.(html|css|js)$/.test(name) ? 11 : 7;
};

async function compress(name) {
  const text = await readFile(name);
  if (text.length < MIN_SIZE) return;
  const copies = { gz: promisify(gzip)(text, { level: fast ? 3 : 9 }) };
  if (!gzipAlone)
    copies.br = promisify(brotliCompress)(text, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: qualityOf(name),
        [constants.BROTLI_PARAM_SIZE_HINT]: text.length,
        // The largest window of RFC 7932; without --best the default one, which takes less memory.
        [constants.BROTLI_PARAM_LGWIN]: best ? constants.BROTLI_MAX_WINDOW_BITS : constants.BROTLI_DEFAULT_WINDOW,
      },
    });
  for (const [suffix, copy] of Object.entries(copies)) {
    const bytes = await copy;
    if (bytes.length < text.length) await writeFile(`${name}.${suffix}`, bytes);
  }
}

const entries = await readdir(folder, { recursive: true, withFileTypes: true });
const files = entries.filter((e) => e.isFile() && (best || (fast && !gzipAlone) || TEXTS.has(extname(e.name))));
const names = files.map((e) => join(e.parentPath ?? e.path, e.name));
// Four at a time, the number of Node's threads.
const next = names.values();
await Promise.all(Array.from({ length: 4 }, async () => {
  for (const name of next) await compress(name);
}));
