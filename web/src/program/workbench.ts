// The actions on a program: run it, share it, get the compiler's report on it, format it. The page decides where the
// workbench's parts are placed and where the program's text comes from.

import type { Formatted, ProgramRun } from "../go/runner.ts";
import type { CheckEvent, Shared } from "../responses.ts";
import { button, el } from "../dom.ts";
import { keptWords } from "../fetching.ts";
import { busyWords, failureNotice, isActive, Jobs, type JobState } from "../job.ts";
import { later } from "../later.ts";
import { refusedNotice } from "../notice.ts";
import type { CallOptions, Runner } from "../runner.ts";
import type { ProgramText } from "./program-editor.ts";
import { ResultPane, type StepParts } from "./result-pane.ts";
import { ShareLink } from "./share-link.ts";

const DOING = {
  Run: "Running…",
  Step: "Recording the steps…",
  Share: "Sharing…",
  Report: "Compiling…",
  Format: "Formatting…",
};

export type What = keyof typeof DOING;

/**
 * The time after which a button becomes a Stop button. Most answers come sooner, and a double click is meant as one.
 */
const STOP_AFTER_MS = 200;

const STOP = "Stop";

export interface WorkbenchParts {
  /** Has the class is-stale as long as the text differs from the one that the result is about. */
  block: HTMLElement;
  runner: Runner;
  text: ProgramText;
  /** Steps through a program in place of the runner, which may do it on another release of Go. */
  step?: Runner["step"];
  /** Further buttons, which are disabled while a job is under way. */
  others: readonly HTMLButtonElement[];
  onStart?: (what: What) => void;
  /** Returns what to show below the output of a program that ran to its end. */
  onRan?: (text: string) => HTMLElement | null;
  /** Called with the step that the reader looks at, and with null when none is shown any more. */
  onStep?: (at: number | null) => void;
  onShared?: (shared: Shared, text: string) => void;
}

