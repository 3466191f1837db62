// The verdict on the page. The exercise and the book's pictures use the same view;
// what differs is whether its lines lead into an editor and whether it shows the code itself.

import { el, button } from "../dom.ts";
import type { Allocation, Benchmark, Escape, FlowStep, SourceError, Verdict } from "./schema.ts";
import { allocsPerOp, bar, bytesPerOp, cost, count, exactly, headline, saved, size, stages, type Measured } from "./words.ts";

/** Where the lines of a verdict lead. */
export interface Source {
  has(file: string): boolean;
  goTo(file: string, line: number, col?: number): void;
  /** Points out lines for as long as the reader looks at what is said about them. */
  emphasize(file: string, lines: readonly number[]): void;
}

export interface ViewOptions {
  /** Absent: line numbers are plain text. */
  source?: Source;
  /** Shows each allocating line itself, for a page without an editor beside it. */
  code?: boolean;
  starter?: readonly Measured[];
  /** A sentence that compares with the last check. */
  progress?: string | null;
  next?: { exercise: string; title: string; href: string } | null;
}

/** Everything that a verdict says. */
export function verdictView(v: Verdict, options: ViewOptions = {}): HTMLElement {
  const files = new Set([...v.allocations, ...v.errors, ...v.escapes].map((x) => x.file));
  const lines = new Lines(options.source, files.size > 1);
  const several = v.benchmarks.length > 1;
  // An explained package was not asked for anything: it has figures, and no stages.
  const asked = v.exercise !== "";
  return el(
    "div",
    { class: `ots-v ${!asked ? "" : v.pass ? "is-pass" : "is-miss"}` },
    el(
      "p",
      { class: "ots-over" },
      el("span", {}, !options.code ? "Verdict" : asked ? `${v.exercise}  ${v.title}` : baseName(v.title)),
      el("span", { class: "ots-stale-note" }, "from the last check"),
      el("span", { class: "ots-measured" }, `${v.go} ${v.goos}/${v.goarch}`),
    ),
    asked && el("p", { class: "ots-headline" }, headline(v)),
    options.progress && el("p", { class: "ots-progress" }, options.progress),
    asked && v.pass && gains(v, options),
    asked && stageRail(v),
    v.errors.length > 0 && errorList(v.errors, lines),
    v.tests.output !== "" && testOutput(v),
    ...v.benchmarks.map((b) => benchmarkView(b, options.starter ?? [])),
    v.allocations.length > 0 && allocationList(v.allocations, lines, { code: options.code ?? false, several }),
    v.set_aside.length > 0 && setAside(v.set_aside),
    v.escapes.length > 0 && compilerReport(v.escapes, lines),
  );
}

/** What the starter measures against the targets, before anything was checked. */
export function starterView(benchmarks: readonly Benchmark[]): HTMLElement {
  return el("div", { class: "ots-v" }, ...benchmarks.map((b) => benchmarkView(b, [])));
}

function gains(v: Verdict, { starter, next }: ViewOptions): HTMLElement | null {
  const gained = v.benchmarks.map((b) => [b, saved(b, starter ?? [])] as const).filter(([, words]) => words);
  if (gained.length === 0 && !next) return null;
  return el(
    "div",
    { class: "ots-gains" },
    ...gained.map(([b, words]) => el("p", {}, gained.length > 1 && `${b.name}: `, words)),
    next && el("p", {}, "Next: ", el("a", { href: next.href }, next.title)),
  );
}

function stageRail(v: Verdict): HTMLElement {
  return el(
    "ol",
    { class: "ots-stages", "aria-label": "Stages" },
    ...stages(v).map((s) =>
      el(
        "li",
        { class: `is-${s.state}` },
        el("span", { class: "ots-stage" }, s.stage),
        " ",
        el("span", { class: "ots-state" }, s.text),
        s.stage === "tests" && s.state === "failed" && el("span", { class: "ots-unseen" }, " passed"),
      ),
    ),
  );
}

function errorList(errors: readonly SourceError[], lines: Lines): HTMLElement {
  return el(
    "ol",
    { class: "ots-errors", "aria-label": "Errors" },
    ...errors.map((e) => el("li", {}, lines.place(e.file, e.line, e.col), " ", el("span", { class: "ots-message" }, e.message))),
  );
}

