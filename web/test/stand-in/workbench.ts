// The page of one exercise, as site/layouts/exercises/page.html makes it.

import { readFileSync } from "node:fs";
import { dataBlock, escapeHTML } from "./page.ts";
import { scriptTag } from "./scripts.ts";
import { EXERCISE, STARTER } from "./verdicts.ts";

const text = (path: string) => readFileSync(`${process.env["OTS_ROOT"]}${path}`, "utf8");

/** Returns style sheets of the site, after the design tokens. */
export const siteStyle = (...names: string[]) =>
  ["internal/present/tokens.css", ...names.map((name) => `site/assets/css/${name}.css`)].map(text).join("\n");

/** Returns the style sheets that site/layouts/_partials/workbench.html names, in its order. */
export function workbenchStyles(): string {
  const [, list = ""] = /range slice ([^}]+)/.exec(text("site/layouts/_partials/workbench.html")) ?? [];
  return list.trim().split(" ").map((name) => text(`site/assets/css/workbench-${JSON.parse(name)}.css`)).join("\n");
}

/** The header of the site's pages. */
export const TOP = `<header class="top">
<a class="home" href="/"><span>On the Stack</span></a>
<nav aria-label="Site">${["Book", "Recipes", "Exercises", "Play", "History", "Instructors", "Authors"]
  .map((name) => `<a href="/${name.toLowerCase()}/">${name}</a>`)
  .join("\n")}</nav>
<button class="theme" type="button">Dark</button>
</header>`;

/** Long enough that a pane of any height scrolls. */
const TASK = Array.from({ length: 12 }, (_, i) => `<p>Sentence ${i} says what <code>Replace</code> has to do. `
  + "It is long enough for a line of its own, and for a second one on a narrow screen.</p>").join("\n");

export function workbenchPage(): string {
  return `<!DOCTYPE html>
<html lang="en" data-root="/">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Hand back the interface</title>
<style>${siteStyle("base", "frame", "parts")}${workbenchStyles()}</style>
<link rel="stylesheet" href="/book/widgets/onthestack.css">
</head>
<body>
<a class="skip" href="#main">Skip to the text</a>
${TOP}
<main id="main" class="exercises page">
<div class="workbench">
<header class="head">
<p class="where"><a href="/exercises/#memory">Exercises</a> / <a href="/book/">Memory profiling</a> / 6 of 28</p>
<h1>Hand back the interface</h1>
<nav class="pager" aria-label="Exercises">
<a rel="prev" href="/exercises/exercise5/"><i aria-hidden="true">←</i> <b>Previous</b><span>: Keep the frame</span></a>
<a rel="next" href="/exercises/exercise7/"><i aria-hidden="true">→</i> <b>Next</b><span>: Know the size</span></a>
</nav>
</header>
<div class="work">
<section class="ots-exercise" id="exercise6" data-exercise="exercise6">
${dataBlock(EXERCISE)}
<div class="ots-task">
<p>Bring Replace down to one allocation.</p>
${TASK}
<p class="ots-target"><strong>Target</strong> 1 alloc/op, 64 B/op. The starter makes 2 allocs/op, 112 B/op.</p>
<details><summary>What is checked</summary><p>The tests check every sentence.</p></details>
</div>
<p class="ots-caption"><code>exercises/exercise6/stream.go</code></p>
<pre><code class="language-go">${escapeHTML(STARTER)}</code></pre>
<p>In the clone: <code>go run ./tools/checkalloc exercise6</code></p>
<details><summary>Hint 1</summary><p>Look at the last step.</p></details>
</section>
</div>
<details class="listings"><summary>2 listings of this chapter</summary><ul><li><a href="/history/">interface</a></li></ul></details>
</div>
</main>
<footer class="bottom"><p>A workbook about Go allocations.</p></footer>
${scriptTag("onthestack")}
</body>
</html>`;
}
