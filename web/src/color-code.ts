// Highlights the code in a page with the editor's tokenizer and colors.

import { el } from "./dom.ts";
import { goTokens } from "./editor/go-text.ts";

/** Highlights Go, or the commands of a console. Code that contains elements is left as it is. */
export function colorCode(code: HTMLElement): void {
  if (code.childElementCount > 0) return;
  const text = code.textContent ?? "";
  code.replaceChildren(...(code.classList.contains("language-go") ? coloredGo(text) : commands(text)));
}

function* coloredGo(text: string): Generator<Node | string> {
  let at = 0;
  for (const { kind, from, to } of goTokens(text)) {
    if (from > at) yield text.slice(at, from);
    yield el("span", { class: `tok-${kind}` }, text.slice(from, to));
    at = to;
  }
  if (at < text.length) yield text.slice(at);
}

function* commands(text: string): Generator<Node | string> {
  for (const line of text.split(/(?<=\n)/)) {
    if (line.startsWith("$ ")) yield el("span", { class: "ots-command" }, line);
    else yield line;
  }
}
