// Leaves out of the search of a built book what its pages fold: the answers to predictions and questions, hints, and
// the steps of programs. mdBook puts the text of pages into the index as it is written, so a search would show an answer
// before the reader has thought about the question. This script makes the index again, of the pages' visible text.
//   node web/search-index.mjs FOLDER
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import vm from "node:vm";

const folder = process.argv[2];
if (!folder || process.argv.length > 3) {
  console.error("usage: node web/search-index.mjs FOLDER");
  process.exit(2);
}

const MAIN = /<main>([^]*?)<\/main>/;
const HEADING = /<h([1-6]) id="([^"]*)"[^>]*>[^]*?<\/h\1>/g;
/** What is folded, and data of scripts. No such element is inside another of its kind. */
const FOLDED = /<(details|script|style)\b[^]*?<\/\1>|<span class="ots-folded"[^>]*>[^]*?<\/span><\/span>/g;
const INLINE_TAG = /<\/?(?:a|abbr|b|bdi|code|del|em|i|kbd|mark|small|span|strong|sub|sup|tspan)\b[^>]*>/g;
const ENTITIES = { lt: "<", gt: ">", quot: '"', "#39": "'", "#x27": "'", nbsp: " ", amp: "&" };
/** The longest word that mdBook puts into the index, in characters. */
const LONGEST_WORD = 80;

/** Returns the text of HTML that a reader sees without opening anything. */
function visibleText(html) {
  return html
    .replaceAll(FOLDED, " ")
    .replaceAll(INLINE_TAG, "")
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll(/&(#?\w+);/g, (entity, name) => ENTITIES[name] ?? entity)
    .replaceAll(/\s+/g, " ")
    .trim();
}

/** Returns the text of each section of a page by its heading's ID, "" for the text before the first of the IDs. */
function sectionsOf(page, ids) {
  const html = MAIN.exec(page)?.[1] ?? "";
  const sections = new Map();
  let [id, from] = ["", 0];
  for (const heading of html.matchAll(HEADING)) {
    if (!ids.has(heading[2])) continue;
    sections.set(id, visibleText(html.slice(from, heading.index)));
    [id, from] = [heading[2], heading.index + heading[0].length];
  }
  return sections.set(id, visibleText(html.slice(from)));
}

/** Returns the name of the only file of the folder that a pattern matches. */
async function only(pattern) {
  const names = (await readdir(folder)).filter((name) => pattern.test(name));
  if (names.length !== 1) throw new Error(`${folder} has ${names.length} files for the search like ${pattern}`);
  return names[0];
}

const file = join(folder, await only(/^searchindex-\w+\.js$/));
const context = vm.createContext({ window: { search: {} } });
vm.runInContext(await readFile(file, "utf8"), context);
vm.runInContext(await readFile(join(folder, await only(/^elasticlunr-\w+\.min\.js$/)), "utf8"), context);
const { elasticlunr } = context;
const { search } = context.window;

/** The IDs of the sections of each page that the index has. */
const pages = new Map();
const places = search.doc_urls.map((url) => url.split("#"));
for (const [page, id = ""] of places) pages.set(page, (pages.get(page) ?? new Set()).add(id));
for (const [page, ids] of pages) pages.set(page, sectionsOf(await readFile(join(folder, page), "utf8"), ids));

const { tokenizer } = elasticlunr;
elasticlunr.tokenizer = (text) => tokenizer(text).filter((word) => word.length <= LONGEST_WORD);
const index = elasticlunr();
for (const field of search.index.fields) index.addField(field);
index.setRef(search.index.ref);
for (const [ref, doc] of Object.entries(search.index.documentStore.docs)) {
  const [page, id = ""] = places[ref];
  const body = pages.get(page).get(id);
  if (body === undefined) throw new Error(`${page} has no heading with the ID ${id}, which the search leads to`);
  index.addDoc({ ...doc, body });
}

const json = JSON.stringify({ ...search, index: index.toJSON() });
const text = json.replaceAll("\\", "\\\\").replaceAll("'", "\\'");
await writeFile(file, `window.search = Object.assign(window.search, JSON.parse('${text}'));`);