function testOutput(v: Verdict): HTMLElement {
  const output = el("pre", { class: "ots-output", role: "region", tabindex: 0, "aria-label": "Output of the tests" }, v.tests.output.trimEnd());
  if (v.stage === "tests") return output;
  return el("details", { class: "ots-more" }, el("summary", {}, "Output of the tests"), output);
}

function benchmarkView(b: Benchmark, starter: readonly Measured[]): HTMLElement {
  const before = starter.find((s) => s.name === b.name);
  return el(
    "div",
    { class: "ots-bench", role: "group", "aria-label": b.name },
    el("p", { class: "ots-bench-name" }, b.name),
    figure("allocs/op", b.allocs_per_op, b.target_allocs, before?.allocs_per_op, count),
    figure("B/op", b.bytes_per_op, b.target_bytes, before?.bytes_per_op, size),
  );
}

/** A figure, with a bar where there is a target to hold it against. */
function figure(
  unit: string,
  measured: number,
  target: number | undefined,
  starter: number | undefined,
  round: (n: number) => string,
): HTMLElement {
  if (target !== undefined) return barRow(unit, measured, target, starter ?? null, round);
  return el(
    "p",
    { class: "ots-bar-plain" },
    el("span", { class: "ots-unit" }, unit),
    " ",
    el("strong", { class: "ots-value" }, round(measured)),
  );
}

function barRow(
  unit: string,
  measured: number,
  target: number,
  starter: number | null,
  round: (n: number) => string,
): HTMLElement {
  const at = bar(measured, target, starter);
  const fill = el("span", { class: "ots-fill" });
  fill.style.inlineSize = `${Math.min(at.measured, at.target)}%`;
  const tick = el("span", { class: "ots-tick" });
  tick.style.insetInlineStart = `${at.target}%`;
  const track = el("span", { class: "ots-track", "aria-hidden": "true" }, fill, tick);
  if (at.measured > at.target) {
    const excess = el("span", { class: "ots-excess" });
    excess.style.insetInlineStart = `${at.target}%`;
    excess.style.inlineSize = `${at.measured - at.target}%`;
    track.prepend(excess);
  }
  if (at.starter !== null) {
    const was = el("span", { class: "ots-was" });
    was.style.inlineSize = `${at.starter}%`;
    track.prepend(was);
  }
  return el(
    "p",
    { class: `ots-bar ${measured <= target ? "is-met" : "is-over"}` },
    el("span", { class: "ots-unit" }, unit),
    " ",
    el("strong", { class: "ots-value" }, exactly(measured, target, round)),
    " ",
    track,
    " ",
    el("span", { class: "ots-against" }, `target ${round(target)}`, starter !== null && `, starter ${round(starter)}`),
  );
}

function allocationList(
  allocations: readonly Allocation[],
  lines: Lines,
  show: { code: boolean; several: boolean },
): HTMLElement {
  return el(
    "ol",
    { class: `ots-allocs${show.code ? " with-code" : ""}`, "aria-label": "Allocations" },
    ...allocations.map((a) => {
      const item = el(
        "li",
        { class: "ots-alloc" },
        show.code &&
          el("p", { class: "ots-code-line" }, el("span", { class: "ots-lineno" }, String(a.line)), el("code", {}, a.code)),
        el("p", { class: "ots-why" }, !show.code && lines.place(a.file, a.line), " ", ...whyParts(a)),
        show.several && el("p", { class: "ots-callees" }, "in ", el("code", {}, a.benchmark)),
        ...reasonParts(a, lines),
      );
      lines.pointOut(item, a.file, linesOf(a));
      return item;
    }),
  );
}

function whyParts(a: Allocation): HTMLElement[] {
  return [
    el("span", { class: "ots-why-text" }, why(a)),
    el("span", { class: "ots-cost" }, cost(a), a.shared && " (objects under 16 bytes share blocks: the sum is exact, which line made how many is not)"),
  ];
}

