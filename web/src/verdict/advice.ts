// What to do next after a check that failed. The checker writes the sentences, for terminals and editors too; this file
// adds what one can do in a page.

import { el, inlineCode } from "../dom.ts";
import type { Advice, AdviceKind } from "../go/runner.ts";
import type { Lines } from "./lines.ts";

/** What a page offers in place of a terminal's command, by the kind of advice. */
const IN_PAGE: Partial<Record<AdviceKind, string>> = {
  imports: "Format removes and adds imports.",
  endless: "Look at each loop that you changed: what ends it?",
  tests: "The first one above shows what it wants.",
  report: "Its report is below.",
};

/** Returns the list of what to do next. Line numbers link to the code if lines do. */
export function adviceView(advice: readonly Advice[], lines: Lines): HTMLElement {
  return el(
    "div",
    { class: "ots-next", role: "group", "aria-label": "What to do next" },
    ...advice.map((a) =>
      el("p", {}, el("strong", {}, a.kind === "mistake" ? "Likely mistake: " : "Next: "), ...sentence(a, lines)),
    ),
  );
}

function sentence(a: Advice, lines: Lines): (Node | string)[] {
  const text = [a.text, IN_PAGE[a.kind]].filter(Boolean).join(" ");
  const named = new RegExp(`\\bline ${a.line}\\b`).exec(text);
  if (!named || a.line === 0) return inlineCode(text);
  const at = named.index + "line ".length;
  return [
    ...inlineCode(text.slice(0, at)),
    lines.link(a.file, a.line),
    ...inlineCode(text.slice(named.index + named[0].length)),
  ];
}
