// Makes the pages of a built book light: mdBook's page asks for eight style sheets and a script before it shows anything, and for
// the search before anybody searches. Styles are put into the page, what draws the table of contents waits for the page, and the
// search is left to web/src/search.ts. mdBook's own scripts, which it leaves as they were written, are minified. The pages'
// first element leads the keyboard past the sidebar: mdBook's template has no place for it.
//   node web/lighten.mjs FOLDER
import { readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { transform } from "esbuild";

const folder = process.argv[2];
if (!folder || process.argv.length > 3) {
  console.error("usage: node web/lighten.mjs FOLDER");
  process.exit(2);
}

const STYLE = /<link rel="stylesheet"((?: id="[^"]*")?) href="([^"]+)"((?: media="[^"]*")?)>/g;
const CONTENTS = /<script src="([^"]*\/?toc-[0-9a-f]+\.js)">/g;
const SEARCH = /<script src="([^"]*\/?(?:elasticlunr|mark|searcher)-[0-9a-f]+(?:\.min)?\.js)">/g;

/** Scripts that mdBook's pages load, all of them or for the search. Their names keep the hashes of what they were before. */
const SCRIPT = /^(?:book|searcher|toc)-[0-9a-f]+\.js$/;

/** What is left of a page's body: its frame of the table of contents has no text to skip to. */
const BODY = /<body[^>]*>(?=[^]*\sid="mdbook-content")/;
const SKIP = '<a class="ots-skip" href="#mdbook-content">Skip to the text</a>';

const sheets = new Map();
async function sheet(name) {
  if (!sheets.has(name)) {
    const text = await readFile(name, "utf8");
    if (/url\((?!["']?(data:|#))/.test(text)) throw new Error(`${name} names a file: put into a page, it would look for it elsewhere`);
    // Comments and indentation are for who reads the source.
    sheets.set(name, text.replaceAll(/\/\*[^]*?\*\//g, "").replaceAll(/\s*\n\s*/g, "\n").trim());
  }
  return sheets.get(name);
}

const entries = await readdir(folder, { recursive: true, withFileTypes: true });
for (const { name } of entries.filter((entry) => entry.isFile() && SCRIPT.test(entry.name) && (entry.parentPath ?? entry.path) === folder)) {
  const file = join(folder, name);
  // These are classic scripts, so esbuild keeps the names of their globals, which the pages' own scripts use.
  const { code } = await transform(await readFile(file, "utf8"), { minify: true, charset: "utf8", legalComments: "inline" });
  await writeFile(file, code);
}
for (const entry of entries) {
  if (!entry.isFile() || !entry.name.endsWith(".html")) continue;
  const name = join(entry.parentPath ?? entry.path, entry.name);
  const page = await readFile(name, "utf8");
  const light = [];
  let at = 0;
  for (const found of page.matchAll(STYLE)) {
    // Printing can wait for a request.
    if (found[3] !== "") continue;
    light.push(page.slice(at, found.index), `<style${found[1]}>`, await sheet(join(dirname(name), found[2])), "</style>");
    at = found.index + found[0].length;
  }
  light.push(page.slice(at));
  const text = light.join("").replace(BODY, `$&${SKIP}`).replaceAll(CONTENTS, '<script defer src="$1">').replaceAll(SEARCH, '<script type="text/later" src="$1">');
  if (text !== page) await writeFile(name, text);
}
