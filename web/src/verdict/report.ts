// The compiler's escape report on a program, each diagnostic below its line of code.

import type { Archive } from "../archive.ts";
import { el } from "../dom.ts";
import type { Diagnostic, Step } from "../go/runner.ts";
import { grouped } from "../grouped.ts";
import { Lines, type Source } from "./lines.ts";

/** The largest number of lines that is shown, far more than the programs of the book have. */
const MAX_LINES = 300;

/** Returns the report on a program. Diagnostics about inlining are separate, because they are not about memory. */
export function reportView(escapes: readonly Diagnostic[], program: Archive, source?: Source): HTMLElement {
  const lines = new Lines(source, new Set(escapes.map((e) => e.file)).size > 1);
  const inlining = escapes.filter((e) => e.kind === "inline");
  const memory = escapes.filter((e) => e.kind !== "inline");
  return el(
    "div",
    { class: "ots-v" },
    el(
      "p",
      { class: "ots-over" },
      el("span", {}, "What the compiler says"),
      el("span", { class: "ots-stale-note" }, "before the last edit"),
      el("code", { class: "ots-measured" }, "-gcflags=-m=2"),
    ),
    memory.length > 0
      ? lineList(memory, program, lines)
      : el("p", { class: "ots-lead" }, "It reports nothing about memory."),
    inlining.length > 0 &&
      el(
        "details",
        { class: "ots-more" },
        el("summary", {}, `About inlining (${inlining.length})`),
        lineList(inlining, program, lines),
      ),
  );
}

function lineList(escapes: readonly Diagnostic[], program: Archive, lines: Lines): HTMLElement {
  const groups = [...grouped(escapes, (e) => `${e.file}:${e.line}`).values()];
  return el(
    "ol",
    { class: "ots-said" },
    ...groups.slice(0, MAX_LINES).map((here) => lineItem(here, program, lines)),
    groups.length > MAX_LINES && el("li", { class: "ots-note" }, `${groups.length - MAX_LINES} more lines`),
  );
}

/** Returns the item for a line, with its diagnostics. */
function lineItem(here: readonly Diagnostic[], program: Archive, lines: Lines): HTMLElement {
  const { file, line } = here[0]!;
  const heap = here.some((e) => e.kind === "escape" || e.kind === "moved");
  const item = el(
    "li",
    {},
    el(
      "p",
      { class: `ots-code-line${heap ? "" : " is-quiet"}` },
      lines.link(file, line),
      el("code", {}, program.code(file, line).trim()),
    ),
    el(
      "ul",
      {},
      ...here.map((e) =>
        el("li", { class: `is-${e.kind}` }, el("code", {}, e.message), e.flow.length > 0 && flow(e.flow, lines)),
      ),
    ),
  );
  lines.emphasizeFor(item, file, [
    ...new Set([
      line,
      ...here
        .flatMap((e) => e.flow)
        .filter((s) => s.file === file)
        .map((s) => s.line),
    ]),
  ]);
  return item;
}

function flow(steps: readonly Step[], lines: Lines): HTMLElement {
  return el(
    "details",
    { class: "ots-more" },
    el("summary", {}, "why"),
    el(
      "ol",
      { class: "ots-flow" },
      ...steps.map((s) =>
        el(
          "li",
          {},
          lines.link(s.file, s.line, s.col),
          el(
            "span",
            {},
            el("code", {}, s.text || s.message),
            s.text !== "" && s.message !== "" && el("span", { class: "ots-step" }, s.message),
          ),
        ),
      ),
    ),
  );
}