function reasonParts(a: Allocation, lines: Lines): HTMLElement[] {
  const parts: HTMLElement[] = [];
  // Where the compiler gives a reason, the value is the line's own, and what made it was inlined.
  if (a.callees.length > 0 && a.reasons.length === 0) parts.push(el("p", { class: "ots-callees" }, "inside ", el("code", {}, a.callees.join(" → "))));
  for (const reason of a.reasons) {
    // With one reason, its words are the allocation's own.
    if (a.reasons.length > 1 && reason.why !== "") parts.push(el("p", { class: "ots-reason" }, reason.why));
    const told = reason.flow.filter((s) => s.message !== "");
    if (told.length > 0) parts.push(flowList(told, lines));
  }
  return parts;
}

function flowList(flow: readonly FlowStep[], lines: Lines): HTMLElement {
  return el(
    "ol",
    { class: "ots-flow" },
    ...flow.map((s) => el("li", {}, lines.place(s.file, s.line, s.col), " ", el("span", {}, s.message))),
  );
}

/** What a gutter mark says of its line; the list beside the code says the same. */
export function lineView(allocations: readonly Allocation[]): HTMLElement {
  const plain = new Lines(undefined, false);
  return el(
    "div",
    { class: "ots-tip-body" },
    ...allocations.map((a) =>
      el(
        "div",
        { class: "ots-alloc" },
        el("p", { class: "ots-why" }, ...whyParts(a)),
        ...reasonParts(a, plain),
      ),
    ),
  );
}

/** The same in one sentence, for a mark's accessible name. */
export function lineWords(line: number, allocations: readonly Allocation[]): string {
  return `Line ${line}: ` + allocations.map((a) => `${allocsPerOp(a.allocs_per_op)}, ${bytesPerOp(a.bytes_per_op)}, ${why(a)}`).join("; ");
}

function why(a: Allocation): string {
  return a.why || a.reasons[0]?.why || a.reasons[0]?.message || "allocates here";
}

function linesOf(a: Allocation): number[] {
  return [a.line, ...a.reasons.flatMap((r) => r.flow).filter((s) => s.file === a.file).map((s) => s.line)];
}

function setAside(files: readonly string[]): HTMLElement {
  return el("p", { class: "ots-note" }, `Set aside, the check uses its own copy: ${files.join(", ")}`);
}

function compilerReport(escapes: readonly Escape[], lines: Lines): HTMLElement {
  return el(
    "details",
    { class: "ots-more" },
    el("summary", {}, `What the compiler said (${escapes.length})`),
    el(
      "ol",
      { class: "ots-report" },
      ...escapes.map((e) =>
        el(
          "li",
          { class: `is-${e.kind}` },
          lines.place(e.file, e.line, e.col),
          " ",
          el("code", {}, e.message),
          e.flow.length > 0 &&
            el("ul", {}, ...e.flow.map((s) => el("li", {}, el("code", {}, s.text || `${s.line}: ${s.message}`)))),
        ),
      ),
    ),
  );
}

/** Makes the line numbers of one verdict. */
class Lines {
  readonly #source: Source | undefined;
  readonly #named: boolean;

  constructor(source: Source | undefined, named: boolean) {
    this.#source = source;
    this.#named = named;
  }

  /** A line number: a button where there is a source to go to. */
  place(file: string, line: number, col?: number): HTMLElement {
    const source = this.#source;
    const reachable = source?.has(file) ?? false;
    const foreign = this.#named || (source !== undefined && !reachable);
    const short = foreign ? `${baseName(file)}:${line}` : String(line);
    if (line === 0) return el("span", { class: "ots-at" }, baseName(file));
    if (!source || !reachable) return el("span", { class: "ots-at" }, short);
    const b = button("ots-at", () => source.goTo(file, line, col), short);
    b.setAttribute("aria-label", `line ${line}`);
    b.title = `Go to line ${line}`;
    return b;
  }

  /** While the pointer or the focus is on item, its lines are pointed out. */
  pointOut(item: HTMLElement, file: string, numbers: readonly number[]): void {
    const source = this.#source;
    if (!source?.has(file)) return;
    const on = () => source.emphasize(file, numbers);
    const off = () => source.emphasize(file, []);
    item.addEventListener("pointerenter", on);
    item.addEventListener("pointerleave", off);
    item.addEventListener("focusin", on);
    item.addEventListener("focusout", off);
  }
}

function baseName(file: string): string {
  return file.slice(file.lastIndexOf("/") + 1);
}
