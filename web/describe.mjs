// Gives each page of a built book a title and a description of its own, where mdBook gives several pages the same title
// and all of them the book's description, and a card for social networks with both. The description is the beginning of
// the page's text. The card has no picture, because that needs the address of the site, which the book does not know.
//   node web/describe.mjs FOLDER
import { readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

const folder = process.argv[2];
if (!folder || process.argv.length > 3) {
  console.error("usage: node web/describe.mjs FOLDER");
  process.exit(2);
}

const TITLE = /<title>([^]*?)<\/title>/;
const DESCRIPTION = /<meta name="description" content="[^"]*">/;
const MAIN = /<main>[^]*?<\/main>/;
const PARAGRAPH = /<p>([^]*?)<\/p>/g;
/** How much of a description search engines show, in characters. */
const LENGTH = 160;

/** Returns the beginning of a page's text, as the value of an attribute; "" if the page has none. */
function beginning(page) {
  let text = "";
  for (const [, html] of (MAIN.exec(page)?.[0] ?? "").matchAll(PARAGRAPH)) {
    text += " " + html.replace(/<[^>]*>/g, "").replaceAll('"', "&quot;");
    text = text.replace(/\s+/g, " ").trim();
    if (text.length >= LENGTH / 2) break;
  }
  return shortened(text);
}

/** Cuts a text at the end of a sentence or else between two words. */
function shortened(text) {
  if (text.length <= LENGTH) return text;
  const most = text.slice(0, LENGTH);
  const sentences = /^[^]*[.?](?= )/.exec(most)?.[0] ?? "";
  return sentences.length > LENGTH / 3 ? sentences : `${most.slice(0, most.lastIndexOf(" "))} …`;
}

const files = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith(".html"));
const pages = new Map();
const uses = new Map();
for (const name of files) {
  const text = await readFile(join(folder, name), "utf8");
  const [title, book] = (TITLE.exec(text)?.[1] ?? "").split(" - ");
  const description = beginning(text);
  // The table of contents has no text, and a page that only leads elsewhere has no description.
  if (book === undefined || description === "" || !DESCRIPTION.test(text)) continue;
  pages.set(name, { text, title, book, description });
  uses.set(title, (uses.get(title) ?? 0) + 1);
}
for (const [name, { text, title, book, description }] of pages) {
  // "Exercises" is in several chapters. A chapter is called like its first page.
  const chapter = pages.get(join(dirname(name), "index.html"))?.title;
  const own = uses.get(title) > 1 && chapter !== undefined && chapter !== title ? `${chapter}: ${title}` : title;
  const card = { title: own, site_name: book, description, type: "article" };
  const metas = [
    `<meta name="description" content="${description}">`,
    ...Object.entries(card).map(([key, content]) => `<meta property="og:${key}" content="${content}">`),
    '<meta name="twitter:card" content="summary">',
  ];
  const described = text
    .replace(TITLE, () => `<title>${own} · ${book}</title>`) // joined as the titles of the site's other pages are
    .replace(DESCRIPTION, () => metas.join("\n"));
  await writeFile(join(folder, name), described);
}