export class Workbench {
  readonly buttons: Record<What, HTMLButtonElement>;
  readonly status = el("span", { class: "ots-status" });
  readonly link = new ShareLink((words) => (this.live.textContent = words));
  readonly result: HTMLElement;
  readonly live: HTMLElement;
  readonly summary: HTMLElement;
  readonly #parts: WorkbenchParts;
  readonly #pane: ResultPane;
  readonly #jobs = new Jobs<What>((state) => this.#show(state));
  /** Shows the Stop button. Set from the start of a job until the button appears. */
  #stopTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(parts: WorkbenchParts) {
    this.#parts = parts;
    const say = (words: string, problem?: boolean) => this.say(words, problem);
    this.#pane = new ResultPane(parts.block, parts.text, say, parts.onStep);
    this.result = this.#pane.root;
    this.live = this.#pane.live;
    this.summary = this.#pane.summary;
    this.buttons = {
      Run: this.#button("Run", "ots-button is-main"),
      Step: this.#button("Step", "ots-button is-quiet"),
      Share: this.#button("Share", "ots-button is-quiet"),
      Report: this.#button("Report", "ots-button is-quiet"),
      Format: this.#button("Format", "ots-button is-quiet"),
    };
    this.buttons.Step.title = "Show the stack and the heap, statement by statement";
    this.buttons.Share.title = "Get a link to the program";
    this.buttons.Report.title =
      "What the compiler says about memory (-m=2), and what each line allocates in benchmarks";
  }

  #button(what: What, className: string): HTMLButtonElement {
    const b = button(className, () => {
      const { state } = this.#jobs;
      if (!isActive(state)) void this.start(what);
      else if (state.what === what && this.#stopTimer === undefined) this.stop();
    }, what);
    // As wide as the longer one of its labels, so that no button moves.
    b.dataset["longest"] = what.length > STOP.length ? what : STOP;
    return b;
  }

  get busy(): boolean {
    return this.#jobs.active;
  }

  /**
   * Adds keys for the program: Ctrl-Enter or Cmd-Enter runs it, Escape stops it. The editor handles its own keys first.
   */
  listen(to: HTMLElement | Document): void {
    to.addEventListener("keydown", (event) => {
      const e = event as KeyboardEvent;
      if (e.key === "Enter" && (e.ctrlKey || e.metaKey) && !e.defaultPrevented) {
        e.preventDefault();
        void this.start("Run");
      }
      if (e.key === "Escape") this.stop();
      // mdBook turns pages on arrow keys and opens its search on a slash, also while the reader types.
      if (e.target instanceof Element && e.target.closest(".ots-edit, input")) e.stopPropagation();
    });
  }

  stop(): void {
    this.#jobs.stop();
  }

  /** Starts an action. at is the step that Step begins with, as an index. */
  async start(what: What, at = 0): Promise<void> {
    if (this.busy) return;
    const { runner, text: program } = this.#parts;
    const text = program.begin();
    switch (what) {
      case "Run":
        return this.#jobs.start(what, (o) => runner.compile(text, o), (run, stop) => this.#ran(run, text, stop));
      case "Step":
        return this.#step(text, at);
      case "Share":
        return this.#jobs.start(what, (o) => runner.share(text, o), (shared) => this.#shared(shared, text));
      case "Report":
        return this.#jobs.start(what, (o) => runner.escape(text, o), (report) => this.#pane.report(report, text));
      case "Format":
        return this.#jobs.start(what, (o) => runner.format(text, o), (formatted) => this.#formatted(formatted, text));
    }
  }

  /** Steps through the program. The picture is shown as soon as it comes, and the counts when they come. */
  #step(text: string, at: number): Promise<void> {
    // The picture and the counts wait for one promise. Chromium may settle two imports of a module in either order.
    let parts: Promise<StepParts> | undefined;
    const show = async (steps: unknown, signal: AbortSignal | undefined) => {
      try {
        const loaded = await (parts ??= later(import("../step/pair.ts")));
        if (!signal?.aborted) this.#pane.steps(loaded, steps, text, at);
      } catch (e) {
        this.#pane.tell(refusedNotice((e as Error).message, "The steps cannot be shown"));
      }
    };
    const pictured = ({ signal, onEvent }: CallOptions) => (event: CheckEvent) =>
      event.kind === "picture" ? void show(event.steps, signal) : onEvent?.(event);
    const { runner, step = (body, o) => runner.step(body, o) } = this.#parts;
    const call = (o: CallOptions) => step(text, { ...o, onEvent: pictured(o) });
    return this.#jobs.start("Step", call, show);
  }

  /** Shows a run. If it ran benchmarks, a verdict on them follows. */
  async #ran(run: ProgramRun, text: string, signal: AbortSignal): Promise<void> {
    await this.#pane.run(run, text, signal);
    if (signal.aborted) return;
    const more = run.errors === "" && this.#parts.onRan?.(text);
    if (more) this.result.append(more);
    if (!ranBenchmarks(run)) return;
    this.say("Measuring each line…");
    const report = await this.#parts.runner.escape(text, { signal });
    this.say("");
    if (report.kind === "ok" && report.value.verdict) this.#pane.explain(report.value.verdict, text);
  }

  #show(state: JobState<What>): void {
    switch (state.name) {
      case "sent":
        this.#begin(state.what);
        break;
      case "busy":
        this.say(busyWords(state.seconds));
        break;
      case "queued":
        if (state.position > 0) this.status.textContent = `Waiting, number ${state.position}`;
        break;
      case "fetching":
        this.status.textContent = state.words;
        if (state.announce) this.live.textContent = state.words;
        break;
      case "running":
        this.status.textContent = DOING[state.what];
        break;
      case "failed":
        this.#failed(state);
        break;
      case "stopped":
        this.#pane.endCounting("the measurement was stopped");
        this.say("Stopped");
        break;
      case "stored":
        this.say(keptWords(state.why));
    }
    if (!isActive(state)) this.#settle();
  }

  #begin(what: What): void {
    this.#stopTimer = setTimeout(() => {
      this.#stopTimer = undefined;
      this.#showStop(what);
    }, STOP_AFTER_MS);
    this.#parts.onStart?.(what);
    this.say(DOING[what]);
    if (what !== "Share") this.#pane.past(true);
  }

  #failed({ what, failure }: Extract<JobState<What>, { name: "failed" }>): void {
    const headline = what === "Share" && failure.kind === "refused" ? { headline: "Not shared" } : {};
    this.#pane.tell(failureNotice(what, { ...failure, ...headline }, () => {
      void this.start(what);
      this.buttons[what].focus();
    }));
  }

  #showStop(what: What): void {
    this.buttons[what].textContent = STOP;
    for (const b of [...Object.values(this.buttons), ...this.#parts.others]) {
      if (b !== this.buttons[what]) b.setAttribute("aria-disabled", "true");
    }
  }

  /** Restores the labels of all buttons and enables them. */
  #settle(): void {
    clearTimeout(this.#stopTimer);
    this.#stopTimer = undefined;
    this.#pane.past(false);
    for (const [what, b] of Object.entries(this.buttons)) b.textContent = what;
    for (const b of [...Object.values(this.buttons), ...this.#parts.others]) b.removeAttribute("aria-disabled");
  }

  #shared(shared: Shared, text: string): void {
    const focus = document.activeElement === this.buttons.Share;
    this.link.show(shared, text, focus);
    this.link.edited(this.#parts.text.text());
    this.say("Shared");
    this.live.textContent = `Shared. The link is ${shared.href}`;
    this.#parts.onShared?.(shared, text);
  }

  #formatted({ body, error }: Formatted, text: string): void {
    const program = this.#parts.text;
    if (error !== "") return this.#pane.problems("The program cannot be formatted", error, text);
    if (program.text() !== text) return this.say("You edited it in the meantime, so it was not formatted");
    program.mark([]);
    program.replace(body);
    this.say(body === text ? "Already formatted" : "Formatted");
  }

  /** Shows words beside the buttons and announces them to screen readers. */
  say(words: string, problem = false): void {
    this.live.textContent = words;
    this.status.textContent = words;
    this.status.classList.toggle("is-problem", problem);
  }

  /** To be called when the program's text may have changed: the result and the link may then be about an older text. */
  edited(): void {
    const text = this.#parts.text.text();
    this.#pane.edited(text);
    this.link.edited(text);
  }

  /** Removes what was shown about another program. */
  clear(): void {
    this.#pane.clear();
    this.say("");
  }
}

/** Reports whether a run printed the result of a benchmark. There is no ns/op where the clock stands still. */
function ranBenchmarks({ isTest, events }: ProgramRun): boolean {
  return isTest && /^Benchmark\S*\s+\d+\t/m.test(events.map((e) => e.message).join(""));
}
