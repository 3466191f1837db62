// The result of an action on a program: its output, the compiler's report, or problems.

import type { ProgramRun, Report, Verdict } from "../go/runner.ts";
import { Archive, PROG } from "../archive.ts";
import { button, el } from "../dom.ts";
import { findingsNotice, readFindings, type Finding } from "../errors.ts";
import type { ProgramStep, Steps } from "../go/step.ts";
import { noticeWords } from "../notice.ts";
import type { Pair } from "../step/pair.ts";
import type { Side, Viewer } from "../step/viewer.ts";
import { reportView } from "../verdict/report.ts";
import { traces } from "../verdict/traces.ts";
import { verdictView } from "../verdict/view.ts";
import { ending } from "./ending.ts";
import { play } from "./playback.ts";
import type { ProgramText } from "./program-editor.ts";

/** Loads what is needed of a program that failed. */
const failed = () => import("./failed.ts").catch(() => null);

/** The module that shows steps. It is loaded when there are some. */
export type StepParts = typeof import("../step/pair.ts");

/** Shows words beside the buttons and announces them to screen readers. problem marks them as a problem. */
type Say = (words: string, problem?: boolean) => void;

export class ResultPane {
  readonly root = el("div", { class: "ots-result" });
  /** Words that are announced to screen readers. */
  readonly live = el("p", { class: "ots-unseen", role: "status" });
  /** The result in a few words, for a place that is in view when the result is not. */
  readonly summary = el("span", { class: "ots-summary" });
  readonly #block: HTMLElement;
  readonly #program: ProgramText;
  readonly #say: Say;
  /** The text whose lines the result refers to. */
  #about: string | null = null;
  readonly #onStep: (at: number | null) => void;
  /** The findings of go vet in the program whose run is shown. */
  #vet: readonly Finding[] = [];
  #viewer: Viewer | Pair | null = null;
  /** The steps that the viewer shows, as long as their allocations are still to be counted. */
  #uncounted: Steps | null = null;
  /** The steps of an earlier program, with which the steps of the next one are compared. */
  #compared: Side | null = null;

  /** block has the class is-stale as long as the program differs from the one that the result is about. */
  constructor(block: HTMLElement, program: ProgramText, say: Say, onStep: (at: number | null) => void = () => {}) {
    this.#block = block;
    this.#program = program;
    this.#say = say;
    this.#onStep = onStep;
  }

  /** Marks the result as one of an earlier action, until there is a new one. */
  past(past: boolean): void {
    this.root.classList.toggle("is-past", past);
  }

  /** Shows a run, and plays its output as it was printed. Stops playing when the signal is aborted. */
  async run(run: ProgramRun, text: string, signal: AbortSignal): Promise<void> {
    const problem = run.errors.trimEnd();
    if (problem !== "" && run.events.length === 0) {
      // The runner reports in the same field that a program was too large or ran out of time.
      if (/\.go:\d+/.test(problem)) return this.problems("Does not compile", problem, text);
      this.#show(pre("Errors", problem));
      return this.#sum("Did not finish", true);
    }
    this.#program.mark([]);
    this.#vet = [];
    const output = pre("Output");
    const end = ending(run);
    const words = el("span", {}, "\u00a0");
    const key = run.events.some((e) => e.kind === "stderr") && el("span", { class: "ots-stderr" }, "standard error");
    this.#show(output);
    this.root.append(el("p", { class: "ots-ending" }, words, key));
    const played = await play(run, output, signal);
    words.textContent = played ? end.words : "Stopped";
    words.classList.toggle("is-problem", played && end.problem);
    if (played && output.textContent === "") output.append(el("span", { class: "ots-none" }, "(no output)"));
    this.#say("");
    this.#summarize(words.textContent!, end.problem || !played);
    this.live.textContent = words.textContent;
    if (!played) return;
    if (run.vetErrors.trim() !== "") this.#vetted(run.vetErrors, text);
    await this.#failed(run, text, signal);
  }

