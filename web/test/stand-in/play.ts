// The editor's page as the site has it, and a store of shared programs.

import { escapeHTML } from "./page.ts";
import { scriptTag } from "./scripts.ts";
import type { Answer, Request } from "./server.ts";
import { siteStyle, TOP, workbenchStyles } from "./workbench.ts";

export const FIRST = 'package main\n\nimport "fmt"\n\nfunc main() {\n\tfmt.Println("first")\n}\n';

export const BOOK_EXAMPLES = [
  {
    chapter: "Memory profiling",
    programs: [{ title: "The program", text: 'package main\n\nfunc main() { println("masked") }\n' }],
  },
  {
    chapter: "Interpolation",
    programs: [{ title: "The program", text: 'package main\n\nfunc main() { println("joined") }\n' }],
  },
];

function playPage(program: string): string {
  return `<!DOCTYPE html>
<html lang="en" data-root="./../">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Play</title>
<style>${siteStyle("base", "frame")}${workbenchStyles()}${siteStyle("play")}</style>
<link rel="stylesheet" href="/book/widgets/play.css">
${scriptTag("play")}
</head>
<body>
<a class="skip" href="#program">Skip to the program</a>
${TOP}
<div class="ots-play workbench">
<section class="head" aria-label="Play"><h1>Play</h1></section>
<main id="program" class="work" tabindex="-1">
<noscript><p>This page runs programs by JavaScript.</p></noscript>
<textarea class="ots-play-source" readonly spellcheck="false" aria-label="Program">
${escapeHTML(program)}</textarea>
</main>
</div>
</body>
</html>`;
}

/** Shared programs, kept in memory. */
export class SharedPrograms {
  readonly #byId = new Map<string, string>();

  /** The book's programs; undefined if they cannot be fetched. */
  examples: string | undefined = JSON.stringify(BOOK_EXAMPLES);

  get size(): number {
    return this.#byId.size;
  }

  share(text: string): string {
    const known = [...this.#byId].find(([, t]) => t === text);
    const id = known?.[0] ?? `Sh-red_${this.#byId.size + 1}`;
    this.#byId.set(id, text);
    return id;
  }

  post({ path, body }: Request): Answer | undefined {
    return path === "/share"
      ? { body: this.share(body), headers: { "Content-Type": "text/plain; charset=utf-8" } }
      : undefined;
  }

  page(path: string): string | undefined {
    if (path === "/play/examples.json") return this.examples;
    if (path === "/play/") return playPage(FIRST);
    const id = /^\/p\/(.*)$/.exec(path)?.[1] ?? "";
    const text = this.#byId.get(id);
    return text === undefined ? undefined : playPage(text);
  }
}
