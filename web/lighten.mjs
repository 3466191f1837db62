// Makes the pages of a built book load faster. mdBook's pages request a dozen style sheets and a script before they
// show anything, and scripts for the search before a reader searches. This script puts the style sheets into the pages,
// a widget's only into pages that have the widget, defers the script that draws the table of contents, leaves loading
// the search to web/src/search.ts, minifies mdBook's styles and scripts, and removes the comments of mdBook's template.
// Styles and icons for what no page of this book has go too.
// It leaves two themes in the menu, because mdBook's others say nothing by their names, and the site has these two alone.
// The script in place of highlight.js, which takes less than its request, goes into the pages too. The empty corner of a
// table becomes a plain cell, so that screen readers announce no empty header. The list of keys gets the keys of programs
// and exercises. In the table of contents, the link to a page gets the numbers of its exercises, so that the sidebar can
// say how many have passed. The script also adds the pages' own script, a module, and a link that skips the sidebar, for
// both of which mdBook's template has no place.
//   node web/lighten.mjs FOLDER
import { createHash } from "node:crypto";
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { transform } from "esbuild";
import { moduleTags } from "./build.mjs";

const folder = process.argv[2];
if (!folder || process.argv.length > 3) {
  console.error("usage: node web/lighten.mjs FOLDER");
  process.exit(2);
}

const STYLE = /<link rel="stylesheet"((?: id="[^"]*")?) href="([^"]+)"((?: media="[^"]*")?)>/g;
/** The style sheet of a widget, which is named after the widget's class. */
const WIDGET = /\/(ots-[a-z]+)(?:-[0-9a-f]+)?\.css$/;
const CONTENTS = /<script src="((?:[^"]*\/)?)toc-[0-9a-f]+\.js">/g;
const HIGHLIGHT = /<script src="([^"]*\/?highlight-[0-9a-f]+\.js)">(?=<\/script>)/g;
const INLINE = /(?<=<script>)[^]+?(?=<\/script>)/g;
/** A comment of mdBook's template, not one that names the license of a picture. */
const COMMENT = /\n *<!--(?!!)[^]*?-->/g;
/** A link in the table of contents, and the beginning of an exercise in a page. */
const ENTRY = /<a href="([^"#]+\.html)"/g;
const EXERCISE = /<section class="ots-exercise" id="exercise(\d+)"/g;
const SEARCH = /<script src="([^"]*\/?(?:elasticlunr|mark|searcher)-[0-9a-f]+(?:\.min)?\.js)">/g;

/** mdBook's own scripts. Their names keep the hashes of the original files, but for the table of contents. */
const SCRIPT = /^(?:book|searcher|toc)-[0-9a-f]+\.js$/;

/** The end of the head, in pages with a text. */
const HEAD = /(?=<\/head>[^]*\sid="mdbook-content")/;
/** The beginning of the body, in such pages. The frame of the table of contents has none. */
const BODY = /<body[^>]*>(?=[^]*\sid="mdbook-content")/;
const SKIP = '<a class="ots-skip" href="#mdbook-content">Skip to the text</a>';

/** The themes of mdBook that are left out. Navy, which is the site's dark, is called so. */
const OTHER_THEMES = / *<li role="none"><button [^>]*id="mdbook-theme-(?:rust|coal|ayu)">[^<]*<\/button><\/li>\n/g;

/** Elements for which mdBook has styles, icons and colors, and which no page of this book has. */
const ABSENT = /\b(?:ace_\w+|blockquote-tag|boring|editable|footnote|hidelines|playground|warning)/;
const ABSENT_CLASS = new RegExp(`class="[^"]*${ABSENT.source}`);
/** Icons of buttons that only such elements have, and colors of these elements. */
const ICON = / *<template id="?fa-(?:eye|eye-slash|play|clock-rotate-left|copy)"?>[^]*?<\/template>\n?/g;
const COLOR = /--(?:blockquote-[a-z]+-color|footnote-highlight|warning-border): ?[^;{}]*;/g;
/** A rule of a minified style sheet. */
const RULE = /([^{}]*)\{[^{}]*\}/g;
const OTHER_THEME = /^\.(?:rust|coal|ayu)$/;

/** Returns a minified style sheet without the rules for themes and elements that no page has. */
function withoutAbsent(style) {
  const isAbsent = (selector) => ABSENT.test(selector) || OTHER_THEME.test(selector);
  return style.replaceAll(RULE, (rule, selectors) => (selectors.split(",").every(isAbsent) ? "" : rule)).replaceAll(COLOR, "");
}

const NAVY = /(?<=id="mdbook-theme-navy">)Navy(?=<)/;
/** The condition in mdBook's template under which a page has the system's theme. */
const NO_THEME = /theme === null \|\| theme === undefined/;

/** The empty corner of a table, which is no header of anything. */
const CORNER = /<th([^>]*)><\/th>/g;

