// The part of the site's list of exercises that its script uses.

import { scriptTag } from "./scripts.ts";

export const LISTED: readonly [id: string, title: string][] = [
  ["exercise6", "Hand back the interface"],
  ["exercise7", "Know the size"],
  ["exercise40", "The other algorithm"],
];

export const row = ([id, title]: readonly [string, string]) =>
  `<li><p><a href="/exercises/${id}/">${title}</a></p><p class="ots-reached" data-exercise="${id}"></p></li>`;

export function exercisesPage(): string {
  return `<!DOCTYPE html>
<html lang="en" data-root="/">
<head>
<meta charset="utf-8">
<title>Exercises</title>
<link rel="stylesheet" href="/book/widgets/onthestack.css">
</head>
<body>
<h1>Exercises</h1>
<section class="ots-so-far" aria-label="Your progress"></section>
<section id="by-chapter"><ol>${LISTED.map(row).join("\n")}</ol></section>
<section id="by-technique"><ol>${[...LISTED].reverse().map(row).join("\n")}</ol></section>
<div class="ots-so-far-file"></div>
${scriptTag("onthestack")}
</body>
</html>`;
}