  /** Marks where a program was when it panicked, or when the runtime ended it, and where its tests failed. */
  async #failed({ events, testsFailed }: ProgramRun, text: string, signal: AbortSignal): Promise<void> {
    const source = this.#program.source();
    if (!source) return;
    const printed = (kind: string) => events.filter((e) => e.kind === kind).map((e) => e.message).join("");
    const stopped = traces(printed("stderr"), (file) => source.has(file));
    const findings: Finding[] = stopped.map((at) => ({ ...at, col: 0 }));
    if (testsFailed > 0) {
      const tests = (await failed())?.failedTests(printed("stdout")) ?? [];
      findings.push(...tests.filter(({ file }) => source.has(file)));
    }
    if (findings.length === 0 || signal.aborted) return;
    this.#program.mark(findings);
    const goTo = ({ file, line }: Finding) => source.goTo(file, line);
    const headline = stopped.length > 0 ? "Where it stopped" : "Where tests failed";
    this.root.append(findingsNotice({ kind: "error", headline, findings, only: PROG, goTo }));
    this.#isAbout(text);
  }

  #vetted(vetErrors: string, text: string): void {
    const findings = readFindings(vetErrors);
    const found = findings.filter((f) => f.line > 0).length;
    const headline = found === 0 ? "go vet says" : `go vet found ${found === 1 ? "a problem" : `${found} problems`}`;
    this.#vet = findings;
    this.#program.mark(findings, "warning");
    const notice = this.#notice("vet", headline, vetErrors);
    this.root.append(notice);
    this.#isAbout(text);
    this.live.textContent += `. ${noticeWords(notice)}`;
  }

  /** Shows the compiler's report or, for a program with benchmarks, the verdict, which includes it. */
  report({ escapes, errors, verdict }: Report, text: string): void {
    if (errors !== "") return this.problems("Does not compile", errors, text);
    this.#program.mark([]);
    if (verdict) {
      this.#show(this.#explained(verdict));
      this.#isAbout(text);
      return;
    }
    this.#show(el("div", { class: "ots-report-pane" }, reportView(escapes, new Archive(text), this.#program.source())));
    this.#isAbout(text);
    // These are messages, not allocations: the compiler says of a constant that it escapes, but it lies in read-only
    // data.
    const heap = escapes.filter((e) => e.kind === "escape" || e.kind === "moved").length;
    this.#sum(heap === 1 ? "1 message about the heap" : `${heap || "No"} messages about the heap`);
  }

  /** Shows a verdict on the program's benchmarks below its output. */
  explain(verdict: Verdict, text: string): void {
    this.root.append(this.#explained(verdict, this.#vet));
    this.#isAbout(text);
  }

  #explained(verdict: Verdict, findings: readonly Finding[] = []): HTMLElement {
    this.#program.mark(findings, "warning", verdict.allocations);
    const source = this.#program.source();
    const view = verdictView(verdict, source ? { source } : { code: true });
    const lines = new Set(verdict.allocations.map((a) => `${a.file}:${a.line}`)).size;
    if (!verdict.pass) this.#sum("Not all benchmarks were measured", true);
    else if (lines === 0) this.#sum("No line allocates");
    else this.#sum(lines === 1 ? "1 line allocates" : `${lines} lines allocate`);
    return el("div", { class: "ots-report-pane" }, view);
  }

  /**
   * Shows the steps of a program, and the line of each in the editor or, if none is shown, in a listing. If the steps
   * were shown before their allocations were counted, adds the counts.
   */
  steps(parts: StepParts, json: unknown, text: string, at: number): void {
    const sides = parts.readSides(json);
    if (!sides) {
      this.#show(pre("Errors", "The steps are in a form that this page cannot read. Reload the page."));
      return this.#sum("No steps", true);
    }
    const failed = sides.find(({ steps }) => steps.errors !== "");
    if (failed) {
      const { name, steps: { errors } } = failed;
      if (/\.go:\d+/.test(errors)) return this.problems(`Does not compile${name && ` on ${name}`}`, errors, text);
      this.#show(pre("Errors", errors.trimEnd()));
      return this.#sum("No steps", true);
    }
    if (this.#uncounted) return this.#count(parts, sides, text);
    this.#program.mark([]);
    if (sides.length > 1) this.#compared = null;
    this.#showSteps(parts, sides, text, at);
  }

  /** Notes why the allocations of the steps that are shown will not be counted. Other steps stay as they are. */
  endCounting(why: string): void {
    if (!this.#uncounted) return;
    this.#viewer?.update({ ...this.#uncounted, pending: false, unmeasured: why });
    this.#uncounted = null;
  }

  #count(parts: StepParts, sides: Side[], text: string): void {
    const { steps } = sides.at(-1)!;
    this.#viewer?.update(steps);
    if (steps.pending) return;
    this.#uncounted = null;
    this.#say("");
    this.#offerComparison(parts, sides, text);
  }

  /** Shows the steps of two programs, or of one: beside the steps that were kept, if there are any. */
  #showSteps(parts: StepParts, sides: Side[], text: string, at: number): void {
    const source = this.#program.source();
    const onStep = (step: ProgramStep, at: number) => {
      source?.emphasize(step.file, [step.line]);
      source?.reveal?.(step.file, step.line);
      this.#summarize(`Step ${at + 1}`);
      this.#onStep(at);
    };
    const { name, steps } = sides.at(-1)!;
    const [first, second] = this.#compared ? [when("Before", this.#compared), when("Now", { name, steps })] : sides;
    const viewer = second
      ? new parts.Pair(first!, second, { at, onStep })
      : new parts.Viewer(steps, { code: source === undefined, at, onStep });
    this.#show(viewer.root);
    if (!second && name) this.root.prepend(el("p", { class: "ots-pair-name" }, name));
    this.#viewer = viewer;
    this.#summarize(`Step ${viewer.at + 1}`);
    this.#isAbout(text);
    viewer.focus();
    if (steps.pending) {
      this.#uncounted = steps;
      return this.#say("Counting the allocations…");
    }
    this.#say("");
    this.#offerComparison(parts, sides, text);
  }

  #offerComparison(parts: StepParts, sides: Side[], text: string): void {
    // Only a program that the reader can change will be another one, and four do not fit beside each other.
    if (!this.#program.source() || sides.length > 1) return;
    this.root.append(el("p", { class: "ots-compare" }, this.#compareButton(parts, sides[0]!, text)));
  }

  /** Returns the button that keeps the steps beside the next program's steps, or ends that. */
  #compareButton(parts: StepParts, side: Side, text: string): HTMLButtonElement {
    if (this.#compared) {
      return button("ots-button is-quiet", () => {
        this.#compared = null;
        this.#showSteps(parts, [side], text, this.#viewer?.at ?? 0);
      }, "End the comparison");
    }
    const label = "Compare with the next Step";
    const compare = button("ots-button is-quiet", () => {
      this.#compared = this.#compared ? null : side;
      compare.textContent = this.#compared ? "Do not compare" : label;
      this.#say(this.#compared ? "The next Step will be beside this one" : "");
    }, label);
    return compare;
  }

  /** Ends the steps, if any are shown. */
  #closeSteps(): void {
    if (!this.#viewer) return;
    this.#viewer.close();
    this.#viewer = null;
    this.#uncounted = null;
    this.#program.source()?.emphasize(PROG, []);
    this.#onStep(null);
  }

  /** Shows errors in a list and, if the program is in an editor, at their lines. */
  problems(headline: string, errors: string, text: string): void {
    this.#program.mark(readFindings(errors));
    const notice = this.#notice("error", headline, errors);
    this.tell(notice);
    // Without an editor there is no Format.
    if (this.#program.source()) void failed().then((part) => part?.adviseOnImports(notice, errors, text));
    this.#isAbout(text);
  }

  #notice(kind: "error" | "vet", headline: string, text: string): HTMLElement {
    const source = this.#program.source();
    const goTo = source ? ({ file, line, col }: Finding) => source.goTo(file, line, col) : null;
    return findingsNotice({ kind, headline, findings: readFindings(text), only: PROG, goTo });
  }

  /** Shows a notice and announces it to screen readers. */
  tell(notice: HTMLElement): void {
    this.#show(notice);
    this.#summarize(notice.querySelector(".ots-headline")?.textContent ?? "", true);
    this.#say("");
    this.live.textContent = noticeWords(notice);
  }

  /** Says the result in a few words, which the summary keeps. */
  #sum(words: string, problem = false): void {
    this.#say(words, problem);
    this.#summarize(words, problem);
  }

  #summarize(words: string, problem = false): void {
    this.summary.textContent = words;
    this.summary.classList.toggle("is-miss", problem);
  }

  #show(result: HTMLElement): void {
    this.past(false);
    this.#closeSteps();
    this.#summarize("");
    this.root.replaceChildren(result);
    this.#about = null;
    this.#block.classList.remove("is-stale");
  }

  #isAbout(text: string): void {
    this.#about = text;
    this.edited(this.#program.text());
  }

  /** Notes the program's current text. The result may name lines of an older text. */
  edited(text: string): void {
    this.#block.classList.toggle("is-stale", this.#about !== null && text !== this.#about);
  }

  /** Removes the result. */
  clear(): void {
    this.#closeSteps();
    this.#compared = null;
    this.#summarize("");
    this.root.replaceChildren();
    this.#about = null;
    this.#block.classList.remove("is-stale");
    this.#program.mark([]);
  }
}

/** Names a side of a comparison in time: "Before", or "Before, Go 1.26.8" if it has a name. */
const when = (time: string, { name, steps }: Side): Side => ({ name: name ? `${time}, ${name}` : time, steps });

/** Returns a box of output that the keyboard can scroll. */
function pre(label: string, text = ""): HTMLElement {
  return el("pre", { class: "ots-output", role: "region", tabindex: 0, "aria-label": label }, text);
}
