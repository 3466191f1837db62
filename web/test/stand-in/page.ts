// A page as mdBook would build it: its frame, its theme classes, its keyboard shortcuts,
// and the blocks that tools/bookalloc writes.

import { EXERCISE, EXPLAINED, PROGRAM, STARTER, TWO_ALLOCATIONS } from "./verdicts.ts";

/** The ground and text colors of mdBook 0.5.4's themes. */
const THEMES: Record<string, [bg: string, fg: string]> = {
  light: ["#ffffff", "#000000"],
  rust: ["#e1e1db", "#262625"],
  coal: ["#131516", "#98a3ad"],
  navy: ["#161923", "#bcbdd0"],
  ayu: ["#0f1419", "#c5c5c5"],
};

export const THEME_NAMES = Object.keys(THEMES);

/** JSON that can stand in a script element. */
export function dataBlock(data: unknown): string {
  return `<script type="application/json" class="ots-data">${JSON.stringify(data).replaceAll("<", "\\u003c")}</script>`;
}

function escapeHTML(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}

const listing = (code: string) => `<pre><code class="language-go">${escapeHTML(code)}</code></pre>`;

export function page(theme = "light"): string {
  const themes = Object.entries(THEMES).map(([name, [bg, fg]]) => `.${name}{--bg:${bg};--fg:${fg}}`);
  return `<!DOCTYPE html>
<html lang="en" class="${theme} js">
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
</style>
<link rel="stylesheet" href="/book/widgets/onthestack.css">
<script>const path_to_root = "../";</script>
</head>
<body>
<div class="content"><main>
<h1>Memory profiling</h1>
<div class="ots-verdict" id="checked">${dataBlock(TWO_ALLOCATIONS)}
<pre>BenchmarkReplace 2 allocs/op, the same in plain text</pre>
</div>
<div class="ots-verdict" id="explained">${dataBlock(EXPLAINED)}
<pre>BenchmarkReplace 2 allocs/op</pre>
</div>
<div class="ots-program">${dataBlock(PROGRAM)}
${listing(PROGRAM.body)}
</div>
<section class="ots-exercise" id="exercise1" data-exercise="exercise1">
${dataBlock(EXERCISE)}
<p>Bring Replace down to one allocation.</p>
<p class="ots-caption"><code>exercises/exercise1/stream.go</code></p>
${listing(STARTER)}
<p>In the clone: <code>go run ./tools/checkalloc exercise1</code></p>
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
<script src="/book/widgets/onthestack.js"></script>
</body>
</html>`;
}
