// Turns a verdict into what the editor shows at its lines.

import { el } from "../dom.ts";
import type { Allocation, Verdict } from "../verdict/schema.ts";
import { lineView, lineWords } from "../verdict/view.ts";
import { count } from "../verdict/words.ts";
import type { ErrorMark, FileMarks, LineMark } from "./code-editor.ts";

/** The marks for each of the named files. Errors elsewhere stay in the list beside the code. */
export function marksOf(v: Verdict, names: readonly string[]): Record<string, FileMarks> {
  const marks: Record<string, FileMarks> = {};
  for (const name of names) {
    const lines: LineMark[] = [];
    for (const [line, here] of byLine(v.allocations.filter((a) => a.file === name))) {
      lines.push({
        line,
        kind: "alloc",
        label: `${count(perOp(here))}×`,
        name: lineWords(line, here),
        describe: () => lineView(here),
      });
    }
    const errors = v.errors.filter((e) => e.file === name).map(({ line, col, message }) => ({ line, col, message }));
    lines.push(...errorMarks(errors));
    marks[name] = { lines, errors: errors.filter((e) => e.line > 0) };
  }
  return marks;
}

/** What a line allocates per operation: in the benchmark where that is most. */
function perOp(here: readonly Allocation[]): number {
  const sums = new Map<string, number>();
  for (const a of here) sums.set(a.benchmark, (sums.get(a.benchmark) ?? 0) + a.allocs_per_op);
  return Math.max(...sums.values());
}

/** One mark for each line with errors. */
export function errorMarks(errors: readonly ErrorMark[]): LineMark[] {
  return [...byLine(errors.filter((e) => e.line > 0))].map(([line, here]) => {
    const messages = here.map((e) => e.message);
    return {
      line,
      kind: "error",
      label: "!",
      name: `Line ${line}: error: ${messages.join("; ")}`,
      describe: () => el("div", { class: "ots-tip-body" }, ...messages.map((m) => el("p", { class: "ots-message" }, m))),
    };
  });
}

function byLine<T extends { line: number }>(items: readonly T[]): Map<number, T[]> {
  const lines = new Map<number, T[]>();
  for (const item of items) {
    const here = lines.get(item.line);
    if (here) here.push(item);
    else lines.set(item.line, [item]);
  }
  return lines;
}
