// A page as mdBook builds it: its frame, its theme classes, its keyboard shortcuts, and the blocks that tools/bookalloc
// writes.

import { ARTICLES, CHOICES, GCTRACE, HISTORY, QUESTION, UNTIMED, WITH_BYTES } from "./blocks.ts";
import { scriptTag } from "./scripts.ts";
import { EXERCISE, EXPLAINED, PROGRAM, PROGRAM_REGION, STARTER, TWO_ALLOCATIONS } from "./verdicts.ts";

/** The background and text colors of the two of mdBook 0.5.4's themes that the book has. */
const THEMES: Record<string, [bg: string, fg: string]> = {
  light: ["#ffffff", "#000000"],
  navy: ["#161923", "#bcbdd0"],
};

export const THEME_NAMES = Object.keys(THEMES);

/** Returns JSON that is safe in a script element. */
export function dataBlock(data: unknown): string {
  return `<script type="application/json" class="ots-data">${JSON.stringify(data).replaceAll("<", "\\u003c")}</script>`;
}

export function escapeHTML(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}

const question = (id: string, data: unknown, answer: string) =>
  `<div class="ots-predict" id="${id}">${dataBlock(data)}
<details><summary>What it measures</summary><p>${answer}</p></details>
</div>`;

const listing = (code: string) => `<pre><code class="language-go">${escapeHTML(code)}</code></pre>`;

/** Returns the page, in the light theme. */
export function page(): string {
  const themes = Object.entries(THEMES).map(([name, [bg, fg]]) => `.${name}{--bg:${bg};--fg:${fg}}`);
  return `<!DOCTYPE html>
<html lang="en" class="light js">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Memory profiling</title>
<style>
${themes.join("\n")}
:root { font-size: 62.5%; --mono-font: monospace; --code-font-size: 0.875em; }
body { margin: 0; font: 1.6rem sans-serif; color: var(--fg); background: var(--bg); }
.content { overflow-y: auto; padding: 0 20px 50px; }
main { margin: 0 auto; max-width: 750px; overflow-wrap: break-word; }
code { font-family: var(--mono-font); font-size: var(--code-font-size); }
pre { overflow-x: auto; }
.table-wrapper { overflow-x: auto; }
table { margin: 0 auto; border-collapse: collapse; }
table td { padding: 3px 20px; border: 1px #888 solid; }
table thead { background: #999; }
table thead th { padding: 3px 20px; }
table thead tr { border: 1px #999 solid; }
table tbody tr:nth-child(2n) { background: #bbb; }
</style>
${["onthestack", "ots-articles", "ots-choices", "ots-gctrace", "ots-history", "ots-predict"]
  .map((name) => `<link rel="stylesheet" href="/book/widgets/${name}.css">`)
  .join("\n")}
<script>const path_to_root = "../";</script>
</head>
<body>
<nav class="ots-site"><a class="ots-repository" data-repository href="https://example.org/repo">Source</a></nav>
<div class="content"><main>
<h1>Memory profiling</h1>
<div class="ots-verdict" id="checked">${dataBlock(TWO_ALLOCATIONS)}
<pre>BenchmarkReplace 2 allocs/op, the same in plain text</pre>
</div>
<div class="ots-verdict" id="explained">${dataBlock(EXPLAINED)}
<pre>BenchmarkReplace 2 allocs/op</pre>
</div>
${question("predict-strings", QUESTION, "Go 1.26.8: 0 allocs/op, 0 B/op. Go 1.15.15: 1 alloc/op, 32 B/op.")}
${question("predict-rows", UNTIMED, "Go 1.26.8: 4 allocs/op, 512 B/op.")}
<p>The <span class="ots-folded" data-question="predict-rows"><span class="ots-figure">four</span></span> allocations are explained.</p>
<details class="ots-folded" data-question="predict-rows"><summary>Show the figures</summary>
<p>A table of the four.</p>
</details>
${question("predict-bytes", WITH_BYTES, "Go 1.26.8: 1 alloc/op, 24 B/op.")}
<details class="ots-folded" data-question="predict-bytes"><summary>Show the figures</summary>
<p>A table of the box.</p>
</details>
${CHOICES}
<div class="ots-gctrace">${dataBlock(GCTRACE)}
<div class="table-wrapper"><table><thead><tr><th></th><th>GOGC=50</th></tr></thead><tbody><tr><td>no limit</td><td>64, 24 MB</td></tr></tbody></table></div>
</div>
<div class="ots-program">${dataBlock(PROGRAM)}
<p class="ots-caption"><code>demo/main.go</code>, lines 8–12</p>
${listing(PROGRAM_REGION)}
</div>
${HISTORY}
${ARTICLES}
<section class="ots-exercise" id="exercise6" data-exercise="exercise6">
${dataBlock(EXERCISE)}
<p>Bring Replace down to one allocation.</p>
<p class="ots-caption"><code>exercises/exercise6/stream.go</code></p>
${listing(STARTER)}
<p>In the clone: <code>go run ./tools/checkalloc exercise6</code></p>
<details><summary>Hint 1</summary><p>Look at the last step.</p></details>
</section>
<p>After the exercise.</p>
</main></div>
<script>
window.pagesTurned = 0;
document.addEventListener("keydown", (e) => {
  if (["ArrowRight", "ArrowLeft", "s", "/"].includes(e.key)) window.pagesTurned++;
});
</script>
${scriptTag("onthestack")}
</body>
</html>`;
}