/** The end of mdBook's list of keys. */
const LAST_KEY = /(?=<p>Press <kbd>Esc<\/kbd> to hide this help<\/p>)/;
/** The keys of programs and exercises, for pages that have some. */
const OWN_KEYS =
  "<p>Press <kbd>Ctrl</kbd> and <kbd>Enter</kbd> in an editor to run the program or to check it</p>" +
  "<p>Press <kbd>N</kbd> or <kbd>P</kbd> in the steps of a program for the next or the previous one, <kbd>O</kbd> to step " +
  "over a call</p>";
const HAS_KEYS = /class="ots-(?:program|exercise)/;

/** Leaves two themes, also for a reader who chose another in an earlier version. */
function withTwoThemes(page) {
  if (!NAVY.test(page)) return page;
  if (!NO_THEME.test(page)) throw new Error("mdBook's template chooses the theme in another way");
  return page.replaceAll(OTHER_THEMES, "").replace(NAVY, "Dark").replace(NO_THEME, 'theme !== "light" && theme !== "navy"');
}

/** Minifies a text. Scripts are classic ones, so esbuild keeps the names of their globals, which pages use. */
async function minified(text, loader) {
  const options = { loader, minify: true, charset: "utf8", legalComments: "inline" };
  return (await transform(text, options)).code.trim();
}

/** Returns f with a cache: it is called once for each argument. */
function once(f) {
  const results = new Map();
  return (argument) => {
    if (!results.has(argument)) results.set(argument, f(argument));
    return results.get(argument);
  };
}

const styleOf = once(async (file) => {
  const style = withoutAbsent(await minified(await readFile(file, "utf8"), "css"));
  if (/url\((?!["']?(data:|#))/.test(style)) {
    throw new Error(`${file} refers to another file, which a page that contains the style would look for elsewhere`);
  }
  return style;
});

const scriptOf = once((text) => minified(text, "js"));

/** Like replaceAll, with a function that returns a promise. */
async function replaceEach(text, pattern, replacement) {
  const parts = await Promise.all([...text.matchAll(pattern)].map((match) => replacement(...match)));
  return text.replaceAll(pattern, () => parts.shift());
}

/** Returns the script of the table of contents with the numbers of each page's exercises in its link. */
const withExercises = (contents) =>
  replaceEach(contents, ENTRY, async (link, page) => {
    const numbers = [...(await readFile(join(folder, page), "utf8")).matchAll(EXERCISE)].map(([, number]) => number);
    return numbers.length === 0 ? link : `${link} data-exercises="${numbers.join(" ")}"`;
  });

/**
 * Minifies one of mdBook's own scripts, and returns its name. A browser keeps a script for as long as its name is the
 * same, so the table of contents is named after its content, exercises included.
 */
async function lightenScript(name) {
  const script = await readFile(join(folder, name), "utf8");
  if (!name.startsWith("toc-")) {
    await writeFile(join(folder, name), await minified(script, "js"));
    return name;
  }
  const contents = await minified(await withExercises(script), "js");
  const named = `toc-${createHash("sha256").update(contents).digest("hex").slice(0, 8)}.js`;
  await rm(join(folder, name));
  await writeFile(join(folder, named), contents);
  return named;
}

const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
// Before the pages are written, because the table of contents is made from them.
const scripts = await Promise.all((await readdir(folder)).filter((name) => SCRIPT.test(name)).map(lightenScript));
const contents = scripts.find((name) => name.startsWith("toc-"));
if (!contents) throw new Error(`${folder} has no table of contents`);
await Promise.all(files.map(async (entry) => {
  const { name } = entry;
  // Node has parentPath since 20.12.
  const parent = entry.parentPath ?? entry.path;
  const file = join(parent, name);
  if (!name.endsWith(".html")) return;
  const built = await readFile(file, "utf8");
  const [absent] = ABSENT_CLASS.exec(built) ?? [];
  if (absent) throw new Error(`${file} has an element with ${absent}, whose styles lighten.mjs leaves out`);
  const page = withTwoThemes(built).replaceAll(ICON, "");
  // The style sheet for printing, the only one with a medium, is not needed to show the page.
  const styled = await replaceEach(page, STYLE, async (link, id, href, media) => {
    if (media !== "") return link;
    const [, widget] = WIDGET.exec(href) ?? [];
    if (widget && !page.includes(`class="${widget}`)) return "";
    return `<style${id}>${await styleOf(join(dirname(file), href))}</style>`;
  });
  const scripted = await replaceEach(styled, HIGHLIGHT, async (_, src) =>
    `<script>${await readFile(join(dirname(file), src), "utf8")}`,
  );
  const text = (await replaceEach(scripted, INLINE, scriptOf))
    .replaceAll(COMMENT, "")
    .replaceAll(CORNER, "<td$1></td>")
    .replace(LAST_KEY, HAS_KEYS.test(page) ? OWN_KEYS : "")
    .replace(HEAD, () => moduleTags(page, `${relative(dirname(file), folder) || "."}/widgets/`))
    .replace(BODY, `$&${SKIP}`)
    .replaceAll(CONTENTS, `<script defer src="$1${contents}">`)
    .replaceAll(SEARCH, '<script type="text/later" src="$1">');
  if (text !== built) await writeFile(file, text);
}));
